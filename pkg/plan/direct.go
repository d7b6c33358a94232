package plan

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// minDirectAlignment is the smallest alignment that O_DIRECT may need. A device may need a larger one, which the engine
// queries.
const minDirectAlignment = 512

// checkDirect refuses APIs that cannot open their files with O_DIRECT.
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
		instead := fmt.Sprintf("%s cannot open its files with O_DIRECT; give -A %s", name, know)
		if api.HDF5 && api.Serial {
			instead = fmt.Sprintf("%s has a file driver for O_DIRECT; give -A %s, "+
				"or leave --direct out and give -A %s -v %s", name, know, name, option.DriverDirect)
		}
		return usage.Errorf("--direct works with -A %s only: %s", know, instead)
	}
	return nil
}

// checkDirectSizes refuses sizes that do not work with O_DIRECT on any device.
func checkDirectSizes(p Plan) error {
	if !p.Parameters.Conditions.Direct {
		return nil
	}
	for c := range p.Cases() {
		// all offsets are multiples of it, since the sizes divide one another
		run := c.FileSequence(0).LoopNest().RunBytes
		if run%minDirectAlignment != 0 {
			return usage.Errorf("--direct, step of %s, transfer size %s: calls of %s, but O_DIRECT needs multiples of "+
				"%d bytes",
				processesText(c.Processes), units.FormatSize(c.TransferSize), units.Count(int(run), "byte", "bytes"),
				minDirectAlignment)
		}
	}
	return nil
}
