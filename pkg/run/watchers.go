package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"h5perf/pkg/rundir"
	"h5perf/pkg/watch"
)

// deputyDelay is how long the deputy waits before it completes the document in place of rank 0's watcher. It cannot
// know whether the node of rank 0 has failed.
const deputyDelay = 10 * time.Second

// removalDelay is how long the other watchers at least leave the removal of data files to the watchers of rank 0 and
// of the deputy: on thousands of nodes, not all watchers should remove the same files at once.
const removalDelay = time.Second

// startWatchers starts the watchers of this node, one for each arm, on its first process. Collective.
func (j *job) startWatchers() error {
	documents := make([][]string, len(j.arms))
	var failures []error
	for i, a := range j.arms {
		var err error
		documents[i], err = a.documentPaths()
		failures = append(failures, a.wrapError(err))
	}
	deputy := j.deputyRank()
	if j.localRank == 0 {
		for i, a := range j.arms {
			failures = append(failures, a.wrapError(a.startWatcher(documents[i], deputy)))
		}
	}
	return errors.Join(failures...)
}

// deputyRank returns the rank whose watcher replaces the watcher of rank 0 if the node of rank 0 fails: the first
// process of the second node. If there is only one node, it returns the size of the world, which no process has as its
// rank. Collective.
func (j *job) deputyRank() int {
	own := j.world.Size()
	if j.localRank == 0 && j.world.Rank() > 0 {
		own = j.world.Rank()
	}
	return int(j.world.Reduce([]float64{float64(own)})[0].Min)
}

// startWatcher starts the watcher of the arm on this node. The watcher of rank 0 also completes the document if the run
// cannot. If the document is still incomplete after some time, the watcher of rank deputy completes it. These two
// watchers remove the data files earlier than the other watchers.
func (a *arm) startWatcher(documents []string, deputy int) error {
	order := watch.WatcherMessage{Dir: &a.dir, Keep: a.plan.Parameters.KeepFiles}
	switch a.job.world.Rank() {
	case 0:
		order.Documents = documents
	case deputy:
		order.Documents, order.ClaimDelay = documents, deputyDelay
	default:
		order.RemoveDelay = removalDelay
	}
	var err error
	if a.watcher, err = a.job.Watch(order); a.watcher != nil {
		a.job.ender.addWatcher(a.watcher)
	}
	return err
}

// sendSegments tells a watcher of this node which shared memory its processes have mapped. If these processes are
// killed, the watcher must remove that memory. Collective.
func (j *job) sendSegments() error {
	own, err := rundir.MappedSegments()
	text, e := json.Marshal(own)
	err = errors.Join(err, e)
	node := j.world.SplitNode()
	defer node.Free()
	var all []rundir.SharedMemoryFile
	for _, text := range node.Gather(text) {
		var one []rundir.SharedMemoryFile
		err = errors.Join(err, json.Unmarshal(text, &one))
		all = append(all, one...)
	}
	if w := j.arms[0].watcher; w != nil && len(all) > 0 {
		err = errors.Join(err, w.SendMessage(watch.WatcherMessage{Memory: all}))
	}
	return err
}

// endWatchers ends the watchers. If something could not be removed, the watcher stays alive, and tries again when this
// process has ended.
func (j *job) endWatchers() {
	err := j.eachArm(func(a *arm) error {
		var err error
		if a.held != nil {
			err = a.held.Close()
		}
		if a.cleanupFailed || a.watcher == nil {
			return err
		}
		return errors.Join(err, a.watcher.FinishWatch())
	})
	if err != nil {
		j.printError(fmt.Errorf("rank %d: %w", j.world.Rank(), err))
	}
}
