package h5

// #include "calls.h"
import "C"

import (
	"errors"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/workload"
)

// creationOrders holds the flags of the library for each order.
var creationOrders = map[workload.Order]C.uint{
	workload.TrackedOrder: C.H5P_CRT_ORDER_TRACKED,
	workload.IndexedOrder: C.H5P_CRT_ORDER_TRACKED | C.H5P_CRT_ORDER_INDEXED,
}

// orderOfFlags returns the order for flags of the library.
func orderOfFlags(flags C.uint) workload.Order {
	switch {
	case flags&C.H5P_CRT_ORDER_INDEXED != 0:
		return workload.IndexedOrder
	case flags&C.H5P_CRT_ORDER_TRACKED != 0:
		return workload.TrackedOrder
	}
	return workload.NoOrder
}

// NewGroupCreationList returns a new group creation list.
func NewGroupCreationList(t workload.Tracking) (*hdf5.PropList, error) {
	list, err := newPropList(C.h5perf_group_create())
	if err != nil {
		return nil, err
	}
	if err := SetGroupTracking(list, t); err != nil {
		return nil, errors.Join(err, list.Close())
	}
	return list, nil
}

// SetGroupTracking sets what the library keeps about a group, or about a file and its root group. list is a group or
// file creation list.
//
// Implements: H5Pset_link_creation_order
func SetGroupTracking(list *hdf5.PropList, t workload.Tracking) error {
	id := C.hid_t(list.ID())
	if t.Links != workload.NoOrder {
		rc := C.H5Pset_link_creation_order(id, creationOrders[t.Links])
		if err := status(rc, "H5Pset_link_creation_order"); err != nil {
			return err
		}
	}
	return setObjectTracking(id, t)
}

// setObjectTracking sets what the library keeps about a file, group or dataset.
//
// Implements: H5Pset_obj_track_times H5Pset_attr_creation_order
func setObjectTracking(list C.hid_t, t workload.Tracking) error {
	if t.NoTimes {
		if err := status(C.h5perf_no_times(list), "H5Pset_obj_track_times"); err != nil {
			return err
		}
	}
	if t.Attributes == workload.NoOrder {
		return nil
	}
	return status(C.H5Pset_attr_creation_order(list, creationOrders[t.Attributes]), "H5Pset_attr_creation_order")
}

// readTracking returns what the library keeps about a group or dataset. The old format of files has no place for the
// setting of times: there, a dataset has times or not, and a group has none. changed reports whether the object has a
// time of its last change.
//
// Implements: H5Pget_obj_track_times H5Pget_attr_creation_order H5Pget_link_creation_order
func readTracking(list C.hid_t, kind workload.ObjectKind, changed bool) (t workload.Tracking, err error) {
	var attributes, links C.uint
	times := C.h5perf_has_times(list)
	if err := status(times, "H5Pget_obj_track_times"); err != nil {
		return t, err
	}
	if err := status(C.H5Pget_attr_creation_order(list, &attributes), "H5Pget_attr_creation_order"); err != nil {
		return t, err
	}
	t.NoTimes, t.Attributes = times == 0, orderOfFlags(attributes)
	if kind == workload.DatasetObject {
		t.NoTimes = !changed
		return t, nil
	}
	err = status(C.H5Pget_link_creation_order(list, &links), "H5Pget_link_creation_order")
	t.Links = orderOfFlags(links)
	return t, err
}
