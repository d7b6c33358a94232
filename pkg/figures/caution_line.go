package figures

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"h5perf/pkg/option"
	"h5perf/pkg/plain"
)

// CautionKeywords returns the keywords of the cautions of the run, such as "not synced".
func (r *Run) CautionKeywords() []string { return keywordsOf(r.Cautions(r.Points())) }

// keywordsOf returns the keywords of cautions, each once. Cautions without a keyword are left out.
func keywordsOf(cautions []plain.Caution) (words []string) {
	for _, c := range cautions {
		if c.Keyword != "" && !slices.Contains(words, c.Keyword) {
			words = append(words, c.Keyword)
		}
	}
	return words
}

// CautionLine joins the keywords of cautions, and the remedies for them, to one line of at most most characters. If the
// line is too long, it drops remedies from the end. If the keywords alone are too long, it replaces the last ones with
// their number.
func (r *Run) CautionLine(cautions []plain.Caution, most int) string {
	words := keywordsOf(cautions)
	if len(words) == 0 {
		return ""
	}
	fits := func(text string) bool { return utf8.RuneCountInString(text) <= most }
	text := plain.CautionHead + strings.Join(words, ", ") + "."
	for n := len(words) - 1; n > 0 && !fits(text); n-- {
		text = fmt.Sprintf("%s%s, and %d more.", plain.CautionHead, strings.Join(words[:n], ", "), len(words)-n)
	}
	helps := r.RemediesFor(cautions)
	for n := len(helps); n > 0; n-- {
		if longer := text + " Use " + strings.Join(helps[:n], ", ") + "."; fits(longer) {
			return longer
		}
	}
	return text
}

// RemediesFor returns the remedies for cautions, each once. If more than two of the remedies are options that the
// preset standard sets, it returns the preset instead of them.
func (r *Run) RemediesFor(cautions []plain.Caution) []string {
	var helps, standard []string
	for _, c := range cautions {
		switch {
		case c.Help == "" || slices.Contains(helps, c.Help) || slices.Contains(standard, c.Help):
		case slices.Contains([]string{syncClose, coldOption, minSeconds, intervalRemedy, ratioIntervalRemedy}, c.Help):
			standard = append(standard, c.Help)
		default:
			helps = append(helps, c.Help)
		}
	}
	if len(standard) > 2 {
		standard = []string{"--preset " + string(option.PresetStandard)}
		helps = slices.DeleteFunc(helps, func(help string) bool { return help == randomOrder }) // it sets this, too
	}
	return append(standard, helps...)
}
