package figures_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/metrics"
	"h5perf/pkg/page"
	"h5perf/pkg/report"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/units"
)

// told holds what a text, a page or metrics show of each point of a document.
type told struct {
	Rates     map[string]string // median and interval
	Marks     map[string]string
	Others    map[string]string // other statistics, by point and heading
	Ratios    map[string]string // by point and names of the layers
	Intervals map[string]string // of ratios
}

func newTold() told {
	return told{
		Rates: map[string]string{}, Marks: map[string]string{}, Others: map[string]string{},
		Ratios: map[string]string{}, Intervals: map[string]string{},
	}
}

func pointName(processes, size, api, operation string) string {
	return strings.Join([]string{processes, size, api, operation}, " ")
}

// once returns the marks that a run tells of once, in the table or the page, where it tells of marks.
func once(r figures.Run) (marks []string) {
	for _, w := range texts(r) {
		const of = `are marked (\w+)\. .* only where some samples do not have it`
		if m := regexp.MustCompile(of).FindStringSubmatch(w); m != nil {
			marks = append(marks, m[1])
		}
	}
	return marks
}

// without returns marks in words by points, without those that a run tells of once.
func without(once []string, marks map[string]string) map[string]string {
	out := map[string]string{}
	for at, words := range marks {
		out[at] = strings.Join(slices.DeleteFunc(strings.Split(words, ", "), func(word string) bool {
			return slices.Contains(once, word)
		}), ", ")
	}
	return out
}

// byTable reads the tables of text.
func byTable(t *testing.T, r figures.Run) told {
	t.Helper()
	var text bytes.Buffer
	if err := report.WriteTables(&text, []figures.Run{r}); err != nil {
		t.Fatal(err)
	}
	gaps := regexp.MustCompile(` {2,}`)
	out := newTold()
	var heading []string
	for line := range strings.Lines(text.String()) {
		cells := gaps.Split(strings.TrimRight(line, "\n"), -1)
		if cells[0] == "processes" {
			heading = cells
			continue
		}
		if _, err := strconv.Atoi(cells[0]); err != nil || heading == nil {
			heading = nil
			continue
		}
		at := pointName(cells[0], cells[1], cells[2], cells[3])
		switch heading[4] {
		case "throughput":
			out.Rates[at] = cells[4] + ", " + cells[5] + ", " + cells[6]
			out.Marks[at] = strings.Join(cells[7:], "")
		case "ratio":
			out.Ratios[at], out.Intervals[at] = cells[4], cells[5]+", "+cells[6]
		case "visible":
			for i, name := range heading[4:] {
				if text := cells[4+i]; text != "-" && name != figures.SlowestHeading {
					out.Others[at+" "+name] = text
				}
			}
		}
	}
	return out
}

// byPage reads the tables of the page.
func byPage(t *testing.T, r figures.Run) told {
	t.Helper()
	var text bytes.Buffer
	if err := page.Write(&text, []figures.Run{r}, history.Trend{}); err != nil {
		t.Fatal(err)
	}
	cell := regexp.MustCompile(`<td[^>]*>(?:<b>)?([^<]*)(?:</b>)?</td>`)
	rows := func(label string) (all [][]string) {
		_, after, _ := strings.Cut(text.String(), `aria-label="`+label+`"`)
		content, _, _ := strings.Cut(after, "</tbody>")
		for row := range strings.SplitSeq(content, "<tr>") {
			var cells []string
			for _, m := range cell.FindAllStringSubmatch(row, -1) {
				cells = append(cells, html.UnescapeString(m[1]))
			}
			if cells != nil {
				all = append(all, cells)
			}
		}
		return all
	}
	out := newTold()
	for _, c := range rows("Throughput") {
		at := pointName(c[0], c[1], c[2], c[3])
		out.Rates[at], out.Marks[at] = c[4]+", "+c[5]+", "+c[6], c[7]
	}
	for _, c := range rows("What layers cost") {
		at := pointName(c[0], c[1], c[2], c[3])
		out.Ratios[at], out.Intervals[at] = c[4], c[5]+", "+c[6]
	}
	for _, c := range rows("Where the time goes") {
		at := pointName(c[0], c[1], c[2], c[3])
		for i, r := range figures.RowsOf(r.Points()) {
			if text := c[4+i]; text != "–" && r.Heading != figures.SlowestHeading {
				out.Others[at+" "+r.Heading] = text
			}
		}
	}
	return out
}

// marksOf returns in words how many of n samples have each mark.
func marksOf(n int, counts map[string]int) string {
	var words []string
	for _, m := range result.All[result.Mark]() {
		switch counts[string(m)] {
		case 0:
		case n:
			words = append(words, string(m))
		default:
			words = append(words, fmt.Sprintf("%s %d of %d", m, counts[string(m)], n))
		}
	}
	return strings.Join(words, ", ")
}

// rateOf formats a throughput.
func rateOf(v figures.Value) string {
	return fmt.Sprintf("%s, %s, %d", units.FormatRate(v.Median), v.Range(units.FormatRate), v.N)
}

// label returns the label of an API.
func label(api string) string { return result.APIOf(api).Label }

// byMetrics reads the metrics.
func byMetrics(t *testing.T, r figures.Run) told {
	t.Helper()
	registry, err := metrics.Registry(r.Document, false)
	if err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	out := newTold()
	rates, marks := map[string]*figures.Value{}, map[string]map[string]int{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			size, _ := strconv.ParseFloat(labels["transfer_bytes"], 64)
			at := pointName(labels["processes"], units.FormatBytes(size), label(labels["api"]), labels["operation"])
			addMetric(f.GetName(), at, labels, m, rates, marks, out)
		}
	}
	for at, v := range rates {
		if !v.Interval {
			v.Low, v.High = v.Min, v.Max
		}
		out.Rates[at], out.Marks[at] = rateOf(*v), marksOf(v.N, marks[at])
	}
	return out
}

func addMetric(family, at string, labels map[string]string, m *dto.Metric, rates map[string]*figures.Value,
	marks map[string]map[string]int, out told,
) {
	x := m.GetGauge().GetValue()
	if rates[at] == nil && labels["operation"] != "" {
		rates[at], marks[at] = &figures.Value{}, map[string]int{}
	}
	switch strings.TrimPrefix(family, "h5perf_") {
	case "throughput_bytes_per_second":
		v := rates[at]
		*map[string]*float64{
			"median": &v.Median, "lower": &v.Low, "upper": &v.High, "min": &v.Min, "max": &v.Max,
		}[labels["statistic"]] = x
		v.Interval = v.Interval || labels["statistic"] == "lower"
	case "samples":
		rates[at].N = int(x)
	case "marked_samples":
		marks[at][labels["mark"]] = int(x)
	case "class_duration_seconds":
		out.Others[at+" "+labels["class"]] = units.FormatSeconds(x)
	case "layer_efficiency_ratio":
		names := label(labels["api"]) + " : " + label(labels["over"])
		out.Ratios[strings.Replace(at, label(labels["api"]), names, 1)] = figures.FormatRatio(x)
	}
	for _, r := range others() {
		if family == "h5perf_"+r.Key() {
			out.Others[at+" "+r.Heading] = r.Unit.Format(x)
		}
	}
}

// others returns the rows but throughput, and but what is more than a number in tables.
func others() []figures.Row {
	return slices.DeleteFunc(slices.Clone(figures.Rows[1:]), func(r figures.Row) bool {
		return r.Heading == figures.SlowestHeading
	})
}

// objects returns the points of the export as JSON, by their names.
func objects(t *testing.T, r figures.Run) map[string]map[string]any {
	t.Helper()
	var text bytes.Buffer
	if err := report.WriteNDJSON(&text, []figures.Run{r}, false); err != nil {
		t.Fatal(err)
	}
	points := map[string]map[string]any{}
	for line := range bytes.Lines(text.Bytes()) {
		var o map[string]any
		if err := json.Unmarshal(line, &o); err != nil {
			t.Fatal(err)
		}
		if o["measurement"] == "h5perf" {
			size, _ := o["transfer_bytes"].(float64)
			at := pointName(fmt.Sprint(o["processes"]), units.FormatBytes(size), label(o["api"].(string)),
				o["operation"].(string))
			points[at] = o
		}
	}
	return points
}

// exported returns a value of an object of the export: its median, and its interval or else its extremes.
func exported(o map[string]any, head, unit string) figures.Value {
	of := func(statistic string) float64 {
		x, _ := o[head+"_"+statistic+unit].(float64)
		return x
	}
	v := figures.Value{Median: of("median"), Low: of("lower"), High: of("upper"), Interval: true}
	if v.Low == 0 {
		v.Low, v.High, v.Interval = of("min"), of("max"), false
	}
	if samples, ok := o["samples"].(float64); ok {
		v.N = int(samples)
	}
	return v
}

// byExport reads the export.
func byExport(t *testing.T, r figures.Run) told {
	t.Helper()
	const unit = "_bytes_per_second"
	out := newTold()
	for at, o := range objects(t, r) {
		out.Rates[at] = rateOf(exported(o, "throughput", unit))
		counts := map[string]int{}
		for _, m := range result.All[result.Mark]() {
			counts[string(m)] = int(o[string(m)+"_samples"].(float64))
		}
		out.Marks[at] = marksOf(int(o["samples"].(float64)), counts)
		for _, r := range others() {
			if x, ok := o[r.Key()].(float64); ok {
				out.Others[at+" "+r.Heading] = r.Unit.Format(x)
			}
		}
		if lower, ok := o["layer_below"].(string); ok {
			own := label(o["api"].(string))
			name := strings.Replace(at, own, own+" : "+label(lower), 1)
			v := exported(o, "layer", "_ratio")
			out.Ratios[name] = figures.FormatRatio(v.Median)
			samples := fmt.Sprint(o["layer_samples"])
			if o["layer_paired"] == true {
				samples += " pairs"
			}
			out.Intervals[name] = v.Range(figures.FormatRatio) + ", " + samples
		}
	}
	return out
}

// byCSV computes the figures from the samples in the CSV. Layers are compared as in the other ratios.
func byCSV(t *testing.T, r figures.Run, ratios map[string]string) told {
	t.Helper()
	var text bytes.Buffer
	if err := report.WriteCSV(&text, []figures.Run{r}); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	samples := map[string][]map[string]string{}
	for _, row := range rows[1:] {
		cells := map[string]string{}
		for i, name := range rows[0] {
			cells[name] = row[i]
		}
		size, _ := strconv.ParseFloat(cells["transfer_bytes"], 64)
		at := pointName(cells["processes"], units.FormatBytes(size), label(cells["api"]), cells["operation"])
		samples[at] = append(samples[at], cells)
	}
	column := func(at, name string) (all []float64) {
		for _, cells := range samples[at] {
			x, err := strconv.ParseFloat(cells[name], 64)
			if err != nil {
				return nil
			}
			all = append(all, x)
		}
		return all
	}
	const throughput = "throughput_bytes_per_second"
	median := func(all []float64) float64 { return stats.Median(all, stats.Level).Median }
	out := newTold()
	for at, list := range samples {
		e, counts := stats.Median(column(at, throughput), stats.Level), map[string]int{}
		v := figures.Value{Median: e.Median, Low: e.Min, High: e.Max, N: e.N}
		if e.Finite() {
			v.Low, v.High, v.Interval = e.Low, e.High, true
		}
		for _, cells := range list {
			for m := range strings.FieldsSeq(cells["marks"]) {
				counts[m]++
			}
		}
		out.Rates[at], out.Marks[at] = rateOf(v), marksOf(e.N, counts)
		for _, r := range others() {
			if all := column(at, r.Key()); all != nil {
				out.Others[at+" "+r.Heading] = r.Unit.Format(median(all))
			}
		}
	}
	names := regexp.MustCompile(`([^ ]+ [^ ]+ [A-Za-z]+) (.*) : (.*) (write|read)$`)
	for at := range ratios {
		m := names.FindStringSubmatch(at)
		upper, lower := column(m[1]+" "+m[2]+" "+m[4], throughput), column(m[1]+" "+m[3]+" "+m[4], throughput)
		ratio := median(upper) / median(lower)
		if r.Parameters.Conditions.Order == "random" {
			for i := range upper {
				upper[i] /= lower[i]
			}
			ratio = median(upper)
		}
		out.Ratios[at] = figures.FormatRatio(ratio)
	}
	return out
}

// agreeing returns documents whose figures must be the same everywhere.
func agreeing() map[string]figures.Run {
	few, turns := figurestest.Sweep(), figurestest.Sweep()
	for i := range few.Cases {
		c := &few.Cases[i]
		c.Samples = slices.DeleteFunc(c.Samples, func(s result.Sample) bool { return s.Iteration > 3+i%4 })
		c.Samples[0].Marks = append(c.Samples[0].Marks, result.Short, result.Implausible, result.Skewed)
		c.Samples[1].Marks = append(c.Samples[1].Marks, result.Staggered)
	}
	turns.Parameters.Conditions.Order = "random"
	for i := range turns.Cases { // no two ratios of an iteration are the same
		for k := range turns.Cases[i].Samples {
			s := &turns.Cases[i].Samples[k]
			slower := 1 + float64((i+1)*k*k%7)/3
			s.Access.Window *= slower
			if s.Durable != nil {
				s.Durable = &result.Interval{Window: s.Durable.Window * slower, Max: s.Durable.Max}
			}
		}
	}
	skipping := figurestest.Sweep()
	skipping.Cases = slices.DeleteFunc(skipping.Cases, func(c result.Case) bool { return c.API == result.MPIIO })
	return map[string]figures.Run{
		"sweep": figurestest.Sweep(), "serial": figurestest.Serial(),
		"few samples": few, "in turns": turns, "without a layer": skipping,
	}
}

func TestPageTableCSVExportsAndMetricsAgree(t *testing.T) {
	for name, r := range agreeing() {
		t.Run(name, func(t *testing.T) {
			points, layers := len(r.Points()), len(r.Layers())
			want := byTable(t, r)
			if len(want.Rates) != points || len(want.Ratios) != layers || len(want.Intervals) != layers ||
				len(want.Others) < 6*points {
				t.Fatalf("the table tells of %d points, %d ratios and %d others; there are %d points and %d ratios",
					len(want.Rates), len(want.Ratios), len(want.Others), points, layers)
			}
			for other, shown := range map[string]told{
				"page": byPage(t, r), "CSV": byCSV(t, r, want.Ratios), "export": byExport(t, r),
				"metrics": byMetrics(t, r),
			} {
				for what, both := range map[string][2]map[string]string{
					"throughputs": {want.Rates, shown.Rates},
					"marks":       {want.Marks, without(once(r), shown.Marks)},
					"ratios":      {want.Ratios, shown.Ratios},
					"others":      {want.Others, shown.Others},
				} {
					if d := cmp.Diff(both[0], both[1]); d != "" {
						t.Errorf("%s (-table, +%s)\n%s", what, other, d)
					}
				}
				if d := cmp.Diff(want.Intervals, shown.Intervals); len(shown.Intervals) > 0 && d != "" {
					t.Errorf("intervals of ratios (-table +%s)\n%s", other, d)
				}
			}
		})
	}
}
