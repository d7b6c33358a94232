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

// state is what the watcher knows of the run beyond the document on disk.
type state struct {
	running map[int]*result.Case // begun and not yet ended in the document
	errors  []result.Error
}

func (s *state) note(m Message) {
	switch {
	case m.Case != nil:
		s.running[m.Of] = m.Case
	case m.Sample != nil && s.running[m.Of] != nil:
		s.running[m.Of].Add(*m.Sample, m.Warmup)
	case m.Written:
		delete(s.running, m.Of)
	case m.Error != nil:
		s.errors = append(s.errors, *m.Error)
	}
}

// end ends the documents of a run whose first process is gone, unless that process did it, and tells where they are.
func (s *state) end(order Message, stderr io.Writer) error {
	var failures []error
	for _, path := range order.Documents {
		doc, err := result.Read(path)
		switch {
		case order.Deputy > 0 && errors.Is(err, fs.ErrNotExist): // it was on a disk of the other node
			continue
		case err != nil:
			failures = append(failures, err)
			continue
		case doc.State != result.Running || doc.RunID != order.Dir.RunID: // ended, or of an earlier run whose name it has
			continue
		}
		for _, c := range s.running {
			doc.Put(*c)
		}
		doc.End(s.reasons(order, doc.Machine.Host))
		if err := result.Write(path, doc); err != nil {
			failures = append(failures, err)
			continue
		}
		_, _ = fmt.Fprintf(stderr, "h5perf: the run ended early; what was measured is in %s\n", path)
	}
	return errors.Join(failures...)
}

// reasons are why the run ended early, on whose first host nobody told of it if a deputy does.
func (s *state) reasons(order Message, host string) []result.Error {
	silent := result.Error{Time: time.Now().UTC(), Phase: result.PhaseProcess, Rank: 0, Host: host}
	switch {
	case order.Deputy > 0:
		own, _ := os.Hostname() // without a name it stays a sentence
		silent.Message = fmt.Sprintf("the process and its watcher ended without a word, as at the end of their node; told by the watcher on %s", own)
		return append([]result.Error{silent}, s.errors...)
	case len(s.errors) == 0:
		silent.Message = "the process ended without a word, as by SIGKILL or the end of its node, or another process of the job did and the launcher ended this one"
		return []result.Error{silent}
	}
	return s.errors
}
