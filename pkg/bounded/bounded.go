// Package bounded reads files that strangers may have made.
package bounded

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// ReadFile returns what is in a regular file of at most so many bytes. Anything else is an error: opening a FIFO would
// wait for a writer, and a device may have no end. A symbolic link to a regular file is followed.
func ReadFile(path string, most int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is no regular file but %s", path, kind(info.Mode()))
	}
	if info.Size() > most {
		return nil, tooLong(path, most)
	}
	var text bytes.Buffer
	text.Grow(int(info.Size()) + bytes.MinRead)
	n, err := io.Copy(&text, io.LimitReader(f, most+1)) // it may grow meanwhile
	if err == nil && n > most {
		err = tooLong(path, most)
	}
	return text.Bytes(), err
}

func tooLong(path string, most int64) error {
	return fmt.Errorf("%s: has more than %d bytes, the most that are read of such a file", path, most)
}

// kind returns what a file is that is not regular, in words.
func kind(m fs.FileMode) string {
	for _, k := range []struct {
		is   fs.FileMode
		name string
	}{
		{fs.ModeDir, "a directory"},
		{fs.ModeNamedPipe, "a FIFO"},
		{fs.ModeSocket, "a socket"},
		{fs.ModeDevice, "a device"},
	} {
		if m&k.is != 0 {
			return k.name
		}
	}
	return "of type " + m.Type().String()
}
