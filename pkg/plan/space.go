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
		return Space{}
	}
	return s
}

// SpaceAtOnce returns what the data files and their directory take at once. It is one file, or one for each process,
// since these are removed before the next ones are made. Where files are kept it is those of one case of each API,
// since those of the next case take their names.
func (p Plan) SpaceAtOnce() Space {
	largest := map[string]Space{} // by API
	for c := range p.Cases() {
		one, err := c.Iteration()
		if err != nil { // it was found before
			continue
		}
		need, l := one.AtOnce, largest[c.API]
		if p.Parameters.KeepFiles {
			need = one.Kept
		}
		largest[c.API] = Space{max(l.Bytes, need.Bytes), max(l.Inodes, need.Inodes)}
	}
	var all Space
	for _, l := range largest {
		if p.Parameters.KeepFiles {
			all = Space{saturatingSum(all.Bytes, l.Bytes), saturatingSum(all.Inodes, l.Inodes)}
		} else {
			all = Space{max(all.Bytes, l.Bytes), max(all.Inodes, l.Inodes)}
		}
	}
	all.Inodes = saturatingSum(all.Inodes, 1)
	return all
}

// checkSpace refuses a run that needs more than is free.
func checkSpace(p Plan, job JobFacts) error {
	c := p.Parameters.Conditions
	if !*c.SpaceCheck || c.ReadOnly != "" || job.TargetType == "" {
		return nil
	}
	need, of := p.SpaceAtOnce(), p.newMaker()
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

// distinctSizeTexts returns two different sizes for people, with so many digits that their texts differ.
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

// smallerDataText returns the options that make the data files of a run, which has no room for them, smaller. most is
// the largest -e with which there is room, 0 if there is none.
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

// largestThatFits returns about the largest number of bytes per process, or of a serial dataset, whose files fit into
// what is free; 0 if there is none. all is the present number. It is in whole transfers, unless the largest transfer is
// all of it.
func largestThatFits(all uint64, s result.Parameters, need, free uint64) uint64 {
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
