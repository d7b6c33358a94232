package figures_test

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/metrics"
	"h5perf/pkg/page"
	"h5perf/pkg/report"
	"h5perf/pkg/stats"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// spoken holds what is shown of the points of a workload, by the names of points and columns.
type spoken map[string]string

// add adds the cells of a row that begins with processes, API and operation. Cells that show nothing are left out.
func (s spoken) add(heading, cells []string) {
	for i := 3; i < min(len(heading), len(cells)); i++ {
		if cells[i] != "" && cells[i] != "-" && cells[i] != "–" {
			s[strings.Join(append(cells[:3:3], heading[i]), " ")] = cells[i]
		}
	}
}

// only returns what is shown in some columns.
func (s spoken) only(columns ...string) spoken {
	kept := spoken{}
	for at, text := range s {
		for _, c := range columns {
			if strings.HasSuffix(at, " "+c) {
				kept[at] = text
			}
		}
	}
	return kept
}

// The columns of figures, and those of classes.
var (
	rated   = []string{"throughput", stats.Interval, "samples"}
	figured = append([]string{"transfer rate", "metadata", figures.SlowestHeading}, rated...)
	classed = func() (names []string) {
		for class := range workload.Classes {
			names = append(names, class.String())
		}
		return names
	}()
)

// workloadByTable reads the tables of text.
func workloadByTable(t *testing.T, r figures.Run) spoken {
	t.Helper()
	var text bytes.Buffer
	if err := report.WriteTables(&text, []figures.Run{r}); err != nil {
		t.Fatal(err)
	}
	out, gaps := spoken{}, regexp.MustCompile(` {2,}`)
	var heading []string
	for line := range strings.Lines(text.String()) {
		cells := gaps.Split(strings.TrimRight(line, "\n"), -1)
		switch {
		case cells[0] == "processes":
			heading = cells
		case cells[0] == "":
			heading = nil
		case heading != nil && heading[1] == "API" && len(cells) > 3: // a failure has fewer cells
			out.add(heading, cells)
		}
	}
	return out
}

// workloadByPage reads the tables of the page.
func workloadByPage(t *testing.T, r figures.Run) spoken {
	t.Helper()
	var text bytes.Buffer
	if err := page.Write(&text, []figures.Run{r}, history.Trend{}); err != nil {
		t.Fatal(err)
	}
	out := spoken{}
	cell := regexp.MustCompile(`<t([hd])[^>]*>(?:<b>)?([^<]*)(?:</b>)?</t[hd]>`)
	for _, label := range []string{"Throughput", "Where the time goes"} {
		_, after, _ := strings.Cut(text.String(), `aria-label="`+label+`"`)
		content, _, _ := strings.Cut(after, "</tbody>")
		var heading []string
		for row := range strings.SplitSeq(content, "<tr>") {
			var cells []string
			names := false
			for _, m := range cell.FindAllStringSubmatch(row, -1) {
				names = m[1] == "h"
				cells = append(cells, html.UnescapeString(m[2]))
			}
			if names {
				heading = cells
				for i, name := range heading {
					heading[i] = cmp.Or(map[string]string{
						"Median": "throughput", "Samples": "samples",
					}[name], name)
				}
			} else if len(cells) > 3 {
				out.add(heading, cells)
			}
		}
	}
	return out
}

// workloadByCSV computes the figures from the samples in the CSV.
func workloadByCSV(t *testing.T, r figures.Run) spoken {
	t.Helper()
	var text bytes.Buffer
	if err := report.WriteCSV(&text, []figures.Run{r}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	samples := map[string]map[string][]float64{}
	for _, row := range rows[1:] {
		cells := map[string]string{}
		for i, name := range rows[0] {
			cells[name] = row[i]
		}
		at := strings.Join([]string{cells["processes"], label(cells["api"]), cells["operation"]}, " ")
		if samples[at] == nil {
			samples[at] = map[string][]float64{}
		}
		for name, text := range cells {
			if x, err := strconv.ParseFloat(text, 64); err == nil {
				samples[at][name] = append(samples[at][name], x)
			}
		}
	}
	out := spoken{}
	for at, columns := range samples {
		e := stats.Median(columns["throughput_bytes_per_second"], stats.Level)
		v := figures.Value{Median: e.Median, Low: e.Min, High: e.Max, N: e.N}
		if e.Finite() {
			v.Low, v.High, v.Interval = e.Low, e.High, true
		}
		out.rate(at, v)
		for _, class := range classed {
			all := columns["class_"+strings.ReplaceAll(class, " ", "_")+"_seconds"]
			if m := stats.Median(all, stats.Level).Median; len(all) > 0 && m > 0 {
				out[at+" "+class] = units.FormatSeconds(m)
			}
		}
	}
	return out
}

// rate adds a rate.
func (s spoken) rate(at string, v figures.Value) {
	s[at+" throughput"], s[at+" "+stats.Interval] = units.FormatRate(v.Median), v.Range(units.FormatRate)
	s[at+" samples"] = strconv.Itoa(v.N)
}

// workloadByMetrics reads the metrics.
func workloadByMetrics(t *testing.T, r figures.Run) spoken {
	t.Helper()
	registry, err := metrics.Registry(r.Document, false)
	if err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out, rates := spoken{}, map[string]*figures.Value{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			if labels["operation"] == "" {
				continue
			}
			if labels["workload"] != r.Parameters.Workload.Name || labels["transfer_bytes"] != "" {
				t.Errorf("%s of the workload %q, transfers of %q", f.GetName(), labels["workload"],
					labels["transfer_bytes"])
			}
			at := strings.Join([]string{labels["processes"], label(labels["api"]), labels["operation"]}, " ")
			x := m.GetGauge().GetValue()
			if rates[at] == nil {
				rates[at] = &figures.Value{}
			}
			switch v := rates[at]; f.GetName() {
			case "h5perf_throughput_bytes_per_second":
				*map[string]*float64{
					"median": &v.Median, "lower": &v.Low, "upper": &v.High, "min": &v.Min, "max": &v.Max,
				}[labels["statistic"]] = x
				v.Interval = v.Interval || labels["statistic"] == "lower"
			case "h5perf_samples":
				v.N = int(x)
			case "h5perf_class_duration_seconds":
				out[at+" "+labels["class"]] = units.FormatSeconds(x)
			}
		}
	}
	for at, v := range rates {
		if !v.Interval {
			v.Low, v.High = v.Min, v.Max
		}
		if v.N > 0 {
			out.rate(at, *v)
		}
	}
	return out
}

// workloadByExport reads the export.
func workloadByExport(t *testing.T, r figures.Run) spoken {
	t.Helper()
	out := spoken{}
	for _, o := range objects(t, r) {
		at := strings.Join([]string{fmt.Sprint(o["processes"]), label(o["api"].(string)), o["operation"].(string)}, " ")
		if v := exported(o, "throughput", "_bytes_per_second"); v.N > 0 {
			out.rate(at, v)
		}
		if rate, ok := o["transfer_throughput_bytes_per_second"].(float64); ok {
			out[at+" transfer rate"] = units.FormatRate(rate)
		}
		out[at+" metadata"] = fmt.Sprintf("%.3g %%", 100*o["metadata_ratio"].(float64))
		for _, class := range classed {
			seconds, ok := o["class_"+strings.ReplaceAll(class, " ", "_")+"_seconds"].(float64)
			if ok {
				out[at+" "+class] = units.FormatSeconds(seconds)
			}
		}
	}
	return out
}

func TestPageTableCSVExportsAndMetricsAgreeOnWorkloads(t *testing.T) {
	uneven := figurestest.Workload()
	for i := range uneven.Cases {
		c := &uneven.Cases[i]
		c.Samples = c.Samples[:4*2]
		for k := range c.Samples { // ranks that are slowest, and by how much, differ
			s := &c.Samples[k]
			s.Access.MaxRank, s.Access.Mean = k%3, s.Access.Mean/(1+float64(i*k%5)/10)
			transfer := s.Time(workload.Transfer)
			transfer.Max *= 1 - float64(k%4)/20
			figurestest.SetTime(s, workload.Transfer, transfer)
		}
	}
	for name, r := range map[string]figures.Run{
		"workload": figurestest.Workload(), "uneven": uneven,
	} {
		t.Run(name, func(t *testing.T) {
			want, points := workloadByTable(t, r), 0
			for _, p := range r.Points() {
				if len(p.Samples) > 0 {
					points++
				}
			}
			if n := len(want.only(figured...)); n != points*len(figured) || len(want.only(classed...)) < 4*points {
				t.Fatalf("the table shows %d figures of %d points:\n%v", n, points, want)
			}
			for _, other := range []struct {
				name    string
				shown   spoken
				columns []string
			}{
				{"page", workloadByPage(t, r), figured},
				{"CSV", workloadByCSV(t, r), rated},
				{"export", workloadByExport(t, r), append([]string{"transfer rate", "metadata"}, rated...)},
				{"metrics", workloadByMetrics(t, r), rated},
			} {
				columns := append(slices.Clip(other.columns), classed...)
				if d := gocmp.Diff(want.only(columns...), other.shown.only(columns...)); d != "" {
					t.Errorf("(-table +%s)\n%s", other.name, d)
				}
			}
		})
	}
}
