// This file reads files that strangers may have made.

package plain

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// ReadText returns the text of a regular file of at most so many bytes. Anything else is an error: opening a FIFO would
// wait for a writer, and a device may have no end. A file with a NUL is no text, and is read no further: a hole of
// gigabytes costs nothing to make. A symbolic link to a regular file is followed.
func ReadText(path string, most int64) ([]byte, error) {
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
		return nil, fmt.Errorf("%s: is not a regular file but %s", path, fileTypeText(info.Mode()))
	}
	if info.Size() > most {
		return nil, tooLongError(path, most)
	}
	var text bytes.Buffer
	n := int64(0)
	if info.Size() > part { // no memory is taken for a long file before it is known to be text
		if _, err = io.Copy(io.Discard, io.LimitReader(textReader{f}, most)); err == nil {
			_, err = f.Seek(0, io.SeekStart)
		}
	}
	if err == nil {
		text.Grow(int(info.Size()) + bytes.MinRead)
		n, err = text.ReadFrom(io.LimitReader(textReader{f}, most+1)) // it may grow meanwhile
	}
	switch {
	case errors.Is(err, errNUL):
		return nil, fmt.Errorf("%s: %w", path, err)
	case err == nil && n > most:
		err = tooLongError(path, most)
	}
	return text.Bytes(), err
}

// part is the number of bytes that are read at once.
const part = 1 << 20

var errNUL = errors.New("is not a text file: it contains a NUL character")

// textReader reads a file in parts up to the first with a NUL.
type textReader struct{ *os.File }

func (c textReader) Read(p []byte) (int, error) {
	n, err := c.File.Read(p[:min(len(p), part)])
	if bytes.IndexByte(p[:max(n, 0)], 0) >= 0 {
		return n, errNUL
	}
	return n, err
}

func tooLongError(path string, most int64) error {
	return fmt.Errorf("%s: has more than %d bytes, the limit for such a file", path, most)
}

// fileTypeText returns what a file is that is not regular, in words.
func fileTypeText(m fs.FileMode) string {
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
