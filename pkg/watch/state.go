package watch

import (
	"time"

	"h5perf/pkg/result"
)

// state is what the watcher knows of the run beyond the document on disk.
type state struct {
	current *result.Case // begun and not yet in the document
	errors  []result.Error
}

func (s *state) note(m Message) {
	switch {
	case m.Case != nil:
		s.current = m.Case
	case m.Sample != nil && s.current != nil:
		s.current.Samples = append(s.current.Samples, *m.Sample)
	case m.Written:
		s.current = nil
	case m.Error != nil:
		s.errors = append(s.errors, *m.Error)
	}
}

// end ends the document of a run whose first process is gone, unless that process did it.
func (s *state) end(order Message) error {
	doc, err := result.Read(order.Document)
	if err != nil {
		return err
	}
	if doc.State != result.Running {
		return nil
	}
	errs := append(s.errors, order.Dir.Records()...)
	if len(errs) == 0 {
		errs = []result.Error{{
			Time: time.Now().UTC(), Phase: "process", Rank: 0, Host: doc.Machine.Host,
			Message: "the process ended without a word, as by SIGKILL or the end of its node, or another process of the job did and the launcher ended this one",
		}}
	}
	doc.End(s.current, errs)
	return result.Write(order.Document, doc)
}
