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

// Reference is the command reference, which sets, shows and clears references: runs that later runs are compared with.
type Reference struct {
	Action string   `arg:"" enum:"set,show,clear" placeholder:"set|show|clear" missing:"no action is given; give set, show or clear" help:"Set the reference, show it, or clear it."`
	Runs   []string `arg:"" optional:"" placeholder:"RUN ..." help:"With set: the runs, by their ids or by the paths of their documents."`
	Since  string   `placeholder:"TIME|RUN" help:"With set: all complete runs that started at this time or later, or from this run on."`
	Note   string   `placeholder:"TEXT" help:"With set and clear, which need it: the reason. It is stored, and shown for results that are below the reference."`
	In     string   `placeholder:"DIR" default:"results" env:"H5PERF_RESULTS" help:"The tree of results that contains the runs and stores the reference (default results)."`
	JSON   bool     `name:"json" help:"With show: print all references that were ever set, as JSON."`
	identityOptions
	partialOptions
}

// Run runs the command.
func (r Reference) Run(env Env) error {
	if err := r.checkOptions(); err != nil {
		return &InputError{err}
	}
	if info, err := os.Stat(r.In); err != nil {
		return &InputError{fmt.Errorf("--in: %w", err)}
	} else if !info.IsDir() {
		return &InputError{fmt.Errorf("--in %s: not a directory", r.In)}
	}
	pinned, err := history.ReadReferences(r.In)
	if err != nil {
		return &InputError{err}
	}
	switch r.Action {
	case "set":
		return r.setReference(env)
	case "clear":
		return r.clearReferences(env, pinned)
	}
	return r.printReferences(env, pinned)
}

func (r Reference) checkOptions() error {
	switch {
	case r.Action != "set" && (len(r.Runs) > 0 || r.Since != ""):
		return fmt.Errorf("%s does not take runs; leave them and --since out", r.Action)
	case r.Action == "set" && (len(r.Runs) > 0) == (r.Since != ""):
		return errors.New("set needs either runs or --since")
	case r.Action != "show" && strings.TrimSpace(r.Note) == "":
		return fmt.Errorf("%s needs --note TEXT: write why, for those who read it later", r.Action)
	case r.Action == "show" && r.Note != "", r.Action != "show" && r.JSON:
		return fmt.Errorf("%s: --note works with set and clear only, --json with show only", r.Action)
	}
	if err := (history.PinnedReference{Note: r.Note}).Check(); err != nil {
		return fmt.Errorf("--note: %w", err)
	}
	return nil
}

// setReference sets the runs that the arguments select as references for their cluster, file system and label.
func (r Reference) setReference(env Env) error {
	records, skipped, err := history.LoadSelected(history.Selection{Identity: r.wantedIdentity()}, r.In)
	if err != nil {
		return &InputError{err}
	}
	printSkipped(env, skipped)
	var chosen []history.Record
	if r.Since == "" {
		chosen, err = history.FindRecords(records, r.Runs)
	} else {
		chosen, err = r.runsSince(env, records)
	}
	if err != nil {
		return &InputError{fmt.Errorf("%w (in %s)", err, r.In)}
	}
	all, err := history.ChooseReferences(chosen, r.Partial)
	if err != nil {
		return &InputError{err}
	}
	return r.pinReferences(env, all)
}

// runsSince returns the runs that can be a reference and that started at the time of --since or later. If --since names
// a run, it returns this run and the later runs of the same cluster, file system and label.
func (r Reference) runsSince(env Env, records []history.Record) ([]history.Record, error) {
	begin, err := parseTime(r.Since, env.Now())
	if err != nil {
		first, e := history.FindRecords(records, []string{r.Since})
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
		_, refused := history.ChooseReferences([]history.Record{d}, r.Partial)
		return !s.Selects(d.Document) || refused != nil
	})
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no %s started at %s or later", r.usableRunText(), formatMinute(begin))
	}
	return chosen, nil
}

func (r Reference) clearReferences(env Env, pinned []history.PinnedReference) error {
	var all []history.PinnedReference
	for _, p := range history.CurrentReferences(pinned) {
		if r.selectsPinned(p) {
			p.Runs = []string{}
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return &ExitStatusError{result.ExitFailed, "no reference to clear in " + r.In}
	}
	return r.pinReferences(env, all)
}

// pinReferences stores references in the tree of results, with time, author and note, and prints them.
func (r Reference) pinReferences(env Env, all []history.PinnedReference) error {
	now := env.Now().UTC()
	for i := range all {
		all[i].Time, all[i].Author, all[i].Note = now, authorName(env), strings.TrimSpace(r.Note)
	}
	if err := history.PinReferences(r.In, all...); err != nil {
		return err
	}
	for _, p := range all {
		if err := env.printLine("%s: %s", identityText(p), pinnedReferenceText(p)); err != nil {
			return fmt.Errorf("reference: %w", err)
		}
	}
	return nil
}

func (r Reference) selectsPinned(p history.PinnedReference) bool {
	same := func(wanted, is string) bool { return wanted == "" || wanted == is }
	return same(r.Cluster, p.Identity.Cluster) && same(r.Filesystem, p.Identity.Filesystem) &&
		same(r.Label, p.Identity.Label)
}

// printReferences prints the current references, and then the references that they replaced.
func (r Reference) printReferences(env Env, pinned []history.PinnedReference) error {
	pinned = slices.DeleteFunc(pinned, func(p history.PinnedReference) bool { return !r.selectsPinned(p) })
	if r.JSON {
		if pinned == nil {
			pinned = []history.PinnedReference{}
		}
		return plain.WriteJSON(env.Stdout, pinned)
	}
	current := history.CurrentReferences(pinned)
	var text plain.LineBuilder
	if len(current) == 0 {
		text.Add("No reference is set in %s.", r.In)
	}
	for _, p := range current {
		text.Add("%s: %s", identityText(p), pinnedReferenceText(p))
		for _, id := range p.Runs {
			text.Add("  %s", id)
		}
	}
	if len(pinned) > len(current) {
		text.Add("")
		text.Add("Before that:")
		for i, p := range pinned {
			last := !slices.ContainsFunc(pinned[i+1:],
				func(q history.PinnedReference) bool { return q.Identity == p.Identity })
			if !last || len(p.Runs) == 0 {
				text.Add("%s: %s", identityText(p), pinnedReferenceText(p))
			}
		}
	}
	_, err := io.WriteString(env.Stdout, text.String())
	return err
}

func identityText(p history.PinnedReference) string {
	return strings.Join([]string{p.Identity.Cluster, p.Identity.Filesystem, p.Identity.Label}, ", ")
}

// pinnedReferenceText says how many runs are the reference, and when, by whom and why the reference was set or cleared.
func pinnedReferenceText(p history.PinnedReference) string {
	what := "cleared"
	if len(p.Runs) > 0 {
		what = runCountText(len(p.Runs)) + ", set"
	}
	return fmt.Sprintf("%s %s by %s: %s", what, formatMinute(p.Time), p.Author, p.Note)
}

// authorName returns the names of the user and of the host, such as me@login.
func authorName(env Env) string {
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

func (r Reference) usableRunText() string {
	if r.Partial {
		return "run with figures"
	}
	return "complete run"
}
