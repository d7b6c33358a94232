package script_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// checkRefused fails unless each script of a txtar file has the error that is its file name there.
func checkRefused(t *testing.T, file string) {
	t.Helper()
	scripts, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, script := range scripts.Files {
		refuses(t, "\n"+string(script.Data), script.Name)
	}
}

// mostAllocated is the largest number of bytes that the process may allocate before a script is refused.
const mostAllocated = 1 << 30

// refuses fails unless a script has an error that contains want.
func refuses(t *testing.T, script, want string) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := program(script, 0)
	if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "w.star:") {
		t.Errorf("%.300s\ngot  %v\nwant %s", script, err, want)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > mostAllocated {
		t.Errorf("%.300s\nit took %d MiB", script, n>>20)
	}
}

func TestErrorsHavePlacesAndSayWhatToDo(t *testing.T) { checkRefused(t, "testdata/errors.txtar") }

func TestScriptsThatAskForTooMuchAreRefused(t *testing.T) {
	checkRefused(t, "testdata/bounds.txtar")
	refuses(t, "\nx = "+strings.Repeat("(", 100_000), "w.star:2:1: more than 100 brackets within one another")
	refuses(t, "\n"+strings.Repeat("# x\n", 1<<22), "the script has more than 16777216 bytes, the limit")
}

// Engines do a batch in one loop in C.
func TestAMillionObjectsAreOneBatch(t *testing.T) {
	for text, want := range map[string]string{
		`
def write(job):
    f = job.create("f")
    g = f.create_group(numbered("g%d", 1000000))
    g.close()
    f.close()
`: "[file open 0 create 1000000 object close 1000000 file close 0]",
		`
def write(job):
    f = job.create("f")
    all = [f.create_group(name) for name in numbered("g%d", 1000000)]
    for g in all:
        g.attrs["unit"] = "m"
    f.close()
`: "[file open 0 create 1000000 attribute 1000000 object close 1000000 file close 0]",
		`
def write(job):
    f = job.create("f")
    d = f.create_dataset(numbered("d%d", 1000000), "f8", 4)
    d.write(slab())
    job.fence()
    f.unlink(numbered("d%d", 1000000))
    f.close()
`: "[file open 0 create 1000000 select 1 transfer 1000000 fence 0 unlink 1000000 object close 1000000 file close 0]",
	} {
		p, err := program(text, 0)
		if err != nil {
			t.Fatal(err)
		}
		var all []any
		for s := range p.Parts[0].Steps() {
			all = append(all, s.Class, s.Count)
		}
		if got := fmt.Sprint(all); got != want || len(p.Objects) != 1 {
			t.Errorf("%s%s of %d families, want %s", text, got, len(p.Objects), want)
		}
	}
}
