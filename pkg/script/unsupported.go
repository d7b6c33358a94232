package script

import (
	"regexp"

	"go.starlark.net/syntax"
)

// unsupportedFeatures lists features of Python and h5py that scripts do not have. Each refused matches the error
// message of the interpreter, a line feed, and the line of the script. The advice says what to write instead.
var unsupportedFeatures = []struct {
	refused *regexp.Regexp
	advice  string
}{
	{
		regexp.MustCompile(`^got (import|from), `),
		"there is no import: all that a script can call is there already, such as job.create(name) and block()",
	},
	{
		regexp.MustCompile(`^got with, .*\n.*\bcollective\b`),
		"there is no with: write d.write(part, collective = True), where part is a rule such as block()",
	},
	{
		regexp.MustCompile(`^got with, `),
		"there is no with: write f = job.create(name) or f = job.open(name), and f.close() at the end",
	},
	{
		regexp.MustCompile(`does not support while loops`),
		"there is no while: write for i in range(n), and leave it with break",
	},
	{
		regexp.MustCompile(`^got class, `),
		"there are no classes: write functions, lists and dictionaries",
	},
	{
		regexp.MustCompile(`^got (try|except|finally), `),
		"there is no try: an error ends the script; write an if before what may fail",
	},
	{
		regexp.MustCompile(`^got raise, |^got identifier, want newline\n\s*assert\b`),
		"there are no exceptions: write fail(text), after an if",
	},
	{
		regexp.MustCompile(`^got del, `),
		`there is no del: write f.unlink("x") for del f["x"]`,
	},
	{
		regexp.MustCompile(`^got (global|nonlocal), `),
		"variables of the top level are not changed by functions: let the function return a value",
	},
	{
		regexp.MustCompile(`^got is, `),
		"there is no is: write == or !=",
	},
	{
		regexp.MustCompile(`^got '\*\*', `),
		"there is no power: write a product, or 1 << n for a power of 2",
	},
	{
		regexp.MustCompile(`^got string literal, .*\n.*\b[fF]["']`),
		`there are no f-strings: write "name%d" % n`,
	},
	{
		regexp.MustCompile(`^got '\.', .*\n.*\[ *\.\.\.`),
		"there is no [...]: " + transferAdvice,
	},
	{
		regexp.MustCompile(`^undefined: h5py\b`),
		"there is no h5py: write job.create(name), or job.open(name) for a file that is there; types are texts such " +
			`as "f8"`,
	},
	{
		regexp.MustCompile(`^undefined: (np|numpy)\b`),
		"there is no numpy: values are made by h5perf, so that only parts and types are given, such as block() and " +
			`"f8"`,
	},
	{
		regexp.MustCompile(`^undefined: (MPI|comm)\b`),
		"there is no MPI: write job.rank, job.ranks, job.fence() or dims_create(job.ranks, 3)",
	},
}

// transferAdvice is the advice for a script that transfers data with an index or a slice, as in h5py.
const transferAdvice = "write d.write(part) or d.read(part), where part is a rule such as block(), or a list of " +
	"hyperslabs"

// adviceOrText returns the advice for a Python or h5py feature that scripts do not have, if the error message text and
// the line of the script match an entry of unsupportedFeatures. Otherwise it returns text.
func (s scriptSource) adviceOrText(at syntax.Position, text string) string {
	for _, h := range unsupportedFeatures {
		if h.refused.MatchString(text + "\n" + s.textOfLine(int(at.Line))) {
			return h.advice
		}
	}
	return text
}
