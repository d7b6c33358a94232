package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
)

// exported returns what one of the formats writes.
func exported(t *testing.T, format func(io.Writer, []figures.Run, bool) error, partial bool,
	runs ...figures.Run,
) string {
	t.Helper()
	var b bytes.Buffer
	if err := format(&b, runs, partial); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGoldenFiles(t *testing.T) {
	complete, failed := figurestest.Serial(), figurestest.Failed()
	for name, text := range map[string]string{
		"serial.influx":  exported(t, WriteInflux, false, complete, failed),
		"serial.ndjson":  exported(t, WriteNDJSON, false, complete, failed),
		"partial.influx": exported(t, WriteInflux, true, failed),
		"partial.ndjson": exported(t, WriteNDJSON, true, failed),
	} {
		golden(t, name, text)
	}
}

// all returns runs of every kind, which are written with their figures.
func all(t *testing.T) []figures.Run {
	t.Helper()
	arm := figurestest.Sweep()
	arm.Pair = &result.Pair{Arm: "B", PartnerRunID: "20260301T120000Z-0000000000"}
	runs := append(slices.Collect(maps.Values(figurestest.Runs())), arm)
	files, err := filepath.Glob("../../results/examples/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, path := range files {
		doc, err := result.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, figures.Run{Name: path, Document: doc})
	}
	return runs
}

// objects reads JSON, one object on each line.
func objects(t *testing.T, text string) (all []map[string]any) {
	t.Helper()
	for l := range strings.Lines(text) {
		var o map[string]any
		d := json.NewDecoder(strings.NewReader(l))
		d.UseNumber()
		if err := d.Decode(&o); err != nil || d.More() {
			t.Fatalf("%v: %s", err, l)
		}
		all = append(all, o)
	}
	return all
}

func TestBothFormatsHoldTheSame(t *testing.T) {
	for _, r := range all(t) {
		lines, want := parse(t, exported(t, WriteInflux, true, r)), objects(t, exported(t, WriteNDJSON, true, r))
		if len(lines) != len(want) || len(lines) != 1+len(r.Points()) {
			t.Fatalf("%s: %d lines and %d objects of %d points", r.Name, len(lines), len(want), len(r.Points()))
		}
		for i, l := range lines {
			started, err := time.Parse(time.RFC3339Nano, fmt.Sprint(want[i]["run_started"]))
			if err != nil || started.UnixNano() != l.Time || !r.Started.Equal(started) {
				t.Errorf("%s: %v, %d is not %v", r.Name, err, l.Time, r.Started)
			}
			got := map[string]string{"measurement": l.Measurement, "run_started": fmt.Sprint(want[i]["run_started"])}
			maps.Copy(got, l.Tags)
			for key, value := range l.Fields {
				if x, float := value.(float64); float {
					text, err := json.Marshal(x)
					if err != nil {
						t.Fatal(err)
					}
					value = string(text)
				}
				got[key] = fmt.Sprint(value)
			}
			texts := map[string]string{}
			for key, value := range want[i] {
				texts[key] = fmt.Sprint(value)
			}
			if d := cmp.Diff(texts, got); d != "" {
				t.Errorf("%s (-ndjson +influx)\n%s", r.Name, d)
			}
		}
	}
}

func TestRecordsFitADatabase(t *testing.T) {
	simple := regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	types := map[string]string{}
	for _, r := range all(t) {
		seen := map[string]bool{}
		for _, l := range parse(t, exported(t, WriteInflux, true, r)) {
			id := fmt.Sprint(l.Measurement, l.Tags)
			if seen[id] {
				t.Errorf("%s: two records with the tags %s", r.Name, id)
			}
			seen[id] = true
			kinds := map[string]string{}
			for key := range l.Tags {
				kinds[key] = "tag"
			}
			for key, value := range l.Fields {
				if kinds[key] != "" {
					t.Errorf("%s: %s is a tag and a field", r.Name, key)
				}
				kinds[key] = fmt.Sprintf("%T", value)
			}
			for key, kind := range kinds {
				at := l.Measurement + " " + key
				if types[at] != "" && types[at] != kind {
					t.Errorf("%s: %s is %s, and elsewhere %s", r.Name, at, kind, types[at])
				}
				if types[at] = kind; !simple.MatchString(key) || key == "time" {
					t.Errorf("%s: the name %q", r.Name, key)
				}
			}
		}
	}
}

// figure matches the names of figures.
var figure = regexp.MustCompile(
	`bytes_per_second|^samples$|^bytes$|_ratio$|(open|close|access|transfer|sync|dataset)_seconds`)

func TestARunThatIsNotCompleteHasNoFigures(t *testing.T) {
	for _, state := range []result.State{result.Failed, result.Interrupted, result.Running} {
		r := figurestest.Failed()
		r.State = state
		if state == result.Running {
			r.Finished = nil
		}
		for _, o := range objects(t, exported(t, WriteNDJSON, state == result.Running,
			r)) { // one that runs never has any
			success, ended := o["success"]
			if o["measurement"] != runMeasurement || o["run_state"] != string(state) ||
				ended != (state != result.Running) ||
				ended && success != json.Number("0") || !strings.Contains(fmt.Sprint(o["error"]), "no space left") {
				t.Errorf("%s: %v", state, o)
			}
			for key := range maps.Keys(o) {
				if figure.MatchString(key) {
					t.Errorf("%s: the figure %s", state, key)
				}
			}
		}
	}
}

func TestARunHasNoNegativeDuration(t *testing.T) {
	r := figurestest.Failed()
	for back, want := range map[time.Duration]bool{-time.Second: true, time.Second: false} {
		r.Finished = new(r.Started.Add(-back))
		for _, o := range objects(t, exported(t, WriteNDJSON, false, r)) {
			if _, is := o["duration_seconds"]; is != want {
				t.Errorf("the run ended %v before its start: duration %v, want %v", back, is, want)
			}
		}
	}
}

func TestACaseWithoutAFigureHasAReason(t *testing.T) {
	reasons := map[string]int{}
	for _, o := range objects(t, exported(t, WriteNDJSON, true, figurestest.Failed()))[1:] {
		state := fmt.Sprint(o["case_state"])
		if o["case_reason"] == nil {
			t.Errorf("no reason: %v", o)
		}
		if samples := o["samples"]; state == "interrupted" && samples == json.Number("3") {
			if o["planned_iterations"] != json.Number("8") {
				t.Errorf("3 of %v", o["planned_iterations"])
			}
			state = "partial"
		} else {
			for key := range maps.Keys(o) {
				if figure.MatchString(key) {
					t.Errorf("%s: the figure %s", state, key)
				}
			}
		}
		reasons[state]++
	}
	if d := cmp.Diff(map[string]int{"failed": 1, "partial": 2, "skipped": 1, "interrupted": 1}, reasons); d != "" {
		t.Error(d)
	}
}

// With other sizes or choices, a workload has the same name.
func TestWorkloadsWithOtherSizesAreOtherSeries(t *testing.T) {
	var b bytes.Buffer
	if err := WriteInflux(&b, []figures.Run{figurestest.Workload()}, false); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		tags, _, _ := strings.Cut(line, " ")
		if strings.HasPrefix(tags, "h5perf,") &&
			(!strings.Contains(tags, ",workload_sha256=") || strings.Contains(tags, ",layout=")) {
			t.Error(tags)
		}
	}
}
