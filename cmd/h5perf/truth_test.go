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

	"h5perf/cmd/faultfs/fault"
	"h5perf/cmd/faultfs/faulttest"
	"h5perf/pkg/result"
)

// Time of a transfer to a device of known speed, number of repetitions, and speeds in bytes per second.
var (
	truthTime   = setting("TRUTH_TIME", "12s", time.ParseDuration)
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
	output(t, "mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard", image)
	loop := strings.TrimSpace(output(t, "losetup", "--show", "-f", image))
	d := &device{t: t, dir: t.TempDir(), name: filepath.Base(loop)}
	err := unix.Mount(loop, d.dir, "ext4", unix.MS_NOATIME, "")
	output(t, "losetup", "-d",
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

// output runs a program and returns its standard output.
func output(t *testing.T, name string, args ...string) string {
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

// reading is the count of the device at a time.
type reading struct {
	at    time.Time
	bytes uint64
}

// observe records the count of the device until the returned function is called, which returns the readings.
func (d *device) observe() func() []reading {
	end, readings := make(chan struct{}), make(chan []reading)
	go func() {
		var all []reading
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			all = append(all, reading{time.Now(), d.written()})
			select {
			case <-end:
				readings <- append(all, reading{time.Now(), d.written()})
				return
			case <-tick.C:
			}
		}
	}()
	return func() []reading { close(end); return <-readings }
}

// between returns the bytes that the device counted in an interval.
func between(readings []reading, from, to time.Time) uint64 {
	at := func(when time.Time) uint64 {
		i, _ := slices.BinarySearchFunc(readings, when, func(r reading, t time.Time) int { return r.at.Compare(t) })
		return readings[min(i, len(readings)-1)].bytes
	}
	return at(to) - at(from)
}

// fio returns the throughput of one sequential write, in bytes per second.
func (d *device) fio(size uint64, args ...string) float64 {
	d.t.Helper()
	file := filepath.Join(d.dir, "fio")
	out := output(d.t, "fio", append([]string{
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

// measure returns the only sample of a run that writes this number of bytes with 2 ranks.
func (d *device) measure(size uint64, args ...string) result.Sample {
	d.t.Helper()
	l := launch(d.t, 2, d.dir, nil, nil, append([]string{
		"-p", "2", "-w", "-e", fmt.Sprint(size / 2), "-B", "4M", "-x", "4M", "-X", "4M",
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

// settle measures rounds until the medians over all of them pass the check, but at most three times the number that
// is asked for, because other load on the machine disturbs some rounds. The check returns what is wrong.
func settle(t *testing.T, round func(), check func() []string) {
	t.Helper()
	var wrong []string
	for n := 1; n <= 3*truthRounds; n++ {
		round()
		if n < truthRounds {
			continue
		}
		if wrong = check(); len(wrong) == 0 {
			return
		}
	}
	for _, w := range wrong {
		t.Error(w)
	}
}

func TestTruthDirectWritesAreAsFastAsTheDevice(t *testing.T) {
	for _, speed := range truthSpeeds {
		t.Run(strconv.Itoa(speed), func(t *testing.T) {
			size := uint64(truthTime.Seconds()*float64(speed)) &^ (8<<20 - 1)
			d := throttled(t, int64(2*size)+256<<20, speed)
			var ours, theirs []float64
			settle(t, func() {
				ours = append(ours, d.measure(size, "-A", "posix", "--direct").Throughput())
				theirs = append(theirs, d.fio(size, "--direct=1"))
			}, func() (wrong []string) {
				t.Logf("set %d B/s; h5perf %.0f (%+.2f %%); fio %.0f (%+.2f %%)", speed, ours,
					100*off(median(ours), float64(speed)), theirs, 100*off(median(theirs), float64(speed)))
				if e := off(median(ours), float64(speed)); math.Abs(e) > 0.03 {
					wrong = append(wrong, fmt.Sprintf("%+.2f %% off the speed of the device", 100*e))
				}
				if e := off(median(ours), median(theirs)); math.Abs(e) > 0.01 {
					wrong = append(wrong, fmt.Sprintf("%+.2f %% off fio", 100*e))
				}
				return wrong
			})
		})
	}
}

func TestTruthSyncedWritesAreAsFastAsTheDevice(t *testing.T) {
	for _, speed := range truthSpeeds {
		t.Run(strconv.Itoa(speed), func(t *testing.T) {
			size := uint64(truthTime.Seconds()*float64(speed)) &^ (8<<20 - 1)
			d := throttled(t, int64(2*size)+256<<20, speed)
			ours, device, theirs := map[string][]float64{}, map[string][]float64{}, []float64{}
			apis := []string{"posix", "mpiio", "phdf5"}
			settle(t, func() {
				for _, api := range apis {
					readings := d.observe()
					s := d.measure(size, "-A", api, "--sync", "close")
					counted := between(readings(), s.Started, s.Ended)
					ours[api] = append(ours[api], s.Throughput())
					device[api] = append(device[api], float64(counted)/s.Ended.Sub(s.Started).Seconds())
				}
				theirs = append(theirs, d.fio(size, "--end_fsync=1"))
			}, func() (wrong []string) {
				for _, api := range apis {
					mine := median(ours[api])
					t.Logf("set %d B/s; %s %.0f (%+.2f %%); device %.0f (%+.2f %%); fio %.0f (%+.2f %%)", speed, api,
						ours[api], 100*off(mine, float64(speed)),
						device[api], 100*off(mine, median(device[api])), theirs, 100*off(mine, median(theirs)))
					if e := off(mine, float64(speed)); e > 0.03 {
						wrong = append(wrong, fmt.Sprintf("%s: %+.2f %% above the speed of the device", api, 100*e))
					}
					if e := off(mine, median(device[api])); math.Abs(e) > 0.02 {
						wrong = append(wrong, fmt.Sprintf("%s: %+.2f %% off what the device counted", api, 100*e))
					}
					if e := off(mine, median(theirs)); math.Abs(e) > 0.02 {
						wrong = append(wrong, fmt.Sprintf("%s: %+.2f %% off fio", api, 100*e))
					}
				}
				return wrong
			})
		})
	}
}

func TestTruthFUSEIsAsFastAsItsServerSays(t *testing.T) {
	const bandwidth = 100e6
	f := faulttest.Start(t, "--direct", "--bandwidth", fmt.Sprint(int(bandwidth)))
	size := uint64(truthTime.Seconds()*bandwidth) &^ (8<<20 - 1)
	for _, api := range []string{"posix", "mpiio", "phdf5"} {
		ours, recorded := map[result.Operation][]float64{}, map[result.Operation][]float64{}
		settle(t, func() {
			f.ResetStats()
			l := launch(t, 2, f.Path, nil, nil, "-p", "2", "-A", api, "-e", fmt.Sprint(size/2), "-B", "1M", "-x", "1M",
				"-X", "1M")
			if status := l.wait(startTime + 10*truthTime); status != 0 {
				t.Fatalf("exit status %d", status)
			}
			stats := f.Stats()
			for _, s := range l.document().Cases[0].Samples {
				op := s.Operation
				served := stats[fault.Op(op)]
				ours[op] = append(ours[op], s.Throughput())
				recorded[op] = append(recorded[op], float64(served.Bytes)/served.Last.Sub(served.First).Seconds())
			}
		}, func() (wrong []string) {
			for op := range ours {
				mine, theirs := median(ours[op]), median(recorded[op])
				t.Logf("%s %s: %.0f B/s, %+.2f %% off what is set, %+.2f %% off what the server recorded", api, op,
					ours[op], 100*off(mine, bandwidth), 100*off(mine, theirs))
				if e := off(mine, theirs); math.Abs(e) > 0.03 {
					wrong = append(wrong, fmt.Sprintf("%s %s: %+.2f %% off what the server recorded", api, op, 100*e))
				}
				if e := off(mine, bandwidth); math.Abs(e) > 0.03 &&
					math.Abs(off(theirs, bandwidth)) < 0.03 { // else the server did not hold it
					wrong = append(wrong,
						fmt.Sprintf("%s %s: %+.2f %% off the speed of the file system", api, op, 100*e))
				}
			}
			return wrong
		})
	}
}

// plain returns the median time, in seconds, of a system call that writes or reads 64 KiB of a file. It is the part
// of a latency that does not come from h5perf.
func plain(t *testing.T, dir string) map[result.Operation]float64 {
	t.Helper()
	file, err := os.Create(filepath.Join(dir, "plain"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close(); _ = os.Remove(file.Name()) }()
	piece := make([]byte, 64<<10)
	took := func(transfer func([]byte, int64) (int, error)) float64 {
		var times []float64
		for at := range int64(256) {
			start := time.Now()
			if _, err := transfer(piece, at*int64(len(piece))); err != nil {
				t.Fatal(err)
			}
			times = append(times, time.Since(start).Seconds())
		}
		return median(times)
	}
	write := took(file.WriteAt)
	return map[result.Operation]float64{result.OperationWrite: write, result.OperationRead: took(file.ReadAt)}
}

func TestTruthTheMedianLatencyIsThatOfTheServer(t *testing.T) {
	const most = 200e-6 // seconds
	f := faulttest.Start(t, "--direct", "--latency", "2ms")
	for _, api := range []string{"posix", "mpiio", "phdf5"} {
		ours, served, plainly := map[string][]float64{}, map[string][]float64{}, map[string][]float64{} // by call
		settle(t, func() {
			took := plain(t, f.Path)
			f.ResetStats()
			l := launch(t, 1, f.Path, nil, nil, "-A", api, "-e", "16M", "-B", "64K", "-x", "64K", "-X", "64K",
				"--latency")
			if status := l.wait(startTime + 10*truthTime); status != 0 {
				t.Fatalf("exit status %d", status)
			}
			stats := f.Stats()
			for _, latency := range l.document().Cases[0].Latencies {
				call := latency.Call
				ours[call] = append(ours[call], latency.Quantiles[0].Seconds)
				served[call] = append(served[call], stats[fault.Op(latency.Operation)].Service.Median)
				plainly[call] = append(plainly[call], took[latency.Operation])
			}
		}, func() (wrong []string) {
			if n := len(ours); n != 2 {
				wrong = append(wrong, fmt.Sprintf("%s: latencies of %d directions, want 2", api, n))
			}
			for call := range ours {
				mine, theirs, bare := median(ours[call]), median(served[call]), median(plainly[call])
				t.Logf("%s %s: medians %.6f s, of the server %.6f s; of plain calls %.6f s", api, call, mine, theirs,
					bare)
				if mine < theirs-most || mine > max(theirs, bare)+most {
					wrong = append(wrong,
						fmt.Sprintf("%s %s: the median differs by %.6f s from the server's, and by %.6f s "+
							"from that of plain calls",
							api, call, mine-theirs, mine-bare))
				}
			}
			return wrong
		})
	}
}
