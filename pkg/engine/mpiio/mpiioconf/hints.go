package mpiioconf

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/kv"
	"h5perf/pkg/usage"
)

// InfoVariable is the variable of the environment with hints: key=value;key=value.
const InfoVariable = "HDF5_MPI_INFO"

// ParseHint reads an MPI-IO hint, key=value. Blanks around key and value do not count; neither may be empty.
func ParseHint(text string) (kv.KeyValue, error) {
	key, value, found := strings.Cut(text, "=")
	hint := kv.KeyValue{Key: strings.TrimSpace(key), Value: strings.TrimSpace(value)}
	if !found || hint.Key == "" || hint.Value == "" {
		return kv.KeyValue{}, usage.Errorf("%q is not a hint: a hint is key=value, neither of them empty", text)
	}
	return hint, nil
}

// Info is what an MPI info object of the hints holds; nil is MPI_INFO_NULL.
func (s Settings) Info() []kv.KeyValue {
	if !s.HintsSet {
		return nil
	}
	return append([]kv.KeyValue{}, s.Hints...)
}

// addInfo adds the hints of InfoVariable. Like the C tool it passes over items that are blank or have no "="; it
// returns notes of the latter.
func (s *Settings) addInfo(info string) (notes []string, err error) {
	for item := range strings.SplitSeq(info, ";") {
		switch {
		case strings.TrimSpace(item) == "":
			continue
		case !strings.Contains(item, "="):
			notes = append(notes, fmt.Sprintf("%s=%q: %q is ignored, for it has no =", InfoVariable, info, item))
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

// setHint adds a hint. A key keeps its last value.
func (s *Settings) setHint(hint kv.KeyValue) {
	if i := slices.IndexFunc(s.Hints, func(h kv.KeyValue) bool { return h.Key == hint.Key }); i >= 0 {
		s.Hints[i].Value = hint.Value
		return
	}
	s.Hints = append(s.Hints, hint)
}
