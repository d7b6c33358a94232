package plan

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/engine/hdf5/hdf5conf"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// sector is the smallest unit of O_DIRECT; a device may have a larger one, which the engine asks for.
const sector = 512

// checkDirect refuses what O_DIRECT cannot do on any device.
func checkDirect(p Plan) error {
	s := p.Parameters
	if !s.Conditions.Direct {
		return nil
	}
	know := strings.Join(result.APINames(func(a result.API) bool { return a.Direct }), ",")
	for _, name := range slices.Backward(s.APIs) {
		api := result.APIOf(name)
		if api.Direct {
			continue
		}
		instead := "which opens its files without; give -A " + know
		if api.HDF5 && s.Serial() {
			instead = fmt.Sprintf("which has a file driver for it; give -A %s, "+
				"or leave --direct out and give -A %s -v %s", know, name, hdf5conf.Direct)
		}
		return usage.Errorf("--direct: only %s knows it, not %s, %s", know, name, instead)
	}
	for c := range p.Cases() {
		run := c.FileSequence(0).Nest().RunBytes // all offsets are multiples of it, for sizes divide one another
		if run%sector != 0 {
			return usage.Errorf("--direct, step of %d process(es), transfer size %s: calls of %s bytes, "+
				"but O_DIRECT wants multiples of %d; give such sizes",
				c.Processes, units.FormatSize(c.Transfer), units.FormatSize(run), sector)
		}
	}
	return nil
}
