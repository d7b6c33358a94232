package cli_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/cmd/h5perf/cli"
	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/report"
	"h5perf/pkg/result"
	"h5perf/pkg/run"
)

// parseSerial runs a command line in an environment, and returns the request that the serial tool gets. args begins
// with the name of the program.
func parseSerial(t *testing.T, env map[string]string, args ...string) cli.Measurement {
	t.Helper()
	var asked []cli.Measurement
	var stdout, stderr bytes.Buffer
	status := cli.Run(args, variables(env), &stdout, &stderr, cli.Tools{Serial: func(s cli.Measurement) int {
		asked = append(asked, s)
		return 7
	}})
	if status != 7 || len(asked) != 1 || stdout.Len()+stderr.Len() > 0 {
		t.Fatalf("%q: status %d, asked %d times, %s%s", args, status, len(asked), &stdout, &stderr)
	}
	return asked[0]
}

func TestEveryOptionOfTheSerialTool(t *testing.T) {
	set := func(s option.HDF5) cli.Measurement {
		return cli.Measurement{Options: plan.Options{HDF5: s}}
	}
	driver := func(d option.SerialSettings) cli.Measurement {
		return set(option.HDF5{DriverSettings: &option.DriverSettings{SerialSettings: d}})
	}
	for _, o := range []struct {
		short, long, value string
		want               cli.Measurement
	}{
		{"-a", "--align", "4k", set(option.HDF5{AlignmentBytes: new(uint64(4096))})},
		{
			"-A", "--api", "hdf5,posix",
			cli.Measurement{Options: plan.Options{Serial: &option.SerialSizes{APIs: []string{"hdf5", "posix"}}}},
		},
		{
			"-c", "--chunk", "4K,8",
			cli.Measurement{Options: plan.Options{Serial: &option.SerialSizes{ChunkSize: []uint64{4096, 8}}}},
		},
		{
			"-D", "--debug", "3,t",
			cli.Measurement{Request: run.Request{Report: report.CReportOptions{Level: 3, Times: true}}},
		},
		{"-D", "--debug", "v", cli.Measurement{Options: plan.Options{Verify: true}}},
		{
			"-e", "--num-bytes", "10000000000,1",
			cli.Measurement{Options: plan.Options{
				Serial: &option.SerialSizes{DatasetExtent: []uint64{
					10000000000,
					1,
				}},
			}},
		},
		{
			"-i", "--num-iterations", "5",
			cli.Measurement{Options: plan.Options{Common: option.Common{Iterations: new(5)}}},
		},
		{"-o", "--output", "report.txt", cli.Measurement{Request: run.Request{Output: "report.txt"}}},
		{"-r", "--order", "2,3,1", cli.Measurement{Options: plan.Options{
			Serial: &option.SerialSizes{Order: option.SerialOrder{Dimensions: []int{2, 3, 1}}},
		}}},
		{
			"-t", "--extendible", "",
			cli.Measurement{Options: plan.Options{Serial: &option.SerialSizes{Extendible: true}}},
		},
		{"-T", "--threshold", "1G", set(option.HDF5{ThresholdBytes: new(uint64(1 << 30))})},
		{"-v", "--file-driver", "core", set(option.HDF5{Driver: "core"})},
		{"-w", "--write-only", "", cli.Measurement{Options: plan.Options{Common: option.Common{WriteOnly: true}}}},
		{
			"-x", "--min-xfer-size", "2,3,4",
			cli.Measurement{Options: plan.Options{Serial: &option.SerialSizes{BufferExtent: []uint64{2, 3, 4}}}},
		},
		{"", "--json", "-", cli.Measurement{Request: run.Request{JSON: "-"}}},
		{"", "--sieve-buffer", "64K", set(option.HDF5{SieveBufferBytes: new(uint64(65536))})},
		{"", "--meta-block-size", "0", set(option.HDF5{MetaBlockBytes: new(uint64(0))})},
		{"", "--chunk-cache", "0", set(option.HDF5{ChunkCacheBytes: new(uint64(0))})},
		{"", "--core-increment", "2M", driver(option.SerialSettings{CoreIncrementBytes: new(uint64(2 << 20))})},
		{"", "--core-backing-store", "off", driver(option.SerialSettings{CoreBackingStore: new(false)})},
		{"", "--family-member", "8M", driver(option.SerialSettings{FamilyMemberBytes: new(uint64(8 << 20))})},
		{"", "--direct-alignment", "512", driver(option.SerialSettings{DirectAlignmentBytes: new(uint64(512))})},
		{"", "--direct-block", "512", driver(option.SerialSettings{DirectBlockBytes: new(uint64(512))})},
		{"", "--direct-buffer", "1M", driver(option.SerialSettings{DirectBufferBytes: new(uint64(1 << 20))})},
		{"", "--multi-map", "metadata", driver(option.SerialSettings{MultiMap: "metadata"})},
	} {
		for _, form := range forms(o.short, o.long, o.value) {
			if form[0] == "parallel" {
				continue
			}
			for _, name := range [][]string{{"h5perf", "serial"}, {"/usr/bin/h5perf_serial"}} {
				want := o.want
				want.Command = slices.Concat(name, form)
				if want.Options.Serial == nil {
					want.Options.Serial = &option.SerialSizes{}
				}
				want.Given = []result.GivenParameter{{Name: strings.TrimPrefix(o.long, "--"), Value: o.value}}
				if d := cmp.Diff(want, parseSerial(t, nil, want.Command...)); d != "" {
					t.Errorf("%q: %s", want.Command, d)
				}
			}
		}
	}
}

func TestOfSerialListsTheLastCounts(t *testing.T) {
	got := parseSerial(t, nil, "h5perf_serial", "-e16,16", "-e", "4,4", "-r", "1,2", "-r2,1").Options
	if d := cmp.Diff(plan.Options{
		Serial: &option.SerialSizes{
			DatasetExtent: []uint64{4, 4},
			Order:         option.SerialOrder{Dimensions: []int{2, 1}},
		},
	}, got); d != "" {
		t.Error(d)
	}
}

func TestVariablesOfTheSerialTool(t *testing.T) {
	env := map[string]string{
		"HDF5_MPI_INFO": "a=b", "HDF5_NOCLEANUP": "", "HDF5_PARAPREFIX": "/data", "HDF5_PREFIX": "/%d", "LOGIN": "me",
	}
	want := cli.Measurement{
		Request: run.Request{
			Command: []string{"h5perf", "serial"},
			Given: []result.GivenParameter{
				{Name: "HDF5_PREFIX", Value: "/%d"}, {Name: "HDF5_NOCLEANUP"}, {Name: "LOGIN", Value: "me"},
			},
		},
		Options: plan.Options{
			Serial: &option.SerialSizes{}, Common: option.Common{Conditions: option.Conditions{Keep: true}},
		},
	}
	if d := cmp.Diff(want, parseSerial(t, env, "h5perf", "serial")); d != "" {
		t.Error(d)
	}
}

func TestTheDesignNotesCommandLines(t *testing.T) {
	for line, want := range map[string]plan.Options{
		"": {Serial: &option.SerialSizes{}},
		"-e 16,16 -x 2,4 -r 2,1": {
			Serial: &option.SerialSizes{
				DatasetExtent: []uint64{16, 16},
				BufferExtent:  []uint64{2, 4}, Order: option.SerialOrder{Dimensions: []int{2, 1}},
			},
		},
		"-e 16,16 -x 4,2 -r 1,2": {
			Serial: &option.SerialSizes{
				DatasetExtent: []uint64{16, 16},
				BufferExtent:  []uint64{4, 2}, Order: option.SerialOrder{Dimensions: []int{1, 2}},
			},
		},
		"-e 4K,4K -x 512,256 -c 4K,256 -i 3": {
			Serial: &option.SerialSizes{
				DatasetExtent: []uint64{4096, 4096}, BufferExtent: []uint64{512, 256},
				ChunkSize: []uint64{4096, 256},
			},
			Common: option.Common{Iterations: new(3)},
		},
	} {
		got := parseSerial(t, nil, append([]string{"h5perf_serial"}, strings.Fields(line)...)...).Options
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", line, d)
		}
		if p, err := plan.New(got, plan.JobFacts{}); err != nil || len(p.Notes) != 0 {
			t.Errorf("%s: %v, notes %q", line, err, p.Notes)
		}
	}
}

func TestExamplesOfTheSerialHelpCanBeMeasured(t *testing.T) {
	var help bytes.Buffer
	cli.Run([]string{"h5perf_serial", "--help"}, variables(nil), &help, &help, cli.Tools{})
	examples := regexp.MustCompile(`(?m)^  (h5perf serial .*)$`).FindAllStringSubmatch(help.String(), -1)
	if len(examples) != 3 {
		t.Fatalf("%d examples in %s", len(examples), &help)
	}
	for _, e := range examples {
		if p, err := plan.New(parseSerial(t, nil, strings.Fields(e[1])...).Options, plan.JobFacts{}); err != nil ||
			len(p.Notes) > 0 {
			t.Errorf("%s: %v, notes %q", e[1], err, p.Notes)
		}
	}
}
