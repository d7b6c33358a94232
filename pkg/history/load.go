// Package history is what was measured so far: the documents of a file, of a directory tree, or of all files that a pattern
// matches.
package history

import (
	"cmp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"h5perf/pkg/result"
)

// Record is a document and the file that holds it.
type Record struct {
	Path string
	result.Document
}

// Selection chooses documents; the zero value chooses all.
type Selection struct {
	Since, Until time.Time       // started at Since or after it, and before Until; zero is no limit
	Identity     result.Identity // only those with the fields that are set here
}

// Selects tells whether the selection has a document.
func (s Selection) Selects(d result.Document) bool {
	same := func(wanted, is string) bool { return wanted == "" || wanted == is }
	return (s.Since.IsZero() || !d.Started.Before(s.Since)) && (s.Until.IsZero() || d.Started.Before(s.Until)) &&
		same(s.Identity.Cluster, d.Identity.Cluster) && same(s.Identity.Filesystem, d.Identity.Filesystem) && same(s.Identity.Label, d.Identity.Label)
}

// Load reads all documents that names stand for, in the order in which the runs started. A name is a file, a directory (all
// files below it whose names end in .json, but for hidden ones and schemas), or a pattern of both, in which ** stands for any
// number of directories. A file that is no document is an error that names it and the place in it, and so is a name that
// stands for no document: both are bad input.
func Load(names ...string) ([]Record, error) {
	return Collect(Selection{}, func(r Record) Record { return r }, names...)
}

// Collect does as Load, and keeps of each selected document what keep makes of it: so a tree can be larger than memory. keep
// is called from several goroutines at once. That a selection has no document is no error.
func Collect[T any](s Selection, keep func(Record) T, names ...string) ([]T, error) {
	paths, err := find(names)
	if err != nil {
		return nil, err
	}
	type entry struct {
		path, id string
		started  time.Time
		selected bool
		kept     T
		err      error
	}
	entries := make([]entry, len(paths))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(paths)); i = next.Add(1) - 1 {
				doc, err := result.Read(paths[i])
				e := entry{path: paths[i], id: doc.RunID, started: doc.Started, selected: err == nil && s.Selects(doc), err: err}
				if e.selected {
					e.kept = keep(Record{paths[i], doc})
				}
				entries[i] = e
			}
		})
	}
	workers.Wait()
	if i := slices.IndexFunc(entries, func(e entry) bool { return e.err != nil }); i >= 0 {
		return nil, entries[i].err
	}
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(a.started.Compare(b.started), strings.Compare(a.id, b.id), strings.Compare(a.path, b.path))
	})
	var all []T
	for _, e := range entries {
		if e.selected {
			all = append(all, e.kept)
		}
	}
	return all, nil
}
