package figures

import (
	"fmt"

	"h5perf/pkg/result"
)

// Where the data of reads came from, according to the page caches of the nodes.
const (
	CacheWarm    = "warm"    // all samples were read from memory
	CacheCold    = "cold"    // no sample was read from memory
	CacheMixed   = "mixed"   // some samples were read from memory
	CacheUnknown = "unknown" // unknown for some samples
)

// cacheOfSamples says whether the data of read samples came from a page cache: CacheWarm, CacheCold, CacheMixed or
// CacheUnknown.
func cacheOfSamples(samples []result.Sample) string {
	warm, cold := 0, 0
	for _, s := range samples {
		if s.HasMark(result.MarkWarm) {
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

// ResidencyText formats the share of the data that was in a page cache, on the node with the largest share: "0.3 %", or
// "12 ± 0.5 %" if it is an estimate.
func ResidencyText(c result.Cache) string {
	if c.Uncertainty > 0 {
		return fmt.Sprintf("%.3g ± %.3g %%", 100*c.MaxResident, 100*c.Uncertainty)
	}
	return fmt.Sprintf("%.3g %%", 100*c.MaxResident)
}
