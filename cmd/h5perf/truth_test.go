//go:build cgo && !nompi && truth

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/test/faultfs/fault"
	"h5perf/pkg/test/faultfs/faulttest"
	"h5perf/pkg/workload"
)

// Time of a transfer to a device of known speed, number of repetitions, and speeds in bytes per second.
var (
	truthTime   = setting("TRUTH_TIME", "4s", time.ParseDuration)
	truthRounds = setting("TRUTH_ROUNDS", "3", strconv.Atoi)
	truthSpeeds = setting("TRUTH_SPEEDS", "20000000 50000000 100000000", func(list string) (speeds []int, err error) {
		for word := range strings.FieldsSeq(list) {
			speed, e := strconv.Atoi(word)
			speeds, err = append(speeds, speed), errors.Join(err, e)
		}
		return speeds, err
	})
)

// sector is the unit of /sys/block/*/stat (Documentation/block/stat.rst).
const sector = 512

// device is a block device of known speed with an ext4 file system: a loop device over memory, throttled by the block
// layer.
type device struct {
	t      *testing.T
	dir    string // where it is mounted
	name   string // of the device in /sys/block
	number string // major:minor
}

// throttled makes a device that writes and reads this number of bytes per second. The limit is set for the root
// cgroup, so it also holds for write-back.
func throttled(t *testing.T, size int64, bytesPerSecond int) *device {
	t.Helper()
	image := filepath.Join("/dev/shm", fmt.Sprintf("h5perf-truth-%d-%s", os.Getpid(), filepath.Base(t.TempDir())))
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Remove(image) }() // it stays for as long as the device holds it
	if err := os.Truncate(image, size); err != nil {
		t.Fatal(err)
	}
	outputOf(t, "mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard", image)
	loop := strings.TrimSpace(outputOf(t, "losetup", "--show", "-f", image))
	d := &device{t: t, dir: t.TempDir(), name: filepath.Base(loop)}
	err := unix.Mount(loop, d.dir, "ext4", unix.MS_NOATIME, "")
	outputOf(t, "losetup", "-d",
		loop) // when it is unmounted: also where the test is killed, for the mount goes with its namespace
	if err != nil {
		t.Fatalf("mount %s: %v", loop, err)
	}
	unmount(t, d.dir)
	number, err := os.ReadFile(filepath.Join("/sys/block", d.name, "dev"))
	if err != nil {
		t.Fatal(err)
	}
	d.number = strings.TrimSpace(string(number))
	// Writers must wait for the device from the beginning, in small steps, so that a buffered write takes the time of
	// the device and not that of copies to memory.
	d.set("/sys/class/bdi/"+d.number+"/strict_limit", "1")
	d.set("/sys/class/bdi/"+d.number+"/max_bytes", fmt.Sprint(16<<20))
	d.set("/sys/block/"+d.name+"/queue/max_sectors_kb", "256")
	d.limit(bytesPerSecond)
	t.Cleanup(func() { d.limit(0) })
	return d
}

// set writes a setting of the kernel.
func (d *device) set(path, value string) {
	d.t.Helper()
	if err := os.WriteFile(path, []byte(value), 0); err != nil {
		d.t.Fatal(err)
	}
}

// limit sets the speed of the device. 0 means no limit.
func (d *device) limit(bytesPerSecond int) {
	d.t.Helper()
	for _, direction := range []string{"write", "read"} {
		control := "/sys/fs/cgroup/blkio/blkio.throttle." + direction + "_bps_device"
		if err := os.WriteFile(control, fmt.Appendf(nil, "%s %d", d.number, bytesPerSecond), 0); err != nil {
			d.t.Fatalf("%v (the block layer's throttle needs root and the blkio controller of cgroup v1)", err)
		}
	}
}

// outputOf runs a program and returns its standard output.
func outputOf(t *testing.T, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	var stderr strings.Builder
	c.Stderr = &stderr
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

// written returns the number of bytes that the device has counted as written.
func (d *device) written() uint64 {
	text, err := os.ReadFile(filepath.Join("/sys/block", d.name, "stat"))
	if err != nil {
		d.t.Error(err)
		return 0
	}
	sectors, err := strconv.ParseUint(strings.Fields(string(text))[6], 10, 64)
	if err != nil {
		d.t.Error(err)
	}
	return sectors * sector
}

// reading is the count of the device, read between two times.
type reading struct {
	before, after time.Time
	bytes         uint64
}

// read reads the count of the device.
func (d *device) read() reading {
	r := reading{before: time.Now()}
	r.bytes = d.written()
	r.after = time.Now()
	return r
}

// observe records the count of the device until the returned function is called, which returns the readings.
func (d *device) observe() func() []reading {
	end, readings := make(chan struct{}), make(chan []reading)
	go func() {
		var all []reading
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			all = append(all, d.read())
			select {
			case <-end:
				readings <- append(all, d.read())
				return
			case <-tick.C:
			}
		}
	}()
	return func() []reading { close(end); return <-readings }
}

// between returns the least and the most bytes that the device can have counted in an interval.
func between(readings []reading, from, to time.Time) (least, most uint64) {
	// Of the readings that were over at a time and of those that had not begun, the nearest.
	past := func(when time.Time) uint64 {
		i := slices.IndexFunc(readings, func(r reading) bool { return r.after.After(when) })
		if i < 0 {
			i = len(readings)
		}
		return readings[max(0, i-1)].bytes
	}
	next := func(when time.Time) uint64 {
		i := slices.IndexFunc(readings, func(r reading) bool { return !r.before.Before(when) })
		if i < 0 {
			i = len(readings) - 1
		}
		return readings[i].bytes
	}
	if least, most = next(from), past(to); least > most {
		most = least
	}
	return most - least, next(to) - past(from)
}

// fio returns the throughput of one sequential write, in bytes per second.
func (d *device) fio(size uint64, args ...string) float64 {
	d.t.Helper()
	file := filepath.Join(d.dir, "fio")
	out := outputOf(d.t, "fio", append([]string{
		"--name=truth", "--filename=" + file, "--rw=write", "--bs=4M", "--ioengine=psync", "--output-format=json",
		"--fallocate=none", "--allow_file_create=1", fmt.Sprintf("--size=%d", size),
	}, args...)...)
	if err := os.Remove(file); err != nil {
		d.t.Fatal(err)
	}
	var report struct {
		Jobs []struct {
			Write struct {
				Bytes uint64  `json:"io_bytes"`
				Rate  float64 `json:"bw_bytes"`
			} `json:"write"`
		} `json:"jobs"`
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || len(report.Jobs) != 1 ||
		report.Jobs[0].Write.Bytes != size {
		d.t.Fatalf("report of fio: %v\n%s", err, out)
	}
	return report.Jobs[0].Write.Rate
}

// measure returns the only sample of a run that writes this number of bytes. It has one rank, whose own time is that of
// the run: where ranks do not all work at the same time, what they say together is more than the device has done.
func (d *device) measure(size uint64, args ...string) result.Sample {
	d.t.Helper()
	l := launch(d.t, 1, d.dir, nil, nil, append([]string{
		"-w", "-e", fmt.Sprint(size), "-B", "4M", "-x", "4M", "-X", "4M",
	}, args...)...)
	if status := l.wait(startTime + 10*truthTime); status != 0 {
		d.t.Fatalf("exit status %d", status)
	}
	doc := l.document()
	l.cleaned("lost+found")
	return doc.Cases[0].Samples[0]
}

func median(values []float64) float64 {
	values = slices.Sorted(slices.Values(values))
	return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
}

// off returns the relative difference of a value from the truth.
func off(value, truth float64) float64 { return value/truth - 1 }

// outside returns by how much, relative to the bounds, a value lies below the least or above the most; 0 is between.
func outside(value, least, most float64) float64 {
	switch {
	case value < least:
		return off(value, least)
	case value > most:
		return off(value, most)
	}
	return 0
}

// throughputs are what runs said, what the device counted meanwhile (at least, and at most), and what fio said.
type throughputs struct{ ours, least, most, fio []float64 }

// compare measures with arguments and with fio in turns.
func (d *device) compare(size uint64, ours, fio []string) (all throughputs) {
	d.t.Helper()
	for range truthRounds {
		readings := d.observe()
		s := d.measure(size, ours...)
		least, most := between(readings(), s.Started, s.Ended)
		took := s.Ended.Sub(s.Started).Seconds()
		all.ours = append(all.ours, s.Throughput())
		all.least = append(all.least, float64(least)/took)
		all.most = append(all.most, float64(most)/took)
		all.fio = append(all.fio, d.fio(size, fio...))
	}
	return all
}

// check compares what runs said with what the device counted in the same run. How that compares with the speed that was
// set and with fio, which runs at another time, is told only.
func (all throughputs) check(t *testing.T, what string, speed int) {
	t.Helper()
	mine := median(all.ours)
	t.Logf("%s: set %d B/s; h5perf %.0f (%+.2f %%); device %.0f to %.0f; fio %.0f (%+.2f %%)", what, speed, all.ours,
		100*off(mine, float64(speed)), all.least, all.most, all.fio, 100*off(mine, median(all.fio)))
	var wrong []float64
	for i, ours := range all.ours {
		wrong = append(wrong, outside(ours, all.least[i], all.most[i]))
	}
	if all := median(all.least); all > 1.1*float64(speed) { // a busy machine is slower, but never faster
		t.Errorf("%s: the device counted %.0f B/s, so that nothing throttles it to %d", what, all, speed)
	}
	if e := median(wrong); math.Abs(e) > 0.02 {
		t.Errorf("%s: %+.2f %% off what the device counted: %v", what, 100*e, wrong)
	}
}

func TestTruthDirectWritesAreAsFastAsTheDevice(t *testing.T) {
	for _, speed := range truthSpeeds {
		t.Run(strconv.Itoa(speed), func(t *testing.T) {
			size := uint64(truthTime.Seconds()*float64(speed)) &^ (8<<20 - 1)
			d := throttled(t, int64(2*size)+256<<20, speed)
			d.compare(size, []string{"-A", "posix", "--direct"}, []string{"--direct=1"}).check(t, "posix", speed)
		})
	}
}

func TestTruthSyncedWritesAreAsFastAsTheDevice(t *testing.T) {
	for _, speed := range truthSpeeds {
		t.Run(strconv.Itoa(speed), func(t *testing.T) {
			size := uint64(truthTime.Seconds()*float64(speed)) &^ (8<<20 - 1)
			d := throttled(t, int64(2*size)+256<<20, speed)
			for _, api := range []string{"posix", "mpiio", "phdf5"} {
				d.compare(size, []string{"-A", api, "--sync", "close"}, []string{"--end_fsync=1"}).check(t, api, speed)
			}
		})
	}
}

func TestTruthFUSEIsAsFastAsItsServerSays(t *testing.T) {
	const bandwidth = 100e6
	f := faulttest.Start(t, "--direct", "--bandwidth", fmt.Sprint(int(bandwidth)))
	size := uint64(truthTime.Seconds()*bandwidth) &^ (8<<20 - 1)
	for _, api := range []string{"posix", "mpiio", "phdf5"} {
		ours, recorded := map[result.Operation][]float64{}, map[result.Operation][]float64{}
		for range truthRounds {
			f.ResetStats()
			l := launch(t, 1, f.Path, nil, nil, "-A", api, "-e", fmt.Sprint(size), "-B", "1M", "-x", "1M", "-X", "1M")
			if status := l.wait(startTime + 10*truthTime); status != 0 {
				t.Fatalf("exit status %d", status)
			}
			stats := f.Stats()
			for _, s := range l.document().Cases[0].Samples {
				op := s.Operation
				served := stats[fault.Op(op)]
				ours[op] = append(ours[op], s.Throughput())
				first := s.Started.Add(time.Duration(s.ClassInterval(workload.FileOpen).Seconds() * float64(
					time.Second)))
				if served.First.After(first) { // before are writes to files of the run's own
					first = served.First
				}
				recorded[op] = append(recorded[op], float64(served.Bytes)/served.Last.Sub(first).Seconds())
			}
		}
		for op := range ours {
			mine, theirs := median(ours[op]), median(recorded[op])
			t.Logf("%s %s: %.0f B/s, %+.2f %% off what is set, %+.2f %% off what the server recorded", api, op,
				ours[op], 100*off(mine, bandwidth), 100*off(mine, theirs))
			if e := off(mine, theirs); math.Abs(e) > 0.03 {
				t.Errorf("%s %s: %+.2f %% off what the server recorded", api, op, 100*e)
			}
		}
	}
}

// Each call takes at least as long as the server takes for its request, and all of them together no longer than the
// server was asked for.
func TestTruthLatenciesAreThoseOfTheServer(t *testing.T) {
	f := faulttest.Start(t, "--direct", "--latency", "2ms")
	for _, api := range []string{"posix", "mpiio", "phdf5"} {
		f.ResetStats()
		l := launch(t, 1, f.Path, nil, nil, "-A", api, "-e", "16M", "-B", "64K", "-x", "64K", "-X", "64K", "--latency")
		if status := l.wait(startTime + 10*truthTime); status != 0 {
			t.Fatalf("exit status %d", status)
		}
		stats := f.Stats()
		latencies := l.document().Cases[0].Latencies
		if len(latencies) != 2 {
			t.Errorf("%s: latencies of %d directions, want 2", api, len(latencies))
		}
		for _, ours := range latencies {
			served := stats[fault.Op(ours.Operation)]
			const quantiles = 0.996 // they are within 0.4 % of the exact ones
			half := ours.Quantiles[0].Seconds
			asked := served.Last.Sub(served.First).Seconds() + 2*ours.Max // the way to the server, and back
			t.Logf("%s %s: %d calls, half of them up to %.6f s, of the server %.6f s; in all %.6f s of %.6f s", api,
				ours.Call, ours.Count, half, served.Service.Median, ours.Mean*float64(ours.Count), asked)
			if ours.Min < served.Service.Min || half < quantiles*served.Service.Median {
				t.Errorf("%s %s: calls from %.6f s, half of them up to %.6f s; the server took %.6f s and %.6f s", api,
					ours.Call, ours.Min, half, served.Service.Min, served.Service.Median)
			}
			if all := ours.Mean * float64(ours.Count); all > asked {
				t.Errorf("%s %s: calls of %.6f s in all, within %.6f s", api, ours.Call, all, asked)
			}
		}
	}
}

// On a server with a known time for each request, a setting gives the time of the requests that it saves.
func TestTruthVariantsGiveTheRequestsThatTheySave(t *testing.T) {
	const variant = "libver=latest" // its objects need fewer transfers of metadata
	f := faulttest.Start(t, "--direct", "--latency", "20ms")
	served := func(options ...string) (seconds float64) {
		f.ResetStats()
		l := launch(t, 1, f.Path, nil, nil,
			append([]string{"run", "arrays", "--size", "tiny", "-A", "phdf5", "-i", "1"}, options...)...)
		if status := l.wait(startTime + 10*truthTime); status != 0 {
			t.Fatalf("exit status %d", status)
		}
		for _, op := range []fault.Op{fault.Write, fault.Read} {
			of := f.Stats()[op]
			seconds += float64(of.Count) * of.Service.Median
		}
		return seconds
	}
	saved := 1 - served("--"+variant)/served() // share of the time of all requests
	documents := t.TempDir()
	l := launch(t, 1, f.Path, nil, nil, "vary", variant, "-i", "9", "--json", filepath.Join(documents, "v.json"), "--",
		"arrays", "--size", "tiny")
	if status := l.wait(startTime + 30*truthTime); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	var all []history.Record
	for _, name := range []string{"as-it-is", variant} {
		path := filepath.Join(documents, "v-"+name+".json")
		doc, err := result.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, history.Record{Path: path, Document: doc})
	}
	r, err := history.Rank(all)
	if err != nil {
		t.Fatal(err)
	}
	d := r.Arms[0].Differences[history.TotalTime]
	if r.Arms[0].Arm != result.ArmB || r.Verdict(d) != history.Better {
		t.Fatalf("%s is not shown to be faster: %+v", variant, d)
	}
	t.Logf("the server took %.2f %% less time, an iteration %.2f %%", 100*saved, 100*(1-d.Ratio))
	if e := off(1-d.Ratio, saved); math.Abs(e) > 0.05 {
		t.Errorf("%s gives %.2f %%, %+.1f %% off what it saves the server", variant, 100*(1-d.Ratio), 100*e)
	}
}

// A run alone on a device has no mark, whatever it syncs. With a program that writes to the same device, it has one.
func TestTruthSamplesBesideAWriterAreMarked(t *testing.T) {
	const speed = 50_000_000
	size := uint64(truthTime.Seconds()*speed) &^ (8<<20 - 1)
	d := throttled(t, int64(2*size)+256<<20, speed)
	for _, args := range [][]string{
		{"-A", "posix", "--direct"},
		{"-A", "posix", "--sync", "close"},
		{"-A", "mpiio", "--sync", "each"},
		{"-A", "phdf5"},
	} {
		for _, beside := range []bool{false, true} {
			stop := func() uint64 { return 0 }
			if beside {
				stop = d.writeBeside()
			}
			s := d.measure(size, args...)
			t.Logf("%q, others wrote %d bytes in the run: %d during the sample", args, stop(), s.OtherBytes)
			if s.HasMark(result.MarkDisturbed) != beside {
				t.Errorf("%q: marks %v, beside a writer: %v", args, s.Marks, beside)
			}
		}
	}
}

// writeBeside writes to the device until the returned function is called, which returns the number of bytes.
func (d *device) writeBeside() (stop func() uint64) {
	d.t.Helper()
	f, err := os.Create(filepath.Join(d.dir, "beside"))
	if err != nil {
		d.t.Fatal(err)
	}
	if err := os.Remove(f.Name()); err != nil { // the space is in use until the file is closed
		d.t.Fatal(err)
	}
	end, wrote := make(chan struct{}), make(chan uint64)
	go func() {
		block, bytes := make([]byte, 4<<20), uint64(0)
		for {
			select {
			case <-end:
				wrote <- bytes
				return
			default:
			}
			if _, err := f.WriteAt(block, 0); err != nil {
				d.t.Error(err)
			}
			if err := f.Sync(); err != nil {
				d.t.Error(err)
			}
			bytes += uint64(len(block))
		}
	}()
	return func() uint64 {
		close(end)
		bytes := <-wrote
		if err := f.Close(); err != nil {
			d.t.Error(err)
		}
		return bytes
	}
}
