package metrics

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v5"

	"h5perf/pkg/plain"
)

// maxUnansweredAttempts is the number of unanswered attempts that fit into the timeout of a call.
const maxUnansweredAttempts = 3

// callWithRetry makes a request, and repeats it while the error is transient. The returned error names the gateway and
// the number of attempts.
func (g *Gateway) callWithRetry(ctx context.Context, method string, path []string, body []byte) ([]byte, error) {
	ctx, cancel := g.withTimeout(ctx, g.timeout)
	defer cancel()
	wait := backoff.NewExponentialBackOff()
	wait.InitialInterval, wait.MaxInterval = 100*time.Millisecond, 2*time.Second
	tries := 0
	var last error
	answer, err := backoff.Retry(ctx, func() ([]byte, error) {
		tries++
		once, cancel := g.withTimeout(ctx, g.timeout/maxUnansweredAttempts)
		defer cancel()
		answer, err := g.sendRequest(once, method, path, body)
		if last == nil || ctx.Err() == nil {
			last = err // when ctx has ended, the error is only that of ctx, which would hide the cause
		}
		if err != nil && !isTransient(err) {
			err = backoff.Permanent(err)
		}
		return answer, err
	}, backoff.WithBackOff(wait))
	if err == nil {
		return answer, nil
	}
	if errors.Is(last, context.DeadlineExceeded) {
		last = errors.New("no answer")
	}
	text := fmt.Sprintf(
		"%s: %s",
		g,
		plain.HideInURLs(last.Error()),
	) // the error may contain the URL of a proxy or of a redirection
	if tries > 1 {
		text += fmt.Sprintf(" (%d attempts in %v)", tries, g.timeout)
	}
	return nil, errors.New(text)
}

// isTransient reports whether another attempt may succeed.
func isTransient(err error) bool {
	if status, ok := errors.AsType[*statusError](err); ok {
		return status.status >= http.StatusInternalServerError || status.status == http.StatusTooManyRequests
	}
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	return !untrusted && tlsAlertError(err) == nil
}
