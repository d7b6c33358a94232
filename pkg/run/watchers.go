package run

import (
	"errors"
	"fmt"
	"time"

	"h5perf/pkg/watch"
)

// deputyAfter is how long the deputy leaves the document to the node of rank 0, of which it cannot know whether it has
// failed.
const deputyAfter = 10 * time.Second

// startWatchers starts the watchers of this node, one for each arm, by the first process there. Collective.
func (j *job) startWatchers() error {
	documents := make([][]string, len(j.arms))
	var failures []error
	for i, a := range j.arms {
		var err error
		documents[i], err = a.documents()
		failures = append(failures, a.named(err))
	}
	deputy := j.deputy()
	if j.local == 0 {
		for i, a := range j.arms {
			failures = append(failures, a.named(a.watch(documents[i], deputy)))
		}
	}
	return errors.Join(failures...)
}

// deputy is the first process of the second node, for what the node of rank 0 cannot do any more when it fails; no rank
// where there is one node. Collective.
func (j *job) deputy() int {
	own := j.world.Size()
	if j.local == 0 && j.world.Rank() > 0 {
		own = j.world.Rank()
	}
	return int(j.world.Reduce([]float64{float64(own)})[0].Min)
}

// watch starts the watcher of this node. That of rank 0 keeps the document, too, and that of the deputy if nobody else
// does.
func (a *arm) watch(documents []string, deputy int) error {
	order := watch.Message{Dir: &a.dir, Keep: a.plan.Parameters.KeepFiles}
	switch a.job.world.Rank() {
	case 0:
		order.Documents = documents
	case deputy:
		order.Documents, order.Deputy = documents, deputyAfter
	}
	var err error
	if a.watcher, err = a.job.Watch(order); a.watcher != nil {
		a.job.ender.watched(a.watcher)
	}
	return err
}

// leave lets the watchers go. Where something could not be removed the watcher stays, and tries again when this process
// is gone.
func (j *job) leave() {
	err := j.each(func(a *arm) error {
		if a.left || a.watcher == nil {
			return nil
		}
		return a.watcher.Done()
	})
	if err != nil {
		j.tell(fmt.Errorf("rank %d: %w", j.world.Rank(), err))
	}
}
