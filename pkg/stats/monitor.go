package stats

import (
	"math"
	"slices"
)

const (
	// horizonNights is the largest number of nights for which a change is considered before it is found.
	horizonNights = 24
	// typicalDrift is the standard deviation of slow drifts of a level that are no changes, such as a season. Drifts
	// are searched for after levelNights and horizonNights.
	typicalDrift = 0.06
	// returnEvidence is how much more likely the values after an incident must be at the level before it than at that
	// of the incident.
	returnEvidence = 20
)

// levelMonitor follows the values of one series or group, night by night, like a person who looks at them each morning.
// It finds incidents and lasting changes.
//
// Each of the last nights is a candidate for the next change. The evidence for it is the Bayes factor of the values
// since then. If nothing changes, the expected sum of the evidence for all candidates is at most the number of values
// so far. So the probability that the sum reaches limit within n values is at most n/limit (Shiryaev, 1963; Roberts,
// 1966; Pollak, 1985). If it reaches limit, an incident begins. It is over when the values are back at the level before
// it. An incident with more than maxIncidentNights values is a lasting change.
type levelMonitor struct {
	limit float64 // evidence that a change needs
	least int     // smallest number of values before the first change

	values     []float64 // logarithms
	level      []int     // indices of the values of the present level, without incidents
	before     *noiseModel
	first      *noiseModel // of the first levelNights values of the level
	candidates []candidate
	current    *levelShift

	changes   []levelShift
	incidents []pastIncident
}

// candidate is a possible change of level.
type candidate struct {
	at     int // index of the first value after it
	noise  noiseModel
	weight float64 // number of nights that it stands for
}

// levelShift is a change of level: an incident that is not over, or a lasting change.
type levelShift struct {
	at       int        // index of the first value after it
	noise    noiseModel // of the level before
	evidence float64
	told     int // index of the value with which it was found
}

// pastIncident is an incident that is over.
type pastIncident struct {
	levelShift
	last int // index of its last value
}

// addValue adds the value of the next night.
func (m *levelMonitor) addValue(x float64, prior noisePrior) {
	at := len(m.values)
	m.values = append(m.values, x)
	if m.current != nil {
		m.continueIncident()
		return
	}
	if noise, known := m.estimate(prior); known {
		if m.first == nil && len(m.level) >= levelNights {
			m.first = &noise
		}
		if m.before != nil || len(m.level) >= m.least {
			m.candidates = append(m.candidates, candidate{at, noise, 1})
		}
		m.dropOldCandidates()
	}
	m.level = append(m.level, at)
	m.beginIncident()
}

// estimate estimates the noise of the present level. known is false if it has too few values.
func (m *levelMonitor) estimate(prior noisePrior) (n noiseModel, known bool) {
	least := minFirstLevelNights
	if m.before != nil {
		least = 2
	}
	if len(m.level) < least {
		return n, false
	}
	return estimateNoiseModel(m.levelValues(), m.before, prior), true
}

// levelValues returns the latest values of the present level.
func (m *levelMonitor) levelValues() []float64 {
	nights := m.level[max(0, len(m.level)-memoryNights):]
	out := make([]float64, len(nights))
	for i, at := range nights {
		out[i] = m.values[at]
	}
	return out
}

// dropOldCandidates leaves out candidates that are older than horizonNights. Of the others, it keeps fewer the older
// they are, each with the weight of those that it stands for.
func (m *levelMonitor) dropOldCandidates() {
	now, kept := len(m.values), m.candidates[:0]
	for _, c := range m.candidates {
		age := now - c.at
		if age > horizonNights {
			continue
		}
		gap := 1
		for age > 8*gap {
			gap *= 2
		}
		if c.at%gap == 0 {
			c.weight = float64(gap)
			kept = append(kept, c)
		}
	}
	m.candidates = kept
}

// driftedSince returns the last nights as a candidate for a change in relation to the first values of the level, which
// the later values have drifted away from slowly.
func (m *levelMonitor) driftedSince() (c candidate, there bool) {
	if m.first == nil || len(m.level) < levelNights+2*horizonNights || len(m.candidates) == 0 {
		return c, false
	}
	noise := m.candidates[len(m.candidates)-1].noise
	noise.level, noise.drift = m.first.level, typicalDrift
	noise = noise.withAutocorrelation(noise.r)
	return candidate{m.level[len(m.level)-horizonNights], noise, 1}, true
}

// valueBefore returns the value before the value at an index, or the level if that value is not of the present level.
func (m *levelMonitor) valueBefore(at int, level float64) float64 {
	if _, there := slices.BinarySearch(m.level, at-1); there {
		return m.values[at-1]
	}
	return level
}

// beginIncident begins an incident if there is enough evidence for it.
func (m *levelMonitor) beginIncident() {
	sum, most, best := 0.0, 0.0, candidate{}
	for _, c := range m.candidates {
		e := c.noise.evidenceOfShift(m.valueBefore(c.at, c.noise.level), m.values[c.at:])
		sum += c.weight * e
		if e > most {
			most, best = e, c
		}
	}
	if c, there := m.driftedSince(); there {
		e := c.noise.evidenceOfShift(c.noise.level, m.values[c.at:])
		sum += e
		if e > most {
			best = c
		}
	}
	if sum < m.limit {
		return
	}
	m.current = &levelShift{best.at, best.noise, sum, len(m.values) - 1}
	end, _ := slices.BinarySearch(m.level, best.at)
	m.level = m.level[:end]
	m.candidates = m.candidates[:0]
	m.promoteIncident()
}

// continueIncident decides whether the incident goes on with the newest value.
func (m *levelMonitor) continueIncident() {
	c := m.current
	if back := c.backSince(m.values); back > 0 {
		m.incidents = append(m.incidents, pastIncident{*c, back - 1})
		m.current = nil
		for at := back; at < len(m.values); at++ {
			m.level = append(m.level, at)
		}
		return
	}
	m.promoteIncident()
}

// promoteIncident makes a lasting change of an incident that has lasted too long.
func (m *levelMonitor) promoteIncident() {
	c := m.current
	if len(m.values)-c.at <= maxIncidentNights {
		return
	}
	c.evidence = max(c.evidence, c.noise.evidenceOfShift(c.noise.level, m.values[c.at:]))
	m.changes = append(m.changes, *c)
	m.before, m.first, m.current, m.level = &c.noise, nil, nil, nil
	for at := c.at; at < len(m.values); at++ {
		m.level = append(m.level, at)
	}
}

// backSince returns the index of the first value that is back at the level before the incident, or 0 if the incident
// goes on.
func (c *levelShift) backSince(values []float64) (back int) {
	highest, sum := math.Log(returnEvidence), 0.0
	for at := len(values) - 1; at > c.at; at-- {
		level := SampleMedian(values[c.at:at])
		outlier := c.noise.outliers * c.noise.density.at(values[at]-c.noise.level)
		there := c.noise.valueDensity(values[at], 0, c.noise.level, 1, outlier)
		here := 0.0
		for i, stretch := range stretches {
			here += stretchWeights[i] * c.noise.valueDensity(values[at], 0, level, stretch, outlier)
		}
		if sum += math.Log(there / here); sum >= highest {
			highest, back = sum, at
		}
	}
	return back
}
