package command

import (
	"fmt"
	"os"
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
	return history.CurrentReferences(all), nil
}
