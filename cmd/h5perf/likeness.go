//go:build cgo

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/h5"
	"h5perf/pkg/output"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/script/fromfile"
)

// Limits of the process that reads an untrusted file: memory in bytes, time, and bytes of its output.
const (
	describeMemory = 8 << 30
	describeTime   = 2 * time.Minute
	describeBytes  = 1 << 30
)

// describeInChild describes an HDF5 file in a child process: if the file is damaged, the library may crash or never
// return.
func describeInChild(path string) (d fromfile.Description, err error) {
	info, err := os.Stat(path)
	if cause, is := errors.AsType[*os.PathError](err); is {
		return d, cause.Err
	}
	if err != nil {
		return d, err
	}
	if !info.Mode().IsRegular() {
		return d, errors.New("is not a regular file")
	}
	exe, err := os.Executable()
	if err != nil {
		return d, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), describeTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, describeArgument, path)
	out, told := limitedBuffer{maxBytes: describeBytes}, limitedBuffer{maxBytes: 64 << 10}
	cmd.Stdout, cmd.Stderr = &out, &told
	err = cmd.Run()
	failed, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return d, fmt.Errorf("was not read within %v: it is damaged, or its storage is slow", describeTime)
	case ended && failed.ExitCode() == result.ExitFailed:
		return d, errors.New(strings.TrimPrefix(plain.VisibleLine(told.kept.String()), "h5perf: "))
	case ended:
		return d, fmt.Errorf("HDF5 %s crashed while it read the file, which is damaged (%w)", h5.Version(), failed)
	case err != nil:
		return d, err
	}
	return d, json.Unmarshal(out.kept.Bytes(), &d)
}

// limitedBuffer is a writer that stores what is written to it, up to maxBytes bytes. After that, Write returns an
// error.
type limitedBuffer struct {
	kept     bytes.Buffer
	maxBytes int
}

func (l *limitedBuffer) Write(b []byte) (int, error) {
	if l.kept.Len()+len(b) > l.maxBytes {
		return 0, errors.New("the description of the file is too long")
	}
	return l.kept.Write(b)
}

// describeFile prints the description of an HDF5 file as JSON, and returns the exit status.
func describeFile(path string, stdout, stderr *output.Stream) int {
	if err := printDescription(path, stdout); err != nil {
		_, _ = fmt.Fprintf(stderr, "h5perf: %v\n", err)
		return result.ExitFailed
	}
	return result.ExitOK
}

func printDescription(path string, stdout *output.Stream) error {
	memory := unix.Rlimit{Cur: describeMemory, Max: describeMemory}
	for what, limit := range map[int]unix.Rlimit{unix.RLIMIT_AS: memory, unix.RLIMIT_CORE: {}} {
		if err := unix.Setrlimit(what, &limit); err != nil && !errors.Is(err, unix.EPERM) {
			return fmt.Errorf("limit of memory: %w", err)
		}
	}
	d, err := h5.DescribeFile(path)
	if err = errors.Join(err, h5.Close()); err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(d)
}
