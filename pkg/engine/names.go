//go:build cgo

package engine

// #include <stdlib.h>
// #include "h5perf_names.h"
import "C"

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unsafe"
)

// nameFormat is the format of the names of objects that differ only in their number: a number between a prefix and a
// suffix.
type nameFormat struct {
	prefix, suffix string
	numbered       bool // the names have a number
	width          int  // minimum number of characters of a number
	pad            byte // fills numbers with fewer digits
}

// maxWidth is the largest width of a number.
const maxWidth = 255

// parseFormat parses a format as for fmt.Sprintf, with at most one verb: %d, %5d or %05d. %% is a percent sign.
func parseFormat(text string) (nameFormat, error) {
	f := nameFormat{pad: ' '}
	wrong := func(reason string) (nameFormat, error) { return nameFormat{}, fmt.Errorf("name %q: %s", text, reason) }
	if text == "" || strings.Contains(text, "\x00") {
		return wrong("names are not empty and have no zero bytes")
	}
	part := &f.prefix
	for rest := text; rest != ""; {
		plain, verb, found := strings.Cut(rest, "%")
		*part += plain
		if !found {
			break
		}
		if after, percent := strings.CutPrefix(verb, "%"); percent {
			*part += "%"
			rest = after
			continue
		}
		digits, after, found := strings.Cut(verb, "d")
		if !found || strings.Trim(digits, "0123456789") != "" {
			return wrong("the only verb is %d, with or without a width; %% is a percent sign")
		}
		if f.numbered {
			return wrong("there is more than one verb")
		}
		if strings.HasPrefix(digits, "0") {
			f.pad = '0'
		}
		if digits != "" {
			width, err := strconv.Atoi(digits)
			if err != nil || width > maxWidth {
				return wrong(fmt.Sprintf("the width of a number is at most %d", maxWidth))
			}
			f.width = width
		}
		f.numbered, part, rest = true, &f.suffix, after
	}
	return f, nil
}

// MemberNames holds the names of a family of similar objects or attributes, which are numbered from 0. The caller must
// free it.
type MemberNames struct {
	c *C.h5perf_names
}

// NewMemberNames returns names with a format as for fmt.Sprintf, with at most one verb: %d, %5d or %05d. first is the
// number in the name of member 0. Call Free after use.
func NewMemberNames(text string, first uint64) (*MemberNames, error) {
	f, err := parseFormat(text)
	if err != nil {
		return nil, err
	}
	prefix, suffix := C.CString(f.prefix), C.CString(f.suffix)
	defer C.free(unsafe.Pointer(prefix))
	defer C.free(unsafe.Pointer(suffix))
	var numbered C.int
	if f.numbered {
		numbered = 1
	}
	c := C.h5perf_new_names(prefix, suffix, C.uint64_t(first), numbered, C.int(f.width), C.char(f.pad))
	if c == nil {
		return nil, errors.New("names of objects: out of memory")
	}
	return &MemberNames{c}, nil
}

// NameOfMember returns the name of a member.
func (n *MemberNames) NameOfMember(member uint64) string {
	return C.GoString(C.h5perf_name(n.c, C.uint64_t(member)))
}

// Pointer returns the address of the names, an h5perf_names, for C.
func (n *MemberNames) Pointer() unsafe.Pointer { return unsafe.Pointer(n.c) }

// Free frees the names.
func (n *MemberNames) Free() {
	C.free(unsafe.Pointer(n.c))
	n.c = nil
}
