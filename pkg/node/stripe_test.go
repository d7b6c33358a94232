package node

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/result"

	"github.com/google/go-cmp/cmp"
)

// Output of the tools.
const (
	plainDirectory = "stripe_count:  4 stripe_size:   1048576 pattern:       raid0 stripe_offset: -1 pool:          " +
		"ddn_hdd\n"
	oldDirectory  = "/scratch/pool: 7\nstripe_count:   -1 stripe_size:    4194304 stripe_offset:  -1 \n"
	yamlDirectory = "stripe_count:  8\nstripe_size:   16777216\npattern:       raid0,overstriped\nstripe_offset: 2\n"
	plainFile     = "/scratch/f\nlmm_stripe_count:  1\nlmm_stripe_size:   1048576\nlmm_pattern:       1\n" +
		"lmm_layout_gen:    0\nlmm_stripe_offset: 86\n\tobdidx\t\t objid\t\t objid\t\t group\n" +
		"\t    86\t 1091894\t 0x10a936\t 0\n"
	composite = "testdir1\n  lcm_layout_gen:    0\n  lcm_mirror_count:  1\n  lcm_entry_count:   2\n" +
		"    lcme_id:             N/A\n    lcme_mirror_id:      N/A\n    lcme_flags:          0\n" +
		"    lcme_extent.e_start: 0\n    lcme_extent.e_end:   65536\n" +
		"      stripe_count:  0       stripe_size:   65536       pattern:       mdt       stripe_offset: -1\n" +
		"\n    lcme_id:             N/A\n    lcme_mirror_id:      N/A\n    lcme_flags:          0\n" +
		"    lcme_extent.e_start: 65536\n    lcme_extent.e_end:   EOF\n" +
		"      stripe_count:  -1       stripe_size:   1048576       pattern:       raid0       " +
		"stripe_offset: -1 pool: flash\n\n"
	beegfs7 = "EntryID: 0-5D9C0429-2\nMetadata node: node1 [ID: 1]\nStripe pattern details:\n+ Type: RAID0\n" +
		"+ Chunksize: 512K\n+ Number of storage targets: desired: 4\n+ Storage Pool: 1 (Default)\n"
	beegfs8 = "Entry type: directory\nEntryID: root\nParentID:\nStripe pattern details:\n+ Type: RAID0\n" +
		"+ Chunksize: 1M\n+ Number of storage targets: desired: 4\n+ Storage Pool: 1  (default)\nInlined inode: no\n" +
		"Inode info:\n+ Path: 38/51/root\n+ Metadata buddy group: 1\n"
	beegfsMirrored = "Entry type: file\nEntryID: 0-5D285750-1\nMetadata node: node1.beeg.local [ID: 1]\n" +
		"Stripe pattern details:\n+ Type: Buddy Mirror\n+ Chunksize: 512k\n" +
		"+ Number of storage targets: desired: 2; actual: 1\n+ Storage targets:\n  + 1 @ node1.beeg.local [ID: 1]\n"
	beegfsElsewhere = "The given path is not on a BeeGFS: /tmp: 1\n"
)

func TestStripes(t *testing.T) {
	automatic := new(-1)
	for _, c := range []struct {
		name, answer string
		parse        func(string) (result.Stripe, bool)
		want         result.Stripe
	}{
		{
			"a directory", plainDirectory, parseLustre,
			result.Stripe{Count: 4, SizeBytes: 1 << 20, Pattern: "raid0", StartIndex: automatic, Pool: "ddn_hdd"},
		},
		{
			"of an old release", oldDirectory, parseLustre,
			result.Stripe{Count: -1, SizeBytes: 4 << 20, StartIndex: automatic},
		},
		{
			"in YAML", yamlDirectory, parseLustre,
			result.Stripe{Count: 8, SizeBytes: 16 << 20, Pattern: "raid0,overstriped", StartIndex: new(2)},
		},
		{
			"a file", plainFile, parseLustre,
			result.Stripe{Count: 1, SizeBytes: 1 << 20, Pattern: "1", StartIndex: new(86)},
		},
		{"components", composite, parseLustre, result.Stripe{Components: []result.StripeComponent{
			{EndBytes: 64 << 10, SizeBytes: 64 << 10, Pattern: "mdt", StartIndex: automatic},
			{
				StartBytes: 64 << 10, Count: -1, SizeBytes: 1 << 20, Pattern: "raid0",
				StartIndex: automatic, Pool: "flash",
			},
		}}},
		{
			"BeeGFS 7", beegfs7, parseBeegfs,
			result.Stripe{Count: 4, SizeBytes: 512 << 10, Pattern: "RAID0", Pool: "1 (Default)"},
		},
		{
			"BeeGFS 8", beegfs8, parseBeegfs,
			result.Stripe{Count: 4, SizeBytes: 1 << 20, Pattern: "RAID0", Pool: "1 (default)"},
		},
		{
			"a mirrored file", beegfsMirrored, parseBeegfs,
			result.Stripe{Count: 2, SizeBytes: 512 << 10, Pattern: "Buddy Mirror"},
		},
	} {
		got, found := c.parse(c.answer)
		if d := cmp.Diff(c.want, got); d != "" || !found {
			t.Errorf("%s: found %t (-want +got)\n%s", c.name, found, d)
		}
	}
	for name, parse := range map[string]func(string) (result.Stripe, bool){
		"lustre": parseLustre,
		"beegfs": parseBeegfs,
	} {
		for _, answer := range []string{"", beegfsElsewhere, "stripecount: 3", "a pattern without end"} {
			if got, found := parse(answer); found {
				t.Errorf("%s finds %+v in %q", name, got, answer)
			}
		}
	}
}

// tools creates programs from scripts. It sets PATH to these programs and the programs that the shell needs.
func tools(t *testing.T, scripts map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

func asks(tool string) func(string) string {
	return func(name string) string {
		if name == StripeVariable {
			return tool
		}
		return ""
	}
}

func TestStripeAsksTheToolOfTheFileSystem(t *testing.T) {
	const noStriping = `lfs getstripe -d /the dir: the output has no striping: "/the dir has no stripe info"`
	const lfs = `test "$*" = "getstripe -d /the dir" && echo "stripe_count:  2 stripe_size:   1048576"`
	for _, c := range []struct {
		name, kind, tool string
		scripts          map[string]string
		want             *result.Stripe
	}{
		{"another file system", "ext4", "", map[string]string{"lfs": lfs}, nil},
		{
			"Lustre", "lustre", "",
			map[string]string{"lfs": lfs},
			&result.Stripe{System: "lustre", Count: 2, SizeBytes: 1 << 20},
		},
		{
			"Lustre below another", "dvs", "lfs",
			map[string]string{"lfs": lfs},
			&result.Stripe{System: "lustre", Count: 2, SizeBytes: 1 << 20},
		},
		{
			"BeeGFS 7", "beegfs", "",
			map[string]string{"beegfs-ctl": `test "$*" = "--getentryinfo /the dir" && echo "+ Chunksize: 1M"`},
			&result.Stripe{System: "beegfs", SizeBytes: 1 << 20},
		},
		{
			"BeeGFS 8", "beegfs", "",
			map[string]string{
				"beegfs-ctl": "exit 1", "beegfs": `test "$*" = "entry info --retro /the dir" && echo "+ Chunksize: 2M"`,
			},
			&result.Stripe{System: "beegfs", SizeBytes: 2 << 20},
		},
		{
			"a tool that fails", "lustre", "",
			map[string]string{"lfs": "echo lfs: no such mount >&2; exit 3"},
			&result.Stripe{
				System: "lustre", Error: "lfs getstripe -d /the dir: exit status 3: lfs: no such mount",
			},
		},
		{
			"a tool that says something else", "lustre", "",
			map[string]string{"lfs": "echo '/the dir has no stripe info'"},
			&result.Stripe{
				System: "lustre", Error: noStriping,
			},
		},
		{"no tool", "beegfs", "", nil, &result.Stripe{System: "beegfs", Error: strings.Join([]string{
			`exec: "beegfs": executable file not found in $PATH`,
			`exec: "beegfs-ctl": executable file not found in $PATH`,
		}, "; ")}},
		{
			"an unknown tool", "ext4", "mmlsattr", nil,
			&result.Stripe{Error: "H5PERF_STRIPE_TOOL=mmlsattr: the tools are lfs and beegfs"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			tools(t, c.scripts)
			got := FindStriping(result.Target{Type: c.kind, Directory: "/the dir"}, asks(c.tool))
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
		})
	}
}

func TestNoToolIsWaitedForForEver(t *testing.T) {
	tools(t, map[string]string{"lfs": "while :; do :; done"})
	_, err := stripeTools[0].queryStriping("/dir", 100*time.Millisecond)
	if err == nil || err.Error() != "lfs getstripe -d /dir: no answer within 100ms" {
		t.Errorf("%v", err)
	}
}
