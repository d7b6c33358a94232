package result

import (
	"fmt"
	"strings"

	"h5perf/pkg/units"
)

// String describes the striping for people. It returns "" for nil.
func (s *Stripe) String() string {
	switch {
	case s == nil:
		return ""
	case s.Error != "":
		return "not known: " + s.Error
	case len(s.Components) == 0:
		return StripeComponent{0, 0, s.Count, s.SizeBytes, s.Pattern, s.StartIndex, s.Pool}.layoutText()
	}
	var parts []string
	for _, c := range s.Components {
		end := "the end"
		if c.EndBytes > 0 {
			end = units.FormatBytes(float64(c.EndBytes))
		}
		parts = append(parts, fmt.Sprintf("up to %s: %s", end, c.layoutText()))
	}
	return strings.Join(parts, "; ")
}

// layoutText describes the striping of one part of a file as a text for people.
func (c StripeComponent) layoutText() string {
	var words []string
	switch c.Count {
	case 0:
	case -1:
		words = append(words, "all targets")
	case 1:
		words = append(words, "1 target")
	default:
		words = append(words, fmt.Sprintf("%d targets", c.Count))
	}
	if c.SizeBytes > 0 {
		words = append(words, "stripes of "+units.FormatBytes(float64(c.SizeBytes)))
	}
	if c.Pattern != "" {
		words = append(words, c.Pattern)
	}
	if c.StartIndex != nil && *c.StartIndex >= 0 {
		words = append(words, fmt.Sprintf("from target %d", *c.StartIndex))
	}
	if c.Pool != "" {
		words = append(words, "pool "+c.Pool)
	}
	return strings.Join(words, ", ")
}
