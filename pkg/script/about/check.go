package about

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"h5perf/pkg/bench"
	"h5perf/pkg/script"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// CheckOptions are the options of Check.
type CheckOptions struct {
	Ranks int // ranks of the job, on one node; 0: both 1 and 4, or another number that the workload can run with
	// CheckFeatures returns an error if the HDF5 library in use lacks a feature that the workload needs. If
	// CheckFeatures is nil, the library has all features.
	CheckFeatures func(*script.Script, workload.Program) error
}

// maxCombinations is the largest number of combinations of words for which all of them are checked. If there are more,
// each word is checked only with the first words of the other choices.
const maxCombinations = 64

// Check records the programs of a workload with each of its sets of sizes, with each value of its choices, and with
// several numbers of ranks, and looks for what cannot run. It returns a text that says what the workload does with each
// set. The error says with which sizes, words and ranks the workload cannot run. If it can run with other numbers of
// ranks, or if only the library lacks a feature, the text has a note, and there is no error.
func Check(s *script.Script, o CheckOptions) (string, error) {
	if !s.HasFunction(workload.Write) {
		return "", fmt.Errorf("the workload %s has no function write: it cannot be run, since there is nothing to "+
			"read: define write(job)", s.Name)
	}
	c := checker{
		Script: s, CheckOptions: o, failedPlaces: map[string]bool{}, notedErrors: map[string]bool{},
		smallest: math.MaxUint64,
	}
	sets := []string{""}
	for _, set := range s.Sets {
		sets = append(sets, set.Name)
	}
	for _, set := range sets {
		c.checkVariant(runVariant{set: set})
	}
	if len(c.errs) > 0 {
		return "", errors.Join(c.errs...)
	}
	words, combined := c.choiceVariants()
	for _, given := range words {
		for _, set := range sets {
			c.checkVariant(runVariant{set, given})
		}
	}
	for _, given := range combined {
		c.checkVariant(runVariant{c.smallestSet, given})
	}
	if len(words) > 0 {
		fmt.Fprintf(&c.text, "%s checked", units.Count(len(words), "other word of a choice", "other words of choices"))
		if n := len(combined); n > 0 {
			fmt.Fprintf(&c.text, ", and %s with %s", units.Count(n, "combination of words", "combinations of words"),
				sizeSetText(c.smallestSet))
		}
		c.text.WriteString("\n")
	}
	for _, note := range c.notes {
		c.text.WriteString("Note: " + note + "\n")
	}
	return c.text.String(), errors.Join(c.errs...)
}

// runVariant is a variant of a workload: the name of a set of sizes, and words for choices.
type runVariant struct {
	set   string
	given map[string]string
}

// prefixText describes the variant, and the number of ranks if it is not 0, as the start of a message.
func (w runVariant) prefixText(ranks int) string {
	var parts []string
	for _, choice := range slices.Sorted(maps.Keys(w.given)) {
		parts = append(parts, choice+"="+w.given[choice])
	}
	if w.set != "" {
		parts = append(parts, sizeSetText(w.set))
	}
	if ranks > 0 {
		parts = append(parts, units.Count(ranks, "rank", "ranks"))
	}
	if len(parts) == 0 {
		return ""
	}
	return "with " + strings.Join(parts, ", ") + ": "
}

// sizeSetText returns the option that chooses a set of sizes, for messages.
func sizeSetText(set string) string {
	if set == "" {
		return "sizes of the file"
	}
	return "--size " + set
}

type checker struct {
	*script.Script
	CheckOptions
	smallestSet  string // the set of sizes with the fewest bytes on disk
	smallest     uint64 // bytes on disk with smallestSet
	foundRanks   []int  // numbers of ranks that searchRanks has found
	text         strings.Builder
	notes        []string
	errs         []error
	failedPlaces map[string]bool // positions of reported errors
	notedErrors  map[string]bool // numbers of ranks and positions of notes
}

// choiceVariants returns the words of choices other than the default words: each by itself, and the combinations of two
// or more. There are no combinations if there would be more than maxCombinations.
func (c *checker) choiceVariants() (single, combined []map[string]string) {
	product := 1
	all := []map[string]string{{}}
	for _, choice := range c.Choices {
		product = min(product*len(choice.Words), maxCombinations+1)
		var next []map[string]string
		for i, word := range choice.Words {
			if i > 0 {
				single = append(single, map[string]string{choice.Name: word})
			}
			for _, before := range all {
				given := maps.Clone(before)
				if i > 0 {
					given[choice.Name] = word
				}
				next = append(next, given)
			}
		}
		if product <= maxCombinations {
			all = next
		}
	}
	if product <= maxCombinations {
		combined = slices.DeleteFunc(all, func(given map[string]string) bool { return len(given) < 2 })
	}
	return single, combined
}

// checkVariant checks a variant with all numbers of ranks.
func (c *checker) checkVariant(w runVariant) {
	s, err := c.Choose(w.set, w.given, script.JobSize{Ranks: 1, Nodes: 1})
	if err != nil {
		c.addFailure(w, 0, err)
		return
	}
	tried := []int{1, 4}
	if c.Ranks > 0 {
		tried = []int{c.Ranks}
	}
	refused := map[int]error{}
	fits := "" // says with which number of ranks the variant can run; one rank is not enough
	for _, ranks := range tried {
		all, err := c.sumPrograms(s, ranks, w)
		if refused[ranks] = err; err != nil {
			continue
		}
		if ranks > 1 || len(tried) == 1 {
			fits = successText(ranks, all.Sampled)
		}
		if w.given == nil {
			c.addAmounts(w, ranks, all)
		}
	}
	last := tried[len(tried)-1]
	if fits == "" && len(tried) > 1 && !c.failedPlaces[errorPosition(refused[last])] {
		fits = c.searchRanks(s, refused[last])
	}
	for _, ranks := range tried {
		if err := refused[ranks]; err != nil && fits != "" {
			c.addNote(w, ranks, err, "; "+fits)
		}
	}
	if fits != "" {
		return
	}
	about := 0 // the number of ranks for the message; 0: the error does not depend on it
	if refused[tried[0]] == nil || c.Ranks > 0 {
		about = last
	}
	c.addFailure(w, about, refused[last])
}

// programMismatch is the error if the programs of different ranks do not match each other.
type programMismatch struct{ error }

func (d programMismatch) Unwrap() error { return d.error }

// successText returns a message about a number of ranks with which no error was found. sampled is Amounts.Sampled.
func successText(ranks int, sampled uint64) string {
	count := units.Count(ranks, "rank", "ranks")
	if ranks <= bench.MaxComparedPrograms {
		return count + " can run it"
	}
	return "no error was found with " + count + checkedRanksText(ranks, sampled)
}

// checkedRanksText says which ranks were checked. It returns "" if the programs of all ranks were compared.
func checkedRanksText(ranks int, sampled uint64) string {
	switch {
	case ranks <= bench.MaxComparedPrograms:
		return ""
	case sampled == 0:
		return " (each looked at by itself, and not compared)"
	}
	return fmt.Sprintf(" (a sample: %d of them looked at, each by itself)", sampled)
}

// searchRanks searches for another number of ranks with which a script can run. It returns a message with this number,
// or "" if it finds none. It first tries the numbers that earlier searches found. If the error refused is of type
// disagreement, it tries at most bench.MaxComparedPrograms ranks.
func (c *checker) searchRanks(s *script.Script, refused error) string {
	candidates := slices.Clone(c.foundRanks)
	for n := 2; n <= 64; n++ {
		candidates = append(candidates, n)
	}
	for n := 128; n <= 65536; n *= 2 {
		candidates = append(candidates, n)
	}
	if _, is := errors.AsType[programMismatch](refused); is {
		candidates = slices.DeleteFunc(candidates, func(n int) bool { return n > bench.MaxComparedPrograms })
	}
	for _, ranks := range candidates {
		if all, err := c.sumPrograms(s, ranks, runVariant{}); err == nil {
			if !slices.Contains(c.foundRanks, ranks) {
				c.foundRanks = append(c.foundRanks, ranks)
			}
			return successText(ranks, all.Sampled)
		}
	}
	return ""
}

// sumPrograms makes the programs of a script for a number of ranks, checks them, and returns their amounts.
func (c *checker) sumPrograms(s *script.Script, ranks int, w runVariant) (workload.Amounts, error) {
	job := script.JobSize{Ranks: int64(ranks), Nodes: 1}
	programs := make([]workload.Program, min(ranks, bench.MaxComparedPrograms))
	all, err := workload.AmountsOf(uint64(ranks), func(rank uint64) (workload.Program, error) {
		p, err := s.Program(int64(rank), job)
		if err == nil && rank == 0 && c.CheckFeatures != nil {
			if lacks := c.CheckFeatures(s, p); lacks != nil {
				c.addNote(w, 0, lacks, "")
			}
		}
		if rank < bench.MaxComparedPrograms {
			programs[rank] = p
		}
		return p, err
	})
	if err == nil && ranks <= bench.MaxComparedPrograms {
		if wrong := bench.CheckAllPrograms(programs, false); wrong != nil {
			err = programMismatch{s.LocateFault(wrong)}
		} else if wrong := bench.CheckAllPrograms(programs, true); wrong != nil {
			c.addNote(w, ranks, s.LocateFault(wrong), "")
		} else if unwritten := workload.FindUnwrittenBytes(programs); unwritten != nil {
			c.addNote(w, ranks, s.LocateFault(unwritten), "")
		}
	}
	return all, err
}

// addAmounts adds a line with the amounts of the workload with a set of sizes and a number of ranks.
func (c *checker) addAmounts(w runVariant, ranks int, all workload.Amounts) {
	if all.DiskBytes < c.smallest {
		c.smallestSet, c.smallest = w.set, all.DiskBytes
	}
	written, read := all.Ops[workload.Write], all.Ops[workload.Read]
	back := ""
	if written.ReadBack > 0 {
		more := workload.Amount{Bytes: written.ReadBack, Estimated: all.Sampled > 0}
		back = fmt.Sprintf(", %s read back in write(job)", bytesText(more))
	}
	fmt.Fprintf(&c.text, "%s, %s%s: %s written in %s%s, %s read, %s, %s on disk\n", sizeSetText(w.set),
		units.Count(ranks, "rank", "ranks"), checkedRanksText(ranks, all.Sampled), bytesText(written),
		units.Count(int(written.Dumps), "dump", "dumps"), back, bytesText(read),
		units.Count(int(written.NewDatasets), "dataset", "datasets"), units.FormatExactBytes(all.DiskBytes))
}

// bytesText formats the bytes of an amount. If the number of bytes is estimated, it rounds the number.
func bytesText(a workload.Amount) string {
	if a.Estimated {
		return "about " + units.FormatBytes(float64(a.Bytes))
	}
	return units.FormatExactBytes(a.Bytes)
}

// addNote adds a note about an error, and appends more to it. If a number of ranks has several errors at the same
// position in the script, only the first is noted.
func (c *checker) addNote(w runVariant, ranks int, err error, more string) {
	key := fmt.Sprint(ranks, " ", errorPosition(err))
	if !c.notedErrors[key] {
		reason, _, _ := strings.Cut(err.Error(), "\n")
		c.notes = append(c.notes, w.prefixText(ranks)+reason+more)
	}
	c.notedErrors[key] = true
}

// addFailure adds the error of a variant that cannot run. If several errors have the same position in the script, it
// adds only the first.
func (c *checker) addFailure(w runVariant, ranks int, err error) {
	if key := errorPosition(err); !c.failedPlaces[key] {
		c.failedPlaces[key] = true
		c.errs = append(c.errs, fmt.Errorf("%s%w", w.prefixText(ranks), err))
	}
}

// errorPosition returns the position of an error in the script, or its message if it has no position.
func errorPosition(err error) string {
	if e, is := errors.AsType[*script.PositionError](err); is {
		return e.Position
	}
	return fmt.Sprint(err)
}
