//go:build cgo

package hdf5

// #include "loop.h"
import "C"

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/engine"
	"h5perf/pkg/fill"
	"h5perf/pkg/h5"
	"h5perf/pkg/option"
	"h5perf/pkg/workload"
)

// objectFamily holds the HDF5 resources of a family of groups or datasets.
type objectFamily struct {
	members       h5.FamilyMembers
	creationShape h5.DatasetSettings // for the creation of datasets, and of groups if the library keeps more about them
	handles       []int64            // identifiers, by member; 0: the member is not open
}

// makeFamilies makes names, types, property lists and dataspaces for each family of objects.
func (s *session) makeFamilies() error {
	s.objects = make([]objectFamily, len(s.program.Objects))
	for i := range s.program.Objects {
		if err := s.initFamily(&s.objects[i], &s.program.Objects[i]); err != nil {
			return err
		}
	}
	return nil
}

// isByteType reports whether a type is the byte type of a sweep, for which the library has predefined datatypes.
func isByteType(t workload.Type) bool { return reflect.DeepEqual(t, workload.Byte) }

func (s *session) initFamily(f *objectFamily, o *workload.Object) (err error) {
	f.handles = make([]int64, o.Count)
	f.members = h5.FamilyMembers{PerParent: max(1, o.PerGroup)}
	if f.members.Names, err = engine.NewMemberNames(o.Name, o.First); err != nil {
		return err
	}
	if o.Kind != workload.DatasetObject {
		return s.makeGroupList(f, o.Tracking) // links have no list
	}
	if isByteType(o.Type) {
		f.creationShape.Type = hdf5.T_STD_U8LE
	} else {
		if f.creationShape.Type, err = h5.NewFileType(o.Type); err != nil {
			return err
		}
		s.closers = append(s.closers, f.creationShape.Type)
	}
	if f.creationShape.List, err = s.newCreationList(o); err != nil {
		return err
	}
	if o.Null {
		f.creationShape.Space, err = s.newNullDataspace()
		return err
	}
	extent := o.Dims
	if o.InitialDims != nil {
		extent = o.InitialDims
	}
	f.creationShape.Space, err = s.newDataspace(extent, o.MaxExtent)
	return err
}

// batchMembers returns the objects of a batch, with their parents.
func (s *session) batchMembers(b *workload.Batch) h5.FamilyMembers {
	o, m := &s.program.Objects[b.Object], s.objects[b.Object].members
	m.First, m.Count = b.First, b.Count
	if b.Count > 1 { // a batch of one object ignores the stop flag
		m.Stop = s.env.Stop.Pointer()
	}
	if o.Parent == workload.NoParent {
		n := 1
		if b.Count > 0 {
			n = int((b.First%m.PerParent+b.Count-1)/m.PerParent) + 1
		}
		m.Parents = slices.Repeat([]int64{s.files[b.File].h5File.ID()}, n)
	} else {
		m.Parents = s.objects[o.Parent].handles[b.First/m.PerParent:]
	}
	return m
}

// openObjects creates or opens the objects of a batch, and starts their transfers. With MPI-POSIX it only opens them:
// openFile has created all datasets.
func (s *session) openObjects(b *workload.Batch) error {
	if err := s.setInitialExtent(b); err != nil {
		return wrapError(err, s.objectName(b, b.First))
	}
	f, kind := &s.objects[b.Object], s.program.Objects[b.Object].Kind
	members, handles := s.batchMembers(b), f.handles[b.First:b.First+b.Count]
	var done uint64
	var err error
	switch {
	case b.Class == workload.Open || s.conf.Driver == option.DriverMPIPosix:
		done, err = h5.OpenObjects(kind, members, handles)
	case kind == workload.GroupObject:
		done, err = h5.CreateGroups(members, f.creationShape.List, handles)
	default:
		shape := f.creationShape
		if o := &s.program.Objects[b.Object]; o.External {
			shape.External = h5.ExternalStorage{
				Path: externalName(s.files[b.File].path), Base: o.Base, Stride: o.Stride, Bytes: o.Bytes(),
			}
		}
		done, err = h5.CreateDatasets(members, shape, handles)
	}
	if done < b.Count {
		clear(handles[done:])
		return s.incompleteBatchError(b, done, err)
	}
	s.kernels.BeginBatch(b)
	return wrapError(s.checkObjectSettings(b), s.objectName(b, b.First))
}

// incompleteBatchError returns the error of a batch that ended after done objects, before its last one: if err is nil,
// ErrStopped, otherwise err with the name of the object that failed.
func (s *session) incompleteBatchError(b *workload.Batch, done uint64, err error) error {
	if err == nil {
		return engine.ErrStopped
	}
	return wrapError(err, s.objectName(b, b.First+done))
}

// setInitialExtent prepares the transfer loop of a move that extends a dataset: it tells the loop the extent of the
// dataset before the first transfer.
func (s *session) setInitialExtent(b *workload.Batch) error {
	if b.Move == workload.NoMove || !s.program.Moves[b.Move].Extends {
		return nil
	}
	o := &s.program.Objects[b.Object]
	extent := o.Dims
	if b.Op == workload.Write {
		extent = o.InitialDims
	}
	return setLoopExtent(s.loops[b.Move], extent)
}

// closeObjects closes the objects of a batch, and counts the transfers that end with the batch.
func (s *session) closeObjects(b *workload.Batch) error {
	s.kernels.EndBatch(b)
	handles := s.objects[b.Object].handles[b.First : b.First+b.Count]
	done, err := h5.CloseObjects(s.program.Objects[b.Object].Kind, handles, nil)
	clear(handles)
	if err != nil {
		return wrapError(err, s.objectName(b, b.First+done))
	}
	return nil
}

func (s *session) extendDatasets(b *workload.Batch) error {
	handles := s.objects[b.Object].handles[b.First : b.First+b.Count]
	done, err := h5.ExtendDatasets(handles, b.Extent, s.env.Stop.Pointer())
	s.extensions += done
	if done < b.Count {
		return s.incompleteBatchError(b, done, err)
	}
	return nil
}

// unlinkObjects removes the links to the objects of a batch.
func (s *session) unlinkObjects(b *workload.Batch) error {
	if done, err := h5.UnlinkObjects(s.batchMembers(b)); done < b.Count {
		return s.incompleteBatchError(b, done, err)
	}
	return nil
}

// createLinks creates the links of a batch.
func (s *session) createLinks(b *workload.Batch) error {
	if done, err := h5.CreateLinks(s.batchMembers(b), s.program.Objects[b.Object].Link); done < b.Count {
		return s.incompleteBatchError(b, done, err)
	}
	return nil
}

// statObjects asks the library about the objects of a batch.
func (s *session) statObjects(b *workload.Batch) error {
	if done, err := h5.StatObjects(s.batchMembers(b), &s.program.Objects[b.Object], b.Info); done < b.Count {
		return s.incompleteBatchError(b, done, err)
	}
	return nil
}

// renameObjects gives the objects of a batch the names of another family.
func (s *session) renameObjects(b *workload.Batch) error {
	if done, err := h5.RenameObjects(s.batchMembers(b), s.objects[b.NewNames].members.Names); done < b.Count {
		return s.incompleteBatchError(b, done, err)
	}
	return nil
}

// listGroups lists the groups that hold the objects of a batch.
func (s *session) listGroups(b *workload.Batch) error {
	family, first, perGroup := b.Object, b.First, uint64(1)
	levels := make([]h5.ListedLevel, b.Levels)
	for i := range slices.Backward(levels) {
		o := &s.program.Objects[family]
		levels[i] = h5.ListedLevel{Names: s.objects[family].members.Names, PerGroup: o.PerGroup}
		family, first, perGroup = o.Parent, first/o.PerGroup, perGroup*o.PerGroup
	}
	groups := []int64{s.files[b.File].h5File.ID()}
	if family != workload.NoParent {
		groups = s.objects[family].handles[first : first+b.Count/perGroup]
	}
	if done, err := h5.ListMembers(groups, levels, b.Visits, s.env.Stop.Pointer()); done < uint64(len(groups)) {
		return s.incompleteBatchError(b, done*perGroup, err)
	}
	return nil
}

// attributeFamily holds the HDF5 resources and the values of a family of attributes.
type attributeFamily struct {
	h5.Attributes
	values, readBack []byte
	// What is written and read, if it has a variable length; values and readBack are then made of it. Otherwise nil.
	toWrite, toRead *h5.VariableMemory
}

// firstDifferentAttribute returns the index of the first attribute for which the value read differs from the value
// written. There must be one.
func (a *attributeFamily) firstDifferentAttribute() uint64 {
	at := 0
	for a.readBack[at] == a.values[at] {
		at++
	}
	return uint64(at) / (uint64(len(a.values)) / a.Count)
}

// makeAttributes makes the names, types, dataspaces and values of each family of attributes.
func (s *session) makeAttributes() error {
	s.attributes = make([]attributeFamily, len(s.program.Attributes))
	for i := range s.program.Attributes {
		if err := s.initAttributes(&s.attributes[i], &s.program.Attributes[i], uint64(i)); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) initAttributes(a *attributeFamily, of *workload.Attributes, seed uint64) (err error) {
	a.Count, a.Stop = of.Count, s.env.Stop.Pointer()
	if a.Names, err = engine.NewMemberNames(of.Name, 0); err != nil {
		return err
	}
	if a.Type, err = h5.NewFileType(of.Type); err != nil {
		return err
	}
	s.closers = append(s.closers, a.Type)
	if a.Memory, err = h5.NewMemoryType(of.Type); err != nil {
		return err
	}
	s.closers = append(s.closers, a.Memory)
	if of.Null {
		a.Space, err = s.newNullDataspace()
	} else {
		a.Space, err = s.newDataspace(of.Dims, nil)
	}
	if err != nil {
		return err
	}
	elements := of.Count * of.NumElements()
	bytes := of.Type.Bytes() * elements
	a.values, a.readBack = make([]byte, bytes), make([]byte, bytes)
	fill.FieldValues{Seed: seed, ElementSize: of.Type.Bytes(), Fields: of.Type.Fields()}.Fill(a.values, 0)
	if !of.Type.IsVariable() || elements == 0 {
		return nil
	}
	return a.initVariableMemory(of.Type, elements)
}

// initVariableMemory makes the memory of attributes of variable length. The bytes of values that it does not hold
// become zero.
func (a *attributeFamily) initVariableMemory(t workload.Type, elements uint64) (err error) {
	if a.toWrite, err = h5.NewVariableMemory(t, elements); err != nil {
		return err
	}
	if a.toRead, err = h5.NewVariableMemory(t, elements); err != nil {
		return err
	}
	if err := a.toWrite.Fill(a.values, sameNumber); err != nil {
		return err
	}
	clear(a.values)
	return a.toWrite.Read(a.values, sameNumber)
}

// sameNumber returns the number of an element of attributes: its index.
func sameNumber(index uint64) uint64 { return index }

// moveValues writes or reads the attributes of an object, and returns how many are done.
func (a *attributeFamily) moveValues(object int64, op workload.Op) (done uint64, err error) {
	switch {
	case op == workload.Write && a.toWrite != nil:
		return h5.WriteAttributes(object, a.Attributes, a.toWrite.Elements())
	case op == workload.Write:
		return h5.WriteAttributes(object, a.Attributes, a.values)
	case a.toRead == nil:
		return h5.ReadAttributes(object, a.Attributes, a.readBack)
	}
	if done, err = h5.ReadAttributes(object, a.Attributes, a.toRead.Elements()); err == nil && done == a.Count {
		clear(a.readBack)
		err = a.toRead.Read(a.readBack, sameNumber)
	}
	return done, errors.Join(err, a.toRead.Reclaim())
}

// doAttributes creates and writes, or opens and reads, the attributes of the objects of a batch.
func (s *session) doAttributes(b *workload.Batch) error {
	a := &s.attributes[b.Attributes]
	objects := []int64{0}
	if b.Object == workload.NoParent {
		objects[0] = s.files[b.File].h5File.ID()
	} else {
		objects = s.objects[b.Object].handles[b.First : b.First+b.Count]
	}
	for i, id := range objects {
		if err := s.doAttributesOfObject(a, id, b, b.First+uint64(i)); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) doAttributesOfObject(a *attributeFamily, id int64, b *workload.Batch, member uint64) error {
	done, err := a.moveValues(id, b.Op)
	switch {
	case err != nil:
		return wrapError(err, s.objectName(b, member)+" attribute "+a.Names.NameOfMember(done))
	case done < a.Count:
		return engine.ErrStopped
	case b.Op == workload.Read && s.env.HarnessComparesReads && !slices.Equal(a.readBack, a.values):
		return &engine.CallError{
			Call: "H5Aread",
			Path: s.objectName(b, member) + " attribute " + a.Names.NameOfMember(a.firstDifferentAttribute()),
			Err:  engine.ErrNotRead,
		}
	}
	return nil
}

// setMemoryType sets the datatype that the elements of a move have in memory. If the move transfers one member of a
// compound, this is a compound with only that member. If memory holds larger structures than the file, it is the type
// of the larger structure: HDF5 finds the members by their names. Moves with the same datatype share it.
func (s *session) setMemoryType(l *C.h5perf_hdf5, m *workload.Move) error {
	t := s.program.Objects[m.Object].Type
	if isByteType(t) {
		l._type = C.H5T_NATIVE_UCHAR
		return nil
	}
	key := fmt.Sprint(m.Object, m.Member, m.StructureType)
	if known, is := s.memoryTypes[key]; is {
		l._type = C.hid_t(known)
		return nil
	}
	var list *hdf5.Datatype
	var err error
	i := slices.IndexFunc(t.Members, func(x workload.Member) bool { return m.Member != "" && x.Name == m.Member })
	switch {
	case i >= 0:
		list, err = h5.NewMemberType(t.Members[i], 0, t.Members[i].Type.Bytes())
	case m.StructureType.Members != nil:
		list, err = h5.NewMemoryType(m.StructureType)
	default:
		list, err = h5.NewMemoryType(t)
	}
	if err != nil {
		return err
	}
	s.closers = append(s.closers, list)
	s.memoryTypes[key] = list.ID()
	l._type = C.hid_t(list.ID())
	return nil
}
