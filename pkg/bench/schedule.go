package bench

import (
	"math/rand/v2"
	"slices"

	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// peers are the cases with the same index in the plans of all arms: those that are compared, or one in a run of one
// arm. They are measured directly one after another.
type peers []*caseRun

// schedule returns the peers of the run, in the order of the plans.
func (r *runner) schedule() []peers {
	var all []peers
	for a := range r.Arms {
		arm := &r.Arms[a]
		i := 0
		for p := range arm.Plan.Cases() {
			if a == 0 {
				all = append(all, nil)
			}
			all[i] = append(all[i], r.newCase(arm, i, p))
			i++
		}
	}
	return all
}

// rounds measures in rounds, each with one iteration of every case that has not ended, until all cases have ended, or
// until the time before the deadline is not enough for another round. If not all cases have a sample by then, the last
// round is of as many of them as there is time for. Each round shuffles the order of peers, and the order of the cases
// among peers. All processes draw the same orders.
func (r *runner) rounds(all []peers, seed uint64) {
	draw := rand.New(rand.NewPCG(seed, 0))
	for len(all) > 0 {
		last := !r.roomFor(all...)
		if last && measured(all) {
			r.endAll(all)
			return
		}
		draw.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, p := range all {
			if r.passed() {
				r.endAll(all)
				return
			}
			if last && !r.roomFor(p) {
				continue
			}
			draw.Shuffle(len(p), func(i, j int) { p[i], p[j] = p[j], p[i] })
			if r.measure(p, 1); r.state == result.Interrupted {
				return
			}
		}
		if last {
			r.endAll(all)
			return
		}
		all = slices.DeleteFunc(all, func(p peers) bool { return !slices.ContainsFunc(p, (*caseRun).running) })
	}
}

// measure visits those of the peers that have not ended, for at most most iterations each. It ends them all when none
// of them needs more iterations. So the peers have the same number of samples, unless one of them fails.
func (r *runner) measure(p peers, most int) {
	for _, c := range p {
		if !c.running() {
			continue
		}
		if r.visit(c, most); r.state == result.Interrupted {
			return
		}
	}
	if slices.ContainsFunc(p, func(c *caseRun) bool { return c.running() && c.more }) {
		return
	}
	for _, c := range p {
		switch {
		case !c.running():
		case c.samples() == 0:
			r.skip(c)
		default:
			c.end()
		}
	}
}

// visit runs iterations of a case. Processes that do not take part in the case wait, asleep, in the agreement that ends
// the visit.
func (r *runner) visit(c *caseRun, most int) {
	if r.first() {
		if c.count == 0 {
			c.arm.Observer.Begin(c.index, c.out)
		}
		c.arm.Observer.Visit(c.index)
	}
	began := r.Now()
	if c.member {
		r.notify(Where{Phase: result.PhaseTurn, Waiting: true})
		c.open(r.World, r.groups.node, r.Clock)
		c.visit(most)
	}
	r.settle(c)
	c.visited = max(c.visited, r.Now().Sub(began))
	switch c.out.State {
	case result.Failed:
		r.state = result.Failed
	case result.Interrupted:
		r.state = result.Interrupted
	}
	if !c.running() {
		c.over()
	}
}

// settle makes every process of the world know how a visit ended. Collective.
func (r *runner) settle(c *caseRun) {
	r.notify(Where{Phase: result.PhaseTurn, Waiting: true})
	defer r.notify(Where{})
	how := mpi.Awake
	if !c.member {
		how = mpi.Asleep
	}
	if _, _, err := r.World.Agree(good, r.Stop.IsSet, r.Grace, how); err != nil {
		phase := result.PhaseTurn
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
	end := mpi.Broadcast(r.World, outcome{c.out.State, c.more, c.count}, 0) // rank 0 takes part in every case
	c.out.State, c.more, c.count = end.State, end.More, end.Count
}
