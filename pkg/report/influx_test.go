package report

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"h5perf/pkg/plain"
)

// parsed is a line as InfluxDB takes it.
type parsed struct {
	Measurement string
	Tags        map[string]string
	Fields      map[string]any // string, float64, int64 or bool
	Time        int64
}

// split splits text at each separator that no backslash precedes and that is not in quotes, if these are any.
func split(text string, separator byte, quotes bool) (parts []string) {
	start, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text):
			i++
		case quotes && text[i] == '"':
			quoted = !quoted
		case text[i] == separator && !quoted:
			parts = append(parts, text[start:i])
			start = i + 1
		}
	}
	return append(parts, text[start:])
}

// parse reads line protocol by the rules of InfluxDB 1: in tags, a backslash escapes a comma, an equals sign and a
// blank, in texts a quote and a backslash.
func parse(t *testing.T, text string) (all []parsed) {
	t.Helper()
	if !strings.HasSuffix(text, "\n") {
		t.Fatalf("the last line does not end:\n%s", text)
	}
	for l := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		names := split(split(l, ' ', false)[0], ',', false)
		parts := split(l[len(strings.Join(names, ",")):], ' ', true)
		if len(parts) != 3 || parts[0] != "" {
			t.Fatalf("after the tags come %q: %s", parts, l)
		}
		p := parsed{Tags: map[string]string{}, Fields: map[string]any{}}
		p.Measurement = names[0]
		for _, tag := range names[1:] {
			pair := split(tag, '=', false)
			if len(pair) != 2 || pair[0] == "" || pair[1] == "" {
				t.Fatalf("the tag %q in %s", tag, l)
			}
			p.Tags[pair[0]] = strings.NewReplacer(`\,`, ",", `\=`, "=", `\ `, " ").Replace(pair[1])
		}
		for _, field := range split(parts[1], ',', true) {
			key, value, _ := strings.Cut(field, "=")
			p.Fields[key] = fieldOf(t, value)
		}
		var err error
		if p.Time, err = strconv.ParseInt(parts[2], 10, 64); err != nil {
			t.Fatalf("%v: %s", err, l)
		}
		all = append(all, p)
	}
	return all
}

func fieldOf(t *testing.T, text string) any {
	t.Helper()
	if inner, ok := strings.CutPrefix(text, `"`); ok {
		return strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(strings.TrimSuffix(inner, `"`))
	}
	if digits, ok := strings.CutSuffix(text, "i"); ok {
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
			return n
		}
	}
	if text == "true" || text == "false" {
		return text == "true"
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		t.Fatalf("the field %q", text)
	}
	return x
}

// FuzzLine checks that every text, number and time is read as it was written. Characters that cannot be seen are
// replaced as everywhere, a tag without any is left out, and backslashes of tags are slashes.
func FuzzLine(f *testing.F) {
	for _, text := range []string{
		"nightly", "", "a b", "a,b=c", `a\`, `a\\`, `\`, `a\,b`, `a\ `, " ", `"`, `say "x"`, `c:\dir\`, "two\nlines",
		"\n", "\r\n\t", "# no comment", "ü€𝄞", "\x1b[31m", "\xff", "=", ",", `\"`, `"\`, "a\u202eb",
	} {
		f.Add(text, text, 1.5e9, uint64(1)<<40, int64(1772366400123456789))
	}
	f.Add("x", "y", math.SmallestNonzeroFloat64, uint64(math.MaxInt64)+1, int64(-1))
	f.Add("x", "y", -math.MaxFloat64, uint64(math.MaxInt64), int64(0))
	f.Fuzz(func(t *testing.T, tag, text string, number float64, count uint64, at int64) {
		if math.IsNaN(number) || math.IsInf(number, 0) || at < math.MinInt64+2 || at == math.MaxInt64 {
			return
		}
		got, err := influxLine(exportRecord{
			measurement: runMeasurement, started: time.Unix(0, at),
			tags: []exportItem{{"label", tag}, {"cluster", "c1"}},
			fields: []exportItem{
				{"text", text}, {"number", number}, {"count", count}, {"n", 7}, {"yes", true}, {"last", text},
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		want := parsed{
			Measurement: runMeasurement, Time: at, Tags: map[string]string{"cluster": "c1"},
			Fields: map[string]any{
				"text": plain.VisibleLine(text), "number": number, "n": int64(7), "yes": true,
				"last": plain.VisibleLine(text),
			},
		}
		if count <= math.MaxInt64 {
			want.Fields["count"] = int64(count)
		}
		if seen := plain.VisibleLine(tag); seen != "" {
			want.Tags["label"] = strings.ReplaceAll(seen, `\`, "/")
		}
		if d := cmp.Diff([]parsed{want}, parse(t, got)); d != "" {
			t.Errorf("%q, %q (-want +got)\n%s", tag, text, d)
		}
	})
}

func TestTimesThatAreNoNanosecondsAreRefused(t *testing.T) {
	for year, ok := range map[int]bool{
		1: false, 1677: false, 1678: true, 2026: true, 2262: true, 2263: false, 9999: false,
	} {
		_, err := influxLine(exportRecord{
			measurement: runMeasurement, started: time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC),
			fields: []exportItem{{"n", 1}},
		})
		if ok != (err == nil) {
			t.Errorf("%d: %v", year, err)
		}
	}
}
