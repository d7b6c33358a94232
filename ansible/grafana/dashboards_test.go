package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	runs "h5perf/pkg/history"
	"h5perf/pkg/result"
)

const role = "../roles/monitoring"

func TestTheRoleHasTheDashboards(t *testing.T) {
	files, err := filepath.Glob(role + "/files/dashboards/*.json")
	if err != nil || len(files) != len(dashboards()) {
		t.Errorf("the role has %v (%v), want %d dashboards", files, err, len(dashboards()))
	}
	for _, d := range dashboards() {
		want, err := d.encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(role, "files/dashboards", d.file()))
		if err != nil || string(got) != string(want) {
			t.Errorf("%s is not as it is made from these sources (%v): run 'make dashboards'", d.file(), err)
		}
	}
}

func TestAPIsHaveTheirNamesForPeople(t *testing.T) {
	n := 0
	for _, d := range dashboards() {
		for _, p := range d.allPanels() {
			shown, err := json.Marshal(p.Transforms)
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range p.Targets {
				for _, label := range []string{"api", "over"} {
					if !strings.Contains(q.Legend, "{{"+label+"}}") && !strings.Contains(string(shown), `"`+label+`"`) {
						continue
					}
					n++
					if want := `"` + label + `", "MPI-IO", "` + label + `", "mpiio"`; !strings.Contains(q.Expr, want) {
						t.Errorf("%s, panel %s: no %s in %s", d.Title, p.Title, want, q.Expr)
					}
				}
			}
		}
	}
	if n < 10 {
		t.Errorf("%d labels: the test does not find them", n)
	}
}

func TestNoPanelMixesReadsFromMemoryWithOthers(t *testing.T) {
	figures := regexp.MustCompile(`h5perf_(?:throughput|visible|class|layer)_[a-z_]+\{[^}]*\}`)
	n := 0
	for _, d := range dashboards() {
		for _, p := range d.allPanels() {
			for _, q := range p.Targets {
				for _, selector := range figures.FindAllString(q.Expr, -1) {
					n++
					if strings.Contains(q.Expr, "trend_reference_bytes") { // a ratio of the same points
						continue
					}
					if !regexp.MustCompile(`operation="write"|cache!?="warm"`).MatchString(selector) {
						t.Errorf("%s, panel %s: %s", d.Title, p.Title, selector)
					}
				}
			}
		}
	}
	if n < 20 {
		t.Errorf("%d selectors: the test does not find them", n)
	}
}

// TestTheLineOfAnAlertIsThatOfItsRule compares the limits with those of the alert rules.
func TestTheLineOfAnAlertIsThatOfItsRule(t *testing.T) {
	rules, err := os.ReadFile(role + "/files/rules/h5perf.yml")
	if err != nil {
		t.Fatal(err)
	}
	for rule, limit := range map[string]float64{
		`(?s)record: h5perf:slower:ratio.*?< (0\.\d+)`:   slower,
		`(?s)record: h5perf:incident:ratio.*?< (0\.\d+)`: slower,
		`(?s)record: h5perf:below_ref.*?< (0\.\d+)`:      belowReference,
	} {
		found := regexp.MustCompile(rule).FindSubmatch(rules)
		if found == nil || string(found[1]) != strconv.FormatFloat(limit, 'g', -1, 64) {
			t.Errorf("%s: %s, want %g", rule, found, limit)
		}
	}
	columns := 0
	for _, d := range dashboards() {
		for _, p := range d.allPanels() {
			for _, o := range p.FieldConfig.Overrides {
				for _, property := range o.Properties {
					limits, ok := property.Value.(thresholds)
					if !ok || o.Matcher.Options != "Of the reference" {
						continue
					}
					columns++
					if len(limits.Steps) != 2 || *limits.Steps[1].Value != 100*belowReference {
						t.Errorf("%s, panel %s: limits %v", d.Title, p.Title, limits)
					}
				}
			}
		}
	}
	if columns != 1 {
		t.Errorf("%d columns have the limit", columns)
	}
}

// TestAnAxisHasOneUnit checks that the values of an axis do not choose their unit themselves, that the axis begins at
// 0, and that what is missing is no zero.
func TestAnAxisHasOneUnit(t *testing.T) {
	n := 0
	for _, d := range dashboards() {
		for _, p := range d.allPanels() {
			for _, q := range p.Targets {
				if strings.Contains(q.Expr, "vector(") {
					t.Errorf("%s, panel %s: %s", d.Title, p.Title, q.Expr)
				}
			}
			if !slices.Contains([]string{"timeseries", "trend", "bargauge"}, p.Type) {
				continue
			}
			n++
			if f := p.FieldConfig.Defaults; !strings.HasPrefix(f.Unit, "suffix:") || f.Min == nil || *f.Min != 0 {
				t.Errorf("%s, panel %s: unit %s, from %v", d.Title, p.Title, f.Unit, f.Min)
			}
		}
	}
	if n < 15 {
		t.Errorf("%d panels: the test does not find them", n)
	}
}

func TestNoChangeHasTheWordsOfThePage(t *testing.T) {
	if got := runs.Summarize(nil, nil, nil).Since; got != noChange {
		t.Errorf("%q, want %q", noChange, got)
	}
}

// TestLastingChangesAndIncidentsHaveMarksOfTheirOwn checks that marks of the two kinds differ in colour.
func TestLastingChangesAndIncidentsHaveMarksOfTheirOwn(t *testing.T) {
	kind := regexp.MustCompile(`h5perf_trend_change_timestamp_seconds\{[^}]*kind="(\w+)"\}`)
	n := 0
	for _, d := range dashboards() {
		colors := map[string]string{}
		for _, a := range d.Annotations.List {
			if !strings.Contains(a.Expr, "trend_change") {
				continue
			}
			found := kind.FindStringSubmatch(a.Expr)
			if found == nil {
				t.Fatalf("%s: %s has marks of both kinds: %s", d.Title, a.Name, a.Expr)
			}
			n++
			colors[found[1]] = a.IconColor
		}
		if len(colors) > 0 && (len(colors) != 2 || colors["lasting"] == colors["incident"]) {
			t.Errorf("%s: %v", d.Title, colors)
		}
	}
	if n != 6 {
		t.Errorf("%d annotations, want two in three dashboards", n)
	}
}

// TestAColorIsAnAPI checks that lines and bars have the colors of the page, and can be seen on paper of Grafana.
func TestAColorIsAnAPI(t *testing.T) {
	n := 0
	for _, d := range dashboards() {
		for _, p := range d.allPanels() {
			if p.Type != "timeseries" && p.Type != "bargauge" || len(p.Targets) < len(result.APIs) {
				continue
			}
			n++
			for i, q := range p.Targets {
				a := result.APIs[i%len(result.APIs)]
				o := p.FieldConfig.Overrides[i]
				if !strings.Contains(q.Expr, `api="`+a.Name+`"`) || !strings.Contains(q.Legend, a.Label) ||
					o.Matcher != (matcher{"byFrameRefID", q.RefID}) || o.Properties[0].Value != colorOf(a) {
					t.Errorf("%s, panel %s, query %s of %s: %v", d.Title, p.Title, q.RefID, a.Label, o)
				}
			}
		}
	}
	if n < 10 {
		t.Errorf("%d panels: the test does not find them", n)
	}
	if got := colorOf(result.APIOf(result.POSIX)).Fixed; got != "#0072b2" {
		t.Errorf("POSIX is %s", got)
	}
	for _, a := range result.APIs {
		for _, paper := range []string{"#ffffff", "#181b1f"} {
			of, on := luminance(t, colorOf(a).Fixed), luminance(t, paper)
			if contrast := (max(of, on) + 0.05) / (min(of, on) + 0.05); contrast < 3 {
				t.Errorf("%s on %s: contrast %.1f", a.Label, paper, contrast)
			}
		}
	}
}

// luminance returns the relative luminance of a color #rrggbb, as WCAG defines it.
func luminance(t *testing.T, color string) float64 {
	t.Helper()
	var rgb [3]uint8
	if _, err := fmt.Sscanf(color, "#%02x%02x%02x", &rgb[0], &rgb[1], &rgb[2]); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		part := float64(rgb[i]) / 255
		if part <= 0.03928 {
			part /= 12.92
		} else {
			part = math.Pow((part+0.055)/1.055, 2.4)
		}
		sum += weight * part
	}
	return sum
}
