package command

import "h5perf/pkg/history"

// mostSkipped is how many skipped files are named.
const mostSkipped = 10

// tellSkipped writes a line for each file that was skipped to Stderr. Of many, it names some and counts the others.
func tellSkipped(env Env, all []history.Skipped) {
	for i, s := range all {
		if i == mostSkipped {
			env.warn("%d more files are skipped", len(all)-i)
			return
		}
		env.warn("skipped: %s", s.Reason)
	}
}
