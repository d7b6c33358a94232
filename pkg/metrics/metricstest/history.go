package metricstest

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"h5perf/pkg/metrics"
	"h5perf/pkg/result"
)

// scrape is the interval of the scrapes that Backfill simulates.
const scrape = time.Hour

// Backfill makes blocks of Prometheus' database in a directory. They hold what Prometheus would hold if each document
// had been pushed at the end of its run, and the gateway had been scraped every full hour until a time.
func Backfill(t *testing.T, data string, documents []result.Document, until time.Time) {
	t.Helper()
	families := map[string]*dto.MetricFamily{}
	var names []string
	for i, doc := range documents {
		r, err := metrics.Registry(doc)
		if err != nil {
			t.Fatal(err)
		}
		gathered, err := r.Gather()
		if err != nil {
			t.Fatal(err)
		}
		end := until
		for _, later := range documents[i+1:] {
			if later.Identity == doc.Identity {
				end = *later.Finished
				break
			}
		}
		for _, f := range gathered {
			all, found := families[f.GetName()]
			if !found {
				all = &dto.MetricFamily{Name: f.Name, Help: f.Help, Type: f.Type}
				families[f.GetName()], names = all, append(names, f.GetName())
			}
			for _, m := range f.GetMetric() {
				for at := doc.Finished.Truncate(scrape).Add(scrape); at.Before(end); at = at.Add(scrape) {
					all.Metric = append(all.Metric, scraped(m, doc.Identity, at))
				}
			}
		}
	}
	var list []*dto.MetricFamily
	for _, name := range names {
		list = append(list, families[name])
	}
	block(t, data, list)
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
func scraped(m *dto.Metric, group result.Identity, at time.Time) *dto.Metric {
	labels := append([]*dto.LabelPair{}, m.GetLabel()...)
	for _, l := range [][2]string{
		{"job", metrics.Job}, {"cluster", group.Cluster}, {"filesystem", group.Filesystem}, {"label", group.Label},
	} {
		labels = append(labels, &dto.LabelPair{Name: &l[0], Value: &l[1]})
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
