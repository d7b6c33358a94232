package script

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"go.starlark.net/starlark"

	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// transferRequest holds the arguments of a transfer.
type transferRequest struct {
	part       partArgument
	collective bool
	memory     memoryValue
	selection  string // how HDF5 selects the part: "merge", "or", "points" or "runs"
	together   bool   // one call transfers several datasets
	op         workload.Op
}

// writeOrReadDataset implements the methods write and read of datasets.
func writeOrReadDataset(h *objectHandle, c builtinCall) (starlark.Value, error) {
	op := workload.Read
	if c.name == "write" {
		op = workload.Write
		if err := c.checkWriting(); err != nil {
			return nil, err
		}
	}
	return nil, c.transferDatasets([]*objectHandle{h}, op, false)
}

// transferDatasets unpacks the arguments of a transfer and adds the transfers of the datasets.
func (c builtinCall) transferDatasets(all []*objectHandle, op workload.Op, together bool) error {
	t := transferRequest{selection: "merge", together: together, op: op}
	if err := c.unpackArgs("part", &t.part, "collective?", &t.collective, "memory??", &t.memory, "select?",
		&t.selection); err != nil {
		return err
	}
	if err := checkOneOf("select", t.selection, "merge", "or", "points", "runs"); err != nil {
		return err
	}
	p := t.part.partValue
	if err := c.chargeMemory(64*p.numSlabs + 8*len(p.points) + 16*len(p.rule.Each)); err != nil || c.recorder.inactive {
		return err
	}
	return c.recorder.addTransfers(all, &t)
}

func (r *recorder) addTransfers(all []*objectHandle, t *transferRequest) error {
	var together workload.Batch
	first := len(r.rankProgram.Moves)
	var moves []int
	for _, h := range all {
		if h.count == 0 {
			continue
		}
		o := &r.rankProgram.Objects[h.object]
		if o.Null {
			return fmt.Errorf("%s is empty: there is nothing to transfer", h.pathText())
		}
		if err := cmp.Or(checkVariableTransfer(h, o, t), r.checkWritable(h, o, t),
			r.checkOneDirection(h, t.op)); err != nil {
			return err
		}
		if _, ranks := r.rankInFile(h); t.op == workload.Write && r.acting == everyRank && ranks > 1 && !t.collective {
			r.recordUnfencedWrites(h)
		}
		pieces, err := t.memory.datasetTransfers(o.NameOf(h.first), o.Type)
		if err != nil {
			return err
		}
		for i := range pieces {
			own, err := r.movesOfDataset(h, t, &pieces[i])
			if err != nil {
				return fmt.Errorf("%s, %v: %w", h.pathText(), r.objectStates[h.object].dims, err)
			}
			switch {
			case t.selection == "runs":
				err = r.addOneByOne(h, t.op, own)
			case t.together && len(moves) > 0 && (h.first != together.First || h.count != together.Count ||
				h.file.index != together.File):
				err = errors.New("the datasets of one call must be in one file, and as many of each row")
			case t.together:
				moves, together = append(moves, own[0]), h.newTransferBatch(t.op, own[0])
			default:
				err = cmp.Or(r.addSelection(h, own[0]),
					r.addStep(workload.Step{Batch: h.newTransferBatch(t.op, own[0])}))
			}
			if err != nil {
				return err
			}
		}
	}
	if len(moves) == 0 {
		return nil
	}
	key := fmt.Sprint("together ", moves)
	known, is := r.moves[key]
	if !is { // one after another
		at := moves[0]
		if at < first || len(r.rankProgram.Moves)-first != len(moves) {
			at = len(r.rankProgram.Moves)
			for _, m := range moves {
				r.appendMove(r.rankProgram.Moves[m], r.recipes[m])
				r.recipes[len(r.recipes)-1].repeated = true
			}
		}
		known = []int{at}
		r.moves[key] = known
	}
	for i := range moves {
		h := *all[0]
		h.object = r.rankProgram.Moves[known[0]+i].Object
		if err := r.addSelection(&h, known[0]+i); err != nil {
			return err
		}
	}
	together.Move, together.MultiMoves = known[0], len(moves)
	return r.addStep(workload.Step{Batch: together})
}

// checkWritable returns an error if parallel HDF5 cannot do the requested write to a dataset: independent writes
// through filters, or writes to a compact dataset that are not the same on all ranks.
func (r *recorder) checkWritable(h *objectHandle, o *workload.Object, t *transferRequest) error {
	rule := t.part.rule
	alike := t.collective && rule.Name == workload.AllRule && rule.Ranks == 0 && rule.Record == nil
	switch _, ranks := r.rankInFile(h); {
	case t.op == workload.Read || ranks == 1:
	case len(o.Filters) > 0 && !t.collective:
		return fmt.Errorf("%s has filters: parallel HDF5 writes such data in collective mode only, or by one "+
			"rank that has the file for itself", h.pathText())
	case o.Compact && r.acting == everyRank && !alike:
		return fmt.Errorf("%s is compact, and so a part of the metadata, which all ranks write alike: write "+
			"everything() with collective = True, or leave out compact", h.pathText())
	}
	return nil
}

// checkVariableTransfer returns an error if a dataset has a variable length, and HDF5 cannot transfer it in the
// requested way. Parallel HDF5 reads such data, but does not write them to a file that ranks have opened together, even
// if there is one rank only.
func checkVariableTransfer(h *objectHandle, o *workload.Object, t *transferRequest) error {
	switch {
	case !o.Type.IsVariable():
	case t.op == workload.Write && h.recorder.rankProgram.Files[h.file.index].Group == workload.All:
		return fmt.Errorf("%s has a variable length, which parallel HDF5 does not write: let a rank have the file for "+
			"itself, by job.create(name, alone = True) with a name for each rank, or in job.root(f)", h.pathText())
	case t.together:
		return fmt.Errorf("%s has a variable length: transfer it by itself, not with others in one call", h.pathText())
	case t.memory.members != nil, t.memory.structureType != nil, t.memory.form.Kind != pattern.Dense:
		return fmt.Errorf("%s has a variable length, so that memory has pointers to its values, one after another: "+
			"leave out memory", h.pathText())
	}
	return nil
}

// unfencedTransfer is the last transfer of a file since all ranks waited for one another.
type unfencedTransfer struct {
	op   workload.Op
	line int
}

// checkOneDirection returns an error if all ranks write a file that slower or faster ranks may read at the same time,
// or read a file that others may write: parallel HDF5 says nothing about what they then get.
func (r *recorder) checkOneDirection(h *objectHandle, op workload.Op) error {
	if _, ranks := r.rankInFile(h); r.op == workload.Read || r.acting != everyRank || ranks == 1 {
		return nil
	}
	before, is := r.unfencedByFile[h.file.name]
	if is && before.op != op {
		return fmt.Errorf("the file %s is open for all ranks, and some may still %s it (line %d) while others %s it, "+
			"for which parallel HDF5 makes no promise: %s another file, or call job.fence() before", h.file.name,
			before.op, before.line, op, op)
	}
	r.unfencedByFile[h.file.name] = unfencedTransfer{op, r.currentLine()}
	return nil
}

// newTransferBatch returns the batch that transfers datasets in a direction with the given move.
func (h *objectHandle) newTransferBatch(op workload.Op, move int) workload.Batch {
	b := h.newBatch(workload.Transfer)
	b.Op = op
	b.Move, b.NumTransfers, b.BeginsAndEnds = move, 1, true
	return b
}

// addSelection adds the batch that builds the selection of a move.
func (r *recorder) addSelection(h *objectHandle, move int) error {
	b := h.newBatch(workload.Select)
	b.Count, b.Move = 1, move
	return r.addStep(workload.Step{Batch: b})
}

// addOneByOne adds the transfers of datasets with several moves each, dataset by dataset.
func (r *recorder) addOneByOne(h *objectHandle, op workload.Op, moves []int) error {
	for k := range h.count {
		one := *h
		one.first, one.count = h.first+k, 1
		for _, move := range moves {
			if err := cmp.Or(r.addSelection(&one, move),
				r.addStep(workload.Step{Batch: one.newTransferBatch(op, move)})); err != nil {
				return err
			}
		}
	}
	return nil
}

// selectionRecipe holds what is needed to make the selection of a move for any rank of a job.
type selectionRecipe struct {
	part         *partValue
	dims         []uint64 // extent of the dataset
	elementBytes uint64   // size of an element in bytes
	points       bool     // elements are selected one by one
	repeated     bool     // the move is a copy of an earlier one
	shared       bool     // all ranks of the job share the dataset
	rank, ranks  uint64   // number of this rank among the ranks that share the dataset, and how many these are
	line         int      // line of the script
}

var errTooManySelected = fmt.Errorf(
	"the selections of a rank have more than %d hyperslabs and points, the limit: take fewer "+
		"or larger ones", maxSelected)

// selectionOfRank returns the selection of a rank. It adds the number of coordinates of its hyperslabs and points to
// listed, and returns an error if listed exceeds maxSelected.
func (d *selectionRecipe) selectionOfRank(rank uint64, listed *uint64) (pattern.Selection, error) {
	if !d.shared {
		rank = d.rank
	}
	one, err := d.part.selectionOfRank(d.dims, d.elementBytes, rank, d.ranks)
	if err != nil {
		return one, err
	}
	if d.points {
		*listed += saturatingProduct(one.NumElements(), uint64(len(d.dims)))
	} else {
		starts, _ := one.Boxes()
		*listed += uint64(len(starts)) + uint64(len(one.Coordinates()))
	}
	if *listed > maxSelected {
		return one, errTooManySelected
	}
	if d.points {
		return one.AsPoints()
	}
	return one, nil
}

// setAllBytes sets m.AllBytes, the number of bytes that all ranks of the job transfer together. It assumes that all
// ranks do the same steps as this rank.
func (d *selectionRecipe) setAllBytes(m *workload.Move, ranks uint64) {
	own, selected := m.TransferBytes(), m.Selection.NumElements()*d.elementBytes
	switch {
	case !d.shared:
		m.AllBytes = own
	case d.part.isExplicit:
		m.AllBytes = saturatingProduct(own, ranks)
	default:
		all, err := d.part.rule.TotalBytes(d.dims, d.elementBytes, d.ranks)
		if err == nil && (m.Member == "" || selected > 0) {
			m.AllBytes = all
			if m.Member != "" { // a part of each element
				m.AllBytes = all / d.elementBytes * (own / m.Selection.NumElements())
			}
		}
	}
}

// movesOfDataset returns the indices of the moves for the transfer p of a dataset. There is one move or, with the
// selection "runs", one for each run.
func (r *recorder) movesOfDataset(h *objectHandle, t *transferRequest, p *datasetTransfer) ([]int, error) {
	rank, ranks := r.rankInFile(h)
	d := selectionRecipe{
		part: t.part.partValue, dims: r.objectStates[h.object].dims,
		elementBytes: r.rankProgram.Objects[h.object].Type.Bytes(),
		points:       t.selection == "points", shared: r.acting == everyRank && ranks > 1, rank: rank, ranks: ranks,
		line: r.currentLine(),
	}
	r.keyBuffer = appendNumbers(appendNumbers(r.keyBuffer[:0], uint64(h.object), rank, ranks), d.dims...)
	collective := t.collective && r.rankProgram.Files[h.file.index].Group == workload.All // one rank has no others
	r.keyBuffer = append(strconv.AppendBool(append(r.keyBuffer, t.selection...), collective), d.part.comparisonKey()...)
	if r.op == workload.Write && t.op == workload.Read { // has memory of its own
		r.keyBuffer = append(r.keyBuffer, " read back"...)
	}
	if p.form.Kind != pattern.Dense || p.member != "" {
		r.keyBuffer = fmt.Appendf(r.keyBuffer, "%#v", *p)
	}
	if known, is := r.moves[string(r.keyBuffer)]; is {
		return known, nil
	}
	key := string(r.keyBuffer)
	m := workload.Move{
		Object: h.object, Listed: true, Form: p.form, Member: p.member, StructureType: p.structureType,
		Collective: collective,
		OneRun:     t.selection == "runs",
	}
	if !d.part.isExplicit {
		m.Rule = d.part.rule
	}
	if t.selection == "or" {
		m.Union = workload.UnionOr
	}
	one, err := d.selectionOfRank(rank, &r.numSelected)
	if err == nil && collective && d.part.hasRepeatedPoint(len(d.dims)) {
		err = errors.New("points has an element twice, which MPI cannot transfer in collective mode: leave out the " +
			"second one, or collective")
	}
	selections := []pattern.Selection{one}
	if t.selection == "runs" && err == nil {
		r.dependsOnRank = true // ranks differ in the number of runs
		if one.Kind() == pattern.Singular {
			r.numSelected += saturatingProduct(one.NumElements(), uint64(len(d.dims)))
		}
		if r.numSelected > maxSelected {
			return nil, errTooManySelected
		}
		if one.Kind() == pattern.Regular || one.Kind() == pattern.Points {
			return nil, errors.New("select = \"runs\" is for a block, or a list of blocks: leave it out for points " +
				"and for parts with a stride, or give their blocks as a list of hyperslabs without strides")
		}
		selections, err = one.SplitIntoRuns()
	}
	var moves []int
	for _, m.Selection = range selections {
		switch {
		case err != nil:
		case p.form.Kind == pattern.Ghost && len(d.dims) == 0:
			err = errors.New("a scalar has no neighbours: leave out memory = ghost(..)")
		case p.form.Kind != pattern.Dense:
			_, err = p.form.MemoryBytes(m.Selection)
		}
		moves = append(moves, r.appendMove(m, d))
	}
	r.moves[key] = moves
	return moves, err
}

// appendMove adds a move and its recipe to the program, and returns the index of the move.
func (r *recorder) appendMove(m workload.Move, d selectionRecipe) int {
	r.rankProgram.Moves, r.recipes = appendDoubling(r.rankProgram.Moves, m), appendDoubling(r.recipes, d)
	return len(r.rankProgram.Moves) - 1
}

// transferTogether implements job.write_multi and job.read_multi, which transfer several datasets in one call.
func transferTogether(c builtinCall, op workload.Op) (starlark.Value, error) {
	if len(c.args) == 0 || c.recorder == nil || c.recorder.op != op {
		return nil, fmt.Errorf("%s([datasets], part) is for %s(job)", c.name, op)
	}
	list, is := c.args[0].(*starlark.List)
	if !is || list.Len() == 0 {
		return nil, fmt.Errorf("%s: give a list of datasets", c.name)
	}
	var all []*objectHandle
	for v := range list.Elements() {
		h, is := v.(*objectHandle)
		if !is || h.typeName != "dataset" {
			return nil, fmt.Errorf("%s: %s is no dataset", c.name, valueText(v))
		}
		if err := h.checkUsable(); err != nil {
			return nil, err
		}
		if c.recorder.objectFiles[h.file.name] {
			return nil, fmt.Errorf("%s: with object_files, %s is a file of its own with POSIX: transfer datasets one "+
				"after another", c.name, h.pathText())
		}
		all = append(all, h)
	}
	c.args = c.args[1:]
	return nil, c.transferDatasets(all, op, !c.oneByOne)
}
