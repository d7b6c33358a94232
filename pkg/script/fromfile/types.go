package fromfile

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"go.starlark.net/syntax"

	"h5perf/pkg/workload"
)

// quotedText formats a string as a literal of a script.
func quotedText(text string) string { return syntax.Quote(text, false) }

// tupleText formats an extent as a tuple of a script.
func tupleText(extent []uint64) string {
	var all []string
	for _, n := range extent {
		if n == workload.Unlimited {
			all = append(all, "None")
			continue
		}
		all = append(all, strconv.FormatUint(n, 10))
	}
	if len(all) == 1 {
		return "(" + all[0] + ",)"
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// typeText formats a type as an expression of a script.
func typeText(t workload.Type) string {
	if len(t.Array) > 0 {
		of := t
		of.Array = nil
		return fmt.Sprintf("array(%s, %s)", typeText(of), tupleText(t.Array))
	}
	if len(t.Words) > 0 {
		var words []string
		for _, w := range t.Words {
			words = append(words, fmt.Sprintf("%s: %d", quotedText(w.Name), w.Value))
		}
		of := t
		of.Words = nil
		return fmt.Sprintf("enum({%s}, %s)", strings.Join(words, ", "), typeText(of))
	}
	switch t.Class {
	case workload.Text:
		of := map[workload.Padding]string{
			workload.ZeroPadding: "zeros", workload.NullTerminated: "terminated", workload.SpacePadding: "spaces",
		}[t.Padding]
		padding := ""
		if t.Padding != map[bool]workload.Padding{true: workload.NullTerminated}[t.Variable] {
			padding = fmt.Sprintf(", padding = %q", of)
		}
		if t.UTF8 {
			padding += ", utf8 = True"
		}
		if t.Variable {
			return fmt.Sprintf("string(mean = %d%s)", t.Size, padding)
		}
		if padding != "" {
			return fmt.Sprintf("text(%d%s)", t.Size, padding)
		}
	case workload.Opaque:
		if t.Tag != "" {
			return fmt.Sprintf("opaque(%d, tag = %s)", t.Size, quotedText(t.Tag))
		}
	case workload.BitField:
		if t.BigEndian {
			return fmt.Sprintf("bits(%d, big_endian = True)", 8*t.Size)
		}
		return fmt.Sprintf("bits(%d)", 8*t.Size)
	case workload.Compound:
		return compoundText(t)
	case workload.Sequence:
		of := t.Members[0].Type
		return fmt.Sprintf("vlen(%s, mean = %d)", typeText(of), t.Size/of.Bytes())
	}
	letter := map[workload.TypeClass]string{
		workload.Unsigned: "u", workload.Signed: "i", workload.Float: "f", workload.Text: "S", workload.Opaque: "V",
	}[t.Class]
	if t.BigEndian {
		letter = ">" + letter
	}
	return quotedText(letter + strconv.FormatUint(t.Size, 10))
}

// compoundText formats a compound type as an expression of a script.
func compoundText(t workload.Type) string {
	var members []string
	var offsets []uint64
	end, gaps := uint64(0), false
	for _, m := range t.Members {
		end += m.Gap
		members = append(members, fmt.Sprintf("(%s, %s)", quotedText(m.Name), typeText(m.Type)))
		offsets, gaps = append(offsets, end), gaps || m.Gap > 0
		end += m.Type.Bytes()
	}
	text := "[" + strings.Join(members, ", ") + "]"
	if gaps {
		text += ", offsets = " + tupleText(offsets)
	}
	if t.Size > end {
		text += fmt.Sprintf(", size = %d", t.Size)
	}
	return "compound(" + text + ")"
}

// fillValueText formats an element of a file as an expression of a script: a number, or else its bytes.
func fillValueText(t workload.Type, element []byte) string {
	if element == nil {
		return ""
	}
	if t.Class != workload.Float && t.Class != workload.Compound && t.Size <= 8 && t.Array == nil {
		if v := t.IntegerOf(element); bytes.Equal(t.IntegerBytes(v), element) {
			return strconv.FormatInt(v, 10)
		}
	}
	if t.Class == workload.Float && (t.Size == 4 || t.Size == 8) && t.Array == nil {
		v := t.RealOf(element)
		if bytes.Equal(t.RealBytes(v), element) && !math.IsNaN(v) && !math.IsInf(v, 0) {
			return syntaxFloat(v)
		}
	}
	var text strings.Builder
	for _, b := range element {
		fmt.Fprintf(&text, "\\x%02x", b)
	}
	return "b\"" + text.String() + "\""
}

// syntaxFloat formats a finite number so that it is one with a fraction in a script.
func syntaxFloat(v float64) string {
	text := strconv.FormatFloat(v, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}
