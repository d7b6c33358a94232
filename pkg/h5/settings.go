package h5

// #include "calls.h"
import "C"

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/hdf5"

	"h5perf/pkg/workload"
)

// ListKind is a kind of property list.
type ListKind int

// The kinds of lists to which settings belong. FileAccess and Transfer stand for all lists of their kind. The other
// ones are for files that several processes open together, for files that one process opens alone, and for collective
// transfers.
const (
	FileAccess         ListKind = C.FILE_ACCESS
	SharedFileAccess   ListKind = C.SHARED_FILE_ACCESS
	OwnFileAccess      ListKind = C.OWN_FILE_ACCESS
	FileCreation       ListKind = C.FILE_CREATION
	DatasetCreation    ListKind = C.DATASET_CREATION
	GroupCreation      ListKind = C.GROUP_CREATION
	ObjectCreation     ListKind = C.OBJECT_CREATION
	Transfer           ListKind = C.TRANSFER
	CollectiveTransfer ListKind = C.COLLECTIVE_TRANSFER
)

// Setting is a setting of the library that a run can choose. A value is a word, or a number of bytes. The settings are
// in settings.c.
type Setting struct {
	Name string // of the option
	List ListKind
	c    *C.h5perf_setting // in static memory
}

// Settings returns all settings, in the order in which they must be set.
func Settings() (all []Setting) {
	for c := C.h5perf_setting_at(0); c != nil; c = C.h5perf_setting_at(C.int(len(all))) {
		all = append(all, Setting{C.GoString(c.name), ListKind(c.list), c})
	}
	return all
}

// Missing returns what to use instead if the library does not have the setting, and "" if it has.
func (s Setting) Missing() string { return C.GoString(s.c.use) }

// IsTold reports whether the library tells the value of the setting that is in force.
func (s Setting) IsTold() bool { return s.c.get != nil && s.c.flags&C.UNTOLD == 0 }

// words returns all words that are values of the setting, or nil if values are numbers of bytes. The library does not
// have a word with a negative number.
func (s Setting) words() (all []C.h5perf_word) {
	for w := C.h5perf_word_at(s.c, 0); w != nil; w = C.h5perf_word_at(s.c, C.int(len(all))) {
		all = append(all, *w)
	}
	return all
}

// Words returns the words that are values of the setting in this library, or nil if values are numbers of bytes.
func (s Setting) Words() (all []string) {
	for _, w := range s.words() {
		if w.value >= 0 {
			all = append(all, C.GoString(w.word))
		}
	}
	return all
}

// parseValue returns the number that stands for a value.
func (s Setting) parseValue(text string) (uint64, error) {
	words := s.words()
	if words == nil {
		return strconv.ParseUint(text, 10, 64)
	}
	i := slices.IndexFunc(words, func(w C.h5perf_word) bool { return C.GoString(w.word) == text })
	switch {
	case i < 0:
		return 0, fmt.Errorf("the value %q of %s is not known", text, s.Name)
	case words[i].value < 0:
		return 0, missing(s.Name+" "+text, "a newer HDF5")
	}
	return uint64(words[i].value), nil
}

// formatValue returns the value for which a number stands. For the latest version of the file format, which has two
// names, it returns the name with the number, if there is one.
func (s Setting) formatValue(number uint64) string {
	words := s.words()
	if words == nil {
		return strconv.FormatUint(number, 10)
	}
	i := slices.IndexFunc(words, func(w C.h5perf_word) bool { return w.value == C.int64_t(number) })
	if i < 0 {
		return fmt.Sprint("value ", number)
	}
	return C.GoString(words[i].word)
}

// SetIn sets the setting in a list.
func (s Setting) SetIn(list *hdf5.PropList, value string) error {
	if use := s.Missing(); use != "" {
		return missing("the setting "+s.Name, use)
	}
	number, err := s.parseValue(value)
	if err != nil {
		return err
	}
	return status(C.h5perf_set_setting(s.c, C.hid_t(list.ID()), C.uint64_t(number)), "set "+s.Name)
}

// SetByName sets a setting in a list.
func SetByName(list *hdf5.PropList, name, value string) error {
	for _, s := range Settings() {
		if s.Name == name {
			return s.SetIn(list, value)
		}
	}
	return fmt.Errorf("setting %s is not known", name)
}

// readFrom returns the value of the setting in a list. If it is read from a file, file is that.
func (s Setting) readFrom(list, file C.hid_t) (string, error) {
	from := list
	if file != 0 && s.c.flags&C.READ_FROM_FILE != 0 {
		from = file
	}
	var number C.uint64_t
	err := status(C.h5perf_get_setting(s.c, from, &number), "get "+s.Name)
	return s.formatValue(uint64(number)), err
}

// ReadList returns the value of the setting in a list.
func (s Setting) ReadList(list *hdf5.PropList) (string, error) {
	return s.readFrom(C.hid_t(list.ID()), 0)
}

// IsInForce reports whether a value that was asked for is in force, if the library has the value that it tells. For the
// lowest version of the file format, the library may have a higher value, since a file may already need it.
func (s Setting) IsInForce(asked, has string) bool {
	askedNumber, errAsked := s.parseValue(asked)
	hasNumber, errHas := s.parseValue(has)
	return errAsked == nil && errHas == nil &&
		(askedNumber == hasNumber || s.c.flags&C.AT_LEAST != 0 && hasNumber > askedNumber)
}

// ReadFileSettings returns the values of settings of an open file: those in access lists and file creation lists. All
// processes that opened the file together must call it.
//
// Implements: H5Fget_access_plist H5Fget_create_plist
func ReadFileSettings(file *hdf5.File, settings []Setting) (values []string, err error) {
	id := C.hid_t(file.ID())
	fapl := C.H5Fget_access_plist(id)
	if fapl < 0 {
		return nil, NewCallError("H5Fget_access_plist")
	}
	defer func() { err = errors.Join(err, status(C.H5Pclose(fapl), "H5Pclose")) }()
	fcpl := C.H5Fget_create_plist(id)
	if fcpl < 0 {
		return nil, NewCallError("H5Fget_create_plist")
	}
	defer func() { err = errors.Join(err, status(C.H5Pclose(fcpl), "H5Pclose")) }()
	for _, s := range settings {
		list := fapl
		if s.List == FileCreation {
			list = fcpl
		}
		value, err := s.readFrom(list, id)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return values, nil
}

// ReadObjectSettings returns the values of settings of an open dataset or group: those in its creation list.
//
// Implements: H5Dget_create_plist H5Gget_create_plist
func ReadObjectSettings(kind workload.ObjectKind, object int64, settings []Setting) (values []string, err error) {
	call, list := "H5Dget_create_plist", C.hid_t(-1)
	if kind == workload.GroupObject {
		call, list = "H5Gget_create_plist", C.H5Gget_create_plist(C.hid_t(object))
	} else {
		list = C.H5Dget_create_plist(C.hid_t(object))
	}
	if list < 0 {
		return nil, NewCallError(call)
	}
	defer func() { err = errors.Join(err, status(C.H5Pclose(list), "H5Pclose")) }()
	for _, s := range settings {
		value, err := s.readFrom(list, 0)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return values, nil
}

// newListOfKind returns a new list of a kind, with the library's defaults.
func newListOfKind(kind ListKind) (*hdf5.PropList, error) {
	switch kind {
	case FileCreation:
		return NewFileCreationList()
	case DatasetCreation, ObjectCreation:
		return newPropList(C.h5perf_dataset_create())
	case GroupCreation:
		return newPropList(C.h5perf_group_create())
	case Transfer, CollectiveTransfer:
		return NewTransferList()
	}
	return NewAccessList()
}

// DefaultValue returns the value that the library has without the setting. It returns "" if the library does not have
// the setting or does not tell it, or if there are several defaults.
func (s Setting) DefaultValue() (value string, err error) {
	if s.Missing() != "" || s.c.get == nil || s.c.flags&C.VARIES != 0 {
		return "", nil
	}
	list, err := newListOfKind(s.List)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, list.Close()) }()
	return s.ReadList(list)
}
