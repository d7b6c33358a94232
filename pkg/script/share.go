package script

import (
	"slices"

	"h5perf/pkg/pattern"
)

// Share is what a rank writes of a dataset.
type Share struct {
	Dims      []uint64          // of the dataset
	Element   uint64            // bytes of an element
	Selection pattern.Selection // of the first transfer
	Alike     bool              // all datasets of this name have this extent
}

// Shares returns what a rank writes of each dataset, by the name in the workload. Datasets that can be extended are
// left out.
func (r Resolved) Shares(rank int64, job Job) (map[string]Share, error) {
	if _, err := r.Amount(job); err != nil { // checks the job, values and limits
		return nil, err
	}
	shares := map[string]Share{}
	if r.Write == nil {
		return shares, nil
	}
	c := &compiler{families: families{
		walker: walker{
			Workload: &r.Workload, job: job, env: map[string]int64{}, alikes: map[string]uint64{},
			own: func(n uint64) (from, to uint64) {
				first, number := bounds(int64(n), job.Ranks, rank)
				return uint64(first), uint64(first + number)
			},
		},
		rank: rank,
	}}
	c.walker.step = func(s *Step, _ uint64) error {
		for _, word := range s.Write {
			o := c.Objects[word.text]
			if o.MaxExtent != nil {
				continue
			}
			err := c.members(&o, func(uint64) error { return c.share(shares, s, word.text, &o) })
			if err != nil {
				return err
			}
		}
		return nil
	}
	return shares, c.part(r.Write)
}

// share adds the share of the rank in a dataset.
func (c *compiler) share(shares map[string]Share, s *Step, name string, o *Object) error {
	dims, err := c.dims(name, o, nil)
	if err != nil {
		return err
	}
	if known, is := shares[name]; is {
		known.Alike = known.Alike && slices.Equal(known.Dims, dims)
		shares[name] = known
		return nil
	}
	element, err := c.size(o.Type)
	if err != nil {
		return err
	}
	rl, err := c.rule(s.Select)
	if err != nil {
		return err
	}
	rank, ranks, err := c.seat(o)
	if err != nil {
		return err
	}
	selection, err := rl.Selection(dims, element, uint64(rank), uint64(ranks))
	if err != nil {
		return s.Select.pos.Errorf("%s, %v: %v", name, dims, err)
	}
	shares[name] = Share{Dims: dims, Element: element, Selection: selection, Alike: true}
	return nil
}
