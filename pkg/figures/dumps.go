package figures

import (
	"fmt"
	"strings"

	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/workload"
)

// DumpTime is what a dump of several consecutive ones took on average, in seconds: medians over the samples that have
// done any of them.
type DumpTime struct {
	First, Last int // from 1
	Transfers   float64
	Structure   float64 // the times of all other classes
	// What is left of the visible time: processes that had done their part of an epoch waited for slower ones.
	Other float64
}

// DumpTimes returns the times of the dumps of the point, in their order. It returns nil if the point is no workload
// with several dumps, or of a document that does not have them.
func (p Point) DumpTimes() []DumpTime {
	var all []DumpTime
	samples := map[int][]result.DumpTime{} // by First
	for _, s := range p.Samples {
		for i, d := range s.Dumps {
			samples[d.First] = append(samples[d.First], d)
			if i == len(all) {
				all = append(all, DumpTime{First: d.First})
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
			return one.Window - dumpTransferSeconds(one) - dumpStructureSeconds(one)
		})
	}
	return all
}

// numDumps returns the number of dumps. A document of another program may say anything of it.
func numDumps(d result.DumpTime) float64 { return float64(max(1, d.Last-d.First+1)) }

// dumpTransferSeconds returns the time of transfers and of building their selections, of the slowest process, but at
// most the visible time.
func dumpTransferSeconds(d result.DumpTime) float64 {
	return min(d.Window, dumpClassSeconds(d, func(c result.Class) bool { return isOneOfClasses(c, transferClasses) }))
}

// dumpStructureSeconds returns the time of all other classes but computing, each that of its slowest process, but at
// most what transfers leave of the visible time.
func dumpStructureSeconds(d result.DumpTime) float64 {
	return min(d.Window-dumpTransferSeconds(d), dumpClassSeconds(d, func(c result.Class) bool {
		return !isOneOfClasses(c, transferClasses) && c != result.ClassOf(workload.Compute)
	}))
}

// dumpClassSeconds returns the times of some classes in dumps, added: each that of its slowest process.
func dumpClassSeconds(d result.DumpTime, is func(result.Class) bool) (seconds float64) {
	for _, t := range d.Classes {
		if is(t.Class) {
			seconds += t.Max
		}
	}
	return seconds
}

// minSlowing is by how much the median of the ratio must be above 1 to be told by Slowing.
const minSlowing = 0.1

// Slowing says in words where the last dumps took longer than the first ones, each a quarter of all dumps; "" if that
// is not shown. It compares the visible times of a dump within each iteration, if the same bytes were moved. The median
// of the ratios must be 1.1 or more, and its interval above 1. The intervals have such a level that all of them hold
// their medians with stats.Level (Bonferroni).
func (r *Run) Slowing() string {
	ratios := map[int][]float64{}
	points := r.Points()
	for i, p := range points {
		if all := p.dumpGrowth(); all != nil {
			ratios[i] = all
		}
	}
	var words []string
	for i, p := range points {
		v := estimateMedian(ratios[i], 1-(1-stats.Level)/float64(max(1, len(ratios))))
		if !v.Interval || v.Median < 1+minSlowing || v.Low <= 1 {
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

// dumpGrowth returns, for each sample, the visible time of one of the last dumps divided by that of one of the first
// ones. It returns nil if samples have no dumps or not the same ones, or if the last dumps moved other bytes than the
// first.
func (p Point) dumpGrowth() []float64 {
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

// firstAndLastQuarter returns the first and the last quarter of dumps, at least a bucket each.
func firstAndLastQuarter(all []result.DumpTime) (first, last []result.DumpTime) {
	n := max(1, len(all)/4)
	return all[:n], all[len(all)-n:]
}

// meanPerDump returns the visible time and the bytes of a dump, on average.
func meanPerDump(all []result.DumpTime) (seconds, bytes float64) {
	n := 0.0
	for _, d := range all {
		seconds, bytes, n = seconds+d.Window, bytes+float64(d.Bytes), n+numDumps(d)
	}
	return seconds / n, bytes / n
}
