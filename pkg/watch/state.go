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

// runState is what the watcher knows of the run beyond the document on disk.
type runState struct {
	running map[int]*result.Case // cases that have begun and have no end in the document yet
	at      int                  // the case at work, or the last one
	errors  []result.Error
}

// noteMessage updates the state.
func (s *runState) noteMessage(m Message) {
	switch {
	case m.Case != nil:
		s.running[m.Of] = m.Case
	case m.Visit:
		s.at = m.Of
	case m.Sample != nil && s.running[m.Of] != nil:
		s.running[m.Of].AddSample(*m.Sample, m.Warmup)
	case m.Written:
		delete(s.running, m.Of)
	case m.Error != nil:
		s.errors = append(s.errors, *m.Error)
	}
}

// endDocuments ends the documents of a run whose first process ended without doing so, and prints their paths.
func (s *runState) endDocuments(order Message, stderr io.Writer) error {
	var failures []error
	for _, path := range order.Documents {
		doc, err := result.Read(path)
		switch {
		case order.Deputy > 0 && errors.Is(err, fs.ErrNotExist): // the document was on a disk of the other node
			continue
		case err != nil:
			failures = append(failures, err)
			continue
		// ended by its process, or a document of another run under this name
		case doc.State != result.Running || doc.RunID != order.Dir.RunID:
			continue
		}
		for _, c := range s.running {
			doc.PutCase(*c)
		}
		doc.EndWithErrors(s.endReasons(order, doc.Machine.Host), s.running[s.at])
		if err := result.Write(path, doc); err != nil {
			failures = append(failures, err)
			continue
		}
		_, _ = fmt.Fprintf(stderr, "h5perf: the run ended early; the results until then are in %s\n", path)
	}
	return errors.Join(failures...)
}

// endReasons returns why the run ended early. host is the first host of the run; it is named if a deputy
// reports that nothing was heard from it.
func (s *runState) endReasons(order Message, host string) []result.Error {
	silent := result.Error{Time: time.Now().UTC(), Phase: result.PhaseProcess, Rank: 0, Host: host}
	switch {
	case order.Deputy > 0:
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
