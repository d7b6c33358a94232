package result_test

import (
	"testing"

	"h5perf/pkg/result"
)

func TestOtherWork(t *testing.T) {
	write := func(bytes, objects uint64, estimated bool) []result.Amounts {
		return []result.Amounts{{result.OperationWrite, bytes, objects, estimated}}
	}
	in := func(layout string) result.Parameters {
		return result.Parameters{Workload: &result.Workload{Layout: layout}}
	}
	for name, c := range map[string]struct {
		a, b     result.Parameters
		ofA, ofB []result.Amounts
		want     string
	}{
		"the same": {in(""), in(""), write(1<<20, 4, false), write(1<<20, 4, false), ""},
		"other data": {
			in(""), in(""), write(1<<20, 4, false), write(1<<10, 4, false), "writes 1 KiB instead of 1 MiB",
		},
		"a byte": {
			in(""), in(""), write(1<<30, 4, false), write(1<<30+1, 4, false),
			"writes 1073741825 B instead of 1073741824 B",
		},
		"estimates": {in(""), in(""), write(1<<20, 4, true), write(1<<20+9, 4, false), ""},
		"other estimates": {
			in(""), in(""), write(1<<20, 4, true), write(2<<20, 4, false), "writes 2 MiB instead of 1 MiB",
		},
		"few objects": {in(""), in(""), write(1<<20, 4, false), write(1<<20, 40, false), ""},
		"many objects": {
			in(""), in(""), write(1<<20, 400, false), write(1<<20, 40, false),
			"writes with 40 steps for objects instead of 400",
		},
		"a layout":  {in(""), in("both, chunked, collective"), write(1, 400, false), write(1, 40, false), ""},
		"a sweep":   {result.Parameters{}, result.Parameters{}, write(1, 4, false), write(1, 8, false), ""},
		"not known": {in(""), in(""), write(1, 4, false), nil, ""},
	} {
		if got := result.OtherWork(c.a, c.b, c.ofA, c.ofB); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// The amounts of a run are those of all its cases, unless a time limit has cut one.
func TestAmountsOfADocument(t *testing.T) {
	sample := result.Sample{
		Operation: result.OperationRead, Bytes: 3, Classes: []result.ClassTime{{Objects: 2}, {Objects: 5}},
	}
	one := result.Case{State: result.Complete, Samples: []result.Sample{sample, sample}}
	d := result.Document{Cases: []result.Case{one, one}}
	want := result.Amounts{Operation: result.OperationRead, Bytes: 6, Objects: 14}
	if got := d.Amounts(); len(got) != 1 || got[0] != want {
		t.Errorf("%+v", got)
	}
	sample.Limit = &result.ReachedTimeLimit{}
	d.Cases = append(d.Cases, result.Case{State: result.Complete, Samples: []result.Sample{sample}})
	if got := d.Amounts(); got != nil {
		t.Errorf("with a time limit: %+v", got)
	}
}
