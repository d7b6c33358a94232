package watch

import (
	"errors"
	"fmt"
	"io"
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

// end ends the document of a run whose first process is gone, unless that process did it, and tells where it is.
func (s *state) end(order Message, stderr io.Writer) error {
	doc, err := result.Read(order.Documents[0])
	if err != nil {
		return err
	}
	if doc.State != result.Running || doc.RunID != order.Dir.RunID { // ended, or of an earlier run whose name it has
		return nil
	}
	if len(s.errors) == 0 {
		s.errors = []result.Error{{
			Time: time.Now().UTC(), Phase: "process", Rank: 0, Host: doc.Machine.Host,
			Message: "the process ended without a word, as by SIGKILL or the end of its node, or another process of the job did and the launcher ended this one",
		}}
	}
	for _, c := range s.running {
		doc.Put(*c)
	}
	doc.End(s.errors)
	var failures []error
	for _, path := range order.Documents {
		if err := result.Write(path, doc); err != nil {
			failures = append(failures, err)
			continue
		}
		_, _ = fmt.Fprintf(stderr, "h5perf: the run ended early; what was measured is in %s\n", path)
	}
	return errors.Join(failures...)
}
