package fault

import (
	"fmt"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// Options are the properties of a file system.
type Options struct {
	Rules     []Rule
	Latency   time.Duration // least time of each read and write
	Bandwidth float64       // bytes per second of all reads and writes together; 0 for no limit
	Direct    bool          // the kernel caches nothing, and processes can write to a file at the same time
}

// maxWrite is the size of the largest request for data, in bytes. The kernel splits larger calls.
const maxWrite = 1 << 20

// attributesFor is how long the kernel caches the attributes of a file.
const attributesFor = time.Second

// FS is a mounted file system.
type FS struct {
	server *fuse.Server
	path   string
}

// Mount mounts a file system with the content of a directory. It must be used by another process: a program
// that waits for its own server may wait forever.
func Mount(directory, mountPoint string, o Options) (*FS, error) {
	root, err := fs.NewLoopbackRoot(directory)
	if err != nil {
		return nil, fmt.Errorf("directory to serve: %s: %w", directory, err)
	}
	keep := attributesFor
	options := &fs.Options{
		EntryTimeout: &keep, AttrTimeout: &keep, NullPermissions: true,
		MountOptions: fuse.MountOptions{
			AllowOther: true, DirectMountStrict: true, MaxWrite: maxWrite, DisableSplice: true,
			FsName: directory, Name: "faultfs",
			DisabledCapabilities: fuse.CAP_PASSTHROUGH, // with it, the kernel bypasses the rules
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
		return nil, fmt.Errorf("mount of a FUSE file system on %s (needs /dev/fuse, and to be root of the mount "+
			"namespace): %w", mountPoint, err)
	}
	go server.Serve()
	if err := server.WaitMount(); err != nil {
		return nil, fmt.Errorf("mount of a FUSE file system on %s: %w", mountPoint, err)
	}
	return &FS{server, mountPoint}, nil
}

// Detach unmounts the file system, even if files are open. Requests that hang are answered when the process
// of the server ends.
func (f *FS) Detach() error {
	if err := unix.Unmount(f.path, unix.MNT_DETACH); err != nil {
		return fmt.Errorf("unmount of %s: %w", f.path, err)
	}
	return nil
}
