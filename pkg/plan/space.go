package plan

import (
	"math"
	"math/bits"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// Space is room on a file system.
type Space struct {
	Bytes  uint64 `json:"bytes"`
	Inodes uint64 `json:"inodes"`
}

// FileSpace returns what a data file of the case takes: its data in whole chunks, without what HDF5 and the file system
// add. A file that HDF5 keeps in several takes an inode for each; one that it keeps in memory takes nothing.
func (c Case) FileSpace() Space {
	s := Space{Bytes: c.FileDataBytes(), Inodes: 1}
	if chunk := c.Chunk(); chunk != nil {
		dataset := uint64(1)
		for d, extent := range c.FileSequence(0).Dims {
			whole := (extent-1)/chunk[d] + 1
			dataset = times(dataset, times(whole, chunk[d]))
		}
		s.Bytes = times(dataset, uint64(c.Parameters.Datasets))
	}
	if result.APIOf(c.API).HDF5 {
		s.Inodes = c.Parameters.FileCount(s.Bytes, c.Processes)
	}
	if s.Inodes == 0 {
		return Space{}
	}
	return s
}

// Space returns what the data files and their directory take at once. It is one file, or one for each process, since
// these are removed before the next ones are made. Where files are kept it is those of one case of each API, since
// those of the next case take their names.
func (p Plan) Space() Space {
	if p.Workload != nil {
		return p.workloadSpace()
	}
	largest := map[string]Space{} // by API
	for c := range p.Cases() {
		l, f, n := largest[c.API], c.FileSpace(), uint64(c.FilesAtOnce())
		largest[c.API] = Space{max(l.Bytes, times(f.Bytes, n)), max(l.Inodes, times(f.Inodes, n))}
	}
	var all Space
	for _, l := range largest {
		if p.Parameters.KeepFiles {
			files := uint64(p.Parameters.Files)
			all.Bytes, all.Inodes = plus(all.Bytes, times(l.Bytes, files)), plus(all.Inodes, times(l.Inodes, files))
		} else {
			all = Space{max(all.Bytes, l.Bytes), max(all.Inodes, l.Inodes)}
		}
	}
	all.Inodes = plus(all.Inodes, 1)
	return all
}

// workloadSpace returns what the files of a workload take, with those of all APIs if they are kept.
func (p Plan) workloadSpace() Space {
	all := Space{Inodes: 1}
	for c := range p.Cases() {
		one, err := p.Workload.Amounts(c.Processes)
		if err != nil { // it was found before
			return all
		}
		if p.Parameters.KeepFiles {
			all.Bytes, all.Inodes = plus(all.Bytes, one.DiskBytes), plus(all.Inodes, one.Files)
		} else {
			all = Space{max(all.Bytes, one.DiskBytes), max(all.Inodes, one.Files+1)}
		}
	}
	return all
}

// checkSpace refuses a run that needs more than is free.
func checkSpace(p Plan, job Job) error {
	c := p.Parameters.Conditions
	if !*c.SpaceCheck || c.ReadOnly != "" || job.TargetType == "" {
		return nil
	}
	files := "the largest data file needs"
	switch {
	case p.Workload != nil:
		files = "the files of the workload need"
	case p.Parameters.KeepFiles:
		files = "the data files, which are kept, need"
	case p.Parameters.FilesPerProcess:
		files = "the data files of all processes need"
	}
	need := p.Space()
	if need.Bytes > job.FreeBytes {
		needed, free := apart(need.Bytes, job.FreeBytes)
		return usage.Errorf("%s %s, but %s on %s has %s free; use %s, or --space-check off",
			files, needed, job.TargetType, job.Target, free, less(p, need.Bytes, job.FreeBytes))
	}
	if job.FreeInodes > 0 && need.Inodes > job.FreeInodes {
		fewer := "fewer files"
		if p.Workload != nil {
			fewer = smallerSizes
		}
		return usage.Errorf("%s %d inodes with their directory, but %s on %s has %d free; use %s, or --space-check off",
			files, need.Inodes, job.TargetType, job.Target, job.FreeInodes, fewer)
	}
	return nil
}

// apart returns two different sizes for people, with so many digits that their texts differ.
func apart(a, b uint64) (string, string) {
	x, y := units.FormatBytes(float64(a)), units.FormatBytes(float64(b))
	if x == y {
		return units.FormatIEC(a), units.FormatIEC(b)
	}
	return x, y
}

// smallerSizes is what makes the files of a workload smaller, and fewer.
const smallerSizes = "smaller sizes (--set, --size)"

// less returns the options that make the data files of a run, which need more than is free, smaller.
func less(p Plan, need, free uint64) string {
	if p.Workload != nil {
		return smallerSizes
	}
	s, words := p.Parameters, "a smaller -e"
	if s.Serial() && len(s.DatasetExtent) > 1 {
		return words
	}
	if size := largestThatFits(s, need, free); size > 0 {
		words += " (at most " + units.FormatSize(size) + ")"
	}
	if s.Datasets > 1 {
		words += ", fewer datasets (-d)"
	}
	if s.KeepFiles && s.Files > 1 {
		words += ", fewer files (-F)"
	}
	return words
}

// largestThatFits returns about the largest number of bytes per process, or of a serial dataset, whose files fit into
// what is free; 0 if there is none. It is in whole transfers, unless the largest transfer is all of it.
func largestThatFits(s result.Parameters, need, free uint64) uint64 {
	all := s.BytesPerProcess
	if s.Serial() {
		all = s.DatasetExtent[0]
	}
	share := float64(free) / float64(need)
	if s.Geometry == result.Geometry2D { // a dataset is a square of it
		share = math.Sqrt(share)
	}
	most, unit := uint64(share*float64(all)), s.MaxTransferSize
	if unit >= all { // it becomes smaller, too
		unit = 1 << max(0, bits.Len64(most)-4)
	}
	return most / unit * unit
}
