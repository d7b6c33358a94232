package figures_test

import (
	"bytes"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/figures"
	"h5perf/pkg/metrics"
	"h5perf/pkg/option"
	"h5perf/pkg/report"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
)

// plainSweep returns a sweep with the defaults.
func plainSweep() figures.Run {
	r := figurestest.Sweep()
	r.Parameters.BytesPerProcess, r.Parameters.BlockSize = 256<<10, 128<<10
	r.Parameters.Conditions.Sync = option.SyncNone
	return r
}

// asked returns a run of a workload for which the user requested these values.
func asked(pairs ...string) figures.Run {
	r := figurestest.Workload()
	for i := 0; i < len(pairs); i += 2 {
		kv := result.KeyValue{Key: pairs[i], Value: pairs[i+1]}
		w := r.Parameters.Workload
		w.Requested = append(w.Requested, kv)
		for _, known := range [][]result.KeyValue{w.Chosen, w.Sizes} {
			if at := slices.IndexFunc(known, func(k result.KeyValue) bool { return k.Key == kv.Key }); at >= 0 {
				known[at].Value = kv.Value
			}
		}
	}
	return r
}

func TestVariantTellsWhatDiffersFromTheDefaults(t *testing.T) {
	of := func(r figures.Run, change func(*result.Parameters)) figures.Run {
		change(&r.Parameters)
		return r
	}
	for want, r := range map[string]figures.Run{
		"": plainSweep(),
		"num-bytes=1M, sync=close, cold=on": of(figurestest.Sweep(), func(p *result.Parameters) {
			p.Conditions.Cold = true
		}),
		"memory-factor=2": of(plainSweep(), func(p *result.Parameters) {
			p.BytesPerProcess, p.Conditions.MemoryFactor = 3<<30, new(2.0)
		}),
		"chunk=4K,4K, align=1M, fill-time=never, hint cb_nodes=2": of(plainSweep(), func(p *result.Parameters) {
			p.Layout, p.ChunkSize, p.AlignmentBytes = result.LayoutChunked, []uint64{4096, 4096}, new(uint64(1<<20))
			p.ThresholdBytes, p.FillTime = new(uint64(1)), option.FillNever
			p.Hints, p.HintsSet = []result.KeyValue{{Key: "cb_nodes", Value: "2"}}, true
		}),
		"size=tiny, dumps=2, form=chunked": of(asked("size", "tiny", "dumps", "2"), func(p *result.Parameters) {
			p.Workload.Layout = "chunked"
		}),
		"align=2M": of(asked(), func(p *result.Parameters) {
			p.Workload.Settings = []result.KeyValue{{Key: "align", Value: "1M"}, {Key: "defer-metadata", Value: "on"}}
			p.AlignmentBytes, p.DeferMetadata = new(uint64(2<<20)), new(true)
		}),
		"num-bytes=1K,1K, min-xfer-size=64,64, chunk=on": figurestest.Serial(),
	} {
		if got := r.VariantText(); got != want {
			t.Errorf("variant %q, want %q", got, want)
		}
	}
}

// untold lists the parameters that a variant leaves out, besides those that distinguish the points of a run.
var untold = strings.Fields(`
	apis min_processes max_processes min_transfer_bytes max_transfer_bytes buffer_extent
	iterations write_only verify keep_files hints_set hdf5_driver_settings
	warmup_iterations repeat_until_ratio min_case_seconds max_iterations order seed latency preset timeout_seconds
	space_check compress_ratio block_bytes
`)

// A parameter that is added later must be in the variant, or in the list above.
func TestVariantTellsEachParameter(t *testing.T) {
	var try func(path []int, of reflect.Type)
	try = func(path []int, of reflect.Type) {
		for f := range result.JSONFields(of) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			at := slices.Concat(path, f.Index)
			switch {
			case name == "conditions":
				try(at, f.Type)
				continue
			case name == "workload" || slices.Contains(untold, name):
				continue
			}
			for _, r := range []figures.Run{plainSweep(), figurestest.Serial()} {
				before := r.VariantText()
				v := reflect.ValueOf(&r.Parameters).Elem().FieldByIndex(at)
				if v.Set(other(v.Type())); v.Kind() == reflect.String && v.String() == f.Tag.Get("without") {
					v.SetString(v.Interface().(result.Enumerated).Values()[0])
				}
				if r.VariantText() != before {
					name = ""
				}
			}
			if name != "" {
				t.Errorf("%s: the variant does not tell it", name)
			}
		}
	}
	try(nil, reflect.TypeFor[result.Parameters]())
}

// other returns a value that no parameter has by default.
func other(of reflect.Type) reflect.Value {
	v := reflect.New(of).Elem()
	switch of.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(of.Elem()))
		v.Elem().Set(other(of.Elem()))
	case reflect.Slice:
		v.Set(reflect.Append(v, other(of.Elem()), other(of.Elem())))
	case reflect.Struct:
		for i := range of.NumField() {
			v.Field(i).Set(other(of.Field(i).Type))
		}
	case reflect.String:
		if words, is := reflect.TypeAssert[result.Enumerated](v); is {
			v.SetString(words.Values()[len(words.Values())-1])
		} else {
			v.SetString("other")
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(7)
	case reflect.Int:
		v.SetInt(7)
	default:
		v.SetUint(7)
	}
	return v
}

func TestNamesTellRunsApartByWhatDiffers(t *testing.T) {
	later := func(r figures.Run) figures.Run {
		r.Started = r.Started.Add(time.Hour)
		return r
	}
	arm := func(r figures.Run, name result.Arm) figures.Run {
		r.Pair = &result.Pair{Arm: name}
		return r
	}
	hinted := plainSweep()
	hinted.Parameters.Hints = []result.KeyValue{{Key: "cb_nodes", Value: "2"}}
	for name, c := range map[string]struct {
		runs []figures.Run
		want []string
	}{
		"choices": {
			[]figures.Run{asked(), asked("layout", "chunked"), later(asked("layout", "chunked", "dumps", "2"))},
			[]string{"layout=contiguous, dumps=5", "layout=chunked, dumps=5", "layout=chunked, dumps=2"},
		},
		"sets of sizes": {[]figures.Run{asked(), asked("size", "tiny")}, []string{"size=default", "size=tiny"}},
		"hints":         {[]figures.Run{plainSweep(), hinted}, []string{"hint cb_nodes=none", "hint cb_nodes=2"}},
		"many": {
			[]figures.Run{plainSweep(), figurestest.Serial()},
			[]string{"defaults", "num-bytes=1K,1K, chunk=on, min-xfer-size=64,64"},
		},
		"nothing": {
			[]figures.Run{plainSweep(), later(plainSweep())},
			[]string{"2026-03-01 12:00:00 UTC", "2026-03-01 13:00:00 UTC"},
		},
		"some alike": {
			[]figures.Run{asked(), asked("dumps", "2"), later(asked("dumps", "2"))},
			[]string{"dumps=5", "dumps=2, 2026-03-04 12:00:00 UTC", "dumps=2, 2026-03-04 13:00:00 UTC"},
		},
		"arms": {
			[]figures.Run{arm(asked(), result.ArmA), arm(asked("dumps", "2"), "B")},
			[]string{"dumps=5, A", "dumps=2, B"},
		},
		"others": {[]figures.Run{plainSweep(), asked("dumps", "2")}, []string{"parallel", "vpic"}},
	} {
		var runs []*figures.Run
		for i := range c.runs {
			runs = append(runs, &c.runs[i])
		}
		names := figures.RunNames(runs)
		for i, r := range runs {
			if names[r] != c.want[i] {
				t.Errorf("%s: run %d is %q, want %q", name, i, names[r], c.want[i])
			}
		}
	}
}

func TestEachOutputForProgramsTellsTheVariant(t *testing.T) {
	r := asked("layout", "chunked", "dumps", "2")
	for name, c := range map[string]struct {
		write func(io.Writer) error
		want  string
		lines int // number of lines that have it
	}{
		"CSV": {
			func(w io.Writer) error { return report.WriteCSV(w, []figures.Run{r}) }, `,"layout=chunked, dumps=2",`, 48,
		},
		"lines": {
			func(w io.Writer) error { return report.WriteLines(w, []figures.Run{r}) }, " layout=chunked,dumps=2\n", 6,
		},
		"JSON lines": {
			func(w io.Writer) error { return report.WriteNDJSON(w, []figures.Run{r}, false) },
			`"variant":"layout=chunked, dumps=2"`, 7,
		},
		"line protocol": {
			func(w io.Writer) error { return report.WriteInflux(w, []figures.Run{r}, false) },
			`,variant=layout\=chunked\,\ dumps\=2`, 7,
		},
	} {
		var b bytes.Buffer
		if err := c.write(&b); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), c.want); n != c.lines {
			t.Errorf("%s: %d lines have %q, want %d:\n%s", name, n, c.want, c.lines, b.String())
		}
	}
	registry, err := metrics.Registry(r.Document, false)
	if err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			if _, point := labels["operation"]; point && labels["variant"] != "layout=chunked, dumps=2" {
				t.Fatalf("%s: labels %v", f.GetName(), labels)
			}
		}
	}
}
