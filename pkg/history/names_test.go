package history_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

func TestTheTextsOfAComparisonNameItsSets(t *testing.T) {
	day := time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	a := measurement("a", day, 1, 1.1, 40)
	b := measurement("b", day, 2, 2.1)
	failed := a.Cases[0]
	failed.API, failed.Samples = "mpiio", a.Cases[0].Samples
	a.Cases = append(a.Cases, failed)
	b.Cases = append(b.Cases, result.Case{
		API: "mpiio", Processes: 4, Nodes: 1, TransferSize: 1 << 20, State: result.Failed,
	})
	text := func(names [2]string) string {
		c, err := history.Compare([]history.Record{{Path: "a.json", Document: a}},
			[]history.Record{{Path: "b.json", Document: b}}, history.CompareOptions{Names: names})
		if err != nil {
			t.Fatal(err)
		}
		all, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		return string(all)
	}
	capital := regexp.MustCompile(`\b(OLD|NEW)\b`)
	if got := text([2]string{"A", "B"}); capital.MatchString(got) || !strings.Contains(got, "A has too few values") ||
		!strings.Contains(got, `"reason":"B failed"`) {
		t.Errorf("of A and B: %s", got)
	}
	if got := text([2]string{}); !strings.Contains(got, "OLD has too few values") ||
		!strings.Contains(got, `"reason":"NEW failed"`) {
		t.Errorf("without names: %s", got)
	}
}
