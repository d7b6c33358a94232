//go:build cgo && !nompi && nightly

package main

import (
	"strings"
	"testing"
	"time"

	"h5perf/pkg/h5"
	"h5perf/pkg/result"
)

// largeTime is the time limit of a run that writes, reads and compares 5 GiB on a slow disk.
const largeTime = 10 * time.Minute

func TestBlocksOf3And5GiBAreMeasuredOrRefused(t *testing.T) {
	for _, size := range []string{"3G", "5G"} {
		for _, args := range []string{"-A posix", "-A mpiio", "-A mpiio -C", "-A phdf5", "-A phdf5 -C", "-A phdf5 -c"} {
			t.Run(size+" "+args, func(t *testing.T) {
				l := launch(t, 1, t.TempDir(), nil, nil,
					append(strings.Fields(args), "-e", size, "-B", size, "-x", size, "-X", size, "-D", "v")...)
				status := l.wait(largeTime)
				doc := l.document
				switch {
				case args == "-A phdf5 -c" && size == "5G": // HDF5 stores the size of a chunk in 32 bits
					if status != result.ExitUsage || !strings.Contains(l.stderr.String(), "chunk") {
						t.Errorf("exit status %d, want %d and the reason", status, result.ExitUsage)
					}
				case args != "-A phdf5 -C" && strings.HasPrefix(args, "-A phdf5") && !h5.VersionAtLeast(1, 14, 0):
					if c := doc().Cases[0]; status != result.ExitFailed || c.Error.Phase != "prepare" ||
						len(c.Samples) != 0 {
						t.Errorf("exit status %d, case %+v; want it refused before anything is written", status, c)
					}
				default:
					if c := doc().Cases[0]; status != 0 || c.State != result.Complete || !c.Verified {
						t.Errorf("exit status %d, case is %s: %v", status, c.State, c.Error)
					}
				}
				l.cleaned()
			})
		}
	}
}
