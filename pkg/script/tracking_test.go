package script_test

import (
	"fmt"
	"strings"
	"testing"

	"h5perf/pkg/script"
	"h5perf/pkg/workload"
)

// madeBy returns the program of rank 0 for steps in write(job), between job.create and f.close.
func madeBy(steps string) (workload.Program, error) {
	text := `"""Makes a file."""

def write(job):
    job.dump()
    f = job.create("x", track_order = True, track_times = False)
    ` + steps + "\n    f.close()\n"
	s, err := script.Read("w.star", []byte(text))
	if err != nil {
		return workload.Program{}, err
	}
	return s.Program(0, script.JobSize{Ranks: 1, Nodes: 1})
}

func TestFillValuesAreElementsOfTheFile(t *testing.T) {
	for _, c := range []struct{ dtype, value, want string }{
		{`"i2"`, "-2", "feff"},
		{`">i2"`, "-2", "fffe"},
		{`"u1"`, "255", "ff"},
		{`"u8"`, "1", "0100000000000000"},
		{`bits(16, big_endian = True)`, "3", "0003"},
		{`enum({"a": 5}, "u2")`, "5", "0500"},
		{`"f4"`, "1", "0000803f"},
		{`">f8"`, "-999.0", "c08f380000000000"},
		{`"S4"`, `"ab"`, "61620000"},
		{`text(4, padding = "spaces")`, `"ab"`, "61622020"},
		{`[("a", "u1"), ("b", "u2")]`, `b"\x01\x02\x03"`, "010203"},
		{`"f2"`, `b"\x00\x7e"`, "007e"},
		{`"f4"`, "None", ""},
		{`"u1"`, "256", "error: fillvalue is 256, which no element of type u8 has"},
		{`"i1"`, "-129", "error: fillvalue is -129"},
		{`"f4"`, "1e300", "error: fillvalue is 1e+300"},
		{`"i4"`, "1.5", "error: fillvalue is 1.5"},
		{`"S1"`, `"ab"`, `error: fillvalue is "ab"`},
		{`"u2"`, `b"\x01"`, "error: fillvalue has 1 bytes, but an element 2"},
		{`array("u2", (2,))`, "1", "error: fillvalue is 1"},
	} {
		p, err := madeBy(fmt.Sprintf(`f.create_dataset("d", %s, shape = (3,), fillvalue = %s)`, c.dtype, c.value))
		want, refused := strings.CutPrefix(c.want, "error: ")
		if refused {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %s: %v, want %s", c.dtype, c.value, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s, %s: %v", c.dtype, c.value, err)
			continue
		}
		if got := fmt.Sprintf("%x", p.Objects[0].Fill.Value); got != want {
			t.Errorf("%s, %s: %s, want %s", c.dtype, c.value, got, c.want)
		}
	}
}

func TestWhatHDF5KeepsAboutObjects(t *testing.T) {
	p, err := madeBy(`f.create_group("g", track_order = ("tracked", "none")).create_dataset("d", "f8", (3,), ` +
		`track_order = True, track_times = False)`)
	if err != nil {
		t.Fatal(err)
	}
	indexed := workload.IndexedOrder
	got := fmt.Sprint(p.Files[0].Tracking, p.Objects[0].Tracking, p.Objects[1].Tracking)
	want := fmt.Sprint(workload.Tracking{NoTimes: true, Links: indexed, Attributes: indexed},
		workload.Tracking{Links: workload.TrackedOrder}, workload.Tracking{NoTimes: true, Attributes: indexed})
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for steps, want := range map[string]string{
		`f.create_group("g", track_order = "all")`:            "give True, or a word for links and one for attributes",
		`f.create_group("g", track_order = ("yes", "none"))`:  "the order",
		"f.close()\n    f = job.create(\"x\")":                "with other track_order or track_times before",
		`f.create_dataset("g", "f8", (), track_order = (1,))`: "no order",
	} {
		if _, err := madeBy(steps); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", steps, err, want)
		}
	}
}
