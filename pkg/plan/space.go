package plan

import (
	"math"
	"math/bits"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// DiskSpace is an amount of space on a file system.
type DiskSpace struct {
	Bytes  uint64 `json:"bytes"`
	Inodes uint64 `json:"inodes"`
}

// FileSpace returns the space that a data file of the case needs: its data in whole chunks, without overhead of HDF5
// and the file system. If a file driver of HDF5 splits a file into several, each needs an inode. A file that HDF5 keeps
// in memory needs no space.
func (c Case) FileSpace() DiskSpace {
	s := DiskSpace{Bytes: c.FileDataBytes(), Inodes: 1}
	if chunk := c.ChunkExtent(); chunk != nil {
		dataset := uint64(1)
		for d, extent := range c.FileSequence(0).Dims {
			whole := (extent-1)/chunk[d] + 1
			dataset = saturatingProduct(dataset, saturatingProduct(whole, chunk[d]))
		}
		s.Bytes = saturatingProduct(dataset, uint64(c.Parameters.Datasets))
	}
	if result.APIOf(c.API).HDF5 {
		s.Inodes = c.Parameters.MaxFileCount(s.Bytes, c.Processes)
	}
	if s.Inodes == 0 {
		return DiskSpace{}
	}
	return s
}

// SpaceAtOnce returns the maximum space that the data files and their directory need at a time. This is one file, or
// one per process, since the run removes files before it creates the next ones. If files are kept, it is the space of
// the files of one case of each API, since the files of the next case have the same names and replace them.
func (p Plan) SpaceAtOnce() DiskSpace {
	largest := map[string]DiskSpace{} // keyed by API
	for c := range p.Cases() {
		one, err := c.Iteration()
		if err != nil { // the error was reported before
			continue
		}
		need, l := one.SpaceAtOnce, largest[c.API]
		if p.Parameters.KeepFiles {
			need = one.KeptSpace
		}
		largest[c.API] = DiskSpace{max(l.Bytes, need.Bytes), max(l.Inodes, need.Inodes)}
	}
	var all DiskSpace
	for _, l := range largest {
		if p.Parameters.KeepFiles {
			all = DiskSpace{saturatingSum(all.Bytes, l.Bytes), saturatingSum(all.Inodes, l.Inodes)}
		} else {
			all = DiskSpace{max(all.Bytes, l.Bytes), max(all.Inodes, l.Inodes)}
		}
	}
	all.Inodes = saturatingSum(all.Inodes, 1)
	return all
}

// checkSpace refuses a run that needs more space than is free.
func checkSpace(p Plan, job JobFacts) error {
	c := p.Parameters.Conditions
	if !*c.SpaceCheck || c.ReadOnly != "" || job.TargetType == "" {
		return nil
	}
	need, of := p.SpaceAtOnce(), p.newProgramMaker()
	files := of.filesNeedText(p.Parameters)
	smaller, fewer := of.reducingOptions(p.Parameters, need.Bytes, job.FreeBytes)
	if need.Bytes > job.FreeBytes {
		needed, free := distinctSizeTexts(need.Bytes, job.FreeBytes)
		return usage.Errorf("%s %s, but %s on %s has %s free; use %s, or --space-check off",
			files, needed, job.TargetType, job.Target, free, smaller)
	}
	if job.FreeInodes > 0 && need.Inodes > job.FreeInodes {
		return usage.Errorf("%s %d inodes with their directory, but %s on %s has %d free; use %s, or --space-check off",
			files, need.Inodes, job.TargetType, job.Target, job.FreeInodes, fewer)
	}
	return nil
}

// distinctSizeTexts formats two different sizes with enough digits to distinguish them.
func distinctSizeTexts(a, b uint64) (string, string) {
	x, y := units.FormatBytes(float64(a)), units.FormatBytes(float64(b))
	if x == y {
		return units.FormatIEC(a), units.FormatIEC(b)
	}
	return x, y
}

// Options that make the data files of a run smaller, or fewer.
const (
	smallerSizes = "smaller sizes (--set, --size)"
	smallerData  = "a smaller -e"
	fewerFiles   = "fewer files"
)

// smallerDataText lists the options that make the data files smaller, for a run without enough free space. most is the
// largest value of -e with which the files fit, or 0 if there is none.
func smallerDataText(p result.Parameters, most uint64) string {
	words := smallerData
	if most > 0 {
		words += " (at most " + units.FormatSize(most) + ")"
	}
	if p.Datasets > 1 {
		words += ", fewer datasets (-d)"
	}
	if p.KeepFiles && p.Files > 1 {
		words += ", fewer files (-F)"
	}
	return words
}

// largestFittingBytes estimates the largest number of bytes per process, or bytes of a serial dataset, whose files fit
// in the free space; 0 if there is none. all is the number in the current options. The result is a multiple of the
// largest transfer size, unless that transfer size is at least all.
func largestFittingBytes(all uint64, s result.Parameters, need, free uint64) uint64 {
	share := float64(free) / float64(need)
	if s.Geometry == result.Geometry2D { // the number is the side of a square
		share = math.Sqrt(share)
	}
	most, unit := uint64(share*float64(all)), s.MaxTransferSize
	if unit >= all { // the transfer size must become smaller, too
		unit = 1 << max(0, bits.Len64(most)-4)
	}
	return most / unit * unit
}
