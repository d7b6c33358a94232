package figures_test

import (
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
)

// choiceRun returns a sweep over a choice, with writes that take a time in seconds for each of its values.
func choiceRun(seconds map[string][]float64, order ...string) figures.Run {
	r := figurestest.Workload()
	r.Cases = nil
	for _, value := range order {
		values := []result.KeyValue{{Key: "filter", Value: value}}
		c := result.Case{Processes: 2, Nodes: 1, API: result.PHDF5, State: result.Complete, Values: values}
		for i, s := range seconds[value] {
			sample := result.Sample{Operation: result.OperationWrite, Iteration: i + 1, Bytes: 1 << 20}
			sample.Access.WindowSeconds, sample.OpenClose.WindowSeconds = s, s
			c.Samples = append(c.Samples, sample)
		}
		r.Cases = append(r.Cases, c)
		r.Swept = append(r.Swept, result.SweptCases{Values: values, Parameters: r.Parameters})
	}
	return r
}

func TestFiltersDoNothingWithPlainFiles(t *testing.T) {
	r := choiceRun(map[string][]float64{"gzip": {8, 8, 8}, "none": {2, 2, 2}}, "none", "gzip")
	r.Cases[1].FilterTimes = []result.FilterTime{{Dataset: "d", Filters: []string{"deflate"}}}
	for _, api := range []string{result.POSIX, result.MPIIO} {
		for _, c := range r.Cases[:2] {
			c.API, c.FilterTimes = api, nil
			r.Cases = append(r.Cases, c)
		}
	}
	want := []string{
		"HDF5, write, 2 processes: time divided by that of filter=none: gzip 4.00 (range 4.00 to 4.00).",
		"Filters are those of HDF5, and do nothing with POSIX and MPI-IO: tables have such values of filter in " +
			"brackets there.",
	}
	if got := r.ChoiceSentences(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	var values []string
	for _, p := range r.Points() {
		values = append(values, p.Case.API+" "+r.SweptValue(0)(p))
	}
	for _, want := range []string{"phdf5 gzip", "posix (gzip)", "mpiio (none)"} {
		if !slices.Contains(values, want) {
			t.Errorf("no %s in %q", want, values)
		}
	}
	r.Cases[1].FilterTimes = nil // another choice
	if got := r.ChoiceSentences(); len(got) != 3 || r.SweptValue(0)(r.Points()[0]) != "none" {
		t.Errorf("no filters: %q", got)
	}
}

func TestChoicesAreComparedWithNone(t *testing.T) {
	times := map[string][]float64{"gzip": {8, 8, 8}, "none": {2, 2, 2}, "lz4": {4, 4, 4}}
	r := choiceRun(times, "gzip", "none", "lz4")
	want := []string{
		"HDF5, write, 2 processes: time divided by that of filter=none: gzip 4.00 (range 4.00 to 4.00); " +
			"lz4 2.00 (range 2.00 to 2.00).",
	}
	if got := r.ChoiceSentences(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for i := range 2 { // the same cases with another value beside
		for _, c := range r.Cases[:3] {
			c.Values = append(slices.Clone(c.Values), result.KeyValue{Key: "mode", Value: []string{"one", "other"}[i]})
			r.Cases = append(r.Cases, c)
			r.Swept = append(r.Swept, result.SweptCases{Values: c.Values, Parameters: r.Parameters})
		}
	}
	r.Cases, r.Swept = r.Cases[3:], r.Swept[3:]
	with := func(mode string) string {
		return strings.Replace(want[0], "processes:", "processes, mode="+mode+":", 1)
	}
	equal := func(filter string) string {
		return "HDF5, write, 2 processes, filter=" + filter +
			": time divided by that of mode=one: other 1.00 (range 1.00 to 1.00)."
	}
	want = []string{with("one"), equal("gzip"), equal("none"), equal("lz4"), with("other")}
	if got := r.ChoiceSentences(); !slices.Equal(got, want) {
		t.Errorf("two choices: %q", got)
	}
	for i := range 25 {
		c := r.Cases[i%3]
		c.Values = []result.KeyValue{c.Values[0], {Key: "mode", Value: strings.Repeat("x", i+1)}}
		r.Cases, r.Swept = append(r.Cases, c), append(r.Swept, result.SweptCases{Values: c.Values})
		c.Values = []result.KeyValue{{Key: "filter", Value: "other"}, c.Values[1]}
		r.Cases, r.Swept = append(r.Cases, c), append(r.Swept, result.SweptCases{Values: c.Values})
	}
	if got := r.ChoiceSentences(); len(got) != 1 || !strings.Contains(got[0], "are too many to show") {
		t.Errorf("very many: %q", got)
	}
	r = choiceRun(map[string][]float64{"none": {2, 2, 2}, "less": {2, 2, 2}}, "none", "less")
	for i := range r.Cases[1].Samples {
		r.Cases[1].Samples[i].Bytes = 1 << 10
	}
	want = []string{
		"HDF5, write, 2 processes: time divided by that of filter=none: less 1.00 (range 1.00 to 1.00), but writes " +
			"1 KiB instead of 1 MiB.",
	}
	if got := r.ChoiceSentences(); !slices.Equal(got, want) {
		t.Errorf("other work: %q", got)
	}
	r = choiceRun(map[string][]float64{"1K": {1}, "2K": {1}}, "1K", "2K")
	if got := r.ChoiceSentences(); got != nil {
		t.Errorf("sizes: %q", got)
	}
}

// Cases with other transfers are compared by themselves.
func TestChoicesAreComparedWithinATransferSize(t *testing.T) {
	r := figurestest.Sweep()
	var cases []result.Case
	for i, value := range []string{"one", "other"} {
		values := []result.KeyValue{{Key: "create", Value: value}}
		for _, bytes := range []uint64{1 << 10, 1 << 20} {
			c := r.Cases[0]
			c.API, c.Values, c.TransferSize, c.BufferBytes, c.Samples = result.PHDF5, values, bytes, bytes, nil
			for k := range 3 {
				s := result.Sample{Operation: result.OperationWrite, Iteration: k + 1, Bytes: 1 << 20}
				s.Access.WindowSeconds = float64((i + 1) * (1 << 20) / int(bytes))
				s.OpenClose.WindowSeconds = s.Access.WindowSeconds
				c.Samples = append(c.Samples, s)
			}
			cases = append(cases, c)
		}
		r.Swept = append(r.Swept, result.SweptCases{Values: values, Parameters: r.Parameters})
	}
	r.Cases = cases
	got := r.ChoiceSentences()
	if len(got) != 2 {
		t.Fatalf("%q", got)
	}
	for i, size := range []string{"1 KiB", "1 MiB"} {
		if !strings.Contains(got[i], size) ||
			!strings.HasSuffix(got[i], "time divided by that of create=one: other 2.00 (range 2.00 to 2.00).") {
			t.Errorf("%q", got[i])
		}
	}
}

// A value with which an API does the same as with another one is in brackets there, and is not compared.
func TestValuesThatOnlyHDF5HasAreInBrackets(t *testing.T) {
	times := map[string][]float64{"or": {8, 8, 8}, "points": {2, 2, 2}, "block": {4, 4, 4}}
	r := choiceRun(times, "block", "or", "points")
	for _, c := range r.Cases[:3] {
		if c.API = result.MPIIO; c.Values[0].Value == "points" {
			c.SameAs = r.Cases[1].Values
		}
		r.Cases = append(r.Cases, c)
	}
	want := []string{
		"HDF5, write, 2 processes: time divided by that of filter=block: or 2.00 (range 2.00 to 2.00); points 0.50 " +
			"(range 0.50 to 0.50).",
		"MPI-IO, write, 2 processes: time divided by that of filter=block: or 2.00 (range 2.00 to 2.00).",
		"Where values differ in HDF5 alone, they do the same with MPI-IO: tables have such values in brackets there.",
	}
	if got := r.ChoiceSentences(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	var values []string
	for _, p := range r.Points() {
		values = append(values, p.Case.API+" "+r.SweptValue(0)(p))
	}
	if want := []string{
		"phdf5 block", "mpiio block", "phdf5 or", "mpiio (or)", "phdf5 points", "mpiio (points)",
	}; !slices.Equal(values, want) {
		t.Errorf("%q", values)
	}
	for i := range r.Cases {
		if c := &r.Cases[i]; c.API == result.MPIIO {
			c.SameAs = r.Cases[0].Values
		}
	}
	want = []string{want[0], want[2]}
	if got := r.ChoiceSentences(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// Values that move other amounts are not in brackets, though one of the others chooses a filter.
func TestValuesWithOtherWorkAreNotInBracketsBesideFilters(t *testing.T) {
	times := map[string][]float64{"contiguous": {2, 2, 2}, "filtered": {8, 8, 8}, "compact": {1, 1, 1}}
	for _, documentSaysSo := range []bool{false, true} {
		r := choiceRun(times, "contiguous", "filtered", "compact")
		for i := range r.Cases[2].Samples {
			r.Cases[2].Samples[i].Bytes = 1 << 10
		}
		for _, c := range r.Cases[:3] {
			if c.API = result.MPIIO; documentSaysSo && c.Values[0].Value == "filtered" {
				c.SameAs = r.Cases[0].Values
			}
			r.Cases = append(r.Cases, c)
		}
		r.Cases[1].FilterTimes = []result.FilterTime{{Dataset: "d", Filters: []string{"deflate"}}}
		compact := "compact 0.50 (range 0.50 to 0.50), but writes 1 KiB instead of 1 MiB."
		want := []string{
			"HDF5, write, 2 processes: time divided by that of filter=contiguous: filtered 4.00 (range 4.00 to " +
				"4.00); " + compact,
			"MPI-IO, write, 2 processes: time divided by that of filter=contiguous: " + compact,
			"Filters are those of HDF5, and do nothing with MPI-IO: tables have such values of filter in brackets " +
				"there.",
		}
		if documentSaysSo {
			want[2] = "Where values differ in HDF5 alone, they do the same with MPI-IO: tables have such values in " +
				"brackets there."
		}
		if got := r.ChoiceSentences(); !slices.Equal(got, want) {
			t.Errorf("%q", got)
		}
		var values []string
		for _, p := range r.Points() {
			values = append(values, p.Case.API+" "+r.SweptValue(0)(p))
		}
		if want := []string{
			"phdf5 contiguous", "mpiio (contiguous)", "phdf5 filtered", "mpiio (filtered)", "phdf5 compact",
			"mpiio compact",
		}; !slices.Equal(values, want) {
			t.Errorf("%q", values)
		}
	}
}

// Brackets are explained without comparisons, too: if there are too many, or if all values are sizes.
func TestBracketsAreExplainedWithoutComparisons(t *testing.T) {
	const explained = "Where values differ in HDF5 alone, they do the same with MPI-IO: tables have such values in " +
		"brackets there."
	times := map[string][]float64{"one": {1}, "other": {1}, "1K": {1}, "2K": {1}}
	sizes, many := choiceRun(times, "1K", "2K"), choiceRun(times, "one", "other")
	for _, r := range []*figures.Run{&sizes, &many} {
		for _, c := range r.Cases {
			c.API, c.SameAs = result.MPIIO, nil
			if c.Values[0] != r.Cases[0].Values[0] {
				c.SameAs = r.Cases[0].Values
			}
			r.Cases = append(r.Cases, c)
		}
	}
	if got := sizes.ChoiceSentences(); !slices.Equal(got, []string{explained}) {
		t.Errorf("sizes: %q", got)
	}
	cases := many.Cases
	many.Cases, many.Swept = nil, nil
	for i := range 25 {
		with := func(all []result.KeyValue) []result.KeyValue {
			return append(slices.Clone(all), result.KeyValue{Key: "mode", Value: strings.Repeat("x", i+1)})
		}
		for _, c := range cases {
			if c.Values = with(c.Values); c.SameAs != nil {
				c.SameAs = with(c.SameAs)
			}
			if many.Cases = append(many.Cases, c); c.API == result.MPIIO {
				many.Swept = append(many.Swept, result.SweptCases{Values: c.Values, Parameters: many.Parameters})
			}
		}
	}
	if got := many.ChoiceSentences(); len(got) != 2 || !strings.Contains(got[0], "are too many to show") ||
		got[1] != explained {
		t.Errorf("very many: %q", got)
	}
}
