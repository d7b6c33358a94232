package metrics_test

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"h5perf/pkg/figures"
	"h5perf/pkg/metrics"
	"h5perf/pkg/test/figurestest"
)

// labelsOf parses the labels of a sample in OpenMetrics text.
func labelsOf(t *testing.T, text string) map[string]string {
	t.Helper()
	labels := map[string]string{}
	for _, m := range regexp.MustCompile(`(\w+)=("(?:[^"\\]|\\.)*")`).FindAllStringSubmatch(text, -1) {
		value, err := strconv.Unquote(m[2])
		if err != nil {
			t.Fatal(err)
		}
		labels[m[1]] = value
	}
	return labels
}

// nameOf returns the name that the exports of package report use for a metric of a point.
func nameOf(metric string, labels map[string]string) string {
	name := strings.TrimPrefix(metric, "h5perf_")
	switch {
	case name == "layer_efficiency_ratio":
		return "layer_median_ratio"
	case name == "class_objects_per_second":
		return "rate_" + strings.ReplaceAll(labels["class"], " ", "_") + "_objects_per_second"
	case name == "class_duration_seconds":
		return "class_" + strings.ReplaceAll(labels["class"], " ", "_") + "_seconds"
	case name == "marked_samples":
		return labels["mark"] + "_samples"
	case labels["statistic"] != "":
		return strings.Replace(name, "_", "_"+labels["statistic"]+"_", 1)
	}
	return name
}

// OpenMetrics text has the same metrics as Registry.
func TestOpenMetricsShowEveryRowOfEveryPoint(t *testing.T) {
	sample := regexp.MustCompile(`(?m)^(\w+)\{(.*)\} (\S+) \S+$`)
	for name, r := range figurestest.Runs() {
		var text strings.Builder
		if err := metrics.WriteOpenMetrics(&text, []figures.Run{r}, true); err != nil {
			t.Fatal(err)
		}
		got, want := map[string]map[string]any{}, map[string]map[string]any{} // by labels
		place := func(label func(name string) any) (at string) {
			for _, name := range figures.LabelNames {
				at += fmt.Sprintf("%v ", label(name))
			}
			return at
		}
		for _, m := range sample.FindAllStringSubmatch(text.String(), -1) {
			labels := labelsOf(t, m[2])
			if labels["operation"] == "" || labels["call"] != "" { // a metric of the run, or of calls
				continue
			}
			at, key := place(func(name string) any { return labels[name] }), nameOf(m[1], labels)
			if got[at] == nil {
				got[at] = map[string]any{}
			}
			if got[at][key] != nil {
				t.Errorf("%s: twice %s of %s", name, key, at)
			}
			if got[at][key], _ = strconv.ParseFloat(m[3], 64); labels["over"] != "" {
				got[at]["layer_below"] = labels["over"]
			}
		}
		for _, p := range figurestest.Points(&r) {
			at := place(func(name string) any { return cmp.Or(p[name], any("")) })
			maps.DeleteFunc(p, func(key string, _ any) bool {
				return slices.Contains(figures.LabelNames, key) || strings.HasPrefix(key, "layer_") &&
					key != "layer_below" && key != "layer_median_ratio"
			})
			if len(p) > 0 {
				want[at] = p
			}
		}
		if d := gocmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got)\n%s", name, d)
		}
	}
}
