package script

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"h5perf/pkg/usage"
	"h5perf/pkg/workload"
)

// actingRanks says which ranks do the current steps.
type actingRanks int

const (
	everyRank actingRanks = iota
	rootRank
	leaderRanks
	inTurns
)

// recorder records the steps of a rank as its program.
type recorder struct {
	*execution
	rank        int64
	rankProgram workload.Program

	op         workload.Op
	epochs     *[]workload.Epoch // steps are added to the last of these epochs
	epochEnded bool              // the next step begins a new epoch

	acting        actingRanks
	inactive      bool  // this rank does not take part in the current steps
	numTurnGroups int64 // in turns: number of groups of ranks that take turns

	numBatches, numSelected uint64
	files                   map[fileKey]int
	opened                  map[string]*openedFile
	objects                 map[objectKey]int
	objectStates            []objectState    // objectStates[i] is for Objects[i]
	objectsByFile           map[string][]int // by file: indices in Objects
	createdFiles            map[string]bool  // files that the script has created
	objectFiles             map[string]bool  // files whose objects are files of their own with POSIX
	trackedFiles            map[int]bool     // files whose Tracking is set, by their indices
	attributes              map[string]int
	attributesByOwner       map[attributeOwner][]int // indices in Attributes
	hasAttribute            map[ownedAttribute]bool
	moves                   map[string][]int
	unfencedByFamily        map[int]unfencedWrites      // by family of datasets; see noteFence
	unfencedByFile          map[string]unfencedTransfer // by name; see noteFence
	unfencedObjects         map[string]unfencedObjects  // by name; see noteFence
	keyBuffer               []byte                      // buffer for keys of moves and objects
	recipes                 []selectionRecipe           // recipes[i] is for rankProgram.Moves[i]
	// programs of other ranks may have other steps, apart from steps that only rank 0 does
	dependsOnRank bool
	rootDiffers   bool // rank 0 has steps that the others do not have
}

// fileKey identifies a file and the group of ranks that opens it.
type fileKey struct {
	name  string
	group workload.RankGroup
}

// objectKey identifies a family of objects.
type objectKey struct {
	file   string
	parent int
	name   string // format of the names
	first  uint64
	count  uint64
}

// objectState holds the state of a family of objects that the program does not contain, such as whether the objects
// exist.
type objectState struct {
	exists      bool
	likeness    string   // equal for objects that differ only in their names
	createdDims []uint64 // extent with which a dataset is created
	dims        []uint64 // current extent
}

// attributeOwner identifies a family of objects or a file that has attributes.
type attributeOwner struct {
	file   string
	object int
}

// ownedAttribute identifies attributes of an owner.
type ownedAttribute struct {
	attributeOwner
	attributes int
}

// openedFile is an open file.
type openedFile struct {
	index       int // index in the files of the program
	name        string
	alone       bool
	isNew       bool        // this rank has created it, and is the only one that has it open
	openedBy    actingRanks // the ranks that opened it
	closed      bool
	openHandles []*objectHandle // objects in the order in which they were opened; nil: closed
}

func newRecorder(r *execution, rank int64) *recorder {
	return &recorder{
		execution:         r,
		rank:              rank,
		files:             map[fileKey]int{},
		opened:            map[string]*openedFile{},
		objects:           map[objectKey]int{},
		objectsByFile:     map[string][]int{},
		createdFiles:      map[string]bool{},
		trackedFiles:      map[int]bool{},
		objectFiles:       map[string]bool{},
		attributes:        map[string]int{},
		attributesByOwner: map[attributeOwner][]int{},
		hasAttribute:      map[ownedAttribute]bool{},
		moves:             map[string][]int{},
		unfencedByFamily:  map[int]unfencedWrites{},
		unfencedByFile:    map[string]unfencedTransfer{},
		unfencedObjects:   map[string]unfencedObjects{},
	}
}

// noteFence notes that all ranks wait for one another.
func (r *recorder) noteFence() {
	r.noteClose()
	clear(r.unfencedObjects)
}

// noteClose notes that all ranks close a file together. They wait for one another, except with objects that are files.
func (r *recorder) noteClose() {
	clear(r.unfencedByFamily)
	clear(r.unfencedByFile)
}

// reserveMemory allocates memory for as many files, objects and moves as the program p of another rank has.
func (r *recorder) reserveMemory(p *workload.Program) {
	r.rankProgram.Files = slices.Grow(r.rankProgram.Files, len(p.Files))
	r.rankProgram.Objects, r.objectStates = slices.Grow(r.rankProgram.Objects, len(p.Objects)),
		slices.Grow(r.objectStates, len(p.Objects))
	r.rankProgram.Moves, r.recipes = slices.Grow(r.rankProgram.Moves, len(p.Moves)),
		slices.Grow(r.recipes, len(p.Moves))
	r.files, r.objectsByFile = make(map[fileKey]int, len(p.Files)), make(map[string][]int, len(p.Files))
	r.objects, r.moves = make(map[objectKey]int, len(p.Objects)), make(map[string][]int, len(p.Moves))
}

// beginPart begins to record the part of the program that writes or reads.
func (r *recorder) beginPart(op workload.Op) {
	r.op, r.epochs, r.epochEnded = op, &r.rankProgram.Parts[op].Begin, false
	r.noteFence()
}

// checkAllClosed returns an error if a file is still open.
func (r *recorder) checkAllClosed() error {
	for _, f := range r.opened {
		return fmt.Errorf("the file %s is still open at the end: close it", f.name)
	}
	return nil
}

// completeProgram fills in what depends on the whole program: the fields of moves that follow from their selections,
// an epoch in each dump, the places of datasets in plain files, and the bytes that all ranks transfer together.
func (r *recorder) completeProgram() error {
	for i := range r.rankProgram.Moves {
		m := &r.rankProgram.Moves[i]
		o := &r.rankProgram.Objects[m.Object]
		if err := m.SetDerivedFields(o, o.Type); err != nil {
			return r.ErrorAtLine(r.recipes[i].line, fmt.Errorf("%s: %w", r.rankProgram.PathOf(m.Object, 0), err))
		}
	}
	for op := range r.rankProgram.Parts {
		for i := range r.rankProgram.Parts[op].Dumps { // other ranks may have steps in a dump that is empty here
			if d := &r.rankProgram.Parts[op].Dumps[i]; len(d.Epochs) == 0 {
				d.Epochs = make([]workload.Epoch, 1)
			}
		}
	}
	r.rankProgram.OpenToRead()
	r.rankProgram.PlaceDatasets()
	if !r.dependsOnRank {
		for i := range r.rankProgram.Moves {
			r.recipes[i].setAllBytes(&r.rankProgram.Moves[i], uint64(r.job.Ranks))
		}
	}
	return nil
}

// addStep adds a step to the current epoch. If its batch continues the previous one with the next objects of a family,
// it extends that batch instead.
func (r *recorder) addStep(s workload.Step) error {
	if r.inactive {
		return nil
	}
	if len(*r.epochs) == 0 || r.epochEnded {
		*r.epochs, r.epochEnded = append(*r.epochs, workload.Epoch{}), false
	}
	if s.Class != workload.Transfer {
		s.Op = r.op
	}
	s.Line = r.currentLine()
	if err := r.checkObjectsAreFenced(&s); err != nil {
		return err
	}
	steps := &(*r.epochs)[len(*r.epochs)-1].Steps
	if last := len(*steps) - 1; last >= 0 && continuesBatch(&(*steps)[last].Batch, &s.Batch) {
		(*steps)[last].Count += s.Count
		return nil
	}
	if r.numBatches++; r.numBatches > maxBatches {
		return fmt.Errorf("a rank does more than %d steps, the limit: use fewer dumps or shorter loops; numbered "+
			"names make many objects in one step", maxBatches)
	}
	*steps = appendDoubling(*steps, s)
	return nil
}

// appendDoubling appends to a list that may become long. It doubles the memory of a full list, so that copies are rare.
func appendDoubling[T any](list []T, x T) []T {
	if len(list) == cap(list) {
		list = slices.Grow(list, max(8, len(list)))
	}
	return append(list, x)
}

// continuesBatch reports whether batch b does the same as the previous batch a with the next objects of the family.
func continuesBatch(a, b *workload.Batch) bool {
	switch b.Class {
	case workload.Create, workload.Open, workload.ObjectClose, workload.Unlink, workload.Attribute,
		workload.CreateLink, workload.Stat, workload.Rename:
		return a.Class == b.Class && a.File == b.File && a.Object == b.Object && a.Attributes == b.Attributes &&
			a.Info == b.Info && a.NewNames == b.NewNames && b.Object != workload.NoParent && a.First+a.Count == b.First
	}
	return false
}

// addBatch adds a step with a batch that has no move.
func (r *recorder) addBatch(b workload.Batch) error {
	b.Move = workload.NoMove
	return r.addStep(workload.Step{Batch: b})
}

// groupOfRank divides the ranks of the job into parts. It returns the part that contains rank, the index of the rank in
// that part, and the first rank and the number of ranks of the part.
func (j JobSize) groupOfRank(parts, rank int64) (part, place, first, number int64) {
	part = int64(workload.OwnerRank(uint64(rank), uint64(j.Ranks), uint64(parts)))
	from, to := workload.EvenShare(uint64(j.Ranks), uint64(part), uint64(parts))
	return part, rank - int64(from), int64(from), int64(to - from)
}

// rankInFile returns the index of this rank among the ranks that share the objects, and the number of these ranks.
func (r *recorder) rankInFile(h *objectHandle) (rank, ranks uint64) {
	switch {
	case h.file.alone, h.ownedByRank, r.acting == rootRank:
		return 0, 1
	case r.acting == inTurns:
		_, place, _, number := r.job.groupOfRank(r.numTurnGroups, r.rank)
		return uint64(place), uint64(number)
	case r.acting == leaderRanks:
		node, _, _, _ := r.job.groupOfRank(r.job.Nodes, r.rank)
		return uint64(node), uint64(r.job.Nodes)
	}
	return uint64(r.rank), uint64(r.job.Ranks)
}

// runOnRanks calls the script's function body, whose steps only some ranks do, and records these steps in a new epoch.
// Ranks that do not do the steps also call body. They record no steps, but learn which objects the other ranks create.
func (r *recorder) runOnRanks(on actingRanks, absent bool, body starlark.Callable, args ...starlark.Value) (
	starlark.Value, error,
) {
	r.dependsOnRank, r.rootDiffers = r.dependsOnRank || on != rootRank, r.rootDiffers || on == rootRank
	if r.acting != everyRank {
		return nil, errors.New("these are steps of some ranks already: end them first")
	}
	*r.epochs = append(*r.epochs, workload.Epoch{})
	r.epochEnded, r.acting, r.inactive = false, on, absent
	r.noteFence()
	defer func() { r.epochEnded, r.acting, r.inactive = true, everyRank, false }()
	turn := func(t workload.TurnPart, neighbour int64) error {
		if on != inTurns {
			return nil
		}
		return r.addStep(workload.Step{
			Batch: workload.Batch{Class: workload.Fence, Move: workload.NoMove}, Turn: t,
			NeighbourRank: int(neighbour),
		})
	}
	before, after := r.neighbourRanks()
	err := turn(workload.AwaitTurn, before)
	var v starlark.Value
	if err == nil {
		v, err = starlark.Call(r.thread, body, args, nil)
	}
	if err == nil {
		err = turn(workload.PassTurn, after)
	}
	for _, f := range r.opened {
		if r.rankProgram.Files[f.index].Group != workload.All && err == nil && !f.alone {
			err = fmt.Errorf("the file %s is still open after the steps of these ranks: close it in them", f.name)
		}
	}
	return v, err
}

// neighbourRanks returns the ranks before and after this one in its group of ranks that take turns. A rank is
// workload.NoRank if there is none, or if ranks do not take turns.
func (r *recorder) neighbourRanks() (before, after int64) {
	before, after = workload.NoRank, workload.NoRank
	if r.acting == inTurns {
		_, place, _, number := r.job.groupOfRank(r.numTurnGroups, r.rank)
		if place > 0 {
			before = r.rank - 1
		}
		if place < number-1 {
			after = r.rank + 1
		}
	}
	return before, after
}

// isFollowerInTurns reports whether another rank of the group does the steps of this turn before this rank.
func (r *recorder) isFollowerInTurns() bool {
	before, _ := r.neighbourRanks()
	return before != workload.NoRank
}

// openNamedFile opens or creates a file.
func (r *recorder) openNamedFile(name string, create, alone bool) (*objectHandle, error) {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" || name == "" ||
		len(name) > maxNameBytes {
		return nil, fmt.Errorf("%.100q is no name of a file: give letters, digits and underscores, without a suffix",
			name)
	}
	if r.opened[name] != nil {
		return nil, fmt.Errorf("the file %s is open already", name)
	}
	if r.acting == leaderRanks && !alone {
		return nil, fmt.Errorf("each leader would open the file %s by itself: give each a file of its own, with "+
			"alone = True", name)
	}
	if create {
		r.createdFiles[name] = true
	} else if !alone && r.op == workload.Read && !r.createdFiles[name] && r.declared.globals.Has("write") {
		return nil, fmt.Errorf("the file %s was never made: create it in write(job), or open it with alone = True if "+
			"other ranks make it", name)
	}
	k := fileKey{name, workload.All}
	switch {
	case alone:
		k.group = workload.Self
	case r.acting == inTurns:
		k.group = workload.TurnGroup
	case r.acting == rootRank:
		k.group = workload.Root
	}
	index, is := r.files[k]
	if !is {
		if index = len(r.rankProgram.Files); index >= maxObjects {
			return nil, fmt.Errorf("more than %d files, the limit: use fewer", maxObjects)
		}
		r.files[k] = index
		r.rankProgram.Files = appendDoubling(r.rankProgram.Files, workload.File{Name: name, Group: k.group})
	}
	r.rankProgram.Files[index].ObjectFiles = r.objectFiles[name]
	follows := !alone && r.isFollowerInTurns()
	if create && !follows {
		r.markObjectsMissing(name)
	}
	f := &openedFile{index: index, name: name, alone: alone, isNew: create && alone, openedBy: r.acting}
	r.opened[name] = f
	h := &objectHandle{baseValue: baseValue{"file"}, recorder: r, file: f, object: workload.NoParent, count: 1}
	return h, r.addBatch(workload.Batch{
		Class: workload.FileOpen, File: index, Existing: r.op == workload.Write && (!create || follows),
		InitiallyEmpty: r.op == workload.Write, // steps write as soon as one process has opened the file
	})
}

// markObjectsMissing marks all objects in a file as not existing.
func (r *recorder) markObjectsMissing(name string) {
	for _, i := range r.objectsByFile[name] {
		r.objectStates[i].exists = false
	}
}

// resolveNames returns the family of the objects with names n in a file or group, and the index of the first of these
// objects in the family and their number.
func (r *recorder) resolveNames(in *objectHandle, n namesValue) (k objectKey, first, count uint64, err error) {
	base, each := n.familyFirst, n.familyCount
	if n.isDealt {
		if base, each, err = r.dealtObjects(in, n.familyCount); err != nil {
			return k, 0, 0, err
		}
	}
	if in.count > 1 && n.numNames != each {
		return k, 0, 0, errors.New("one of several objects in each of several groups: take all of them, or one group")
	}
	k = objectKey{in.file.name, in.object, n.format, base, each}
	return k, in.first*each + n.firstNumber - base, in.count * n.numNames, nil
}

// dealtObjects divides objects among all ranks of the job. For the ranks that share the file, it returns the first of
// their objects and the number of their objects.
func (r *recorder) dealtObjects(in *objectHandle, all uint64) (first, count uint64, err error) {
	from, to := r.rank, r.rank+1
	switch {
	case all < uint64(r.job.Ranks):
		return 0, 0, fmt.Errorf("%d objects are dealt to %d ranks: there must be one for each", all, r.job.Ranks)
	case in.file.alone:
	case r.acting == inTurns:
		_, _, from, to = r.job.groupOfRank(r.numTurnGroups, r.rank)
		to += from
	default:
		return 0, 0, errors.New("objects are dealt to ranks in files that each has alone, or that they write in turns")
	}
	first, _ = workload.EvenShare(all, uint64(from), uint64(r.job.Ranks))
	_, end := workload.EvenShare(all, uint64(to-1), uint64(r.job.Ranks))
	return first, end - first, nil
}

// createOrOpen creates objects in a file or group, or opens them if class is Open or another rank has created them.
func (r *recorder) createOrOpen(in *objectHandle, n namesValue, o workload.Object,
	class workload.StepClass) (*objectHandle,
	error,
) {
	k, first, count, err := r.resolveNames(in, n)
	if err != nil {
		return nil, err
	}
	if err := r.chargeMemory(bytesOfHandle); err != nil {
		return nil, err
	}
	owned := in.ownedByRank || n.isDealt
	if class == workload.Create && !n.isDealt && in.isCreatedByOtherRank() {
		class = workload.Open // another rank has created it
	}
	h := r.newHandle(in, kindNames[o.Kind], workload.NoParent, first, count, owned)
	if count == 0 {
		return h, nil
	}
	r.keyBuffer = appendObject(r.keyBuffer[:0], &o)
	if o.Type.Members != nil || o.Type.Words != nil {
		if err := r.chargeMemory(len(r.keyBuffer)); err != nil {
			return nil, err
		}
	}
	i, is := r.objects[k]
	if is {
		alike, family := r.objectStates[i].likeness == string(r.keyBuffer), r.rankProgram.Objects[i].Count > 1
		alike = alike || class == workload.Open && o.Kind == workload.GroupObject
		switch {
		case class == workload.Create && r.objectStates[i].exists && !family:
			return nil, fmt.Errorf("%s is there already: give another name, or open it", r.rankProgram.PathOf(i, 0))
		case !alike && family:
			return nil, fmt.Errorf("%s differs from others of its row in more than its name: give it another name",
				r.rankProgram.PathOf(i, first))
		}
		is = alike
	}
	if !is {
		if i, err = r.declareFamily(in, k, o); err != nil {
			return nil, err
		}
	}
	if class == workload.Create {
		r.objectStates[i].dims = o.Dims
	}
	r.objectStates[i].exists = true
	h.object = i
	if o.Kind == workload.LinkObject {
		if class == workload.Open {
			return h, nil
		}
		return h, r.addBatch(h.newBatch(workload.CreateLink))
	}
	return h, h.addCreateOrOpenBatch(class)
}

// declareFamily adds a family of objects to the program.
func (r *recorder) declareFamily(in *objectHandle, k objectKey, o workload.Object) (int, error) {
	made := objectState{likeness: string(r.keyBuffer), createdDims: o.Dims, dims: o.Dims}
	o.File, o.Parent, o.PerGroup, o.Name, o.First, o.Count = in.file.index, in.object, k.count, k.name, k.first, k.count
	if in.object != workload.NoParent {
		o.Count = saturatingProduct(k.count, r.rankProgram.Objects[in.object].Count)
	}
	depth := 1
	for i := in.object; i != workload.NoParent; i = r.rankProgram.Objects[i].Parent {
		depth++
	}
	if depth > maxGroupDepth+1 || depth > maxGroupDepth && o.Kind == workload.GroupObject {
		return 0, fmt.Errorf("groups within groups more than %d deep, the limit: create them in the file, or in a "+
			"group further up", maxGroupDepth)
	}
	if len(r.rankProgram.Objects) >= maxObjects || o.Count > math.MaxInt32 {
		return 0, fmt.Errorf("more than %d objects that differ in more than a number in their names, or more than %d "+
			"in all, the limits: numbered names make objects that are alike", maxObjects, math.MaxInt32)
	}
	if err := checkStorable(&o); err != nil {
		return 0, err
	}
	i := len(r.rankProgram.Objects)
	r.rankProgram.Objects, r.objectStates, r.objects[k] = appendDoubling(r.rankProgram.Objects, o),
		appendDoubling(r.objectStates, made), i
	r.objectsByFile[k.file] = append(r.objectsByFile[k.file], i)
	return i, nil
}

// appendObject appends a key that is equal for objects that differ only in their names.
func appendObject(b []byte, o *workload.Object) []byte {
	b = strconv.AppendBool(b, o.Tracking.NoTimes)
	b = appendNumbers(b, uint64(o.Tracking.Links), uint64(o.Tracking.Attributes))
	switch o.Kind {
	case workload.GroupObject:
		return b
	case workload.LinkObject:
		return fmt.Appendf(b, "link %#v", o.Link)
	case workload.DatasetObject:
	}
	b = appendNumbers(appendNumbers(appendNumbers(b, o.Dims...), o.MaxExtent...), o.Chunk...)
	for _, f := range o.Filters {
		b = append(b, f.Name...)
		b = appendNumbers(b, uint64(f.Level), uint64(f.Number), uint64(len(f.Values)))
		for _, v := range f.Values {
			b = appendNumbers(b, uint64(v))
		}
	}
	b = append(append(b, o.Fill.Time...), o.Fill.Allocate...)
	b = append(append(b, 0), o.Fill.Value...)
	for _, is := range []bool{o.Null, o.Compact, o.External} {
		b = strconv.AppendBool(b, is)
	}
	return appendType(appendNumbers(b, math.Float64bits(o.CompressionRatio), uint64(o.ValueKind)), &o.Type)
}

func appendType(b []byte, t *workload.Type) []byte {
	b = appendNumbers(b, uint64(t.Class), t.Size, uint64(t.Padding))
	for _, is := range []bool{t.BigEndian, t.UTF8, t.Variable} {
		b = strconv.AppendBool(b, is)
	}
	b = strconv.AppendQuote(appendNumbers(b, t.Array...), t.Tag)
	if t.Members != nil || t.Words != nil {
		b = fmt.Appendf(b, "%#v", t)
	}
	return b
}

// newHandle returns a handle for objects in a file or group.
func (r *recorder) newHandle(in *objectHandle, kind string, object int, first, count uint64, owned bool) *objectHandle {
	return &objectHandle{
		baseValue: baseValue{kind}, recorder: r, file: in.file, object: object, first: first, count: count,
		ownedByRank: owned,
	}
}

// openExisting opens objects that exist, as far as this rank knows.
func (r *recorder) openExisting(in *objectHandle, n namesValue) (*objectHandle, error) {
	k, first, count, err := r.resolveNames(in, n)
	if err != nil {
		return nil, err
	}
	i, is := r.objects[k]
	if count == 0 {
		return r.newHandle(in, kindNames[workload.GroupObject], workload.NoParent, first, 0, false), nil
	}
	if !is || !r.objectStates[i].exists {
		return nil, r.notFoundError(in, n, k)
	}
	if r.rankProgram.Objects[i].Kind == workload.LinkObject {
		return nil, fmt.Errorf("%s is a link: open what it points to by its own name", r.rankProgram.PathOf(i, first))
	}
	h := r.newHandle(in, kindNames[r.rankProgram.Objects[i].Kind], i, first, count, in.ownedByRank || n.isDealt)
	return h, h.addCreateOrOpenBatch(workload.Open)
}

// notFoundError returns an error which says that a file or group has no objects with names n, and suggests others.
func (r *recorder) notFoundError(in *objectHandle, n namesValue, k objectKey) error {
	var known []string
	name := n.firstName()
	for _, other := range slices.SortedFunc(maps.Keys(r.objects), func(a, b objectKey) int {
		return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.first, b.first))
	}) {
		if other.file != k.file || other.parent != k.parent || !r.objectStates[r.objects[other]].exists {
			continue
		}
		if !numberVerb.MatchString(strings.ReplaceAll(other.name, "%%", "")) {
			known = append(known, (&workload.Object{Name: other.name, PerGroup: 1}).NameOf(0))
		} else if other.hasName(name) {
			return fmt.Errorf("%s is one of those that were made with numbered(%q, %d, %d): open them all by the same "+
				"numbered(..), and take one by its index", name, other.name, other.count, other.first)
		}
	}
	switch {
	case !n.isSingle && slices.Contains(known, name):
		return fmt.Errorf("%s was made by itself, not with numbered(..): open it by its name", name)
	case len(known) == 0 && (in.file.alone || !r.createdFiles[k.file]):
		return fmt.Errorf("there is no %s in %s that this rank has made: if others have, write open_group(%q), or "+
			"open_dataset(%q, dtype, shape)", name, in.pathText(), name, name)
	}
	return fmt.Errorf("there is no %s in %s%s", name, in.pathText(), usage.DidYouMean(name, known))
}

// hasName reports whether a family with numbered names has an object with the given name.
func (k objectKey) hasName(name string) bool {
	for _, at := range digits.FindAllStringIndex(name, -1) {
		number, err := strconv.ParseUint(name[at[0]:at[1]], 10, 63)
		if err != nil || number < k.first || number-k.first >= k.count {
			continue
		}
		if (&workload.Object{Name: k.name, First: number, PerGroup: 1}).NameOf(0) == name {
			return true
		}
	}
	return false
}

var digits = regexp.MustCompile(`[0-9]+`)

// attributeIndex returns the index of attributes in the program. It adds them if they are new.
func (r *recorder) attributeIndex(a workload.Attributes) (int, error) {
	k := appendNumbers(append([]byte(a.Name), 0), a.Count)
	k = appendType(appendNumbers(strconv.AppendBool(k, a.Null), a.Dims...), &a.Type)
	i, is := r.attributes[string(k)]
	if !is {
		if err := checkAttributeFits(&a); err != nil {
			return 0, err
		}
		if i = len(r.rankProgram.Attributes); i >= maxObjects {
			return 0, fmt.Errorf("more than %d attributes that differ, the limit", maxObjects)
		}
		r.attributes[string(k)] = i
		r.rankProgram.Attributes = append(r.rankProgram.Attributes, a)
	}
	return i, nil
}
