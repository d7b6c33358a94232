package plan

import (
	"slices"

	"h5perf/pkg/units"
)

// sector is the smallest unit of O_DIRECT; a device may have a larger one, which the engine asks for.
const sector = 512

// checkDirect refuses what O_DIRECT cannot do on any device.
func (p *Plan) checkDirect() error {
	s := p.Parameters
	if !s.Conditions.Direct {
		return nil
	}
	if !slices.Equal(s.APIs, []string{POSIX}) {
		instead := "which opens its files without; give -A posix"
		if s.Serial() {
			instead = "which has a file driver for it; give -A posix, or leave --direct out and give -A hdf5 -v direct"
		}
		return refuse("--direct: only posix knows it, not %s, %s", s.APIs[len(s.APIs)-1], instead)
	}
	for c := range p.Cases() {
		run := c.FileSequence(0).Nest().RunBytes // of which all offsets are multiples, for sizes divide one another
		if run%sector != 0 {
			return refuse("--direct, step of %d process(es), transfer size %s: calls of %s bytes, but O_DIRECT wants multiples of %d; give such sizes",
				c.Processes, units.FormatSize(c.Transfer), units.FormatSize(run), sector)
		}
	}
	return nil
}
