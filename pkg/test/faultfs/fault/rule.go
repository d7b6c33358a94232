// Package fault is the file system of faultfs: it passes on, delays and fails requests by rules. It uses FUSE, and
// passes requests on to a directory. It records what it did, so that a test can compare a measurement with the truth.
package fault

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Op is a kind of request.
type Op string

// The kinds of requests. Read and Write move data. Create makes a file, by open or mknod. Flush is close(2), which
// returns its error. Release follows the last close, and the kernel ignores its error. OpenRead is an Open for reading
// only. Other is any request without a name of its own: for attributes, directories, removals. Any is every request
// except those that control the file system.
const (
	Read     Op = "read"
	Write    Op = "write"
	Create   Op = "create"
	Open     Op = "open"
	OpenRead Op = "openread"
	Fsync    Op = "fsync"
	Flush    Op = "flush"
	Release  Op = "release"
	Other    Op = "other"
	Any      Op = "any"
)

var ops = []Op{Read, Write, Create, Open, OpenRead, Fsync, Flush, Release, Other, Any}

// The actions of a rule, besides failing with an error of the system.
const (
	Short = "short" // moves only the first half of the bytes, and reports that number
	Empty = "empty" // moves nothing, as at the end of a file
	Drop  = "drop"  // acknowledges a write and stores nothing
	Flip  = "flip"  // flips the lowest bit of the byte in the middle
	Hang  = "hang"  // does not answer until the rules are replaced or the connection is aborted
)

// errnos are the errors of the system with which a rule can answer a request.
var errnos = map[string]syscall.Errno{
	"eacces": syscall.EACCES, "edquot": syscall.EDQUOT, "eio": syscall.EIO, "enospc": syscall.ENOSPC,
	"erofs":  syscall.EROFS,
	"estale": syscall.ESTALE,
}

// dataActions are the actions that only requests with data can have.
var dataActions = map[string][]Op{Short: {Read, Write}, Empty: {Read}, Drop: {Write}, Flip: {Read, Write}}

// Rule is a fault: what happens to which requests.
type Rule struct {
	Op     Op
	Action string // name of a system error in lower case, or one of the constants
	From   uint64 // first request that it applies to, counted from 1 among those of Op since the rule was set
	To     uint64 // last one; 0 for no end
}

// ParseRule parses OP:ACTION, OP:ACTION:at=K for the K-th request alone, or OP:ACTION:from=K for the K-th
// and all following requests.
func ParseRule(text string) (Rule, error) {
	parts := strings.Split(text, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return Rule{}, fmt.Errorf("rule %q: want OP:ACTION, OP:ACTION:at=K or OP:ACTION:from=K", text)
	}
	r := Rule{Op: Op(parts[0]), Action: parts[1], From: 1}
	if !slices.Contains(ops, r.Op) {
		return Rule{}, fmt.Errorf("rule %q: no requests are called %q; want one of %v", text, r.Op, ops)
	}
	_, isError := errnos[r.Action]
	only, isData := dataActions[r.Action]
	switch {
	case !isError && !isData && r.Action != Hang:
		return Rule{}, fmt.Errorf("rule %q: want hang, one of %v, or one of %v, not %q",
			text, slices.Sorted(maps.Keys(dataActions)), slices.Sorted(maps.Keys(errnos)), r.Action)
	case isData && !slices.Contains(only, r.Op):
		return Rule{}, fmt.Errorf("rule %q: only %v can meet %s", text, only, r.Action)
	case isError && r.Op == Release:
		return Rule{}, fmt.Errorf("rule %q: the kernel ignores errors of release; the error of close(2) is that of "+
			"flush", text)
	}
	if len(parts) == 2 {
		return r, nil
	}
	key, value, _ := strings.Cut(parts[2], "=")
	k, err := strconv.ParseUint(value, 10, 64)
	if err != nil || k == 0 || key != "at" && key != "from" {
		return Rule{}, fmt.Errorf("rule %q: want at=K or from=K with K from 1, not %q", text, parts[2])
	}
	r.From = k
	if key == "at" {
		r.To = k
	}
	return r, nil
}

// ParseRules parses rules that are separated by white space.
func ParseRules(text string) ([]Rule, error) {
	var rules []Rule
	for word := range strings.FieldsSeq(text) {
		r, err := ParseRule(word)
		if err != nil {
			return nil, err
		}
		rules = append(rules, r)
	}
	return rules, nil
}

func (r Rule) String() string {
	text := string(r.Op) + ":" + r.Action
	switch {
	case r.To != 0:
		text += fmt.Sprintf(":at=%d", r.To)
	case r.From > 1:
		text += fmt.Sprintf(":from=%d", r.From)
	}
	return text
}

// covers reports whether the rule is for requests of any of these kinds.
func (r Rule) covers(kinds []Op) bool { return r.Op == Any || slices.Contains(kinds, r.Op) }
