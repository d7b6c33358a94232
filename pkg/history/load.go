// Package history reads the documents of many runs, compares them, and finds changes over time. Load and Collect read a
// tree of documents, Compare compares two sets of runs, FindTrend searches a series of runs for change points.
package history

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"h5perf/pkg/result"
)

// Record is a document and the path of its file.
type Record struct {
	Path string
	result.Document
}

// Skipped is a file that is not used: it is damaged, of another program, or of a newer h5perf, or its run is in another
// file too. Or it is a directory that cannot be listed.
type Skipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"` // in words, with the path, and the place in the file where it is known
}

// Load reads all documents that names stand for and returns them in the order in which their runs started. A name is a
// file, a directory, or a pattern of both in which ** matches any number of directories. A directory stands for all
// files below it whose names end in .json, without hidden files and schemas. A directory with the MarkerFile is left
// out where a directory or a pattern is searched.
//
// A file that a search finds is skipped if it is not a document. A run that is in several files is returned once, and
// the other files are skipped. It is an error if a name stands for no file, or is that of a file that is not a
// document, or if all files are skipped.
func Load(names ...string) ([]Record, []Skipped, error) { return LoadSelected(Selection{}, names...) }

// LoadSelected is like Load, but returns only the documents that are selected. It is an error if none is.
func LoadSelected(s Selection, names ...string) ([]Record, []Skipped, error) {
	return Collect(s, func(r Record) Record { return r }, names...)
}

// Collect is like LoadSelected, but returns what keep makes of each selected document. A document is dropped after its
// call, so a tree may be larger than memory. keep is called from several goroutines at once, and once for each file,
// also if several files hold the same run.
func Collect[T any](s Selection, keep func(Record) T, names ...string) ([]T, []Skipped, error) {
	files, err := findFiles(names)
	if err != nil {
		return nil, nil, err
	}
	if s.Latest == 0 {
		return gatherFiles(s, keep, files)
	}
	all, skipped, err := gatherFiles(s, newRunSummary, files)
	if err != nil {
		return nil, nil, err
	}
	var last []string
	for _, r := range latestPerIdentity(all, s.Latest, func(r runSummary) result.Identity { return r.of }) {
		last = append(last, r.path)
	}
	kept, changed, err := gatherFiles(s, keep, &fileSearch{paths: last})
	return kept, append(skipped, changed...), err
}

// gatheredFile is a file that gather read.
type gatheredFile[T any] struct {
	runSummary
	err      error
	selected bool
	kept     T
}

// gatherFiles is Collect for files, without Selection.Latest.
func gatherFiles[T any](s Selection, keep func(Record) T, files *fileSearch) ([]T, []Skipped, error) {
	entries := make([]gatheredFile[T], len(files.paths))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(entries)); i = next.Add(1) - 1 {
				doc, err := result.Read(files.paths[i])
				r := Record{files.paths[i], doc}
				entries[i] = gatheredFile[T]{
					runSummary: newRunSummary(r), err: err,
					selected: err == nil && s.Selects(doc),
				}
				if entries[i].selected {
					entries[i].kept = keep(r)
				}
			}
		})
	}
	workers.Wait()
	skipped := slices.Clone(files.skipped)
	var good []gatheredFile[T]
	for _, e := range entries {
		switch {
		case e.err == nil:
			good = append(good, e)
		case files.named[e.path]:
			return nil, nil, e.err
		default:
			skipped = append(skipped, Skipped{e.path, e.err.Error()})
		}
	}
	if len(good) == 0 {
		return nil, nil, entries[0].err
	}
	good, twice := dropDuplicates(good)
	var all []T
	var there []runSummary
	for _, e := range good {
		there = append(there, e.runSummary)
		if e.selected {
			all = append(all, e.kept)
		}
	}
	if len(all) == 0 {
		return nil, nil, s.noRunError(there)
	}
	return all, append(skipped, twice...), nil
}

// dropDuplicates sorts files by the start of their runs, and returns those that are the only ones of their runs, or the
// first ones, and the others. Of a run that has ended, a file that says so comes first.
func dropDuplicates[T any](files []gatheredFile[T]) (kept []gatheredFile[T], twice []Skipped) {
	slices.SortFunc(files, func(a, b gatheredFile[T]) int {
		if c := cmp.Or(a.started.Compare(b.started), strings.Compare(a.id, b.id)); c != 0 || a.ended == b.ended {
			return cmp.Or(c, strings.Compare(a.path, b.path))
		}
		if a.ended {
			return -1
		}
		return 1
	})
	type run struct {
		id string
		of result.Identity
	}
	first := map[run]string{}
	for _, f := range files {
		r := run{f.id, f.of}
		if path, there := first[r]; there {
			twice = append(twice, Skipped{f.path, fmt.Sprintf("document %s: the same run as in %s", f.path, path)})
			continue
		}
		first[r] = f.path
		kept = append(kept, f)
	}
	return kept, twice
}
