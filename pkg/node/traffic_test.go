package node

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/moby/sys/mountinfo"
)

const (
	diskStats = `   7       0 loop0 6992 101 206112 2421 257712 5898 127153068 387506 0 14076 390203 0 0 0 0 1779 275
   8       0 sda 1000 10 2000 300 400 50 6000 700 0 800 900 0 0 0 0 0 0
   8       1 sda1 900 10 1000 300 400 50 3000 700 0 800 900
 253       0 dm-0 20 0 160 4 10 0 80 5 0 6 7 0 0 0 0 0 0
`
	mountStats = `device /dev/sda1 mounted on / with fstype ext4
device nas:/export/a mounted on /mnt/my\040data with fstype nfs4 statvers=1.1
	opts:	rw,vers=4.2,rsize=1048576,wsize=1048576,namlen=255,hard,proto=tcp
	age:	12345
	events:	1 2 3 4 5
	bytes:	11 22 33 44 5000 6000 7 8
	RPC iostats version: 1.1  p/v: 100003/4 (nfs)
device nas:/export/b mounted on /mnt/b with fstype nfs statvers=1.1
	bytes:	1 2 3 4 50 60 7 8
device nas:/export/c mounted on /mnt/b with fstype nfs statvers=1.1
	bytes:	1 2 3 4 51 61 7 8
`
	lustreStats = `snapshot_time             1699999999.123456789 secs.nsecs
start_time                1690000000.000000000 secs.nsecs
read_bytes                8 samples [bytes] 4096 1048576 4210688 4402345672704
write_bytes               2 samples [bytes] 1048576 1048576 2097152
open                      12 samples [usecs] 10 400 1200 90000
`
	processIO = "rchar: 100\nwchar: 200\nsyscr: 1\nsyscw: 2\nread_bytes: 4096\nwrite_bytes: 8192\n" +
		"cancelled_write_bytes: 0\n"
)

// trafficRoot returns a directory with files like those of a kernel. sda1 is a partition of sda.
func trafficRoot(t *testing.T) string {
	t.Helper()
	dir := root(t, map[string]string{
		"proc/diskstats": diskStats, "proc/self/mountstats": mountStats, "proc/self/io": processIO,
		"proc/meminfo": "MemTotal: 100 kB\nDirty:   8 kB\nWriteback:  4 kB\nWritebackTmp:  99 kB\n",
		"proc/fs/lustre/llite/scratch-ffff8801/stats":     lustreStats,
		"proc/fs/lustre/llite/scratch-ffff8802/stats":     lustreStats,
		"proc/fs/lustre/llite/scratch2-ffff8803/stats":    lustreStats,
		"sys/devices/pci0/block/sda/dev":                  "8:0\n",
		"sys/devices/pci0/block/sda/sda1/partition":       "1\n",
		"sys/devices/virtual/block/dm-0/dev":              "253:0\n",
		"sys/devices/virtual/block/dm-0/dm/name":          "vg-lv\n",
		"sys/dev/block/README":                            "",
		"sys/kernel/debug/lustre/llite/other-1/stats":     lustreStats,
		"sys/kernel/debug/lustre/llite/scratch-no/noname": "",
	})
	for number, device := range map[string]string{
		"8:0": "pci0/block/sda", "8:1": "pci0/block/sda/sda1", "253:0": "virtual/block/dm-0",
	} {
		if err := os.Symlink("../../devices/"+device, filepath.Join(dir, "sys/dev/block", number)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestTrafficIsThatOfTheFileSystemOfTheMount(t *testing.T) {
	dir := trafficRoot(t)
	calls, storage := Traffic{100, 200}, Traffic{4096, 8192}
	for name, c := range map[string]struct {
		mount mountinfo.Info
		node  Traffic
		known bool
		own   Traffic // of the process
	}{
		"partition": {
			mountinfo.Info{FSType: "ext4", Major: 8, Minor: 1},
			Traffic{1024000, 3072000},
			true,
			storage,
		},
		"device mapper": {
			mountinfo.Info{FSType: "xfs", Major: 253},
			Traffic{81920, 40960},
			true,
			storage,
		},
		"loop device": {
			mountinfo.Info{FSType: "ext4", Major: 7},
			Traffic{105529344, 65102370816},
			true,
			storage,
		},
		"unknown device": {
			mountinfo.Info{FSType: "ext4", Major: 9},
			Traffic{},
			false,
			storage,
		},
		"NFS": {
			mountinfo.Info{FSType: "nfs4", Mountpoint: "/mnt/my data"},
			Traffic{5000, 6000},
			true,
			storage,
		},
		"NFS, on top": {
			mountinfo.Info{FSType: "nfs", Mountpoint: "/mnt/b"},
			Traffic{51, 61},
			true,
			storage,
		},
		"NFS, not there": {
			mountinfo.Info{FSType: "nfs", Mountpoint: "/mnt"},
			Traffic{},
			false,
			storage,
		},
		"Lustre": {
			mountinfo.Info{FSType: "lustre", Source: "mgs@tcp:/scratch/sub"},
			Traffic{8421376, 4194304},
			true,
			calls,
		},
		"Lustre, unknown": {
			mountinfo.Info{FSType: "lustre", Source: "mgs@tcp:/home"},
			Traffic{},
			false,
			calls,
		},
		"memory": {
			mountinfo.Info{FSType: "tmpfs"},
			Traffic{},
			false,
			storage,
		},
	} {
		m := newMountMeter(dir, &c.mount)
		if got, known := m.OfNode(); got != c.node || known != c.known {
			t.Errorf("%s: %v, %v, want %v, %v", name, got, known, c.node, c.known)
		}
		if own, known := m.OfProcess(); own != c.own || !known {
			t.Errorf("%s: own %v, %v, want %v", name, own, known, c.own)
		}
		if got := m.DirtyBytes(); got != 12<<10 {
			t.Errorf("%s: %d bytes are dirty, want 12 KiB", name, got)
		}
	}
}

func TestTrafficThatCannotBeReadIsNotKnown(t *testing.T) {
	for name, text := range map[string]string{
		"nothing": "", "no numbers": "   8 0 sda 1 2 x 3 4 5 6\n", "too short": "   8 0 sda 1 2 3\n",
	} {
		m := newMountMeter(root(t, map[string]string{"proc/diskstats": text, "proc/self/io": "rchar: 1\n"}),
			&mountinfo.Info{FSType: "ext4", Major: 8})
		if got, known := m.OfNode(); known {
			t.Errorf("%s: %v", name, got)
		}
		if own, known := m.OfProcess(); known {
			t.Errorf("%s: own %v", name, own)
		}
	}
	if got, known := NewTrafficMeter(filepath.Join(t.TempDir(), "missing"), nil).OfNode(); known {
		t.Errorf("of no directory: %v", got)
	}
}
