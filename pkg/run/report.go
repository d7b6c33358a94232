package run

// openReports begins documents, reports and the progress bar, on rank 0.
func (j *job) openReports() error {
	if j.world.Rank() != 0 {
		return nil
	}
	if err := j.each(func(a *arm) error { return a.out.begin(a.watcher) }); err != nil {
		return err
	}
	var total uint64
	for _, a := range j.arms {
		p := a.plan.Parameters
		for _, c := range a.out.cases {
			total += c.Bytes() * uint64(len(a.plan.Operations())*(p.Iterations+p.Conditions.Warmup))
		}
	}
	if j.Bar != nil {
		j.bar = j.Bar(total, j.arms[0].request.Progress, j.deadline)
	}
	for _, a := range j.arms {
		a.out.bar = j.bar
	}
	return nil
}
