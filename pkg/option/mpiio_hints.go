package option

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// InfoVariable is the environment variable that holds hints, in the form key=value;key=value.
const InfoVariable = "HDF5_MPI_INFO"

// ParseHint parses an MPI-IO hint of the form key=value. Blanks around key and value are removed; neither may be empty.
func ParseHint(text string) (units.KeyValue, error) {
	key, value, found := strings.Cut(text, "=")
	hint := units.KeyValue{Key: strings.TrimSpace(key), Value: strings.TrimSpace(value)}
	if !found || hint.Key == "" || hint.Value == "" {
		return units.KeyValue{}, usage.Errorf("%q is not a hint: a hint is key=value, and neither may be empty", text)
	}
	return hint, nil
}

// Info returns the keys and values for an MPI_Info, or nil for MPI_INFO_NULL.
func (s MPIIO) Info() []units.KeyValue {
	if !s.HintsSet {
		return nil
	}
	return append([]units.KeyValue{}, s.Hints...)
}

// addEnvironmentHints adds the hints in info, the value of InfoVariable. Like the C tool, it skips items that are blank
// or have no "=". It returns a note for each item without "=".
func (s *MPIIO) addEnvironmentHints(info string) (notes []string, err error) {
	for item := range strings.SplitSeq(info, ";") {
		switch {
		case strings.TrimSpace(item) == "":
			continue
		case !strings.Contains(item, "="):
			notes = append(notes,
				fmt.Sprintf("Of %s=%q, %q is ignored, because it has no =.", InfoVariable, info, item))
			continue
		}
		hint, err := ParseHint(item)
		if err != nil {
			return nil, usage.Errorf("%s=%q: %v", InfoVariable, info, err)
		}
		s.setHint(hint)
	}
	return notes, nil
}

// setHint adds a hint, or replaces the hint with the same key.
func (s *MPIIO) setHint(hint units.KeyValue) {
	if i := slices.IndexFunc(s.Hints, func(h units.KeyValue) bool { return h.Key == hint.Key }); i >= 0 {
		s.Hints[i].Value = hint.Value
		return
	}
	s.Hints = append(s.Hints, hint)
}
