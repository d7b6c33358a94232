package metricstest

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// startTime is how long a server may take until it is ready.
const startTime = time.Minute

// listening matches the line of a server's log that holds its address.
var listening = regexp.MustCompile(`msg="Listening on(?: HTTP)?" (?:.* )?addr(?:ess)?=([0-9.:]+)`)

// Pushgateway starts an empty Pushgateway and returns its URL. It ends with the test. It keeps nothing in a file, as
// Debian's default configuration would.
func Pushgateway(t *testing.T, args ...string) string {
	t.Helper()
	return serve(t, "prometheus-pushgateway",
		append(args, "--persistence.file=", "--web.listen-address=127.0.0.1:0")...)
}

// Prometheus starts a Prometheus with a configuration and the blocks in a directory, and returns its URL. It ends
// with the test.
func Prometheus(t *testing.T, configuration, data string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "prometheus.yml")
	if err := os.WriteFile(file, []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	address := serve(t, "prometheus", "--config.file="+file, "--storage.tsdb.path="+data,
		"--storage.tsdb.retention.time=10y",
		"--web.listen-address=127.0.0.1:0")
	Eventually(t, "Prometheus being ready", func() bool {
		resp, err := http.Get(address + "/-/ready")
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
	return address
}

// InfluxDB starts an InfluxDB without databases, and returns its URL. It ends with the test.
func InfluxDB(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "influxdb.conf")
	configuration := strings.ReplaceAll(`
reporting-disabled = true
bind-address = "127.0.0.1:0"
[meta]
dir = "DIR/meta"
[data]
dir = "DIR/data"
wal-dir = "DIR/wal"
[monitor]
store-enabled = false
[http]
bind-address = "127.0.0.1:0"
`, "DIR", dir)
	if err := os.WriteFile(file, []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	return serve(t, "influxd", "run", "-config", file)
}

// serve starts a server on a free port and returns its URL.
func serve(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(tool(t, name), args...)
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	address, ended := make(chan string, 1), make(chan struct{})
	var text strings.Builder
	go func() {
		defer close(ended)
		for s := bufio.NewScanner(log); s.Scan(); {
			text.WriteString(s.Text() + "\n")
			if found := listening.FindStringSubmatch(s.Text()); found != nil {
				address <- found[1]
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // its data go with it
		<-ended
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("%s:\n%s", name, text.String())
		}
	})
	select {
	case a := <-address:
		return "http://" + a
	case <-ended:
		t.Fatalf("%s has ended:\n%s", name, text.String())
	case <-time.After(startTime):
		t.Fatalf("%s does not listen after %v", name, startTime)
	}
	return ""
}

// tool returns the path of a program.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Fatalf("%v: '.ci/setup monitoring' installs it", err)
	}
	return path
}

// Promtool runs promtool on what it reads from standard input, and returns what it prints.
func Promtool(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command(tool(t, "promtool"), args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// Answer is one series of an answer of Prometheus.
type Answer struct {
	Metric map[string]string
	Values []Value
}

// Value is a value, as Prometheus prints it, at a Unix time.
type Value struct {
	Seconds float64
	Text    string
}

// UnmarshalJSON reads [seconds, "value"].
func (v *Value) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&v.Seconds, &v.Text})
}

// Query asks a Prometheus for the values of an expression at a time, or now if that is zero.
func Query(t *testing.T, prometheus, expression string, at time.Time) []Answer {
	t.Helper()
	form := url.Values{"query": {expression}}
	if !at.IsZero() {
		form.Set("time", at.UTC().Format(time.RFC3339))
	}
	return ask(t, prometheus+"/api/v1/query", form)
}

// Range asks a Prometheus for the values of an expression over a range of time.
func Range(t *testing.T, prometheus, expression string, from, to time.Time, step time.Duration) []Answer {
	t.Helper()
	return ask(t, prometheus+"/api/v1/query_range", url.Values{
		"query": {expression}, "start": {from.UTC().Format(time.RFC3339)}, "end": {to.UTC().Format(time.RFC3339)},
		"step": {step.String()},
	})
}

func ask(t *testing.T, address string, form url.Values) []Answer {
	t.Helper()
	resp, err := http.PostForm(address, form)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Status, Error string
		Data          struct {
			Result []struct {
				Metric map[string]string
				Value  *Value
				Values []Value
			}
		}
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Status != "success" {
		t.Fatalf("%s: %v %s\n%s", form.Get("query"), err, answer.Error, text)
	}
	var series []Answer
	for _, r := range answer.Data.Result {
		if r.Value != nil {
			r.Values = append(r.Values, *r.Value)
		}
		series = append(series, Answer{r.Metric, r.Values})
	}
	return series
}

// Eventually waits until a condition holds.
func Eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(startTime)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline:
			t.Fatalf("waited %v for %s", startTime, what)
		case <-tick.C:
		}
	}
}
