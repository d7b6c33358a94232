package run

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/option"
	"h5perf/pkg/pattern"
	"h5perf/pkg/plan"
	"h5perf/pkg/report"
	"h5perf/pkg/result"
	"h5perf/pkg/test/figurestest"
	"h5perf/pkg/workload"
)

// dump is a workload in which each process writes 4 KiB to one dataset in one file.
type dump struct{}

func (dump) Program(rank, ranks uint64) (workload.Program, error) {
	const size = 4096
	sequence := pattern.ParallelPattern{
		Processes: ranks, BytesPerProcess: size, TransferSize: size,
		BlockSize: size,
	}.Sequence(rank)
	p := workload.Program{
		Files: []workload.File{{Name: "all", Bytes: ranks * size}},
		Objects: []workload.Object{{
			Kind: workload.DatasetObject, Parent: workload.NoParent, PerGroup: 1, Count: 1, Name: "d%d",
			Type: workload.Byte, Dims: []uint64{ranks * size}, Stride: ranks * size,
		}},
		Moves: []workload.Move{{
			Sequence: sequence, Nest: sequence.LoopNest(),
			Buffer: workload.Buffer{Slots: 1, SlotBytes: size, Grain: size},
		}},
	}
	for _, op := range []workload.Op{workload.Write, workload.Read} {
		begin := workload.Create
		if op == workload.Read {
			begin = workload.Open
		}
		epoch := func(classes ...workload.StepClass) []workload.Epoch {
			var e workload.Epoch
			for _, class := range classes {
				b := workload.Batch{Class: class, Op: op, Count: 1, NumTransfers: 1}
				e.Steps = append(e.Steps, workload.Step{Batch: b})
			}
			return []workload.Epoch{e}
		}
		p.Parts[op] = workload.ProgramPart{
			Begin: epoch(workload.FileOpen), End: epoch(workload.FileClose),
			Dumps: []workload.Dump{{Epochs: epoch(begin, workload.Transfer, workload.ObjectClose)}},
		}
	}
	return p, nil
}

func (dump) Amounts(int) (workload.Amounts, error) { return workload.Amounts{}, nil }

// ofWorkload returns a simulation of two processes that run a workload.
func ofWorkload(t *testing.T) *simulation {
	t.Helper()
	s := newSimulation(t, 2)
	s.plan = func(int, plan.JobFacts) (plan.Plan, error) {
		return plan.Plan{
			Parameters: result.Parameters{
				APIs: []string{result.POSIX, result.MPIIO}, Iterations: 2, Files: 1, MinProcesses: 2, MaxProcesses: 2,
				Conditions: option.Conditions{
					Sync: option.SyncNone, Order: option.OrderGiven, Data: option.DataPosition, Shift: new(0),
					Warmup: new(0), SpaceCheck: new(true),
				},
				Workload: &result.Workload{Name: "dump", Hash: strings.Repeat("0", 64), Text: "{}"},
			},
			ProcessSteps: []plan.ProcessStep{{Processes: 2, TransferSizes: []uint64{0}}}, Workload: dump{},
		}, nil
	}
	return s
}

func TestTheReportOfAWorkload(t *testing.T) {
	for _, form := range []report.Form{"", report.FormSummary, report.FormNone} {
		s := ofWorkload(t)
		s.arms[0].Form = form
		s.run()
		s.statuses(result.ExitOK)
		stdout, stderr := s.ranks[0].stdout.String(), s.ranks[0].stderr.String()
		if said := form == ""; strings.Contains(stderr, "Next: ") != said || strings.Contains(stderr, ofSummary) {
			t.Errorf("--report %q: standard error is %q", form, stderr)
		}
		const ofWorkload = "h5perf workload dump: 2 processes on 1 node, 2 iterations with POSIX, MPI-IO\n"
		switch {
		case form == "" && strings.HasPrefix(stdout, ofWorkload) && strings.Contains(stdout, "B/s") &&
			strings.Count(stdout, "\nMPI-IO ") == 2:
		case form == report.FormSummary && strings.HasPrefix(stdout, ofSummary) &&
			strings.Contains(stdout, "\nworkload dump, not synced"):
		case form == report.FormNone && stdout == "":
		default:
			t.Errorf("--report %q: standard output is %q", form, stdout)
		}
		s.clean()
	}
}

func TestAReportOfAWorkloadNeedsNoSummary(t *testing.T) {
	for _, test := range []struct {
		json string
		file *os.File // file of the report
		want bool     // a summary is printed on standard error
	}{{"", nil, false}, {"-", nil, true}, {"", os.Stdout, true}} {
		doc := figurestest.Workload().Document
		var stderr bytes.Buffer
		o := &armOutput{
			stderr: &stderr, recorder: NewRecorder(doc, time.Now), request: Request{JSON: test.json},
			reportFile: test.file,
			report:     report.NewReport(io.Discard, doc, report.CReportOptions{}),
		}
		if err := o.writeSummary(o.stderr, doc); err != nil {
			t.Fatal(err)
		}
		if said := stderr.String(); !strings.HasPrefix(last(said), "Next: ") ||
			strings.Contains(said, ofSummary) != test.want {
			t.Errorf("%+v: %q", test, said)
		}
	}
}

// differing is a workload whose processes create different datasets in the file that all of them open.
type differing struct{ dump }

func (d differing) Program(rank, ranks uint64) (workload.Program, error) {
	p, err := d.dump.Program(rank, ranks)
	if rank == 1 {
		p.Objects[0].Name = "e%d"
	}
	return p, err
}

// The processes get the error before a document or a directory is created.
func TestProgramsThatWaitForOneAnotherAreRefused(t *testing.T) {
	s := ofWorkload(t)
	usual := s.plan
	s.plan = func(arm int, at plan.JobFacts) (plan.Plan, error) {
		p, err := usual(arm, at)
		p.Workload = differing{}
		return p, err
	}
	s.run()
	s.statuses(result.ExitUsage)
	for rank, p := range s.ranks {
		const want = "workload dump: ranks would wait for one another for ever: they differ in step 4 of those that " +
			"all do " +
			"together; rank 0: dataset all:/d0 is created, of extent [8192] and type u8; rank 1: dataset " +
			"all:/e0 is " +
			"created, of extent [8192] and type u8; let all ranks do the same steps"
		if p.refused == nil || !strings.HasPrefix(p.refused.Error(), want) {
			t.Errorf("rank %d: %v, want %s", rank, p.refused, want)
		}
	}
	if _, err := os.Stat(s.json); err == nil {
		t.Error("a document was made")
	}
	s.clean()
}
