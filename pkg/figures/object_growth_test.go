package figures_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/workload"
)

// sweptCase returns a case of a sweep over objects: five writes whose classes have so many objects, each of which takes
// a time in seconds. The times of samples differ by up to 10 %.
func sweptCase(api, value string, objects uint64, fileBytes uint64, times map[workload.StepClass]float64) result.Case {
	c := result.Case{
		Processes: 2, Nodes: 1, API: api, State: result.Complete,
		Values:    []result.KeyValue{{Key: "kind", Value: "scalar"}, {Key: "objects", Value: value}},
		Effective: &result.Effective{Files: []result.FileSize{{Name: "f", Bytes: fileBytes, Objects: objects}}},
	}
	for i := range 5 {
		s := result.Sample{Operation: result.OperationWrite, Iteration: i + 1, Bytes: 1 << 20}
		s.Access.WindowSeconds, s.OpenClose.WindowSeconds = 10, 10
		for class := range workload.NumClasses {
			if time, is := times[class]; is {
				seconds := time * float64(objects) * (1 + float64(i)/40)
				s.Classes = append(s.Classes, result.ClassTime{
					Class: result.ClassOf(class), Objects: objects,
					Interval: result.Interval{Max: seconds, Mean: seconds},
				})
			}
		}
		c.Samples = append(c.Samples, s)
	}
	return c
}

// sentencesOf returns the sentences about objects of a run with these cases.
func sentencesOf(libver option.Libver, cases ...result.Case) []string {
	r := figurestest.Workload()
	r.Cases, r.Parameters.Libver = cases, libver
	return r.ObjectSentences()
}

func TestTimesThatGrowWithTheNumberOfObjectsAreTold(t *testing.T) {
	type times = map[workload.StepClass]float64
	few := sweptCase(result.PHDF5, "1000", 1000, 100_000, times{
		workload.Create: 1e-5, workload.Stat: 1e-5, workload.Rename: 1e-5, workload.Unlink: 1e-7, workload.Sync: 1e-5,
	})
	many := sweptCase(result.PHDF5, "10K", 10240, 1_000_000, times{
		workload.Create: 1.024e-4, workload.Stat: 1.2e-5, workload.Rename: 1e-6, workload.Unlink: 1e-5,
		workload.Sync: 2e-5,
	})
	got := sentencesOf("", few, many)
	want := []string{
		"HDF5, write, 2 processes, kind=scalar: the time of an object grows from objects=1000 to objects=10K: create " +
			"from 10.5 µs to 108 µs; sync from 10.5 µs to 21 µs. So the time of all grows faster than their number, " +
			"up to about as its power 2.",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	few.Samples, many.Samples = few.Samples[:4], many.Samples[:4]
	if got := sentencesOf("", few, many); got != nil {
		t.Errorf("%q from 4 samples", got)
	}
	of := times{workload.Attribute: 1e-5}
	attributes := []result.Case{sweptCase(result.PHDF5, "1000", 1000, 1000, of)}
	of = times{workload.Attribute: 1e-4}
	attributes = append(attributes, sweptCase(result.PHDF5, "8000", 8000, 8000, of))
	for version, told := range map[option.Libver]bool{"": true, option.LibverEarliest: true, option.LibverV18: false} {
		got := sentencesOf(version, attributes...)
		if len(got) != 1 || strings.Contains(got[0], "--libver v18") != told {
			t.Errorf("format %q: %q", version, got)
		}
	}
}

// A class of steps may take too little time with the fewest objects: its growth is told from the next number on.
func TestGrowthIsToldFromTheFirstNumberThatTakesTime(t *testing.T) {
	type times = map[workload.StepClass]float64
	series := []result.Case{
		sweptCase(result.PHDF5, "100", 100, 10_000, times{workload.Create: 1e-5, workload.Attribute: 4e-6}),
		sweptCase(result.PHDF5, "1000", 1000, 100_000, times{workload.Create: 4e-5, workload.Attribute: 1.6e-5}),
		sweptCase(result.PHDF5, "10000", 10000, 1_000_000, times{workload.Create: 1e-4, workload.Attribute: 5e-4}),
	}
	const start = "HDF5, write, 2 processes, kind=scalar: the time of an object grows from objects="
	got := sentencesOf("", series...)
	if len(got) != 2 || strings.Contains(got[0], "attribute") ||
		!strings.HasPrefix(got[0], start+"100 to objects=10000: create from 10.5 µs to 105 µs. ") ||
		!strings.HasPrefix(got[1], start+"1000 to objects=10000: attribute from 16.8 µs to 525 µs. ") {
		t.Errorf("%q", got)
	}
	series[1] = sweptCase(result.PHDF5, "3000", 3000, 100_000, times{workload.Create: 4e-5, workload.Attribute: 1.6e-5})
	if got := sentencesOf("", series...); len(got) != 1 || strings.Contains(got[0], "attribute from") {
		t.Errorf("of a range of less than four times as many: %q", got)
	}
}

// If an object takes the same time whatever their number is, a sentence about growth or a step is told by chance in at
// most 5 % of the sweeps, however much samples vary. If it takes twice the time, that is told.
func TestGrowthIsNotToldByChance(t *testing.T) {
	const sweeps = 200
	sizes := []struct {
		value   string
		objects uint64
	}{{"1000", 1000}, {"1500", 1500}, {"2000", 2000}, {"8000", 8000}}
	for _, c := range []struct {
		variation    float64 // coefficient of variation of the times
		samples      int
		factor       float64 // by which the time of the last size is longer
		least, worst int     // sweeps with a sentence
	}{
		{0.1, 2, 1, 0, sweeps / 20},
		{0.1, 5, 1, 0, sweeps / 20},
		{1, 4, 1, 0, sweeps / 20},
		{1, 5, 1, 0, sweeps / 20},
		{1, 7, 1, 0, sweeps / 20},
		{0.1, 7, 2, sweeps, sweeps},
	} {
		draw := rand.New(rand.NewPCG(1, 2))
		deviation := math.Sqrt(math.Log(1 + c.variation*c.variation))
		told := 0
		for range sweeps {
			var cases []result.Case
			for i, size := range sizes {
				times := map[workload.StepClass]float64{}
				for class := range workload.NumClasses {
					times[class] = 1e-4
				}
				one := sweptCase(result.PHDF5, size.value, size.objects, 100*size.objects, times)
				one.Samples = slices.Repeat(one.Samples[:1], c.samples)
				for k := range one.Samples {
					classes := slices.Clone(one.Samples[k].Classes)
					for class := range classes {
						seconds := 1e-4 * float64(size.objects) * math.Exp(deviation*draw.NormFloat64())
						if i == len(sizes)-1 {
							seconds *= c.factor
						}
						classes[class].Interval = result.Interval{Max: seconds, Mean: seconds}
					}
					one.Samples[k].Classes = classes
				}
				cases = append(cases, one)
			}
			if sentencesOf("", cases...) != nil {
				told++
			}
		}
		if told < c.least || told > c.worst {
			t.Errorf("variation %g, %d samples, times longer by %g: told in %d of %d sweeps, want %d to %d",
				c.variation, c.samples, c.factor, told, sweeps, c.least, c.worst)
		}
	}
}

func TestStepsBetweenNeighboursOfASweepAreTold(t *testing.T) {
	type times = map[workload.StepClass]float64
	small := sweptCase(result.PHDF5, "800", 800, 80_000, times{workload.Create: 1e-5})
	large := sweptCase(result.PHDF5, "900", 900, 180_000, times{workload.Create: 2e-5})
	got := sentencesOf(option.LibverLatest, small, large)
	if len(got) != 1 || !strings.HasPrefix(got[0], "HDF5, write, 2 processes, kind=scalar: a step from objects=800 to "+
		"objects=900: the file for an object from 100 B to 200 B; create of an object from 10.5 µs to 21 µs. In new "+
		"formats,") || !strings.Contains(got[0], "compact-links") {
		t.Errorf("%q", got)
	}
	if got := sentencesOf("", small, large); len(got) != 1 || strings.Contains(got[0], "compact-links") {
		t.Errorf("old format: %q", got)
	}
	attributes := []result.Case{
		sweptCase(result.PHDF5, "800", 800, 80_000, times{workload.Attribute: 1e-5}),
		sweptCase(result.PHDF5, "900", 900, 180_000, times{workload.Attribute: 1e-5}),
	}
	r := figurestest.Workload()
	r.Cases, r.Parameters.Libver, r.Parameters.CompactAttributes = attributes, option.LibverLatest, new(uint64(850))
	if got := r.ObjectSentences(); len(got) != 1 || !strings.HasSuffix(got[0], " Between them is the limit of object "+
		"headers, compact-attributes=850 (H5Pset_attr_phase_change): more are in dense storage.") {
		t.Errorf("%q", got)
	}
	same := sweptCase(result.PHDF5, "900", 900, 90_000, times{workload.Create: 1e-5})
	far := sweptCase(result.PHDF5, "1700", 1700, 340_000, times{workload.Create: 2e-5})
	for _, other := range []result.Case{same, far} {
		if got := sentencesOf(option.LibverLatest, small, other); got != nil {
			t.Errorf("%q", got)
		}
	}
}

func TestObjectsAreComparedWithFiles(t *testing.T) {
	type times = map[workload.StepClass]float64
	got := sentencesOf("",
		sweptCase(result.POSIX, "1000", 1000, 0, times{workload.Create: 2e-5, workload.Stat: 1e-5}),
		sweptCase(result.POSIX, "2000", 2000, 0, times{workload.Create: 2e-5}),
		sweptCase(result.PHDF5, "1000", 1000, 1000, times{workload.Create: 1e-5, workload.FileClose: 2e-5}))
	want := []string{
		"write, 2 processes, kind=scalar, objects=1000: an object of HDF5 takes the time of so many files with " +
			"POSIX (95 % interval): created, to the close 1.5 (range 1.36 to 1.65); create 0.5 (range 0.455 to 0.55).",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
