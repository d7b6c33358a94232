package metrics

import (
	"context"
	"time"
)

// EndAfter makes a call of the gateway end in the attempt after so many, and each attempt after a time.
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
