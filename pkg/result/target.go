package result

// IsInMemory reports whether the file system keeps files in memory only: tmpfs, ramfs or hugetlbfs.
func (t Target) IsInMemory() bool {
	return t.Type == "tmpfs" || t.Type == "ramfs" || t.Type == "hugetlbfs"
}
