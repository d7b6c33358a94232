package command

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"h5perf/pkg/history"
)

// referenceOptions holds the option that names a tree of results with references.
type referenceOptions struct {
	Reference string `placeholder:"DIR" brief:"" help:"The tree of results whose reference is compared with the latest results. The default is all directories among the documents."`
}

// currentReferences returns the current references of the tree that the option names. Without the option, it reads the
// references in those documents that are directories.
func (r referenceOptions) currentReferences(documents []string) (all []history.PinnedReference, err error) {
	trees := []string{r.Reference}
	if r.Reference == "" {
		trees = documents
	}
	for _, dir := range trees {
		info, err := os.Stat(dir)
		switch {
		case err == nil && info.IsDir():
			if r.Reference == "" {
				dir = treeWithReference(dir)
			}
			pinned, err := history.ReadReferences(dir)
			if err != nil {
				return nil, err
			}
			all = append(all, pinned...)
		case r.Reference != "" && err == nil:
			return nil, fmt.Errorf("--reference %s: not a directory", dir)
		case r.Reference != "":
			return nil, fmt.Errorf("--reference: %w", err)
		}
	}
	slices.SortStableFunc(all, func(a, b history.PinnedReference) int { return a.Time.Compare(b.Time) })
	current := history.CurrentReferences(all)
	if r.Reference != "" && len(current) == 0 {
		return nil, fmt.Errorf("--reference %s: no reference is set there; 'h5perf reference set --in %s' sets one",
			r.Reference, r.Reference)
	}
	return current, nil
}

// treeWithReference returns the tree of results to which a directory belongs: the directory or, if it has no
// references, the nearest directory above it that has some. Trees have directories for the cluster, the file system and
// the label.
func treeWithReference(dir string) string {
	const levels = 3
	above := dir
	for range levels + 1 {
		if _, err := os.Lstat(filepath.Join(above, history.ReferenceFile)); err == nil {
			return above
		}
		above = filepath.Join(above, "..")
	}
	return dir
}
