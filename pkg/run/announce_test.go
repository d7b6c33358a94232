package run

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/option"
	"h5perf/pkg/plain"
	"h5perf/pkg/plan"
	"h5perf/pkg/result"
	"h5perf/pkg/test/null"
	"h5perf/pkg/test/plaintest"
)

// said returns what rank 0 prints on standard error before the summary.
func (s *simulation) said() string {
	text, _, _ := strings.Cut(s.ranks[0].stderr.String(), ofSummary)
	return plaintest.Unwrap(text)
}

// large returns options of a run that moves at most 12 GiB, 1 MiB in each iteration.
func large() plan.Options {
	o := smallest()
	o.BytesPerProcess, o.Iterations = new(uint64(512<<10)), new(1)
	o.MinProcesses = new(2)
	o.RepeatUntil, o.MaxIterations = new(0.99), new(6*1024)
	return o
}

func TestARunSaysWhatItWillDo(t *testing.T) {
	const line = "h5perf: Note: 1 case: writes 128 KiB, reads 128 KiB\n"
	for name, c := range map[string]struct {
		change func(r *Request, s *simulation)
		want   string
	}{
		"by default":       {func(*Request, *simulation) {}, line},
		"without lines":    {func(r *Request, _ *simulation) { r.Progress = new(time.Duration) }, ""},
		"on a terminal":    {func(_ *Request, s *simulation) { s.terminal = true }, ""},
		"quiet":            {func(r *Request, _ *simulation) { r.Quiet = true }, ""},
		"with other lines": {func(r *Request, _ *simulation) { r.Progress = new(time.Hour) }, line},
		"before a deadline": {
			func(r *Request, _ *simulation) { r.Deadline.In = time.Hour },
			": writes at most 128 KiB, reads at most 128 KiB, takes at most 60 min\n",
		},
		"as an earlier run": {
			func(r *Request, _ *simulation) {
				r.RerunOf = &result.Document{RunID: "x", Cases: []result.Case{{
					API: result.POSIX, State: result.Complete, Processes: 1, Samples: []result.Sample{
						{Operation: result.OperationWrite, Bytes: 64 << 10, Access: result.Interval{WindowSeconds: 60}},
						{Operation: result.OperationRead, Bytes: 64 << 10, Access: result.Interval{WindowSeconds: 30}},
					},
				}}}
			}, "reads 128 KiB, takes about 3 min\n",
		},
	} {
		s := newSimulation(t, 2)
		s.plan = func(_ int, at plan.JobFacts) (plan.Plan, error) {
			o := smallest()
			o.MinProcesses = new(2)
			return plan.New(o, at)
		}
		c.change(&s.arms[0], s)
		s.run()
		s.statuses(result.ExitOK)
		if said := s.said(); !strings.HasSuffix(said, c.want) || c.want == "" && said != "" {
			t.Errorf("%s: rank 0 says %q, want %q", name, said, c.want)
		}
	}
}

func TestALargeRunIsAlwaysAnnounced(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *Request, s *simulation)
		want   bool
	}{
		"by default":    {func(*Request, *simulation) {}, true},
		"without lines": {func(r *Request, _ *simulation) { r.Progress = new(time.Duration) }, true},
		"on a terminal": {func(_ *Request, s *simulation) { s.terminal = true }, true},
		"quiet":         {func(r *Request, _ *simulation) { r.Quiet = true }, false},
	} {
		s := newSimulation(t, 2)
		s.plan = func(_ int, at plan.JobFacts) (plan.Plan, error) {
			at.Target, at.TargetType, at.FreeBytes = "/scratch", "lustre", 5<<30
			return plan.New(large(), at)
		}
		s.fails = func(*process, int, null.Step) error { return errTest } // the run need not move all its data
		c.change(&s.arms[0], s)
		s.run()
		s.statuses(result.ExitFailed)
		const want = "h5perf: Note: 1 case: writes 1 MiB to 6 GiB, reads 1 MiB to 6 GiB, needs 1 MiB of disk space ("
		if said := s.said(); strings.Contains(said, want) != c.want ||
			strings.Contains(said, "; how long it takes is not known; see h5perf plan --assume\n") != c.want {
			t.Errorf("%s: rank 0 says %q, want %q", name, said, want)
		}
	}
}

func TestErrorsOfOneCauseAreToldOnceWithTheirNumber(t *testing.T) {
	s := newSimulation(t, 2)
	s.plan = func(_ int, at plan.JobFacts) (plan.Plan, error) {
		o := smallest()
		o.MinProcesses, o.MaxTransferSize = new(2), new(uint64(64<<10))
		return plan.New(o, at)
	}
	s.fails = func(*process, int, null.Step) error { return errTest }
	s.run()
	s.statuses(result.ExitFailed)
	n := len(s.document(s.json, result.Failed, result.ExitFailed).Cases)
	again := fmt.Sprintf("\nh5perf: %d cases failed like this: prepare : as the test asked\n", n)
	said := s.said()
	if n < 2 || strings.Count(said, "as the test asked") != 2 || !strings.Contains(said, again) ||
		!strings.Contains(said, "write, prepare: rank 0 and 1 more (vm): prepare : as the test asked\n") {
		t.Errorf("%d cases: rank 0 says %q, want %q", n, said, again)
	}
}

func TestAQuietRunSaysOnlyWhatChangesFigures(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		s, _ := pair(t)
		s.cpus = "7"
		for i := range s.arms {
			s.arms[i].Quiet = quiet
		}
		s.plan = func(_ int, at plan.JobFacts) (plan.Plan, error) {
			o := smallest()
			o.Keep, o.Order = true, option.OrderRandom
			o.MaxTransferSize = new(uint64(1 << 30)) // the plan lowers it
			p, err := plan.New(o, at)
			p.Cautions = append(p.Cautions, plain.Caution{Text: "The test says so."})
			return p, err
		}
		s.run()
		s.statuses(result.ExitOK)
		said := s.said()
		for _, caution := range []string{"processes share processors", "The test says so."} {
			if strings.Count(said, caution) != 2 {
				t.Errorf("quiet %t: not twice %q in %q", quiet, caution, said)
			}
		}
		for _, note := range []string{
			"-X 1G is larger", "Data files are kept in", "A: 6 cases: ", "B: 6 cases: ",
		} {
			if strings.Contains(said, note) == quiet {
				t.Errorf("quiet %t: %q in %q", quiet, note, said)
			}
		}
		doc := s.document(s.json, result.Complete, result.ExitOK)
		if !strings.Contains(strings.Join(doc.Notes, "\n"), "Data files are kept in") {
			t.Errorf("quiet %t: notes %q", quiet, doc.Notes)
		}
		kept, _ := filepath.Glob(filepath.Join(s.base, "*"))
		if len(kept) != 2 {
			t.Errorf("kept %q", kept)
		}
	}
}

// A quiet comparison of arms prints a caution if it cannot show a difference.
func TestAQuietComparisonHasACautionAboutTooFewIterations(t *testing.T) {
	for _, c := range []struct {
		iterations      int
		quiet, cautions bool
		says            int // how often the output mentions iterations
	}{{2, false, true, 1}, {2, true, true, 1}, {20, false, false, 1}, {20, true, false, 0}} {
		s, _ := pair(t)
		for i := range s.arms {
			s.arms[i].Quiet = c.quiet
		}
		s.plan = func(_ int, at plan.JobFacts) (plan.Plan, error) {
			o := smallest()
			o.Iterations, o.Order = new(c.iterations), option.OrderRandom
			return plan.New(o, at)
		}
		s.run()
		s.statuses(result.ExitOK)
		said := s.said()
		if strings.Count(said, "iterations each") != c.says ||
			strings.Contains(said, "h5perf: Caution: To show a difference") != c.cautions {
			t.Errorf("%+v: %q", c, said)
		}
	}
}

func TestTheProgressOfARunReachesItsEnd(t *testing.T) {
	s, _ := pair(t)
	var out bytes.Buffer
	var bar *ProgressBar
	s.bar = func(r ProgressSetup) *ProgressBar {
		if len(r.Arms) != 2 || r.Arms[1].Name != "B" || r.InOrder ||
			r.Interval != (LineInterval{time.Hour, time.Hour}) {
			t.Errorf("%+v", r)
		}
		bar = NewProgressBar(r, nil, &out)
		return bar
	}
	s.arms[0].Progress = new(time.Hour)
	s.run()
	s.statuses(result.ExitOK)
	bar.Show()
	if text := out.String(); !strings.HasPrefix(text, "h5perf: iteration 4 of 4, 100 % done, about 0 s left, ") {
		t.Errorf("%q", text)
	}
}
