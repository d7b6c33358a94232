package plan

import (
	"maps"
	"math"
	"strconv"

	"h5perf/pkg/result"
	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// Resized returns the options for factor times as many bytes, and what they change, such as "particles=32K". A sweep
// gets another number of bytes per process, and smaller transfers and blocks if they would not fit. Of the sizes of a
// workload, the largest one changes to which the number of bytes is proportional. It returns a *usage.Error if there is
// none, or if the options cannot be planned.
func (o Options) Resized(factor float64, job JobFacts) (Options, string, error) {
	p, err := New(o, job)
	if err != nil {
		return o, "", err
	}
	if o.Workload != nil {
		return o.resizedWorkload(factor, p, job)
	}
	whole := uint64(factor * float64(p.Parameters.BytesPerProcess))
	o.BytesPerProcess = &whole
	for _, size := range []**uint64{&o.BlockSize, &o.MinTransferSize, &o.MaxTransferSize} {
		if *size != nil {
			*size = new(min(whole, **size))
		}
	}
	changed := "num-bytes=" + strconv.FormatUint(whole, 10)
	_, err = New(o, job)
	return o, changed, err
}

// resizedWorkload resizes a workload with the plan p.
func (o Options) resizedWorkload(factor float64, p Plan, job JobFacts) (found Options, changed string, err error) {
	largest, bytes := int64(0), iterationBytes(p)
	for _, size := range p.Parameters.Workload.Sizes {
		value, err := strconv.ParseInt(size.Value, 10, 64)
		scaled := int64(math.Round(factor * float64(value)))
		if err != nil || value <= largest || float64(scaled) != factor*float64(value) {
			continue
		}
		text := strconv.FormatInt(scaled, 10)
		other, sized := o, *o.Workload
		sized.Set = maps.Clone(sized.Set)
		if sized.Set == nil {
			sized.Set = map[string]string{}
		}
		sized.Set[size.Key], other.Workload = text, &sized
		q, err := New(other, job)
		if err != nil || !(math.Abs(iterationBytes(q)/bytes-factor) <= 0.1*factor) { // NaN is not proportional
			continue
		}
		largest, found, changed = value, other, result.ValuesText([]result.KeyValue{{Key: size.Key, Value: text}})
	}
	if largest == 0 {
		return o, "", usage.Errorf("the workload %s has no size to which its number of bytes is proportional",
			p.Parameters.Workload.Name)
	}
	return found, changed, nil
}

// iterationBytes returns the number of bytes that all cases write in an iteration.
func iterationBytes(p Plan) (sum float64) {
	for c := range p.Cases() {
		one, err := c.Iteration()
		if err != nil {
			return math.NaN()
		}
		sum += float64(one.Bytes[workload.Write])
	}
	return sum
}
