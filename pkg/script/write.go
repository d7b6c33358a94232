package script

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"strconv"
)

// JSON returns the workload as JSON, which Read reads. Two workloads are the same if their JSON is.
func (w Workload) JSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(w)
	return b.Bytes(), err
}

// Hash returns the SHA-256 of the workload as JSON without blanks, with keys in a fixed order. It does not depend on
// comments and on the order of keys in a file.
func (w Workload) Hash() ([32]byte, error) {
	text, err := json.Marshal(w)
	return sha256.Sum256(text), err
}

// MarshalJSON returns a number, or an expression as text.
func (n Number) MarshalJSON() ([]byte, error) {
	if _, is := n.expr.Value(); is && !n.unlimited {
		return []byte(n.String()), nil
	}
	return json.Marshal(n.String())
}

// String returns the number, or the expression.
func (n Number) String() string {
	if n.unlimited {
		return unlimited
	}
	if v, is := n.expr.Value(); is {
		return strconv.FormatInt(v, 10)
	}
	return n.expr.String()
}

// MarshalJSON returns a word, or a list.
func (p Per) MarshalJSON() ([]byte, error) {
	if len(p) == 1 {
		return json.Marshal(p[0])
	}
	return json.Marshal([]Each(p))
}

// MarshalJSON returns a number by itself, or a list.
func (n Numbers) MarshalJSON() ([]byte, error) {
	if len(n) == 1 {
		return json.Marshal(n[0])
	}
	return json.Marshal([]Number(n))
}

// MarshalJSON returns a text.
func (t Text) MarshalJSON() ([]byte, error) { return json.Marshal(t.text.String()) }

// String returns the word.
func (w Word) String() string { return w.text }

// MarshalJSON returns a text.
func (w Word) MarshalJSON() ([]byte, error) { return json.Marshal(w.text) }

// MarshalJSON returns a number or a text, as the file has it.
func (x Value) MarshalJSON() ([]byte, error) {
	if x.number {
		return []byte(x.text), nil
	}
	return json.Marshal(x.text)
}

// MarshalJSON returns a number.
func (x Ratio) MarshalJSON() ([]byte, error) { return json.Marshal(x.value) }

// MarshalJSON returns a word or an object.
func (t Type) MarshalJSON() ([]byte, error) {
	if t.word != "" {
		return json.Marshal(t.word)
	}
	type plain Type
	return json.Marshal(plain(t))
}

// MarshalJSON returns a word or an object.
func (m Mode) MarshalJSON() ([]byte, error) {
	if m.word != "" {
		return json.Marshal(m.word)
	}
	type plain Mode
	return json.Marshal(plain(m))
}

// MarshalJSON returns a word or an object.
func (f Filter) MarshalJSON() ([]byte, error) {
	if f.word != "" {
		return json.Marshal(f.word)
	}
	type plain Filter
	return json.Marshal(plain(f))
}

// MarshalJSON returns a word or an object.
func (m Memory) MarshalJSON() ([]byte, error) {
	if m.dense() {
		return json.Marshal(dense)
	}
	type plain Memory
	return json.Marshal(plain(m))
}

// dense reports whether elements lie in memory without gaps.
func (m *Memory) dense() bool {
	return m == nil || m.Ghost == nil && m.Stride == nil && m.Within == nil && m.Members == nil
}
