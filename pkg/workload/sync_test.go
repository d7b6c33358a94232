package workload_test

import (
	"slices"
	"strings"
	"testing"

	"h5perf/pkg/workload"
)

// epochs makes epochs from words such as "open0", "close1" or "write"; a semicolon ends an epoch.
func epochs(text string) (all []workload.Epoch) {
	for epoch := range strings.SplitSeq(text, ";") {
		var e workload.Epoch
		for word := range strings.FieldsSeq(epoch) {
			s := workload.Step{Batch: workload.Batch{Class: workload.Transfer}}
			switch word[:len(word)-1] {
			case "open":
				s.Class, s.File = workload.FileOpen, int(word[len(word)-1]-'0')
			case "close":
				s.Class, s.File = workload.FileClose, int(word[len(word)-1]-'0')
			}
			e.Steps = append(e.Steps, s)
		}
		all = append(all, e)
	}
	return all
}

// text is the inverse of epochs. It also knows syncs.
func text(all []workload.Epoch) string {
	var out []string
	for i, e := range all {
		if i > 0 {
			out = append(out, ";")
		}
		for _, s := range e.Steps {
			digit := string(rune('0' + s.File))
			out = append(out, map[workload.StepClass]string{
				workload.FileOpen: "open" + digit, workload.FileClose: "close" + digit, workload.Sync: "sync" + digit,
				workload.Transfer: "write",
			}[s.Class])
		}
	}
	return strings.Join(out, " ")
}

func TestFilesAreSyncedWhereAsked(t *testing.T) {
	program := workload.Program{Parts: [2]workload.ProgramPart{{
		Begin: epochs("open0"), End: epochs("write close0"),
		Dumps: []workload.Dump{{Epochs: epochs("write ; write")}, {Epochs: epochs("open1 write close1")}},
	}}}
	shown := func(of workload.Program) string {
		p := of.Parts[workload.Write]
		all := []string{text(p.Begin)}
		for _, d := range p.Dumps {
			all = append(all, text(d.Epochs))
		}
		return strings.Join(append(all, text(p.End)), " | ")
	}
	before := shown(program)
	for name, c := range map[string]struct{ got, want string }{
		"dumps": {
			shown(program.SyncDumps()),
			"open0 | write ; write sync0 | open1 write close1 sync0 | write close0",
		},
		"files": {
			shown(program.SyncFiles()),
			"open0 | write ; write | open1 write sync1 close1 | write sync0 close0",
		},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", name, c.got, c.want)
		}
	}
	if after := shown(program); after != before {
		t.Errorf("the program became %s", after)
	}
}

func TestStepsAreInOrder(t *testing.T) {
	part := workload.ProgramPart{
		Begin: epochs("open0"), Dumps: []workload.Dump{{Epochs: epochs("write ; open1")}}, End: epochs("close0"),
	}
	var classes []workload.StepClass
	for s := range part.Steps() {
		classes = append(classes, s.Class)
	}
	if want := []workload.StepClass{
		workload.FileOpen, workload.Transfer, workload.FileOpen, workload.FileClose,
	}; !slices.Equal(classes, want) {
		t.Errorf("%v, want %v", classes, want)
	}
}
