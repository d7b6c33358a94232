package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
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
		for _, p := range d.Panels {
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
		for _, p := range d.Panels {
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
	lines := 0
	for _, d := range dashboards() {
		for _, p := range d.Panels {
			if !strings.HasPrefix(p.Title, "Relative to the reference") || p.Type != "timeseries" {
				continue
			}
			lines++
			steps := p.FieldConfig.Defaults.Thresholds.Steps
			if len(steps) != 3 || *steps[1].Value != belowReference || *steps[2].Value != 1 {
				t.Errorf("%s, panel %s: lines at %v", d.Title, p.Title, steps)
			}
		}
	}
	if lines != 3 {
		t.Errorf("%d panels have the lines", lines)
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

// TestAColorIsAFileSystem checks that all lines of a file system have its hue, and that no two APIs look alike on it.
func TestAColorIsAFileSystem(t *testing.T) {
	n := 0
	for _, d := range dashboards() {
		for _, p := range d.Panels {
			if p.Type != "timeseries" || len(p.Targets) < 4 {
				continue
			}
			n++
			seen := map[string]bool{}
			for i, q := range p.Targets {
				hue := "orange"
				if strings.Contains(q.Expr, `filesystem="$filesystem"`) {
					hue = "blue"
				}
				o := p.FieldConfig.Overrides[i]
				pen, err := json.Marshal(o.Properties)
				if err != nil || seen[string(pen)] || !strings.Contains(string(pen), hue) ||
					o.Matcher != (matcher{"byFrameRefID", q.RefID}) {
					t.Errorf("%s, panel %s, query %s: %v %s (%v)", d.Title, p.Title, q.RefID, o.Matcher, pen, err)
				}
				seen[string(pen)] = true
			}
		}
	}
	if n < 10 {
		t.Errorf("%d panels: the test does not find them", n)
	}
}
