//go:build cgo && !nompi

package bench_test

import (
	"testing"

	"h5perf/pkg/mpi"
	"h5perf/pkg/test/mpitest"
)

// sentence is a statement that must be true of real engines on all processes of an MPI job.
type sentence struct {
	text  string
	holds func(*testing.T, mpi.Comm)
}

// together checks statements one after another in one job, since starting a job takes longer than most checks. The log
// line before an error says which statement failed.
func together(t *testing.T, n int, all []sentence) {
	mpitest.Parallel(t, n, func(t *testing.T, world mpi.Comm) {
		for _, s := range all {
			t.Log(s.text)
			s.holds(t, world)
		}
	})
}

func TestRealEnginesOnTwoProcesses(t *testing.T) {
	together(t, 2, []sentence{
		{"the guide's figures are in the files", theGuidesFiguresAreInTheFiles},
		{"every sync of every API ends", everySyncOfEveryAPIEnds},
		{"a time limit cuts real files", aTimeLimitCutsRealFiles},
		{"a file of another run is read and left alone", aFileOfAnotherRunIsReadAndLeftAlone},
		{"cold reads find nothing in the page cache", coldReadsOfEveryAPIFindNothingInThePageCache},
		{"wrong data are found and named", wrongDataOfRealFilesAreFoundAndNamed},
		{"nothing is touched in an exchanged directory", nothingIsTouchedInAnExchangedDirectory},
	})
}

func TestRealEnginesOnThreeProcesses(t *testing.T) {
	together(t, 3, []sentence{
		{"the guide's figures are in the files", theGuidesFiguresAreInTheFiles},
		{"a shift reads what another rank wrote", aShiftReadsWhatAnotherRankWrote},
		{"ranks take turns", ranksTakeTurns},
		{"a late rank leaves what is written", aLateRankLeavesWhatIsWritten},
		{"ranks write in turns what all read", ranksWriteInTurnsWhatAllRead},
		{"each process has a file of its own", eachProcessHasAFileOfItsOwn},
		{"the first process creates files", theFirstProcessCreatesFiles},
		{"programs that would wait for ever are refused", programsThatWouldWaitForEverAreRefused},
	})
}

func TestRealEnginesOnFourProcesses(t *testing.T) {
	together(t, 4, []sentence{
		{"every step of every API ends", everyStepOfEveryAPIEnds},
		{"a spread over nodes writes the same files", aSpreadOverNodesWritesTheSameFiles},
	})
}
