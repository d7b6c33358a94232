package run

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/bench"
	"h5perf/pkg/mpi"
	"h5perf/pkg/node"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/rundir"
	"h5perf/pkg/watch"
)

// chooseDirectory sets the path of the private directory to the one that rank 0 chooses. It returns an error if the
// environment of this process names another base directory than that of rank 0. Collective.
func (a *arm) chooseDirectory() error {
	j := a.job
	base, mkdir := rundir.BaseDirectory(j.Prefix, a.request.Getenv)
	j.reportActivity(bench.Activity{Phase: result.PhaseStart, Path: base})
	var dir rundir.Dir
	var err error
	if j.world.Rank() == 0 {
		dir, err = rundir.NewDir(base, mkdir, rundir.NewRunID(j.Now()))
	}
	a.base, a.dir = base, mpi.Broadcast(j.world, dir, 0)
	if a.dir.Path != "" {
		a.base = filepath.Dir(a.dir.Path)
		if mkdir && filepath.Base(a.base) == filepath.Base(base) {
			a.tree = filepath.Dir(a.base)
		}
	}
	if first := string(j.world.Bcast([]byte(base), 0)); base != first {
		return fmt.Errorf("directory for data files: this rank would use %s, but rank 0 uses %s; all ranks need "+
			"the same %s and USER",
			base, first, j.Prefix)
	}
	if err == nil {
		err = a.checkPath()
	}
	return err
}

// measuredDirectory returns a directory on the file system that the run measures: the parent of the private directory,
// or the directory of the file that the option --read-only names.
func (a *arm) measuredDirectory() string {
	if file := a.plan.Parameters.Conditions.ReadOnly; file != "" {
		return filepath.Dir(file)
	}
	return a.base
}

// maxPathBytes is the length in bytes of the longest path that Open MPI's own MPI-IO, OMPIO, is given. With paths over
// 255 bytes, OMPIO 4.1 overflows a buffer and crashes, and it appends ".locktest." and a rank, here of up to 7 digits.
const maxPathBytes = 255 - len(".locktest.") - 7

// checkPath returns an error if MPI-IO cannot use the path of a data file: OMPIO would crash, and ROMIO reads the text
// before a colon as a type of file system.
func (a *arm) checkPath() error {
	for _, api := range a.plan.Parameters.APIs {
		path := a.dir.DataPath(strconv.Itoa(a.plan.Parameters.Files), api)
		if !result.APIOf(api).MPI || a.job.Library == "" {
			continue
		}
		ompio := strings.HasPrefix(a.job.Library, "Open MPI") && !strings.HasPrefix(a.job.Component(), "ROMIO")
		switch {
		case ompio && len(path) > maxPathBytes:
			return fmt.Errorf("data file %s: its path has %d bytes, but Open MPI's OMPIO accepts at most %d: use a "+
				"shorter %s, or --io-component romio", path, len(path), maxPathBytes, a.job.Prefix)
		case !ompio && strings.Contains(path, ":"):
			return fmt.Errorf("data file %s: its path has a colon, and MPI-IO of %s reads the text before it as a "+
				"type of file system: name another directory in %s", path, libraryName(a.job.Library), a.job.Prefix)
		}
	}
	return nil
}

// libraryName returns the first two words of the string that MPI_Get_library_version returns.
func libraryName(text string) string {
	words := strings.Fields(text)
	return strings.Join(words[:min(2, len(words))], " ")
}

// makeDirectory creates the private directory. It is called on rank 0.
func (a *arm) makeDirectory() error {
	a.job.reportActivity(bench.Activity{Phase: result.PhaseStart, Path: a.dir.Path})
	held, err := a.dir.Make()
	if err != nil {
		return fmt.Errorf("%w (%s must name a directory that exists and is writable)", err, a.job.Prefix)
	}
	a.held, a.dir = held, held.Dir
	if err := a.held.WriteOwner(rundir.NewOwner(a.dir, a.plan.Parameters.KeepFiles)); err != nil {
		a.job.printError(err) // the run can go on: only 'h5perf clean' knows less about the directory
	}
	return a.stripeDirectory()
}

// warnAboutOtherRuns searches for other runs that are active in the same tree of data directories, and calls tell with
// a caution for each, unless an earlier call has reported the same run.
func (a *arm) warnAboutOtherRuns(tell func(plain.Caution)) {
	a.job.reportActivity(bench.Activity{Phase: result.PhaseStart, Path: a.base})
	for _, path := range a.dir.OtherRuns(a.tree, a.job.Now()) {
		if slices.Contains(a.otherRuns, path) || slices.ContainsFunc(a.job.arms, func(b *arm) bool {
			return b.dir.RunID != "" && filepath.Base(path) == filepath.Base(b.dir.Path)
		}) {
			continue
		}
		a.otherRuns = append(a.otherRuns, path)
		tell(plain.Caution{
			Keyword: "another run",
			Text: fmt.Sprintf("Another run of h5perf may be active in %s: both share the file system, so the results "+
				"of both may be too low.", plain.VisibleLine(path)),
		})
	}
}

// checkStripe returns an error if the file system does not have the striping that a variant requests.
func (a *arm) checkStripe() error {
	if a.request.Stripe == "" || a.request.Variant == "" {
		return nil
	}
	striping, err := node.ParseStriping(a.request.Stripe)
	if err == nil {
		_, err = striping.Commands(result.Target{Type: a.jobFacts.TargetType, Directory: a.jobFacts.Target}, os.Getenv)
	}
	return err
}

// stripeDirectory sets the striping of the private directory that the option --stripe requests, and records in the
// document the striping that the file system then reports. Without --stripe, it does nothing.
func (a *arm) stripeDirectory() error {
	if a.request.Stripe == "" {
		return nil
	}
	striping, err := node.ParseStriping(a.request.Stripe)
	target := a.out.recorder.Document().Target
	if err == nil {
		err = striping.Apply(target, os.Getenv, a.dir.Path)
	}
	if err != nil {
		return fmt.Errorf("--stripe %s: %w", a.request.Stripe, err)
	}
	target.Directory = a.dir.Path
	striped := node.FindStriping(target, os.Getenv)
	a.out.recorder.ChangeDocument(func(doc *result.Document) { doc.Target.Stripe = striped })
	return nil
}

// openDirectory opens the directory that rank 0 has created. It returns an error if this process does not see the
// directory, or cannot create files in it. Every process checks this now; later, only the first process of each node
// checks again. It sends the directory's inode to the watcher of this node. Collective.
func (a *arm) openDirectory() error {
	a.job.reportActivity(bench.Activity{Phase: result.PhaseStart, Path: a.dir.Path})
	a.dir = mpi.Broadcast(a.job.world, a.dir, 0)
	if a.held == nil {
		hold := rundir.Dir.Open
		if a.job.openDir != nil {
			hold = a.job.openDir
		}
		held, err := hold(a.dir)
		if err != nil {
			return fmt.Errorf("created by rank 0: %w (it must be on a file system that all nodes share)", err)
		}
		a.held = held
		if a.plan.Parameters.Conditions.ReadOnly == "" {
			if err := held.CheckWritable(); err != nil {
				return err
			}
		}
	}
	if a.watcher == nil {
		return nil
	}
	return a.watcher.SendMessage(watch.WatcherMessage{Inode: a.dir.Inode})
}
