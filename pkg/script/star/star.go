// Package star reads workload files in Starlark: scripts that say, in the words of h5py, which files and objects an
// application makes, and how each rank writes and reads them. README.md describes the language.
//
// Read runs the top level of a script, which declares sizes and choices. Choose gives them values, and Program runs the
// functions write and read for one rank, which makes its program. A script has no clock, no files and no random numbers
// but seeded ones, and its steps, its memory and what it makes are bounded: see bounds.go.
//
// The package is pure: no I/O, no clock, no cgo.
package star

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"h5perf/pkg/workload"
)

// Job is the size of a job.
type Job struct{ Ranks, Nodes int64 }

// Script is a workload file, with the values that its sizes and choices have.
type Script struct {
	Declarations

	path    string
	program *starlark.Program
	targets map[place]string // variables to which the top level assigns what a call returns, by the place of the call
	given   map[string]string
	known   *programs
}

// place is a place in the text of a script.
type place struct{ line, column int32 }

// Error is an error at a place of a script.
type Error struct {
	Place string // path:line:column
	Text  string
}

func (e *Error) Error() string { return e.Place + ": " + e.Text }

// Read reads a script and runs its top level, for one rank. path is that of its file; its base name, without suffix, is
// the name of the workload. An error has its place in the script.
func Read(file string, text []byte) (*Script, error) {
	tree, err := parse(file, text)
	if err != nil {
		return nil, located(err)
	}
	s := &Script{path: file, targets: map[place]string{}, known: &programs{all: map[programKey]*recorder{}}}
	for _, stmt := range tree.Stmts {
		if a, is := stmt.(*syntax.AssignStmt); is {
			name, named := a.LHS.(*syntax.Ident)
			if c, called := a.RHS.(*syntax.CallExpr); named && called {
				s.targets[place{c.Lparen.Line, c.Lparen.Col}] = name.Name
			}
		}
	}
	title, about := docstring(tree)
	if s.program, err = starlark.FileProgram(tree, isPredeclared); err != nil {
		return nil, located(err)
	}
	if _, err := s.execute(Job{1, 1}, &s.Declarations); err != nil {
		return nil, err
	}
	s.Name, s.Title, s.About = strings.TrimSuffix(path.Base(file), path.Ext(file)), title, about
	if title == "" {
		return nil, &Error{file + ":1:1", `there is no docstring: begin with """What the workload does."""`}
	}
	return s, nil
}

// docstring returns the first paragraph of the text at the start of a file, and the others.
func docstring(tree *syntax.File) (title, about string) {
	if len(tree.Stmts) > 0 {
		if e, is := tree.Stmts[0].(*syntax.ExprStmt); is {
			if l, is := e.X.(*syntax.Literal); is && l.Token == syntax.STRING {
				title, about, _ = strings.Cut(strings.TrimSpace(l.Value.(string)), "\n\n")
			}
		}
	}
	return line(title), line(about)
}

// located returns an error with the innermost place in a script that it has.
func located(err error) error {
	if e, is := errors.AsType[*starlark.EvalError](err); is {
		for _, frame := range slices.Backward(e.CallStack) {
			if frame.Pos.Line > 0 {
				return &Error{frame.Pos.String(), strings.TrimPrefix(e.Msg, "Starlark computation cancelled: ")}
			}
		}
	}
	if e, is := errors.AsType[syntax.Error](err); is {
		return &Error{e.Pos.String(), e.Msg}
	}
	if list, is := errors.AsType[resolve.ErrorList](err); is {
		return &Error{list[0].Pos.String(), list[0].Msg}
	}
	return err
}

// run is one execution of a script.
type run struct {
	*Script
	job       Job
	declared  *Declarations
	allocated uint64    // bytes of texts and lists that the script has made
	recorder  *recorder // nil: the top level runs
	thread    *starlark.Thread
}

// execute runs the top level for a job.
func (s *Script) execute(job Job, declared *Declarations) (*run, error) {
	r := &run{Script: s, job: job, declared: declared}
	r.thread = &starlark.Thread{Name: s.path}
	r.thread.SetLocal("run", r)
	r.thread.SetMaxExecutionSteps(mostSteps)
	r.thread.OnMaxSteps = func(t *starlark.Thread) { t.Cancel(tooManySteps) }
	r.thread.Load = func(*starlark.Thread, string) (starlark.StringDict, error) {
		return nil, errors.New("a script has no other files: write what it needs in it")
	}
	predeclared := maps.Clone(universe)
	predeclared["job"] = &jobValue{value{"job"}, r}
	globals, err := s.program.Init(r.thread, predeclared)
	declared.globals = globals
	return r, located(err)
}

// Program returns the program of one rank of a job: what write and then read do. Programs of several ranks may have the
// same steps, objects and files in memory: do not change them.
func (s *Script) Program(rank int64, job Job) (workload.Program, error) {
	if job.Nodes < 1 || job.Ranks < job.Nodes || rank < 0 || rank >= job.Ranks {
		return workload.Program{}, fmt.Errorf("rank %d of %d on %d nodes: there is no such rank", rank, job.Ranks,
			job.Nodes)
	}
	k := programKey{job, rank == 0}
	if known := s.known.get(k); known != nil {
		if p, err := known.forRank(rank); err == nil { // else the error has its place below
			return p, nil
		}
	}
	var d Declarations
	r, err := s.execute(job, &d)
	if err != nil {
		return workload.Program{}, err
	}
	r.recorder = newRecorder(r, rank)
	found := false
	for op, name := range []string{"write", "read"} {
		f, is := d.globals[name].(*starlark.Function)
		if !is {
			continue
		}
		found = true
		r.recorder.begin(workload.Op(op))
		if _, err := starlark.Call(r.thread, f, starlark.Tuple{&jobValue{value{"job"}, r}}, nil); err != nil {
			return workload.Program{}, located(err)
		}
		if err := r.recorder.left(); err != nil {
			return workload.Program{}, &Error{f.Position().String(), name + ": " + err.Error()}
		}
	}
	if !found {
		return workload.Program{}, &Error{s.path + ":1:1", "there is nothing to do: define write(job) or read(job)"}
	}
	if err := r.recorder.finish(); err != nil {
		return workload.Program{}, err
	}
	if !r.recorder.asked {
		s.known.put(k, r.recorder)
	}
	return r.recorder.p, nil
}

// programs are the last programs that serve other ranks, too.
type programs struct {
	mu  sync.Mutex
	all map[programKey]*recorder
}

// programKey tells which ranks have the same steps, if a script does not ask which rank it is.
type programKey struct {
	Job
	first bool // rank 0 has the steps of job.root, too
}

func (p *programs) get(k programKey) *recorder {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all[k]
}

func (p *programs) put(k programKey, r *recorder) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.all) > 1 { // of another job
		clear(p.all)
	}
	p.all[k] = r
}
