package figures

import "h5perf/pkg/result"

// Where the data of a read came from, as far as the page caches of the nodes show.
const (
	CacheWarm    = "warm"    // all samples read from memory
	CacheCold    = "cold"    // no sample did
	CacheMixed   = "mixed"   // some samples did
	CacheUnknown = "unknown" // for some samples it is not known
)

// cache returns where the data of a read came from: CacheWarm, CacheCold, CacheMixed or CacheUnknown.
func cache(samples []result.Sample) string {
	warm, cold := 0, 0
	for _, s := range samples {
		if s.Has(result.Warm) {
			warm++
		} else if _, known := s.Resident(); known {
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
