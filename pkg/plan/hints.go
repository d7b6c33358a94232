package plan

import (
	"slices"
	"strings"

	"h5perf/pkg/kv"
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

// ParseHint reads an MPI-IO hint, key=value. Blanks around key and value do not count; neither may be empty.
func ParseHint(text string) (kv.KeyValue, error) {
	key, value, found := strings.Cut(text, "=")
	hint := kv.KeyValue{Key: strings.TrimSpace(key), Value: strings.TrimSpace(value)}
	if !found || hint.Key == "" || hint.Value == "" {
		return kv.KeyValue{}, usage.Errorf("%q is not a hint: a hint is key=value, neither of them empty", text)
	}
	return hint, nil
}

// hints fills in the hints: those of the environment, then those of the options. A key keeps its last value.
func (p *Plan) hints(o Options) error {
	p.Parameters.HintsSet = o.MPIInfo != nil || len(o.Hints) > 0
	if o.MPIInfo != nil {
		for item := range strings.SplitSeq(*o.MPIInfo, ";") {
			if err := p.infoItem(item, *o.MPIInfo); err != nil {
				return err
			}
		}
	}
	for _, hint := range o.Hints {
		p.setHint(hint)
	}
	return nil
}

// infoItem takes an item of HDF5_MPI_INFO. Like the C tool it passes over items that are blank or have no "=".
func (p *Plan) infoItem(item, all string) error {
	if strings.TrimSpace(item) == "" {
		return nil
	}
	if !strings.Contains(item, "=") {
		p.note("HDF5_MPI_INFO=%q: %q is ignored, for it has no =", all, item)
		return nil
	}
	hint, err := ParseHint(item)
	if err != nil {
		return usage.Errorf("HDF5_MPI_INFO=%q: %v", all, err)
	}
	p.setHint(hint)
	return nil
}

func (p *Plan) setHint(hint kv.KeyValue) {
	hints := &p.Parameters.Hints
	if i := slices.IndexFunc(*hints, func(h result.KeyValue) bool { return h.Key == hint.Key }); i >= 0 {
		(*hints)[i].Value = hint.Value
		return
	}
	*hints = append(*hints, result.KeyValue{Key: hint.Key, Value: hint.Value})
}
