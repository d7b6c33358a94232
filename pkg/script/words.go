package script

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// Rule is the name of a rule.
type Rule workload.RuleName

// Values returns the valid words.
func (Rule) Values() []string { return usage.Texts(workload.RuleNames()) }

// Counts is how rule concat gets numbers of rows.
type Counts workload.Counts

// Values returns the valid words.
func (Counts) Values() []string {
	return usage.Texts(workload.AllCounts())
}

// Each is what there is one file for.
type Each string

// What there is a file for.
const (
	PerRun  Each = "run"  // the whole run
	PerDump Each = "dump" // each dump
	PerRank Each = "rank" // each rank, which opens it alone
	PerBand Each = "band" // each band of ranks
)

// Values returns the valid words.
func (Each) Values() []string { return []string{"run", "dump", "rank", "band"} }

// String returns what there is a file for, in words.
func (p Per) String() string { return strings.Join(usage.Texts([]Each(p)), " and ") }

// has reports whether there is a file for each such thing.
func (p Per) has(e Each) bool { return slices.Contains(p, e) }

// modes are the modes of transfers.
var modes = []string{"independent", collective}

const collective = "collective"

// Where is the part of the ranks that does steps.
type Where string

// The parts.
const (
	OnRoot    Where = "root"
	OnLeaders Where = "leaders"
	OnTurns   Where = "turns"
)

// Values returns the valid words.
func (Where) Values() []string { return []string{"root", "leaders", "turns"} }

// Fence is the ranks that wait for one another: all of them.
type Fence string

// FenceAll is a fence of all ranks.
const FenceAll Fence = "all"

// Values returns the valid words.
func (Fence) Values() []string { return []string{"all"} }

// Union is how HDF5 builds an irregular selection.
type Union string

// unionOr adds one run after another.
const unionOr Union = "or"

// Values returns the valid words.
func (Union) Values() []string { return []string{"merge", "or"} }

// Form is how an irregular part is selected.
type Form string

// The forms.
const (
	FormPoints Form = "points"
	FormRuns   Form = "runs"
)

// Values returns the valid words.
func (Form) Values() []string { return []string{"points", "runs"} }

// FillTime is the time when storage is filled with a value.
type FillTime string

// Values returns the valid words.
func (FillTime) Values() []string { return []string{"alloc", "never", "ifset"} }

// Allocation is the time when storage is allocated.
type Allocation string

// Values returns the valid words.
func (Allocation) Values() []string { return []string{"early", "late", "incremental"} }

// Padding is what fills up a text.
type Padding string

// Values returns the valid words.
func (Padding) Values() []string { return []string{"zeros", "terminated", "spaces"} }

// Characters are the characters of a text.
type Characters string

// unicodeText are all characters of Unicode.
const unicodeText Characters = "utf8"

// Values returns the valid words.
func (Characters) Values() []string { return []string{"ascii", string(unicodeText)} }

// numbers are the types of numbers and bit fields by their words, which numberWords lists.
var numbers, numberWords = numbersOf()

func numbersOf() (all map[string]workload.Type, words []string) {
	all = map[string]workload.Type{}
	for _, k := range []struct {
		letter string
		class  workload.TypeClass
		bits   []int
	}{
		{"u", workload.Unsigned, []int{8, 16, 32, 64}},
		{"i", workload.Signed, []int{8, 16, 32, 64}},
		{"b", workload.Bits, []int{8, 16, 32, 64}},
		{"f", workload.Float, []int{16, 32, 64, 80}},
	} {
		for _, bits := range k.bits {
			bytes := uint64(bits / 8)
			if bits == 80 {
				bytes = 16
			}
			word := fmt.Sprint(k.letter, bits)
			all[word], words = workload.Type{Class: k.class, Size: bytes}, append(words, word)
			if bytes > 1 && bits != 80 { // processors with f80 are little-endian
				all[word+bigEndian] = workload.Type{Class: k.class, Size: bytes, BigEndian: true}
				words = append(words, word+bigEndian)
			}
		}
	}
	return all, words
}

// bigEndian is the end of the words of big-endian types.
const bigEndian = "be"

// plainFilters are the filters without a parameter.
var plainFilters = []string{"shuffle", "fletcher32"}

// reserved are the names of numbers that a file cannot give other values.
var reserved = []string{"ranks", "nodes", "rank", "band", "dump", "i"}
