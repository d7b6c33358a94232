package metrics_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/metrics"
	"h5perf/pkg/result"
	"h5perf/pkg/test/metricstest"
)

// judged returns the trend of nightly runs. The first 7 are the reference. All after the first 20 are 20 % slower. The
// first case also unlinks 50000 objects per second.
func judged(t *testing.T, nights int) metrics.TrendLastRun {
	t.Helper()
	return judgedAt(t, nights, 0.8)
}

// judgedAt is like judged, with another speed of the runs after the first 20.
func judgedAt(t *testing.T, nights int, late float64) metrics.TrendLastRun {
	t.Helper()
	dir, random := t.TempDir(), rand.New(rand.NewPCG(1, 2))
	var last result.Document
	var reference []string
	for i := range nights {
		speed := 1.0
		if i >= 20 {
			speed = late
		}
		last = series.Run(firstStart.AddDate(0, 0, i), speed)
		for k := range last.Cases[0].Samples {
			seconds := 1000 / (50_000 * speed) * math.Exp(0.03*random.NormFloat64())
			s := &last.Cases[0].Samples[k]
			s.Classes = append(s.Classes, result.ClassTime{
				Class: "unlink", Objects: 1000, Interval: result.Interval{Max: seconds, Mean: seconds},
			})
		}
		if i < 7 {
			reference = append(reference, last.RunID)
		}
		if err := result.Write(filepath.Join(dir, fmt.Sprintf("%d.json", i)), last); err != nil {
			t.Fatal(err)
		}
	}
	trend, err := history.FindTrend(history.TrendOptions{
		Nightly: true, References: []history.PinnedReference{{
			Time: firstStart.AddDate(0, 0, 8), Author: "alice@login1", Note: "acceptance", Identity: last.Identity,
			Runs: reference,
		}},
	}, dir)
	if err != nil {
		t.Fatal(err)
	}
	return metrics.TrendLastRun{Last: last, Trend: trend}
}

func TestMetricsOfATrend(t *testing.T) {
	j := judged(t, 40)
	r, err := metrics.TrendRegistry(j)
	if err != nil {
		t.Fatal(err)
	}
	list, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	families := map[string]*dto.MetricFamily{}
	for _, f := range list {
		families[strings.TrimPrefix(f.GetName(), "h5perf_trend_")] = f
	}
	near := func(name string, want float64, labels ...string) {
		t.Helper()
		if got := find(t, families[name], labels...).GetGauge().GetValue(); got < 0.95*want || got > 1.05*want {
			t.Errorf("%s%v is %g, want about %g", name, labels, got, want)
		}
	}
	near("last_run_timestamp_seconds", float64(j.Last.Finished.Unix()))
	near("reference_timestamp_seconds", float64(firstStart.AddDate(0, 0, 8).Unix()))
	near("reference_info", 1, "by=alice@login1", "note=acceptance")
	all := []string{"operation=", "cache=", "api="}
	near("group_runs", 40, all...)
	near("group_shift_ratio", 0.8, all...)
	near("group_reference_ratio", 0.8, append(slices.Clone(all), "statistic=ratio")...)
	near("group_reference_ratio", 0.8, append(slices.Clone(all), "statistic=upper")...)
	if at := find(t, families["group_shift_timestamp_seconds"], all...).GetGauge().GetValue(); int64(at) !=
		firstStart.AddDate(0, 0, 20).Unix() {
		t.Errorf("it fell at %v", time.Unix(int64(at), 0).UTC())
	}
	if n := len(families["change_timestamp_seconds"].GetMetric()); n != 1 {
		t.Errorf("%d changes, want one for all series", n)
	}
	change := find(t, families["change_timestamp_seconds"], "kind=lasting", "of=everything", "differs=nothing recorded",
		"document=alpha/scratch-a-b/nightly/20260321T020000Z-0001", "change=-18 %")
	if at := change.GetGauge().GetValue(); int64(at) != firstStart.AddDate(0, 0, 20).Unix() {
		t.Errorf("the change began at %v", time.Unix(int64(at), 0).UTC())
	}
	near("now_ratio", 0.8, "compared=the reference of "+firstStart.AddDate(0, 0, 8).Format(time.DateOnly), "changed=")
	for _, l := range families["now_ratio"].GetMetric()[0].GetLabel() {
		if want := " since 2026-03-21"; l.GetName() == "since" && !strings.HasSuffix(l.GetValue(), want) {
			t.Errorf("since is %q, want ...%s", l.GetValue(), want)
		}
	}
	point := []string{"api=posix", "operation=write", "transfer=16 MiB", "processes=2"}
	near("reference_bytes_per_second", referenceLevel(j.Trend, 7), point...)
	class := []string{"api=posix", "operation=write", "class=unlink"}
	near("class_runs", 40, class...)
	near("class_shift_ratio", 0.8, class...)
	near("class_reference_objects_per_second", 50_000, class...)
	near("class_reference_ratio", 0.8, append(slices.Clone(class), "statistic=ratio")...)
	run := 0
	for _, p := range j.Last.Cases {
		run += len(p.Points())
	}
	for name, want := range map[string]int{
		"runs": run, "reference_bytes_per_second": run, "reference_ratio": 3 * run, "visible_ratio": run,
		"runs_needed": run,
	} {
		f := families[name]
		if len(f.GetMetric()) != want {
			t.Errorf("%s has %d metrics, want %d", name, len(f.GetMetric()), want)
		}
		for _, label := range f.GetMetric()[0].GetLabel() {
			if n := label.GetName(); n != "statistic" && !slices.Contains(figures.LabelNames, n) {
				t.Errorf("%s has the label %s", name, n)
			}
		}
	}
}

// A fall by more than half has a metric in the first night, until it is told as an incident.
func TestTheNewestRunAloneHasAMetric(t *testing.T) {
	for nights, want := range map[int]string{
		20: "[]", 21: "[0.4 only the newest run fell; the next run shows whether that lasts]", 22: "[]",
	} {
		r, err := metrics.TrendRegistry(judgedAt(t, nights, 0.4))
		if err != nil {
			t.Fatal(err)
		}
		list, err := r.Gather()
		if err != nil {
			t.Fatal(err)
		}
		got, since := []string{}, ""
		for _, f := range list {
			for _, m := range f.GetMetric() {
				for _, l := range m.GetLabel() {
					if f.GetName() == "h5perf_trend_now_ratio" && l.GetName() == "since" {
						since = l.GetValue()
					}
				}
				if f.GetName() == "h5perf_trend_newest_run_ratio" {
					got = append(got, fmt.Sprintf("%.1f", m.GetGauge().GetValue()))
				}
			}
		}
		for i := range got {
			got[i] += " " + since
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%d nights: %q and since %q, want %s", nights, got, since, want)
		}
	}
}

func TestMetricsOfIncidents(t *testing.T) {
	j := judged(t, 12)
	incident := func(night int, ratio float64, ongoing bool) history.Incident {
		return history.Incident{
			Change: history.Change{
				Since: firstStart.AddDate(0, 0, night), RunID: "of-the-incident", Index: night, Ratio: ratio,
			},
			Until: firstStart.AddDate(0, 0, night), Runs: 1, Ongoing: ongoing,
		}
	}
	over, now := incident(5, 0.4, false), incident(11, 0.6, true)
	j.Trend.Groups[0].Incidents = []history.Incident{over, now}
	point := &j.Trend.Series[0]
	point.Incidents = []history.Incident{incident(11, 0.5, true)} // that of the group explains it
	j.Trend.Series[1].Incidents = []history.Incident{over}
	r, err := metrics.TrendRegistry(j)
	if err != nil {
		t.Fatal(err)
	}
	list, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	labels := func(m *dto.Metric, names ...string) (words []string) {
		for _, l := range m.GetLabel() {
			if slices.Contains(names, l.GetName()) {
				words = append(words, l.GetValue())
			}
		}
		return words
	}
	got := map[string][]string{}
	for _, f := range list {
		name := strings.TrimPrefix(f.GetName(), "h5perf_trend_")
		for _, m := range f.GetMetric() {
			words := labels(m, "api", "operation", "kind", "of", "change")
			got[name] = append(got[name], fmt.Sprint(words, " ", m.GetGauge().GetValue()))
		}
	}
	seconds := func(night int) float64 { return float64(firstStart.AddDate(0, 0, night).Unix()) }
	series := []string{point.API, string(point.Operation)}
	for name, want := range map[string][]string{
		"incident_ratio":                   {fmt.Sprint(series, " ", 0.5)},
		"incident_timestamp_seconds":       {fmt.Sprint(series, " ", seconds(11))},
		"group_incident_ratio":             {fmt.Sprint([]string{"", ""}, " ", 0.6)},
		"group_incident_timestamp_seconds": {fmt.Sprint([]string{"", ""}, " ", seconds(11))},
		"change_timestamp_seconds": {
			fmt.Sprint([]string{"-40 %", "incident", "everything"}, " ", seconds(11)),
			fmt.Sprint([]string{"-60 %", "incident", "everything"}, " ", seconds(5)),
		},
	} {
		if !slices.Equal(got[name], want) {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
}

func TestOnlyTheLastIncidentsThatAreOverAreExported(t *testing.T) {
	j := judged(t, 12)
	incident := func(night int) history.Incident {
		start := firstStart.AddDate(0, 0, night)
		return history.Incident{
			Change: history.Change{Since: start, RunID: fmt.Sprint(night), Index: night, Ratio: 0.5},
			Until:  start, Runs: 1,
		}
	}
	group, other := &j.Trend.Groups[0], j.Trend.Groups[0]
	group.ChangePoints = []history.ChangePoint{{Change: incident(1).Change}}
	for night := range 30 {
		group.Incidents = append(group.Incidents, incident(10*night))
	}
	group.Incidents[29].Ongoing = true
	j.Trend.Series[0].Incidents = []history.Incident{incident(115), incident(45)}
	almost := j.Trend.Series[0] // it has the same name for people
	almost.BufferBytes++
	j.Trend.Series = append(j.Trend.Series, almost)
	other.Identity.Label, other.Incidents = "other", []history.Incident{incident(285)}
	j.Trend.Groups = append(j.Trend.Groups, other)
	r, err := metrics.TrendRegistry(j)
	if err != nil {
		t.Fatal(err)
	}
	list, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var nights []int
	for _, f := range list {
		if f.GetName() != "h5perf_trend_change_timestamp_seconds" {
			continue
		}
		for _, m := range f.GetMetric() {
			at := time.Unix(int64(m.GetGauge().GetValue()), 0)
			nights = append(nights, int(at.Sub(firstStart).Hours()/24))
		}
	}
	slices.Sort(nights)
	want := []int{1, 110, 115} // the lasting change, an incident of all, and one of two series
	for night := 120; night <= 290; night += 10 {
		want = append(want, night)
	}
	if !slices.Equal(nights, want) {
		t.Errorf("changes of nights %v, want %v", nights, want)
	}
}

// referenceLevel returns the mean throughput of the first runs in one series: 2 processes write 16 MiB with POSIX.
func referenceLevel(t history.Trend, runs int) (mean float64) {
	for _, s := range t.Series {
		if s.Operation == result.OperationWrite && s.API == result.POSIX && s.Processes == 2 &&
			s.BufferBytes == 16<<20 {
			for _, r := range s.Runs[:runs] {
				mean += r.Median / float64(runs)
			}
		}
	}
	return mean
}

func TestAChangeSaysWhatElseDiffers(t *testing.T) {
	j := judged(t, 40)
	long := history.ConditionChange{Name: "mount_options", Old: strings.Repeat("ä", 99), New: strings.Repeat("o", 150)}
	for i := range j.Trend.Groups {
		for k := range j.Trend.Groups[i].ChangePoints {
			j.Trend.Groups[i].ChangePoints[k].Differs = []history.ConditionChange{
				{Name: "kernel", Old: "6.1", New: "6.12"}, long,
			}
		}
	}
	r, err := metrics.TrendRegistry(j)
	if err != nil {
		t.Fatal(err)
	}
	list, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if f.GetName() != "h5perf_trend_change_timestamp_seconds" {
			continue
		}
		for _, l := range f.GetMetric()[0].GetLabel() {
			text := l.GetValue()
			if l.GetName() == "differs" && (!strings.HasPrefix(text, "kernel was 6.1, now 6.12; mount options was ") ||
				!strings.HasSuffix(text, "o…") || len([]rune(text)) != 200) {
				t.Errorf("differs is %q", text)
			}
		}
	}
}

func TestTrendsAreGroupsOfTheirOwn(t *testing.T) {
	url := metricstest.Pushgateway(t)
	g, err := metrics.NewGateway(url, os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	j := judged(t, 12)
	pushed(t, g, j.Last)
	if err := g.PushTrend(context.Background(), j); err != nil {
		t.Fatal(err)
	}
	ends, _, err := g.RunEndTimes(context.Background())
	if err != nil || len(ends) != 1 {
		t.Errorf("groups %v, %v", ends, err)
	}
	text := shown(t, url)
	for _, want := range []string{`h5perf_run_success{`, `part="trend"`, "h5perf_trend_group_runs{"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q on the gateway", want)
		}
	}
	if err := g.Delete(context.Background(), metrics.GroupingKey{Identity: j.Last.Identity}); err != nil {
		t.Fatal(err)
	}
	metricstest.Eventually(t, "the gateway is empty", func() bool {
		return !strings.Contains(shown(t, url), "h5perf_trend_group_runs")
	})
}

func TestTextfileOfTrends(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trend.prom")
	a := judged(t, 12)
	b := a
	b.Last.Identity.Label = "other" // the trend has no series with this label
	if err := metrics.WriteTrendTextfile(path, false, []metrics.TrendLastRun{a, b}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\nh5perf_trend_last_run_timestamp_seconds{"); n != 2 {
		t.Errorf("%d groups", n)
	}
	if n := strings.Count(string(text), "\nh5perf_trend_group_runs{"); n == 0 || strings.Contains(string(text),
		`h5perf_trend_runs{label="other"`) {
		t.Errorf("%d metrics of groups\n%s", n, text)
	}
}
