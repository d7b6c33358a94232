package history

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"golang.org/x/sys/unix"
)

// suffix ends the names of documents in a tree. Names that end in schemaSuffix are schemas, not documents.
const (
	suffix       = ".json"
	schemaSuffix = ".schema.json"
)

// Marker is the name of a file that marks a directory: what is in it and below it is no result of the user. A search
// leaves the directory out, unless its name was given.
const Marker = "NO-RESULTS"

// isDocument reports whether a file in a tree has the name of a document. A document that is being written is hidden.
func isDocument(name string) bool {
	return strings.HasSuffix(name, suffix) && !strings.HasSuffix(name, schemaSuffix) && !strings.HasPrefix(name, ".")
}

// search finds the files that names stand for.
type search struct {
	paths   []string
	named   map[string]bool // the paths that were given as names
	skipped []Skipped       // what cannot be listed
	left    []string        // directories that are left out, because they have the Marker
}

// find returns the files that names stand for. Their paths are sorted, each is there once.
func find(names []string) (*search, error) {
	s := &search{named: map[string]bool{}}
	for _, name := range names {
		of := &search{named: s.named}
		if err := of.add(name); err != nil {
			return nil, err
		}
		s.paths = append(s.paths, of.paths...)
		s.left = merged(s.left, of.left)
		s.skipped = merged(s.skipped, of.skipped)
		if len(of.paths) > 0 {
			continue
		}
		if len(of.left) > 0 {
			return nil, fmt.Errorf("documents %s: no results found. %s is skipped because it contains the file %s; to "+
				"read it, give that directory", name, of.left[0], Marker)
		}
		if len(of.skipped) > 0 {
			return nil, errors.New(of.skipped[0].Reason)
		}
		return nil, fmt.Errorf("documents %s: no results found (h5perf looks for %s files and ignores schemas)", name,
			suffix)
	}
	slices.Sort(s.paths)
	s.paths = slices.Compact(s.paths)
	return s, nil
}

// merged returns all with those of more that are not in it.
func merged[T comparable](all, more []T) []T {
	for _, one := range more {
		if !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return all
}

// add adds the files that a name stands for. If a file has the name, the name is not taken as a pattern.
func (s *search) add(name string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil && strings.ContainsAny(name, `*?[{\`):
		return s.match(name)
	case err != nil:
		return fmt.Errorf("documents: %w", err)
	case info.IsDir():
		return s.walk(strings.TrimRight(name, "/")+"/", true) // the directory that a link leads to, not the link
	}
	s.paths, s.named[name] = append(s.paths, name), true
	return nil
}

// match adds the documents that match a pattern, and all documents in the directories that match.
func (s *search) match(pattern string) error {
	base, rest := doublestar.SplitPattern(filepath.Clean(pattern))
	matches, err := doublestar.Glob(&lister{os.DirFS(base), base, s}, rest, doublestar.WithNoHidden())
	if err != nil {
		return fmt.Errorf("documents %s: %w", pattern, err)
	}
	for _, match := range matches {
		if s.leaves(base, match) {
			continue
		}
		found := filepath.Join(base, match)
		if info, err := os.Stat(found); err == nil && info.IsDir() {
			if err := s.walk(found+"/", false); err != nil {
				return err
			}
		} else if isDocument(filepath.Base(match)) {
			s.paths = append(s.paths, found)
		}
	}
	return nil
}

// leaves reports whether a match of a pattern, or a directory above it, is left out. base is the part of the pattern
// without wildcards.
func (s *search) leaves(base, match string) bool {
	for dir := match; dir != "." && dir != "/"; dir = path.Dir(dir) {
		if s.marked(filepath.Join(base, dir)) {
			return true
		}
	}
	return false
}

// marked reports whether a directory has the Marker, and keeps its path if so.
func (s *search) marked(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, Marker)); err != nil {
		return false
	}
	if !slices.Contains(s.left, dir) {
		s.left = append(s.left, dir)
	}
	return true
}

// walk adds the paths of all documents in a directory and below it, whose path ends in a slash. It leaves out hidden
// files and directories, and directories with the Marker, apart from the one that was named. Links to directories are
// not followed. A directory that cannot be listed is skipped, unless it was named.
func (s *search) walk(root string, named bool) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		within := path != root
		switch name := filepath.Base(path); {
		case err != nil && !within && named:
			return fmt.Errorf("documents: %w", err)
		case err != nil:
			s.skip(path, err)
			return fs.SkipDir
		case entry.IsDir() && within && (strings.HasPrefix(name, ".") || s.marked(path)):
			return fs.SkipDir
		case !entry.IsDir() && isDocument(name):
			s.paths = append(s.paths, path)
		}
		return nil
	})
}

// skip keeps that a directory cannot be listed.
func (s *search) skip(path string, err error) {
	reason := fmt.Sprintf("documents: %v", err)
	if !slices.Contains(s.skipped, Skipped{path, reason}) {
		s.skipped = append(s.skipped, Skipped{path, reason})
	}
}

// lister is the tree below base in which a pattern is searched. What it cannot list, it adds to a search.
type lister struct {
	fs.FS
	base string
	of   *search
}

// ReadDir implements fs.ReadDirFS.
func (l *lister) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(l.FS, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ENOTDIR) {
		l.of.skip(filepath.Join(l.base, name), fmt.Errorf("%s: %w", l.base, err))
	}
	return entries, err
}
