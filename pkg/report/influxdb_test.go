//go:build monitoring

package report

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/test/metricstest"
)

// answer returns the body of an answer of a server.
func answer(t *testing.T, resp *http.Response, err error) []byte {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode/100 != 2 {
		t.Fatalf("%v, %s: %s", err, resp.Status, body)
	}
	return body
}

// rows returns all rows of a measurement, with the names and values of what each has, as texts.
func rows(t *testing.T, server, measurement string) (all []map[string]string) {
	t.Helper()
	resp, err := http.PostForm(server+"/query", url.Values{
		"db": {"h5perf"}, "epoch": {"ns"}, "q": {`SELECT * FROM "` + measurement + `"`},
	})
	var said struct {
		Results []struct {
			Error  string
			Series []struct {
				Columns []string
				Values  [][]any
			}
		}
	}
	d := json.NewDecoder(strings.NewReader(string(answer(t, resp, err))))
	d.UseNumber()
	if err := d.Decode(&said); err != nil {
		t.Fatal(err)
	}
	for _, r := range said.Results {
		if r.Error != "" {
			t.Fatal(r.Error)
		}
		for _, s := range r.Series {
			for _, values := range s.Values {
				row := map[string]string{}
				for i, value := range values {
					if value != nil {
						row[s.Columns[i]] = plainly(value)
					}
				}
				all = append(all, row)
			}
		}
	}
	return all
}

// plainly returns a value of an answer or of a line as text. A number without a fraction is written as an integer.
func plainly(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return strconv.FormatInt(n, 10)
		}
		x, _ := v.Float64()
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return "?"
}

// TestInfluxDBHoldsWhatIsExported writes runs to a real InfluxDB and reads all of it back: a run with two points, the
// same a nanosecond later with names that need every escape, one that failed, and one of a workload.
func TestInfluxDBHoldsWhatIsExported(t *testing.T) {
	short := func(started time.Time, identity result.Identity) figures.Run {
		r := figurestest.Serial()
		r.Started, r.Identity, r.Cases = started, identity, r.Cases[:1]
		return r
	}
	start := time.Date(2026, 3, 2, 12, 0, 0, 123456789, time.UTC)
	failed := figurestest.Failed()
	failed.Errors = []result.Error{{Message: "no \"space\", a=b \\ left\nin a\\", Host: "n1"}}
	failed.Cases = nil
	runs := []figures.Run{
		short(start, result.Identity{Cluster: "c1", Filesystem: "/scratch", Label: "nightly"}),
		short(start.Add(1), result.Identity{
			Cluster: `a b,c=d"e'`, Filesystem: `C:\data\`, Label: "zwei\nZeilen, größer = \x1b[31m \\",
		}),
		short(start.Add(2), result.Identity{Cluster: "c1", Filesystem: `\ x`, Label: "\n"}),
		failed, figurestest.Workload(),
	}
	text := exported(t, WriteInflux, false, runs...)

	server := metricstest.InfluxDB(t)
	resp, err := http.PostForm(server+"/query", url.Values{"q": {"CREATE DATABASE h5perf"}})
	answer(t, resp, err)
	for range 2 { // what is written again replaces what is there
		resp, err = http.Post(server+"/write?db=h5perf", "text/plain", strings.NewReader(text))
		answer(t, resp, err)
	}

	want, points := map[string][]map[string]string{}, 0
	for _, l := range parse(t, text) {
		row := map[string]string{"time": strconv.FormatInt(l.Time, 10)}
		maps.Copy(row, l.Tags)
		for key, value := range l.Fields {
			row[key] = plainly(value)
		}
		want[l.Measurement] = append(want[l.Measurement], row)
	}
	for _, r := range runs[:3] {
		points += len(r.Points())
	}
	if points != 3*2 || len(want[runMeasurement]) != len(runs) {
		t.Fatalf("%d points of three runs with two, %d runs", points, len(want[runMeasurement]))
	}
	for _, measurement := range []string{runMeasurement, pointMeasurement} {
		got := rows(t, server, measurement)
		for _, list := range [][]map[string]string{got, want[measurement]} {
			slices.SortFunc(list, func(a, b map[string]string) int {
				key := func(row map[string]string) string {
					return row["time"] + " " + row["api"] + " " + row["operation"]
				}
				return strings.Compare(key(a), key(b))
			})
		}
		if d := cmp.Diff(want[measurement], got); d != "" {
			t.Errorf("%s (-exported +read)\n%s", measurement, d)
		}
	}
}
