package command_test

import (
	"regexp"
	"strings"
	"testing"

	"h5perf/cmd/h5perf/command"
	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

// arm returns the record of one of two configurations that were measured in turns, with these throughputs.
func arm(t *testing.T, name result.Arm, mode result.Mode, throughputs ...float64) history.Record {
	t.Helper()
	records, _, err := history.Load(stored(t, t.TempDir(), int(name[0]), throughputs...))
	if err != nil || len(records) != 1 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	r := records[0]
	r.RunID, r.Pair = string(name), &result.Pair{Arm: name, Partner: map[result.Arm]string{"A": "B", "B": "A"}[name]}
	r.Command = strings.Fields("h5perf ab -i 8 -- -A mpiio -- HDF5_PARAPREFIX=/b -A mpiio -C")
	r.Parameters.Mode = mode
	return r
}

func TestAComparisonOfTwoConfigurationsSpeaksOfAAndB(t *testing.T) {
	fast, slow := make([]float64, 8), make([]float64, 8)
	for i := range fast {
		fast[i] = 1e9 * (1 + float64(i)/1000)
		slow[i] = 0.88 * fast[i]
	}
	for verdict, throughputs := range map[string][2][]float64{
		"B is 12 % slower": {fast, slow}, "B is 13.6 % faster": {slow, fast}, "no difference shown": {fast, fast},
	} {
		a := arm(t, "A", "independent", throughputs[0]...)
		b := arm(t, "B", "collective", throughputs[1]...)
		text, err := command.Comparison([]history.Record{a, b})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			"A: -A mpiio; 1 run, ", "B: HDF5_PARAPREFIX=/b -A mpiio -C; 1 run, ",
			"differs: mode: independent in A, collective in B", "\n" + verdict + " ", "1 point: ",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		if other := regexp.MustCompile(`(?i)\b(OLD|NEW|better|worse)\b`).FindString(text); other != "" {
			t.Errorf("%q in\n%s", other, text)
		}
	}
}
