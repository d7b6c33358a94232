package watch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"h5perf/pkg/result"
)

// runState holds what the watcher knows about the run, but what is not yet in the document on disk.
type runState struct {
	running  map[int]*result.Case // by number: cases that have begun and whose end is not in the document yet
	lastCase int                  // number of the current case, or of the last one
	errors   []result.Error
}

// noteMessage updates the state with a message from the run.
func (s *runState) noteMessage(m WatcherMessage) {
	switch {
	case m.Case != nil:
		s.running[m.CaseNumber] = m.Case
	case m.CurrentCase:
		s.lastCase = m.CaseNumber
	case m.Sample != nil && s.running[m.CaseNumber] != nil:
		s.running[m.CaseNumber].AddSample(*m.Sample, m.Warmup)
	case m.CaseInDocument:
		delete(s.running, m.CaseNumber)
	case m.Error != nil:
		s.errors = append(s.errors, *m.Error)
	}
}

// endDocuments completes and ends the documents of a run whose first process died before it could do so. It prints
// their paths to stderr.
func (s *runState) endDocuments(order WatcherMessage, stderr io.Writer) error {
	var failures []error
	for _, path := range order.Documents {
		doc, err := result.Read(path)
		switch {
		case order.ClaimDelay > 0 && errors.Is(err, fs.ErrNotExist): // the document is on a local disk of rank 0's node
			continue
		case err != nil:
			failures = append(failures, err)
			continue
		// the run has ended its document itself, or the file is the document of another run
		case doc.State != result.Running || doc.RunID != order.Dir.RunID:
			continue
		}
		for _, c := range s.running {
			doc.PutCase(*c)
		}
		doc.EndWithErrors(s.endReasons(order, doc.Machine.Host), s.running[s.lastCase])
		if err := result.Write(path, doc); err != nil {
			failures = append(failures, err)
			continue
		}
		_, _ = fmt.Fprintf(stderr, "h5perf: the run ended early; the results until then are in %s\n", path)
	}
	return errors.Join(failures...)
}

// endReasons returns the errors that say why the run ended early. host is the name of the host of rank 0, whose process
// has ended without an error message if the watcher of another node calls this.
func (s *runState) endReasons(order WatcherMessage, host string) []result.Error {
	silent := result.Error{Time: time.Now().UTC(), Phase: result.PhaseProcess, Rank: 0, Host: host}
	switch {
	case order.ClaimDelay > 0:
		own, _ := os.Hostname() // if this fails, the message only lacks the name
		silent.Message = fmt.Sprintf("the process and its watcher ended without an error message, perhaps because "+
			"their node failed; reported by the watcher on %s", own)
		return append([]result.Error{silent}, s.errors...)
	case len(s.errors) == 0:
		silent.Message = "the process ended without an error message, perhaps by SIGKILL or because its node " +
			"failed; or another process of the job ended, and then the launcher ended this one"
		return []result.Error{silent}
	}
	return s.errors
}
