package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// text returns a document in the form that Write writes.
func text(t testing.TB, doc Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := Encode(&b, doc); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func readText(t *testing.T, text string) (Document, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "run.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Read(path)
}

func TestReadRefuses(t *testing.T) {
	whole := text(t, full())
	for name, c := range map[string]struct{ content, want string }{
		"nothing":   {"", "run.json: is empty"},
		"blank":     {" \n", "run.json: is empty"},
		"cut short": {"{\n  \"schema_version\": 1,\n  \"run_", "line 3, column 7: unexpected end"},
		"half":      {whole[:len(whole)/2], "unexpected end"},
		"two":       {whole + "\n{}", "column 1: invalid character '{' after top-level value"},
		"newer": {
			`{"schema_version": 1000, "colour": 1}`, "schema_version is 1000, and this program reads only 1",
		},
		"another": {`{"version": 1}`, "not a document of h5perf"},
		"version as text": {
			`{"schema_version": "1"}`, "line 1, column 22: schema_version: string where a whole number belongs",
		},
		"newer, changed": {`{"schema_version": 1000, "state": 3, "started": 7}`, "schema_version is 1000, and"},
		"a list":         {` [1]`, "run.json: is not a JSON object: not a document of h5perf"},
		"unknown field":  {"{\"schema_version\": 1,\n \"colour\": 1}", `line 2, column 2: unknown field "colour"`},
		"unknown, nested": {
			strings.Replace(whole, `"buffer_bytes"`, `"speed": [{}], "buffer_bytes"`, 1),
			`cases[0]: unknown field "speed"`,
		},
		"another case": {strings.Replace(whole, `"state"`, `"State"`, 1), `unknown field "State"`},
		"twice": {
			strings.Replace(whole, `"schema_version": 1,`, `"schema_version": 1, "run_id": "x", `, 1),
			`field "run_id" twice`,
		},
		"missing": {strings.Replace(whole, `"nodes": 1,`, "", 1), `job: field "nodes" is missing`},
		"null":    {strings.Replace(whole, `"stat`, `"errors": null, "stat`, 1), "errors: null is not allowed"},
		"wrong type": {
			strings.Replace(whole, `"state": "failed"`, `"state": 3`, 1),
			"line 4, column 12: state: number where a string belongs",
		},
		"NaN": {strings.Replace(whole, "1e-9", "NaN", 1), "invalid character 'N'"},
		"no time": {
			strings.Replace(whole, `"2026-03-01T12`, `"yesterday, 12`, 1),
			`column 14: started: "yesterday, 12:00:00.123456789Z" is not a time`,
		},
		"local time": {strings.Replace(whole, `00.123456789Z`, `00.123456789+01:00`, 1), "is not a time in UTC"},
		"text": {
			strings.Replace(whole, `"cpus": 2`, `"cpus": "2"`, 1), "machine.cpus: string where a whole number belongs",
		},
		"part of one": {
			strings.Replace(whole, `"cpus": 2`, `"cpus": -2.5`, 1),
			"machine.cpus: number -2.5 where a whole number belongs",
		},
		"tiny": {
			strings.Replace(whole, "1e-9", "5e-324", 1),
			"5e-324 is below 1e-18, the smallest number above 0 that a document may contain",
		},
		"huge": {
			strings.Replace(whole, "1e-9", "1e308", 1),
			"1e308 is above 1e+18, the largest number that a document may contain",
		},
		"huge, with its digits": {
			strings.Replace(whole, "1e-9", "2000000000000000000", 1), "2000000000000000000 is above 1e+18",
		},
		"tiny, with its digits": {
			strings.Replace(whole, "1e-9", "0.0000000000000000001", 1), "0.0000000000000000001 is below 1e-18",
		},
		"below 0": {strings.Replace(whole, "1e-9", "-0.5", 1), "-0.5 is negative"},
		"many": {
			strings.Replace(whole, `"cpus": 2`, `"cpus": 2147483648`, 1),
			"machine.cpus: 2147483648 is not an integer from 0 to 2147483647",
		},
		"time of parts": {
			strings.Replace(whole, `"started": "2026-03-01T12:00:00.123456789Z"`, `"started": {}`, 1),
			"started: must be a time",
		},
	} {
		if _, err := readText(t, c.content); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), "run.json: ") {
			t.Errorf("%s: error %v, want %q and the path", name, err, c.want)
		}
	}
	const refused = "document: /dev/zero: is not a regular"
	if _, err := Read("/dev/zero"); err == nil || !strings.Contains(err.Error(), refused) {
		t.Errorf("a device: error %v", err)
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none")); err == nil ||
		!strings.Contains(err.Error(), "no such file") {
		t.Errorf("missing file: error %v", err)
	}
}

func TestADocumentInAnyLayoutIsRead(t *testing.T) {
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text(t, full()))); err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{
		compact.String(),
		"\r\n\t " + strings.ReplaceAll(text(t, full()), "\n", " \r\n") + "\n\n",
		strings.Replace(text(t, full()), `"notes"`, `"n\u006ftes"`, 1),
	} {
		got, err := readText(t, form)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(full(), got); d != "" {
			t.Errorf("(-written +read)\n%s", d)
		}
	}
}

// FuzzRead reads input that resembles documents. Read must return an error, or a document that does not change when it
// is written and read again. It must never panic.
func FuzzRead(f *testing.F) {
	f.Add([]byte(text(f, full())))
	f.Add([]byte(text(f, Document{SchemaVersion: Version, Started: time.Unix(0, 0).UTC()})))
	f.Add([]byte(`{"schema_version":1,"cases":[{"samples":[null]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := decodeDocument(data)
		if err != nil {
			_ = addLineAndColumn(data, err).Error()
			return
		}
		again, err := decodeDocument([]byte(text(t, doc)))
		if err != nil {
			t.Fatalf("what was read cannot be read again: %v", err)
		}
		if text(t, doc) != text(t, again) {
			t.Error("what was read is not what is written")
		}
	})
}

func TestMoreDumpsThanASampleHasAreRefused(t *testing.T) {
	doc := Document{SchemaVersion: Version, Cases: []Case{{Samples: []Sample{{}}}}}
	for n, want := range map[int]string{MaxDumps: "", MaxDumps + 1: "cases[0].samples[0].dumps has 65 entries"} {
		doc.Cases[0].Samples[0].Dumps = slices.Repeat([]DumpTime{{First: 1, Last: 1}}, n)
		if _, err := readText(t, text(t, doc)); fmt.Sprint(err) != "<nil>" && want == "" ||
			!strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%d: %v", n, err)
		}
	}
}
