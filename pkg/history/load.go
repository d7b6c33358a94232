// Package history reads the documents of many runs and compares them: Load and Collect read a tree of
// documents, Compare compares two sets of runs, FindTrend searches a series of runs for change points.
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

// Record is a document and the path of its file.
type Record struct {
	Path string
	result.Document
}

// Skipped is a file that is not read: it is damaged, of another program, or of a newer h5perf.
type Skipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"` // in words, with the path, and the place in the file where it is known
}

// Selection selects documents. The zero value selects all.
type Selection struct {
	Since, Until time.Time       // the run started in [Since, Until); a zero time is no limit
	Identity     result.Identity // fields that are set must be equal
	Latest       bool            // of each identity, only the run that started last
}

// Selects reports whether the selection includes a document, apart from Latest.
func (s Selection) Selects(d result.Document) bool {
	same := func(wanted, is string) bool { return wanted == "" || wanted == is }
	return (s.Since.IsZero() || !d.Started.Before(s.Since)) && (s.Until.IsZero() || d.Started.Before(s.Until)) &&
		same(s.Identity.Cluster, d.Identity.Cluster) && same(s.Identity.Filesystem, d.Identity.Filesystem) &&
		same(s.Identity.Label, d.Identity.Label)
}

// Load reads all documents that names stand for and returns them in the order in which their runs started.
// A name is a file, a directory, or a pattern of both in which ** matches any number of directories. A
// directory stands for all files below it whose names end in .json, without hidden files and schemas.
//
// A file that is not a document is skipped. It is an error if all files are skipped, which tells of the first one. A
// name that stands for no file is an error too.
func Load(names ...string) ([]Record, []Skipped, error) { return LoadSelected(Selection{}, names...) }

// LoadSelected is like Load, but returns only the documents that are selected. It is no error if none is.
func LoadSelected(s Selection, names ...string) ([]Record, []Skipped, error) {
	return Collect(s, func(r Record) Record { return r }, names...)
}

// Collect is like Load, but returns what keep makes of each selected document. A document is dropped after
// its call, so a tree may be larger than memory. keep is called from several goroutines at once. It is no
// error if the selection includes no document.
func Collect[T any](s Selection, keep func(Record) T, names ...string) ([]T, []Skipped, error) {
	paths, err := find(names)
	if err != nil {
		return nil, nil, err
	}
	if !s.Latest {
		return gather(s, keep, paths)
	}
	all, skipped, err := gather(s, func(r Record) one { return one{r.Path, r.Identity} }, paths)
	if err != nil {
		return nil, nil, err
	}
	last, seen := []string{}, map[result.Identity]bool{}
	for _, r := range slices.Backward(all) {
		if !seen[r.of] {
			seen[r.of] = true
			last = append(last, r.path)
		}
	}
	if len(last) == 0 {
		return nil, skipped, nil
	}
	kept, changed, err := gather(s, keep, last)
	return kept, append(skipped, changed...), err
}

// one is what is known of each run before it is known which ones are the last.
type one struct {
	path string
	of   result.Identity
}

// gather is Collect for the files of these paths, without Selection.Latest.
func gather[T any](s Selection, keep func(Record) T, paths []string) ([]T, []Skipped, error) {
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
				e := entry{
					path: paths[i], id: doc.RunID, started: doc.Started,
					selected: err == nil && s.Selects(doc), err: err,
				}
				if e.selected {
					e.kept = keep(Record{paths[i], doc})
				}
				entries[i] = e
			}
		})
	}
	workers.Wait()
	var skipped []Skipped
	for _, e := range entries {
		if e.err != nil {
			skipped = append(skipped, Skipped{e.path, e.err.Error()})
		}
	}
	if len(skipped) == len(entries) {
		return nil, nil, entries[0].err
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
	return all, skipped, nil
}
