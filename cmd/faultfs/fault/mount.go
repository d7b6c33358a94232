package fault

import (
	"fmt"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// Options are what a file system does.
type Options struct {
	Rules     []Rule
	Latency   time.Duration // of each read and write, at least
	Bandwidth float64       // bytes per second, of all reads and writes together; 0 is no limit
	Direct    bool          // nothing is cached by the kernel, and several processes write to a file at once
}

// maxWrite is the largest request for data, in bytes; the kernel cuts larger calls into such.
const maxWrite = 1 << 20

// attributesFor is how long the kernel believes what it was told of a file.
const attributesFor = time.Second

// FS is a file system that is mounted.
type FS struct {
	server *fuse.Server
	path   string
}

// Mount mounts a file system with the content of a directory. The process that uses it must be another one: a program that
// waits for its own server may wait for ever.
func Mount(directory, mountPoint string, o Options) (*FS, error) {
	root, err := fs.NewLoopbackRoot(directory)
	if err != nil {
		return nil, fmt.Errorf("directory to serve: %s: %w", directory, err)
	}
	keep := attributesFor
	options := &fs.Options{
		EntryTimeout: &keep, AttrTimeout: &keep, NullPermissions: true,
		MountOptions: fuse.MountOptions{
			AllowOther: true, DirectMountStrict: true, MaxWrite: maxWrite, DisableSplice: true, FsName: directory, Name: "faultfs",
			DisabledCapabilities: fuse.CAP_PASSTHROUGH, // the kernel would take data from the directory itself, past all rules
			ExtraCapabilities:    fuse.CAP_DIRECT_IO_ALLOW_MMAP,
		},
	}
	r := &requests{
		RawFileSystem: fs.NewNodeFS(root, options),
		pace:          pace{latency: o.Latency, bandwidth: o.Bandwidth}, counters: newCounters(), direct: o.Direct,
	}
	r.rules.set(o.Rules)
	server, err := fuse.NewServer(r, mountPoint, &options.MountOptions)
	if err != nil {
		return nil, fmt.Errorf("mount of a FUSE file system on %s (needs /dev/fuse, and to be root of the mount namespace): %w", mountPoint, err)
	}
	go server.Serve()
	if err := server.WaitMount(); err != nil {
		return nil, fmt.Errorf("mount of a FUSE file system on %s: %w", mountPoint, err)
	}
	return &FS{server, mountPoint}, nil
}

// Detach takes the file system away from its mount point, though files may be open. What hangs in it is answered when the
// process of the server ends.
func (f *FS) Detach() error {
	if err := unix.Unmount(f.path, unix.MNT_DETACH); err != nil {
		return fmt.Errorf("unmount of %s: %w", f.path, err)
	}
	return nil
}
