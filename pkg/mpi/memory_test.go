package mpi_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"h5perf/pkg/mpi"
	"h5perf/pkg/placement"
	"h5perf/pkg/test/mpitest"
	"h5perf/pkg/units"
)

func TestConformanceOfOneProcess(t *testing.T) { mpitest.Conformance(t, mpi.Self{}) }

func TestConformanceInMemory(t *testing.T) {
	for _, n := range []int{1, 2, 3, 64} {
		synctest.Test(t, func(t *testing.T) {
			mpitest.InMemory(t, mpi.MemoryJobOptions{}, n, func(world mpi.Comm) { mpitest.Conformance(t, world) })
		})
	}
}

func TestInMemoryReturnsTheWorld(t *testing.T) {
	world := mpi.MemoryWorld(3)
	for rank, c := range world {
		if c.Rank() != rank || c.Size() != 3 || c.Handle() != nil {
			t.Errorf("rank %d of %d with handle %v, want rank %d of 3", c.Rank(), c.Size(), c.Handle(), rank)
		}
	}
	if _, err := mpi.Ring(world[0], 1, time.Minute); err != nil { // no MPI: Ring does nothing
		t.Error(err)
	}
	if n := len(mpi.MemoryWorld(0)); n != 0 {
		t.Errorf("%d communicators of no rank", n)
	}
}

func TestNodesInMemory(t *testing.T) {
	job := mpi.MemoryJobOptions{Node: func(rank int) int { return rank / 3 }}
	mpitest.InMemory(t, job, 8, func(world mpi.Comm) {
		r := world.Rank()
		node := func(c mpi.Comm, name string, want int) {
			if local, nodes := mpi.Node(c); local != want || nodes != 3 {
				t.Errorf("%s, rank %d: local rank %d on %d nodes, want %d on 3", name, r, local, nodes, want)
			}
		}
		node(world, "world", r%3)
		last := min(r/3*3+2, 7) // last rank on this node
		reversed := world.Split(0, 0-r)
		defer reversed.Free()
		node(reversed, "reversed", last-r)
		again := reversed.Split(0, r)
		defer again.Free()
		node(again, "reversed twice", r%3)
		if leader := mpi.NodeLeader(world); leader != r/3*3 {
			t.Errorf("rank %d: the first process on its node is rank %d", r, leader)
		}
		// Each rank has one processor, but ranks 6 and 7 share a quota of 1.5.
		hosts, err := mpi.CollectPlacement(world, func() (mpi.Processors, error) {
			p := mpi.Processors{CPUs: strconv.Itoa(r)}
			if r >= 6 {
				p.Quotas = []mpi.Quota{{Group: "/job", CPUs: 1.5}}
			}
			return p, nil
		})
		if err != nil {
			t.Error(err)
		}
		var got []string
		for h := range placement.EachNode(hosts) {
			got = append(got, fmt.Sprint(h.Ranks, " on ", h.CPUs))
		}
		want := []string{"0-2 on 3", "3-5 on 3", "6-7 on 1.5"}
		if r == 0 && !slices.Equal(got, want) {
			t.Errorf("ranks and processors of the nodes %q, want %q", got, want)
		}
	})
}

// The sum of floating-point numbers depends on the order in which they are added.
func TestSumsInMemoryAreTheSameEachTime(t *testing.T) {
	const ranks = 32
	values := rand.New(rand.NewPCG(1, 2))
	own := make([]float64, ranks)
	want := 0.0
	for i := range own {
		own[i] = values.NormFloat64()
		want += own[i]
	}
	mpitest.InMemory(t, mpi.MemoryJobOptions{}, ranks, func(world mpi.Comm) {
		for range 100 {
			if got := world.Reduce(own[world.Rank() : world.Rank()+1])[0].Sum; got != want {
				t.Errorf("sum %v, want %v", got, want)
				return
			}
		}
	})
}

func TestGraceInMemoryIsThatOfTheClock(t *testing.T) {
	const grace = 5 * time.Second
	for _, c := range []struct {
		name  string
		code  int
		hurry time.Duration // when hurry begins to return true; 0: never
		come  time.Duration // when the other rank calls Agree
		want  time.Duration // when the agreement ends
		err   error
	}{
		{"a code", 1, 0, time.Hour, grace, mpi.ErrNoAgreement},
		{"a hurry", 0, time.Minute, time.Hour, time.Minute + grace, mpi.ErrNoAgreement},
		{"neither", 0, 0, time.Hour, time.Hour, nil},
		{"a code, in time", 1, 0, grace - 1, grace - 1, nil},
		{"a hurry, in time", 0, time.Minute, time.Minute + grace - 1, time.Minute + grace - 1, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				world := mpi.MemoryWorld(2)
				var other sync.WaitGroup
				other.Go(func() {
					time.Sleep(c.come)
					highest, rank, err := world[0].Agree(0, nil, 0, mpi.Awake)
					if highest != c.code || rank != c.code || err != nil {
						t.Errorf("the other rank: %d of rank %d, %v", highest, rank, err)
					}
				})
				_, _, err := world[1].Agree(c.code, func() bool { return c.hurry > 0 && time.Since(start) >= c.hurry },
					grace, mpi.Awake)
				if took := time.Since(start); !errors.Is(err, c.err) || took != c.want {
					t.Errorf("%v after %v, want %v after %v", err, took, c.err, c.want)
				}
				other.Wait()
			})
		})
	}
}

func TestTimeInMemoryIsInjected(t *testing.T) {
	var asked []time.Duration
	passed := make(chan time.Time)
	close(passed)
	job := mpi.MemoryJobOptions{After: func(d time.Duration) <-chan time.Time {
		asked = append(asked, d)
		return passed
	}}
	world := job.NewWorld(2)
	hurry := false
	_, _, err := world[0].Agree(0, func() bool { defer func() { hurry = true }(); return hurry }, time.Hour, mpi.Awake)
	if !errors.Is(err, mpi.ErrNoAgreement) || len(asked) != 2 || asked[0] >= time.Second || asked[1] != time.Hour {
		t.Errorf("%v after %v", err, asked)
	}
}

// waiting holds all collective methods that wait for other ranks.
var waiting = map[string]func(world mpi.Comm){
	"Barrier":   func(world mpi.Comm) { world.Barrier() },
	"Agree":     func(world mpi.Comm) { _, _, _ = world.Agree(0, nil, 0, mpi.Awake) },
	"Reduce":    func(world mpi.Comm) { world.Reduce([]float64{1}) },
	"SumUint64": func(world mpi.Comm) { world.SumUint64([]uint64{1}) },
	"Bcast":     func(world mpi.Comm) { world.Bcast(nil, 0) },
	"Gather":    func(world mpi.Comm) { world.Gather(nil) },
	"Split":     func(world mpi.Comm) { world.Split(0, 0) },
	"SplitNode": func(world mpi.Comm) { world.SplitNode() },
	"First":     func(world mpi.Comm) { world.SplitFirst(2) },
}

func TestAbortInMemoryEndsWaitingRanks(t *testing.T) {
	for name, wait := range waiting {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // fails if a rank waits for ever
				var aborts atomic.Int64
				job := mpi.MemoryJobOptions{Aborted: func(rank, status int, reason error) {
					if aborts.Add(1); rank != 2 || status != 143 || reason != nil {
						t.Errorf("rank %d aborted with status %d, %v", rank, status, reason)
					}
				}}
				var cleaned atomic.Int64
				mpitest.InMemory(t, job, 3, func(world mpi.Comm) {
					parts := world.Split(world.Rank()/2, 0) // parts: ranks 0 and 1; rank 2
					defer cleaned.Add(1)
					defer parts.Free()
					switch world.Rank() {
					case 0:
						time.Sleep(time.Minute)
						parts.Rank() // not collective, so it does not end the rank
						wait(parts)
					case 1:
						wait(parts)
					case 2:
						time.Sleep(time.Second)
						parts.Abort(143)
						return
					}
					t.Errorf("rank %d goes on after an abort", world.Rank())
				})
				if aborts.Load() != 1 || cleaned.Load() != 3 {
					t.Errorf("%d aborts seen, %d ranks cleaned up, want 1 and 3", aborts.Load(), cleaned.Load())
				}
			})
		})
	}
}

func TestWrongCallsInMemoryAbort(t *testing.T) {
	for want, body := range map[string]func(world mpi.Comm){
		"Barrier (0)": func(world mpi.Comm) {
			if world.Rank() == 0 {
				world.Barrier()
			}
			world.Gather(nil)
		},
		"Reduce (2)": func(world mpi.Comm) { world.Reduce(make([]float64, 1+world.Rank())) },
		"Bcast (1)":  func(world mpi.Comm) { world.Bcast(nil, world.Rank()) },
		"freed": func(world mpi.Comm) {
			part := world.Split(0, 0)
			part.Free()
			part.Barrier()
		},
		"First (1) of a communicator that it had freed": func(world mpi.Comm) {
			part := world.Split(world.Rank(), 0)
			part.Free()
			part.SplitFirst(1)
		},
		"First (1) and is not a member": func(world mpi.Comm) {
			if world.Rank() == 1 {
				world.SplitFirst(1)
			}
		},
	} {
		var mu sync.Mutex
		var reasons []string
		job := mpi.MemoryJobOptions{Aborted: func(_, status int, reason error) {
			mu.Lock()
			defer mu.Unlock()
			if reasons = append(reasons, reason.Error()); status != 1 {
				t.Errorf("status %d", status)
			}
		}}
		mpitest.InMemory(t, job, 2, body)
		if len(reasons) == 0 || !strings.Contains(reasons[0], want) {
			t.Errorf("refused because of %q, want %q", reasons, want)
		}
	}
}

// The cost per rank must not grow with the number of ranks.
func TestManyRanksInMemory(t *testing.T) {
	const ranks = 4096
	if testing.Short() {
		t.Skip("many ranks")
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	job := mpi.MemoryJobOptions{Node: func(rank int) int { return rank / 128 }}
	var rounds atomic.Int64
	mpitest.InMemory(t, job, ranks, func(world mpi.Comm) {
		if _, nodes := mpi.Node(world); nodes != ranks/128 {
			t.Errorf("%d nodes", nodes)
		}
		for range 10 {
			world.Barrier()
			if all := world.Reduce([]float64{1, 2})[1]; all.Sum != 2*ranks {
				t.Errorf("sum %v", all.Sum)
			}
			if _, _, err := world.Agree(0, func() bool { return false }, time.Second, mpi.Awake); err != nil {
				t.Error(err)
			}
			rounds.Add(1)
		}
	})
	runtime.ReadMemStats(&after)
	perRank := (after.TotalAlloc - before.TotalAlloc) / ranks
	t.Logf("%d bytes allocated by each of %d ranks in %d rounds", perRank, ranks, rounds.Load()/ranks)
	if perRank > 32<<10 {
		t.Errorf("%d bytes allocated by each rank, want less than 32 KiB", perRank)
	}
}

// counting is a communicator that counts the results of Gather.
type counting struct {
	mpi.Comm
	parts, bytes *int // number of parts from other ranks, and bytes in the largest part
}

func (c counting) Gather(data []byte) [][]byte {
	all := c.Comm.Gather(data)
	for i, part := range all {
		*c.parts += min(i, 1)
		*c.bytes = max(*c.bytes, len(part))
	}
	return all
}

func (c counting) Split(color, key int) mpi.Comm {
	if part := c.Comm.Split(color, key); part != nil {
		return counting{part, c.parts, c.bytes}
	}
	return nil
}

func (c counting) SplitNode() mpi.Comm { return counting{c.Comm.SplitNode(), c.parts, c.bytes} }

// levels returns the number of levels of a tree with the given number of leaves. On each level, a process merges 4
// parts.
func levels(leaves int) (n int) {
	for at := 1; at < leaves; at *= 4 {
		n++
	}
	return n
}

// TestPlacementIsMergedAlongATree counts the parts that reach rank 0 in jobs with many nodes.
func TestPlacementIsMergedAlongATree(t *testing.T) {
	const perNode = 2
	for _, nodes := range []int{1, 2, 5, 64, 257} {
		for order, stride := range map[string]int{"block": 1, "cyclic": nodes} {
			node := func(rank int) int {
				if order == "block" {
					return rank / perNode
				}
				return rank % nodes
			}
			mpitest.InMemory(t, mpi.MemoryJobOptions{Node: node}, nodes*perNode, func(world mpi.Comm) {
				parts, bytes, local := 0, 0, 0
				if r := world.Rank(); r >= stride && node(r-stride) == node(r) {
					local = 1
				}
				hosts, err := mpi.CollectPlacement(counting{world, &parts, &bytes}, func() (mpi.Processors, error) {
					return mpi.Processors{CPUs: strconv.Itoa(local)}, nil
				})
				if err != nil || (world.Rank() == 0) != (hosts != nil) {
					t.Errorf("rank %d: %v, %v", world.Rank(), hosts, err)
				}
				if world.Rank() > 0 {
					return
				}
				if parts > perNode-1+3*levels(nodes) || len(hosts) != 1 || placement.NumNodes(hosts) != nodes {
					t.Errorf("%d nodes, %s: %d parts, %v", nodes, order, parts, hosts)
				}
				for h := range placement.EachNode(hosts) {
					numbers, _ := units.ParseRanges(h.Ranks)
					if len(numbers) != perNode || numbers[1]-numbers[0] != stride || h.CPUs != perNode {
						t.Errorf("%d nodes, %s: %+v", nodes, order, h)
					}
				}
			})
		}
	}
}

// TestPlacementOfALargeJobIsMergedInSmallParts merges 1000 nodes with 128 ranks each, one rank on each core.
func TestPlacementOfALargeJobIsMergedInSmallParts(t *testing.T) {
	const nodes, perNode = 1000, 128
	for order, rank := range map[string]func(node, local int) int{
		"block":  func(node, local int) int { return node*perNode + local },
		"cyclic": func(node, local int) int { return local*nodes + node },
	} {
		mpitest.InMemory(t, mpi.MemoryJobOptions{}, nodes, func(leaders mpi.Comm) {
			ranks, cpus := make([]int, perNode), make([]string, perNode)
			for local := range ranks {
				ranks[local], cpus[local] = rank(leaders.Rank(), local), strconv.Itoa(local)
			}
			own := placement.NewHost(fmt.Sprintf("n%04d", 1+leaders.Rank()), ranks, cpus, perNode)
			parts, bytes := 0, 0
			all := counting{leaders.Split(0, leaders.Rank()), &parts, &bytes}
			hosts, err := mpi.MergeAll(all, []placement.Host{own})
			if err != nil || (leaders.Rank() == 0) != (hosts != nil) || parts > 3*levels(nodes) || bytes > 512 {
				t.Errorf("%s, process %d: %d parts of at most %d bytes, %v", order, leaders.Rank(), parts, bytes, err)
			}
			text, err := json.Marshal(hosts)
			if err != nil || leaders.Rank() == 0 && (len(text) > 512 || placement.NumNodes(hosts) != nodes) {
				t.Errorf("%s: %d bytes, %v: %.1000s", order, len(text), err, text)
			}
		})
	}
}

// timed runs body on the ranks of a job in which a message takes 1 µs, and returns the clocks of the ranks. The last
// rank starts 1 s late.
func timed(n int, body func(world mpi.Comm)) []mpi.Clock {
	clocks := make([]mpi.Clock, n)
	clocks[n-1].Advance(time.Second)
	var all sync.WaitGroup
	for _, world := range (mpi.MemoryJobOptions{Clocks: clocks, MessageTime: time.Microsecond}).NewWorld(n) {
		all.Go(func() { body(world) })
	}
	all.Wait()
	return clocks
}

func TestMessagesInMemoryTakeTimeByTheClocksOfRanks(t *testing.T) {
	for method, hops := range map[string]func(levels, ranks int) int{
		"Barrier":   func(levels, _ int) int { return levels },
		"Agree":     func(levels, _ int) int { return levels },
		"SumUint64": func(levels, _ int) int { return levels },
		"Reduce":    func(levels, _ int) int { return 2 * levels },
		"Bcast":     func(levels, _ int) int { return 2 * levels },
		"Gather":    func(levels, ranks int) int { return levels + ranks - 1 },
		"Split":     func(levels, _ int) int { return 2 * levels },
		"SplitNode": func(levels, _ int) int { return 2 * levels },
	} {
		for n, levels := range map[int]int{1: 0, 2: 1, 3: 2, 4: 2, 5: 3, 1000: 10, 1024: 10, 1025: 11} {
			want := time.Second + time.Duration(hops(levels, n))*time.Microsecond
			for rank, now := range times(timed(n, waiting[method])) {
				if now != want {
					t.Errorf("%s, rank %d of %d: %v, want %v", method, rank, n, now, want)
					break
				}
			}
		}
	}
}

// times returns the times on the clocks.
func times(clocks []mpi.Clock) []time.Duration {
	all := make([]time.Duration, len(clocks))
	for i := range clocks {
		all[i] = clocks[i].Now()
	}
	return all
}

func TestRanksThatTakeNoPartLoseNoTime(t *testing.T) {
	got := times(timed(8, func(world mpi.Comm) {
		if world.Rank() < 4 {
			first := world.SplitFirst(4) // 2 trees of 2 levels
			first.Barrier()              // 1 tree of 2 levels
			first.Free()
		}
	}))
	six := 6 * time.Microsecond
	if want := []time.Duration{six, six, six, six, 0, 0, 0, time.Second}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
