package report

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// intervalFunc is a function that selects an interval of a sample, such as the time from file open to file close.
type intervalFunc func(result.Sample) result.Interval

func accessInterval(s result.Sample) result.Interval    { return s.Access }
func openCloseInterval(s result.Sample) result.Interval { return s.OpenClose }

// durableInterval returns the interval of a sample that includes syncing. It panics if the sample has no such interval.
func durableInterval(s result.Sample) result.Interval { return *s.AccessAndSync }

// classInterval returns a function that returns, for a sample, the interval of a class of steps.
func classInterval(class workload.StepClass) intervalFunc {
	return func(s result.Sample) result.Interval { return s.ClassInterval(class) }
}

// EndCase writes the results of a case. If the case has no results, one line with the reason replaces its result
// blocks. An error whose cause is already in the report is only counted.
func (t *CReport) EndCase(c result.Case) {
	if c.State != result.Complete && !c.IsPartial() {
		t.addWrappedText("            " + reasonOnce(&figures.Run{Document: t.doc}, c, &t.causes))
		t.flush()
		return
	}
	if t.doc.Parameters.Conditions.ReadOnly == "" {
		t.writeDirection(c, result.OperationWrite, "Write")
	}
	if !t.doc.Parameters.WriteOnly {
		t.writeDirection(c, result.OperationRead, "Read")
	}
	if t.doc.Parameters.Conditions.CountCalls {
		t.counted = append(t.counted, c)
	}
	if c.Verified {
		t.compared += figures.ComparedBytes(c.Samples) + figures.ComparedBytes(c.Warmup)
	}
	t.flush()
}

func (t *CReport) writeDirection(c result.Case, operation result.Operation, name string) {
	b := resultBlocks{CReport: t}
	for _, s := range c.Samples {
		if s.Operation == operation {
			b.samples = append(b.samples, s)
		}
	}
	if t.options.Raw {
		b.writeThroughput("Raw Data "+name, classInterval(workload.Transfer))
	}
	b.writeThroughput(name, accessInterval)
	synced := len(b.samples) > 0 &&
		!slices.ContainsFunc(b.samples, func(s result.Sample) bool { return s.AccessAndSync == nil })
	if synced {
		b.writeThroughput(name+" with sync", durableInterval)
	}
	b.writeThroughput(name+" Open-Close", openCloseInterval)
	if synced && t.options.Times {
		b.writeAccumulated(name+" Sync", classInterval(workload.Sync))
	}
	if !t.serial { // the serial C tool does not report how long it takes to open and close files
		b.writeFileTimes(name)
	}
	b.writeNotes(name, c)
	if synced {
		name += " with sync"
	}
	b.compareWithWindow(name, c)
}

// writeFileTimes writes how long it took to open and close files.
func (b resultBlocks) writeFileTimes(name string) {
	if b.options.Times {
		b.writeAccumulated(name+" File Open", classInterval(workload.FileOpen))
		b.writeAccumulated(name+" File Close", classInterval(workload.FileClose))
	}
	b.writeDetails(name+" file open", classInterval(workload.FileOpen))
	b.writeDetails(name+" file close", classInterval(workload.FileClose))
}

// reasonOnce does the same as incompleteCaseReason, but shortens an error whose cause is in causes, and says how often
// the cause has come so far. It adds the error to causes.
func reasonOnce(run *figures.Run, c result.Case, causes *figures.ErrorCauses) string {
	if c.Error != nil {
		if n := causes.Add(*c.Error); n > 1 {
			c.Reason = fmt.Sprintf("%s (as before, %d times so far)", figures.CauseText(c.Error.Message), n)
			c.Error = nil
		}
	}
	return incompleteCaseReason(run, c)
}

// incompleteCaseReason returns, in one line, why a case that is not complete has no results, or only some of them.
func incompleteCaseReason(run *figures.Run, c result.Case) string {
	word, text := string(c.State), c.Reason
	if c.State == result.Failed {
		word = "error"
	}
	if c.Error != nil {
		text = run.FailureInCReport(*c.Error)
	}
	return strings.TrimSuffix(word+": "+text, ": ")
}

// resultBlocks writes the result blocks of one direction of a case.
type resultBlocks struct {
	*CReport
	samples []result.Sample // one for each iteration
}

// writeThroughput writes three throughputs: of the fastest iteration, for the mean time of all iterations, and of the
// slowest iteration. The time of an iteration is the time of the slowest process.
func (b resultBlocks) writeThroughput(name string, of intervalFunc) {
	b.writeDetails(name, of)
	b.writeHeading(name)
	if len(b.samples) == 0 {
		return
	}
	fastest, slowest := b.samples[0], b.samples[0]
	var bytes, seconds float64
	for _, s := range b.samples {
		bytes, seconds = bytes+float64(s.Bytes), seconds+of(s).Max
		if isFaster(s, fastest, of) {
			fastest = s
		}
		if isFaster(slowest, s, of) {
			slowest = s
		}
	}
	n := float64(len(b.samples))
	for _, l := range []struct {
		name           string
		bytes, seconds float64
	}{
		{"Maximum", float64(fastest.Bytes), of(fastest).Max},
		{"Average", bytes / n, seconds / n},
		{"Minimum", float64(slowest.Bytes), of(slowest).Max},
	} {
		time := ""
		if b.options.Times {
			time = fmt.Sprintf(" (%7.3f s)", l.seconds)
		}
		b.addLine("                %s Throughput: %6s MB/s%s", l.name, formatThroughput(l.bytes, l.seconds), time)
	}
}

// isFaster reports whether a has a higher throughput than b. The numbers of bytes of a and b can differ only if there
// is a time limit.
func isFaster(a, b result.Sample, of intervalFunc) bool {
	return float64(a.Bytes)*of(b).Max > float64(b.Bytes)*of(a).Max
}

// formatThroughput formats a throughput in MB/s with two decimals, or with two significant digits if the decimals would
// be 0.00. It returns n/a if the time is below the resolution of the clock.
func formatThroughput(bytes, seconds float64) string {
	if seconds <= 0 {
		return "n/a"
	}
	rate := bytes / megabyte / seconds
	if rate < 0.005 {
		return fmt.Sprintf("%.2g", rate)
	}
	return fmt.Sprintf("%.2f", rate)
}

// writeAccumulated writes the shortest, the mean and the longest time of the iterations.
func (b resultBlocks) writeAccumulated(name string, of intervalFunc) {
	b.writeHeading(name)
	least, mean, most := b.minMeanMax(of)
	files := b.doc.Parameters.Files
	b.addLine("                Minimum Accumulated Time using %d file(s): %7.5f s", files, least)
	b.addLine("                Average Accumulated Time using %d file(s): %7.5f s", files, mean)
	b.addLine("                Maximum Accumulated Time using %d file(s): %7.5f s", files, most)
}

// writeDetails writes the times of the fastest and the slowest process in each iteration, at level 3 and above. They
// have six decimals. The C tool always writes two decimals, so it writes 0.00 for low throughputs.
func (b resultBlocks) writeDetails(name string, of intervalFunc) {
	if b.options.Level < levelDetails {
		return
	}
	b.addLine("            %s details:", name)
	for _, s := range b.samples {
		b.addLine("                Iteration %d:", s.Iteration)
		b.addLine("                    Minimum Time: %.6fs", of(s).Min)
		b.addLine("                    Maximum Time: %.6fs", of(s).Max)
	}
}

// writeHeading writes the heading of a block.
func (b resultBlocks) writeHeading(name string) {
	b.addLine("            %s (%d iteration(s)):", name, len(b.samples))
}

// minMeanMax returns the smallest, the mean and the largest time of the iterations, in seconds. Without samples, all
// are 0.
func (b resultBlocks) minMeanMax(of intervalFunc) (least, mean, most float64) {
	for i, s := range b.samples {
		seconds := of(s).Max
		if i == 0 || seconds < least {
			least = seconds
		}
		most = max(most, seconds)
		mean += seconds / float64(len(b.samples))
	}
	return least, mean, most
}
