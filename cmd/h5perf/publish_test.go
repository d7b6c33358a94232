//go:build cgo

package main

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"h5perf/pkg/metrics"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
	"h5perf/pkg/test/metricstest"
	"h5perf/pkg/test/plaintest"
)

// launchWatched starts the serial tool with these environment variables. It writes and reads a small file as a whole.
func launchWatched(t *testing.T, base string, env []string, args ...string) *launched {
	t.Helper()
	env = append([]string{
		rundir.SerialPrefix + "=" + base, "H5PERF_CLUSTER=alpha", "H5PERF_FILESYSTEM=scratch", "H5PERF_LABEL=nightly",
	}, env...)
	return start(t, nil, base, env, append([]string{"serial", "-e", "2M", "-x", "256K"}, args...))
}

// guarded starts a real Pushgateway that needs a token. It returns its URL, and a client with the token.
func guarded(t *testing.T, token string) (string, *metrics.Gateway) {
	t.Helper()
	behind, err := url.Parse(metricstest.Pushgateway(t))
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(behind) }}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+token {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	g, err := metrics.NewGateway(behind.String(), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	return front.URL, g
}

// onGateway checks the metrics of the last run in the textfile, and that the Pushgateway has the end time of that run.
func onGateway(t *testing.T, g *metrics.Gateway, textfile string, doc result.Document, success string) {
	t.Helper()
	ends, _, err := g.RunEndTimes(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	want := metrics.GroupingKey{Identity: result.Identity{Cluster: "alpha", Filesystem: "scratch", Label: "nightly"}}
	if end, found := ends[want]; !found || len(ends) != 1 || end.UnixMilli() != doc.Finished.UnixMilli() {
		t.Errorf("the gateway holds %v, want the run that ended at %v", ends, doc.Finished)
	}
	text, err := os.ReadFile(textfile)
	if err != nil {
		t.Fatal(err)
	}
	if line := `h5perf_run_success{cluster="alpha",filesystem="scratch",label="nightly"} ` +
		success; !strings.Contains(string(text), line) {
		t.Errorf("the textfile has no line %s", line)
	}
	if figures := strings.Contains(string(text), "h5perf_throughput_bytes_per_second{"); figures != (success == "1") {
		t.Errorf("success %s, figures %v", success, figures)
	}
	if out := metricstest.Promtool(t, string(text), "check", "metrics"); out != "" {
		t.Errorf("promtool check metrics: %s", out)
	}
}

func TestRunsArePublishedHoweverTheyEnd(t *testing.T) {
	t.Parallel()
	const token = "a-secret-token"
	address, g := guarded(t, token)
	textfile := filepath.Join(t.TempDir(), "h5perf.prom")
	env := []string{"H5PERF_PUSHGATEWAY_TOKEN=" + token}
	args := []string{"--pushgateway", address, "--textfile", textfile}

	l := launchWatched(t, t.TempDir(), env, args...)
	if status := l.wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	onGateway(t, g, textfile, l.document(), "1")
	text, err := os.ReadFile(l.json)
	if err != nil {
		t.Fatal(err)
	}
	if all := string(text) + l.stdout.String() + l.stderr.String(); strings.Contains(all, token) {
		t.Error("the token is in the document or in what was printed")
	}

	l = launchWatched(t, smallDisk(t, "1M"), env, append(args, "--space-check", "off")...)
	if status := l.wait(startTime); status != result.ExitFailed {
		t.Errorf("exit status %d", status)
	}
	onGateway(t, g, textfile, l.document(), "0")

	l = launchWatched(t, t.TempDir(), env, args...)
	if status := l.wait(startTime); status != 0 {
		t.Errorf("exit status %d", status)
	}
	onGateway(t, g, textfile, l.document(), "1")

	l = launchWatched(t, t.TempDir(), env, append(args, "-i", "100000")...)
	l.working()
	if err := syscall.Kill(l.cmd.Process.Pid, syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := l.wait(startTime); status != result.ExitStopped {
		t.Errorf("exit status %d", status)
	}
	onGateway(t, g, textfile, l.document(), "0")
}

func TestAGatewayThatDoesNotTakeARunSpoilsNothing(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // the kernel accepts connections, but nobody answers
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	spool := filepath.Join(t.TempDir(), "spool")
	for address, reason := range map[string]string{
		"http://" + silent.Addr().String(): "no answer",
		"http://127.0.0.1:1":               "connection refused",
	} {
		l := launchWatched(t, t.TempDir(), []string{
			"H5PERF_SPOOL=" + spool, "H5PERF_PUSH_TIMEOUT=2s", "H5PERF_PUSHGATEWAY=" + address,
		})
		if status := l.wait(startTime); status != 0 {
			t.Errorf("exit status %d", status)
		}
		doc := l.document()
		kept, err := filepath.Glob(filepath.Join(spool, "gateway-*", "h5perf-push-"+doc.RunID+".json"))
		if err != nil || len(kept) != 1 {
			t.Fatalf("in the spool: %v (%v), want the document", kept, err)
		}
		for _, want := range []string{
			"h5perf: the metrics were not pushed: Pushgateway " + address, reason,
			kept[0] + ": 'h5perf push --replay' pushes it to this gateway",
		} {
			if !strings.Contains(plaintest.Unwrap(l.stderr.String()), want) {
				t.Errorf("standard error does not say %q", want)
			}
		}
		if doc.State != result.Complete {
			t.Errorf("document is %s", doc.State)
		}
		l.cleaned()

		replay := exec.Command(l.cmd.Path, "push", "--replay", "--pushgateway", metricstest.Pushgateway(t))
		replay.Env = append(os.Environ(), beTool+"=1", "H5PERF_SPOOL="+spool)
		if out, err := replay.CombinedOutput(); err != nil ||
			!strings.Contains(string(out), "1 document for "+address+" left in the spool") {
			t.Errorf("push --replay to another gateway: %v, %s", err, out)
		}
		if _, err := os.Stat(kept[0]); err != nil {
			t.Errorf("what is for %s went elsewhere: %v", address, err)
		}
	}
}

func TestPublishingThatCannotBeMeantIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env, args []string
		want      string
	}{
		{nil, []string{"--pushgateway", "http://me:hush@gateway:9091"}, "H5PERF_PUSHGATEWAY_USER"},
		{[]string{"H5PERF_PUSHGATEWAY=http://me:hush@gateway:9091"}, nil, "(from H5PERF_PUSHGATEWAY)"},
		{
			[]string{"H5PERF_PUSHGATEWAY_TOKEN_FILE=/none"},
			[]string{"--pushgateway", "http://gateway:9091"},
			"H5PERF_PUSHGATEWAY_TOKEN_FILE: open /none",
		},
		{nil, []string{"--textfile", "/tmp/h5perf.txt"}, "does not end in .prom"},
	} {
		l := launchWatched(t, t.TempDir(), c.env, c.args...)
		if status := l.wait(startTime); status != result.ExitUsage || !strings.Contains(l.stderr.String(), c.want) ||
			strings.Contains(l.stderr.String(), "hush") {
			t.Errorf("%v %v: exit status %d, %s", c.env, c.args, status, l.stderr.String())
		}
		l.cleaned()
	}
}
