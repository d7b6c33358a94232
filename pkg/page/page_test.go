package page_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/page"
	"h5perf/pkg/placement"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/units"
)

func written(t *testing.T, runs ...figures.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := page.Write(&b, page.Content{Runs: runs}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// section returns the section of a page with this id.
func section(t *testing.T, content, id string) string {
	t.Helper()
	_, after, found := strings.Cut(content, `<section id="`+id+`"`)
	if !found {
		t.Fatalf("no section %s", id)
	}
	inside, _, _ := strings.Cut(after, "</section>")
	return inside
}

// sectionPanels returns the panels of a section, without its key.
func sectionPanels(t *testing.T, content, id string) string {
	t.Helper()
	_, after, found := strings.Cut(section(t, content, id), `<div class="panels">`)
	if !found {
		t.Fatalf("no panels in section %s", id)
	}
	return after
}

func TestEveryMedianAndItsIntervalAreThere(t *testing.T) {
	r := figurestest.Sweep()
	content := section(t, written(t, r), "run-"+r.RunID)
	for _, p := range r.Points() {
		row := fmt.Sprintf(`<tr><td class="n">%d</td><td class="n">%s</td><td>%s</td><td>%s</td>`+
			`<td class="n">%s</td><td>%s</td>`,
			p.Case.Processes, units.FormatBytes(float64(p.Case.BufferBytes)), figures.APILabel(p.Case.API), p.Operation,
			emphasised(p), p.Rate.RangeText(p.Unit.Format))
		if !strings.Contains(content, row) {
			t.Errorf("no row %s", row)
		}
	}
	if n := strings.Count(content, "<td>p"); n != 2*3*3*2 {
		t.Errorf("%d rows of latencies, want one for each point", n)
	}
}

// emphasised returns the median of a point as the page shows it: bold, unless the point has a caution.
func emphasised(p figures.Point) string {
	if p.Caution() != "" {
		return p.Unit.Format(p.Rate.Median)
	}
	return "<b>" + p.Unit.Format(p.Rate.Median) + "</b>"
}

func TestFiguresOfASweep(t *testing.T) {
	var names []string
	for _, f := range page.Pictures(page.Content{Runs: []figures.Run{figurestest.Sweep()}}) {
		names = append(names, fmt.Sprintf("%s %d", f.Name, len(f.Panels)))
		if f.Caption == "" || f.Title == "" || f.Source == "" {
			t.Errorf("%s lacks caption, title or source", f.Name)
		}
	}
	want := "layers 2, throughput 2, times 4"
	if got := strings.Join(names, ", "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestEveryAPIHasAPen(t *testing.T) {
	r := figurestest.Sweep()
	r.Cases = nil
	for _, api := range result.APIs {
		r.Cases = append(r.Cases, figurestest.Case(2, 4096, api.Name, 1000, 8))
	}
	for i := range 2 * len(result.APIs) { // more unknown APIs than there are pens
		r.Cases = append(r.Cases, figurestest.Case(2, 4096, fmt.Sprint("unknown", i), 1000, 8))
	}
	series := page.Pictures(page.Content{Runs: []figures.Run{r}})[1].Panels[0].Series
	if len(series) != len(r.Cases) {
		t.Fatalf("%d lines, want one for each of %d APIs", len(series), len(r.Cases))
	}
	type pen struct {
		page.ThemeColour
		page.Marker
	}
	known := map[pen]string{}
	for i, s := range series {
		p := pen{s.Key.Colour, s.Key.Marker}
		if other, taken := known[p]; taken || s.Key.Colour == (page.ThemeColour{}) {
			t.Errorf("%s is drawn as %q", s.Key.Name, other)
		}
		if i < len(result.APIs) {
			known[p] = s.Key.Name
		}
	}
}

func TestACaseWithoutFiguresHasItsReasonOnThePage(t *testing.T) {
	r := figurestest.Failed()
	r.Cases[1].Samples = nil
	content := written(t, r)
	for _, want := range []string{
		"failed: pwrite /scratch/data_1.posix: no space left on device", "interrupted: stopped by SIGTERM",
		"skipped: the file system is not one of HDF5",
		"The run failed. Use h5perf rerun to repeat it.", "Option -x 128K is larger than -X: 64K is used.",
	} {
		if !strings.Contains(content, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(content, "<figure>") || strings.Contains(content, "iB/s</b>") {
		t.Error("a picture of a run without figures")
	}
}

func TestPartialFiguresAreMarkedOnThePage(t *testing.T) {
	content := written(t, figurestest.Failed())
	for _, want := range []string{
		`<td class="wrap">partial 3 of 8</td>`, ">partial; ", "2 results are partial", "with a caution: see the " +
			"table</li>",
	} {
		if !strings.Contains(content, want) {
			t.Errorf("no %q", want)
		}
	}
	open, filled := regexp.MustCompile(`fill:var\(--paper\)`), sectionPanels(t, content, "throughput")
	if !open.MatchString(filled) {
		t.Errorf("no open marker in %s", filled)
	}
	whole := figurestest.Sweep()
	for i := range whole.Cases {
		for k := range whole.Cases[i].Samples {
			whole.Cases[i].Samples[k].Marks = nil
		}
	}
	if open.MatchString(sectionPanels(t, written(t, whole), "throughput")) {
		t.Error("a marker of a complete case without a mark is open")
	}
}

func TestOneSample(t *testing.T) {
	content := written(t, figurestest.Serial())
	if !strings.Contains(content, "<td>one sample</td>") || !strings.Contains(content, "(one sample)</text>") {
		t.Error("neither the table nor the picture says that there is one sample")
	}
}

func TestZeroFigures(t *testing.T) {
	r := figurestest.Serial()
	for i := range r.Cases {
		for k := range r.Cases[i].Samples {
			r.Cases[i].Samples[k].Access, r.Cases[i].Samples[k].Classes = result.Interval{}, nil
		}
	}
	content := written(t, r)
	if strings.Contains(content, "<figure>") || strings.Contains(content, "Inf") ||
		strings.Count(content, "below the resolution of the clock") != 4 {
		t.Error("want a reason for each of four points, and no picture")
	}
}

func TestNoCases(t *testing.T) {
	r := figurestest.Failed()
	r.Cases = nil
	if content := written(t, r); !strings.Contains(content, "No case was started.") ||
		!strings.Contains(content, "no space left on device") {
		t.Error("want a word about the cases, and the error")
	}
}

func TestManyPanelsAreFolded(t *testing.T) {
	runs := []figures.Run{figurestest.Sweep(), figurestest.Sweep(), figurestest.Sweep(), figurestest.Sweep()}
	for i := range runs {
		runs[i].Started = runs[i].Started.AddDate(0, 0, i)
	}
	content := section(t, written(t, runs...), "throughput")
	seen, folded, found := strings.Cut(content, `<details class="printed"><summary>2 more</summary>`)
	if !found || strings.Count(seen, `<div><svg`) != 6 || strings.Count(folded, `<div><svg`) != 2 {
		t.Errorf("want 6 panels and 2 folded ones")
	}
}

func TestCautionsOfManyRunsStandOnce(t *testing.T) {
	runs := make([]figures.Run, 12)
	for i := range runs {
		runs[i] = figurestest.Serial()
	}
	runs[0].State = result.Failed
	content := written(t, runs...)
	aside, _, _ := strings.Cut(content[strings.Index(content, "<aside>"):], "</aside>")
	if n := strings.Count(aside, "<li>"); n != 6 ||
		!strings.Contains(aside,
			`The run failed. Use h5perf rerun to repeat it. <span class="muted">(2026-03-02 12:00:00 UTC)`) {
		t.Errorf("%d cautions, want 6:\n%s", n, aside)
	}
	if !strings.Contains(content, "<summary>4 more</summary>") {
		t.Error("the list of runs is not folded")
	}
}

// halved returns runs with 8, 4 and 2 processes, each with the cases of another number.
func halved() []figures.Run {
	runs := make([]figures.Run, 3)
	for i := range runs {
		runs[i] = figurestest.Sweep()
		runs[i].RunID += fmt.Sprint(i)
		runs[i].Cases = slices.Clone(runs[i].Cases[:9])
		for k := range runs[i].Cases {
			runs[i].Cases[k].Processes = 8 >> i
		}
	}
	return runs
}

func TestRunsOfDifferentConditionsAreNotOneCurve(t *testing.T) {
	runs := halved()
	scaling := func() int {
		return strings.Count(written(t, runs...), `<section id="scaling`)
	}
	if n := scaling(); n != 1 {
		t.Errorf("%d pictures of how three runs scale, want 1", n)
	}
	if two := written(t, runs[:2]...); strings.Contains(two, `<section id="scaling`) {
		t.Error("a picture of how two numbers of processes scale")
	}
	runs[1].Machine.Host = "another of the cluster"
	if n := scaling(); n != 1 {
		t.Errorf("%d pictures of how jobs on a cluster scale, want 1", n)
	}
	for name, differ := range map[string]func(*figures.Run){
		"conditions":   func(r *figures.Run) { r.Parameters.Conditions.Cold = true },
		"blocks":       func(r *figures.Run) { r.Parameters.BlockSize = 1 },
		"arms":         func(r *figures.Run) { r.Pair = &result.Pair{Arm: "B"} },
		"clusters":     func(r *figures.Run) { r.Identity.Cluster = "c2" },
		"file systems": func(r *figures.Run) { r.Target.MountPoint = "/home" },
	} {
		same := runs[1]
		differ(&runs[1])
		if n := scaling(); n != 0 {
			t.Errorf("%d pictures of how runs of different %s scale", n, name)
		}
		runs[1] = same
	}
}

func TestThePageExplainsEveryMark(t *testing.T) {
	_, footer, _ := strings.Cut(written(t, figurestest.Serial()), "<footer>")
	for _, m := range result.ValuesOf[result.Mark]() {
		want := "<li>" + string(m) + ": " + strings.ReplaceAll(figures.MarkMeaning(m), "'", "&#39;")
		if !strings.Contains(footer, want) {
			t.Errorf("no %q in %s", want, footer)
		}
	}
}

func TestNodesStandBesideProcesses(t *testing.T) {
	runs := halved()
	for i := range runs {
		for k := range runs[i].Cases {
			runs[i].Cases[k].Nodes = runs[i].Cases[k].Processes / 2
		}
	}
	if s := section(t, written(t, runs...), "scaling"); !strings.Contains(s, ">4 : 2</text>") ||
		!strings.Contains(s, "processes : nodes</text>") {
		t.Error("no tick for 4 processes on 2 nodes")
	}
}

func TestScalingIsComparedWithTheIdeal(t *testing.T) {
	runs := halved()
	for i := range runs {
		for k := range runs[i].Cases { // 2 processes have half of the throughput of 8
			c := figurestest.Case(8>>i, runs[i].Cases[k].TransferSize, runs[i].Cases[k].API,
				1000/float64(int(1)<<(i/2)), 8)
			c.DatasetBytes = runs[i].Cases[k].DatasetBytes
			runs[i].Cases[k] = c
		}
	}
	for _, f := range page.Pictures(page.Content{Runs: runs}) {
		if f.Name != "scaling" {
			continue
		}
		for _, p := range f.Panels {
			for _, s := range p.Series {
				if want := map[bool]string{false: "50 %"}[s.Key.Dashed]; s.EndText != want {
					t.Errorf("%s, %s: efficiency %q, want %q", p.Label(), s.Key.Name, s.EndText, want)
				}
			}
			var heights []float64
			label := regexp.MustCompile(` y="([\d.]+)"[^>]*>50 %<`)
			for _, m := range label.FindAllStringSubmatch(string(p.SVG()), -1) {
				y, _ := strconv.ParseFloat(m[1], 64)
				heights = append(heights, y)
			}
			slices.Sort(heights)
			for i := 1; i < len(heights); i++ {
				if heights[i] < heights[i-1]+11 {
					t.Errorf("%s: texts of lines with equal ends are at %v: they overlap", p.Label(), heights)
				}
			}
			if len(heights) != len(p.Series)/2 {
				t.Errorf("%s: %d texts for %d lines", p.Label(), len(heights), len(p.Series)/2)
			}
		}
		return
	}
	t.Error("no picture of scaling")
}

func TestThePageNeedsNothingElse(t *testing.T) {
	content := written(t, figurestest.Sweep(), figurestest.Serial(), figurestest.Failed())
	outside := regexp.MustCompile(`(?i)(src|action|data)\s*=\s*"[^#][^"]*"|href="([^#d]|d[^a])[^"]*"|url\(|@import|` +
		`<script|<link|<img|` +
		`<iframe|https?://[^"\s<]*`)
	for _, m := range outside.FindAllString(content, -1) {
		t.Errorf("%s", m)
	}
	if !strings.Contains(content, `content="default-src 'none'; style-src 'unsafe-inline'"`) {
		t.Error("the page does not forbid what it does not need")
	}
}

func TestMoreProcessesThanProcessorsAreACaution(t *testing.T) {
	r := figurestest.Sweep()
	r.Job.Placement[0].CPUs = 2.5
	r.Job.Placement[0].Bindings = []placement.Binding{{Ranks: 4, CPUs: "0-3"}}
	content := written(t, r)
	_, aside, _ := strings.Cut(content, "<aside>")
	aside, rest, _ := strings.Cut(aside, "</aside>")
	const text = "ode n1 runs 4 processes on 2.5 processors"
	if strings.Count(aside, text) != 1 || strings.Contains(rest, text) || !strings.Contains(rest, "Option -x 128K") {
		t.Errorf("not told once, as a caution:\n%s", content)
	}
	if !strings.Contains(rest, "(n1: ranks 0-3 on 2.5 processors)") {
		t.Error("the number of processors is not told")
	}
}

func TestNodesOfEqualLayoutAreShownOneByOne(t *testing.T) {
	r := figurestest.Sweep()
	for nodes, want := range map[int]string{
		2: "(n09: ranks 0-1 on 2 processors; n10: ranks 2-3 on 2 processors)",
		9: "n16: ranks 14-15 on 2 processors; and 1 more)",
	} {
		var hosts []result.Host
		for i := range nodes {
			hosts = append(hosts,
				placement.NewHost(fmt.Sprintf("n%02d", i+9), []int{2 * i, 2*i + 1}, []string{"0", "1"}, 2))
		}
		r.Job.Nodes, r.Job.Placement = nodes, placement.MergeEqualLayouts(hosts)
		if content := written(t, r); len(r.Job.Placement) != 1 || !strings.Contains(content, want) {
			t.Errorf("%+v: no %q in\n%s", r.Job.Placement, want, content)
		}
	}
}

// hostile is a string in a document that tries to inject markup into the page.
const hostile = `"'></svg></style></textarea><script>alert(1)</script><img src=x onerror=alert(1)>{{.}}`

func TestADocumentIsTextToThePage(t *testing.T) {
	r := figurestest.Sweep()
	r.Name, r.RunID, r.Kind, r.State = hostile, hostile, hostile, hostile
	r.Machine.Host, r.Machine.CPU, r.Target.Type, r.Target.MountPoint = hostile, hostile, hostile, hostile
	r.Parameters.Pattern, r.Parameters.Mode, r.Parameters.Conditions.Data = hostile, hostile, hostile
	r.Notes, r.Command = []string{hostile}, []string{hostile}
	r.Errors = []result.Error{{Phase: hostile, Host: hostile, Message: hostile}}
	r.Job.Placement[0].Host, r.Job.Slurm = hostile, []result.KeyValue{{Key: hostile, Value: hostile}}
	r.Cases[0].State, r.Cases[0].Reason = result.Skipped, hostile
	r.Cases[1].Latencies[0].Call, r.Cases[1].Latencies[0].SlowestRanks[0].Host = hostile, hostile
	r.Cases[1].Samples[0].Marks = []result.Mark{hostile}
	other := figurestest.Serial() // so that titles of panels name the file system
	content := written(t, r, other)
	if m := regexp.MustCompile(`(?i)<(script|img|textarea)|"'>|{{`).FindString(strings.ReplaceAll(content,
		"alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;{{.}}", "")); m != "" {
		t.Errorf("%s got into the page", m)
	}
	if n, want := strings.Count(content, "</svg>"), strings.Count(content, "<svg "); n != want {
		t.Errorf("%d ends of %d pictures", n, want)
	}
	if !strings.Contains(content, "alert(1)") {
		t.Error("the test does not test: what is hostile is not on the page")
	}
}

func TestKeysOfOneAPIAreTheSameEverywhere(t *testing.T) {
	seen := map[string]page.ThemeColour{}
	for _, f := range page.Pictures(page.Content{Runs: []figures.Run{figurestest.Sweep()}}) {
		for _, k := range f.Keys {
			api, _, _ := strings.Cut(k.Name, " : ") // of a ratio, the upper API
			if ink, ok := seen[api]; ok && ink != k.Colour {
				t.Errorf("%s has two colours", api)
			}
			seen[api] = k.Colour
		}
	}
}

func TestAWriterThatFails(t *testing.T) {
	r, w := io.Pipe()
	_ = r.CloseWithError(errors.New("disk full"))
	if err := page.Write(w, page.Content{Runs: []figures.Run{figurestest.Serial()}}); err == nil ||
		!strings.Contains(err.Error(), "page: disk full") {
		t.Errorf("%v", err)
	}
}
