// This file writes and reads lists of host names in the form of Slurm: n[0001-1000,1003],login. A part of a list has at
// most one pair of brackets. A list keeps the order of its names, and duplicates.

package placement

import (
	"fmt"
	"strconv"
	"strings"
)

// Limits of the number of names, and of digits in brackets, so that no text makes UnpackHosts exhaust the memory.
const (
	maxNames  = 1 << 20
	maxDigits = 18
)

// CanPackHost reports whether PackHosts can put a name into a list: the name is not empty, and has no brackets or
// commas.
func CanPackHost(name string) bool { return name != "" && !strings.ContainsAny(name, "[],") }

// PackHosts returns names as a compact list, such as n[0001-1000,1003]. CanPackHost must be true for each name.
func PackHosts(names []string) string {
	var parts []string
	for len(names) > 0 {
		n, text := firstListItem(names)
		parts = append(parts, text)
		names = names[n:]
	}
	return strings.Join(parts, ",")
}

// firstListItem returns how many names, from the first one on, fit into one part of a list, such as n[1-3], and this
// part.
func firstListItem(names []string) (int, string) {
	if len(names) == 1 {
		return 1, names[0]
	}
	prefix, suffix, ok := commonAffixes(names[0], names[1])
	if !ok {
		return 1, names[0]
	}
	var all []numberRange
	n := 0
	for ; n < len(names); n++ {
		number, ok := numberBetween(names[n], prefix, suffix)
		if !ok {
			break
		}
		if n > 0 && all[len(all)-1].nextNumber() == number {
			all[len(all)-1].last = number
			continue
		}
		all = append(all, numberRange{number, number})
	}
	texts := make([]string, len(all))
	for i, s := range all {
		texts[i] = s.String()
	}
	return n, prefix + "[" + strings.Join(texts, ",") + "]" + suffix
}

// commonAffixes returns the text before and after the only number in which two names differ. ok is false if the names
// differ in more than one number, or in other text.
func commonAffixes(a, b string) (prefix, suffix string, ok bool) {
	as, bs := splitAtNumbers(a), splitAtNumbers(b)
	if len(as) != len(bs) {
		return "", "", false
	}
	at := -1
	for i := range as {
		if as[i] == bs[i] {
			continue
		}
		if at >= 0 || !isNumber(as[i]) || !isNumber(bs[i]) {
			return "", "", false
		}
		at = i
	}
	if at < 0 {
		return "", "", false
	}
	return strings.Join(as[:at], ""), strings.Join(as[at+1:], ""), true
}

// splitAtNumbers splits a name before and after each of its numbers: n12a becomes n, 12, a.
func splitAtNumbers(name string) (all []string) {
	for i, begin := 1, 0; i <= len(name); i++ {
		if i == len(name) || isDigit(name[i]) != isDigit(name[i-1]) {
			all = append(all, name[begin:i])
			begin = i
		}
	}
	return all
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isNumber reports whether a text consists of 1 to maxDigits digits.
func isNumber(text string) bool {
	return text != "" && len(text) <= maxDigits && strings.Trim(text, "0123456789") == ""
}

// numberBetween returns the number in a name between a prefix and a suffix.
func numberBetween(name, prefix, suffix string) (number string, ok bool) {
	number, before := strings.CutPrefix(name, prefix)
	number, behind := strings.CutSuffix(number, suffix)
	return number, before && behind && isNumber(number)
}

// numberRange is a range of numbers in a list, such as 0001-1000. Leading zeros give each number at least as many
// digits as first has.
type numberRange struct{ first, last string }

// nextNumber returns the number that follows the last number of the range.
func (s numberRange) nextNumber() string {
	n, _ := strconv.ParseUint(s.last, 10, 64) // it has at most maxDigits digits
	return s.formatNumber(n + 1)
}

// formatNumber formats a number with the leading zeros of the range.
func (s numberRange) formatNumber(n uint64) string { return fmt.Sprintf("%0*d", len(s.first), n) }

func (s numberRange) String() string {
	if s.first == s.last {
		return s.first
	}
	return s.first + "-" + s.last
}

// UnpackHosts returns the host names that a list stands for, in the order of the list. For an empty list, it returns no
// names.
func UnpackHosts(list string) ([]string, error) {
	var names []string
	for rest, more := list, list != ""; more; {
		var part string
		part, rest, more = cutFirstListItem(rest)
		var err error
		if names, err = appendListItem(names, part); err != nil {
			return nil, fmt.Errorf("list of hosts %.40q: %w", list, err)
		}
	}
	return names, nil
}

// cutFirstListItem cuts a list at its first comma outside of brackets. more is false if there is no comma outside of
// brackets.
func cutFirstListItem(list string) (part, rest string, more bool) {
	depth := 0
	for i := range len(list) {
		switch list[i] {
		case '[':
			depth++
		case ']':
			depth--
		case ',':
			if depth == 0 {
				return list[:i], list[i+1:], true
			}
		}
	}
	return list, "", false
}

// appendListItem appends to names all host names that a part of a list, such as n[1-3], stands for.
func appendListItem(names []string, part string) ([]string, error) {
	prefix, behind, bracket := strings.Cut(part, "[")
	if !bracket {
		if !CanPackHost(part) {
			return nil, fmt.Errorf("%q is no name of a host", part)
		}
		names = append(names, part)
		return names, checkNameCount(len(names))
	}
	numbers, suffix, closed := strings.Cut(behind, "]")
	if !closed || strings.ContainsAny(prefix+numbers+suffix, "[]") {
		return nil, fmt.Errorf("%.40q does not have one pair of brackets", part)
	}
	for text := range strings.SplitSeq(numbers, ",") {
		s, from, to, err := parseNumberRange(text)
		if err == nil {
			err = checkNameCount(len(names) + int(min(to-from, maxNames)) + 1)
		}
		if err != nil {
			return nil, err
		}
		for n := from; n <= to; n++ {
			names = append(names, prefix+s.formatNumber(n)+suffix)
		}
	}
	return names, nil
}

// parseNumberRange parses a number or a range of numbers in brackets.
func parseNumberRange(text string) (s numberRange, from, to uint64, err error) {
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	s = numberRange{first, last}
	from, errFrom := strconv.ParseUint(first, 10, 63)
	to, errTo := strconv.ParseUint(last, 10, 63)
	if errFrom != nil || errTo != nil || max(len(first), len(last)) > maxDigits || to < from ||
		s.formatNumber(to) != last {
		return numberRange{}, 0, 0, fmt.Errorf("%.40q is no number and no range of up to %d digits", text, maxDigits)
	}
	return s, from, to, nil
}

// checkNameCount returns an error if n names are too many for a list.
func checkNameCount(n int) error {
	if n > maxNames {
		return fmt.Errorf("more than %d names", maxNames)
	}
	return nil
}
