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

// Names of documents in a tree end with documentSuffix. Names that end with schemaSuffix are schemas, not documents.
const (
	documentSuffix = ".json"
	schemaSuffix   = ".schema.json"
)

// NoResultsFile is the name of a file that marks a directory without results of the user. A search leaves out the
// directory and everything below it, unless the directory itself was named.
const NoResultsFile = "NO-RESULTS"

// isDocument reports whether the name of a file in a tree is the name of a document. A document that is still being
// written is a hidden file.
func isDocument(name string) bool {
	return strings.HasSuffix(name, documentSuffix) && !strings.HasSuffix(name, schemaSuffix) &&
		!strings.HasPrefix(name, ".")
}

// fileSearch finds the files to which the arguments of Load refer.
type fileSearch struct {
	paths   []string
	named   map[string]bool // paths that were given explicitly
	skipped []SkippedFile   // directories that cannot be listed
	leftOut []string        // directories that are left out because they contain the NoResultsFile
}

// findFiles returns the files that names refer to. Their paths are sorted, without duplicates.
func findFiles(names []string) (*fileSearch, error) {
	s := &fileSearch{named: map[string]bool{}}
	for _, name := range names {
		of := &fileSearch{named: s.named}
		if err := of.addName(name); err != nil {
			return nil, err
		}
		s.paths = append(s.paths, of.paths...)
		s.leftOut = appendMissing(s.leftOut, of.leftOut)
		s.skipped = appendMissing(s.skipped, of.skipped)
		if len(of.paths) > 0 {
			continue
		}
		if len(of.leftOut) > 0 {
			return nil, fmt.Errorf("documents %s: no results found. %s is skipped because it contains the file %s; to "+
				"read it, give that directory", name, of.leftOut[0], NoResultsFile)
		}
		if len(of.skipped) > 0 {
			return nil, errors.New(of.skipped[0].Reason)
		}
		return nil, fmt.Errorf("documents %s: no results found (h5perf looks for %s files and ignores schemas)", name,
			documentSuffix)
	}
	slices.Sort(s.paths)
	s.paths = slices.Compact(s.paths)
	return s, nil
}

// appendMissing appends to all the elements of more that all does not contain yet.
func appendMissing[T comparable](all, more []T) []T {
	for _, one := range more {
		if !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	return all
}

// addName adds the files that a name refers to. If a file with this name exists, the name is not used as a pattern.
func (s *fileSearch) addName(name string) error {
	info, err := os.Stat(name)
	switch {
	case err != nil && strings.ContainsAny(name, `*?[{\`):
		return s.addMatches(name)
	case err != nil:
		return fmt.Errorf("documents: %w", err)
	case info.IsDir():
		// follow a symbolic link to a directory
		return s.addDirectory(strings.TrimRight(name, "/")+"/", true)
	}
	s.paths, s.named[name] = append(s.paths, name), true
	return nil
}

// addMatches adds the documents that match a pattern, and all documents in the directories that match.
func (s *fileSearch) addMatches(pattern string) error {
	base, rest := doublestar.SplitPattern(filepath.Clean(pattern))
	matches, err := doublestar.Glob(&listingFS{os.DirFS(base), base, s}, rest, doublestar.WithNoHidden())
	if err != nil {
		return fmt.Errorf("documents %s: %w", pattern, err)
	}
	for _, match := range matches {
		if s.isLeftOut(base, match) {
			continue
		}
		found := filepath.Join(base, match)
		if info, err := os.Stat(found); err == nil && info.IsDir() {
			if err := s.addDirectory(found+"/", false); err != nil {
				return err
			}
		} else if isDocument(filepath.Base(match)) {
			s.paths = append(s.paths, found)
		}
	}
	return nil
}

// isLeftOut reports whether match, a path that matches a pattern, must be ignored because it or a directory above it
// contains the NoResultsFile. base is the part of the pattern before the first wildcard.
func (s *fileSearch) isLeftOut(base, match string) bool {
	for dir := match; dir != "." && dir != "/"; dir = path.Dir(dir) {
		if s.hasMarker(filepath.Join(base, dir)) {
			return true
		}
	}
	return false
}

// hasMarker reports whether a directory contains the NoResultsFile. If so, it adds the directory to leftOut.
func (s *fileSearch) hasMarker(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, NoResultsFile)); err != nil {
		return false
	}
	if !slices.Contains(s.leftOut, dir) {
		s.leftOut = append(s.leftOut, dir)
	}
	return true
}

// addDirectory adds the paths of all documents in a directory and below it. root ends with a slash. Hidden files and
// directories are left out, and so are directories below root with the NoResultsFile. Symbolic links to directories are
// not followed; those to directories elsewhere are skipped. A directory that cannot be listed is skipped. If named is
// true, it is an error that root cannot be listed.
func (s *fileSearch) addDirectory(root string, named bool) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		within := path != root
		switch name := filepath.Base(path); {
		case err != nil && !within && named:
			return fmt.Errorf("documents: %w", err)
		case err != nil:
			s.skipDirectory(path, err)
			return fs.SkipDir
		case entry.IsDir() && within && (strings.HasPrefix(name, ".") || s.hasMarker(path)):
			return fs.SkipDir
		case !entry.IsDir() && isDocument(name):
			s.paths = append(s.paths, path)
		case entry.Type() == fs.ModeSymlink && !strings.HasPrefix(name, ".") && linksElsewhere(root, path):
			s.skipDirectory(path, errors.New(path+": a symbolic link to a directory is not followed; "+
				"name it to read it"))
		}
		return nil
	})
}

// linksElsewhere reports whether link is a symbolic link to a directory that is neither root nor in it.
func linksElsewhere(root, link string) bool {
	info, err := os.Stat(link)
	if err != nil || !info.IsDir() {
		return false
	}
	tree, err := filepath.EvalSymlinks(root)
	if err != nil {
		return false
	}
	target, err := filepath.EvalSymlinks(link)
	if err != nil {
		return false
	}
	within, err := filepath.Rel(tree, target)
	return err == nil && !filepath.IsLocal(within)
}

// skipDirectory records that a directory cannot be listed.
func (s *fileSearch) skipDirectory(path string, err error) {
	reason := fmt.Sprintf("documents: %v", err)
	if !slices.Contains(s.skipped, SkippedFile{path, reason}) {
		s.skipped = append(s.skipped, SkippedFile{path, reason})
	}
}

// listingFS is the file tree below base in which a pattern is searched. It records directories that it cannot list in a
// fileSearch.
type listingFS struct {
	fs.FS
	base   string
	search *fileSearch
}

// ReadDir lists a directory. It implements fs.ReadDirFS.
func (l *listingFS) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(l.FS, name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ENOTDIR) {
		l.search.skipDirectory(filepath.Join(l.base, name), fmt.Errorf("%s: %w", l.base, err))
	}
	return entries, err
}
