package cli

import (
	"h5perf/pkg/plan"
)

func (s serialOptions) toPlanOptions(lookup func(string) (string, bool)) (plan.Options, error) {
	hdf5, err := s.addSettings(s.ApplyDriver(s.hdf5))
	return plan.Options{
		Serial: &s.SerialSizes,
		Common: s.commonOptions(s.Order.Cases, lookup),
		Verify: s.Debug.verify,
		HDF5:   hdf5,
	}, err
}
