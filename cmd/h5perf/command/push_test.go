package command_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"h5perf/cmd/h5perf/command"
	"h5perf/pkg/metrics"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/test/metricstest"
	"h5perf/pkg/test/plaintest"
)

var firstStart = time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)

// monitored holds a gateway, a tree of documents and a spool.
type monitored struct {
	t         *testing.T
	url       string
	gateway   *metrics.Gateway
	dir       string
	spool     string
	documents int
}

func monitor(t *testing.T) *monitored {
	t.Helper()
	url := metricstest.Pushgateway(t)
	g, err := metrics.NewGateway(url, os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	return &monitored{t: t, url: url, gateway: g, dir: t.TempDir(), spool: filepath.Join(t.TempDir(), "spool")}
}

func series(label string) metricstest.Series {
	return metricstest.Series{
		Identity: result.Identity{Cluster: "alpha", Filesystem: "/scratch", Label: label}, Type: "lustre", Speed: 2e9,
	}
}

func (m *monitored) store(doc result.Document) string {
	m.t.Helper()
	m.documents++
	path := filepath.Join(m.dir, fmt.Sprintf("%d.json", m.documents))
	if err := result.Write(path, doc); err != nil {
		m.t.Fatal(err)
	}
	return path
}

// run runs a command with the Pushgateway at url, and checks its exit status and its output.
func (m *monitored) run(url string, status int, want string, words ...string) {
	m.t.Helper()
	m.t.Setenv("H5PERF_PUSHGATEWAY", url)
	timeout := "1s" // for gateways that do not exist
	if url == m.url {
		timeout = "30s"
	}
	variables := map[string]string{"H5PERF_SPOOL": m.spool, "H5PERF_PUSH_TIMEOUT": timeout}
	var out bytes.Buffer
	got, err := command.Run(words, "", form(words[0]), command.Env{
		Stdout: &out, Stderr: &out, Now: func() time.Time { return firstStart.AddDate(0, 0, 40) },
		Lookup: func(name string) (string, bool) { value, set := variables[name]; return value, set },
	})
	if err != nil {
		got = result.ExitUsage
		_, _ = fmt.Fprintln(&out, err)
	}
	if got != status || !strings.Contains(plaintest.Unwrap(out.String()), want) {
		m.t.Errorf("%v: exit status %d and %q; want %d and %q", words, got, out.String(), status, want)
	}
}

// holds checks which runs the gateway has. want has their labels, and the days from firstStart to their ends.
func (m *monitored) holds(want map[string]int) {
	m.t.Helper()
	// The gateway answers a DELETE before it has removed the group.
	metricstest.Eventually(m.t, fmt.Sprintf("the gateway holds %v", want), func() bool {
		ends, _, err := m.gateway.RunEndTimes(context.Background())
		if err != nil {
			m.t.Fatal(err)
		}
		got := map[string]int{}
		for group, end := range ends {
			got[group.Label] = int(end.Sub(firstStart) / (24 * time.Hour))
		}
		return maps.Equal(got, want)
	})
}

func TestPushTakesTheLatestDocumentOfEachGroup(t *testing.T) {
	m := monitor(t)
	old := m.store(series("a").Run(firstStart, 1))
	m.store(series("a").Run(firstStart.AddDate(0, 0, 2), 1))
	m.store(series("b").Failed(firstStart.AddDate(0, 0, 1)))
	m.run(m.url, 0,
		"left out "+old+
			": the gateway has a later run of cluster alpha, filesystem /scratch, label a, which ended at "+
			"2026-03-03T02:20:00Z", "push", m.dir)
	m.holds(map[string]int{"a": 2, "b": 1})
	m.run(m.url, 0, "left out "+old, "push", old)
	m.holds(map[string]int{"a": 2, "b": 1})
	newest := m.store(series("a").Run(firstStart.AddDate(0, 0, 3), 1))
	m.store(series("b").Run(firstStart.AddDate(0, 0, 3), 1))
	m.run(m.url, 0, "pushed "+newest+": cluster alpha, filesystem /scratch, label a, complete", "push", "--label", "a",
		filepath.Join(m.dir, "*.json"))
	m.holds(map[string]int{"a": 3, "b": 1})
}

func TestPushDeletesGroups(t *testing.T) {
	m := monitor(t)
	a := m.store(series("a").Run(firstStart, 1))
	m.store(series("b").Run(firstStart, 1))
	m.store(series("c").Run(firstStart, 1))
	m.run(m.url, 0, "pushed", "push", m.dir)
	m.run(m.url, 0, "removed cluster alpha, filesystem /scratch, label a", "push", "--delete", a)
	m.run(m.url, 0, "not on the gateway: cluster alpha", "push", "--delete", a)
	m.run(m.url, 0, "removed", "push", "--delete", "--cluster", "alpha", "--filesystem", "/scratch", "--label", "b")
	m.holds(map[string]int{"c": 0})
	m.run(m.url, 2, "all of --cluster, --filesystem and --label", "push", "--delete", "--cluster", "alpha")
	m.run(m.url, 2, "--since, --until and --latest select documents", "push", "--delete", "--cluster", "alpha",
		"--filesystem", "/scratch", "--label", "b", "--latest")
}

func TestReplayEmptiesTheSpoolOfWhatItPushed(t *testing.T) {
	m := monitor(t)
	m.run(m.url, 0, " has no document for "+m.url, "push", "--replay")
	dir := ""
	for day := range 2 {
		doc := series("a").Run(firstStart.AddDate(0, 0, day), 1)
		path, err := metrics.Spool(m.spool).Add(m.gateway.Destination(), doc)
		if err != nil {
			t.Fatal(err)
		}
		dir = filepath.Dir(path)
	}
	foreign := filepath.Join(dir, "mine.json")
	named := filepath.Join(dir, "h5perf-push-mine.json")
	for _, path := range []string{foreign, named} {
		if err := result.Write(path, series("b").Run(firstStart, 1)); err != nil {
			t.Fatal(err)
		}
	}
	in := func(want int) {
		t.Helper()
		entries, err := filepath.Glob(filepath.Join(dir, "*.json"))
		if err != nil || len(entries) != want {
			t.Errorf("%v are in the spool, want %d (%v)", entries, want, err)
		}
	}
	m.run("http://127.0.0.1:1", 0, "h5perf: Note: 3 documents for "+m.url+" left in the spool", "push", "--replay")
	in(4)
	m.holds(map[string]int{})
	m.run(m.url, 1, named+" holds run", "push", "--replay")
	m.holds(map[string]int{"a": 1})
	in(2) // the files that Add did not create
}

func TestTheSpoolKeepsWhereDocumentsAreFor(t *testing.T) {
	m := monitor(t)
	to := m.gateway.Destination()
	other := metrics.Destination{Gateway: m.url, User: "somebody"}
	spool := metrics.Spool(m.spool)
	for label, d := range map[string]metrics.Destination{"mine": to, "others": other, "old": {}} {
		if _, err := spool.Add(d, series(label).Run(firstStart, 1)); err != nil {
			t.Fatal(err)
		}
	}
	m.run(m.url, 2, `no run has the label "others"; labels here: mine`, "push", "--replay", "--label", "others")
	m.run(m.url, 0, "h5perf: Note: 1 document for "+m.url+" as somebody left in the spool", "push", "--replay")
	m.holds(map[string]int{"mine": 0})
	left, err := spool.PendingForOthers(to)
	if err != nil || len(left) != 2 || left[0].Destination != other || left[0].Count != 1 ||
		left[1].Destination != (metrics.Destination{}) || left[1].Dir != m.spool {
		t.Errorf("left in the spool: %+v (%v)", left, err)
	}
	if dirs, err := filepath.Glob(filepath.Join(m.spool, "gateway-*")); err != nil || len(dirs) != 1 {
		t.Errorf("directories in the spool: %v (%v), want that of the other user", dirs, err)
	}
	// Users who name the directory can push it to any gateway.
	m.run(m.url, 0, "pushed", "push", left[1].Dir)
	m.holds(map[string]int{"mine": 0, "old": 0, "others": 0})
}

func TestPushLeavesOutWhatIsNoDocument(t *testing.T) {
	m := monitor(t)
	m.store(series("a").Run(firstStart, 1))
	bad := filepath.Join(m.dir, "x.json")
	if err := os.WriteFile(bad, []byte(`{"name": "left-pad"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	m.run(m.url, 0, "skipped: document "+bad+": no schema_version", "push", m.dir)
	m.holds(map[string]int{"a": 0})
}

func TestPushRefusesWhatItCannotPush(t *testing.T) {
	m := monitor(t)
	running := series("a").Run(firstStart, 1)
	running.State, running.Finished, running.ExitStatus = result.Running, nil, nil
	path := m.store(running)
	m.run(m.url, 2, path+" is left out: its run has not ended", "push", path)
	half := filepath.Join(t.TempDir(), "half.json")
	if err := os.WriteFile(half, []byte("{\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.run(m.url, 2, half+": line 2", "push", half)
	m.run(m.url, 2, "no such file", "push", "/none")
	m.run(m.url, 2, "nothing to push", "push")
	m.run("", 2, "no Pushgateway: give --pushgateway", "push", path)
	m.run("http://me:hush@gateway", 2, "H5PERF_PUSHGATEWAY_USER", "push", path)
	m.run(m.url, 2, "cannot be used together", "push", "--delete", "--replay")
	m.holds(map[string]int{})
}

func TestPruneRemovesWhatIsOld(t *testing.T) {
	m := monitor(t)
	m.store(series("old").Run(firstStart.AddDate(0, 0, 5), 1))
	m.store(series("new").Run(firstStart.AddDate(0, 0, 20), 1))
	m.run(m.url, 0, "pushed", "push", m.dir)
	const line = "cluster alpha, filesystem /scratch, label old: its last run ended at 2026-03-06T02:20:00Z\n" +
		"groups whose last run ended before 2026-03-11T02:00:00Z: 1 of 2\n"
	m.run(m.url, 0, "would remove "+line, "prune", "--older-than", "30d", "--dry-run")
	m.holds(map[string]int{"old": 5, "new": 20})
	m.run(m.url, 0, "removed "+line, "prune", "--older-than", "30d")
	m.holds(map[string]int{"new": 20})
	m.run(m.url, 0, ": 1 of 1\n", "prune", "--older-than", "2w")
	m.run(m.url, 2, `"30" is not an age`, "prune", "--older-than", "30")
	m.run(m.url, 2, "--older-than", "prune")
}

// put pushes the end time of a run to a group. labels is the part of the URL path with the group's labels.
func (m *monitored) put(labels, end string) {
	m.t.Helper()
	body := "h5perf_run_completion_timestamp_seconds " + end + "\n"
	request, err := http.NewRequest(http.MethodPut, m.url+"/metrics/job/h5perf/"+labels, strings.NewReader(body))
	if err != nil {
		m.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(request)
	if err != nil {
		m.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		m.t.Fatalf("%s: %s", labels, resp.Status)
	}
}

// groups returns the label sets on the gateway.
func (m *monitored) groups() (all []map[string]string) {
	m.t.Helper()
	resp, err := http.Get(m.url + "/api/v1/metrics")
	if err != nil {
		m.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var answer struct {
		Data []struct {
			Labels map[string]string `json:"labels"`
		} `json:"data"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		m.t.Fatal(err)
	}
	for _, d := range answer.Data {
		all = append(all, d.Labels)
	}
	return all
}

func TestPruneLeavesGroupsWithoutATime(t *testing.T) {
	m := monitor(t)
	ends := []string{"NaN", "+Inf", "-Inf", "1e308", "-1e308", "1e18", "-1"}
	for i, end := range ends {
		m.put(fmt.Sprintf("cluster/a/filesystem/b/label/l%d", i), end)
	}
	for i, end := range ends {
		value := strings.NewReplacer("e", "e+").Replace(end)
		want := fmt.Sprintf("not removed: cluster a, filesystem b, label l%d: its last run ended at %q", i, value)
		m.run(m.url, 1, want, "prune", "--older-than", "30d")
	}
	m.run(m.url, 1, ": 0 of 7\n", "prune", "--older-than", "30d")
	if n := len(m.groups()); n != len(ends) {
		t.Errorf("%d groups are left, want %d", n, len(ends))
	}
	m.run(m.url, 0, "removed cluster a", "push", "--delete", "--cluster", "a", "--filesystem", "b", "--label", "l0")
}

func TestOnlyTheGroupThatIsMeantIsRemoved(t *testing.T) {
	m := monitor(t)
	const ours = "cluster/a/filesystem/b/label/c"
	for _, labels := range []string{ours + "/instance/x", ours + "/part/x", "cluster/a/filesystem/b", "instance/x"} {
		m.put(labels, "1")
	}
	others := len(m.groups())
	m.run(m.url, 0, ": 0 of 0\n", "prune", "--older-than", "30d")
	m.run(m.url, 0, "not on the gateway", "push", "--delete", "--cluster", "a", "--filesystem", "b", "--label", "c")
	m.put(ours, "1")
	m.run(m.url, 0, "removed cluster a, filesystem b, label c", "prune", "--older-than", "30d")
	metricstest.Eventually(t, "only the other groups are left", func() bool {
		all := m.groups()
		return len(all) == others && !slices.ContainsFunc(all, func(labels map[string]string) bool {
			return len(labels) == 4 && labels["label"] == "c"
		})
	})
	m.put(ours, "1")
	m.run(m.url, 0, "removed", "push", "--delete", "--cluster", "a", "--filesystem", "b", "--label", "c")
	metricstest.Eventually(t, "only the other groups are left", func() bool { return len(m.groups()) == others })
}

func TestTrendIsPushedAndWritten(t *testing.T) {
	m := monitor(t)
	for i := range 20 {
		m.store(series("a").Run(firstStart.AddDate(0, 0, i), 1))
	}
	m.store(series("b").Run(firstStart.Add(time.Hour), 1))
	file := filepath.Join(t.TempDir(), "trend.prom")
	m.run(m.url, 0, "a false alarm in a year is at most 5 %", "trend", "--nightly", "--push", "--textfile", file, m.dir)
	resp, err := http.Get(m.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	pushed, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{"gateway": string(pushed), "textfile": string(written)} {
		if n := strings.Count(text, "\nh5perf_trend_last_run_timestamp_seconds{"); n != 2 {
			t.Errorf("%s: %d groups, want 2", where, n)
		}
		if !strings.Contains(text, "\nh5perf_trend_group_visible_ratio{") {
			t.Errorf("%s: no groups of series", where)
		}
	}
	m.run("", 2, "no Pushgateway", "trend", "--push", m.dir)
	m.run(m.url, 2, "does not end in .prom", "trend", "--textfile", "trend.txt", m.dir)
	m.run("http://localhost:1", 1, "not pushed: trend of cluster alpha, filesystem /scratch, label a", "trend",
		"--push", m.dir)
	m.run(m.url, 0, "not on the gateway: cluster alpha, filesystem /scratch, label a", "push", "--delete", "--label",
		"a", m.dir)
}

// A gateway may belong to anybody, so its texts are not trusted.
func TestWhatAGatewaySaysIsHarmless(t *testing.T) {
	const text = "x\x1b]0;t\a\nh5perf: forged\t\u202e\x00\u009b"
	labels, err := json.Marshal(map[string]string{"job": "h5perf", "cluster": text, "filesystem": text, "label": text})
	if err != nil {
		t.Fatal(err)
	}
	group := func(end string) string {
		value, err := json.Marshal(end)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf(`{"data": [{"labels": %s, "h5perf_run_completion_timestamp_seconds": `+
			`{"metrics": [{"value": %s}]}}]}`, labels, value)
	}
	for _, answer := range []struct {
		status       int
		list, answer string
	}{
		{200, group("1"), ""}, {200, group(text), ""}, {400, group("1"), text}, {200, text, ""}, {404, "", text},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet && answer.list != "" {
				_, _ = io.WriteString(w, answer.list)
				return
			}
			w.WriteHeader(answer.status)
			_, _ = io.WriteString(w, answer.answer)
		}))
		t.Cleanup(server.Close)
		status, stdout, stderr := said(t, "prune", "--older-than", "1d", "--pushgateway", server.URL)
		for line := range strings.SplitSeq(stdout+stderr, "\n") {
			if line != plain.VisibleLine(line) || strings.HasPrefix(line, "h5perf: forged") {
				t.Errorf("status %d: %q", status, line)
			}
		}
		if stdout+stderr == "" {
			t.Errorf("status %d without a word", status)
		}
	}
}
