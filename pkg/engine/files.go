package engine

import (
	"fmt"
	"os"
	"path/filepath"
)

// FileSize is a file and its size.
type FileSize struct {
	Name  string // base name
	Bytes uint64
}

// Sizes returns the sizes of files, in the order of paths. It does not follow symbolic links.
func Sizes(paths ...string) ([]FileSize, error) {
	var all []FileSize
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil {
			return nil, fmt.Errorf("size of a written file: %w", err)
		}
		all = append(all, FileSize{filepath.Base(path), uint64(info.Size())})
	}
	return all, nil
}
