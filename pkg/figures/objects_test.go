package figures_test

import (
	"slices"
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/workload"
)

// withObjects returns the last case of Workload, which is HDF5, with two samples of these classes.
func withObjects(classes []result.ClassTime, files ...result.FileSize) figures.Run {
	r := figurestest.Workload()
	c := r.Cases[len(r.Cases)-1]
	c.Samples = c.Samples[:2] // a write and a read
	for i := range c.Samples {
		c.Samples[i].Classes = classes
	}
	c.Effective = &result.Effective{Files: files}
	r.Cases = []result.Case{c}
	return r
}

func rowNamed(name string) figures.Row {
	return figures.Rows[slices.IndexFunc(figures.Rows, func(r figures.Row) bool { return r.Name == name })]
}

func TestObjectsPerSecond(t *testing.T) {
	time := func(class workload.StepClass, seconds float64, objects uint64) result.ClassTime {
		return result.ClassTime{
			Class: result.ClassOf(class), Interval: result.Interval{Max: seconds, Mean: seconds}, Objects: objects,
		}
	}
	r := withObjects([]result.ClassTime{
		time(workload.Create, 2, 1000), time(workload.Attribute, 1, 200), time(workload.Stat, 0.5, 99),
		time(workload.ObjectClose, 1, 1000), time(workload.Sync, 0.5, 0), time(workload.FileClose, 1.5, 0),
	}, result.FileSize{Name: "a", Bytes: 60000, Objects: 1200}, result.FileSize{Name: "b", Bytes: 5000},
		result.FileSize{Name: "c", Bytes: 59000, Objects: 110, Unlinked: 1000})
	got := map[string]float64{}
	for _, row := range figures.Rows {
		for _, p := range r.Points() {
			if v, ok := row.PointValue(p); ok && (row.RatedClass != "" || row.Unit.Suffix != "seconds") {
				got[string(p.Operation)+" "+row.Name] = v.Median
			}
		}
	}
	for name, want := range map[string]float64{
		"write rate_create": 500, "read rate_create": 500, "write rate_attribute": 200, "write rate_object_close": 1000,
		"write created_to_close": 200, // 1200 objects in 6 s
		"write object_size":      50,  // without the files that hold none, and from which objects were unlinked
	} {
		if got[name] != want {
			t.Errorf("%s: %v, want %v", name, got[name], want)
		}
	}
	for _, name := range []string{
		"write rate_stat", // of too few objects
		"write rate_list", "read created_to_close", "read object_size",
	} {
		if x, is := got[name]; is {
			t.Errorf("%s: %v, want none", name, x)
		}
	}
}

// Documents of before do not say from which files objects were unlinked.
func TestFilePerObjectIsUnknownWithoutTheFilesOfUnlinks(t *testing.T) {
	unlinks := []result.ClassTime{{Class: result.ClassOf(workload.Unlink), Objects: 1000}}
	for _, c := range []struct {
		classes []result.ClassTime
		file    result.FileSize
		ok      bool
	}{
		{unlinks, result.FileSize{Name: "b", Bytes: 59000, Objects: 110}, false},
		{unlinks, result.FileSize{Name: "b", Bytes: 59000, Objects: 110, Unlinked: 1000}, true},
		{nil, result.FileSize{Name: "b", Bytes: 11000, Objects: 110}, true},
	} {
		r := withObjects(c.classes, result.FileSize{Name: "a", Bytes: 60000, Objects: 1200}, c.file)
		row := rowNamed("object_size")
		p := r.Points()[0]
		if v, ok := row.PointValue(p); ok != c.ok || ok && (v.Median < 50 || v.Median > 55) {
			t.Errorf("%+v: %v, %v", c.file, v, ok)
		}
	}
}

// Objects are created up to the close in those dumps that create: what renames and unlinks write does not count.
func TestObjectsAreCreatedToTheCloseOfTheirDumps(t *testing.T) {
	type seconds = map[workload.StepClass]float64
	classes := func(all seconds) (of []result.ClassTime) {
		for class := range workload.NumClasses {
			if time, is := all[class]; is {
				of = append(of, result.ClassTime{
					Class: result.ClassOf(class), Interval: result.Interval{Max: time}, Objects: 1000,
				})
			}
		}
		return of
	}
	creates := seconds{workload.Create: 2, workload.ObjectClose: 1, workload.Sync: 1, workload.FileClose: 1}
	renames := seconds{workload.Rename: 2, workload.FileClose: 5}
	both := seconds{workload.Create: 2, workload.Unlink: 2, workload.FileClose: 6}
	row := rowNamed("created_to_close")
	for _, c := range []struct {
		name  string
		whole seconds
		dumps []seconds
		want  float64 // 0: none
	}{
		{"dumps that rename beside others", seconds{
			workload.Create: 2, workload.ObjectClose: 1, workload.Sync: 1, workload.FileClose: 6, workload.Rename: 2,
		}, []seconds{creates, renames}, 200},
		{"a dump that does both", both, []seconds{creates, both}, 0},
		{"one dump", creates, nil, 200},
		{"unlinks without times of dumps", both, nil, 0},
	} {
		s := result.Sample{Operation: result.OperationWrite, Classes: classes(c.whole)}
		for i, of := range c.dumps {
			d := result.DumpTime{First: i + 1, Last: i + 1}
			for _, t := range classes(of) {
				d.Classes = append(d.Classes, result.DumpClass{Class: t.Class, Max: t.Max})
			}
			s.Dumps = append(s.Dumps, d)
		}
		if got, ok := row.SampleValue(result.Case{}, s); ok != (c.want > 0) || ok && got != c.want {
			t.Errorf("%s: %v, %v; want %v", c.name, got, ok, c.want)
		}
	}
}
