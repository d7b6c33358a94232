package history_test

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"h5perf/pkg/history"
	"h5perf/pkg/result"
)

// writeTree writes the documents of one run per day to a tree of results. From index 20 on, writes take 10 % longer.
func writeTree(dir string) error {
	for day := range 30 {
		seconds := 1 + 0.01*float64(day*3%7)
		if day >= 20 {
			seconds *= 1.1
		}
		started := time.Date(2026, 3, 1+day, 3, 0, 0, 0, time.UTC)
		doc := measurement(fmt.Sprintf("%s-run", started.Format("20060102")), started, seconds, seconds, seconds)
		path := history.DocumentPath(dir, doc)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := result.Write(path, doc); err != nil {
			return err
		}
	}
	return nil
}

// Find the day on which a file system became slower, in a tree of documents.
func ExampleFindTrend() {
	dir, err := os.MkdirTemp("", "results")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := writeTree(dir); err != nil {
		fmt.Println(err)
		return
	}

	trend, err := history.FindTrend(history.TrendOptions{}, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range trend.Series {
		fmt.Printf("%s %s on %s: %d runs, %s\n", s.API, s.Operation, s.Identity.Filesystem, len(s.Runs), s.Verdict)
		for _, c := range s.ChangePoints {
			fmt.Printf("since %s: %.2f times as fast as before\n", c.Since.Format(time.DateOnly), c.Ratio)
		}
	}
	// Output:
	// posix write on /scratch: 30 runs, worse
	// since 2026-03-21: 0.91 times as fast as before
}
