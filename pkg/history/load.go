// Package history reads the documents of many runs, compares them, and finds changes over time. Load and Collect read a
// tree of documents, Compare compares two sets of runs, and FindTrend searches series of runs for change points.
package history

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
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

// Parts returns a record for each combination of values of --sweep, see result.Document.Parts.
func (r Record) Parts() []Record {
	var parts []Record
	for _, part := range r.Document.Parts() {
		parts = append(parts, Record{r.Path, part})
	}
	return parts
}

// SkippedFile is a file that is not used. It is damaged, it is from another program or from a newer h5perf, or another
// file contains the same run. It can also be a directory that cannot be listed.
type SkippedFile struct {
	Path   string `json:"path"`
	Reason string `json:"reason"` // a message with the path, and the position in the file if it is known
}

// Load reads all documents that names refer to. It returns them in the order in which their runs started. A name is a
// file, a directory, or a pattern for files and directories in which ** matches any number of directories. For a
// directory, Load reads all files below it whose names end with .json, except for hidden files and schemas. It does not
// search directories that contain the NoResultsFile, unless they are named.
//
// A file that a search finds is skipped if it is not a document, or if its run starts in the future. If several files
// contain the same run, the run is returned once, and the other files are skipped. If they differ, all are skipped.
// Load returns an error if a name refers to no file, if a named file is not a document or differs from another one of
// its run, or if all files are skipped.
func Load(names ...string) ([]Record, []SkippedFile, error) {
	return LoadSelected(Selection{}, names...)
}

// LoadTree returns all documents in a directory, as Load does. It returns none if the directory has no documents, or
// does not exist.
func LoadTree(dir string) ([]Record, []SkippedFile, error) {
	files := &fileSearch{named: map[string]bool{}}
	err := files.addName(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(files.paths) == 0 {
		return nil, files.skipped, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return gatherFiles(Selection{}, func(r Record) Record { return r }, files)
}

// LoadSelected is like Load, but returns only the selected documents. It returns an error if none is selected.
func LoadSelected(s Selection, names ...string) ([]Record, []SkippedFile, error) {
	return Collect(s, func(r Record) Record { return r }, names...)
}

// Collect is like LoadSelected, but it calls the function keep for each selected document and returns the results of
// these calls. It holds no document longer than such a call, so a tree may be larger than memory. keep is called from
// several goroutines at the same time, and once for each file, even if several files contain the same run.
func Collect[T any](s Selection, keep func(Record) T, names ...string) ([]T, []SkippedFile, error) {
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
	for _, r := range latestPerIdentity(all, s.Latest, func(r runSummary) result.Identity { return r.identity }) {
		last = append(last, r.path)
	}
	kept, changed, err := gatherFiles(s, keep, &fileSearch{paths: last, named: files.named})
	return kept, append(skipped, changed...), err
}

// gatheredFile is the result of reading one file in gatherFiles.
type gatheredFile[T any] struct {
	runSummary
	err      error
	selected bool
	kept     T
}

// gatherFiles reads the files of a search and calls keep for the selected documents, as Collect does, but it ignores
// Selection.Latest.
func gatherFiles[T any](s Selection, keep func(Record) T, files *fileSearch) ([]T, []SkippedFile, error) {
	entries := make([]gatheredFile[T], len(files.paths))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(entries)); i = next.Add(1) - 1 {
				doc, err := result.Read(files.paths[i])
				if err == nil && !files.named[files.paths[i]] {
					err = checkStart(files.paths[i], doc)
				}
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
			skipped = append(skipped, SkippedFile{e.path, e.err.Error()})
		}
	}
	if len(good) == 0 {
		return nil, nil, entries[0].err
	}
	good, twice, err := dropDuplicates(good, files.named)
	if err != nil {
		return nil, nil, err
	}
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

// maxClockError is how far the clock of another machine may be ahead.
const maxClockError = 24 * time.Hour

// checkStart returns an error for a document whose run starts in the future: it would be the latest one for ever.
func checkStart(path string, doc result.Document) error {
	if time.Until(doc.Started) <= maxClockError {
		return nil
	}
	return fmt.Errorf("document %s: the run started in the future, %s: correct the clock of its machine; to read the "+
		"document, name the file itself", path, doc.Started.UTC().Format(time.RFC3339))
}

// dropDuplicates sorts files by the start of their runs. It keeps one file for each run, and returns the others as
// skipped. Of several files with the same run, it prefers a file that says that the run has ended. Of files with
// different results of one run it keeps none, since nobody knows which is right. If one of them was named, it returns
// an error.
func dropDuplicates[T any](files []gatheredFile[T], named map[string]bool) (
	kept []gatheredFile[T], twice []SkippedFile, err error,
) {
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
	first := map[run]gatheredFile[T]{}
	differs := map[string]string{} // from the path of a file to that of another one with other results of the same run
	for _, f := range files {
		r := run{f.id, f.identity}
		other, there := first[r]
		switch {
		case !there:
			first[r] = f
			kept = append(kept, f)
		case f.ended && other.ended && !isSameDocument(f.path, other.path):
			differs[f.path], differs[other.path] = other.path, f.path
			kept = append(kept, f)
		default:
			twice = append(twice,
				SkippedFile{f.path, fmt.Sprintf("document %s: the same run as in %s", f.path, other.path)})
		}
	}
	kept = slices.DeleteFunc(kept, func(f gatheredFile[T]) bool {
		other, is := differs[f.path]
		if is {
			reason := fmt.Sprintf("document %s: the same run has other results in %s: one of them was changed "+
				"after the run; remove it", f.path, other)
			twice = append(twice, SkippedFile{f.path, reason})
			if named[f.path] {
				err = errors.New(reason)
			}
		}
		return is
	})
	if len(kept) == 0 && err == nil {
		err = errors.New(twice[0].Reason)
	}
	return kept, twice, err
}

// isSameDocument reports whether two files contain the same document.
func isSameDocument(a, b string) bool {
	one, err := result.Read(a)
	other, otherErr := result.Read(b)
	return err == nil && otherErr == nil && reflect.DeepEqual(one, other)
}
