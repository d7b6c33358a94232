//go:build cgo

package bench_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/bench"
	"h5perf/pkg/engine"
	"h5perf/pkg/engine/hdf5"
	"h5perf/pkg/engine/posix"
	"h5perf/pkg/mpi"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/workload"
)

// attacks replace a private directory by another directory, or by a link to one.
var attacks = map[string]func(private, trap string) error{
	"exchange": func(private, trap string) error {
		return unix.Renameat2(unix.AT_FDCWD, private, unix.AT_FDCWD, trap, unix.RENAME_EXCHANGE)
	},
	"link": func(private, trap string) error {
		return errors.Join(os.Rename(private, private+".away"), os.Symlink(trap, private))
	},
}

// scene is a private directory and, next to it, a trap: a directory in which all data files are links to a precious
// file.
type scene struct {
	base, private, trap string
	dir                 *rundir.OpenDir
}

// setScene makes a scene. Collective.
func setScene(t *testing.T, world mpi.Comm) scene {
	t.Helper()
	base := mpitest.Dir(t, world)
	s := scene{base: base, private: filepath.Join(base, "private"), trap: filepath.Join(base, "trap")}
	d := rundir.Dir{Path: s.private, RunID: "test"}
	if world.Rank() == 0 {
		if err := errors.Join(os.Mkdir(s.private, 0o700), os.Mkdir(s.trap, 0o777)); err != nil {
			t.Fatal(err)
		}
		s.bait(t)
	}
	world.Barrier()
	s.dir = hold(t, d.Path)
	return s
}

func (s scene) bait(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.trap, "precious"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"1.posix", "1.mpio", "1.h5", "1-00000.h5", "1-m.h5", "1-r.h5", "1-s.h5", "1-b.h5", "1-g.h5", "1-l.h5", "1-o.h5",
	} {
		if err := os.Symlink("precious", filepath.Join(s.trap, "data_test_"+name)); err != nil {
			t.Fatal(err)
		}
	}
}

// untouched checks that the trap is unchanged, wherever it is now.
func (s scene) untouched(t *testing.T) {
	t.Helper()
	links, precious := 0, ""
	err := filepath.WalkDir(s.base, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.Type() == fs.ModeSymlink && strings.HasPrefix(e.Name(), "data_"):
			links++
		case e.Name() == "precious":
			data, err := os.ReadFile(path)
			precious = string(data)
			return err
		}
		return nil
	})
	if err != nil || links != 11 || precious != "mine" {
		t.Errorf("%v: %d links are left of 11, and the precious file holds %q", err, links, precious)
	}
}

// attacked is an engine that calls attack on rank 0, after each close of a file that it wrote.
type attacked struct {
	engine.Engine
	attack func()
}

type attackedSession struct {
	engine.Session
	attack func()
}

func (e attacked) Prepare(env engine.Env, program workload.Program) (engine.Session, error) {
	s, err := e.Engine.Prepare(env, program)
	if env.Comm.Rank() != 0 {
		return s, err
	}
	return attackedSession{s, e.attack}, err
}

func (s attackedSession) Do(b *workload.Batch) error {
	err := s.Session.Do(b)
	if b.Class == workload.FileClose && b.Op == workload.Write {
		s.attack()
	}
	return err
}

// busyBefore is an observer that calls attack when a file begins.
type before struct {
	*trace
	attack func()
}

func (o before) BeginFile(i int, path string) {
	o.trace.BeginFile(i, path)
	o.attack()
}

// underAttack runs a plan of one case in scenes whose directory is replaced, before files are created or between
// writing and reading. Collective.
func underAttack(t *testing.T, world mpi.Comm, p plan.Plan, api string, newEngine func() engine.Engine) {
	t.Helper()
	for name, attack := range attacks {
		for _, moment := range []string{"before files are made", "after they are written"} {
			s := setScene(t, world)
			strike := func() {
				if err := attack(s.private, s.trap); err != nil {
					t.Fatal(err)
				}
			}
			seen := newTrace()
			arm := bench.Arm{Plan: p, Dir: s.dir, Observer: before{seen, strike}}
			arm.Engines = map[string]func() engine.Engine{api: newEngine}
			if moment != "before files are made" {
				arm.Observer = seen
				arm.Engines[api] = func() engine.Engine { return attacked{newEngine(), strike} }
			}
			stop, err := engine.NewStopFlag()
			if err != nil {
				t.Fatal(err)
			}
			state := bench.Run(bench.Config{
				World: world, Stop: stop, Now: time.Now, Clock: bench.NodeClock, Host: "here", Grace: time.Hour,
				Arms: []bench.Arm{arm}, Abort: func(e result.Error) { t.Fatalf("abort: %v", e.Message) },
			})
			if world.Rank() != 0 {
				continue
			}
			if c := seen.cases[0]; state != result.Failed || c.Error == nil ||
				!strings.Contains(c.Error.Message, rundir.ErrReplaced.Error()) || len(c.Samples) != 0 {
				t.Errorf("%s, %s, %s: %s, %+v, %d samples", api, name, moment, state, c.Error, len(c.Samples))
			}
			s.untouched(t)
			if err := s.dir.Clean(false); !errors.Is(err, rundir.ErrReplaced) {
				t.Errorf("%s, %s, %s: clean: %v", api, name, moment, err)
			}
			s.untouched(t)
			if names, err := s.dir.DataFiles(); err != nil || len(names) > 0 {
				t.Errorf("%s, %s, %s: left are %v, %v", api, name, moment, names, err)
			}
		}
	}
}

func TestTheSerialToolTouchesNothingInAnExchangedDirectory(t *testing.T) {
	for _, driver := range []string{"posix", "sec2", "stdio", "core", "split", "multi", "family"} {
		o := plan.Options{
			Serial: &option.SerialSizes{
				DatasetExtent: []uint64{64, 64},
				BufferExtent:  []uint64{16, 32}, APIs: []string{result.POSIX},
			},
		}
		newEngine := posix.New
		if driver != "posix" {
			o.Serial.APIs, o.HDF5.Driver, newEngine = []string{result.HDF5}, option.Driver(driver), hdf5.New
		}
		p, err := plan.New(o, plan.JobFacts{})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(driver, func(t *testing.T) { underAttack(t, mpi.Self{}, p, o.Serial.APIs[0], newEngine) })
	}
}
