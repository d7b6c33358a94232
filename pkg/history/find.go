package history

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// suffix ends the names of documents in a tree. Names that end in schemaSuffix are schemas, not documents.
const (
	suffix       = ".json"
	schemaSuffix = ".schema.json"
)

// find returns the paths of the files that names stand for, sorted, each once.
func find(names []string) ([]string, error) {
	var paths []string
	for _, name := range names {
		found, err := findOne(name)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: no document is there: no file whose name ends in %s", name, suffix)
		}
		paths = append(paths, found...)
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// findOne returns the paths of the files that a name stands for. If a file has the name, the name is not
// taken as a pattern.
func findOne(name string) ([]string, error) {
	_, err := os.Stat(name)
	if err == nil || !strings.ContainsAny(name, `*?[{\`) {
		if err != nil {
			return nil, fmt.Errorf("documents: %w", err)
		}
		return below(name)
	}
	matches, err := doublestar.FilepathGlob(name, doublestar.WithFailOnIOErrors(), doublestar.WithNoHidden())
	if err != nil {
		return nil, fmt.Errorf("documents %s: %w", name, err)
	}
	if len(matches) == 0 {
		return nil, fmt.Errorf("documents %s: no file matches", name)
	}
	var paths []string
	for _, match := range matches {
		if name := filepath.Base(match); strings.HasSuffix(name, schemaSuffix) {
			continue
		}
		found, err := below(match)
		if err != nil {
			return nil, err
		}
		paths = append(paths, found...)
	}
	return paths, nil
}

// below returns the paths of all documents in a directory and below it. If root is a file, it is returned
// whatever its name is. Hidden files and directories are skipped: a document that is being written is
// hidden. root may be a symbolic link to a directory; those below it are not followed. A directory below
// root that cannot be listed is returned, too, for whoever reads it to tell why.
func below(root string) (paths []string, err error) {
	begin := root
	if info, err := os.Stat(root); err == nil && info.IsDir() {
		begin = strings.TrimRight(root, "/") + "/" // the directory that a link leads to, not the link
	}
	err = filepath.WalkDir(begin, func(path string, entry fs.DirEntry, err error) error {
		switch name := filepath.Base(path); {
		case err != nil && path == begin:
			return fmt.Errorf("documents: %w", err)
		case err != nil:
			paths = append(paths, path)
			return fs.SkipDir
		case path == begin && !entry.IsDir():
			paths = append(paths, path)
		case path != begin && strings.HasPrefix(name, "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case !entry.IsDir() && strings.HasSuffix(name, suffix) && !strings.HasSuffix(name, schemaSuffix):
			paths = append(paths, path)
		}
		return nil
	})
	return paths, err
}
