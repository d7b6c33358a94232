package metricstest

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"h5perf/pkg/history"
	"h5perf/pkg/metrics"
	"h5perf/pkg/result"
)

// scrape is the interval of the scrapes that Backfill simulates.
const scrape = time.Hour

// Backfill makes blocks of Prometheus' database in a directory. They hold what Prometheus would hold if each document
// had been pushed at the end of its run, with a nightly trend over the documents of its identity so far, and the
// gateway had been scraped every full hour until a time. A reference holds from its time on.
func Backfill(t *testing.T, data string, documents []result.Document, references []history.PinnedReference,
	until time.Time,
) {
	t.Helper()
	all := collected{families: map[string]*dto.MetricFamily{}}
	trees := map[result.Identity]string{}
	for i, doc := range documents {
		end := until
		for _, later := range documents[i+1:] {
			if later.Identity == doc.Identity {
				end = *later.Finished
				break
			}
		}
		r, err := metrics.Registry(doc, false)
		if err != nil {
			t.Fatal(err)
		}
		all.add(t, r, "", doc, end)
		if trees[doc.Identity] == "" {
			trees[doc.Identity] = t.TempDir()
		}
		judged := doc // a trend reads all documents each night, and no latencies
		judged.Cases = slices.Clone(doc.Cases)
		for k := range judged.Cases {
			judged.Cases[k].Latencies = nil
		}
		if err := result.Write(filepath.Join(trees[doc.Identity], strconv.Itoa(i)+".json"), judged); err != nil {
			t.Fatal(err)
		}
		if doc.State != result.Complete {
			continue
		}
		set := slices.DeleteFunc(slices.Clone(references), func(p history.PinnedReference) bool {
			return p.Time.After(*doc.Finished)
		})
		trend, err := history.FindTrend(history.TrendOptions{Nightly: true, References: history.CurrentReferences(set)},
			trees[doc.Identity])
		if err == nil {
			r, err = metrics.TrendRegistry(metrics.TrendLastRun{Last: doc, Trend: trend})
		}
		if err != nil {
			t.Fatal(err)
		}
		all.add(t, r, metrics.TrendPart, doc, end)
	}
	var list []*dto.MetricFamily
	for _, name := range all.names {
		list = append(list, all.families[name])
	}
	block(t, data, list)
}

// collected holds families whose metrics have times.
type collected struct {
	families map[string]*dto.MetricFamily
	names    []string
}

// add adds what a registry holds, as a part of the group, as scraped from the end of a run until a time.
func (c *collected) add(t *testing.T, r prometheus.Gatherer, part string, doc result.Document, until time.Time) {
	t.Helper()
	gathered, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range gathered {
		all, found := c.families[f.GetName()]
		if !found {
			all = &dto.MetricFamily{Name: f.Name, Help: f.Help, Type: f.Type}
			c.families[f.GetName()], c.names = all, append(c.names, f.GetName())
		}
		for _, m := range f.GetMetric() {
			for at := doc.Finished.Truncate(scrape).Add(scrape); at.Before(until); at = at.Add(scrape) {
				all.Metric = append(all.Metric, scraped(m, part, doc.Identity, at))
			}
		}
	}
}

// block makes a block of the database from families whose metrics have times.
func block(t *testing.T, data string, families []*dto.MetricFamily) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "history.om")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	text := bufio.NewWriter(file)
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToOpenMetrics(text, f); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := expfmt.FinalizeOpenMetrics(text); err != nil {
		t.Fatal(err)
	}
	if err := text.Flush(); err != nil {
		t.Fatal(err)
	}
	Promtool(t, "", "tsdb", "create-blocks-from", "--max-block-duration=10000h", "openmetrics", path, data)
}

// scraped returns a metric as scraped at a time, with the labels that the gateway adds.
func scraped(m *dto.Metric, part string, group result.Identity, at time.Time) *dto.Metric {
	labels := append([]*dto.LabelPair{}, m.GetLabel()...)
	for _, l := range [][2]string{
		{"job", metrics.Job},
		{"part", part},
		{"cluster", group.Cluster},
		{"filesystem", group.Filesystem},
		{"label", group.Label},
	} {
		if l[1] != "" {
			labels = append(labels, &dto.LabelPair{Name: &l[0], Value: &l[1]})
		}
	}
	ms := at.UnixMilli()
	return &dto.Metric{Label: labels, Gauge: m.Gauge, Histogram: m.Histogram, TimestampMs: &ms}
}

// BackfillRules adds what the recording rules of a file would have recorded if they had been evaluated at every
// scrape. A rule may use what an earlier one records.
func BackfillRules(t *testing.T, data, rules string, from, until time.Time) {
	t.Helper()
	absolute, err := filepath.Abs(rules)
	if err != nil {
		t.Fatal(err)
	}
	for i, rule := range recordings(t, absolute) {
		t.Run("backfill "+rule.Name, func(t *testing.T) {
			gauge := dto.MetricType_GAUGE
			family := &dto.MetricFamily{Name: &rule.Name, Type: &gauge}
			for _, series := range Range(t, Prometheus(t, "global: {}", data), rule.Query, from, until, scrape) {
				var labels []*dto.LabelPair
				for name, value := range series.Metric {
					if name != "__name__" {
						labels = append(labels, &dto.LabelPair{Name: &name, Value: &value})
					}
				}
				for _, v := range series.Values {
					number, err := strconv.ParseFloat(v.Text, 64)
					if err != nil {
						t.Fatal(err)
					}
					ms := int64(v.Seconds * 1000)
					family.Metric = append(family.Metric, &dto.Metric{
						Label: labels, Gauge: &dto.Gauge{Value: &number}, TimestampMs: &ms,
					})
				}
			}
			block(t, data, []*dto.MetricFamily{family})
		})
		if t.Failed() {
			t.Fatalf("recording rule %d", i)
		}
	}
}

// recording is a recording rule.
type recording struct{ Name, Query, Type string }

// recordings returns the recording rules of a file, as Prometheus reads them.
func recordings(t *testing.T, rules string) (all []recording) {
	t.Helper()
	t.Run("read rules", func(t *testing.T) {
		resp, err := http.Get(Prometheus(t, "rule_files: ['"+rules+"']", t.TempDir()) + "/api/v1/rules?type=record")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		var answer struct {
			Data struct{ Groups []struct{ Rules []recording } }
		}
		if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
			t.Fatal(err)
		}
		for _, g := range answer.Data.Groups {
			all = append(all, g.Rules...)
		}
	})
	return all
}
