//go:build cgo

package h5

import (
	"errors"
	"strings"
	"testing"
)

// 511 is the last number in the range for filters in tests or within an organisation.
func TestAFilterThatTheLibraryLacks(t *testing.T) {
	err := checkFilterID("szip", 511)
	if !errors.Is(err, ErrNotInLibrary) || !strings.Contains(err.Error(), "szip") {
		t.Errorf("error %v, want that the library lacks szip", err)
	}
	for name := range filters {
		if err := CheckFilter(name); err != nil && !errors.Is(err, ErrNotInLibrary) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
