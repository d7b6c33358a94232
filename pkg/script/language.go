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

// init adds the functions and constants of Starlark that all scripts can use.
func init() {
	for name := range strings.FieldsSeq("None True False abs bool float len type") {
		predeclaredNames[name] = starlark.Universe[name]
	}
	for name := range strings.FieldsSeq("all any dict enumerate list max min range reversed sorted tuple zip") {
		predeclaredNames[name] = newBuiltin(name, chargedBuiltin(name))
	}
	for _, op := range operators {
		predeclaredNames[op.String()] = newBuiltin(op.String(), chargedOperator(op))
	}
	predeclaredNames[copyFunction], predeclaredNames[keyFunction] = newBuiltin(copyFunction, chargedCopy),
		newBuiltin(keyFunction, chargedKey)
	predeclaredNames["str"] = newBuiltin("str", func(c builtinCall) (starlark.Value, error) {
		var v starlark.Value
		if err := c.unpackArgs("value", &v); err != nil {
			return nil, err
		}
		return c.formatText("%s", v)
	})
	predeclaredNames["int"] = newBuiltin("int", func(c builtinCall) (starlark.Value, error) {
		v, err := starlark.Call(c.thread, starlark.Universe["int"], c.args, c.kwargs)
		return checkedNumber(v, err)
	})
	predeclaredNames["fail"] = newBuiltin("fail", func(c builtinCall) (starlark.Value, error) {
		var text string
		if err := c.unpackArgs("message", &text); err != nil {
			return nil, err
		}
		return nil, refusal(text)
	})
	for name := range starlark.Universe {
		if !predeclaredNames.Has(name) {
			predeclaredNames[name] = newBuiltin(name, refuseFunction)
		}
	}
}

// refuseFunction returns an error for a function of Starlark whose time and memory h5perf does not limit. It does so
// for print, too, because each process runs a script many times.
func refuseFunction(c builtinCall) (starlark.Value, error) {
	if c.name == "print" {
		return nil, errors.New("a script prints nothing: 'h5perf workload about' shows what it does, and fail(text) " +
			"ends it with a text")
	}
	return nil, fmt.Errorf("%s is no part of this language: leave it out", c.name)
}

func isPredeclared(name string) bool { return name == "job" || predeclaredNames.Has(name) }

// valueText formats a value for an error message. For a list it returns only the type, because nested lists may take
// long to print.
func valueText(v starlark.Value) string {
	switch v.(type) {
	case starlark.String, starlark.Int, starlark.Float, starlark.Bool, starlark.NoneType:
		return fmt.Sprintf("%.100s", v.String())
	}
	return "a value of type " + v.Type()
}

// hasNestedLists reports whether a list or tuple contains lists, tuples or other sequences.
func hasNestedLists(v starlark.Value) bool {
	list, is := v.(starlark.Indexable)
	for i := 0; is && i < list.Len(); i++ {
		if _, inner := list.Index(i).(starlark.Sequence); inner {
			return true
		}
	}
	return false
}

// chargePlainValue counts the work to read a plain value, such as to compare it or to look it up. A plain value is a
// number, a string, or a list or tuple of them. For other values, such as lists within lists, it returns errNested:
// their size has no limit.
func (r *execution) chargePlainValue(v starlark.Value) error {
	switch v := v.(type) {
	case starlark.Int, starlark.Float, starlark.Bool, starlark.NoneType:
		return nil
	case starlark.String:
		return r.chargeSteps(len(v) / 4)
	case starlark.Tuple, *starlark.List:
		list := v.(starlark.Indexable)
		err := r.chargeSteps(list.Len())
		for i := 0; err == nil && i < list.Len(); i++ {
			switch one := list.Index(i).(type) {
			case starlark.String:
				err = r.chargeSteps(len(one) / 4)
			case starlark.Sequence:
				err = errNested
			}
		}
		return err
	}
	return errNested
}

var errNested = errors.New("lists within lists")

// chargeComparison counts the work to compare a value. It returns an error if the value is not plain.
func (r *execution) chargeComparison(v starlark.Value) error {
	err := r.chargePlainValue(v)
	if errors.Is(err, errNested) {
		return fmt.Errorf("%s is compared, maybe with lists in it: compare numbers, texts, and lists of them",
			valueText(v))
	}
	return err
}

// chargeKey counts the work to look up a key that is a string or a tuple. Other keys take constant time.
func (r *execution) chargeKey(v starlark.Value) error {
	switch v.(type) {
	case starlark.String, starlark.Tuple:
		err := r.chargePlainValue(v)
		if errors.Is(err, errNested) {
			return errors.New("a key has tuples within tuples: use numbers, texts, or tuples of them")
		}
		return err
	}
	return nil
}

// chargedKey counts the work to look up its argument, a key or an index, and returns the argument.
func chargedKey(c builtinCall) (starlark.Value, error) { return c.args[0], c.chargeKey(c.args[0]) }

// chargedCopy counts the memory for a copy of its argument and returns the argument.
func chargedCopy(c builtinCall) (starlark.Value, error) {
	switch v := c.args[0].(type) {
	case starlark.String, starlark.Tuple, *starlark.List:
		return v, c.chargeMemory(64 * starlark.Len(v))
	case *starlark.Dict:
		return v, c.chargeMemory(512 * starlark.Len(v))
	case *objectHandle:
		return nil, fmt.Errorf("%s has no slices: %s", v.pathText(), transferAdvice)
	}
	return c.args[0], nil
}

// chargedBuiltin returns a function of Starlark that counts its work and memory before it runs.
func chargedBuiltin(name string) builtinFunc {
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
		if err := cmp.Or(c.chargeList(total), c.chargeWork(name, total)); err != nil {
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

// chargeWork counts the work of a function of Starlark, except the work to make its result. total is the number of
// elements of its arguments.
func (c builtinCall) chargeWork(name string, total int) error {
	switch name {
	case "max", "min":
		for _, v := range c.args {
			if err := c.chargePlainValue(v); err != nil && !errors.Is(err, errNested) {
				return err
			}
		}
	case "sorted":
		before := c.thread.Steps
		for _, v := range c.args {
			if err := c.chargePlainValue(v); err != nil && !errors.Is(err, errNested) {
				return err
			}
		}
		if err := c.chargeSteps(int(c.thread.Steps-before) * comparisonsPerValue(total)); err != nil {
			return err
		}
		for i, kv := range c.kwargs {
			if key, is := kv[1].(starlark.Callable); is {
				c.kwargs[i] = starlark.Tuple{kv[0], c.chargedSortKey(key, total)}
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
				if err := c.chargeKey(pair.Index(0)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// chargedSortKey returns a function that calls key, the key function of a sort, and counts the work to compare its
// results.
func (c builtinCall) chargedSortKey(key starlark.Callable, total int) starlark.Value {
	return newBuiltin(key.Name(), func(inner builtinCall) (starlark.Value, error) {
		v, err := starlark.Call(inner.thread, key, inner.args, inner.kwargs)
		if before := c.thread.Steps; err == nil {
			if err = c.chargeComparison(v); err == nil {
				err = c.chargeSteps(int(c.thread.Steps-before) * comparisonsPerValue(total))
			}
		}
		return v, err
	})
}

// comparisonsPerValue returns about how many times a sort of total values compares each value.
func comparisonsPerValue(total int) int { return 2 * bits.Len(uint(total)) }

// chargedOperator returns a function that applies an operator. It counts the memory of the result before it computes
// the result.
func chargedOperator(op syntax.Token) builtinFunc {
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
					err = c.chargeValue(of.list, length*min(n, 2*maxElements/length+1))
				}
			}
		case syntax.PLUS, syntax.PIPE:
			if a >= 0 && b >= 0 {
				err = c.chargeValue(x, a+b)
			}
		case syntax.LTLT:
			if n, fails := starlark.AsInt32(y); fails != nil || n > 62 {
				err = errors.New("a number is shifted by more than 62 bits: numbers have 63 bits")
			}
		case syntax.IN, syntax.NOT_IN:
			if err = c.chargeComparison(x); err == nil {
				found, err := c.containsValue(y, x)
				return starlark.Bool(found == (op == syntax.IN)), err
			}
		case syntax.EQL, syntax.NEQ, syntax.LT, syntax.GT, syntax.LE, syntax.GE:
			if err = cmp.Or(c.chargeComparison(x), c.chargeComparison(y)); err == nil {
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

var errTooLarge = errors.New("the number does not fit into 64 bits")

// checkedNumber returns v and err, or errTooLarge if v is an integer that needs more than 64 bits. Operations on such
// integers may take long.
func checkedNumber(v starlark.Value, err error) (starlark.Value, error) {
	if n, is := v.(starlark.Int); is {
		if _, fits := n.Int64(); !fits {
			return nil, errTooLarge
		}
	}
	return v, err
}

// chargeValue counts the memory of a string or list of the given length. The value of has the same type.
func (r *execution) chargeValue(of starlark.Value, length int) error {
	if _, is := of.(starlark.String); is {
		return r.chargeText(length)
	}
	return r.chargeList(length)
}

// containsValue reports whether a list or string contains a plain value. It does not compare lists within the list.
func (r *execution) containsValue(list, x starlark.Value) (bool, error) {
	elements, is := list.(starlark.Indexable)
	if _, text := list.(starlark.String); !is || text {
		err := r.chargeKey(x)
		if text {
			err = cmp.Or(err, r.chargeSteps(starlark.Len(list)))
		}
		if err != nil {
			return false, err
		}
		found, err := starlark.Binary(syntax.IN, x, list)
		return err == nil && bool(found.Truth()), err
	}
	for i := range elements.Len() {
		one := elements.Index(i)
		if err := r.chargeSteps(4); err != nil {
			return false, err
		}
		if one.Type() != x.Type() {
			continue
		}
		err := r.chargePlainValue(one)
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

// formatText implements the operator % of a string with the verbs %d, %5d, %05d, %x, %s and %%.
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
		if err := r.chargeText(b.Len()); err != nil {
			return nil, err
		}
	}
	if len(args) > 0 {
		return nil, errors.New("there are more values than places for them")
	}
	return starlark.String(b.String()), r.chargeText(b.Len())
}
