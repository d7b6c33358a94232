package workloadtest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Fact is what the sources of a profile say of its files, in size tiny, written by hand and not by h5perf.
type Fact struct {
	Profile string
	Ranks   int
	Words   []string          // words of choices or values of sizes, such as calls=grid
	Set     map[string]string // the same
	Lines   []string          // sorted
}

// String returns what the fact is about.
func (f Fact) String() string {
	return strings.Join(append([]string{f.Profile, strconv.Itoa(f.Ranks)}, f.Words...), " ")
}

// Facts reads the facts in a directory. Each file PROFILE.txt has parts, which begin with a line such as
//
//	ranks 3 calls=grid
//
// (a number of ranks, and words of choices or values of sizes). The lines of a part are in any order:
//
//	FILE PATH group
//	FILE PATH TYPE EXTENT PROPERTIES    a dataset, as of all ranks together
//	FILE PATH @NAME TYPE EXTENT         an attribute; the path of the root group is /
//	FILE PATH writes MODE PART ...      a transfer; the parts of ranks 0, 1, ... as START+COUNT in elements of the
//	                                    dataset, - for nothing, . for ranks that do not take part in it; of more
//	                                    than 8 boxes, only their number
//	FILE PATH reads MODE PART ...
//
// Of the dumps only the first one counts. Empty lines and those that begin with # do not count.
func Facts(dir string) (all []Fact, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%s has no facts: %w", dir, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, part := range strings.Split("\n"+string(text), "\nranks ")[1:] {
			head, body, _ := strings.Cut(part, "\n")
			f := Fact{Profile: strings.TrimSuffix(filepath.Base(file), ".txt"), Set: map[string]string{}}
			words := strings.Fields(head)
			if f.Ranks, err = strconv.Atoi(words[0]); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			for _, word := range words[1:] {
				key, value, _ := strings.Cut(word, "=")
				f.Words, f.Set[key] = append(f.Words, word), value
			}
			for line := range strings.Lines(body) {
				if line = strings.Join(strings.Fields(line), " "); line != "" && line[0] != '#' {
					f.Lines = append(f.Lines, line)
				}
			}
			slices.Sort(f.Lines)
			all = append(all, f)
		}
	}
	return all, nil
}
