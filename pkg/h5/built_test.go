//go:build cgo

package h5

import (
	"slices"
	"testing"
)

func TestDriversAgreeWithTheConfiguration(t *testing.T) {
	drivers := Drivers()
	settings := map[string]string{}
	for _, c := range Configuration() {
		settings[c.Key] = c.Value
	}
	for _, c := range []struct {
		key string
		got bool
	}{
		{"Parallel HDF5", slices.Contains(drivers, "mpio")},
		{"Threadsafety", Threadsafe()},
		{"Direct VFD", slices.Contains(drivers, "direct")},
		{"(Read-Only) S3 VFD", slices.Contains(drivers, "ros3")},
		{"Subfiling VFD", slices.Contains(drivers, "subfiling")},
	} {
		want, told := settings[c.key]
		if told && c.got != slices.Contains([]string{"yes", "ON"}, want) { // ON: HDF5 2.0 and later
			t.Errorf("%s: %v, but the library says %s", c.key, c.got, want)
		}
	}
	if !slices.Contains(drivers, "sec2") || Parallel() != slices.Contains(drivers, "mpio") {
		t.Errorf("drivers %v", drivers)
	}
}
