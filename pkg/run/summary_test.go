package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/option"
	"h5perf/pkg/plan"
	"h5perf/pkg/report"
	"h5perf/pkg/result"
	"h5perf/pkg/test/null"
)

const (
	ofC       = "Maximum Throughput" // part of the text in the form of the C tool
	ofSummary = "Summary of run "
)

func last(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return lines[len(lines)-1]
}

func TestWhatARunPrintsOfItsResults(t *testing.T) {
	for form, want := range map[report.Form]struct{ stdout, stderr string }{
		"":                 {ofC, ofSummary},
		report.FormC:       {ofC, ofSummary},
		report.FormSummary: {ofSummary, ""},
		report.FormNone:    {"", ""},
	} {
		s := newSimulation(t, 2)
		s.arms[0].Form, s.arms[0].Command = form, []string{"bin/h5perf_serial", "-i", "1"}
		s.arms[0].Progress = new(time.Duration)
		s.run()
		s.statuses(result.ExitOK)
		for _, p := range s.ranks {
			stdout, stderr := p.stdout.String(), p.stderr.String()
			if p.rank > 0 {
				want.stdout, want.stderr = "", ""
			}
			for _, has := range []struct{ text, want string }{{stdout, want.stdout}, {stderr, want.stderr}} {
				if (has.text == "") != (has.want == "") || strings.Contains(has.text, ofC) != (has.want == ofC) ||
					strings.Contains(has.text, ofSummary) != (has.want == ofSummary) ||
					has.want == ofSummary && last(has.text) != "Next: bin/h5perf report "+s.json {
					t.Errorf("--report %q: rank %d says %q, want %q", form, p.rank, has.text, has.want)
				}
			}
		}
		s.clean()
	}
}

func TestTheReportInAFileAndTheSummary(t *testing.T) {
	s := newSimulation(t, 1)
	s.arms[0].Form, s.arms[0].Output = report.FormSummary, filepath.Join(t.TempDir(), "report.txt")
	s.run()
	s.statuses(result.ExitOK)
	if text := s.ranks[0].stdout.String(); !strings.HasPrefix(text, ofSummary) {
		t.Errorf("standard output is %q", text)
	}
	if text := read(t, s.arms[0].Output); !strings.Contains(text, ofC) || strings.Contains(text, ofSummary) {
		t.Errorf("the file is %q", text)
	}
}

func TestTheNextCommandOfARunWithoutAFile(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, c := range []struct{ json, want string }{
		{"", "Next: the same command with --json FILE, then h5perf report FILE"},
		{"-", "Next: h5perf report FILE, where FILE has the standard output of this run"},
	} {
		s := newSimulation(t, 1)
		s.arms[0].JSON = c.json
		s.run()
		if said := last(s.ranks[0].stderr.String()); said != c.want {
			t.Errorf("--json %q: %q, want %q", c.json, said, c.want)
		}
	}
}

func TestTheNextCommandNamesTheDocumentThatCouldNotBePrinted(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := newSimulation(t, 1)
	s.arms[0].JSON = "-"
	s.interject = func(p *process, _ string) error {
		p.stdout.fail = errTest
		return nil
	}
	s.run()
	if said := last(s.ranks[0].stderr.String()); !strings.HasPrefix(said,
		"Next: h5perf report "+os.TempDir()+"/h5perf-") {
		t.Errorf("%q", said)
	}
}

func TestTheNextCommandCanBeCopied(t *testing.T) {
	for _, c := range []struct{ program, json, want string }{
		{"h5perf", "-x.json", "h5perf report ./-x.json"},
		{"h5perf", "a\x1b.json", "h5perf report FILE, where FILE is the document of this run"},
		{"h5perf", "a\xff.json", "h5perf report FILE, where FILE is the document of this run"},
		{"./foo_serial", "x.json", "./foo_serial report x.json"},
		{"/opt/h5perf_serial", "x.json", "/opt/h5perf report x.json"},
	} {
		o := &armOutput{request: Request{Command: []string{c.program}}, recorder: NewRecorder(result.Document{},
			time.Now)}
		o.recorder.SetPaths(c.json)
		if next := o.nextCommand(result.Document{}); next != c.want {
			t.Errorf("%q %q: %q, want %q", c.program, c.json, next, c.want)
		}
	}
}

// Three ends: a case fails, a signal comes, and a goroutine other than the measuring one ends the job. The summary
// names the cause once.
func TestTheSummaryOfARunThatFails(t *testing.T) {
	for name, end := range map[string]func(p *process) error{
		"Failed": func(*process) error { return errTest },
		"Interrupted": func(p *process) error {
			p.kill()
			return nil
		},
		"Interrupted: the job is ended": func(p *process) error {
			p.kill()
			p.hang()
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, form := range []report.Form{report.FormC, report.FormSummary} {
				s := newSimulation(t, 1)
				s.arms[0].Form, s.impatient = form, true
				s.fails = func(p *process, _ int, step null.Step) error {
					if at(step) {
						return end(p)
					}
					return nil
				}
				s.run()
				word, _, _ := strings.Cut(name, ": ")
				text := s.ranks[0].stdout.String()
				if form == report.FormC {
					text = s.ranks[0].stderr.String()
				}
				if strings.Count(text, ofSummary) != 1 || strings.Count(text, "\n"+word+": POSIX, 1 process, ") != 1 ||
					strings.Count(text, "\nNext: h5perf report "+s.json+"\n") != 1 {
					t.Errorf("%s: %q", form, text)
				}
				s.clean()
			}
		})
	}
}

// In the given order, the second case does not begin. In random order, both cases begin.
func TestTheSummaryOfAnInterruptedRunNamesTheCaseAtWork(t *testing.T) {
	for _, c := range []struct {
		order option.CaseOrder
		api   string
		want  string
	}{
		{option.OrderGiven, result.POSIX, "Interrupted: 2 of 2 cases, first POSIX, 1 process, "},
		{option.OrderRandom, result.MPIIO, "Interrupted: 2 of 2 cases, "},
	} {
		s := newSimulation(t, 1)
		s.plan = func(_ int, where plan.JobFacts) (plan.Plan, error) {
			o := smallest()
			o.APIs, o.Order = []string{result.POSIX, result.MPIIO}, c.order
			o.Iterations = new(3) // so that POSIX has not ended when MPI-IO is stopped in its second iteration
			return plan.New(o, where)
		}
		begun := map[string]bool{}
		s.fails = func(p *process, _ int, step null.Step) error {
			if !at(step) {
				return nil
			}
			api := filepath.Ext(step.Path)
			if api == result.APIOf(c.api).Suffix && (c.order == option.OrderGiven || len(begun) == 2) {
				p.kill()
			}
			begun[api] = true
			return nil
		}
		s.run()
		doc := s.document(s.json, result.Interrupted, result.ExitStopped)
		if doc.PlannedCases != 2 {
			t.Errorf("%d cases planned", doc.PlannedCases)
		}
		for _, one := range doc.Cases {
			if (one.API == c.api) != (one.Error != nil) {
				t.Errorf("%s: the error of %s is %v", c.order, one.API, one.Error)
			}
		}
		if text := s.ranks[0].stderr.String(); !strings.Contains(text, "\n"+c.want) ||
			!strings.Contains(text, " "+result.APIOf(c.api).Label+", 1 process") {
			t.Errorf("%s: %q", c.order, text)
		}
	}
}

func TestTwoArmsAndARunThatDoesNotBeginHaveNoSummary(t *testing.T) {
	two, _ := pair(t)
	refused := newSimulation(t, 1)
	refused.interject = func(*process, string) error { return errTest }
	for _, s := range []*simulation{two, refused} {
		s.run()
		if text := s.ranks[0].stderr.String() + s.ranks[0].stdout.String(); strings.Contains(text, ofSummary) {
			t.Errorf("%q", text)
		}
	}
	refused.document(refused.json, result.Failed, result.ExitFailed)
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
