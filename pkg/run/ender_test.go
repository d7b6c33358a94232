package run

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
	"h5perf/pkg/watch"
)

// ending is a job of two ranks while it ends. Its waits end when the test says so.
type ending struct {
	ranks  []*jobEnder
	stderr locked
	aborts chan int // rank of each call of MPI_Abort
	exits  chan int // exit status of each rank that exits
	slept  chan time.Duration
	wake   chan time.Time
}

// newEnding returns a job whose ranks are connected. second is the rank that ends the job if rank 0 does not.
func newEnding(t *testing.T, second int) *ending {
	t.Helper()
	end := &ending{
		aborts: make(chan int, 2), exits: make(chan int, 2),
		slept: make(chan time.Duration), wake: make(chan time.Time),
	}
	world := mpi.MemoryJobOptions{Aborted: func(rank, _ int, _ error) { end.aborts <- rank }}.NewWorld(2)
	for rank, comm := range world {
		p := Process{
			Stdout: io.Discard, Stderr: &end.stderr, LimitWrites: func() {}, Now: time.Now,
			Jitter: func(d time.Duration) time.Duration { return d / 4 },
			After: func(d time.Duration) <-chan time.Time {
				if d != abortTimeout { // MPI_Abort returns in time
					end.slept <- d
				}
				return end.wake
			},
			Exit: func(status int) {
				end.exits <- status
				runtime.Goexit()
			},
		}
		end.ranks = append(end.ranks, newJobEnder(p, comm, fmt.Sprintf("node%d", rank), &rankLink{}))
	}
	address, err := end.ranks[0].link.listenOnRank0(false, end.ranks[0].receiveNotice)
	for rank, e := range end.ranks {
		if err == nil {
			err = e.link.connectToRank0(address, rank, 0, second, e.receiveNotice)
		}
		t.Cleanup(e.link.closePorts)
	}
	if err != nil {
		t.Fatal(err)
	}
	return end
}

// sleeps checks that a rank waits for d, and ends the wait.
func (e *ending) sleeps(t *testing.T, d time.Duration) {
	t.Helper()
	if got := <-e.slept; got != d {
		t.Errorf("a rank waits for %v, want %v", got, d)
	}
	e.wake <- time.Time{}
}

func errorOf(rank int) result.Error {
	return result.Error{Phase: "transfer", Rank: rank, Host: "node", Ranks: 1, Message: "as the test asked"}
}

func TestManyErrorsAtOnceAreOneLineAndOneAbort(t *testing.T) {
	const many = 16000
	end := newEnding(t, 1)
	rank0 := end.ranks[0]
	rank0.receiveNotice(watch.NewNotice(errorOf(7), 7))
	if got := <-end.slept; got != gatherTime {
		t.Errorf("rank 0 waits for %v, want %v", got, gatherTime)
	}
	var all sync.WaitGroup
	for rank := range many {
		all.Go(func() { rank0.receiveNotice(watch.NewNotice(errorOf(rank), rank)) })
	}
	all.Wait()
	end.wake <- time.Time{}
	end.sleeps(t, gatherTime) // no error has come since the last wait
	end.sleeps(t, flushTime)
	if status := <-end.exits; status != result.ExitFailed || <-end.aborts != 0 || len(end.aborts) > 0 {
		t.Errorf("status %d, and %d aborts more", status, len(end.aborts))
	}
	want := "h5perf: the job is ended: transfer: rank 7 and 15999 more (node): as the test asked\n"
	if said := end.stderr.String(); said != want {
		t.Errorf("the ranks say %q, want %q", said, want)
	}
}

func TestARankLeavesTheEndToRank0(t *testing.T) {
	end := newEnding(t, 1)
	go end.ranks[1].abortJob(errorOf(1))
	waits := map[time.Duration]bool{<-end.slept: true, <-end.slept: true} // the waits of rank 0 and of rank 1
	if !waits[gatherTime] || !waits[rankZeroTimeout] {
		t.Errorf("the ranks wait for %v", waits)
	}
	if said := end.stderr.String(); said != "" || len(end.aborts) > 0 {
		t.Errorf("%d aborts, and the ranks say %q", len(end.aborts), said)
	}
}

func TestARankEndsTheJobThatRank0DoesNotEnd(t *testing.T) {
	end := newEnding(t, 1)
	end.ranks[0].once.Do(func() {}) // rank 0 receives the error, but does nothing
	go end.ranks[1].abortJob(errorOf(1))
	end.sleeps(t, rankZeroTimeout)
	end.ends(t, 1, "")
}

func TestARankEndsTheJobIfRank0CannotBeTold(t *testing.T) {
	end := newEnding(t, 1)
	end.ranks[0].link.closePorts()
	go end.ranks[1].abortJob(errorOf(1))
	end.ends(t, 1, "h5perf: rank 0: no connection: ")
}

// All ranks wait for a rank that has disappeared, and rank 0 has ended. The ranks must not all end the job at the same
// time.
func TestOneRankIsTheFirstToEndTheJobInPlaceOfRank0(t *testing.T) {
	end := newEnding(t, 2) // second is a rank on another node
	end.ranks[0].link.closePorts()
	go end.ranks[1].abortJob(errorOf(1))
	end.sleeps(t, headStart+headStart/4)
	end.ends(t, 1, "h5perf: rank 0: no connection: ")
}

// ends checks that a rank ends the job, and prints a line about its error. more is the beginning of the text after that
// line, or "".
func (e *ending) ends(t *testing.T, rank int, more string) {
	t.Helper()
	e.sleeps(t, flushTime)
	if status := <-e.exits; status != result.ExitFailed || <-e.aborts != rank {
		t.Errorf("status %d", status)
	}
	first, rest, _ := strings.Cut(e.stderr.String(), "\n")
	if want := "h5perf: the job is ended: transfer: rank 1 (node): as the test asked"; first != want ||
		(rest == "") != (more == "") || !strings.HasPrefix(rest, more) {
		t.Errorf("the ranks say %q and %q", first, rest)
	}
}
