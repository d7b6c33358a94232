package cli

import (
	"io"

	"h5perf/pkg/plan"
)

// Serial is what a command line asks of the serial tool.
type Serial struct {
	Request
	Options plan.SerialOptions
}

// parseSerial reads a command line of the serial tool. It returns nil when that asks for help or version, which are
// printed.
func parseSerial(args, words []string, lookup func(string) (string, bool), stdout io.Writer) (*Serial, error) {
	g, given, err := parse(words, serialHelp, stdout)
	if g == nil {
		return nil, err
	}
	s := &Serial{g.Serial.request(args, given, lookup, "HDF5_PREFIX", "HDF5_NOCLEANUP", "USER", "LOGIN"), g.Serial.options()}
	_, kept := lookup("HDF5_NOCLEANUP")
	s.Options.KeepFiles = kept || g.Serial.Keep
	return s, nil
}

func (s serial) options() plan.SerialOptions {
	return plan.SerialOptions{
		APIs:       s.API,
		Dataset:    s.NumBytes,
		Buffer:     s.MinXferSize,
		Chunk:      s.Chunk,
		Order:      s.Order.dimensions,
		Extendible: s.Extendible,
		Driver: plan.DriverOptions{
			Name:             s.FileDriver,
			CoreIncrement:    s.CoreIncrement,
			CoreBackingStore: s.CoreBackingStore,
			FamilyMember:     s.FamilyMember,
			DirectAlignment:  s.DirectAlignment,
			DirectBlock:      s.DirectBlock,
			DirectBuffer:     s.DirectBuffer,
			MultiMap:         s.MultiMap,
		},
		Iterations:  s.NumIterations,
		WriteOnly:   s.WriteOnly,
		Align:       s.Align,
		Threshold:   s.Threshold,
		SieveBuffer: s.SieveBuffer,
		ChunkCache:  s.ChunkCache,
		Conditions:  s.plan(s.Order.cases),
		Verify:      s.Debug.verify,
	}
}
