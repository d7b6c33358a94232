package history

import (
	"time"

	"h5perf/pkg/stats"
)

// Findings holds the changes that the search found in a series or in a group of series. The ratios of a group are means
// over its series.
type Findings struct {
	ChangePoints []ChangePoint `json:"changes"`
	Incidents    []Incident    `json:"incidents,omitempty"` // in the order in which they began
	// direction of the ongoing incident or, without one, of the last change point; not comparable if there are fewer
	// than 10 runs
	Verdict Verdict `json:"verdict"`
}

// OngoingIncident returns the incident that includes the newest run, or nil if there is none.
func (f Findings) OngoingIncident() *Incident {
	if n := len(f.Incidents); n > 0 && f.Incidents[n-1].Ongoing {
		return &f.Incidents[n-1]
	}
	return nil
}

// Change is a change of throughput in a series or group: a lasting change or an incident.
type Change struct {
	Since time.Time `json:"since"`  // start of its first run
	RunID string    `json:"run_id"` // its first run
	Index int       `json:"night"`  // index of that run in the series, from 0
	// throughput after the change (at the end of a gradual one, or in the incident), divided by throughput before it
	Ratio float64  `json:"ratio"`
	Low   *float64 `json:"low_ratio,omitempty"`  // lower bound of the interval; absent with too few values
	High  *float64 `json:"high_ratio,omitempty"` // upper bound of the interval
	// p-value, corrected for the search over all runs, series and groups
	CorrectedP float64 `json:"corrected_p"`
	// conditions that differ between this run and the previous run
	Differs []ConditionChange `json:"differs,omitempty"`
}

// ChangePoint is a lasting change: a run from which on a series is faster or slower than before, until the next change
// point.
type ChangePoint struct {
	Change
	// the change is gradual: from that run to the last runs before the next change
	Gradual bool `json:"slow,omitempty"`
}

// Incident is a change that lasts for one to five runs. With the sixth run it becomes a lasting change.
type Incident struct {
	Change
	Until   time.Time `json:"until"`   // start of its last run, so far
	Runs    int       `json:"runs"`    // number of its runs, so far
	Ongoing bool      `json:"ongoing"` // it includes the newest run of the series
}

// FoundChange is a lasting change or an incident.
type FoundChange struct {
	Change
	Incident *Incident // nil if the change is lasting
}

// AllChanges returns the lasting changes, followed by the incidents.
func (f Findings) AllChanges() (all []FoundChange) {
	for _, c := range f.ChangePoints {
		all = append(all, FoundChange{c.Change, nil})
	}
	for i := range f.Incidents {
		all = append(all, FoundChange{f.Incidents[i].Change, &f.Incidents[i]})
	}
	return all
}

// describeFindings returns the changes that were found in a series or group, and its verdict.
func (of seriesTree) describeFindings(b stats.Branch) Findings {
	f := Findings{ChangePoints: []ChangePoint{}, Verdict: NoDifference}
	describe := func(at int, ratio, low, high, p float64) Change {
		first, before := of.runs[b.Nights[at]], of.runs[b.Nights[at-1]]
		c := Change{
			Since: first.Started, RunID: first.RunID, Index: at, Ratio: ratio, CorrectedP: p,
			Differs: conditionChanges(parseConditions(before.reported), parseConditions(first.reported)),
		}
		c.Low, c.High = finiteBounds(low, high)
		return c
	}
	judge := func(ratio float64) {
		f.Verdict = Better
		if ratio < 1 {
			f.Verdict = Worse
		}
	}
	for _, c := range b.Changes {
		f.ChangePoints = append(f.ChangePoints, ChangePoint{describe(c.At, c.Ratio, c.Low, c.High, c.P), c.Gradual})
		judge(c.Ratio)
	}
	for _, i := range b.Incidents {
		f.Incidents = append(f.Incidents, Incident{
			Change: describe(i.First, i.Ratio, i.Low, i.High, i.P), Until: of.runs[b.Nights[i.Last]].Started,
			Runs: i.Last - i.First + 1, Ongoing: i.Ongoing,
		})
		if i.Ongoing {
			judge(i.Ratio)
		}
	}
	return f
}
