package node

import (
	"strings"
	"testing"

	"h5perf/pkg/result"
)

func TestStripingIsRead(t *testing.T) {
	for text, want := range map[string]Striping{"4": {4, 0}, "-1": {-1, 0}, "8,1M": {8, 1 << 20}} {
		if got, err := ParseStriping(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "-2", "four", "4,", "4,1", "4,100K", "4;1M", "4 1M", "$(id)"} {
		if got, err := ParseStriping(text); err == nil {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

func TestStripingIsGivenToTheToolOfTheFileSystem(t *testing.T) {
	says := func(command string) string {
		return `test "$*" = "` + command + ` /the dir" || { echo "not $*" >&2; exit 1; }`
	}
	for _, c := range []struct {
		name, kind, tool string
		striping         Striping
		scripts          map[string]string
		err              string
	}{
		{"Lustre", "lustre", "", Striping{4, 1 << 20}, map[string]string{"lfs": says("setstripe -c 4 -S 1048576")}, ""},
		{
			"all of Lustre, below another", "dvs", "lfs",
			Striping{-1, 0},
			map[string]string{"lfs": says("setstripe -c -1")},
			"",
		},
		{
			"BeeGFS 7", "beegfs", "",
			Striping{2, 1 << 20},
			map[string]string{"beegfs-ctl": says("--setpattern --numtargets=2 --chunksize=1048576")},
			"",
		},
		{
			"BeeGFS 8", "beegfs", "",
			Striping{2, 1 << 20},
			map[string]string{"beegfs": says("entry set --num-targets=2 --chunk-size=1048576")},
			"",
		},
		{"all of BeeGFS", "beegfs", "", Striping{-1, 0}, nil, "give a number"},
		{
			"a tool that refuses", "lustre", "",
			Striping{4, 0},
			map[string]string{"lfs": "echo 'error: setstripe: Invalid argument' >&2; exit 22"},
			"lfs setstripe -c 4 /the dir: exit status 22: error: setstripe: Invalid argument",
		},
		{"no tool", "lustre", "", Striping{4, 0}, nil, "not found"},
		{"another file system", "ext4", "", Striping{4, 0}, nil, "neither Lustre nor BeeGFS"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tools(t, c.scripts)
			err := c.striping.Apply(result.Target{Type: c.kind, Directory: "/the"}, asks(c.tool), "/the dir")
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v, want %q", err, c.err)
			}
		})
	}
}
