package script

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// Compile returns the program of one rank of a job for a resolved workload. Objects that are alike, but for a number in
// their names, are one family; each file is a family of its own. All ranks have the same number of dumps and epochs: an
// epoch for each dump, for what is before them and for what is after them, which steps of some ranks divide.
//
// A file that steps of some ranks create and all ranks open then is two families with the same name: the objects belong
// to the last one of them, and batches name the one that is open. Each dataset of a transfer is one transfer; buffers
// have sizes, but no memory.
func (r Resolved) Compile(rank int64, job Job) (workload.Program, error) {
	if _, err := r.Amount(job); err != nil { // checks the job, values and limits
		return workload.Program{}, err
	}
	if rank < 0 || rank >= job.Ranks {
		return workload.Program{}, r.Name.pos.Errorf("rank %d of %d: ranks count from 0", rank, job.Ranks)
	}
	c := &compiler{
		families: families{
			walker: walker{Workload: &r.Workload, job: job, env: map[string]int64{}, unroll: true},
			rank:   rank, files: map[fileKey]int{}, made: map[string]*family{}, split: map[string]map[string]bool{},
			final: map[string][]uint64{},
		},
		moves: map[string][]int{}, extents: map[string][]uint64{}, attributes: map[string][]int{},
	}
	c.own = func(n uint64) (from, to uint64) {
		first, number := bounds(int64(n), job.Ranks, rank)
		return uint64(first), uint64(first + number)
	}
	for _, p := range []*Part{r.Write, r.Read} {
		if p != nil {
			n, err := c.count(&p.Dumps, "the number of dumps", 1)
			if err != nil {
				return workload.Program{}, err
			}
			c.dumps = max(c.dumps, n)
		}
	}
	c.alike = func(o *Object, variable string) bool {
		in := c.root(o)
		f := c.Files[in]
		return !c.splits(&f, in)[variable]
	}
	if r.Write != nil {
		c.walker.step = c.finish
		if err := c.part(r.Write); err != nil {
			return workload.Program{}, err
		}
	}
	c.walker.step, c.begin, c.group = c.step, c.dump, c.some
	for op, p := range []*Part{r.Write, r.Read} {
		if p == nil {
			continue
		}
		c.op, c.done, c.visits = workload.Op(op), 0, 0
		if err := c.compile(p); err != nil {
			return workload.Program{}, err
		}
	}
	c.p.Place()
	if err := c.p.Check(); err != nil {
		return workload.Program{}, r.atFault(err)
	}
	return c.p, nil
}

// atFault returns the error of a program, at the line of its step.
func (r Resolved) atFault(err error) error {
	f, is := errors.AsType[*workload.Fault](err)
	file := r.Name.pos.file
	if !is || file == nil || f.Line == 0 {
		return r.Name.pos.Errorf("%v", err)
	}
	line := file.lines[f.Line-1]
	return Pos{f.Line, 1 + len(line) - len(strings.TrimLeft(line, " -")), file}.Errorf("%s", f.Reason)
}

// compiler makes the program of a rank.
type compiler struct {
	families
	op     workload.Op
	epochs *[]workload.Epoch // to which steps are added
	ended  bool              // the next step is in an epoch of its own

	moves      map[string][]int    // of transfers; of those in one call the first one
	extents    map[string][]uint64 // of datasets now that were extended, by family
	attributes map[string][]int    // families, by owner
}

// compile compiles a part.
func (c *compiler) compile(p *Part) error {
	part := &c.p.Parts[c.op]
	var err error
	if part.Handles, err = c.handled(p); err != nil {
		return err
	}
	c.epochs = &part.Begin
	if err := c.steps(p.Begin, 1); err != nil {
		return err
	}
	dumps, err := c.count(&p.Dumps, "the number of dumps", 1)
	if err == nil {
		err = c.loop("dump", dumps, p.Dump, 1)
	}
	if err != nil {
		return err
	}
	c.epochs = &part.End
	return c.steps(p.End, 1)
}

// dump begins a dump.
func (c *compiler) dump() error {
	part := &c.p.Parts[c.op]
	part.Dumps = append(part.Dumps, workload.Dump{})
	c.epochs = &part.Dumps[len(part.Dumps)-1].Epochs
	return nil
}

// add adds a step to the epoch.
func (c *compiler) add(s workload.Step) {
	if len(*c.epochs) == 0 || c.ended {
		*c.epochs, c.ended = append(*c.epochs, workload.Epoch{}), false
	}
	s.Op, s.Line = c.op, c.line
	last := &(*c.epochs)[len(*c.epochs)-1]
	last.Steps = append(last.Steps, s)
}

// batch adds a batch.
func (c *compiler) batch(b workload.Batch) { c.add(workload.Step{Batch: b}) }

// some does steps of some ranks, in an epoch of their own.
func (c *compiler) some(where Where, steps func() error) error {
	*c.epochs, c.ended = append(*c.epochs, workload.Epoch{}), false
	_, place := share(c.job.Ranks, c.job.Nodes, c.rank)
	var err error
	switch {
	case where == OnTurns:
		before, after := c.neighbours()
		line := c.line
		turn := func(t workload.Turn, neighbour int) {
			c.add(workload.Step{
				Batch: workload.Batch{Class: workload.Fence, Move: workload.NoMove},
				Group: workload.Band, Turn: t, Neighbour: neighbour,
			})
		}
		turn(workload.Await, before)
		err = steps()
		c.line = line
		turn(workload.Pass, after)
	case where == OnRoot && c.rank == 0, where == OnLeaders && place == 0:
		err = steps()
	default: // objects have the same places in plain files on all ranks
		do := c.walker.step
		c.walker.step = c.note
		err = steps()
		c.walker.step = do
	}
	c.ended = true
	return err
}

// note makes the families of the objects of a step that other ranks do.
func (c *compiler) note(s *Step, _ uint64) error {
	for _, name := range s.about() {
		if _, is := c.Files[name.text]; is {
			continue
		}
		err := c.eachRun(name.text, func(r run) (err error) {
			switch s.verb {
			case "create":
				delete(c.extents, r.key)
			case "extend":
				c.extents[r.key], err = c.extended(s)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// neighbours returns the ranks before and after this one in its band.
func (c *compiler) neighbours() (before, after int) {
	band, place := share(c.job.Ranks, c.bands, c.rank)
	_, number := bounds(c.job.Ranks, c.bands, band)
	before, after = workload.NoRank, workload.NoRank
	if place > 0 {
		before = int(c.rank) - 1
	}
	if place < number-1 {
		after = int(c.rank) + 1
	}
	return before, after
}

// follows reports whether another rank of the band has done these steps before this one.
func (c *compiler) follows() bool {
	if c.on != OnTurns {
		return false
	}
	before, _ := c.neighbours()
	return before != workload.NoRank
}

// finish keeps the extents that datasets have when all is written.
func (c *compiler) finish(s *Step, _ uint64) error {
	if s.verb != "extend" {
		return nil
	}
	dims, err := c.extended(s)
	if err != nil {
		return err
	}
	o := c.Objects[s.Extend.text]
	return c.members(&o, func(uint64) error {
		k, err := c.key(s.Extend.text)
		if err != nil {
			return err
		}
		final := slices.Clone(dims)
		for d, n := range c.final[k.text] {
			final[d] = max(final[d], n)
		}
		c.final[k.text] = final
		return nil
	})
}

func (c *compiler) step(s *Step, _ uint64) error {
	classes := map[string]workload.Class{
		"create": workload.Create, "open": workload.Open, "close": workload.ObjectClose, "unlink": workload.Unlink,
	}
	switch s.verb {
	case "create", "open", "close", "unlink":
		for _, name := range s.about() {
			var err error
			if _, is := c.Files[name.text]; is {
				err = c.openClose(s.verb, name.text)
			} else {
				o := c.Objects[name.text]
				class := classes[s.verb]
				f := c.Files[c.root(&o)]
				if s.verb == "create" && !f.Per.has(PerRank) && !c.owned(&o) && c.follows() {
					class = workload.Open // another rank has created it
				}
				err = c.eachRun(name.text, func(r run) error {
					if s.verb == "create" {
						delete(c.extents, r.key)
					}
					c.batch(r.batch(class))
					return nil
				})
			}
			if err != nil {
				return err
			}
		}
	case "flush":
		for _, name := range s.Flush {
			file, err := c.openFile(name.text)
			if err != nil {
				return err
			}
			c.batch(workload.Batch{Class: workload.Sync, File: file, Move: workload.NoMove})
		}
	case "attributes":
		for _, name := range s.Attributes {
			if err := c.attributesOf(name.text); err != nil {
				return err
			}
		}
	case "extend":
		dims, err := c.extended(s)
		if err != nil {
			return err
		}
		return c.eachRun(s.Extend.text, func(r run) error {
			c.extents[r.key] = dims
			b := r.batch(workload.Extend)
			b.Extent = dims
			c.batch(b)
			return nil
		})
	case "compute":
		d, err := c.duration(s.Compute)
		if d == 0 {
			return err
		}
		c.add(workload.Step{Batch: workload.Batch{Class: workload.Compute, Move: workload.NoMove}, Duration: d})
		return err
	case "fence":
		c.add(workload.Step{Batch: workload.Batch{Class: workload.Fence, Move: workload.NoMove}, Group: workload.All})
	case "write", "read":
		return c.transfer(s)
	}
	return nil
}

// openClose opens or closes a file.
func (c *compiler) openClose(verb, name string) error {
	file, err := c.openFile(name)
	b := workload.Batch{Class: workload.FileOpen, File: file, Move: workload.NoMove}
	if verb == "close" {
		b.Class = workload.FileClose
	}
	again := !c.Files[name].Per.has(PerRank) && c.follows() // another rank has created it
	b.Existing = c.op == workload.Write && (verb == "open" || again)
	c.batch(b)
	return err
}

// run are consecutive members of a family.
type run struct {
	key          string // of the family
	file, object int
	first, count uint64
	env          map[string]int64 // values of variables of the first one
}

// batch returns a batch about the members.
func (r run) batch(class workload.Class) workload.Batch {
	return workload.Batch{
		Class: class, File: r.file, Object: r.object, First: r.first, Count: r.count, Move: workload.NoMove,
	}
}

// eachRun calls do for all objects that a name stands for, with the values of variables of the first one of each run.
func (c *compiler) eachRun(name string, do func(run) error) error {
	o := c.Objects[name]
	var all []run
	err := c.members(&o, func(count uint64) error {
		k, err := c.key(name)
		if err != nil {
			return err
		}
		f, err := c.family(k)
		if err != nil {
			return err
		}
		file, member := c.p.Objects[f.index].File, f.member(k)
		if last := len(all) - 1; last >= 0 && all[last].object == f.index && all[last].first+all[last].count == member {
			all[last].count += count
			return nil
		}
		all = append(all, run{k.text, file, f.index, member, count, maps.Clone(c.env)})
		return nil
	})
	outer := c.env
	defer func() { c.env = outer }()
	for _, r := range all {
		if err == nil {
			c.env = r.env
			err = do(r)
		}
	}
	return err
}

// attributesOf adds the batches for the attributes of a file or of objects.
func (c *compiler) attributesOf(name string) error {
	f, is := c.Files[name]
	if is {
		file, err := c.openFile(name)
		if err != nil {
			return err
		}
		return c.attribute(fmt.Sprint("file ", file), f.Attributes, run{
			file: file, object: workload.NoParent,
			count: 1,
		})
	}
	o := c.Objects[name]
	return c.eachRun(name, func(r run) error { return c.attribute(r.key, o.Attributes, r) })
}

// attribute adds the batches for the attributes of an owner.
func (c *compiler) attribute(owner string, all Attributes, r run) error {
	if _, is := c.attributes[owner]; !is {
		var made []int
		for i := range all {
			a, err := c.attributeFamily(&all[i])
			if err != nil {
				return err
			}
			made = append(made, len(c.p.Attributes))
			c.p.Attributes = append(c.p.Attributes, a)
		}
		c.attributes[owner] = made
	}
	for _, a := range c.attributes[owner] {
		b := r.batch(workload.Attribute)
		b.Attributes = a
		c.batch(b)
	}
	return nil
}

func (c *compiler) attributeFamily(a *Attribute) (workload.Attributes, error) {
	w := workload.Attributes{Count: 1, Null: a.Empty}
	var err error
	if a.Count == nil {
		w.Name, err = c.name(a.Name, map[string]int64{"rank": c.rank})
		w.Name = workload.Literal(w.Name)
	} else {
		w.Count, err = c.count(a.Count, "the number of attributes", 0)
		before, after, width, is := a.Name.text.Family("i")
		if !is {
			return w, a.Name.pos.Errorf("the name of several attributes must have {i}, and no other number")
		}
		w.Name = format(before, width, after)
	}
	if err != nil {
		return w, err
	}
	if w.Type, err = c.typ(&a.Type); err != nil {
		return w, err
	}
	w.Dims, err = c.counts(a.Extent, "the extent of an attribute")
	return w, err
}

// transfer adds the transfers of a step.
func (c *compiler) transfer(s *Step) error {
	var together workload.Batch
	first := len(c.p.Moves)
	moves := []int{}
	for _, word := range s.about() {
		o := c.Objects[word.text]
		pieces, err := c.pieces(s, word.text, &o)
		if err != nil {
			return err
		}
		err = c.eachRun(word.text, func(r run) error {
			for _, p := range pieces {
				own, err := c.movesOf(s, word.text, &o, r, p)
				if err != nil {
					return err
				}
				if s.Select.Form == FormRuns {
					c.oneByOne(r, own)
					continue
				}
				move := own[0]
				b := transferOf(r, move)
				if !s.Together {
					c.selection(b, move)
					c.batch(b)
					continue
				}
				if len(moves) > 0 && (b.First != together.First || b.Count != together.Count ||
					b.File != together.File) {
					return s.pos.Errorf("together: the datasets of one call must be in one file and have the same " +
						"numbers")
				}
				moves, together = append(moves, move), b
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if !s.Together || len(moves) == 0 {
		return nil
	}
	key := fmt.Sprint("together ", moves)
	known, is := c.moves[key]
	if !is { // one after another
		at := moves[0]
		if at < first || len(c.p.Moves)-first != len(moves) {
			at = len(c.p.Moves)
			for _, m := range moves {
				c.p.Moves = append(c.p.Moves, c.p.Moves[m])
			}
		}
		known = []int{at}
		c.moves[key] = known
	}
	at := known[0]
	for i := range moves {
		c.selection(together, at+i)
	}
	together.Move, together.Together = at, len(moves)
	c.batch(together)
	return nil
}

// transferOf returns the batch that transfers datasets with a move.
func transferOf(r run, move int) workload.Batch {
	b := r.batch(workload.Transfer)
	b.Move, b.Times, b.Whole = move, 1, true
	return b
}

// oneByOne adds the transfers of datasets of which each has several.
func (c *compiler) oneByOne(r run, moves []int) {
	for k := range r.count {
		one := r
		one.first, one.count = r.first+k, 1
		for _, move := range moves {
			b := transferOf(one, move)
			c.selection(b, move)
			c.batch(b)
		}
	}
}

// selection adds the batch that builds the selection of a move.
func (c *compiler) selection(transfer workload.Batch, move int) {
	c.batch(workload.Batch{
		Class: workload.Select, File: transfer.File, Object: c.p.Moves[move].Object, First: transfer.First, Count: 1,
		Move: move,
	})
}

// movesOf returns the moves of a piece of a dataset: one, or in the form runs one for each run.
func (c *compiler) movesOf(s *Step, name string, o *Object, r run, p piece) ([]int, error) {
	dims, err := c.dims(r.key, o, c.extents)
	if err != nil {
		return nil, err
	}
	rl, err := c.rule(s.Select)
	if err != nil {
		return nil, err
	}
	rank, ranks, err := c.seat(o)
	if err != nil {
		return nil, err
	}
	collective := s.Mode.word == collective
	key := fmt.Sprint(r.object, dims, rl, rank, ranks, p.member, p.form, p.within, collective, s.Select.Union,
		s.Select.Form)
	if known, is := c.moves[key]; is {
		return known, nil
	}
	m := workload.Move{
		Object: r.object, Listed: true, Rule: rl, Form: p.form, Member: p.member, Within: p.within,
		OneRun: s.Select.Form == FormRuns, Collective: collective,
	}
	if s.Select.Union == unionOr {
		m.Union = workload.Or
	}
	fail := func(err error) ([]int, error) { return nil, s.Select.pos.Errorf("%s, %v: %v", name, dims, err) }
	part, err := rl.Selection(dims, p.typ.Bytes(), uint64(rank), uint64(ranks))
	if err != nil {
		return fail(err)
	}
	selections := []pattern.Selection{part}
	switch s.Select.Form {
	case FormPoints:
		selections[0], err = part.AsPoints()
	case FormRuns:
		selections, err = part.Pieces()
	}
	for i := 0; i < len(selections) && err == nil; i++ {
		m.Selection = selections[i]
		if err = m.Complete(&c.p.Objects[m.Object], p.typ); err == nil {
			c.moves[key] = append(c.moves[key], len(c.p.Moves))
			c.p.Moves = append(c.p.Moves, m)
		}
	}
	if err != nil {
		return fail(err)
	}
	return c.moves[key], nil
}

// seat returns the number of the rank among those that share a dataset, and their number.
func (c *compiler) seat(o *Object) (rank, ranks int64, err error) {
	f, _, _ := c.holder(o)
	switch {
	case f.Per.has(PerRank), c.owned(o), c.on == OnRoot:
		return 0, 1, nil
	case f.Per.has(PerBand):
		bands, err := c.count(f.Bands, "the number of bands", 1)
		if err != nil {
			return 0, 0, err
		}
		band, place := share(c.job.Ranks, int64(bands), c.rank)
		_, number := bounds(c.job.Ranks, int64(bands), band)
		return place, number, nil
	case c.on == OnLeaders:
		node, _ := share(c.job.Ranks, c.job.Nodes, c.rank)
		return node, c.job.Nodes, nil
	}
	return c.rank, c.job.Ranks, nil
}
