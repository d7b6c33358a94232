package metrics

import (
	"context"
	"time"
)

// EndAfter cancels the context of a call in the attempt that follows the given number of tries. Each attempt times out
// after attempt.
func (g *Gateway) EndAfter(tries int, attempt time.Duration) {
	end := func() {}
	g.withTimeout = func(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
		if d == g.timeout {
			ctx, end = context.WithCancel(ctx)
			return ctx, end
		}
		if tries--; tries < 0 {
			end()
		}
		return context.WithTimeout(ctx, attempt)
	}
}
