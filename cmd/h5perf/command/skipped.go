package command

import (
	"fmt"

	"h5perf/pkg/history"
)

// maxSkipped is how many skipped files are named.
const maxSkipped = 10

// printSkipped writes a line to Stderr for each skipped file. If there are many, it names the first ones and counts the
// others.
func printSkipped(env Env, all []history.SkippedFile) {
	for i, s := range all {
		if i == maxSkipped {
			env.printDiagnostic(fmt.Sprintf("skipped: %d more files", len(all)-i))
			return
		}
		env.printDiagnostic("skipped: " + s.Reason)
	}
}
