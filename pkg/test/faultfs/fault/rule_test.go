package fault

import (
	"strings"
	"testing"
)

func TestRulesAreReadAsTheyArePrinted(t *testing.T) {
	for _, text := range []string{
		"write:eio", "any:hang:at=3", "read:flip:from=2", "fsync:edquot:at=1", "openread:estale",
	} {
		r, err := ParseRule(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if r.String() != text {
			t.Errorf("%s is printed as %s", text, r)
		}
	}
}

func TestRulesThatCannotBeAreRefused(t *testing.T) {
	for text, why := range map[string]string{
		"write": "want OP:ACTION", "wrote:eio": "wrote", "write:ebadf": "ebadf", "fsync:short": "[read write]",
		"read:drop":   "[write]",
		"release:eio": "flush", "write:eio:at=0": "at=0", "write:eio:k=1": "k=1", "write:eio:at=x": "at=x",
		"write:eio:at=1:at=2": "want OP:ACTION",
	} {
		if _, err := ParseRule(text); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: error %v, want one with %q", text, err, why)
		}
	}
}

func TestARuleMeetsTheRequestsItCounts(t *testing.T) {
	var r rules
	all, err := ParseRules("write:eio:at=2 any:enospc:from=4")
	if err != nil {
		t.Fatal(err)
	}
	r.set(all)
	for i, c := range []struct {
		op   Op
		want string
	}{{Write, ""}, {Read, ""}, {Write, "eio"}, {Fsync, "enospc"}, {Write, "enospc"}} {
		if got := r.meet(c.op); got != c.want {
			t.Errorf("request %d, %s: %q, want %q", i+1, c.op, got, c.want)
		}
	}
}
