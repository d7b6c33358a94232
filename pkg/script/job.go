package script

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"go.starlark.net/starlark"

	"h5perf/pkg/workload"
)

// jobValue is the value job, which the script uses to do the steps of one rank.
type jobValue struct {
	baseValue
	execution *execution
}

// jobMethods holds the methods of job, which write(job) and read(job) may call.
var jobMethods = newMethodSet(map[string]builtinFunc{
	"create": createOrOpenFile, "open": createOrOpenFile, "dump": beginDump, "end": endDumps, "compute": addCompute,
	"fence": addFence, "root": runOnRootOrLeaders,
	"leaders": runOnRootOrLeaders, "turns": runInTurns, "deal": dealToRanks, "handles": setHandledUnits,
	"write_multi": func(c builtinCall) (starlark.Value, error) { return transferTogether(c, workload.Write) },
	"read_multi":  func(c builtinCall) (starlark.Value, error) { return transferTogether(c, workload.Read) },
})

// Attr returns a property of the job such as ranks, a size or choice of the script, or a method.
func (j *jobValue) Attr(name string) (starlark.Value, error) {
	switch name {
	case "ranks":
		return starlark.MakeInt64(j.execution.job.Ranks), nil
	case "nodes":
		return starlark.MakeInt64(j.execution.job.Nodes), nil
	}
	_, is := jobMethods[name]
	if (is || name == "rank" || name == "node") && j.execution.recorder == nil {
		return nil, fmt.Errorf("job.%s is for write(job) and read(job), not for the top level of the script", name)
	}
	switch {
	case is:
		return jobMethods.boundMethod(j, name)
	case name == "rank":
		j.execution.recorder.dependsOnRank = true
		return starlark.MakeInt64(j.execution.recorder.rank), nil
	case name == "node":
		j.execution.recorder.dependsOnRank = true
		node, _, _, _ := j.execution.job.groupOfRank(j.execution.job.Nodes, j.execution.recorder.rank)
		return starlark.MakeInt64(node), nil
	}
	for _, x := range j.execution.declared.Sizes {
		if x.Name == name {
			return starlark.MakeInt64(x.Value), nil
		}
	}
	for _, x := range j.execution.declared.Choices {
		if x.Name == name {
			return starlark.String(x.Word), nil
		}
	}
	return nil, nil
}

// AttrNames returns all names that Attr accepts.
func (j *jobValue) AttrNames() []string {
	known := slices.Collect(maps.Keys(j.execution.declared.Values()))
	return jobMethods.sortedNames(append(known, "rank", "ranks", "node", "nodes")...)
}

// createOrOpenFile opens or creates a file.
func createOrOpenFile(c builtinCall) (starlark.Value, error) {
	var name string
	var alone bool
	create := c.name == "create"
	var order orderArgument
	times, objectFiles := true, false
	err := c.unpackArgs("name", &name, "alone?", &alone, "track_order?", &order, "track_times?", &times,
		"object_files?", &objectFiles)
	if create {
		err = cmp.Or(err, c.checkWriting())
	}
	if err != nil {
		return nil, err
	}
	if objectFiles {
		c.recorder.objectFiles[name] = true
	}
	h, err := c.recorder.openNamedFile(name, create, alone)
	if err != nil || !create {
		return h, err
	}
	return h, c.recorder.setFileTracking(h.file, trackingOf(workload.GroupObject, order, times))
}

// beginDump implements job.dump: the following steps are part of a new dump.
func beginDump(c builtinCall) (starlark.Value, error) {
	r := c.recorder
	part := &r.rankProgram.Parts[r.op]
	switch err := c.unpackArgs(); {
	case err != nil:
		return nil, err
	case r.acting != everyRank:
		return nil, errors.New("all ranks begin a dump together: end the steps of some of them first")
	case r.epochs == &part.End:
		return nil, errors.New("a dump after job.end(): there is none")
	}
	part.Dumps = append(part.Dumps, workload.Dump{})
	r.epochs, r.epochEnded = &part.Dumps[len(part.Dumps)-1].Epochs, false
	r.noteFence()
	return nil, nil
}

// endDumps implements job.end: the following steps are done once, after all dumps.
func endDumps(c builtinCall) (starlark.Value, error) {
	r := c.recorder
	if err := c.unpackArgs(); err != nil || r.acting != everyRank {
		return nil, cmp.Or(err, errors.New("all ranks end the dumps together"))
	}
	r.epochs, r.epochEnded = &r.rankProgram.Parts[r.op].End, false
	r.noteFence()
	return nil, nil
}

// addCompute implements job.compute: it adds a step in which the application computes for a time.
func addCompute(c builtinCall) (starlark.Value, error) {
	var s, ms, us decimalArgument
	if err := c.unpackArgs("seconds?", &s, "milliseconds?", &ms, "microseconds?", &us); err != nil {
		return nil, err
	}
	const most = math.MaxInt64 / int64(time.Second)
	given := float64(s + ms/1e3 + us/1e6)
	if len(c.args)+len(c.kwargs) != 1 || given > float64(most) {
		return nil, fmt.Errorf("compute: give seconds, milliseconds or microseconds, at most %d s", most)
	}
	d := time.Duration(math.Round(float64(s*1e9 + ms*1e6 + us*1e3)))
	if d == 0 {
		return nil, nil
	}
	return nil, c.recorder.addStep(workload.Step{
		Batch: workload.Batch{Class: workload.Compute, Move: workload.NoMove}, Duration: d,
	})
}

// addFence implements job.fence: it adds a step in which all ranks wait for one another.
func addFence(c builtinCall) (starlark.Value, error) {
	if err := c.unpackArgs(); err != nil || c.recorder.acting != everyRank {
		return nil, cmp.Or(err, errors.New("a fence is for all ranks: end the steps of some of them first"))
	}
	c.recorder.noteFence()
	return nil, c.recorder.addBatch(workload.Batch{Class: workload.Fence})
}

// runOnRootOrLeaders implements job.root, which does steps on rank 0, and job.leaders, which does them on the first
// rank of each node.
func runOnRootOrLeaders(c builtinCall) (starlark.Value, error) {
	var body starlark.Callable
	if err := c.unpackArgs("steps", &body); err != nil {
		return nil, err
	}
	if c.name == "root" {
		return c.recorder.runOnRanks(rootRank, c.recorder.rank != 0, body)
	}
	_, place, _, _ := c.job.groupOfRank(c.job.Nodes, c.recorder.rank)
	return c.recorder.runOnRanks(leaderRanks, place != 0, body)
}

// runInTurns implements job.turns: in each group of ranks, one rank after another does the steps.
func runInTurns(c builtinCall) (starlark.Value, error) {
	var body starlark.Callable
	bands := int64(1)
	if err := c.unpackArgs("steps", &body, "groups?", &bands); err != nil {
		return nil, err
	}
	if bands < 1 || bands > c.job.Ranks {
		return nil, fmt.Errorf("turns: %d groups of %d ranks: there must be a rank in each", bands, c.job.Ranks)
	}
	band, _, _, _ := c.job.groupOfRank(bands, c.recorder.rank)
	c.recorder.numTurnGroups = bands
	return c.recorder.runOnRanks(inTurns, false, body, starlark.MakeInt64(band))
}

// dealToRanks implements job.deal: it divides n numbered objects among the ranks and returns the numbers of this rank's
// objects, as an argument for numbered.
func dealToRanks(c builtinCall) (starlark.Value, error) {
	var all uint64
	if err := c.unpackArgs("n", &all); err != nil {
		return nil, err
	}
	c.recorder.dependsOnRank = true
	from, to := workload.EvenShare(all, uint64(c.recorder.rank), uint64(c.job.Ranks))
	return &dealValue{baseValue{"deal"}, all, from, to}, nil
}

// maxHandled is the largest number of units of one name that a dump handles.
const maxHandled = 1 << 40

// setHandledUnits implements job.handles: it sets how many units, such as samples, each dump handles.
func setHandledUnits(c builtinCall) (starlark.Value, error) {
	part := &c.recorder.rankProgram.Parts[c.recorder.op]
	if len(c.args) > 0 {
		return nil, errors.New("handles: give units by their names, such as handles(samples = 8)")
	}
	before := part.Quantities
	part.Quantities = nil
	for _, kv := range c.kwargs {
		n, err := parseCount(kv[1])
		if err != nil || n > maxHandled {
			return nil, fmt.Errorf("handles: %s is no number from 0 to %d", valueText(kv[1]), int64(maxHandled))
		}
		part.Quantities = append(part.Quantities, workload.Quantity{Name: string(kv[0].(starlark.String)), Number: n})
	}
	slices.SortFunc(part.Quantities, func(a, b workload.Quantity) int { return cmp.Compare(a.Name, b.Name) })
	if before != nil && !slices.Equal(before, part.Quantities) {
		return nil, errors.New("handles: other numbers than before: give once what each dump handles, of all ranks " +
			"together")
	}
	return nil, nil
}
