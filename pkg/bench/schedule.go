package bench

import (
	"math/rand/v2"
	"slices"

	"h5perf/pkg/mpi"
	"h5perf/pkg/result"
)

// turn is the cases that are measured right after one another, one of each arm.
type turn []*caseRun

// turns are those of the run, in the order of the plans.
func (r *sweep) turns() []turn {
	var turns []turn
	for a := range r.Arms {
		arm := &r.Arms[a]
		i := 0
		for p := range arm.Plan.Cases() {
			if a == 0 {
				turns = append(turns, nil)
			}
			turns[i] = append(turns[i], r.newCase(arm, i, p))
			i++
		}
	}
	return turns
}

// rounds takes all turns again and again, one iteration of each case at a time, until all cases have ended: in another
// order in each round, with the cases of a turn in another order, too. All processes draw the same orders.
func (r *sweep) rounds(turns []turn, seed uint64) {
	draw := rand.New(rand.NewPCG(seed, 0))
	for len(turns) > 0 {
		draw.Shuffle(len(turns), func(i, j int) { turns[i], turns[j] = turns[j], turns[i] })
		for _, t := range turns {
			draw.Shuffle(len(t), func(i, j int) { t[i], t[j] = t[j], t[i] })
			if r.take(t, 1); r.state == result.Interrupted {
				return
			}
		}
		turns = slices.DeleteFunc(turns, func(t turn) bool { return !slices.ContainsFunc(t, (*caseRun).running) })
	}
}

// take visits the cases of a turn that have not ended, for at most so many iterations of each, and ends them when none of
// them needs more: those of a pair have as many samples each, unless one fails.
func (r *sweep) take(t turn, most int) {
	for _, c := range t {
		if !c.running() {
			continue
		}
		if r.visit(c, most); r.state == result.Interrupted {
			return
		}
	}
	if slices.ContainsFunc(t, func(c *caseRun) bool { return c.running() && c.more }) {
		return
	}
	for _, c := range t {
		if c.running() {
			c.end()
		}
	}
}

// visit visits a case. Processes that are left out sleep in the agreement that ends the visit.
func (r *sweep) visit(c *caseRun, most int) {
	if r.first() && c.count == 0 {
		c.arm.Observer.Begin(c.index, c.out)
	}
	if c.work != nil {
		c.visit(most)
	}
	r.settle(c)
	switch c.out.State {
	case result.Failed:
		r.state = result.Failed
	case result.Interrupted:
		r.state = result.Interrupted
	}
	if r.first() && !c.running() {
		c.arm.Observer.End(c.index, c.out)
	}
}

// settle tells every process of the world how a visit ended.
func (r *sweep) settle(c *caseRun) {
	r.tell(Where{Phase: result.PhaseTurn, Waiting: true})
	defer r.tell(Where{})
	if _, _, err := r.World.Agree(good, r.Stop.IsSet, r.Grace); err != nil {
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
	}
	end := mpi.Broadcast(r.World, outcome{c.out.State, c.more}, 0) // which takes part in every case
	c.out.State, c.more = end.State, end.More
}
