package star

import (
	"fmt"
	"reflect"
	"slices"

	"go.starlark.net/syntax"
)

// counter puts calls in the place of operators.
type counter struct{ err error }

var (
	expressions = reflect.TypeFor[syntax.Expr]()
	statements  = reflect.TypeFor[syntax.Stmt]()
)

// file rewrites a file.
func (c *counter) file(f *syntax.File) error {
	for i := range f.Stmts {
		c.within(reflect.ValueOf(f.Stmts[i]))
	}
	return c.err
}

func (c *counter) fail(at syntax.Position, format string, args ...any) {
	if c.err == nil {
		c.err = &Error{at.String(), fmt.Sprintf(format, args...)}
	}
}

// within rewrites the expressions in a node.
func (c *counter) within(node reflect.Value) {
	node = reflect.Indirect(node)
	if node.Kind() != reflect.Struct {
		return
	}
	for i := range node.NumField() {
		if node.Type().Field(i).IsExported() {
			c.field(node.Field(i))
		}
	}
	if a, is := reflect.TypeAssert[*syntax.AssignStmt](node.Addr()); is {
		c.assignment(a)
	}
}

func (c *counter) field(f reflect.Value) {
	switch {
	case f.Type() == expressions:
		if !f.IsNil() {
			c.within(f.Elem())
			f.Set(reflect.ValueOf(c.expression(f.Interface().(syntax.Expr))))
		}
	case f.Type() == statements:
		if !f.IsNil() {
			c.within(f.Elem())
		}
	case f.Kind() == reflect.Slice:
		for i := range f.Len() {
			c.field(f.Index(i))
		}
	case f.Kind() == reflect.Pointer && f.Type().Elem().PkgPath() == "go.starlark.net/syntax" && !f.IsNil():
		c.within(f)
	}
}

// expression returns what stands in the place of an expression.
func (c *counter) expression(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.BinaryExpr:
		if slices.Contains(operators, e.Op) {
			return callOf(e.OpPos, e.Op.String(), e.X, e.Y)
		}
	case *syntax.SliceExpr:
		e.X = callOf(e.Lbrack, sized, e.X)
	case *syntax.DotExpr:
		switch {
		case slices.Contains(refused, e.Name.Name):
			c.fail(e.Name.NamePos, "%s is no part of this language: use the operators + and %%", e.Name.Name)
		case slices.Contains(copying, e.Name.Name):
			e.X = callOf(e.Dot, sized, e.X)
		}
	case *syntax.CallExpr:
		for _, arg := range e.Args {
			if u, is := arg.(*syntax.UnaryExpr); is && u.Op == syntax.STAR {
				u.X = callOf(u.OpPos, sized, u.X)
			}
		}
	}
	return e
}

// assignment makes x += y of x = x + y, for variables.
func (c *counter) assignment(a *syntax.AssignStmt) {
	op, is := counted[a.Op]
	if !is {
		return
	}
	name, is := a.LHS.(*syntax.Ident)
	if !is {
		c.fail(a.OpPos, "%s is for variables: write x = x %s y", a.Op, op)
		return
	}
	x := &syntax.Ident{NamePos: name.NamePos, Name: name.Name}
	a.Op, a.RHS = syntax.EQ, callOf(a.OpPos, op.String(), x, a.RHS)
}
