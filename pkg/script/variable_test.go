package script_test

import (
	"fmt"
	"strings"
	"testing"
)

// Parallel HDF5 does not write what has a variable length, but reads it.
func TestRanksWriteVariableLengthsByThemselves(t *testing.T) {
	const shared, alone = `job.create("f")`, `job.create("f_%d" % job.rank, alone = True)`
	for _, c := range []struct{ file, steps, want string }{
		{shared, "a.write(everything())", "f:/a has a variable length, which parallel HDF5 does not write: let a rank"},
		{shared, "a.read(everything())", ""},
		{shared, "b.write(everything())", ""},
		{alone, "a.write(everything())", ""},
		{alone, "job.write_multi([a, b], everything())", "f_0:/a has a variable length: transfer it by itself"},
		{alone, "a.write(everything(), memory = strided_memory(2))", "leave out memory"},
		{alone, "c.write(everything(), memory = members([\"x\"]))", "leave out memory"},
	} {
		_, err := program(fmt.Sprintf(`
def write(job):
    f = %s
    a = f.create_dataset("a", vlen("i4", mean = 3), 8)
    b = f.create_dataset("b", "i4", 8)
    c = f.create_dataset("c", [("x", string(mean = 3)), ("y", "i4")], 8)
    %s
    f.close()
`, c.file, c.steps), 0)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.steps, err, c.want)
		}
	}
	if _, err := program(`
def write(job):
    f = job.create("f")
    f.create_dataset("a", string(mean = 3), 8)
    f.close()
    def alone():
        f = job.open("f")
        f["a"].write(everything())
        f.close()
    job.root(alone)
`, 1); err != nil {
		t.Errorf("rank 0 writes what all have created: %v", err)
	}
}
