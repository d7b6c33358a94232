package metrics

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"h5perf/pkg/result"
)

// Gateway is a client of a Pushgateway. If the gateway cannot be reached, does not answer, or answers with status 5xx
// or 429, a method tries again until its context ends or the timeout has passed. For any other error status, it returns
// an error immediately.
//
// Gateway does not use the package push of client_golang: that package deletes without a context, and it replaces
// blanks in the grouping key with plus signs.
type Gateway struct {
	url          *url.URL
	client       *http.Client
	user         string              // see Destination
	authenticate func(*http.Request) // adds the authentication
	timeout      time.Duration       // limit for all attempts of a call together
	// withTimeout is context.WithTimeout
	withTimeout func(context.Context, time.Duration) (context.Context, context.CancelFunc)
}

// Destination returns the URL of the gateway and the user who pushes to it.
func (g *Gateway) Destination() Destination { return Destination{g.url.String(), g.user} }

// Push replaces the metrics of a run's group on the gateway with the metrics of the document. The parameter partial has
// the same meaning as in Registry.
func (g *Gateway) Push(ctx context.Context, doc result.Document, partial bool) error {
	registry, err := Registry(doc, partial)
	if err != nil {
		return err
	}
	return g.putMetrics(ctx, GroupingKey{doc.Identity}.gatewayPath(""), registry)
}

// PushTrend replaces the metrics of the trend of a group.
func (g *Gateway) PushTrend(ctx context.Context, j TrendLastRun) error {
	registry, err := TrendRegistry(j)
	if err != nil {
		return err
	}
	return g.putMetrics(ctx, GroupingKey{j.Last.Identity}.gatewayPath(TrendPart), registry)
}

// putMetrics replaces the metrics at a path with the metrics of a registry.
func (g *Gateway) putMetrics(ctx context.Context, path []string, registry prometheus.Gatherer) error {
	var text bytes.Buffer
	if err := encodeText(&text, registry); err != nil {
		return err
	}
	_, err := g.callWithRetry(ctx, http.MethodPut, path, text.Bytes())
	return err
}

// Delete removes the metrics of a group and of its trend. A group that does not exist is not an error.
func (g *Gateway) Delete(ctx context.Context, group GroupingKey) error {
	var errs []error
	for _, part := range []string{"", TrendPart} {
		_, err := g.callWithRetry(ctx, http.MethodDelete, group.gatewayPath(part), nil)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// maxUnixSeconds is the end of the year 9999, the last Unix time that RFC 3339 can express.
const maxUnixSeconds = 253402300799

// RunEndTimes returns, for each group of metrics that h5perf has pushed to the gateway, when the run of the group
// ended. A group belongs to h5perf if it has exactly the labels of GroupingKey. unclear holds the groups for which the
// gateway has no valid end time, with the value that it has instead.
func (g *Gateway) RunEndTimes(ctx context.Context) (ends map[GroupingKey]time.Time, unclear map[GroupingKey]string,
	err error,
) {
	body, err := g.callWithRetry(ctx, http.MethodGet, []string{"api", "v1", "metrics"}, nil)
	if err != nil {
		return nil, nil, err
	}
	var answer struct {
		Data []struct {
			Labels map[string]string `json:"labels"`
			End    struct {
				Metrics []struct {
					Value string `json:"value"`
				} `json:"metrics"`
			} `json:"h5perf_run_completion_timestamp_seconds"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, nil, fmt.Errorf("%s: cannot read its list of groups: %w", g, err)
	}
	ends, unclear = map[GroupingKey]time.Time{}, map[GroupingKey]string{}
	for _, d := range answer.Data {
		group, ours := groupingKeyOf(d.Labels)
		if !ours || len(d.End.Metrics) != 1 {
			continue // this group belongs to another program
		}
		value := d.End.Metrics[0].Value
		seconds, err := strconv.ParseFloat(value, 64)
		if err != nil || !(seconds >= 0 && seconds <= maxUnixSeconds) {
			unclear[group] = value
			continue
		}
		ends[group] = time.UnixMilli(int64(math.Round(seconds * 1000)))
	}
	return ends, unclear, nil
}

func (g *Gateway) String() string { return "Pushgateway " + g.url.String() }

// maxAnswerBytes limits how much of an answer is read. It is large, because the list of groups holds all metrics of the
// gateway.
const maxAnswerBytes = 1 << 30

// sendRequest makes one request and returns the body of the answer.
func (g *Gateway) sendRequest(ctx context.Context, method string, path []string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, g.url.JoinPath(path...).String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if method == http.MethodPut {
		req.Header.Set("Content-Type", string(expfmt.NewFormat(expfmt.TypeTextPlain)))
	}
	g.authenticate(req)
	resp, err := g.client.Do(req)
	if err != nil {
		if e := tlsAlertError(err); e != nil {
			return nil, e
		}
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err // without the path, which means nothing to users
		}
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBytes))
	if resp.StatusCode/100 != 2 {
		return nil, &statusError{resp.StatusCode, resp.Header.Get("Location"), string(answer)}
	}
	return answer, err
}

// statusError is the error for an answer whose HTTP status is not 2xx.
type statusError struct {
	status   int
	location string // target of a redirection; not followed, because the credentials could go to another host
	body     string
}

func (e *statusError) Error() string {
	text := fmt.Sprintf("answered %d %s", e.status, http.StatusText(e.status))
	if e.location != "" {
		text += " to " + e.location
	}
	if body := strings.TrimSpace(e.body); body != "" {
		text += ": " + body[:min(len(body), 1000)]
	}
	return text
}
