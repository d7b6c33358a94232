package rundir

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// A process that has claimed runs shows every claimBeat that it lives. If another machine has not seen that for
// claimEnd, the process has ended. NFS shows a change to other machines after up to a minute.
const (
	claimBeat = 30 * time.Second
	claimEnd  = 3 * time.Minute
)

// Claim says to other processes what this one measures for a tree of results. The zero value claims nothing.
type Claim struct {
	mu    sync.Mutex
	key   string
	paths []string // files of claims whose processes have ended, and that of this process
	beat  *time.Timer
}

// Take claims, in a tree, what has the given key: see history.TurnsKey. Later calls return nil or, if the process does
// not have the claim yet, try again with the first key. Take returns an error if another process has the claim and may
// not have ended. The files of claims are numbered. Each is created exclusively, and removed only by its owner or by
// the owner of a later one: so of several processes that see a claim without a living owner, one gets the next claim.
func (c *Claim) Take(tree, key string, now time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paths != nil {
		return nil
	}
	c.key = cmp.Or(c.key, key)
	data, err := json.Marshal(NewOwner(Dir{}, false))
	if err = errors.Join(err, os.MkdirAll(tree, 0o755)); err != nil {
		return err
	}
	var paths []string
	for n := 1; ; n++ {
		path := filepath.Join(tree, fmt.Sprintf(".%s%s.claim-%d", dirPrefix, c.key, n))
		paths = append(paths, path)
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if errors.Is(err, fs.ErrExist) {
			if err = checkClaimEnded(path, now); err == nil {
				continue
			}
		}
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		c.paths, c.beat = paths, time.AfterFunc(claimBeat, c.showLife)
		return errors.Join(err, f.Close())
	}
}

// showLife changes the time of the file of the claim, again and again until the claim is released.
func (c *Claim) showLife() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.paths != nil {
		_ = os.Chtimes(c.paths[len(c.paths)-1], time.Time{}, time.Now()) // the next try may succeed
		c.beat.Reset(claimBeat)
	}
}

// checkClaimEnded returns an error if the process that has made the file of a claim may not have ended.
func checkClaimEnded(path string, now time.Time) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var o RunOwner
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	state, who := Unknown, "another process" // also if it is being written
	if json.Unmarshal(data, &o) == nil {
		state, who = o.state(), fmt.Sprintf("process %d on %s", o.PID, o.Host)
	}
	if state == Ended || state == Unknown && now.Sub(info.ModTime()) > claimEnd {
		return nil
	}
	return fmt.Errorf("%s measures the same variants: wait until it has ended (if its machine was lost: for %v), or "+
		"give another directory; it has the file %s", who, claimEnd, path)
}

// Release ends a claim.
func (c *Claim) Release() (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, path := range c.paths {
		if e := os.Remove(path); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	c.paths = nil
	return err
}
