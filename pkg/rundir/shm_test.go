package rundir

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

func TestSegmentsOfTheJobAreFoundAmongMappings(t *testing.T) {
	maps := `7f00-7f01 rw-s 00000000 00:17 11 /dev/shm/vader_segment.n1.0.1.0
7f01-7f02 rw-s 00001000 00:17 11 /dev/shm/vader_segment.n1.0.1.0
7f02-7f03 rw-s 00000000 00:17 12 /dev/shm/mpich_shar_tmpAbc (deleted)
7f03-7f04 rw-s 00000000 00:17 13 /dev/shm/lttng-ust-wait-8
7f04-7f05 rw-s 00000000 00:17 14 /dev/shm/ucx_shm_posix_1f
7f05-7f06 r-xp 00000000 fe:01 15 /usr/lib/vader_segment.so
7f06-7f07 rw-p 00000000 00:00 0 [heap]
7f07-7f08 rw-p 00000000 00:00 0
`
	want := []SharedMemoryFile{{"vader_segment.n1.0.1.0", 11}, {"ucx_shm_posix_1f", 14}}
	if got := segmentsInMaps([]byte(maps)); !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
	if _, err := MappedSegments(); err != nil {
		t.Error(err)
	}
}

func TestOnlyWhatTheJobLeftIsRemoved(t *testing.T) {
	dir := t.TempDir()
	inode := func(name string) uint64 {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Sys().(*syscall.Stat_t).Ino
	}
	ours, reused := inode("vader_segment.n1.0.1.0"), inode("vader_segment.n1.0.1.1")
	for _, name := range []string{"vader_segment.n1.0.2.0", "sem.OMPIO_data_ab_1.mpio", "sem.OMPIO_data_cd_1.mpio"} {
		inode(name)
	}
	if err := os.Symlink("sem.OMPIO_data_cd_1.mpio", filepath.Join(dir, "sem.OMPIO_data_ab_2.mpio")); err != nil {
		t.Fatal(err)
	}
	err := removeSegmentsIn(dir, []SharedMemoryFile{
		{"vader_segment.n1.0.1.0", ours},
		{"vader_segment.n1.0.1.1", reused + 1000},
		{"gone", 1},
		{"../" + filepath.Base(dir) + "/vader_segment.n1.0.2.0", 0},
	}, "data_ab_")
	if err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	want := []string{
		"sem.OMPIO_data_ab_2.mpio", "sem.OMPIO_data_cd_1.mpio", "vader_segment.n1.0.1.1", "vader_segment.n1.0.2.0",
	}
	if !slices.Equal(left, want) {
		t.Errorf("left are %v, want %v", left, want)
	}
}
