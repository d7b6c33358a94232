package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
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

func TestAWorkloadIsNamedWhereOthersHaveATransferSize(t *testing.T) {
	n := 0
	for _, d := range dashboards() {
		for _, p := range d.Panels {
			for _, q := range p.Targets {
				if strings.Contains(q.Legend, "{{transfer_bytes}}") {
					t.Errorf("%s, panel %s: a workload has no transfer size: %s", d.Title, p.Title, q.Legend)
				}
				if !strings.Contains(q.Legend, "{{"+what+"}}") {
					continue
				}
				n++
				if grouped := strings.Contains(q.Expr, " by ("); grouped && !strings.Contains(q.Expr, "workload) (") ||
					!strings.Contains(q.Expr, `"`+what+`", "", "size", "workload")`) {
					t.Errorf("%s, panel %s: no name of a workload in %s", d.Title, p.Title, q.Expr)
				}
			}
		}
	}
	if n < 4 {
		t.Errorf("%d legends: the test does not find them", n)
	}
}

func TestNoPanelMixesTwoBases(t *testing.T) {
	if basis.Multi || basis.IncludeAll {
		t.Error("two bases can be selected at once")
	}
	rests := regexp.MustCompile(
		`(?:h5perf_(?:throughput|phase|layer)_[a-z_]+|h5perf:[a-z_:]+|` +
			`h5perf_trend_(?:group_)?(?:(?:shift|visible|reference)_ratio|runs[a-z_]*))(?:\{[^}]*\})?`)
	n := 0
	for _, d := range dashboards() {
		for _, p := range d.Panels {
			for _, q := range p.Targets {
				for _, selector := range rests.FindAllString(q.Expr, -1) {
					n++
					if !strings.Contains(selector, `basis=~"$basis"`) {
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
