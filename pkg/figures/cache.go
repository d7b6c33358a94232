package figures

import "h5perf/pkg/result"

// Where the data of a read came from, as far as the page cache of the clients tells.
const (
	CacheWarm    = "warm"    // all samples read from memory
	CacheCold    = "cold"    // none did
	CacheMixed   = "mixed"   // some did
	CacheUnknown = "unknown" // of some it is not known
)

// cache tells where the samples of a read came from.
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
