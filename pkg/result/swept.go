package result

import (
	"cmp"
	"slices"
	"strings"
)

// SweptCases are the cases of a run that --sweep measures with the same values.
type SweptCases struct {
	// Names and their values, in the order of the options. The cases have the same values.
	Values []KeyValue `json:"values"`
	// As in the document. For a workload, the script is only in the parameters of the document.
	Parameters Parameters `json:"parameters"`
}

// ValuesText formats names and values for people: "mode=collective, x=64".
func ValuesText(values []KeyValue) string {
	words := make([]string, len(values))
	for i, kv := range values {
		words[i] = kv.Key + "=" + kv.Value
	}
	return strings.Join(words, ", ")
}

// ParametersOf returns the parameters with which a case was measured.
func (d *Document) ParametersOf(c Case) *Parameters {
	if i := d.sweptIndex(c); i >= 0 {
		return &d.Swept[i].Parameters
	}
	return &d.Parameters
}

// sweptIndex returns the index of the values of a case in Swept, or -1.
func (d *Document) sweptIndex(c Case) int {
	return slices.IndexFunc(d.Swept, func(s SweptCases) bool { return slices.Equal(s.Values, c.Values) })
}

// Parts returns a document for each combination of values that --sweep measures, with the parameters and the cases of
// this combination. It returns the document itself if there are none. So all that reads documents treats values of
// --sweep like options that differ between runs.
func (d Document) Parts() []Document {
	if len(d.Swept) == 0 {
		return []Document{d}
	}
	parts := make([]Document, len(d.Swept))
	for i, s := range d.Swept {
		part := d
		part.Swept, part.Parameters, part.Cases = nil, s.Parameters, []Case{}
		if w := s.Parameters.Workload; w != nil && d.Parameters.Workload != nil {
			whole := *w
			whole.Text = cmp.Or(w.Text, d.Parameters.Workload.Text)
			whole.Statements = d.Parameters.Workload.Statements
			part.Parameters.Workload = &whole
		}
		part.GivenParameters = slices.Clone(d.GivenParameters)
		for _, kv := range s.Values {
			part.GivenParameters = append(part.GivenParameters, GivenParameter{Name: kv.Key, Value: kv.Value})
		}
		for _, c := range d.Cases {
			if slices.Equal(c.Values, s.Values) {
				part.Cases = append(part.Cases, c)
			}
		}
		part.PlannedCases = d.PlannedCases / len(d.Swept)
		parts[i] = part
	}
	return parts
}
