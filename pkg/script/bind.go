package script

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// Bind returns an expression with the values of names instead of them, and computed as far as possible. value returns
// the value of a name, and whether it is known; it may return an error, which Bind returns. An error in the computation
// names the expression and the values. An operand that does not count, as the third of if(1, a, b), is not computed.
func (e Expr) Bind(value func(name string) (int64, bool, error)) (Expr, error) {
	b := binder{value: value}
	n, err := b.bind(e.tree())
	if err != nil && b.wrong {
		err = fmt.Errorf("%s: %w", e.Source()+b.with(), err)
	}
	if err != nil {
		return Expr{}, err
	}
	return Expr{root: n}, nil
}

// Eval returns the value of an expression whose names all have values. An unknown name is an error.
func (e Expr) Eval(values map[string]int64) (int64, error) {
	bound, err := e.Bind(func(name string) (int64, bool, error) {
		v, known := values[name]
		return v, known, nil
	})
	if err != nil {
		return 0, err
	}
	n, is := bound.Value()
	if !is {
		return 0, fmt.Errorf("%s: %s has no value here", e.Source(), strings.Join(bound.Names(), ", "))
	}
	return n, nil
}

type binder struct {
	value func(string) (int64, bool, error)
	used  []string // names with their values
	wrong bool     // the error is in the computation
}

// with returns the values that were used.
func (b *binder) with() string {
	if len(b.used) == 0 {
		return ""
	}
	return " with " + strings.Join(b.used, ", ")
}

func (b *binder) bind(n *node) (*node, error) {
	switch n.kind {
	case number:
		return n, nil
	case name:
		v, known, err := b.value(n.name)
		if err != nil || !known {
			return n, err
		}
		if shown := fmt.Sprintf("%s = %d", n.name, v); !strings.Contains(strings.Join(b.used, ", ")+",", shown+",") {
			b.used = append(b.used, shown)
		}
		return &node{value: v}, nil
	}
	if n.kind == call && (n.name == "if" || n.name == "pick") {
		return b.choice(n)
	}
	bound := &node{kind: n.kind, name: n.name, args: make([]*node, len(n.args))}
	values := make([]int64, 0, len(n.args))
	for i, a := range n.args {
		arg, err := b.bind(a)
		if err != nil {
			return nil, err
		}
		bound.args[i] = arg
		if arg.kind == number {
			values = append(values, arg.value)
		}
	}
	if len(values) < len(n.args) {
		return bound, nil
	}
	v, err := compute(n.name, n.kind, values)
	if err != nil {
		b.wrong = true
		return nil, err
	}
	return &node{value: v}, nil
}

// choice computes if and pick: only the chosen operand, once it is known which one that is.
func (b *binder) choice(n *node) (*node, error) {
	first, err := b.bind(n.args[0])
	if err != nil {
		return nil, err
	}
	if first.kind == number {
		i := first.value
		if n.name == "if" && i != 0 {
			i = 1
		}
		switch {
		case n.name == "if" && i == 1:
			return b.bind(n.args[1])
		case n.name == "if":
			return b.bind(n.args[2])
		case i < 0 || i >= int64(len(n.args)-1):
			b.wrong = true
			return nil, fmt.Errorf("pick has %d values to pick from, numbered from 0: there is none with the number %d",
				len(n.args)-1, i)
		}
		return b.bind(n.args[1+i])
	}
	bound := &node{kind: call, name: n.name, args: []*node{first}}
	for _, a := range n.args[1:] {
		arg, err := b.bind(a)
		if err != nil && b.wrong {
			b.wrong, arg, err = false, a, nil // it may never count
		}
		if err != nil {
			return nil, err
		}
		bound.args = append(bound.args, arg)
	}
	return bound, nil
}

// compute returns the value of an operator or function.
func compute(name string, k kind, v []int64) (int64, error) {
	if k == negative {
		if v[0] == math.MinInt64 {
			return 0, tooLarge("-(%d)", v[0])
		}
		return -v[0], nil
	}
	switch name {
	case "+":
		if s := v[0] + v[1]; (s > v[0]) == (v[1] > 0) {
			return s, nil
		}
		return 0, tooLarge("%d + %d", v[0], v[1])
	case "-":
		if s := v[0] - v[1]; (s < v[0]) == (v[1] > 0) {
			return s, nil
		}
		return 0, tooLarge("%d - %d", v[0], v[1])
	case "*":
		return productOf(v[0], v[1])
	case "==":
		return truth(v[0] == v[1]), nil
	case "!=":
		return truth(v[0] != v[1]), nil
	case "<":
		return truth(v[0] < v[1]), nil
	case "<=":
		return truth(v[0] <= v[1]), nil
	case ">":
		return truth(v[0] > v[1]), nil
	case ">=":
		return truth(v[0] >= v[1]), nil
	case "min", "max":
		return extreme(name == "min", v), nil
	case "pow":
		return power(v[0], v[1])
	case "dims":
		return side(v[0], v[1], v[2])
	case "shuffle":
		return shuffle(v[0], v[1], v[2])
	}
	return divide(name, v[0], v[1])
}

func truth(holds bool) int64 {
	if holds {
		return 1
	}
	return 0
}

func extreme(least bool, v []int64) int64 {
	m := v[0]
	for _, x := range v[1:] {
		if least == (x < m) {
			m = x
		}
	}
	return m
}

func tooLarge(format string, args ...any) error {
	return fmt.Errorf(format+" does not fit into 64 bits", args...)
}

func productOf(a, b int64) (int64, error) {
	high, low := bits.Mul64(magnitude(a), magnitude(b))
	minus := a < 0 != (b < 0)
	switch {
	case high != 0, !minus && low > math.MaxInt64, minus && low > 1<<63:
		return 0, tooLarge("%d * %d", a, b)
	case minus:
		return -int64(low), nil
	}
	return int64(low), nil
}

// magnitude returns the absolute value of a number.
func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}

func shuffle(i, n, seed int64) (int64, error) {
	if i < 0 || i >= n {
		return 0, fmt.Errorf("shuffle(%d, %d, %d): there are places from 0 to below %d", i, n, seed, n)
	}
	return int64(workload.NewPermutation(uint64(n), uint64(seed)).At(uint64(i))), nil
}

func power(a, n int64) (int64, error) {
	if n < 0 {
		return 0, fmt.Errorf("pow(%d, %d): the power is negative", a, n)
	}
	switch {
	case a == 0 && n > 0, a == 1:
		return a, nil
	case a == -1:
		return 1 - 2*(n&1), nil
	}
	v := int64(1)
	for range min(n, 64) {
		p, err := productOf(v, a)
		if err != nil {
			return 0, tooLarge("pow(%d, %d)", a, n)
		}
		v = p
	}
	return v, nil
}

// side computes dims: the number of blocks in a dimension of a grid.
func side(blocks, dims, dim int64) (int64, error) {
	if blocks < 1 || blocks > math.MaxInt32 || dims < 1 || dims > pattern.MaxDims || dim < 0 || dim >= dims {
		return 0, fmt.Errorf("dims(%d, %d, %d): give from 1 to %d blocks, from 1 to %d dimensions, and one of them, "+
			"counted from 0", blocks, dims, dim, math.MaxInt32, pattern.MaxDims)
	}
	return int64(workload.GridOf(uint64(blocks), int(dims))[dim]), nil
}

// divide computes div, ceildiv and mod.
func divide(name string, a, b int64) (int64, error) {
	switch {
	case b == 0:
		return 0, fmt.Errorf("%s(%d, 0) divides by zero", name, a)
	case b == -1 && name == "mod":
		return 0, nil
	case b == -1 && a == math.MinInt64:
		return 0, tooLarge("%s(%d, -1)", name, a)
	}
	quotient, rest := a/b, a%b
	switch {
	case name == "mod" && rest != 0 && (rest < 0) != (b < 0):
		return rest + b, nil
	case name == "mod":
		return rest, nil
	case rest == 0:
		return quotient, nil
	}
	if up := (a < 0) == (b < 0); up && name == "ceildiv" {
		quotient++
	} else if !up && name == "div" {
		quotient--
	}
	return quotient, nil
}
