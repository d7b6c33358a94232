// This file reads files from untrusted sources.

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

// ReadText reads a regular file. most is the largest allowed size in bytes. It follows symbolic links. Any other type
// of file is an error: opening a FIFO would wait for a writer, and a device may be endless. A file with a NUL byte is
// not text and is an error. ReadText stops at the first NUL byte: a huge sparse file, which is easy to create, contains
// almost only NUL bytes.
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
	if info.Size() > maxReadBytes { // check that a long file is text before memory is allocated for it
		if _, err = io.Copy(io.Discard, io.LimitReader(textReader{f}, most)); err == nil {
			_, err = f.Seek(0, io.SeekStart)
		}
	}
	if err == nil {
		text.Grow(int(info.Size()) + bytes.MinRead)
		n, err = text.ReadFrom(io.LimitReader(textReader{f}, most+1)) // the file may have grown
	}
	switch {
	case errors.Is(err, errNUL):
		return nil, fmt.Errorf("%s: %w", path, err)
	case err == nil && n > most:
		err = tooLongError(path, most)
	}
	return text.Bytes(), err
}

// maxReadBytes is the largest number of bytes to read at once.
const maxReadBytes = 1 << 20

var errNUL = errors.New("is not a text file: it contains a NUL character")

// textReader reads a file in blocks. Its method Read returns errNUL if a block contains a NUL byte.
type textReader struct{ *os.File }

func (c textReader) Read(p []byte) (int, error) {
	n, err := c.File.Read(p[:min(len(p), maxReadBytes)])
	if bytes.IndexByte(p[:max(n, 0)], 0) >= 0 {
		return n, errNUL
	}
	return n, err
}

func tooLongError(path string, most int64) error {
	return fmt.Errorf("%s: has more than %d bytes, the limit for such a file", path, most)
}

// fileTypeText names the type of a file that is not regular, for messages.
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
