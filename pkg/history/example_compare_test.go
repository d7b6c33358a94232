package history_test

import (
	"fmt"
	"time"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

// measurement returns the document of a run. Each of its samples wrote 1 GiB in one of the given times, in seconds.
func measurement(id string, started time.Time, seconds ...float64) result.Document {
	c := result.Case{API: "posix", Processes: 4, Nodes: 1, TransferSize: 1 << 20, State: result.Complete}
	for i, s := range seconds {
		c.Samples = append(c.Samples, result.Sample{
			Operation: "write", Iteration: i + 1, Started: started, Bytes: 1 << 30,
			Access: result.Interval{WindowSeconds: s, Max: s},
		})
	}
	return result.Document{
		SchemaVersion: result.Version, RunID: id, State: result.Complete, Started: started,
		Identity: result.Identity{Cluster: "alpha", Filesystem: "/scratch", Label: "example"},
		Cases:    []result.Case{c},
	}
}

// Compare a run with five earlier runs. Its writes take 10 % longer.
func ExampleCompare() {
	day := time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)
	var before []history.Record
	for i, seconds := range []float64{1.01, 0.99, 1.02, 1.00, 0.98} {
		doc := measurement(fmt.Sprint("before ", i), day.AddDate(0, 0, i), seconds, seconds)
		before = append(before, history.Record{Path: doc.RunID + ".json", Document: doc})
	}
	after := measurement("after", day.AddDate(0, 0, 5), 1.12, 1.09, 1.10, 1.13, 1.08, 1.11)

	c, err := history.Compare(before, []history.Record{{Path: "after.json", Document: after}}, history.CompareOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range c.Points {
		d := p.Difference
		fmt.Printf("%s %s with %d processes: %s\n", p.API, p.Operation, p.Processes, p.Verdict)
		fmt.Printf("new : old is %.2f, interval %.2f to %.2f, by %s\n", d.Ratio, *d.Low, *d.High, d.Test)
	}
	// Output:
	// posix write with 4 processes: worse
	// new : old is 0.90, interval 0.85 to 0.96, by t test of one run with others
}
