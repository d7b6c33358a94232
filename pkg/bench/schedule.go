package bench

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// peerCases are the cases that are compared with each other: those with the same index in the plans of all arms. With
// one arm, there is only one. They are measured one directly after another.
type peerCases []*caseRun

// haveEnded reports whether all cases have ended.
func (p peerCases) haveEnded() bool { return !slices.ContainsFunc(p, (*caseRun).isRunning) }

// newSchedule returns all cases of the run, grouped by peers, in the order of the plans.
func (r *runner) newSchedule() []peerCases {
	var all []peerCases
	for a := range r.Arms {
		arm := &r.Arms[a]
		i := 0
		for p := range arm.Plan.Cases() {
			if a == 0 {
				all = append(all, nil)
			}
			all[i] = append(all[i], r.newCaseRun(arm, i, p))
			i++
		}
	}
	return all
}

// measureInRounds measures in rounds. Each round has one iteration of every case that has not ended. It stops when all
// cases have ended, or when the time before the deadline is not enough for another round. If some case has no sample by
// then, a last round measures as many cases as there is time for. Each round shuffles the order of peers, and the order
// of the cases among peers, unless NextRound gives this order. All processes draw the same orders.
func (r *runner) measureInRounds(all []peerCases, seed uint64) {
	draw, began, every := rand.New(rand.NewPCG(seed, 0)), r.Now(), slices.Clone(all)
	for round := 0; len(all) > 0 || r.NextRound != nil; round++ {
		chosen := r.chooseArms(every)
		if all = slices.DeleteFunc(all, peerCases.haveEnded); len(all) == 0 {
			return
		}
		if round == 1 && r.Budget > 0 {
			r.dropArms(all, r.Budget-r.Now().Sub(began))
		}
		last := !r.hasTimeToVisit(all...)
		if last && allHaveSamples(all) {
			r.endAllCases(all)
			return
		}
		draw.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, p := range all {
			if r.deadlinePassed() {
				r.endAllCases(all)
				return
			}
			if last && !r.hasTimeToVisit(p) {
				continue
			}
			draw.Shuffle(len(p), func(i, j int) { p[i], p[j] = p[j], p[i] })
			if chosen != nil {
				slices.SortFunc(p, func(a, b *caseRun) int {
					return cmp.Compare(slices.Index(chosen, r.armIndex(a)), slices.Index(chosen, r.armIndex(b)))
				})
			}
			if r.measurePeers(p, 1); r.state == result.Interrupted {
				return
			}
		}
		if last {
			r.endAllCases(all)
			return
		}
		all = slices.DeleteFunc(all, peerCases.haveEnded)
	}
}

// measurePeers runs at most maxIterations iterations of each case of p that has not ended. It ends the cases all
// together, when none of them needs more iterations. So the peers have the same number of samples, unless one of them
// fails.
func (r *runner) measurePeers(p peerCases, maxIterations int) {
	for _, c := range p {
		if !c.isRunning() {
			continue
		}
		if r.visitCase(c, maxIterations); r.state == result.Interrupted {
			return
		}
	}
	if slices.ContainsFunc(p, func(c *caseRun) bool { return c.isRunning() && c.wantsMore }) {
		return
	}
	for _, c := range p {
		switch {
		case !c.isRunning():
		case c.numSamples() == 0:
			r.skipCase(c)
		default:
			c.completeCase()
		}
	}
}

// visitCase runs iterations of a case. Processes that do not take part in the case sleep until the agreement that ends
// the visit.
func (r *runner) visitCase(c *caseRun, maxIterations int) {
	if r.isFirstRank() {
		if c.count == 0 {
			c.arm.Observer.BeginCase(c.index, c.out)
		}
		c.arm.Observer.VisitCase(c.index)
	}
	began := r.Now()
	if c.member {
		r.reportActivity(Activity{Phase: result.PhaseCaseEnd, Waiting: true})
		c.openComms(r.World, r.groups.node, r.Clock)
		c.runIterations(maxIterations)
	}
	r.broadcastOutcome(c)
	c.longestVisit = max(c.longestVisit, r.Now().Sub(began))
	switch c.out.State {
	case result.Failed:
		r.state = result.Failed
	case result.Interrupted:
		r.state = result.Interrupted
	}
	if !c.isRunning() {
		c.noteCaseEnd()
	}
}

// broadcastOutcome sends the state of a case after a visit to every process of the world, also to those that take no
// part in the case. Collective.
func (r *runner) broadcastOutcome(c *caseRun) {
	r.reportActivity(Activity{Phase: result.PhaseCaseEnd, Waiting: true})
	defer r.reportActivity(Activity{})
	how := mpi.Awake
	if !c.member {
		how = mpi.Asleep
	}
	if _, _, err := r.World.Agree(codeGood, r.Stop.IsSet, r.Grace, how); err != nil {
		phase := result.PhaseCaseEnd
		if r.Stop.IsSet() {
			phase = result.PhaseSignal
		}
		r.Abort(r.newError(phase, err))
		return
	}
	type outcome struct {
		State result.State
		More  bool
		Count int
	}
	end := mpi.Broadcast(r.World, outcome{c.out.State, c.wantsMore, c.count}, 0) // rank 0 takes part in every case
	c.out.State, c.wantsMore, c.count = end.State, end.More, end.Count
}
