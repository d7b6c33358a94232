//go:build cgo && !nompi

package main

import (
	"strings"
	"testing"

	"h5perf/pkg/h5"
	"h5perf/pkg/result"
)

// Two ranks write and read through each filter that the library has or that h5perf adds.
func TestTheProfileCompressionReadsBackWhatEachFilterStored(t *testing.T) {
	t.Parallel()
	words := []string{"none"}
	for word, filter := range map[string]string{
		"gzip": "deflate", "shuffle_gzip": "deflate", "szip": "szip", "zstd": "zstd", "shuffle_zstd": "zstd",
		"lz4": "lz4", "shuffle_lz4": "lz4",
	} {
		if err := h5.CheckFilter(filter); err != nil {
			t.Log(err)
			continue
		}
		words = append(words, word)
	}
	l := launch(t, 2, t.TempDir(), nil, nil, "run", "compression", "--size", "tiny", "--sweep",
		"filter="+strings.Join(words, ","), "--sweep", "values=smooth,repeats", "-i", "1", "-D", "v")
	if status := l.wait(2 * startTime); status != 0 {
		t.Fatalf("exit status %d", status)
	}
	cases := 0
	for _, c := range l.document().Cases {
		if c.API != result.PHDF5 {
			continue
		}
		cases++
		const bytes = 64 * 64 * 16 * 8 * 2
		size, filtered := c.Effective.Files[0].Bytes, c.Filtered != nil
		if !c.Verified || (size < bytes*3/4) != filtered {
			t.Errorf("%v: verified %v, a file of %d bytes", c.Values, c.Verified, size)
		}
	}
	if cases != 2*len(words) {
		t.Errorf("%d cases, want two for each of %v", cases, words)
	}
}
