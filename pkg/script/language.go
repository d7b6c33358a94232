package script

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// init adds what all scripts can call, of the language itself.
func init() {
	for name := range strings.FieldsSeq("None True False abs bool float len type") {
		universe[name] = starlark.Universe[name]
	}
	for name := range strings.FieldsSeq("all any dict enumerate list max min range reversed sorted tuple zip") {
		universe[name] = newBuiltin(name, countedBuiltin(name))
	}
	for _, op := range operators {
		universe[op.String()] = newBuiltin(op.String(), countedOperator(op))
	}
	universe[copyFunction], universe[keyFunction] = newBuiltin(copyFunction, countedCopy),
		newBuiltin(keyFunction, checkedKey)
	universe["str"] = newBuiltin("str", func(c builtinCall) (starlark.Value, error) {
		var v starlark.Value
		if err := c.unpackArgs("value", &v); err != nil {
			return nil, err
		}
		return c.formatText("%s", v)
	})
	universe["int"] = newBuiltin("int", func(c builtinCall) (starlark.Value, error) {
		v, err := starlark.Call(c.thread, starlark.Universe["int"], c.args, c.kwargs)
		return checkedNumber(v, err)
	})
	universe["fail"] = newBuiltin("fail", func(c builtinCall) (starlark.Value, error) {
		var text string
		if err := c.unpackArgs("message", &text); err != nil {
			return nil, err
		}
		return nil, errors.New(text)
	})
	for name := range starlark.Universe {
		if !universe.Has(name) {
			universe[name] = newBuiltin(name, refuseFunction)
		}
	}
}

// refuseFunction refuses a function of Starlark whose time and memory have no bounds here, and print: a script is run
// many times, by each process.
func refuseFunction(c builtinCall) (starlark.Value, error) {
	if c.name == "print" {
		return nil, errors.New("a script prints nothing: 'h5perf workload about' shows what it does, and fail(text) " +
			"ends it with a text")
	}
	return nil, fmt.Errorf("%s is no part of this language: leave it out", c.name)
}

func isPredeclared(name string) bool { return name == "job" || universe.Has(name) }

// valueText returns a value for an error. A list may have lists in it that take long to print.
func valueText(v starlark.Value) string {
	switch v.(type) {
	case starlark.String, starlark.Int, starlark.Float, starlark.Bool, starlark.NoneType:
		return fmt.Sprintf("%.100s", v.String())
	}
	return "a value of type " + v.Type()
}

// hasNestedLists reports whether a list or tuple has others in it.
func hasNestedLists(v starlark.Value) bool {
	list, is := v.(starlark.Indexable)
	for i := 0; is && i < list.Len(); i++ {
		if _, inner := list.Index(i).(starlark.Sequence); inner {
			return true
		}
	}
	return false
}

// checkComparable returns an error for a value that takes long to compare.
func (r *execution) checkComparable(v starlark.Value) error {
	switch v.(type) {
	case starlark.String, starlark.Int, starlark.Float, starlark.Bool, starlark.NoneType:
		r.countScan(v)
		return nil
	case starlark.Tuple, *starlark.List:
		if !hasNestedLists(v) {
			return r.countMemory(starlark.Len(v))
		}
	}
	return fmt.Errorf("%s is compared, maybe with lists in it: compare numbers, texts, and lists of them", valueText(v))
}

// checkedKey returns its argument, a key or an index. Tuples within tuples take long to look up.
func checkedKey(c builtinCall) (starlark.Value, error) {
	if t, is := c.args[0].(starlark.Tuple); is && hasNestedLists(t) {
		return nil, errors.New("a key has tuples within tuples: use numbers, texts, or tuples of them")
	}
	c.countScan(c.args[0])
	return c.args[0], nil
}

// countScan counts the time in which a text or tuple is gone through.
func (r *execution) countScan(v starlark.Value) {
	r.thread.Steps += uint64(max(0, starlark.Len(v)) / 4)
}

// countedCopy returns its argument, which will be copied.
func countedCopy(c builtinCall) (starlark.Value, error) {
	switch v := c.args[0].(type) {
	case starlark.String, starlark.Tuple, *starlark.List:
		return v, c.countMemory(64 * starlark.Len(v))
	case *starlark.Dict:
		return v, c.countMemory(512 * starlark.Len(v))
	case *objectHandle:
		return nil, fmt.Errorf("%s has no slices: %s", v.pathText(), writeOrRead)
	}
	return c.args[0], nil
}

// countedBuiltin returns a function of the language that counts what it will go through.
func countedBuiltin(name string) builtinFunc {
	return func(c builtinCall) (starlark.Value, error) {
		total := 0
		for _, v := range c.args {
			total += max(0, starlark.Len(v))
			switch name {
			case "max", "min", "sorted", "tuple":
				if hasNestedLists(v) || len(c.kwargs) > 0 && name != "sorted" {
					return nil, fmt.Errorf("%s is for numbers and texts, not for lists of lists", name)
				}
			}
		}
		if err := c.countList(total); err != nil {
			return nil, err
		}
		if name == "sorted" {
			c.thread.Steps += uint64(40 * total)
		}
		v, err := starlark.Call(c.thread, starlark.Universe[name], c.args, c.kwargs)
		if n := starlark.Len(v); err == nil && name == "range" && n > maxElements {
			return nil, fmt.Errorf("a range of %d numbers: the limit is %d; numbered names make many objects in one "+
				"call", n, maxElements)
		}
		return v, err
	}
}

// countedOperator returns the function of an operator, which counts what it will make.
func countedOperator(op syntax.Token) builtinFunc {
	return func(c builtinCall) (starlark.Value, error) {
		x, y := c.args[0], c.args[1]
		a, b := starlark.Len(x), starlark.Len(y)
		var err error
		switch op {
		case syntax.PERCENT:
			if format, is := x.(starlark.String); is {
				return c.formatText(string(format), y)
			}
		case syntax.STAR:
			for _, of := range []struct {
				list, times starlark.Value
			}{{x, y}, {y, x}} {
				n, fails := starlark.AsInt32(of.times)
				if length := starlark.Len(of.list); length > 0 && fails == nil && n > 0 {
					err = c.countValue(of.list, length*min(n, 2*maxElements/length+1))
				}
			}
		case syntax.PLUS, syntax.PIPE:
			if a >= 0 && b >= 0 {
				err = c.countValue(x, a+b)
			}
		case syntax.LTLT:
			if n, fails := starlark.AsInt32(y); fails != nil || n > 62 {
				err = errors.New("a number is shifted by more than 62 bits: numbers have 63 bits")
			}
		case syntax.IN, syntax.NOT_IN:
			if err = cmp.Or(c.checkComparable(x), c.countValue(y, max(0, b))); err == nil {
				found, err := containsValue(y, x)
				return starlark.Bool(found == (op == syntax.IN)), err
			}
		case syntax.EQL, syntax.NEQ, syntax.LT, syntax.GT, syntax.LE, syntax.GE:
			if err = cmp.Or(c.checkComparable(x), c.checkComparable(y)); err == nil {
				is, err := starlark.Compare(op, x, y)
				return starlark.Bool(is), err
			}
		}
		if err != nil {
			return nil, err
		}
		result, err := starlark.Binary(op, x, y)
		return checkedNumber(result, err)
	}
}

var errLarge = errors.New("the number does not fit into 64 bits")

// checkedNumber returns a result, unless it is a number of more than 64 bits: those may take long.
func checkedNumber(v starlark.Value, err error) (starlark.Value, error) {
	if n, is := v.(starlark.Int); is {
		if _, fits := n.Int64(); !fits {
			return nil, errLarge
		}
	}
	return v, err
}

// countValue counts a text or list of a length.
func (r *execution) countValue(of starlark.Value, length int) error {
	if _, is := of.(starlark.String); is {
		return r.countText(length)
	}
	return r.countList(length)
}

// containsValue reports whether a list or text has a plain value. Lists within the list are not compared.
func containsValue(list, x starlark.Value) (bool, error) {
	elements, is := list.(starlark.Indexable)
	if _, text := list.(starlark.String); !is || text {
		found, err := starlark.Binary(syntax.IN, x, list)
		return err == nil && bool(found.Truth()), err
	}
	for i := range elements.Len() {
		if one := elements.Index(i); one.Type() == x.Type() && !hasNestedLists(one) {
			if same, err := starlark.Equal(one, x); same || err != nil {
				return same, err
			}
		}
	}
	return false, nil
}

// formatText does the operator % of a text: %d, %5d, %05d, %x, %s and %%.
func (r *execution) formatText(format string, y starlark.Value) (starlark.Value, error) {
	args, is := y.(starlark.Tuple)
	if !is {
		args = starlark.Tuple{y}
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(format, "%")
		b.WriteString(before)
		if !found {
			break
		}
		end := strings.IndexFunc(rest, func(c rune) bool { return c < '0' || c > '9' })
		if end < 0 || end > 3 || !strings.ContainsRune("dxs%", rune(rest[end])) {
			return nil, fmt.Errorf("%%%.8s is no place for a value: write %%d, %%05d, %%x or %%s, and %%%% for a "+
				"percent sign", rest)
		}
		verb := rest[:end+1]
		format = rest[end+1:]
		if verb[end] == '%' {
			b.WriteByte('%')
			continue
		}
		if len(args) == 0 {
			return nil, errors.New("there are fewer values than places for them")
		}
		n, integer := args[0].(starlark.Int)
		text, is := starlark.AsString(args[0])
		switch {
		case integer && verb[end] != 's':
			if small, fits := n.Int64(); fits {
				fmt.Fprintf(&b, "%"+verb, small)
			} else {
				fmt.Fprintf(&b, "%"+verb, n.BigInt())
			}
		case verb[end] != 's':
			return nil, fmt.Errorf("%%%s is for an integer, not for %s", verb, valueText(args[0]))
		case is:
			fmt.Fprintf(&b, "%"+verb, text)
		default:
			fmt.Fprintf(&b, "%"+verb, valueText(args[0]))
		}
		args = args[1:]
		if err := r.countText(b.Len()); err != nil {
			return nil, err
		}
	}
	if len(args) > 0 {
		return nil, errors.New("there are more values than places for them")
	}
	return starlark.String(b.String()), r.countText(b.Len())
}
