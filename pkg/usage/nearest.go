package usage

import (
	"fmt"
	"strings"
)

// DidYouMean returns the end of an error about a word that is not known: a question that names the known word that was
// probably meant. It returns "" if no known word is like the given one.
func DidYouMean(given string, known []string) string {
	if nearest := NearestWord(given, known); nearest != "" {
		return fmt.Sprintf("; did you mean %q?", nearest)
	}
	return ""
}

// NearestWord returns the known word that is most like the given one, or "" if none is like it. Upper and lower case
// count as the same. Words are alike if at most one letter in three was mistyped, or if one is the beginning of the
// other. If there is none, a word counts whose end after a hyphen is alike: --num-iterations for --itrations.
func NearestWord(given string, known []string) string {
	const (
		lettersPerTypo = 3
		shortest       = 3 // of a beginning: fewer letters fit too many words
	)
	word := strings.ToLower(given)
	nearest, least := "", numLetters(word)/lettersPerTypo+1
	for _, k := range known {
		if d := editDistance(word, strings.ToLower(k)); d < least && numLetters(k) > 1 {
			nearest, least = k, d
		}
	}
	if nearest != "" || numLetters(word) < shortest {
		return nearest
	}
	for _, k := range known {
		if strings.HasPrefix(strings.ToLower(k), word) {
			return k
		}
	}
	word = strings.TrimLeft(word, "-")
	for _, k := range known {
		for end, found := strings.ToLower(k), true; found; {
			if _, end, found = strings.Cut(end, "-"); found && numLetters(end) >= shortest {
				if d := editDistance(word, end); d < least {
					nearest, least = k, d
				}
			}
		}
	}
	return nearest
}

// numLetters returns the number of letters of a word without the hyphens of an option.
func numLetters(word string) int { return len(strings.TrimLeft(word, "-")) }

// editDistance returns how many letters were left out, added, changed, or swapped with the next one between two words.
func editDistance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1) // rows of the table that are done
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			changed := last[j]
			if a[i] != b[j] {
				changed++
			}
			row[j+1] = min(changed, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
