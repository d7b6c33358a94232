package engine

import (
	"fmt"
	"os"
	"path/filepath"
)

// FileSize is a file by its base name.
type FileSize struct {
	Name  string
	Bytes uint64
}

// Sizes finds out the sizes of files.
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
