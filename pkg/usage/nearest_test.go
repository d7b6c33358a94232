package usage_test

import (
	"testing"

	"h5perf/pkg/usage"
)

func TestTheNearestWord(t *testing.T) {
	known := []string{
		"report", "rerun", "reference", "compare", "ab", "--sync", "--data", "--seed", "-x", "-X",
		"--num-iterations", "--version", "--io-hint",
	}
	for given, want := range map[string]string{
		"reprt": "report", "rpeort": "report", "Report": "report", "reports": "report", "rep": "report",
		"compaer": "compare", "comp": "compare", "AB": "ab",
		"--sycn": "--sync", "--sinc": "--sync", "--see": "--seed", "--date": "--data",
		"--itrations": "--num-iterations", "--iterations": "--num-iterations", "version": "--version",
		"vresion": "--version", "--io": "", "-n": "", "ion": "", "--hnt": "--io-hint",
		"": "", "re": "", "help": "", "--pin": "", "--x": "", "-y": "", "xx": "", "ba": "",
	} {
		if got := usage.NearestWord(given, known); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
	if got := usage.DidYouMean("reprt", known) + usage.DidYouMean("stray", known); got != `; did you mean "report"?` {
		t.Errorf("%s", got)
	}
}
