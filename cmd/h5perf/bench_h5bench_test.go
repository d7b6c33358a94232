//go:build cgo && !nompi && bench

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// kernel is a program of h5bench with its configuration, and the workload that does the same.
type kernel struct {
	name     string
	programs string // those that are run one after another on the same file; the last one is compared
	config   string // lines of the configuration, besides those of configureKernel
	own      string // the workload and its options, besides those of ownWords
}

// Workloads and configurations of the kernels. P is the number of particles of a rank; Q, R, S, U and W are parts of it
// (see fillIn). In two dimensions, a rank has Q rows of 64. Blocks of an eighth of these are large enough for h5bench,
// which wants a tenth to a fifth.
const (
	ofParticles = "particles --set pause=0 --set dumps=3 --set particles=P "
	others      = "testdata/peers/h5bench.star "
	othersIn1   = others + "--set x=P "
	othersIn2   = others + "--set dims=2 --set x=Q --set y=64 "
	in2         = "NUM_DIMS=2 DIM_1=Q DIM_2=64 "
	eighths     = in2 + "COLLECTIVE_DATA=NO BLOCK_SIZE=U BLOCK_SIZE_2=8 "
	ownOfThem   = othersIn2 + "--set mode=independent --set block=U --set block_y=8 "
	gzip        = "DIM_1=P COMPRESS=YES CHUNK_DIM_1=S"

	writer    = "h5bench_write"
	reader    = "h5bench_write h5bench_read"
	unlimited = "h5bench_write_unlimited"
)

var kernels = []kernel{
	{"write", writer, "DIM_1=P", ofParticles},
	{"write, independent", writer, "DIM_1=P COLLECTIVE_DATA=NO", ofParticles + "--set mode=independent"},
	{
		"write, aligned", writer,
		"DIM_1=P COLLECTIVE_METADATA=YES ALIGN=YES ALIGN_THRESHOLD=65536 ALIGN_LEN=65536",
		ofParticles + "--collective-metadata both --threshold 64K --align 64K",
	},
	{
		"write, arrays to structures", writer, "DIM_1=P FILE_PATTERN=INTERLEAVED",
		ofParticles + "--set file=structures",
	},
	{
		"write, structures to arrays", writer, "DIM_1=P MEM_PATTERN=INTERLEAVED",
		ofParticles + "--set memory=structures",
	},
	{
		"write, structures", writer, "DIM_1=P MEM_PATTERN=INTERLEAVED FILE_PATTERN=INTERLEAVED",
		ofParticles + "--set memory=structures --set file=structures",
	},
	{
		"write, strided", writer, "DIM_1=P FILE_PATTERN=STRIDED STRIDE_SIZE=16 BLOCK_SIZE=4 BLOCK_CNT=Q",
		othersIn1 + "--set stride=16 --set block=4 --set blocks=Q",
	},
	{"write, 2D", writer, in2, othersIn2},
	{
		"write, 2D, arrays to structures", writer, in2 + "FILE_PATTERN=INTERLEAVED",
		othersIn2 + "--set file=structures",
	},
	{
		"write, 2D, structures to arrays", writer, in2 + "MEM_PATTERN=INTERLEAVED",
		othersIn2 + "--set memory=structures",
	},
	{
		"write, 2D, structures", writer, in2 + "MEM_PATTERN=INTERLEAVED FILE_PATTERN=INTERLEAVED",
		othersIn2 + "--set memory=structures --set file=structures",
	},
	{
		"write, 3D", writer, "NUM_DIMS=3 DIM_1=R DIM_2=16 DIM_3=16",
		others + "--set dims=3 --set x=R --set y=16 --set z=16",
	},
	{"write, gzip", writer, gzip, othersIn1 + "--set chunk_x=S"},
	{"write unlimited", unlimited, gzip, othersIn1 + "--set chunk_x=S --set extent=unlimited"},
	{
		"append", unlimited + " h5bench_append", gzip,
		othersIn1 + "--set chunk_x=S --set extent=unlimited --set change=append",
	},
	{"overwrite", writer + " h5bench_overwrite", "DIM_1=P", othersIn1 + "--set change=overwrite"},
	{"write, normal counts", "h5bench_write_var_normal_dist", "DIM_1=P STDEV_DIM_1=S", othersIn1},
	{"read", reader, "DIM_1=P READ_OPTION=FULL", ofParticles},
	{
		"read, part", reader, "DIM_1=P READ_OPTION=PARTIAL TO_READ_NUM_PARTICLES=S",
		ofParticles + "--set reading=part --set part=S",
	},
	{
		"read, strided", reader, "DIM_1=P FILE_PATTERN=STRIDED STRIDE_SIZE=16 BLOCK_SIZE=4 BLOCK_CNT=Q",
		ofParticles + "--set reading=strided --set stride=16 --set block=4 --set blocks=Q",
	},
	{"read, 2D", reader, in2, othersIn2},
	{"read, 2D, LDC", reader, eighths + "READ_OPTION=LDC", ownOfThem + "--set reading=ldc"},
	{"read, 2D, RDC", reader, eighths + "READ_OPTION=RDC", ownOfThem + "--set reading=rdc"},
	{"read, 2D, PRL", reader, eighths + "READ_OPTION=PRL", ownOfThem + "--set reading=prl"},
	{
		"read, 2D, CS", reader, eighths + "READ_OPTION=CS STRIDE_SIZE=W STRIDE_SIZE_2=16",
		ownOfThem + "--set reading=cs --set stride=W --set stride_y=16",
	},
}

// benchParticles is the number of particles of a rank.
var benchParticles = setting("BENCH_PARTICLES", "256K", units.ParseSize)

// TestBenchH5bench compares files, and raw and observed rates, with those of the kernels of h5bench. H5BENCH_REF has
// the directory of its programs.
func TestBenchH5bench(t *testing.T) {
	reference := referenceOf("h5bench", "H5BENCH_REF", "directory of h5bench's programs")
	if reference == "" {
		return
	}
	inBenchDirs(t, func(dir, name string) {
		for _, n := range benchRanks(t) {
			for _, k := range kernels {
				path := filepath.Join(dir, "h5bench.h5")
				out := k.runTheirs(t, reference, path, n)
				own := k.ownWords(t, out)
				compareFiles(t, dir, path, strings.Contains(k.config, "COMPRESS"), n, own...)
				theirs := func(t *testing.T) []float64 {
					return k.theirRates(t, k.runTheirs(t, reference, path, n), n)
				}
				compare(t, "h5bench", ratio, each(fmt.Sprintf("%s %d ranks %s,", name, n, k.name), rateNames), theirs,
					subject{"h5perf : h5bench, rate", func(t *testing.T) []float64 {
						return k.ownRates(t, measureWorkload(t, dir, n, own...))
					}})
				_ = os.Remove(path)
			}
		}
	})
}

// extents matches the letters that stand for numbers in the configuration of a kernel.
var extents = regexp.MustCompile(`=[PQRSUW]\b`)

// fillIn replaces the letters of a configuration by numbers.
func fillIn(text string) string {
	return extents.ReplaceAllStringFunc(text, func(letter string) string {
		divisor := map[string]uint64{"=P": 1, "=Q": 64, "=R": 256, "=S": 8, "=U": 512, "=W": 256}[letter]
		return fmt.Sprintf("=%d", benchParticles/divisor)
	})
}

// runTheirs runs the programs of h5bench on a new file, and returns the output of the last one.
func (k kernel) runTheirs(t *testing.T, reference, path string, n int) (out string) {
	t.Helper()
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	programs := strings.Fields(k.programs)
	for i, program := range programs {
		lines := configureKernel(program)
		for line := range strings.FieldsSeq(fillIn(k.config)) {
			if i == len(programs)-1 || !aboutReading.MatchString(line) {
				lines = append(lines, line)
			}
		}
		config := filepath.Join(t.TempDir(), "config")
		if err := os.WriteFile(config, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		out = printed(t, "", perturbed, launcherOf(t, n, filepath.Join(reference, program), config, path)...)
		if !reportedRate.MatchString(out) { // it ends with status 0 when its configuration is wrong
			t.Fatalf("%s printed no rates:\n%s", program, out)
		}
	}
	return out
}

// configureKernel returns the first lines of the configuration of a program of h5bench.
func configureKernel(program string) []string {
	operation := strings.Split(program, "_")[1]
	return []string{
		"IO_OPERATION=" + strings.ToUpper(operation), "MEM_PATTERN=CONTIG", "FILE_PATTERN=CONTIG",
		"COLLECTIVE_DATA=YES", "TIMESTEPS=3", "EMULATED_COMPUTE_TIME_PER_TIMESTEP=0 s", "NUM_DIMS=1",
	}
}

var (
	reportedRate = regexp.MustCompile(`(Raw|Observed) (?:write|read|modify) rate: ([0-9.]+) ([ KMGT])B/s`)
	aboutReading = regexp.MustCompile(`^(TO_READ_|FILE_PATTERN=)`) // lines that only the last program is given
	rankCount    = regexp.MustCompile(`Number of particles in rank (\d+) = (\d+)`)
)

// theirRates returns the raw and the observed rate in the output of a program of h5bench, in bytes per second. The
// program takes the count of rank 0 for that of each rank; the rates returned are those of all that is transferred.
func (k kernel) theirRates(t *testing.T, out string, n int) (rates []float64) {
	t.Helper()
	share := 1.0
	if counts := rankCounts(t, out); len(counts) > 0 {
		total := 0
		for _, count := range counts {
			total += count
		}
		share = float64(total) / float64(n*counts[0])
	} else if strings.HasPrefix(k.config, eighths) { // rank 0 alone reads
		share = 1 / float64(n)
	}
	for _, found := range reportedRate.FindAllStringSubmatch(out, -1) {
		rate, err := strconv.ParseFloat(found[2], 64)
		if err != nil || rate == 0 {
			t.Fatalf("h5bench: rate %q: %v\n%s", found[2], err, out)
		}
		for range strings.Index(" KMGT", found[3]) {
			rate *= 1024
		}
		rates = append(rates, rate*share)
	}
	return rates
}

// rankCounts returns the number of particles of each rank, or nothing if it is the same for all.
func rankCounts(t *testing.T, out string) (counts []int) {
	t.Helper()
	found := rankCount.FindAllStringSubmatch(out, -1)
	counts = make([]int, len(found))
	for _, f := range found {
		rank, err := strconv.Atoi(f[1])
		count, e := strconv.Atoi(f[2])
		if err != nil || e != nil || rank >= len(counts) {
			t.Fatalf("h5bench: counts of the ranks: %q", found)
		}
		counts[rank] = count
	}
	return counts
}

// ownWords returns the workload that does the same as h5bench with this output, and its options.
func (k kernel) ownWords(t *testing.T, out string) []string {
	t.Helper()
	words := strings.Fields(fillIn(k.own))
	if strings.Contains(k.programs, " ") { // only h5bench_write and its likes let the user decide
		words = append(words, "--collective-metadata", "both")
	}
	if !k.isRead() {
		words = append(words, "-w")
	}
	counts := rankCounts(t, out)
	if len(counts) == 0 {
		return words
	}
	text, err := os.ReadFile(words[0])
	if err != nil {
		t.Fatal(err)
	}
	const equal = "counts = [x] * job.ranks"
	if !strings.Contains(string(text), equal) {
		t.Fatalf("%s: no line begins with %q", words[0], equal)
	}
	own := strings.Replace(string(text), equal, "counts = "+strings.Join(strings.Fields(fmt.Sprint(counts)), ", "), 1)
	words[0] = filepath.Join(t.TempDir(), "counts.star")
	if err := os.WriteFile(words[0], []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	return words
}

func (k kernel) isRead() bool { return strings.HasSuffix(k.programs, "h5bench_read") }

// ownRates returns the raw and the observed rate of a workload, in bytes per second, in the times that h5bench counts.
// It does not count the opening of a file that exists.
func (k kernel) ownRates(t *testing.T, doc result.Document) []float64 {
	t.Helper()
	s := doc.Cases[0].Samples[0]
	raw, observed := s.ClassInterval(workload.Transfer).Max, s.Access.WindowSeconds
	switch {
	case k.isRead():
		s = doc.Cases[0].Samples[1]
		raw = s.ClassInterval(workload.Transfer).Max
		observed = s.Access.WindowSeconds - s.ClassInterval(workload.FileOpen).Seconds()
	case strings.Contains(k.own, "change="): // the second half of the dumps
		s.Bytes, raw, observed = 0, 0, 0
		for _, d := range s.Dumps[len(s.Dumps)/2:] {
			s.Bytes, observed = s.Bytes+d.Bytes, observed+d.WindowSeconds
			for _, c := range d.Classes { // h5bench counts the extension of datasets as a transfer
				if c.Class == result.ClassOf(workload.Transfer) || c.Class == result.ClassOf(workload.Extend) {
					raw += c.Max
				}
			}
		}
	}
	if s.Bytes == 0 || raw <= 0 || observed <= 0 {
		t.Fatalf("%s: %d bytes in %v s and %v s", k.name, s.Bytes, raw, observed)
	}
	return []float64{float64(s.Bytes) / raw, float64(s.Bytes) / observed}
}
