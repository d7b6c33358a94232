package fault

import "github.com/hanwen/go-fuse/v2/fuse"

// Lookup finds a file. Like the methods after it, it is of the kind Other.
func (r *requests) Lookup(cancel <-chan struct{}, in *fuse.InHeader, name string, out *fuse.EntryOut) fuse.Status {
	return r.serve(func() fuse.Status { return r.RawFileSystem.Lookup(cancel, in, name, out) }, Other)
}

// GetAttr returns the attributes of a file.
func (r *requests) GetAttr(cancel <-chan struct{}, in *fuse.GetAttrIn, out *fuse.AttrOut) fuse.Status {
	return r.serve(func() fuse.Status { return r.RawFileSystem.GetAttr(cancel, in, out) }, Other)
}

// SetAttr changes attributes of a file, including its size.
func (r *requests) SetAttr(cancel <-chan struct{}, in *fuse.SetAttrIn, out *fuse.AttrOut) fuse.Status {
	return r.serve(func() fuse.Status { return r.RawFileSystem.SetAttr(cancel, in, out) }, Other)
}

// Mkdir creates a directory.
func (r *requests) Mkdir(cancel <-chan struct{}, in *fuse.MkdirIn, name string, out *fuse.EntryOut) fuse.Status {
	return r.serve(func() fuse.Status { return r.RawFileSystem.Mkdir(cancel, in, name, out) }, Other)
}

// Unlink removes a file.
func (r *requests) Unlink(cancel <-chan struct{}, in *fuse.InHeader, name string) fuse.Status {
	return r.serve(func() fuse.Status { return r.RawFileSystem.Unlink(cancel, in, name) }, Other)
}

// Rmdir removes a directory.
func (r *requests) Rmdir(cancel <-chan struct{}, in *fuse.InHeader, name string) fuse.Status {
	return r.serve(func() fuse.Status { return r.RawFileSystem.Rmdir(cancel, in, name) }, Other)
}

// Rename renames a file.
func (r *requests) Rename(cancel <-chan struct{}, in *fuse.RenameIn, from, to string) fuse.Status {
	return r.serve(func() fuse.Status { return r.RawFileSystem.Rename(cancel, in, from, to) }, Other)
}

// Fallocate reserves space for a file.
func (r *requests) Fallocate(cancel <-chan struct{}, in *fuse.FallocateIn) fuse.Status {
	return r.serve(func() fuse.Status { return r.RawFileSystem.Fallocate(cancel, in) }, Other)
}

// OpenDir opens a directory.
func (r *requests) OpenDir(cancel <-chan struct{}, in *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	return r.serve(func() fuse.Status { return r.RawFileSystem.OpenDir(cancel, in, out) }, Other)
}

// ReadDir lists a directory.
func (r *requests) ReadDir(cancel <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	return r.serve(func() fuse.Status { return r.RawFileSystem.ReadDir(cancel, in, out) }, Other)
}

// ReadDirPlus lists a directory with attributes.
func (r *requests) ReadDirPlus(cancel <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	return r.serve(func() fuse.Status { return r.RawFileSystem.ReadDirPlus(cancel, in, out) }, Other)
}

// FsyncDir writes a directory to storage.
func (r *requests) FsyncDir(cancel <-chan struct{}, in *fuse.FsyncIn) fuse.Status {
	return r.serve(func() fuse.Status { return r.RawFileSystem.FsyncDir(cancel, in) }, Other)
}

// StatFs returns how much space there is.
func (r *requests) StatFs(cancel <-chan struct{}, in *fuse.InHeader, out *fuse.StatfsOut) fuse.Status {
	return r.serve(func() fuse.Status { return r.RawFileSystem.StatFs(cancel, in, out) }, Other)
}

// CopyFileRange is refused, because its bytes would bypass the rules.
func (r *requests) CopyFileRange(<-chan struct{}, *fuse.CopyFileRangeIn) (uint32, fuse.Status) {
	return 0, fuse.ENOSYS
}
