// This file checks a workload in all ways in which it can be run: with each of its sets of sizes, the words of
// its choices, and several numbers of ranks.

package script

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"h5perf/pkg/plain"
	"h5perf/pkg/units"
	"h5perf/pkg/workload"
)

// CheckOptions say how a workload is checked.
type CheckOptions struct {
	Ranks int64 // of the job, on one node; 0: 1 and 4, or another number that fits
	// Lacks returns an error if the HDF5 library in use cannot do what a workload asks for; nil: it can do everything.
	Lacks func(Resolved) error
}

// mostCombinations is the largest number of combinations of words that are all checked. Of more, each word is checked
// with the first words of the other choices.
const mostCombinations = 64

// CheckChoices returns what a workload does with each of its sets of sizes. The error says with which sizes, words and
// ranks the workload cannot be run. It is no error, but a note in the text, if other numbers of ranks can run it, or if
// only the library cannot.
func CheckChoices(w Workload, o CheckOptions) (string, error) {
	c := choicesChecker{Workload: w, CheckOptions: o, failed: map[string]bool{}, told: map[string]bool{}}
	sizes := append([]string{""}, slices.Sorted(maps.Keys(w.Sets))...)
	c.small = c.smallest(sizes)
	for _, size := range sizes {
		c.check(way{size: size})
	}
	if len(c.errs) > 0 {
		return "", errors.Join(c.errs...)
	}
	words, combined := c.words()
	for _, set := range words {
		for _, size := range sizes {
			c.check(way{size: size, set: set})
		}
	}
	for _, set := range combined {
		c.check(way{size: c.small, set: set})
	}
	if len(words) > 0 {
		fmt.Fprintf(&c.text, "%s checked", units.Count(len(words), "other word of a choice", "other words of choices"))
		if n := len(combined); n > 0 {
			fmt.Fprintf(&c.text, ", and %s with %s", units.Count(n, "combination of words", "combinations of words"),
				sizesOf(c.small))
		}
		c.text.WriteString("\n")
	}
	for _, note := range c.notes {
		c.text.WriteString(plain.Note("", note+".") + "\n")
	}
	return c.text.String(), errors.Join(c.errs...)
}

// way is a way to run a workload: the name of a set of sizes, and words of choices.
type way struct {
	size string
	set  map[string]string
}

// named returns a way, and a number of ranks if it is not 0, as the start of a sentence.
func (v way) named(ranks int64) string {
	var parts []string
	for _, choice := range slices.Sorted(maps.Keys(v.set)) {
		parts = append(parts, choice+"="+v.set[choice])
	}
	if v.size != "" {
		parts = append(parts, sizesOf(v.size))
	}
	if ranks > 0 {
		parts = append(parts, units.Count(int(ranks), "rank", "ranks"))
	}
	if len(parts) == 0 {
		return ""
	}
	return "with " + strings.Join(parts, ", ") + ": "
}

// sizesOf names a set of sizes.
func sizesOf(size string) string {
	if size == "" {
		return "sizes of the file"
	}
	return "--size " + size
}

type choicesChecker struct {
	Workload
	CheckOptions
	small  string  // the set of sizes with which the least is written
	others []int64 // numbers of ranks that were found to fit
	text   strings.Builder
	notes  []string
	errs   []error
	failed map[string]bool // places of errors of ways that cannot be run
	told   map[string]bool // the same of notes, with their numbers of ranks
}

// smallest returns the set of sizes with which the least is on disk.
func (c *choicesChecker) smallest(sizes []string) (small string) {
	least := uint64(math.MaxUint64)
	for _, size := range sizes {
		r, err := Resolve(c.Workload, size, nil, Job{})
		if err != nil {
			continue
		}
		for _, ranks := range c.ranks() {
			if all, err := r.Amount(c.job(ranks)); err == nil && all.DiskBytes < least {
				small, least = size, all.DiskBytes
			}
		}
	}
	return small
}

// ranks returns the numbers of ranks for which the workload is checked.
func (c *choicesChecker) ranks() []int64 {
	switch {
	case c.Ranks > 0:
		return []int64{c.Ranks}
	case c.Job != nil:
		return []int64{c.Job.Ranks}
	}
	return []int64{1, 4}
}

// job returns the job of a number of ranks.
func (c *choicesChecker) job(ranks int64) Job {
	if c.Job != nil && c.Job.Ranks == ranks {
		return *c.Job
	}
	return Job{Ranks: ranks, Nodes: 1}
}

// words returns the words of choices that are not the first ones, each by itself, and the other combinations of words.
func (c *choicesChecker) words() (single, combined []map[string]string) {
	product := 1
	all := []map[string]string{{}}
	for _, choice := range slices.Sorted(maps.Keys(c.Choices)) {
		words := c.Choices[choice]
		product = min(product*len(words), mostCombinations+1)
		var next []map[string]string
		for i, word := range words {
			if i > 0 {
				single = append(single, map[string]string{choice: word.String()})
			}
			for _, before := range all {
				set := maps.Clone(before)
				if i > 0 {
					set[choice] = word.String()
				}
				next = append(next, set)
			}
		}
		if product <= mostCombinations {
			all = next
		}
	}
	if product > mostCombinations {
		return single, nil
	}
	for _, set := range all {
		if len(set) > 1 {
			combined = append(combined, set)
		}
	}
	return single, combined
}

// check checks a way with all numbers of ranks.
func (c *choicesChecker) check(v way) {
	r, err := Resolve(c.Workload, v.size, v.set, Job{})
	if err != nil {
		c.fail(v, 0, err)
		return
	}
	c.lacks(v, r)
	tried := c.ranks()
	refused := map[int64]error{}
	fits := int64(0) // a number of ranks that can run it; one rank alone is not enough
	for _, ranks := range tried {
		err := c.try(v, r, ranks)
		switch {
		case err != nil:
			refused[ranks] = err
		case ranks > 1 || len(tried) == 1:
			fits = ranks
		}
	}
	_, unwritten := errors.AsType[unwrittenError](refused[tried[len(tried)-1]])
	if fits == 0 && len(tried) > 1 && !unwritten && !c.known(refused) {
		fits = c.search(v, r)
	}
	for _, ranks := range tried {
		if err := refused[ranks]; err != nil && fits > 0 {
			c.note(v, ranks, err, fmt.Sprintf("; %s can run it", units.Count(int(fits), "rank", "ranks")))
		}
	}
	if fits > 0 {
		return
	}
	about := int64(0) // the number of ranks, if it matters
	last := tried[len(tried)-1]
	if len(refused) < len(tried) || c.Ranks > 0 {
		about = last
	}
	c.fail(v, about, refused[last])
}

// known reports whether the errors of all numbers of ranks are those of a way that cannot be run.
func (c *choicesChecker) known(refused map[int64]error) bool {
	for _, err := range refused {
		if !c.failed[place(err)] {
			return false
		}
	}
	return true
}

// search returns another number of ranks that can run a way; 0 if it finds none. Those that were found before come
// first.
func (c *choicesChecker) search(v way, r Resolved) int64 {
	candidates := slices.Clone(c.others)
	for n := int64(2); n <= 256; n++ {
		candidates = append(candidates, n)
	}
	for n := int64(512); n <= 65536; n *= 2 {
		candidates = append(candidates, n)
	}
	for _, ranks := range candidates {
		if _, err := r.Amount(c.job(ranks)); err != nil {
			continue
		}
		if c.try(v, r, ranks) == nil {
			if !slices.Contains(c.others, ranks) {
				c.others = append(c.others, ranks)
			}
			return ranks
		}
	}
	return 0
}

// try checks a way with a number of ranks. With the first words of choices, it says what the workload does.
func (c *choicesChecker) try(v way, r Resolved, ranks int64) error {
	job := c.job(ranks)
	all, err := r.Amount(job)
	if err != nil {
		return err
	}
	if v.size == c.small { // programs of large sizes take seconds
		if err := compile(r, job); err != nil {
			return err
		}
	}
	if v.set == nil {
		c.say(v, ranks, all)
	}
	return nil
}

// unwrittenError is the error of a read of what no rank has written. Programs of more ranks are not made to find
// another number of ranks for which it has none.
type unwrittenError struct{ error }

func (e unwrittenError) Unwrap() error { return e.error }

// mostCompared is the largest number of ranks whose programs are all made, and compared.
const mostCompared = 8

// compile makes the programs of all ranks, or of the first and the last one of many.
func compile(r Resolved, job Job) error {
	var programs []workload.Program
	for rank := range job.Ranks {
		if rank > 0 && rank < job.Ranks-1 && job.Ranks > mostCompared {
			continue
		}
		p, err := r.Compile(rank, job)
		if err != nil {
			return err
		}
		programs = append(programs, p)
	}
	if job.Ranks > mostCompared {
		return nil
	}
	if err := workload.CheckReads(programs); err != nil {
		return unwrittenError{r.atFault(err)}
	}
	return nil
}

// say says what the workload does with sizes and a number of ranks.
func (c *choicesChecker) say(v way, ranks int64, all Amounts) {
	written, read := all.Ops[workload.Write], all.Ops[workload.Read]
	fmt.Fprintf(&c.text, "%s, %s: %s written in %d dumps, %s read, %d datasets, %s on disk\n", sizesOf(v.size),
		units.Count(int(ranks), "rank", "ranks"), units.FormatExact(written.Bytes), written.Dumps,
		units.FormatExact(read.Bytes), written.Datasets, units.FormatExact(all.DiskBytes))
}

// lacks notes what the library cannot do.
func (c *choicesChecker) lacks(v way, r Resolved) {
	if c.Lacks == nil {
		return
	}
	if err := c.Lacks(r); err != nil {
		c.note(v, 0, err, "")
	}
}

// note adds a note about an error, with more words after it. Of the errors of a number of ranks at a place of the file,
// the first one is told.
func (c *choicesChecker) note(v way, ranks int64, err error, more string) {
	key := fmt.Sprint(ranks, " ", place(err))
	if !c.told[key] {
		reason, _, _ := strings.Cut(err.Error(), "\n")
		c.notes = append(c.notes, v.named(ranks)+reason+more)
	}
	c.told[key] = true
}

// fail notes that a way cannot be run. Of the errors at a place of the file, the first one is told.
func (c *choicesChecker) fail(v way, ranks int64, err error) {
	if key := place(err); !c.failed[key] {
		c.failed[key] = true
		c.errs = append(c.errs, fmt.Errorf("%s%w", v.named(ranks), err))
	}
}

// place returns the place of an error in its file, or its text if it has none.
func place(err error) string {
	if e, is := errors.AsType[*SourceError](err); is && e.Located() {
		return fmt.Sprint(e.Line, ":", e.Column)
	}
	return err.Error()
}
