package fault

import (
	"fmt"
	"maps"
	"strings"
	"sync"
)

// rules are the rules in force, with the number of requests that each of them has seen.
type rules struct {
	mu    sync.Mutex
	all   []Rule
	seen  []uint64
	freed chan struct{} // closed when the rules are replaced; requests that hang then continue
	hang  map[Op]uint64 // number of requests that hang now
}

// set replaces the rules. Their counts begin anew, and requests that hang continue.
func (r *rules) set(all []Rule) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.freed != nil {
		close(r.freed)
	}
	r.all, r.seen, r.freed = all, make([]uint64, len(all)), make(chan struct{})
	if r.hang == nil {
		r.hang = map[Op]uint64{}
	}
}

func (r *rules) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var text strings.Builder
	for _, rule := range r.all {
		_, _ = fmt.Fprintln(&text, rule)
	}
	return text.String()
}

// meet counts a request of these kinds, waits as long as a rule lets it hang, and returns the action that
// applies to it, or "". The first rule that applies decides.
func (r *rules) meet(kinds ...Op) string {
	r.mu.Lock()
	action := ""
	for i, rule := range r.all {
		if !rule.covers(kinds) {
			continue
		}
		r.seen[i]++
		if n := r.seen[i]; action == "" && n >= rule.From && (rule.To == 0 || n <= rule.To) {
			action = rule.Action
		}
	}
	if action != Hang {
		r.mu.Unlock()
		return action
	}
	freed := r.freed
	r.hang[kinds[0]]++
	r.mu.Unlock()
	<-freed
	r.mu.Lock()
	r.hang[kinds[0]]--
	r.mu.Unlock()
	return ""
}

// hanging returns the number of requests of each kind that hang now.
func (r *rules) hanging() map[Op]uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.hang)
}
