package report

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
	"h5perf/pkg/workload"
)

// interval returns one of the intervals of a sample.
type interval func(result.Sample) result.Interval

func access(s result.Sample) result.Interval    { return s.Access }
func openClose(s result.Sample) result.Interval { return s.OpenClose }

// durable needs samples that were synced.
func durable(s result.Sample) result.Interval { return *s.Durable }

// timeOf returns the interval of a class.
func timeOf(class workload.Class) interval {
	return func(s result.Sample) result.Interval { return s.Time(class) }
}

// End writes the results of a case. For a case without figures, a line with the reason takes the place of each result
// block.
func (t *Text) End(c result.Case) {
	if t.doc.Parameters.Conditions.ReadOnly == "" {
		t.direction(c, result.OperationWrite, "Write")
	}
	if !t.doc.Parameters.WriteOnly {
		t.direction(c, result.OperationRead, "Read")
	}
	if c.Verified {
		t.compared += figures.Compared(c.Samples) + figures.Compared(c.Warmup)
	}
	t.flush()
}

func (t *Text) direction(c result.Case, operation result.Operation, name string) {
	b := blocks{Text: t}
	if c.State != result.Complete && !c.Partial() {
		b.reason = t.reason(c)
	}
	for _, s := range c.Samples {
		if s.Operation == operation {
			b.samples = append(b.samples, s)
		}
	}
	if t.options.Raw {
		b.throughput("Raw Data "+name, timeOf(workload.Transfer))
	}
	b.throughput(name, access)
	synced := len(b.samples) > 0 &&
		!slices.ContainsFunc(b.samples, func(s result.Sample) bool { return s.Durable == nil })
	if synced {
		b.throughput(name+" with sync", durable)
	}
	b.throughput(name+" Open-Close", openClose)
	if synced && t.options.Times {
		b.accumulated(name+" Sync", timeOf(workload.Sync))
	}
	if !t.serial { // the serial C tool does not report opening and closing of files
		b.ends(name)
	}
	b.told(name, c)
	if synced {
		name += " with sync"
	}
	b.compare(name, c)
}

// ends writes the times of opening and closing files.
func (b blocks) ends(name string) {
	if b.options.Times {
		b.accumulated(name+" File Open", timeOf(workload.FileOpen))
		b.accumulated(name+" File Close", timeOf(workload.FileClose))
	}
	b.details(name+" file open", timeOf(workload.FileOpen))
	b.details(name+" file close", timeOf(workload.FileClose))
}

// reason returns, in one line, why a case has no figures, or partial ones.
func (t *Text) reason(c result.Case) string { return reason(&figures.Run{Document: t.doc}, c) }

// reason returns, in one line, why a case of a run that is not complete has no figures, or partial ones.
func reason(run *figures.Run, c result.Case) string {
	word, text := string(c.State), c.Reason
	if c.State == result.Failed {
		word = "error"
	}
	if c.Error != nil {
		text = run.FailureInReport(*c.Error)
	}
	return strings.TrimSuffix(word+": "+text, ": ")
}

// blocks writes the result blocks of one direction of a case.
type blocks struct {
	*Text
	samples []result.Sample // one for each iteration
	reason  string          // why there are no figures; "" if there are
}

// throughput writes the throughput of the fastest iteration, of the mean time, and of the slowest iteration. The time
// of an iteration is that of its slowest process.
func (b blocks) throughput(name string, of interval) {
	b.details(name, of)
	if !b.heading(name) || len(b.samples) == 0 {
		return
	}
	fastest, slowest := b.samples[0], b.samples[0]
	var bytes, seconds float64
	for _, s := range b.samples {
		bytes, seconds = bytes+float64(s.Bytes), seconds+of(s).Max
		if faster(s, fastest, of) {
			fastest = s
		}
		if faster(slowest, s, of) {
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
		b.line("                %s Throughput: %6s MB/s%s", l.name, throughput(l.bytes, l.seconds), time)
	}
}

// faster reports whether a has more throughput than b. Their bytes differ only with a time limit.
func faster(a, b result.Sample, of interval) bool {
	return float64(a.Bytes)*of(b).Max > float64(b.Bytes)*of(a).Max
}

// throughput returns MB per second with two decimals, or with two significant digits if two decimals would be 0.00. It
// returns n/a if the time is below the resolution of the clock.
func throughput(bytes, seconds float64) string {
	if seconds <= 0 {
		return "n/a"
	}
	rate := bytes / megabyte / seconds
	if rate < 0.005 {
		return fmt.Sprintf("%.2g", rate)
	}
	return fmt.Sprintf("%.2f", rate)
}

// accumulated writes the time of the fastest iteration, the mean time, and the time of the slowest iteration.
func (b blocks) accumulated(name string, of interval) {
	if !b.heading(name) {
		return
	}
	least, mean, most := b.times(of)
	files := b.doc.Parameters.Files
	b.line("                Minimum Accumulated Time using %d file(s): %7.5f s", files, least)
	b.line("                Average Accumulated Time using %d file(s): %7.5f s", files, mean)
	b.line("                Maximum Accumulated Time using %d file(s): %7.5f s", files, most)
}

// details writes the times of the fastest and the slowest process in each iteration, at level 3 and above. They have
// microseconds. The C tool has two decimals, which are 0.00 in most runs.
func (b blocks) details(name string, of interval) {
	if b.options.Level < details || b.reason != "" {
		return
	}
	b.line("            %s details:", name)
	for _, s := range b.samples {
		b.line("                Iteration %d:", s.Iteration)
		b.line("                    Minimum Time: %.6fs", of(s).Min)
		b.line("                    Maximum Time: %.6fs", of(s).Max)
	}
}

// heading writes the heading of a block and reports whether figures follow. If there are none, it writes the reason
// in place of the block.
func (b blocks) heading(name string) bool {
	if b.reason != "" {
		b.line("            %s", b.reason)
		return false
	}
	b.line("            %s (%d iteration(s)):", name, len(b.samples))
	return true
}

// times returns the smallest, the mean and the largest time of the iterations, in seconds. Without samples all are 0.
func (b blocks) times(of interval) (least, mean, most float64) {
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
