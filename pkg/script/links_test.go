package script_test

import (
	"fmt"
	"strings"
	"testing"

	"h5perf/pkg/workload"
)

func TestLinksAreCreatedAndNotOpened(t *testing.T) {
	p, err := madeBy(`g = f.create_group("g")
    f["hard"] = hard_link("/g")
    g["soft"] = soft_link("../x")
    f[numbered("e%d", 3)] = external_link("other.h5", "/x")`)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for s := range p.Parts[workload.Write].Steps() {
		if s.Class == workload.Create || s.Class == workload.CreateLink || s.Class == workload.ObjectClose {
			path := p.PathOf(s.Object, s.First)
			got = append(got, fmt.Sprint(s.Class, " ", path, " ", s.Count, " ", p.Objects[s.Object].Link))
		}
	}
	want := "create x:/g 1 {hard  }, link x:/hard 1 {hard  /g}, link x:/g/soft 1 {soft  ../x}, " +
		"link x:/e0 3 {external other.h5 /x}, object close x:/g 1 {hard  }"
	if strings.Join(got, ", ") != want {
		t.Errorf("%s, want %s", strings.Join(got, ", "), want)
	}
	if err := p.Check(); err != nil {
		t.Error(err)
	}
	link := `f["a"] = soft_link("/x")` + "\n    "
	family := `g = f.create_group(numbered("g%02d", 3))
    g.create_group(numbered("%d_x", 2))` + "\n    "
	alone := `o = job.create("y", alone = True)
    o.create_group("g")` + "\n    "
	for steps, want := range map[string]string{
		`f["a"] = soft_link("")`:                                "is no path",
		`f["a"] = hard_link("x")`:                               "is no path",
		`f["a"] = hard_link("/x")`:                              "no object of this path",
		`f["a"] = hard_link("/a")`:                              "no object of this path",
		`f["a"] = hard_link("/x/../y")`:                         "no object of this path",
		family + `f["a"] = hard_link("/g03")`:                   "no object of this path",
		family + `f["a"] = hard_link("/g2")`:                    "no object of this path",
		family + `f["a"] = hard_link("/g02/2_x")`:               "no object of this path",
		family + `f["a"] = hard_link("/g02/_x")`:                "no object of this path",
		family + `f["a"] = hard_link("/0_x")`:                   "no object of this path",
		alone + `o["a"] = hard_link("/x")`:                      "no object of this path",
		`f["a"] = external_link("../other.h5", "/")`:            "is no name of a file in the directory of the run",
		`f["a"] = external_link("..", "/")`:                     "is no name of a file in the directory of the run",
		`f["a"] = soft_link("/x\x00")`:                          "has a character NUL",
		link + `f["a"]`:                                         "is a link: open what it points to",
		link + `f["a"] = soft_link("/y")`:                       "is there already",
		link + `f.create_group("a")`:                            "is there already",
		`f.create_dataset("d", "f8", ())["a"] = soft_link("/")`: "gets no values by an index",
	} {
		if _, err := madeBy(steps); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", steps, err, want)
		}
	}
	group := `g = f.create_group("g")` + "\n    "
	for _, steps := range []string{
		group + `f["a"] = hard_link("//g/.")`, `f["a"] = hard_link("/")`,
		family + `f["a"] = hard_link("/g02/1_x")`, alone + `o["a"] = hard_link("/g"); o.close()`,
		alone + `o.close(); o = job.open("y", alone = True); o["a"] = hard_link("/x"); o.close()`, // may be another's
		group + `f["s"] = soft_link("/g")` + "\n    " + `f["a"] = hard_link("/s/x")`,
	} {
		if _, err := madeBy(steps); err != nil {
			t.Errorf("%s: %v", steps, err)
		}
	}
}
