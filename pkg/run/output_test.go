package run

import (
	"slices"
	"strings"
	"testing"
	"time"

	"h5perf/pkg/report"
	"h5perf/pkg/result"
)

// apart returns a document with one write. Its window is twice as long as the access time of its slowest process.
func apart() result.Document {
	return result.Document{
		Parameters: result.Parameters{
			DatasetExtent: []uint64{64}, BufferExtent: []uint64{64}, DimensionOrder: []int{1}, WriteOnly: true,
		},
		State: result.Interrupted,
		Cases: []result.Case{{
			Processes: 1, TransferSize: 64, API: result.POSIX, State: result.Complete,
			Samples: []result.Sample{{
				Operation: result.OperationWrite, Iteration: 1, Bytes: 1 << 20,
				Access: result.Interval{WindowSeconds: 2, Max: 1},
			}},
		}},
	}
}

func TestEveryEndOfTheReportTellsWhereTheWindowDiffers(t *testing.T) {
	for name, end := range map[string]func(*armOutput){
		"end": func(o *armOutput) { o.endReport(apart()) },
		"cut": func(o *armOutput) { _, _ = o.endWithError(result.Error{}) },
	} {
		var text strings.Builder
		end(&armOutput{
			report:   report.NewCReport(&text, apart(), report.CReportOptions{}),
			recorder: NewRecorder(apart(), time.Now),
		})
		if n := strings.Count(text.String(), " The average by the window is: "); n != 1 {
			t.Errorf("%s: %d lines in\n%s", name, n, text.String())
		}
	}
}

// A library may return hints that it does not use.
func TestHintsThatNothingReadsAreNotInTheDocument(t *testing.T) {
	doc := apart()
	told := []result.KeyValue{{Key: "cb_nodes", Value: "1"}, {Key: "cb_nods", Value: "2"}}
	doc.Cases[0].Effective = &result.Effective{Hints: told}
	o := &armOutput{recorder: NewRecorder(doc, time.Now), ignoredHints: []string{"cb_nods"}}
	if err := o.recordCaseEnd(0, doc.Cases[0]); err != nil {
		t.Fatal(err)
	}
	if got := o.recorder.Document().Cases[0].Effective.Hints; !slices.Equal(got, told[:1]) {
		t.Errorf("hints %v, want %v", got, told[:1])
	}
}
