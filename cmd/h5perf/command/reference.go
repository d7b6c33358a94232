package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"slices"
	"strings"

	"h5perf/pkg/history"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
)

// Reference is the command reference: it pins the runs that later ones are measured against.
type Reference struct {
	Action string   `arg:"" enum:"set,show,clear" placeholder:"set|show|clear" missing:"no action is given; give set, show or clear" help:"Set the reference, show it, or clear it."`
	Runs   []string `arg:"" optional:"" placeholder:"RUN ..." help:"With set: the runs, by their ids or by the paths of their documents."`
	Since  string   `placeholder:"TIME|RUN" help:"With set: all complete runs that started at this time or later, or from this run on."`
	Note   string   `placeholder:"TEXT" help:"The reason. It is stored, and shown for results that are below the reference. set and clear need it."`
	In     string   `placeholder:"DIR" default:"results" env:"H5PERF_RESULTS" help:"The tree of results that contains the runs and stores the reference (default results)."`
	JSON   bool     `name:"json" help:"With show: print all references that were ever set, as JSON."`
	identity
	partial
}

// Run runs the command.
func (r Reference) Run(env Env) error {
	if err := r.check(); err != nil {
		return &InputError{err}
	}
	if info, err := os.Stat(r.In); err != nil {
		return &InputError{fmt.Errorf("--in: %w", err)}
	} else if !info.IsDir() {
		return &InputError{fmt.Errorf("--in %s: not a directory", r.In)}
	}
	pinned, err := history.References(r.In)
	if err != nil {
		return &InputError{err}
	}
	switch r.Action {
	case "set":
		return r.set(env)
	case "clear":
		return r.clear(env, pinned)
	}
	return r.show(env, pinned)
}

// check returns an error if the options do not go together.
func (r Reference) check() error {
	switch {
	case r.Action != "set" && (len(r.Runs) > 0 || r.Since != ""):
		return fmt.Errorf("%s takes no runs", r.Action)
	case r.Action == "set" && (len(r.Runs) > 0) == (r.Since != ""):
		return errors.New("set needs either runs or --since")
	case r.Action != "show" && strings.TrimSpace(r.Note) == "":
		return fmt.Errorf("%s needs --note TEXT: write why, for those who read it later", r.Action)
	case r.Action == "show" && r.Note != "", r.Action != "show" && r.JSON:
		return fmt.Errorf("%s: --note works with set and clear only, --json with show only", r.Action)
	}
	if err := (history.Pinned{Note: r.Note}).Check(); err != nil {
		return fmt.Errorf("--note: %w", err)
	}
	return nil
}

// set pins runs of the tree.
func (r Reference) set(env Env) error {
	records, skipped, err := history.LoadSelected(history.Selection{Identity: r.wanted()}, r.In)
	if err != nil {
		return &InputError{err}
	}
	tellSkipped(env, skipped)
	var chosen []history.Record
	if r.Since == "" {
		chosen, err = history.Named(records, r.Runs)
	} else {
		chosen, err = r.since(env, records)
	}
	if err != nil {
		return &InputError{fmt.Errorf("%w (in %s)", err, r.In)}
	}
	all, err := history.Choose(chosen, r.Partial)
	if err != nil {
		return &InputError{err}
	}
	return r.pin(env, all)
}

// since returns the runs from a time, or from a run on, that can be a reference.
func (r Reference) since(env Env, records []history.Record) ([]history.Record, error) {
	begin, err := moment(r.Since, env.Now())
	if err != nil {
		first, e := history.Named(records, []string{r.Since})
		if e != nil {
			return nil, fmt.Errorf("--since %w, and %w", err, e)
		}
		begin = first[0].Started
		records = slices.DeleteFunc(slices.Clone(records), func(d history.Record) bool {
			return d.Identity != first[0].Identity
		})
	}
	s := history.Selection{Since: begin}
	chosen := slices.DeleteFunc(slices.Clone(records), func(d history.Record) bool {
		_, refused := history.Choose([]history.Record{d}, r.Partial)
		return !s.Selects(d.Document) || refused != nil
	})
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no %s started at %s or later", r.usable(), minute(begin))
	}
	return chosen, nil
}

// clear ends references.
func (r Reference) clear(env Env, pinned []history.Pinned) error {
	var all []history.Pinned
	for _, p := range history.Current(pinned) {
		if r.selects(p) {
			p.Runs = []string{}
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return &StatusError{result.ExitFailed, "no reference to clear in " + r.In}
	}
	return r.pin(env, all)
}

// pin keeps references in the tree, and tells of them.
func (r Reference) pin(env Env, all []history.Pinned) error {
	now := env.Now().UTC()
	for i := range all {
		all[i].Time, all[i].By, all[i].Note = now, author(env), strings.TrimSpace(r.Note)
	}
	if err := history.Pin(r.In, all...); err != nil {
		return err
	}
	for _, p := range all {
		if err := env.say("%s: %s", identityWords(p), pinnedWords(p)); err != nil {
			return fmt.Errorf("reference: %w", err)
		}
	}
	return nil
}

// selects reports whether the options select a reference.
func (r Reference) selects(p history.Pinned) bool {
	same := func(wanted, is string) bool { return wanted == "" || wanted == is }
	return same(r.Cluster, p.Identity.Cluster) && same(r.Filesystem, p.Identity.Filesystem) &&
		same(r.Label, p.Identity.Label)
}

// show prints the references that hold now, and what held before.
func (r Reference) show(env Env, pinned []history.Pinned) error {
	pinned = slices.DeleteFunc(pinned, func(p history.Pinned) bool { return !r.selects(p) })
	if r.JSON {
		if pinned == nil {
			pinned = []history.Pinned{}
		}
		return plain.JSON(env.Stdout, pinned)
	}
	current := history.Current(pinned)
	var text plain.Lines
	if len(current) == 0 {
		text.Add("No reference is set in %s.", r.In)
	}
	for _, p := range current {
		text.Add("%s: %s", identityWords(p), pinnedWords(p))
		for _, id := range p.Runs {
			text.Add("  %s", id)
		}
	}
	if len(pinned) > len(current) {
		text.Add("")
		text.Add("Before that:")
		for i, p := range pinned {
			last := !slices.ContainsFunc(pinned[i+1:], func(q history.Pinned) bool { return q.Identity == p.Identity })
			if !last || len(p.Runs) == 0 {
				text.Add("%s: %s", identityWords(p), pinnedWords(p))
			}
		}
	}
	_, err := io.WriteString(env.Stdout, text.String())
	return err
}

func identityWords(p history.Pinned) string {
	return strings.Join([]string{p.Identity.Cluster, p.Identity.Filesystem, p.Identity.Label}, ", ")
}

// pinnedWords says what is the reference, since when, by whom and why.
func pinnedWords(p history.Pinned) string {
	what := "cleared"
	if len(p.Runs) > 0 {
		what = runCount(len(p.Runs)) + ", set"
	}
	return fmt.Sprintf("%s %s by %s: %s", what, minute(p.Time), p.By, p.Note)
}

// author returns who runs the command, and where.
func author(env Env) string {
	name, _ := env.Lookup("USER")
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if name == "" {
		name = fmt.Sprintf("user %d", os.Getuid())
	}
	if host, err := os.Hostname(); err == nil {
		name += "@" + host
	}
	return name
}

// usable returns, in words, which runs can be a reference.
func (r Reference) usable() string {
	if r.Partial {
		return "run with figures"
	}
	return "complete run"
}
