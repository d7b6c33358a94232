package fault

import (
	"bytes"
	"encoding/json"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"
)

// Extended attributes of the mount point, by which a process controls the file system. The rules can be
// read and set. The statistics can be read as JSON; setting them to any value resets them.
const (
	RulesAttr = "user.faultfs.rules"
	StatsAttr = "user.faultfs.stats"
)

// requests passes requests on to a file system over a directory, according to the rules and the pace.
type requests struct {
	fuse.RawFileSystem
	rules    rules
	pace     pace
	counters *counters
	direct   bool
}

// serve answers a request without data. It is of all these kinds for the rules, and of the first one for
// the statistics.
func (r *requests) serve(next func() fuse.Status, kinds ...Op) fuse.Status {
	start := time.Now()
	errno, fails := errnos[r.rules.meet(kinds...)]
	status := fuse.Status(errno)
	if !fails {
		status = next()
	}
	r.counters.count(kinds[0], start, 0, status.Ok())
	return status
}

// Writev writes data.
func (r *requests) Writev(cancel <-chan struct{}, in *fuse.WriteIn, data [][]byte) (uint32, fuse.Status) {
	start := time.Now()
	n, status := r.write(cancel, in, bytes.Join(data, nil))
	r.pace.wait(start, int(n))
	r.counters.count(Write, start, int(n), status.Ok())
	return n, status
}

func (r *requests) write(cancel <-chan struct{}, in *fuse.WriteIn, data []byte) (uint32, fuse.Status) {
	switch action := r.rules.meet(Write); action {
	case "":
	case Short:
		data = data[:len(data)/2]
		in.Size = uint32(len(data))
	case Drop:
		return uint32(len(data)), fuse.OK
	case Flip:
		flip(data)
	default:
		return 0, fuse.Status(errnos[action])
	}
	return r.RawFileSystem.Writev(cancel, in, [][]byte{data})
}

// Read reads data.
func (r *requests) Read(cancel <-chan struct{}, in *fuse.ReadIn, buf []byte) (fuse.ReadResult, fuse.Status) {
	start := time.Now()
	data, status := r.read(cancel, in, buf)
	r.pace.wait(start, len(data))
	r.counters.count(Read, start, len(data), status.Ok())
	if !status.Ok() {
		return nil, status // if there are data, the library ignores the error
	}
	return fuse.ReadResultData(data), status
}

func (r *requests) read(cancel <-chan struct{}, in *fuse.ReadIn, buf []byte) ([]byte, fuse.Status) {
	action := r.rules.meet(Read)
	if errno, ok := errnos[action]; ok {
		return nil, fuse.Status(errno)
	}
	result, status := r.RawFileSystem.Read(cancel, in, buf)
	if !status.Ok() {
		return nil, status
	}
	defer result.Done()
	data, status := result.Bytes(buf)
	switch action {
	case Short:
		data = data[:len(data)/2]
	case Empty:
		data = nil
	case Flip:
		flip(data)
	}
	return data, status
}

// flip flips the lowest bit of the byte in the middle.
func flip(data []byte) {
	if len(data) > 0 {
		data[len(data)/2] ^= 1
	}
}

// Create creates a file.
func (r *requests) Create(cancel <-chan struct{}, in *fuse.CreateIn, name string, out *fuse.CreateOut) fuse.Status {
	in.Flags &^= syscall.O_DIRECT // the buffers of this server are not aligned
	status := r.serve(func() fuse.Status { return r.RawFileSystem.Create(cancel, in, name, out) }, Create)
	out.OpenFlags |= r.openFlags()
	return status
}

// Mknod creates a file without opening it.
func (r *requests) Mknod(cancel <-chan struct{}, in *fuse.MknodIn, name string, out *fuse.EntryOut) fuse.Status {
	return r.serve(func() fuse.Status { return r.RawFileSystem.Mknod(cancel, in, name, out) }, Create)
}

// Open opens a file.
func (r *requests) Open(cancel <-chan struct{}, in *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	in.Flags &^= syscall.O_DIRECT
	kinds := []Op{Open}
	if in.Flags&syscall.O_ACCMODE == syscall.O_RDONLY {
		kinds = append(kinds, OpenRead)
	}
	status := r.serve(func() fuse.Status { return r.RawFileSystem.Open(cancel, in, out) }, kinds...)
	out.OpenFlags |= r.openFlags()
	return status
}

// openFlags returns the flags of an open file: several processes can write to it at the same time, and with
// direct nothing is cached.
func (r *requests) openFlags() uint32 {
	flags := uint32(fuse.FOPEN_PARALLEL_DIRECT_WRITES)
	if r.direct {
		flags |= fuse.FOPEN_DIRECT_IO
	}
	return flags
}

// Fsync writes a file to storage.
func (r *requests) Fsync(cancel <-chan struct{}, in *fuse.FsyncIn) fuse.Status {
	return r.serve(func() fuse.Status { return r.RawFileSystem.Fsync(cancel, in) }, Fsync)
}

// Flush closes a descriptor of a file.
func (r *requests) Flush(cancel <-chan struct{}, in *fuse.FlushIn) fuse.Status {
	return r.serve(func() fuse.Status { return r.RawFileSystem.Flush(cancel, in) }, Flush)
}

// Release closes a file after its last descriptor is closed.
func (r *requests) Release(cancel <-chan struct{}, in *fuse.ReleaseIn) {
	r.serve(func() fuse.Status { r.RawFileSystem.Release(cancel, in); return fuse.OK }, Release)
}

// GetXAttr returns the attributes that control the file system. Other files have none.
func (r *requests) GetXAttr(_ <-chan struct{}, in *fuse.InHeader, attr string, dest []byte) (uint32, fuse.Status) {
	var value []byte
	switch {
	case in.NodeId != fuse.FUSE_ROOT_ID:
		return 0, fuse.ENODATA
	case attr == RulesAttr:
		value = []byte(r.rules.String())
	case attr == StatsAttr:
		value, _ = json.Marshal(r.counters.stats(r.rules.hanging())) // plain structs: cannot fail
	default:
		return 0, fuse.ENODATA
	}
	if len(dest) < len(value) {
		return uint32(len(value)), fuse.ERANGE
	}
	return uint32(copy(dest, value)), fuse.OK
}

// SetXAttr sets the rules, or resets the statistics.
func (r *requests) SetXAttr(_ <-chan struct{}, in *fuse.SetXAttrIn, attr string, data []byte) fuse.Status {
	switch {
	case in.NodeId != fuse.FUSE_ROOT_ID:
		return fuse.ENOTSUP
	case attr == RulesAttr:
		all, err := ParseRules(string(data))
		if err != nil {
			return fuse.EINVAL
		}
		r.rules.set(all)
		return fuse.OK
	case attr == StatsAttr:
		r.counters.reset()
		return fuse.OK
	}
	return fuse.ENOTSUP
}
