package rundir_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"h5perf/pkg/rundir"
)

const claimedKey = "0123456789abcdef"

// claimBy writes a claim in the tree that a process of another machine or of this one made.
func claimBy(t *testing.T, tree, name string, o rundir.RunOwner) (path string) {
	t.Helper()
	data, err := json.Marshal(o)
	path = filepath.Join(tree, ".h5perf-"+claimedKey+".claim-"+name)
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Of several processes that claim the same at the same time, also after others that were killed, one gets it.
func TestOneOfManyGetsAClaim(t *testing.T) {
	for range 50 {
		tree := t.TempDir()
		dead := exec.Command("true")
		if err := dead.Run(); err != nil {
			t.Fatal(err)
		}
		o := rundir.NewOwner(rundir.Dir{}, false)
		o.PID = dead.Process.Pid
		claimBy(t, tree, "1", o)
		var claims [8]rundir.Claim
		var got atomic.Int64
		var all sync.WaitGroup
		for i := range claims {
			all.Go(func() {
				err := claims[i].Take(tree, claimedKey, time.Now())
				switch {
				case err == nil:
					got.Add(1)
				case !strings.Contains(err.Error(), " measures the same variants: wait until"):
					t.Error(err)
				}
			})
		}
		all.Wait()
		if got.Load() != 1 {
			t.Fatalf("%d have the claim", got.Load())
		}
		for i := range claims {
			if err := claims[i].Release(); err != nil {
				t.Error(err)
			}
		}
		if left, err := os.ReadDir(tree); err != nil || len(left) != 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	}
}

// The owner of a claim can take it again. A process of another machine has ended if it has shown no life for a while.
func TestAClaimOfAnotherMachineEnds(t *testing.T) {
	tree := t.TempDir()
	o := rundir.NewOwner(rundir.Dir{}, false)
	o.Boot, o.Host = "another", "far"
	path := claimBy(t, tree, "1", o)
	var c rundir.Claim
	if err := c.Take(tree, claimedKey, time.Now()); err == nil || !strings.Contains(err.Error(), " on far measures") {
		t.Errorf("error %v", err)
	}
	if err := os.Truncate(path, 3); err != nil { // it is being written
		t.Fatal(err)
	}
	if err := c.Take(tree, claimedKey, time.Now()); err == nil {
		t.Error("a claim that is being written is taken")
	}
	for _, key := range []string{"another", claimedKey} { // the first call said what is claimed
		if err := c.Take(tree, key, time.Now().Add(4*time.Minute)); err != nil {
			t.Error(err)
		}
		if files, _ := filepath.Glob(filepath.Join(tree, ".h5perf-"+claimedKey+".claim-*")); len(files) != 2 {
			t.Errorf("claims %v", files)
		}
	}
	if err := c.Release(); err != nil {
		t.Error(err)
	}
}
