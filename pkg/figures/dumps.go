package figures

import (
	"fmt"
	"strings"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/workload"
)

// MeanDumpTime is the mean time per dump in a bucket of consecutive dumps, in seconds. Each time is the median over the
// samples that contain the bucket.
type MeanDumpTime struct {
	First, Last int // numbers of the first and the last dump, from 1
	Transfers   float64
	Structure   float64 // the times of all other classes
	// The rest of the visible time: processes that had finished their part of an epoch waited for slower ones.
	Other float64
}

// DumpTimes returns the mean times per dump of the point, one for each bucket of consecutive dumps, in their order. It
// returns nil if the samples have no times of dumps: the point is not of a workload, or has a single dump, or the
// document does not contain these times.
func (p Point) DumpTimes() []MeanDumpTime {
	var all []MeanDumpTime
	samples := map[int][]result.DumpTime{} // keyed by First
	for _, s := range p.Samples {
		for i, d := range s.Dumps {
			samples[d.First] = append(samples[d.First], d)
			if i == len(all) {
				all = append(all, MeanDumpTime{First: d.First})
			}
			all[i].Last = max(all[i].Last, d.Last)
		}
	}
	for i := range all {
		d := &all[i]
		middle := func(of func(result.DumpTime) float64) float64 {
			var times []float64
			for _, one := range samples[d.First] {
				times = append(times, of(one)/numDumps(one))
			}
			return stats.SampleMedian(times)
		}
		d.Transfers, d.Structure = middle(dumpTransferSeconds), middle(dumpStructureSeconds)
		d.Other = middle(func(one result.DumpTime) float64 {
			return one.WindowSeconds - dumpTransferSeconds(one) - dumpStructureSeconds(one)
		})
	}
	return all
}

// numDumps returns the number of dumps in the bucket, at least 1: a document of another program may have any values.
func numDumps(d result.DumpTime) float64 { return float64(max(1, d.Last-d.First+1)) }

// dumpTransferSeconds returns the time in which the slowest process transferred data and built selections, but at most
// the visible time.
func dumpTransferSeconds(d result.DumpTime) float64 {
	return min(d.WindowSeconds,
		dumpClassSeconds(d, func(c result.Class) bool { return isOneOfClasses(c, transferClasses) }))
}

// dumpStructureSeconds returns the time for the structure of a dump (files, objects, attributes, syncs): the sum of the
// times of all classes of steps except transfers, selections and computing, but at most the visible time minus
// dumpTransferSeconds. The time of a class of steps is the time of the slowest process.
func dumpStructureSeconds(d result.DumpTime) float64 {
	return min(d.WindowSeconds-dumpTransferSeconds(d), dumpClassSeconds(d, func(c result.Class) bool {
		return !isOneOfClasses(c, transferClasses) && c != result.ClassOf(workload.Compute)
	}))
}

// dumpClassSeconds returns the sum of the times of the classes for which the function is returns true. The time of a
// class of steps is the time of the slowest process.
func dumpClassSeconds(d result.DumpTime, is func(result.Class) bool) (seconds float64) {
	for _, t := range d.Classes {
		if is(t.Class) {
			seconds += t.Max
		}
	}
	return seconds
}

// DumpSlowdown reports a ratio only if its median exceeds 1 by minDumpSlowdown.
const minDumpSlowdown = 0.1

// DumpSlowdown says where the last quarter of the dumps took longer than the first quarter. It returns "" if no point
// shows that. For each iteration, it divides the mean visible time of a dump in the last quarter by that in the first
// quarter, if both moved the same bytes. The median of these ratios must be at least 1.1, and its interval must be
// above 1. The level of the intervals is such that all of them together contain their medians with probability
// stats.Level (Bonferroni).
func (r *Run) DumpSlowdown() string {
	ratios := map[int][]float64{}
	points := r.Points()
	for i, p := range points {
		if all := p.dumpSlowdowns(); all != nil {
			ratios[i] = all
		}
	}
	var words []string
	for i, p := range points {
		v := estimateMedian(ratios[i], 1-(1-stats.Level)/float64(max(1, len(ratios))))
		if !v.Interval || v.Median < 1+minDumpSlowdown || v.Low <= 1 {
			continue
		}
		first, last := firstAndLastQuarter(p.Samples[0].Dumps)
		words = append(words, fmt.Sprintf(
			"%s %s: a dump took %.3g times as long from dump %d on as up to dump %d, at least %.3g times",
			APILabel(p.Case.API), p.Operation, v.Median, last[0].First, first[len(first)-1].Last, v.Low,
		))
	}
	return strings.Join(words, "; ")
}

// dumpSlowdowns returns, for each sample, the mean visible time of a dump in the last quarter divided by that in the
// first quarter. It returns nil if samples have no dumps or different numbers of dumps, or if the number of bytes per
// dump differs between the two quarters.
func (p Point) dumpSlowdowns() []float64 {
	var all []float64
	for _, s := range p.Samples {
		if len(s.Dumps) < 2 || s.Dumps[len(s.Dumps)-1].Last != p.Samples[0].Dumps[len(p.Samples[0].Dumps)-1].Last {
			return nil
		}
		first, last := firstAndLastQuarter(s.Dumps)
		seconds, bytes := meanPerDump(first)
		later, also := meanPerDump(last)
		if bytes != also || seconds <= 0 {
			return nil
		}
		all = append(all, later/seconds)
	}
	return all
}

// firstAndLastQuarter returns the first quarter and the last quarter of the buckets of dumps. Each has at least one
// bucket.
func firstAndLastQuarter(all []result.DumpTime) (first, last []result.DumpTime) {
	n := max(1, len(all)/4)
	return all[:n], all[len(all)-n:]
}

// meanPerDump returns the mean visible time and the mean number of bytes of a dump.
func meanPerDump(all []result.DumpTime) (seconds, bytes float64) {
	n := 0.0
	for _, d := range all {
		seconds, bytes, n = seconds+d.WindowSeconds, bytes+float64(d.Bytes), n+numDumps(d)
	}
	return seconds / n, bytes / n
}
