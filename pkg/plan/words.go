package plan

import (
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

// Data is the option of what is written: one of Values, with a number in the place of RATIO.
type Data string

// Values implements result.Enumerated.
func (Data) Values() []string {
	var texts []string
	for _, d := range result.All[result.Data]() {
		text := string(d)
		if d == result.DataCompress {
			text += "=RATIO"
		}
		texts = append(texts, text)
	}
	return texts
}

// Switch is an option that is on or off.
type Switch string

// The positions of a switch.
const (
	On  Switch = "on"
	Off Switch = "off"
)

// Values implements result.Enumerated.
func (Switch) Values() []string { return []string{string(On), string(Off)} }

// chosen returns the given value of an option, or without one the first of those that are valid.
func chosen[T result.Vocabulary](option string, given T) (T, error) {
	used, err := usage.OneOf(option, string(given), given.Values()...)
	return T(used), err
}
