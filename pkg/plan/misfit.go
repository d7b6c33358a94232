package plan

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"

	"h5perf/pkg/usage"
)

// misfit is a refusal of sizes that do not fit one another, or the place of the run. Other sizes may fit.
type misfit struct{ error }

func (m misfit) Unwrap() error { return m.error }

// misfitf returns a misfit with a text that is formatted as by fmt.Sprintf. It holds a *usage.Error.
func misfitf(format string, args ...any) error { return misfit{usage.Errorf(format, args...)} }

// isMisfit reports whether an error is a misfit.
func isMisfit(err error) bool {
	_, is := errors.AsType[misfit](err)
	return is
}

// remedy is a change of one option that may make sizes fit.
type remedy[O any] struct {
	text    string // as on the command line
	options O      // with the change
}

// maxTries limits how many remedies of one option are tried.
const maxTries = 128

// advised returns the error of a plan. To a misfit it adds, for each option, the first remedy that works. plan makes
// the plan of changed options.
func advised[O any](err error, remedies func() [][]remedy[O], plan func(O) (Plan, error)) error {
	if !isMisfit(err) {
		return err
	}
	works := func(r remedy[O]) bool {
		p, err := plan(r.options)
		if err == nil {
			_, err = p.Amount(nil)
		}
		return err == nil
	}
	var words []string
	for _, of := range remedies() {
		of = of[:min(len(of), maxTries)]
		if i := slices.IndexFunc(of, works); i >= 0 {
			words = append(words, of[i].text)
		}
	}
	if len(words) == 0 {
		return err
	}
	last := len(words) - 1
	text := words[last]
	if last > 0 {
		text = strings.Join(words[:last], ", ") + " or " + text
	}
	return usage.Errorf("%v; try %s", err, text)
}

// nearest returns the sizes except 0 and size itself, those first that are the smallest number of times larger or
// smaller than size.
func nearest(size uint64, sizes []uint64) []uint64 {
	distance := func(n uint64) float64 { return math.Abs(math.Log(float64(n) / float64(max(1, size)))) }
	kept := slices.DeleteFunc(slices.Clone(sizes), func(n uint64) bool { return n == 0 || n == size || n > maxBytes })
	slices.Sort(kept)
	kept = slices.Compact(kept)
	slices.SortStableFunc(kept, func(a, b uint64) int { return cmp.Compare(distance(a), distance(b)) })
	return kept
}

// multiples returns sizes near size that are multiples of unit, and unit times each power of 2.
func multiples(size, unit uint64) []uint64 {
	if unit == 0 {
		return nil
	}
	down := size / unit * unit
	return append(doubling(unit, maxBytes), down, plus(down, unit))
}
