package doctor

import (
	"fmt"
)

// examineTarget checks the directory of the examination. It is collective.
func (e *examiner) examineTarget() {
	e.beginStep(StepTarget)
	if !e.isFirst {
		e.askLastRanks(string(e.world.Bcast(nil, 0)))
		return
	}
	e.examination.Target = e.trial.Examine(e.Directory, func(path string) SharedFileView {
		return e.askLastRanks(string(e.world.Bcast([]byte(path), 0)))
	})
	for _, c := range e.examination.Target.Checks(e.examination.Launch.Nodes) {
		e.addCheck(c)
	}
}

// askLastRanks asks the last process of each node, except for the first process of the job, whether it sees the file
// that the first process has locked. If path is "", there is no such file, and no process is asked. It is collective.
func (e *examiner) askLastRanks(path string) SharedFileView {
	node := e.world.SplitNode()
	asked := path != "" && e.world.Rank() != 0 && node.Rank() == node.Size()-1
	node.Free()
	counts := make([]uint64, 4)
	failure := ""
	if asked {
		visible, lock := SeesFile(path)
		counts[0] = 1
		switch {
		case !visible:
			counts[1] = 1
			failure = fmt.Sprintf("rank %d (%s): %v", e.world.Rank(), e.host, lock)
		case IsLockDenied(lock):
			counts[2] = 1
		case lock == nil:
			counts[3] = 1
		}
	}
	worst := e.world.Reduce([]float64{float64(counts[1])})[0]
	e.world.SumUint64(counts)
	failure = string(e.world.Bcast([]byte(failure), worst.MaxRank))
	return SharedFileView{
		AskedProcesses: int(counts[0]), NotSeeingFile: int(counts[1]), LocksDenied: int(counts[2]),
		LocksGrantedTwice: int(counts[3]), Error: failure,
	}
}
