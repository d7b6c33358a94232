package readme

import (
	"slices"
	"strings"
	"testing"
)

const page = `# Title

    first
      further

    after an empty line

A paragraph
    that goes on is no block.

- an item

      in an item

` + "```sh\nfenced\n\n    deep\n```\n\n```text\nwhat a program prints\n```\n\n```json\n{}\n```\n\n" +
	"```python\nf.close()\n```\n\n    last"

func TestBlocks(t *testing.T) {
	want := []Block{
		{"a/README.md", 3, "first\n  further\n\nafter an empty line"},
		{"a/README.md", 13, "in an item"},
		{"a/README.md", 16, "fenced\n\n    deep"},
		{"a/README.md", 33, "last"},
	}
	if got := Blocks("a/README.md", page); !slices.Equal(got, want) {
		t.Errorf("blocks\n%q, want\n%q", got, want)
	}
	if got := Blocks("README.md", ""); got != nil {
		t.Errorf("blocks of nothing: %q", got)
	}
}

func TestAPlanLeavesBlocksOutAndReplacesWords(t *testing.T) {
	plan, err := Read("# comment\n\nskip a/README.md: in an item\n    takes\n    long\n\nreplace last\n    $LAST\n")
	if err != nil {
		t.Fatal(err)
	}
	got, err := plan.Apply(Blocks("a/README.md", page))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || got[2].Text != "$LAST" {
		t.Errorf("to be run are %q", got)
	}
}

func TestAPlanThatDoesNotFitIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"skip a/README.md: in an item":                            "is missing",
		"leave a/README.md: in an item\n    why":                  "want skip",
		"skip in an item\n    why":                                "want skip",
		"skip a/README.md: other\n    why":                        "no block begins so",
		"skip README.md: in an item\n    why":                     "no block begins so",
		"replace other\n    by":                                   "no block that is run",
		"skip a/README.md: last\n    why\n\nreplace last\n    by": "no block that is run",
	} {
		plan, err := Read(text)
		if err == nil {
			_, err = plan.Apply(Blocks("a/README.md", page))
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}
