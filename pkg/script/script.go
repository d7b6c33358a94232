// Package script makes programs from workload files, which are scripts in Starlark. With functions like those of h5py,
// a script says which files and objects an application creates, and how each rank writes and reads them. README.md
// describes the language.
//
// A script has no clock and no files, and random numbers have a seed. Its steps, memory and objects are limited: see
// bounds.go. Other packages use:
//
//   - Open, Read and ReadProfile read a script; IsFile and FileText are for callers that need its text first.
//     Declarations holds what a script declares: title and description, sizes and choices with their meanings and
//     limits, sets of values, and settings of HDF5.
//   - Script.Choose sets sizes and choices to the values of a set and those of a user, for a job. Script.Program makes
//     the program of one rank. workload.AmountsOf sums programs over ranks.
//   - A document stores Script.Text and Script.Values: Read and Choose make the same programs from them. Script.Hash is
//     equal for two runs of the same workload.
//   - If the HDF5 library lacks a setting, or calls for several datasets, Script.WithoutSetting leaves out the setting,
//     and Script.WithSingleDatasetCalls transfers the datasets one by one.
//   - An error in a script is a *PositionError, with its position. Script.ErrorAtLine makes one from an error about a
//     step
//     of a program. An error in the values that a user chose is a *usage.Error.
//
// Except Open and FileText, the package is pure: no I/O, no clock, no cgo.
package script

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// JobSize is the size of a job.
type JobSize struct{ Ranks, Nodes int64 }

// Script is a workload file with the values of its sizes and choices.
type Script struct {
	Declarations

	scriptSource

	program *starlark.Program
	// the variables to which the top level assigns the results of calls, by the position of the call
	targets         map[textPosition]string
	givenValues     map[string]string
	omittedSettings []string  // settings that are left out
	oneByOne        bool      // datasets are transferred one by one
	knownPrograms   *sync.Map // from programKey to *knownProgram
	failures        *failedRuns
}

// textPosition is a position in the text of a script.
type textPosition struct{ line, column int32 }

// Read parses a script and runs its top level for a job of one rank. file is the path of the script; its base name
// without suffix is the name of the workload. Errors have their position in the script.
func Read(file string, text []byte) (*Script, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // some editors put this mark before UTF-8
	s := &Script{
		scriptSource: scriptSource{file, string(text)}, targets: map[textPosition]string{}, knownPrograms: &sync.Map{},
		failures: &failedRuns{},
	}
	if slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(file)) {
		return nil, s.newErrorAt(1, 1, "a workload file is a script, such as mine.star: see 'h5perf workload show "+
			"particles'")
	}
	if !utf8.Valid(text) {
		return nil, s.newErrorAt(1, 1, "the script is not in UTF-8")
	}
	tree, err := s.parseScript()
	if err != nil {
		return nil, s.locateError(err)
	}
	for _, stmt := range tree.Stmts {
		if a, is := stmt.(*syntax.AssignStmt); is {
			name, named := a.LHS.(*syntax.Ident)
			if c, called := a.RHS.(*syntax.CallExpr); named && called {
				s.targets[textPosition{c.Lparen.Line, c.Lparen.Col}] = name.Name
			}
		}
	}
	title, about := docstring(tree)
	if s.program, err = starlark.FileProgram(tree, isPredeclared); err != nil {
		return nil, s.locateError(err)
	}
	if title == "" {
		return nil, s.newErrorAt(1, 1, `there is no docstring: begin with """What the workload does."""`)
	}
	s.Name, s.Title, s.About = strings.TrimSuffix(path.Base(file), path.Ext(file)), title, about
	_, err = s.runTopLevel(JobSize{1, 1}, &s.Declarations, false)
	if err == nil && !s.HasFunction(workload.Write) && !s.HasFunction(workload.Read) {
		err = s.newErrorAt(1, 1, "there is nothing to do: define write(job) or read(job)")
	}
	return s, err
}

// docstring returns the first paragraph of the docstring at the start of a script, and the other paragraphs.
func docstring(tree *syntax.File) (title, about string) {
	if len(tree.Stmts) > 0 {
		if e, is := tree.Stmts[0].(*syntax.ExprStmt); is {
			if l, is := e.X.(*syntax.Literal); is && l.Token == syntax.STRING {
				title, about, _ = strings.Cut(strings.TrimSpace(l.Value.(string)), "\n\n")
			}
		}
	}
	return joinLines(title), joinLines(about)
}

// HasFunction reports whether the script defines the function write or read.
func (s *Script) HasFunction(op workload.Op) bool {
	_, is := s.globals[op.String()].(*starlark.Function)
	return is
}

// Text returns the text of the script.
func (s *Script) Text() string { return s.text }

// Choose returns a copy of the script for a job, with the values of the set named set (if set is not "") and the given
// values. Given values override those of the set. If the set or a given value is not valid, it returns a *usage.Error.
func (s *Script) Choose(set string, given map[string]string, job JobSize) (*Script, error) {
	chosen := s.mutableCopy()
	chosen.givenValues = map[string]string{}
	if set != "" {
		i := slices.IndexFunc(s.Sets, func(x SizeSet) bool { return x.Name == set })
		if i < 0 {
			var names []string
			for _, x := range s.Sets {
				names = append(names, x.Name)
			}
			if names == nil {
				return nil, usage.Errorf("the workload %s has no sets of sizes: give sizes with --set", s.Name)
			}
			return nil, usage.InvalidWordError("the set of sizes", set, names)
		}
		maps.Copy(chosen.givenValues, s.Sets[i].Values)
	}
	maps.Copy(chosen.givenValues, given)
	chosen.Declarations = Declarations{Name: s.Name, Title: s.Title, About: s.About}
	_, failed := chosen.runTopLevel(job, &chosen.Declarations, true)
	// The defaults stand in for values that are not valid, so that the script may fail because of them.
	for _, name := range slices.Sorted(maps.Keys(chosen.givenValues)) {
		var err error
		switch all := s.names(); {
		case !slices.Contains(all, name):
			err = usage.InvalidWordError("the size or choice", name, all)
		case slices.Contains(chosen.names(), name): // the script may have failed before it declared the name
			err = chosen.setByName(name, chosen.givenValues[name])
		}
		if err != nil {
			return nil, usage.Errorf("%v", err)
		}
	}
	if failed != nil {
		return nil, failed
	}
	return chosen, nil
}

// mutableCopy returns a copy of the script that the caller may change. The copy has no known programs.
func (s *Script) mutableCopy() *Script {
	c := *s
	c.knownPrograms, c.failures = &sync.Map{}, &failedRuns{}
	return &c
}

// Hash returns the SHA-256 of the text, the values for a job of one rank, the settings that are left out, and whether
// datasets are transferred one by one. It does not depend on the job.
func (s *Script) Hash() [sha256.Size]byte {
	var d Declarations
	_, _ = s.runTopLevel(JobSize{1, 1}, &d, true) // a job of one rank may fail where others do not
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %q %v", s.text, d.Values(), s.omittedSettings, s.oneByOne))
}

// WithoutSetting returns a copy of the script without a setting.
func (s *Script) WithoutSetting(setting string) *Script {
	c := s.mutableCopy()
	c.omittedSettings = append(slices.Clone(s.omittedSettings), setting)
	c.Settings = slices.DeleteFunc(slices.Clone(s.Settings), func(x Setting) bool { return x.Name == setting })
	return c
}

// WithSingleDatasetCalls returns a copy of the script in which a call for several datasets becomes one call for each
// dataset.
func (s *Script) WithSingleDatasetCalls() *Script {
	c := s.mutableCopy()
	c.oneByOne = true
	return c
}

// execution is the state while a script runs, such as the job, the thread and the memory that the script has used.
type execution struct {
	*Script
	job       JobSize
	declared  *Declarations
	choosing  bool      // given values that are not valid are ignored
	allocated uint64    // bytes of strings and lists that the script has made
	recorder  *recorder // nil while the top level runs
	thread    *starlark.Thread
}

// currentLine returns the line of the script that is being executed.
func (r *execution) currentLine() int {
	for depth := range r.thread.CallStackDepth() {
		if line := r.thread.CallFrame(depth).Pos.Line; line > 0 {
			return int(line)
		}
	}
	return 0
}

// runTopLevel runs the top level of the script for a job and fills in declared.
func (s *Script) runTopLevel(job JobSize, declared *Declarations, choosing bool) (*execution, error) {
	if job.Nodes < 1 || job.Ranks < job.Nodes {
		return nil, usage.Errorf("a job of %d ranks on %d nodes: there must be a node, and a rank on each", job.Ranks,
			job.Nodes)
	}
	r := &execution{Script: s, job: job, declared: declared, choosing: choosing}
	r.thread = &starlark.Thread{Name: s.path}
	r.thread.SetLocal("run", r)
	r.thread.SetMaxExecutionSteps(maxSteps)
	r.thread.OnMaxSteps = func(t *starlark.Thread) { t.Cancel(tooManySteps) }
	r.thread.Load = func(*starlark.Thread, string) (starlark.StringDict, error) {
		return nil, errors.New("a script has no other files: write what it needs in it")
	}
	predeclared := maps.Clone(predeclaredNames)
	predeclared["job"] = &jobValue{baseValue{"job"}, r}
	globals, err := s.program.Init(r.thread, predeclared)
	declared.globals = globals
	return r, s.locateError(err)
}
