//go:build cgo

package main

import (
	"fmt"

	"h5perf/cmd/h5perf/command"
	"h5perf/pkg/history"
)

// compare compares the two arms of the run on standard output.
func (j *job) compare() error {
	records := make([]history.Record, len(j.arms))
	for i, a := range j.arms {
		records[i] = history.Record{Path: "run " + a.draft.RunID, Document: a.draft}
	}
	text, err := command.Comparison(records[:1], records[1:])
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(j.stdout, text)
	return err
}
