package report

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/test/plaintest"
	"h5perf/pkg/workload"
)

// serial returns a complete run of the serial tool. The results are invented.
func serial(t *testing.T, o plan.Options) result.Document {
	t.Helper()
	p, err := plan.New(o, plan.JobFacts{})
	if err != nil {
		t.Fatal(err)
	}
	return run(p.Parameters)
}

func square16(o plan.Options) plan.Options {
	o.Serial.DatasetExtent, o.Serial.BufferExtent = []uint64{16, 16}, []uint64{4, 4}
	return o
}

func TestSerialDefault(t *testing.T) {
	golden(t, "serial-default.txt",
		printed(t, serial(t, plan.Options{Serial: &option.SerialSizes{}}), CReportOptions{}))
}

func TestSerialExtendible(t *testing.T) {
	o := square16(plan.Options{
		Serial: &option.SerialSizes{ChunkSize: []uint64{4, 4}, Extendible: true, APIs: []string{"hdf5"}},
		HDF5:   option.HDF5{Driver: "core"},
	})
	golden(t, "serial-extendible.txt", printed(t, serial(t, o), CReportOptions{Times: true}))
}

func TestSerialEverything(t *testing.T) {
	o := plan.Options{
		Serial: &option.SerialSizes{DatasetExtent: []uint64{4096, 6, 1 << 20}, BufferExtent: []uint64{
			4096, 3,
			1 << 10,
		}, Order: option.SerialOrder{Dimensions: []int{3, 1, 2}}},
		Common: option.Common{Iterations: new(2)},
	}
	doc := serial(t, o)
	doc.GivenParameters = []result.GivenParameter{
		{Name: "HDF5_PARAPREFIX", Value: "/other"},
		{Name: "HDF5_PREFIX", Value: "/scratch/%d"},
	}
	golden(t, "serial-everything.txt", printed(t, doc, CReportOptions{Level: 4, Raw: true, Times: true}))
}

func TestASerialCaseWithoutResultsHasNoFigure(t *testing.T) {
	doc := serial(t, plan.Options{Serial: &option.SerialSizes{}})
	doc.Cases[0].State = result.Failed
	doc.Cases[0].Error = &result.Error{
		Phase: "transfer", Operation: "write", Iteration: 1, Message: "pwrite: no space left on device",
	}
	doc.Cases[1].State, doc.Cases[1].Samples = result.Interrupted, nil
	text := printed(t, doc, CReportOptions{Level: 3, Raw: true, Times: true})
	golden(t, "serial-failed.txt", text)
	if strings.Contains(text, "MB/s") || strings.Contains(text, "rank") {
		t.Errorf("figures or ranks in\n%s", text)
	}
}

func TestRawDataAreReadInTheirOwnTime(t *testing.T) {
	doc := serial(t, plan.Options{Serial: &option.SerialSizes{APIs: []string{"hdf5"}}})
	read := &doc.Cases[0].Samples[1]
	read.Access, read.OpenClose = slowest(2), slowest(4) // 64 MB
	figurestest.SetTime(read, workload.Transfer, slowest(1))
	text := printed(t, doc, CReportOptions{Raw: true})
	want := "            Raw Data Read (1 iteration(s)):\n                Maximum Throughput:  64.00 MB/s\n"
	if !strings.Contains(text, want) {
		t.Errorf("no\n%sin\n%s", want, text)
	}
}

// measured matches what differs between two runs of the same tool: measured numbers, data file names, and the version
// of the library.
var measured = regexp.MustCompile(`(Throughput:|MB/s \(|Time:|Version) *[0-9.]+|(filename=)\S+`)

// added matches lines that the C tool does not write.
var added = regexp.MustCompile(`(?m)^(Conditions|( {12})?(Caution|Note)): .*\n`)

func masked(text string) string {
	return measured.ReplaceAllString(added.ReplaceAllString(text, ""), "$1$2 FIGURE")
}

// The C tool is from the Debian package hdf5-tools.
func TestTheSerialReportIsThatOfTheCTool(t *testing.T) {
	const tool = "/usr/bin/h5perf_serial"
	explicit := func(o plan.Options) plan.Options {
		if o.Serial == nil {
			o.Serial = &option.SerialSizes{}
		}
		o.Serial.DatasetExtent, o.Serial.BufferExtent = []uint64{2048, 64}, []uint64{1024, 16}
		return o
	}
	for arguments, c := range map[string]struct {
		o      plan.Options
		report CReportOptions
	}{
		"":     {},
		"-D 0": {},
		"-D 1": {report: CReportOptions{Level: 1}},
		"-D 2": {report: CReportOptions{Level: 2}},
		"-D 3": {report: CReportOptions{Level: 3}},
		"-D 4": {report: CReportOptions{Level: 4}},
		"-D r": {report: CReportOptions{Raw: true}},
		"-D t": {report: CReportOptions{Times: true}},
		"-D v": {o: plan.Options{Serial: &option.SerialSizes{}, Verify: true}},
		"-D 4,r,t -i 3": {
			plan.Options{Serial: &option.SerialSizes{}, Common: option.Common{Iterations: new(3)}},
			CReportOptions{
				Level: 4, Raw: true,
				Times: true,
			},
		},
		"-D 3,r,t -i 2 -w": {
			plan.Options{Serial: &option.SerialSizes{}, Common: option.Common{Iterations: new(2), WriteOnly: true}},
			CReportOptions{
				Level: 3, Raw: true,
				Times: true,
			},
		},
		"-w":       {o: plan.Options{Serial: &option.SerialSizes{}, Common: option.Common{WriteOnly: true}}},
		"-A posix": {o: plan.Options{Serial: &option.SerialSizes{APIs: []string{"posix"}}}},
		"-A hdf5 -D 1": {
			plan.Options{Serial: &option.SerialSizes{APIs: []string{"hdf5"}}},
			CReportOptions{Level: 1},
		},
		"-A hdf5,posix": {o: plan.Options{Serial: &option.SerialSizes{APIs: []string{"hdf5", "posix"}}}},
		"-r 2,1": {o: plan.Options{
			Serial: &option.SerialSizes{Order: option.SerialOrder{Dimensions: []int{2, 1}}},
		}},
		"-c 512,8": {o: plan.Options{Serial: &option.SerialSizes{ChunkSize: []uint64{512, 8}}}},
		"-c 1K,64 -t -D 4,r,t": {
			plan.Options{Serial: &option.SerialSizes{ChunkSize: []uint64{1024, 64}, Extendible: true}},
			CReportOptions{Level: 4, Raw: true, Times: true},
		},
		"-c 512,8 -A posix": {o: plan.Options{
			Serial: &option.SerialSizes{
				ChunkSize: []uint64{512, 8},
				APIs:      []string{"posix"},
			},
		}},
		"-v sec2":        {o: plan.Options{HDF5: option.HDF5{Driver: "sec2"}}},
		"-v stdio":       {o: plan.Options{HDF5: option.HDF5{Driver: "stdio"}}},
		"-v core -D 1":   {plan.Options{HDF5: option.HDF5{Driver: "core"}}, CReportOptions{Level: 1}},
		"-v split -D 2":  {plan.Options{HDF5: option.HDF5{Driver: "split"}}, CReportOptions{Level: 2}},
		"-v multi -D 3":  {plan.Options{HDF5: option.HDF5{Driver: "multi"}}, CReportOptions{Level: 3}},
		"-v family -D 4": {plan.Options{HDF5: option.HDF5{Driver: "family"}}, CReportOptions{Level: 4}},
		"-v direct -D t": {plan.Options{HDF5: option.HDF5{Driver: "direct"}}, CReportOptions{Times: true}},
		"-v core -c 512,8 -t -w": {o: plan.Options{
			Serial: &option.SerialSizes{ChunkSize: []uint64{512, 8}, Extendible: true},
			Common: option.Common{WriteOnly: true},
			HDF5:   option.HDF5{Driver: "core"},
		}},
	} {
		words := append([]string{"-e", "2K,64", "-x", "1K,16"}, strings.Fields(arguments)...)
		theirs := exec.Command(tool, words...)
		theirs.Dir = t.TempDir()
		prefix := t.TempDir()
		theirs.Env = []string{"HDF5_PREFIX=" + prefix}
		text, err := theirs.Output()
		if err != nil {
			t.Fatalf("%s %q: %v", tool, words, err)
		}
		doc := serial(t, explicit(c.o))
		doc.GivenParameters = []result.GivenParameter{{Name: "HDF5_PREFIX", Value: prefix}}
		if d := cmp.Diff(masked(string(text)), masked(plaintest.Unwrap(printed(t, doc, c.report)))); d != "" {
			t.Errorf("%s %q (-C tool +ours)\n%s", tool, words, d)
		}
	}
}
