package script

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
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

// countPlain counts the work of going through a number, a text, or a list or tuple of them, such as to compare it or to
// look it up. It returns an error for other values, which have no bound: lists within lists.
func (r *execution) countPlain(v starlark.Value) error {
	switch v := v.(type) {
	case starlark.Int, starlark.Float, starlark.Bool, starlark.NoneType:
		return nil
	case starlark.String:
		return r.countSteps(len(v) / 4)
	case starlark.Tuple, *starlark.List:
		list := v.(starlark.Indexable)
		err := r.countSteps(list.Len())
		for i := 0; err == nil && i < list.Len(); i++ {
			switch one := list.Index(i).(type) {
			case starlark.String:
				err = r.countSteps(len(one) / 4)
			case starlark.Sequence:
				err = errNested
			}
		}
		return err
	}
	return errNested
}

var errNested = errors.New("lists within lists")

// countCompared counts the work of a comparison with a value.
func (r *execution) countCompared(v starlark.Value) error {
	err := r.countPlain(v)
	if errors.Is(err, errNested) {
		return fmt.Errorf("%s is compared, maybe with lists in it: compare numbers, texts, and lists of them",
			valueText(v))
	}
	return err
}

// countKey counts the work of looking up a key. Keys that are no texts and no tuples are looked up at once.
func (r *execution) countKey(v starlark.Value) error {
	switch v.(type) {
	case starlark.String, starlark.Tuple:
		err := r.countPlain(v)
		if errors.Is(err, errNested) {
			return errors.New("a key has tuples within tuples: use numbers, texts, or tuples of them")
		}
		return err
	}
	return nil
}

// checkedKey returns its argument, a key or an index.
func checkedKey(c builtinCall) (starlark.Value, error) { return c.args[0], c.countKey(c.args[0]) }

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
		if err := cmp.Or(c.countList(total), c.countWork(name, total)); err != nil {
			return nil, err
		}
		v, err := starlark.Call(c.thread, starlark.Universe[name], c.args, c.kwargs)
		if n := starlark.Len(v); err == nil && name == "range" && n > maxElements {
			return nil, fmt.Errorf("a range of %d numbers: the limit is %d; numbered names make many objects in one "+
				"call", n, maxElements)
		}
		return v, err
	}
}

// countWork counts the work of a function of the language, beside that of making what it returns.
func (c builtinCall) countWork(name string, total int) error {
	switch name {
	case "max", "min":
		for _, v := range c.args {
			if err := c.countPlain(v); err != nil && !errors.Is(err, errNested) {
				return err
			}
		}
	case "sorted":
		before := c.thread.Steps
		for _, v := range c.args {
			if err := c.countPlain(v); err != nil && !errors.Is(err, errNested) {
				return err
			}
		}
		if err := c.countSteps(int(c.thread.Steps-before) * comparisonsOf(total)); err != nil {
			return err
		}
		for i, kv := range c.kwargs {
			if key, is := kv[1].(starlark.Callable); is {
				c.kwargs[i] = starlark.Tuple{kv[0], c.countedSortKey(key, total)}
			}
		}
	case "dict":
		for _, v := range c.args {
			pairs, is := v.(starlark.Indexable)
			for i := 0; is && i < pairs.Len(); i++ {
				pair, is := pairs.Index(i).(starlark.Indexable)
				if !is || pair.Len() == 0 {
					continue
				}
				if err := c.countKey(pair.Index(0)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// countedSortKey returns a function that counts the work of comparing what the key of a sort returns.
func (c builtinCall) countedSortKey(key starlark.Callable, total int) starlark.Value {
	return newBuiltin(key.Name(), func(inner builtinCall) (starlark.Value, error) {
		v, err := starlark.Call(inner.thread, key, inner.args, inner.kwargs)
		if before := c.thread.Steps; err == nil {
			if err = c.countCompared(v); err == nil {
				err = c.countSteps(int(c.thread.Steps-before) * comparisonsOf(total))
			}
		}
		return v, err
	})
}

// comparisonsOf returns about how often each of so many values is compared to sort them.
func comparisonsOf(total int) int { return 2 * bits.Len(uint(total)) }

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
			if err = c.countCompared(x); err == nil {
				found, err := c.containsValue(y, x)
				return starlark.Bool(found == (op == syntax.IN)), err
			}
		case syntax.EQL, syntax.NEQ, syntax.LT, syntax.GT, syntax.LE, syntax.GE:
			if err = cmp.Or(c.countCompared(x), c.countCompared(y)); err == nil {
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
func (r *execution) containsValue(list, x starlark.Value) (bool, error) {
	elements, is := list.(starlark.Indexable)
	if _, text := list.(starlark.String); !is || text {
		err := r.countKey(x)
		if text {
			err = cmp.Or(err, r.countSteps(starlark.Len(list)))
		}
		if err != nil {
			return false, err
		}
		found, err := starlark.Binary(syntax.IN, x, list)
		return err == nil && bool(found.Truth()), err
	}
	for i := range elements.Len() {
		one := elements.Index(i)
		if err := r.countSteps(4); err != nil {
			return false, err
		}
		if one.Type() != x.Type() {
			continue
		}
		err := r.countPlain(one)
		if errors.Is(err, errNested) {
			continue
		}
		if err != nil {
			return false, err
		}
		if same, err := starlark.Equal(one, x); same || err != nil {
			return same, err
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
