package result

import (
	"fmt"

	"h5perf/pkg/units"
)

// Amounts is the work of an iteration in one direction, of all processes together.
type Amounts struct {
	Operation Operation
	Bytes     uint64 // moved
	Objects   uint64 // that steps are for
	Estimated bool   // from some processes: small differences mean nothing
}

// ObjectBytes is about how many bytes are transferred in the time that a step takes for an object. It is a rough value.
const ObjectBytes = 16 << 10

// Amounts returns the amounts of a sample. known is false if a time limit has cut them.
func (s Sample) Amounts() (a Amounts, known bool) {
	a = Amounts{Operation: s.Operation, Bytes: s.Bytes}
	for _, t := range s.Classes {
		a.Objects += t.Objects
	}
	return a, s.Limit == nil
}

// Amounts returns the amounts of an iteration of all cases, for each direction. It returns nil if they are not known.
func (d Document) Amounts() (all []Amounts) {
	for _, c := range d.Cases {
		for _, p := range c.Points() {
			one, known := p.Samples[0].Amounts()
			if !known {
				return nil
			}
			all = AddAmounts(all, one)
		}
	}
	return all
}

// AddAmounts adds the amounts of a case to those of other cases.
func AddAmounts(all []Amounts, one Amounts) []Amounts {
	for i := range all {
		if of := &all[i]; of.Operation == one.Operation {
			of.Bytes, of.Objects = of.Bytes+one.Bytes, of.Objects+one.Objects
			of.Estimated = of.Estimated || one.Estimated
			return all
		}
	}
	return append(all, one)
}

// OtherWork says which other work than run A run B does, as a predicate: "writes 1 KiB instead of 64 KiB". It returns
// "" if their times can be compared, since both move the same data. How many objects hold the data may differ, unless
// the objects are more work than the data. Layouts keep the data, but not the objects.
func OtherWork(a, b Parameters, ofA, ofB []Amounts) string {
	objects := a.Workload != nil && b.Workload != nil && a.Workload.Layout == b.Workload.Layout
	for _, from := range ofA {
		for _, to := range ofB {
			if from.Operation != to.Operation {
				continue
			}
			exact := !from.Estimated && !to.Estimated
			verb := map[Operation]string{OperationWrite: "writes", OperationRead: "reads"}[from.Operation]
			if amountsDiffer(from.Bytes, to.Bytes, exact) {
				before, now := units.FormatBytes(float64(from.Bytes)), units.FormatBytes(float64(to.Bytes))
				if before == now {
					before, now = fmt.Sprintf("%d B", from.Bytes), fmt.Sprintf("%d B", to.Bytes)
				}
				return fmt.Sprintf("%s %s instead of %s", verb, now, before)
			}
			if objects && max(from.Objects, to.Objects) > from.Bytes/ObjectBytes &&
				amountsDiffer(from.Objects, to.Objects, exact) {
				return fmt.Sprintf("%s with %d steps for objects instead of %d", verb, to.Objects, from.Objects)
			}
		}
	}
	return ""
}

// amountsDiffer reports whether two amounts differ: those that are not exact, by more than a tenth.
func amountsDiffer(a, b uint64, exact bool) bool {
	if exact {
		return a != b
	}
	return float64(max(a, b)-min(a, b)) > float64(max(a, b))/10
}
