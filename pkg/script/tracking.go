package script

import (
	"cmp"
	"fmt"

	"go.starlark.net/starlark"

	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// orderArgument is the argument track_order: True or False, or the order of links and that of attributes, as words.
type orderArgument struct{ links, attributes workload.Order }

func (a *orderArgument) Unpack(v starlark.Value) (err error) {
	switch v := v.(type) {
	case starlark.Bool:
		*a = orderArgument{}
		if v {
			*a = orderArgument{workload.IndexedOrder, workload.IndexedOrder}
		}
		return nil
	case starlark.Tuple:
		if len(v) == 2 {
			if a.links, err = parseOrder(v[0]); err == nil {
				a.attributes, err = parseOrder(v[1])
			}
			return err
		}
	}
	return fmt.Errorf("%s is no order: give True, or a word for links and one for attributes, such as "+
		"(\"tracked\", \"indexed\")", valueText(v))
}

// parseOrder parses the word for an order.
func parseOrder(v starlark.Value) (workload.Order, error) {
	word, _ := starlark.AsString(v)
	words := []string{"none", "tracked", "indexed"}
	for i, known := range words {
		if word == known {
			return workload.Order(i), nil
		}
	}
	return 0, usage.InvalidWordError("the order", cmp.Or(word, valueText(v)), words)
}

// trackingOf returns what HDF5 keeps about an object, from the arguments track_order and track_times. Datasets have no
// links.
func trackingOf(kind workload.ObjectKind, order orderArgument, times bool) workload.Tracking {
	if kind == workload.DatasetObject {
		order.links = workload.NoOrder
	}
	return workload.Tracking{NoTimes: !times, Links: order.links, Attributes: order.attributes}
}

// setFileTracking sets what HDF5 keeps about a file that the script creates. It is the same each time.
func (r *recorder) setFileTracking(f *openedFile, t workload.Tracking) error {
	made := &r.rankProgram.Files[f.index]
	if r.trackedFiles[f.index] && made.Tracking != t {
		return fmt.Errorf("the file %s was created with other track_order or track_times before: give the same", f.name)
	}
	made.Tracking, r.trackedFiles[f.index] = t, true
	return nil
}
