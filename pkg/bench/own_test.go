package bench_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/test/null"
)

func TestEachProcessHasAFileOfItsOwn(t *testing.T) {
	var mu sync.Mutex
	opened := map[string]int{}
	mpitest.InMemory(t, mpi.MemoryJobOptions{}, 3, func(world mpi.Comm) {
		for _, fails := range []bool{false, true} {
			dir := mpitest.Dir(t, world)
			o := small(world, option.Conditions{})
			o.FilesPerProcess, o.APIs, o.Files = true, []string{result.POSIX}, new(2)
			state, cases := measure(t, world, o, dir, nullEngines(null.Options{Fail: func(s null.Step) error {
				mu.Lock()
				defer mu.Unlock()
				if s.Phase == null.Open && !fails {
					opened[filepath.Base(s.Path)]++
				}
				if fails && s.Phase == null.Transfer && world.Rank() == 1 {
					return errors.New("input/output error")
				}
				return nil
			}}))
			if fails {
				if e := cases[0].Error; state != result.Failed || len(cases[0].Samples) > 0 || e == nil || e.Rank != 1 {
					t.Errorf("%s, %+v", state, cases[0])
				}
			} else if complete(t, "own", cases, true); cases[0].Samples[0].Bytes != 3*2*8*8<<10 {
				t.Errorf("%+v", cases[0].Samples[0])
			}
			world.Barrier()
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("%v, %v are left", err, left)
			}
		}
	})
	for _, name := range []string{"1_0", "1_1", "1_2", "2_0", "2_1", "2_2"} {
		if n := opened["data_test_"+name+".posix"]; n != 2 || len(opened) != 6 {
			t.Errorf("%s was opened %d times, to write and to read; all: %v", name, n, opened)
		}
	}
}
