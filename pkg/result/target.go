package result

// InMemory reports whether the file system keeps files in memory only: tmpfs, ramfs or hugetlbfs.
func (t Target) InMemory() bool {
	return t.Type == "tmpfs" || t.Type == "ramfs" || t.Type == "hugetlbfs"
}
