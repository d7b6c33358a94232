package script

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// Limits of an expression.
const (
	MostBytes = 10_000 // of the text
	MostParts = 200    // numbers, names, operators and functions
	MostDepth = 50     // of parentheses and functions within one another
)

// ExprError is an error in the text of an expression.
type ExprError struct {
	Text   string // the expression
	Column int    // in characters, counted from 1
	Reason string
}

func (e *ExprError) Error() string {
	return fmt.Sprintf("%q, character %d: %s", e.Text, e.Column, e.Reason)
}

// functions are the functions with the least and the largest number of their operands.
var functions = map[string][2]int{
	"min": {2, math.MaxInt}, "max": {2, math.MaxInt}, "div": {2, 2}, "ceildiv": {2, 2}, "mod": {2, 2}, "pow": {2, 2},
	"if": {3, 3}, "pick": {2, math.MaxInt}, "dims": {3, 3}, "shuffle": {3, 3},
}

// FunctionNames are the names of the functions, which are no names of numbers.
var FunctionNames = []string{"min", "max", "div", "ceildiv", "mod", "pow", "if", "pick", "dims", "shuffle"}

// ParseExpr reads an expression. The error is an *Error.
func ParseExpr(text string) (Expr, error) {
	p := exprParser{text: text}
	if len(text) > MostBytes {
		return Expr{}, p.fail(0, "has more than %d characters, the limit for an expression", MostBytes)
	}
	p.next()
	root, err := p.comparison(0)
	if err == nil && p.token != "" {
		err = p.unexpected()
	}
	if err != nil {
		return Expr{}, err
	}
	parts := 0
	if root.walk(func(*node) { parts++ }); parts > MostParts {
		return Expr{}, p.fail(0, "has %d numbers, names, operators and functions: at most %d are allowed",
			parts, MostParts)
	}
	return Expr{root: root, text: strings.TrimSpace(text)}, nil
}

// IsName reports whether a text can name a number: small letters, digits and _, first a letter, and no function.
func IsName(text string) bool {
	_, function := functions[text]
	for i := range len(text) {
		c := text[i]
		if small, later := c >= 'a' && c <= 'z', digit(c) || c == '_'; !small && (i == 0 || !later) {
			return false
		}
	}
	return text != "" && !function
}

type exprParser struct {
	text  string
	token string // the next one; "" at the end
	at    int    // where it begins
	after int    // where it ends
}

func (p *exprParser) fail(at int, format string, args ...any) error {
	shown := p.text
	if len(shown) > 80 {
		shown = strings.ToValidUTF8(shown[:80], "") + "..."
	}
	return &ExprError{Text: shown, Column: 1 + len([]rune(p.text[:at])), Reason: fmt.Sprintf(format, args...)}
}

func (p *exprParser) unexpected() error {
	switch {
	case p.token == "":
		return p.fail(p.at, "the expression ends too early")
	case p.token[0] == '/':
		return p.fail(p.at, "there is no /: write div(a, b), which rounds down, or ceildiv(a, b), which rounds up")
	case p.token == "%":
		return p.fail(p.at, "there is no %%: write mod(a, b)")
	case p.token == ".":
		return p.fail(p.at, "numbers are integers")
	case p.token == "=":
		return p.fail(p.at, "there is no =: write == to compare")
	}
	return p.fail(p.at, "%q is not expected here", p.token)
}

func digit(c byte) bool  { return c >= '0' && c <= '9' }
func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

// next moves to the next token.
func (p *exprParser) next() {
	i := p.after
	for i < len(p.text) && strings.IndexByte(" \t\r\n", p.text[i]) >= 0 {
		i++
	}
	p.at = i
	if i < len(p.text) {
		switch c := p.text[i]; {
		case digit(c), letter(c):
			for i < len(p.text) && (digit(p.text[i]) || letter(p.text[i])) {
				i++
			}
		case strings.IndexByte("=!<>", c) >= 0 && i+1 < len(p.text) && p.text[i+1] == '=':
			i += 2
		default:
			for _, r := range p.text[i:] {
				i += max(1, len(string(r)))
				break
			}
			i = min(i, len(p.text))
		}
	}
	p.after = i
	p.token = p.text[p.at:i]
}

// comparison reads a sum, or two that are compared.
func (p *exprParser) comparison(depth int) (*node, error) {
	left, err := p.sum(depth)
	if err != nil {
		return nil, err
	}
	switch p.token {
	case "==", "!=", "<", "<=", ">", ">=":
		return p.operator(left, func() (*node, error) { return p.sum(depth) })
	}
	return left, nil
}

// operator reads the right operand of the operator that comes next.
func (p *exprParser) operator(left *node, operand func() (*node, error)) (*node, error) {
	sign := p.token
	p.next()
	right, err := operand()
	if err != nil {
		return nil, err
	}
	return &node{kind: operator, name: sign, args: []*node{left, right}}, nil
}

func (p *exprParser) sum(depth int) (*node, error) {
	left, err := p.product(depth)
	for err == nil && (p.token == "+" || p.token == "-") {
		left, err = p.operator(left, func() (*node, error) { return p.product(depth) })
	}
	return left, err
}

func (p *exprParser) product(depth int) (*node, error) {
	left, err := p.factor(depth)
	for err == nil && p.token == "*" {
		left, err = p.operator(left, func() (*node, error) { return p.factor(depth) })
	}
	return left, err
}

// factor reads a number, a name, a function, or an expression in parentheses, perhaps with a sign.
func (p *exprParser) factor(depth int) (*node, error) {
	if depth == MostDepth {
		return nil, p.fail(p.at, "there are more than %d parentheses within one another", MostDepth)
	}
	at := p.at
	switch {
	case p.token == "":
		return nil, p.unexpected()
	case p.token == "-":
		p.next()
		if p.token != "" && digit(p.token[0]) {
			return p.number(true)
		}
		inner, err := p.factor(depth + 1)
		if err != nil {
			return nil, err
		}
		if inner.kind == number && inner.value != math.MinInt64 {
			return &node{value: -inner.value}, nil
		}
		return &node{kind: negative, args: []*node{inner}}, nil
	case p.token == "(":
		p.next()
		inner, err := p.comparison(depth + 1)
		if err != nil {
			return nil, err
		}
		return inner, p.closing(at)
	case digit(p.token[0]):
		return p.number(false)
	case letter(p.token[0]):
		return p.word(depth)
	}
	return nil, p.unexpected()
}

// closing reads a closing parenthesis; the opening one is at a place of the text.
func (p *exprParser) closing(opening int) error {
	if p.token == "" {
		return p.fail(opening, "the parenthesis is not closed")
	}
	if p.token != ")" {
		return p.unexpected()
	}
	p.next()
	return nil
}

func (p *exprParser) number(minus bool) (*node, error) {
	text := p.token
	if len(text) > 1 && text[0] == '0' && strings.IndexByte("0123456789xXoObB_", text[1]) >= 0 {
		return nil, p.fail(p.at, "%s begins with 0: numbers are decimal, such as 10 or 64K", text)
	}
	if minus {
		if n, err := strconv.ParseInt("-"+text, 10, 64); err == nil { // -2^63 too
			p.next()
			return &node{value: n}, nil
		}
	}
	n, err := units.ParseSize(text)
	if err != nil {
		return nil, p.fail(p.at, "%v", err)
	}
	p.next()
	if minus {
		return &node{value: -int64(n)}, nil
	}
	return &node{value: int64(n)}, nil
}

// word reads a name or a function.
func (p *exprParser) word(depth int) (*node, error) {
	word, at := p.token, p.at
	p.next()
	count, known := functions[word]
	if p.token != "(" {
		switch {
		case known:
			return nil, p.fail(at, "%s is a function: write its values in parentheses", word)
		case !IsName(word):
			return nil, p.fail(at, "%q is no name: names have small letters, digits and _", word)
		}
		return &node{kind: name, name: word}, nil
	}
	if !known {
		return nil, p.fail(at, "there is no function %s%s; the functions are %s", word,
			usage.DidYouMean(word, FunctionNames), strings.Join(FunctionNames, ", "))
	}
	opening := p.at
	p.next()
	n := &node{kind: call, name: word}
	for {
		arg, err := p.comparison(depth + 1)
		if err != nil {
			return nil, err
		}
		n.args = append(n.args, arg)
		if p.token != "," {
			break
		}
		p.next()
	}
	if err := p.closing(opening); err != nil {
		return nil, err
	}
	if len(n.args) < count[0] || len(n.args) > count[1] {
		return nil, p.fail(at, "%s has %s, not %d", word, counts(count), len(n.args))
	}
	return n, nil
}

func counts(c [2]int) string {
	if c[0] == c[1] {
		return fmt.Sprintf("%d values", c[0])
	}
	return fmt.Sprintf("at least %d values", c[0])
}
