package script

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"go.starlark.net/syntax"
)

// parseScript returns the syntax tree of a script. It replaces operators that may take much memory or time by calls of
// functions that count these first: the interpreter limits the number of steps, but not the cost of a step.
func (s scriptSource) parseScript() (*syntax.File, error) {
	if len(s.text) > maxSourceBytes {
		return nil, s.newErrorAt(1, 1, fmt.Sprintf("the script has more than %d bytes, the limit", maxSourceBytes))
	}
	depth, line := 0, 1 // brackets in texts and comments count, too
	for i := range len(s.text) {
		switch s.text[i] {
		case '\n':
			line++
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
		if depth > maxDepth {
			return nil, s.newErrorAt(line, 1, fmt.Sprintf("more than %d brackets within one another, the limit: use "+
				"variables", maxDepth))
		}
	}
	tree, err := (&syntax.FileOptions{TopLevelControl: true, GlobalReassign: true}).Parse(s.path, s.text, 0)
	if err != nil {
		return nil, err
	}
	w := &rewriter{scriptSource: s}
	w.rewriteField(reflect.ValueOf(&tree.Stmts).Elem())
	return tree, w.err
}

// operators lists the operators that become calls.
var operators = []syntax.Token{
	syntax.PLUS, syntax.MINUS, syntax.STAR, syntax.PERCENT, syntax.PIPE, syntax.LTLT, syntax.EQL, syntax.NEQ, syntax.LT,
	syntax.GT, syntax.LE, syntax.GE, syntax.IN, syntax.NOT_IN,
}

// Methods of strings, lists and dictionaries. scanningMethods read the value, copyingMethods make a value of about the
// same size, refusedMethods may allocate or compare much more, and keyedMethods look up a key.
var (
	scanningMethods = strings.Fields(
		"endswith isalnum isalpha isdigit islower isspace istitle isupper lstrip partition " +
			"removeprefix removesuffix rpartition rstrip startswith strip")
	copyingMethods = strings.Fields(
		"capitalize find insert items keys lower pop popitem rfind rsplit setdefault split " +
			"splitlines title upper values")
	refusedMethods = strings.Fields("codepoint_ords codepoints count elem_ords elems extend format index join remove " +
		"replace rindex union update")
	keyedMethods = strings.Fields("get pop setdefault")
)

// The names of the functions chargedCopy, which counts a value before it is copied, and chargedKey, which counts a key
// or a value that is read.
const copyFunction, keyFunction = "copy of", "key"

// rewriter replaces expressions by calls. err is its first error.
type rewriter struct {
	scriptSource
	err error
}

func (w *rewriter) setError(at syntax.Position, format string, args ...any) {
	if w.err == nil {
		w.err = w.errorAtPosition(at, fmt.Sprintf(format, args...))
	}
}

// rewriteField rewrites the expressions in a field of a node, or in a list of nodes.
func (w *rewriter) rewriteField(f reflect.Value) {
	switch {
	case f.Kind() == reflect.Slice:
		for i := range f.Len() {
			w.rewriteField(f.Index(i))
		}
	case f.Kind() == reflect.Interface && !f.IsNil() && f.Elem().Kind() == reflect.Pointer:
		w.rewriteField(f.Elem())
		if e, is := reflect.TypeAssert[syntax.Expr](f); is && f.Type() == reflect.TypeFor[syntax.Expr]() {
			f.Set(reflect.ValueOf(w.rewriteExpression(e)))
		}
	case f.Kind() == reflect.Pointer && f.Type().Elem().PkgPath() == "go.starlark.net/syntax" && !f.IsNil():
		for _, inner := range f.Elem().Fields() {
			if inner.CanSet() {
				w.rewriteField(inner)
			}
		}
		if a, is := reflect.TypeAssert[*syntax.AssignStmt](f); is {
			w.rewriteAssignment(a)
		}
	}
}

func newCallExpr(at syntax.Position, name string, args ...syntax.Expr) *syntax.CallExpr {
	return &syntax.CallExpr{Fn: &syntax.Ident{NamePos: at, Name: name}, Lparen: at, Args: args, Rparen: at}
}

// rewriteExpression returns the replacement of an expression.
func (w *rewriter) rewriteExpression(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.BinaryExpr:
		if slices.Contains(operators, e.Op) {
			return newCallExpr(e.OpPos, e.Op.String(), e.X, e.Y)
		}
	case *syntax.Literal:
		if _, large := e.Value.(*big.Int); large {
			w.setError(e.TokenPos, "%v", errTooLarge)
		}
	case *syntax.SliceExpr:
		e.X = newCallExpr(e.Lbrack, copyFunction, e.X)
	case *syntax.IndexExpr:
		e.Y = newCallExpr(e.Lbrack, keyFunction, e.Y)
	case *syntax.DictEntry:
		e.Key = newCallExpr(e.Colon, keyFunction, e.Key)
	case *syntax.DotExpr:
		switch {
		case slices.Contains(refusedMethods, e.Name.Name):
			w.setError(e.Name.NamePos, "%s is no part of this language: use loops and the operators + and %%",
				e.Name.Name)
		case slices.Contains(copyingMethods, e.Name.Name):
			e.X = newCallExpr(e.Dot, copyFunction, e.X)
		case slices.Contains(scanningMethods, e.Name.Name):
			e.X = newCallExpr(e.Dot, keyFunction, e.X)
		}
	case *syntax.CallExpr:
		for i, arg := range e.Args {
			if u, is := arg.(*syntax.UnaryExpr); is && (u.Op == syntax.STAR || u.Op == syntax.STARSTAR) {
				u.X = newCallExpr(u.OpPos, copyFunction, u.X)
			} else if dot, is := e.Fn.(*syntax.DotExpr); is && i == 0 && slices.Contains(keyedMethods, dot.Name.Name) {
				e.Args[i] = newCallExpr(e.Lparen, keyFunction, arg)
			}
		}
	}
	return e
}

// rewriteAssignment rewrites x += y as x = x + y if x is a variable. It sets an error for d[0:10] = a.
func (w *rewriter) rewriteAssignment(a *syntax.AssignStmt) {
	op := map[syntax.Token]syntax.Token{
		syntax.PLUS_EQ: syntax.PLUS, syntax.MINUS_EQ: syntax.MINUS, syntax.STAR_EQ: syntax.STAR,
		syntax.PERCENT_EQ: syntax.PERCENT, syntax.PIPE_EQ: syntax.PIPE, syntax.LTLT_EQ: syntax.LTLT,
	}[a.Op]
	name, is := a.LHS.(*syntax.Ident)
	slice, sliced := a.LHS.(*syntax.SliceExpr)
	switch {
	case sliced:
		w.setError(slice.Lbrack, "a slice gets no values: %s", transferAdvice)
	case op == 0:
	case !is:
		w.setError(a.OpPos, "%s is for variables: write x = x %s y", a.Op, op)
	default:
		x := &syntax.Ident{NamePos: name.NamePos, Name: name.Name}
		a.Op, a.RHS = syntax.EQ, newCallExpr(a.OpPos, op.String(), x, a.RHS)
	}
}
