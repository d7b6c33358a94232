package usage_test

import (
	"errors"
	"testing"

	"h5perf/pkg/usage"
)

func TestOneOfSomeWords(t *testing.T) {
	type colour string
	for _, c := range []struct{ given, want, refused colour }{
		{"", "red", ""},
		{"blue", "blue", ""},
		{"Red", "", `--colour "Red": must be one of red, blue; did you mean "red"?`},
		{"green", "", `--colour "green": must be one of red, blue`},
	} {
		got, err := usage.ValidOrDefault("--colour", c.given, "red", "blue")
		if got != c.want || (err == nil) != (c.refused == "") {
			t.Errorf("%q: %q, %v", c.given, got, err)
		}
		if _, is := errors.AsType[*usage.Error](err); err != nil && (!is || err.Error() != string(c.refused)) {
			t.Errorf("%q: %v, want a usage error: %s", c.given, err, c.refused)
		}
	}
}
