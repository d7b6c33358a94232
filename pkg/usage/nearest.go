package usage

import (
	"fmt"
	"strings"
)

// DidYouMean returns the end of an error about an unknown word: "; did you mean ...?". It suggests the known word that
// the user probably meant. It returns "" if no known word is similar.
func DidYouMean(given string, known []string) string {
	if nearest := NearestWord(given, known); nearest != "" {
		return fmt.Sprintf("; did you mean %q?", nearest)
	}
	return ""
}

// NearestWord returns the known word that is most similar to the given word, or "" if none is similar. It ignores case.
// Words are similar if at most one letter in three is wrong, or if a known word begins with the given word. If there is
// no such word, the given word may be similar to a part of a known word after a hyphen: --num-iterations is found for
// --itrations.
func NearestWord(given string, known []string) string {
	const (
		lettersPerTypo = 3
		shortest       = 3 // smallest number of letters for a beginning or an end
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

// numLetters returns the number of letters in a word, without the leading hyphens of an option.
func numLetters(word string) int { return len(strings.TrimLeft(word, "-")) }

// editDistance returns the number of edits between two words: a letter is missing, added, changed, or exchanged with
// the next letter.
func editDistance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1) // the last two rows of the table
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
