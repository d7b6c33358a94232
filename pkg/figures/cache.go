package figures

import (
	"fmt"

	"h5perf/pkg/result"
)

// Where the data of a read came from, as far as the page caches of the nodes show.
const (
	CacheWarm    = "warm"    // all samples read from memory
	CacheCold    = "cold"    // no sample did
	CacheMixed   = "mixed"   // some samples did
	CacheUnknown = "unknown" // for some samples it is not known
)

// cacheOfSamples returns where the data of a read came from: CacheWarm, CacheCold, CacheMixed or CacheUnknown.
func cacheOfSamples(samples []result.Sample) string {
	warm, cold := 0, 0
	for _, s := range samples {
		if s.HasMark(result.Warm) {
			warm++
		} else if _, known := s.ResidentRatio(); known {
			cold++
		}
	}
	switch len(samples) {
	case warm:
		return CacheWarm
	case cold:
		return CacheCold
	case warm + cold:
		return CacheMixed
	}
	return CacheUnknown
}

// ResidencyText returns how much was in the page cache of the node that held most, in words, such as "0.3 %", or
// "12 ± 0.5 %" if it is an estimate.
func ResidencyText(c result.Cache) string {
	if c.Uncertainty > 0 {
		return fmt.Sprintf("%.3g ± %.3g %%", 100*c.Highest, 100*c.Uncertainty)
	}
	return fmt.Sprintf("%.3g %%", 100*c.Highest)
}
