package star

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// What a script may use. All limits are the same on all machines, so that all ranks keep or break them together.
const (
	mostSource    = 1 << 18    // bytes of its text
	mostDepth     = 100        // brackets within one another in its text
	mostSteps     = 32_000_000 // of the interpreter, for one rank
	mostMemory    = 256 << 20  // bytes of texts and lists that it makes; none is given back
	mostElements  = 1 << 20    // of a list or range
	mostText      = 1 << 16    // bytes of a text
	mostName      = 1000       // bytes of the name of a file, object or attribute
	mostObjects   = 100_000    // families of objects, of files and of attributes
	mostBatches   = 400_000    // steps of a rank
	mostSelected  = 1 << 24    // hyperslabs and points of all selections of a rank
	mostMembers   = 1000       // of a compound, and words of an enumeration
	mostAttribute = 64 << 10   // bytes of an attribute in the header of an object
)

const tooManySteps = "the script does more than 32 million steps, the limit: use fewer or shorter loops; numbered " +
	"names make many objects in one call"

// alloc counts memory that a script takes, before it does.
func (r *run) alloc(bytes int) error {
	if r.allocated += uint64(bytes); bytes < 0 || r.allocated > mostMemory {
		return fmt.Errorf(
			"the script makes more than %d MiB of texts and lists, the limit: make them smaller, or once, "+
				"at the top",
			mostMemory>>20,
		)
	}
	return nil
}

// list counts the memory of a list of so many elements.
func (r *run) list(elements int) error {
	if elements < 0 || elements > mostElements {
		return fmt.Errorf("a list of more than %d elements, the limit: use a shorter one, or numbered names",
			mostElements)
	}
	return r.alloc(32 * elements)
}

// text counts the memory of a text.
func (r *run) text(bytes int) error {
	if bytes < 0 || bytes > mostText {
		return fmt.Errorf("a text of more than %d bytes, the limit: use a shorter one", mostText)
	}
	return r.alloc(bytes)
}

// parse returns the tree of a script, in which operators that may take much memory or time are calls of functions that
// count it first.
func parse(path string, text []byte) (*syntax.File, error) {
	if len(text) > mostSource {
		return nil, &Error{path + ":1:1", fmt.Sprintf("the script has more than %d bytes, the limit", mostSource)}
	}
	if line := deep(text); line > 0 {
		return nil, &Error{
			fmt.Sprint(path, ":", line, ":1"),
			fmt.Sprintf("more than %d brackets within one another, the "+
				"limit: use variables", mostDepth),
		}
	}
	tree, err := (&syntax.FileOptions{TopLevelControl: true, GlobalReassign: true}).Parse(path, text, 0)
	if err != nil {
		return nil, err
	}
	return tree, (&counter{}).file(tree)
}

// deep returns the line of the bracket that is in too many others, or 0. It counts those in texts and comments, too.
func deep(text []byte) int {
	depth, line := 0, 1
	for _, b := range text {
		switch b {
		case '\n':
			line++
		case '(', '[', '{':
			if depth++; depth > mostDepth {
				return line
			}
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
	}
	return 0
}

// counted are the operators that are calls; those that change a variable are its assignment.
var counted = map[syntax.Token]syntax.Token{
	syntax.PLUS_EQ: syntax.PLUS, syntax.STAR_EQ: syntax.STAR, syntax.PERCENT_EQ: syntax.PERCENT,
	syntax.PIPE_EQ: syntax.PIPE, syntax.LTLT_EQ: syntax.LTLT,
}

// operators are the operators that are calls.
var operators = []syntax.Token{
	syntax.PLUS, syntax.STAR, syntax.PERCENT, syntax.PIPE, syntax.LTLT, syntax.EQL, syntax.NEQ, syntax.LT, syntax.GT,
	syntax.LE, syntax.GE, syntax.IN, syntax.NOT_IN,
}

// copying are the methods of texts, lists and dictionaries that make as much as these have; refused are those that may
// make more.
var (
	copying = []string{
		"items",
		"keys",
		"values",
		"split",
		"rsplit",
		"splitlines",
		"upper",
		"lower",
		"title",
		"capitalize",
		"index",
		"remove",
		"insert",
		"pop",
		"popitem",
		"setdefault",
		"count",
		"find",
		"rfind",
	}
	refused = []string{
		"format", "join", "replace", "extend", "update", "union", "elems", "elem_ords", "codepoints",
		"codepoint_ords",
	}
)

// sized is the name of the function that counts a value before it is copied.
const sized = "copy"

func callOf(at syntax.Position, name string, args ...syntax.Expr) *syntax.CallExpr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: name}, Lparen: at, Args: args, Rparen: at}
}

// operate does an operator after it has counted what it makes.
func operate(op syntax.Token) builtin {
	return func(c call) (starlark.Value, error) {
		x, y := c.args[0], c.args[1]
		var err error
		switch op {
		case syntax.PERCENT:
			if format, is := x.(starlark.String); is {
				return c.format(string(format), y)
			}
		case syntax.STAR:
			if n, is := x.(starlark.Int); is {
				x, y = y, n
			}
			n, err := starlark.AsInt32(y)
			if length := starlark.Len(x); length >= 0 && err == nil {
				if err := c.count(x, length*max(0, n), n == 0 || length <= mostElements/max(1, n)); err != nil {
					return nil, err
				}
			}
		case syntax.PLUS, syntax.PIPE:
			if a, b := starlark.Len(x), starlark.Len(y); a >= 0 && b >= 0 {
				err = c.count(x, a+b, true)
			}
		case syntax.LTLT:
			if n, fails := starlark.AsInt32(y); fails != nil || n > 62 {
				err = errors.New("a number is shifted by more than 62 bits: numbers have 63 bits")
			}
		case syntax.IN, syntax.NOT_IN:
			if err = c.plain(x); err == nil {
				err = c.count(y, starlark.Len(y), true)
			}
			if found, is, known := contains(y, x); err == nil && known {
				return starlark.Bool(found == (op == syntax.IN)), is
			}
			if op == syntax.NOT_IN && err == nil {
				found, err := starlark.Binary(syntax.IN, y, x)
				return !found.Truth(), err
			}
		default:
			if err = errors.Join(c.plain(x), c.plain(y)); err == nil {
				is, err := starlark.Compare(op, x, y)
				return starlark.Bool(is), err
			}
		}
		if err != nil {
			return nil, err
		}
		result, err := starlark.Binary(op, c.args[0], c.args[1])
		if n, is := result.(starlark.Int); is {
			if _, fits := n.Int64(); !fits {
				return nil, errors.New("the number does not fit into 64 bits")
			}
		}
		return result, err
	}
}

// contains reports whether a list or tuple has a plain value.
func contains(list, x starlark.Value) (found bool, err error, known bool) { //nolint:revive // order of a result
	sequence, is := list.(starlark.Indexable)
	if _, text := list.(starlark.String); !is || text {
		return false, nil, false
	}
	for i := range sequence.Len() {
		if one := sequence.Index(i); one.Type() == x.Type() {
			if same, err := starlark.Equal(one, x); same || err != nil {
				return same, err, true
			}
		}
	}
	return false, nil, true
}

// count counts a text or list of a length.
func (r *run) count(of starlark.Value, length int, fits bool) error {
	if _, is := of.(starlark.String); is {
		return r.text(length)
	}
	if !fits {
		length = -1
	}
	return r.list(length)
}

// plain returns an error for a value that takes long to compare: a list of lists, and so on.
func (r *run) plain(v starlark.Value) error {
	switch v := v.(type) {
	case starlark.String, starlark.Int, starlark.Float, starlark.Bool, starlark.NoneType:
		return nil
	case starlark.Tuple, *starlark.List:
		for i := range v.(starlark.Indexable).Len() {
			if _, nested := v.(starlark.Indexable).Index(i).(starlark.Sequence); nested {
				return errors.New("lists within lists are not compared: compare their elements")
			}
		}
		return r.alloc(starlark.Len(v))
	}
	return fmt.Errorf("values of type %s are not compared: compare numbers and texts", v.Type())
}

// format does the operator % of a text: %d, %5d, %05d, %x, %s and %%.
func (r *run) format(format string, y starlark.Value) (starlark.Value, error) {
	args, is := y.(starlark.Tuple)
	if !is {
		args = starlark.Tuple{y}
	}
	var b strings.Builder
	for {
		before, verb, found := strings.Cut(format, "%")
		b.WriteString(before)
		if !found {
			break
		}
		end := strings.IndexFunc(verb, func(c rune) bool { return c < '0' || c > '9' })
		switch {
		case end < 0 || end > 3 || !strings.ContainsRune("dxs%", rune(verb[end])):
			return nil, fmt.Errorf(
				"%%%.8s is no place for a value: write %%d, %%05d, %%x or %%s, and %%%% for a percent "+
					"sign",
				verb,
			)
		case verb[end] == '%':
			b.WriteByte('%')
		case len(args) == 0:
			return nil, errors.New("there are fewer values than places for them")
		default:
			if err := r.verb(&b, verb[:end+1], args[0]); err != nil {
				return nil, err
			}
			args = args[1:]
		}
		format = verb[end+1:]
	}
	if len(args) > 0 {
		return nil, errors.New("there are more values than places for them")
	}
	return starlark.String(b.String()), r.text(b.Len())
}

func (r *run) verb(b *strings.Builder, verb string, v starlark.Value) error {
	var operand any
	switch v := v.(type) {
	case starlark.Int:
		operand = v.BigInt()
	case starlark.String:
		operand = string(v)
	case starlark.Float, starlark.Bool:
		operand = v.String()
	default:
		return fmt.Errorf("a value of type %s in a text: give numbers and texts", v.Type())
	}
	if _, text := operand.(string); text != strings.HasSuffix(verb, "s") && text {
		return fmt.Errorf("%%%s is for a number, not for %s", verb, v)
	}
	fmt.Fprintf(b, "%"+verb, operand)
	return r.text(b.Len())
}

// safe are the functions of the language that neither make more than they are given nor take long.
var safe = []string{"None", "True", "False", "abs", "bool", "fail", "float", "int", "len", "type"}

// measured are those that take as much as their arguments have; sorted compares.
var measured = []string{"all", "any", "dict", "enumerate", "list", "max", "min", "reversed", "sorted", "tuple", "zip"}

// copies counts arguments before a function of the language uses them.
func copies(name string) builtin {
	return func(c call) (starlark.Value, error) {
		total := 0
		for _, v := range c.args {
			n := max(0, starlark.Len(v))
			total += n
			if name != "max" && name != "min" && name != "sorted" && name != "tuple" {
				continue
			}
			for i, indexed := 0, v; i < n; i++ {
				if list, is := indexed.(starlark.Indexable); is {
					if _, nested := list.Index(i).(starlark.Sequence); nested && name != "sorted" ||
						nested && len(c.kwargs) == 0 {
						return nil, fmt.Errorf("%s: its values are numbers or texts, not lists", name)
					}
				}
			}
		}
		if err := c.list(total); err != nil {
			return nil, err
		}
		return starlark.Call(c.thread, starlark.Universe[name], c.args, c.kwargs)
	}
}

// bounded is the function range, with a limit.
func bounded(c call) (starlark.Value, error) {
	v, err := starlark.Call(c.thread, starlark.Universe["range"], c.args, c.kwargs)
	if n := starlark.Len(v); err == nil && n > mostElements {
		return nil, fmt.Errorf("a range of %d numbers: the limit is %d; numbered names make many objects in one call",
			n, mostElements)
	}
	return v, err
}

// textOf is the function str, for numbers and texts only.
func textOf(c call) (starlark.Value, error) {
	var v starlark.Value
	if err := c.unpack("value", &v); err != nil {
		return nil, err
	}
	return c.format("%s", v)
}

func init() {
	for _, name := range safe {
		universe[name] = starlark.Universe[name]
	}
	for _, name := range measured {
		universe[name] = newBuiltin(name, copies(name))
	}
	universe["range"], universe["str"] = newBuiltin("range", bounded), newBuiltin("str", textOf)
	for _, op := range operators {
		universe[op.String()] = newBuiltin(op.String(), operate(op))
	}
	universe[sized] = newBuiltin(sized, func(c call) (starlark.Value, error) {
		v := c.args[0]
		switch v.(type) {
		case starlark.String, starlark.Tuple, *starlark.List, *starlark.Dict:
			return v, c.alloc(64 * starlark.Len(v))
		}
		return v, nil
	})
}

func isPredeclared(name string) bool { return name == "job" || universe.Has(name) }
