// This file reads and computes integer expressions over names, such as particles * ranks.
//
// An expression has decimal integers of 64 bits, with suffixes as in package units (64K), names, + - * and parentheses,
// the comparisons == != < <= > >=, which are 1 if they hold and 0 if not, and functions:
//
//	min(a, b, ...)  max(a, b, ...)
//	div(a, b)       a / b rounded down
//	ceildiv(a, b)   a / b rounded up
//	mod(a, b)       a - b * div(a, b)
//	pow(a, n)       a to the power of n
//	if(c, a, b)     a if c is not 0, else b
//	pick(i, a, ...) the i-th of the values that follow, counted from 0
//	dims(n, d, i)   number of blocks in dimension i, counted from 0, if n blocks are a grid of d dimensions as of rule
//	                block
//	shuffle(i, n, s)  the number at place i, counted from 0, if those below n are shuffled with the seed s
//
// Numbers that do not fit and divisions by zero are errors. Expressions are computed as far as their names are known:
// see Bind. Time and memory are bounded by the length of the text, which is limited.

package script

import (
	"slices"
	"strconv"
	"strings"
)

// Expr is an expression. The zero value is the number 0.
type Expr struct {
	root *node
	text string // as it was read; "" if it was computed
}

// node is a number, a name, or an operator or function with its operands.
type node struct {
	kind  kind
	value int64
	name  string // of a name or function; the sign of an operator
	args  []*node
}

type kind int

const (
	number kind = iota
	name
	operator // two operands
	negative // one operand
	call
)

var zero = &node{}

// tree returns the root of an expression.
func (e Expr) tree() *node {
	if e.root == nil {
		return zero
	}
	return e.root
}

// Value returns the number that an expression without names is, and whether it is one.
func (e Expr) Value() (int64, bool) {
	n := e.tree()
	return n.value, n.kind == number
}

// Names returns the names in an expression, in alphabetical order.
func (e Expr) Names() []string {
	var names []string
	e.tree().walk(func(n *node) {
		if n.kind == name {
			names = append(names, n.name)
		}
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// Uses reports whether a name is in an expression.
func (e Expr) Uses(name string) bool { return e.tree().uses(name) }

func (n *node) uses(given string) bool {
	return n.kind == name && n.name == given ||
		slices.ContainsFunc(n.args, func(a *node) bool { return a.uses(given) })
}

func (n *node) walk(visit func(*node)) {
	visit(n)
	for _, a := range n.args {
		a.walk(visit)
	}
}

// String formats an expression so that Parse returns it.
func (e Expr) String() string {
	var b strings.Builder
	e.tree().write(&b, 0)
	return b.String()
}

// Source returns the text that was read, or else String.
func (e Expr) Source() string {
	if e.text != "" {
		return e.text
	}
	return e.String()
}

// Binding strength of operators; operands of functions have none.
const (
	compares = iota + 1
	adds
	multiplies
	unary
)

func strength(sign string) int {
	switch sign {
	case "+", "-":
		return adds
	case "*":
		return multiplies
	}
	return compares
}

// write formats a node. It sets parentheses if the node binds less strongly than its place asks for.
func (n *node) write(b *strings.Builder, place int) {
	own := unary + 1
	switch {
	case n.kind == operator:
		own = strength(n.name)
	case n.kind == negative, n.kind == number && n.value < 0:
		own = unary
	}
	if own < place {
		b.WriteByte('(')
		defer b.WriteByte(')')
	}
	switch n.kind {
	case number:
		b.WriteString(strconv.FormatInt(n.value, 10))
	case name:
		b.WriteString(n.name)
	case negative:
		b.WriteByte('-')
		n.args[0].write(b, unary)
	case operator:
		left := own
		if own == compares { // a < b < c does not exist
			left++
		}
		n.args[0].write(b, left)
		b.WriteString(" " + n.name + " ")
		n.args[1].write(b, own+1)
	case call:
		b.WriteString(n.name + "(")
		for i, a := range n.args {
			if i > 0 {
				b.WriteString(", ")
			}
			a.write(b, 0)
		}
		b.WriteByte(')')
	}
}
