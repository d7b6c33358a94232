package command

import "h5perf/pkg/history"

// maxSkipped is how many skipped files are named.
const maxSkipped = 10

// printSkipped writes a line to Stderr for each skipped file. If there are many, it names the first ones and counts the
// others.
func printSkipped(env Env, all []history.SkippedFile) {
	for i, s := range all {
		if i == maxSkipped {
			env.printDiagnostic("%d more files are skipped", len(all)-i)
			return
		}
		env.printDiagnostic("skipped: %s", s.Reason)
	}
}
