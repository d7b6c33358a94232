//go:build cgo

package posix

// #include <stdlib.h>
// #include <sys/stat.h>
// #include "objects.h"
import "C"

import (
	"errors"
	"path"
	"slices"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"h5perf/pkg/engine"
	"h5perf/pkg/workload"
)

// objectFamily holds what the engine knows of a family of objects that are files of their own.
type objectFamily struct {
	names *engine.MemberNames
	fds   []C.int // descriptors, by member; noDescriptor: the member is not open
}

// makeFamilies makes the names of the objects that are files of their own. Their data begin at the start of their
// files.
func (s *session) makeFamilies() (err error) {
	s.objects = make([]objectFamily, len(s.program.Objects))
	s.program.Objects = slices.Clone(s.program.Objects)
	for i := range s.program.Objects {
		o, f := &s.program.Objects[i], &s.objects[i]
		if !s.program.Files[o.File].ObjectFiles {
			continue
		}
		if s.env.UseODirect {
			return errors.New("objects that are files of their own are not aligned for O_DIRECT: leave out --direct")
		}
		o.Base, o.Stride = 0, 0
		f.fds = slices.Repeat([]C.int{noDescriptor}, int(o.Count))
		if f.names, err = engine.NewMemberNames(o.Name, o.First); err != nil {
			return err
		}
	}
	return nil
}

// freeFamilies frees the names.
func (s *session) freeFamilies() {
	for _, f := range s.objects {
		if f.names != nil {
			f.names.Free()
		}
	}
}

// objectsDir returns the name of the directory with the objects of a data file.
func objectsDir(name string) string { return name + workload.ObjectsSuffix }

// openObjectsDir opens the directory of the objects of a file, which the harness has made.
func (s *session) openObjectsDir(f *openedFile) error {
	fd, err := s.env.OpenFile(objectsDir(f.path), unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return &engine.CallError{Call: "open", Path: objectsDir(f.path), Err: err}
	}
	f.objects = C.int(fd)
	return nil
}

// doObjects executes a batch for objects that are files of their own.
//
// What all processes do together with a file, each of them does with the directory: it takes what another one has
// created already. Process 0 alone renames and unlinks.
func (s *session) doObjects(f *openedFile, b *workload.Batch) error {
	o := &s.program.Objects[b.Object]
	family, together := &s.objects[b.Object], s.program.Files[b.File].Group == workload.All
	if together && s.env.Comm.Rank() != 0 && (b.Class == workload.Rename || b.Class == workload.Unlink) {
		return nil
	}
	fds := unsafe.SliceData(family.fds[b.First:])
	isGroup := o.Kind == workload.GroupObject
	var done C.h5perf_posix_outcome
	switch entries, parents := s.entriesOf(f, b, together); b.Class {
	case workload.Create:
		if isGroup {
			done = C.h5perf_make_directories(entries, parents, fds)
		} else {
			done = C.h5perf_make_files(entries, parents, fds)
		}
	case workload.Open:
		if isGroup {
			done = C.h5perf_open_directories(entries, parents, fds)
		} else {
			done = C.h5perf_open_files(entries, parents, fds, C.int(1-b.Op))
		}
	case workload.ObjectClose:
		done = C.h5perf_close_all(fds, C.uint64_t(b.Count))
	case workload.CreateLink:
		text := C.CString(linkText(o.Link))
		defer C.free(unsafe.Pointer(text))
		hard := C.int(0)
		if o.Link.Kind == workload.HardLink {
			hard = 1
		}
		done = C.h5perf_make_links(entries, parents, text, hard, f.objects)
	case workload.Stat:
		done = C.h5perf_stat_all(entries, parents, modeOf(o))
	case workload.Rename:
		newNames := (*C.h5perf_names)(s.objects[b.NewNames].names.Pointer())
		done = C.h5perf_rename_all(entries, parents, newNames)
	case workload.Unlink:
		directories := C.int(0)
		if isGroup {
			directories = 1
		}
		done = C.h5perf_unlink_all(entries, parents, directories)
	case workload.List:
		return s.listDirectories(f, b)
	}
	return s.outcomeError(f, b, b.Count, uint64(done.done), &done)
}

// entriesOf returns the objects of a batch for C, and the descriptors of their directories.
func (s *session) entriesOf(f *openedFile, b *workload.Batch, together bool) (C.h5perf_entries, *C.int) {
	o := &s.program.Objects[b.Object]
	e := C.h5perf_entries{
		names: (*C.h5perf_names)(s.objects[b.Object].names.Pointer()), each: C.uint64_t(o.PerGroup),
		first: C.uint64_t(b.First), count: C.uint64_t(b.Count), stop: (*C.int32_t)(s.env.Stop.Pointer()),
	}
	if together {
		e.shared = 1
	}
	if o.Parent == workload.NoParent {
		n := (b.First%o.PerGroup+b.Count)/o.PerGroup + 1
		return e, unsafe.SliceData(slices.Repeat([]C.int{f.objects}, int(n)))
	}
	return e, unsafe.SliceData(s.objects[o.Parent].fds[b.First/o.PerGroup:])
}

// linkText returns the text of a symbolic link, or the path of a hard link from the directory of the objects on.
func linkText(l workload.Link) string {
	text := strings.TrimLeft(l.Path, "/")
	if l.Kind == workload.ExternalLink {
		text = path.Join("..", l.File, text)
	}
	if text == "" {
		text = "."
	}
	return text
}

// modeOf returns the type of file that an object is.
func modeOf(o *workload.Object) C.uint {
	switch {
	case o.Kind == workload.GroupObject:
		return C.S_IFDIR
	case o.Kind == workload.LinkObject && o.Link.Kind != workload.HardLink:
		return C.S_IFLNK
	}
	return C.S_IFREG
}

// listDirectories lists the directories that hold the objects of a batch.
func (s *session) listDirectories(f *openedFile, b *workload.Batch) error {
	var names [C.H5PERF_MAXLEVELS]*C.h5perf_names
	var each [C.H5PERF_MAXLEVELS]C.uint64_t
	family, first, perGroup, visits := b.Object, b.First, uint64(1), C.int(0)
	for i := b.Levels - 1; i >= 0; i-- {
		o := &s.program.Objects[family]
		names[i], each[i] = (*C.h5perf_names)(s.objects[family].names.Pointer()), C.uint64_t(o.PerGroup)
		family, first, perGroup = o.Parent, first/o.PerGroup, perGroup*o.PerGroup
	}
	directories := []C.int{f.objects}
	if family != workload.NoParent {
		directories = s.objects[family].fds[first : first+b.Count/perGroup]
	}
	if b.Visits {
		visits = 1
	}
	n := len(directories)
	done := C.h5perf_list_all(unsafe.SliceData(directories), C.uint64_t(n), &names[0], &each[0], C.int(b.Levels),
		visits, C.uint64_t(perGroup), (*C.int32_t)(s.env.Stop.Pointer()))
	return s.outcomeError(f, b, uint64(n), uint64(done.done)*perGroup, &done)
}

// outcomeError returns the error of a call in C that was for n objects or directories: nil if it has done all. member
// is the number of the object that failed, from the first one of the batch on.
func (s *session) outcomeError(
	f *openedFile, b *workload.Batch, n, member uint64, done *C.h5perf_posix_outcome,
) error {
	switch {
	case done.call == nil && uint64(done.done) == n:
		return nil
	case done.call == nil:
		return engine.ErrStopped
	}
	_, name, _ := strings.Cut(s.program.PathOf(b.Object, b.First+member), ":")
	e := &engine.CallError{Call: C.GoString(done.call), Path: objectsDir(f.path) + name, Err: syscall.Errno(done.code)}
	switch {
	case done.code == 0 && b.Class == workload.Stat:
		e.Err = errors.New("reported success, but another kind of file than was created")
	case done.code == 0:
		e.Err = errors.New("reported success, but did not find each object that was created exactly once")
	case e.Err == syscall.EMFILE: //nolint:errorlint // a plain errno
		e.Err = errors.New("too many open files: raise the limit (ulimit -n), or let fewer objects be open at a time")
	}
	return e
}

// transferFiles returns the descriptors of the files of the datasets of a batch, and the distance from one dataset to
// the next one in them: 0 if one file holds all.
func (s *session) transferFiles(f *openedFile, b *workload.Batch) (fds *C.int, distance C.int) {
	if !s.program.Files[b.File].ObjectFiles {
		return &f.fd, 0
	}
	return unsafe.SliceData(s.objects[b.Object].fds[b.First:]), 1
}

// closeObjectFiles closes the objects that are still open, and the directory of a file. It ignores errors.
func (s *session) closeObjectFiles(f *openedFile) {
	for i := range s.objects {
		for k, fd := range s.objects[i].fds {
			if fd != noDescriptor {
				C.h5perf_close_all(&s.objects[i].fds[k], 1)
			}
		}
	}
	if f.objects != noDescriptor {
		_ = unix.Close(int(f.objects))
		f.objects = noDescriptor
	}
}
