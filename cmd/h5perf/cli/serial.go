package cli

import (
	"io"

	"h5perf/pkg/plan"
	"h5perf/pkg/result"
)

// parseSerial parses the command line of the serial tool. If the command line asks for help or for the version,
// parseSerial prints the help or the version and returns nil.
func parseSerial(args, words []string, lookup func(string) (string, bool), stdout io.Writer) (*Measurement, error) {
	var g grammar
	var v optionValues
	h := helpPrinter{serialHelpPage, commandLineStart(args, serialCommand), stdout}
	if command, err := parseTools(words, &g, &g, &v, h); command == "" {
		return nil, err
	}
	options, err := g.Serial.toPlanOptions(lookup)
	if err != nil {
		return nil, err
	}
	if options.Sweep, err = parseSweep(g.Serial.Sweep, result.KindSerial, words[1:], lookup); err != nil {
		return nil, err
	}
	return &Measurement{
		Request: g.Serial.baseRequest(args, v.given, lookup, variablesByKind[result.KindSerial]...),
		Options: options,
	}, nil
}

func (s serialOptions) toPlanOptions(lookup func(string) (string, bool)) (plan.Options, error) {
	hdf5, err := s.addSettings(s.ApplyDriver(s.hdf5))
	return plan.Options{
		Serial: &s.SerialSizes,
		Common: s.commonOptions(s.Order.Cases, lookup),
		Verify: s.Debug.verify,
		HDF5:   hdf5,
	}, err
}
