package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"h5perf/pkg/history"
	"h5perf/pkg/plain"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
	"h5perf/pkg/units"
)

// Launches launches two programs alternately, such as two builds of h5perf, and compares what they measure. Each turn
// launches both once, in random order.
type Launches struct {
	Commands    [2]string     // words of a shell that launch A and B
	Args        []string      // arguments of both programs
	Turns       int           // 0: as many as are needed to show a difference
	Timeout     time.Duration // of a launch; 0: no limit
	Grace       time.Duration // how long a launch that was told to end may take; 0: launchGrace
	Seed        uint64
	Results     string   // directory of the tree of results in which all documents are stored; "" is none
	Quiet       bool     // no progress on standard error
	FailOnWorse *float64 // in percent: see Compare.FailOnWorse
}

// launchGrace is the default of Launches.Grace.
const launchGrace = time.Minute

// Run launches both programs in turns, and prints the comparison. The error is an ExitStatusError with
// result.ExitFailed only if B is worse.
func (l Launches) Run(env Env) error {
	err := l.run(env)
	if _, judged := errors.AsType[*ExitStatusError](err); err == nil || judged {
		return err
	}
	return &ExitStatusError{result.ExitUsage, err.Error()}
}

func (l Launches) run(env Env) (err error) {
	if err := checkFailOnWorse(l.FailOnWorse); err != nil {
		return err
	}
	if err := l.checkResults(); err != nil {
		return fmt.Errorf("tree of results: %w", err)
	}
	dir, err := os.MkdirTemp("", "h5perf-ab-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	ctx, end := context.WithCancel(context.Background())
	killed, kill := context.WithCancel(context.Background())
	defer kill()
	defer end()
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, unix.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		for _, then := range []func(){end, kill} { // the second signal does not wait for the time of grace
			select {
			case <-signals:
				then()
			case <-killed.Done():
			}
		}
	}()
	random := rand.New(rand.NewPCG(l.Seed, 0))
	var sides [2][]history.Record
	for turn, turns := 1, cmp.Or(l.Turns, 1); turn <= turns; turn++ {
		var docs [2]result.Document
		for _, arm := range random.Perm(len(docs)) {
			path := filepath.Join(dir, fmt.Sprintf("%s-%d.json", armNames[arm], turn))
			began := env.Now()
			if docs[arm], err = l.launch(ctx, killed, arm, path); err != nil {
				err = fmt.Errorf("%s, turn %d: %w", armNames[arm], turn, err)
				if ctx.Err() != nil && turn > 1 {
					l.FailOnWorse = nil // fewer turns than planned give no verdict
					err = errors.Join(fmt.Errorf("%w; only the turns before it are compared", err),
						l.printComparison(env, sides))
				}
				err = &ExitStatusError{result.ExitUsage, err.Error()}
				return errors.Join(err, l.afterFailure(ctx, arm, docs, sides))
			}
			if !l.Quiet {
				env.printDiagnostic(fmt.Sprintf("turn %d, %s: %s", turn, armNames[arm],
					units.FormatSeconds(env.Now().Sub(began).Seconds())))
			}
		}
		if turn == 1 {
			if turns, err = l.checkFirstTurn(docs); err != nil {
				return err
			}
			if !l.Quiet && l.Turns == 0 {
				env.printNote("A and B are launched %d times each, as many as are needed to show a difference.", turns)
			}
		}
		for arm := range docs {
			r, err := l.store(arm, docs, sides)
			if err != nil {
				return err
			}
			sides[arm] = append(sides[arm], r)
		}
	}
	return l.printComparison(env, sides)
}

// checkResults returns an error if nothing can be written to the tree of results.
func (l Launches) checkResults() error {
	if l.Results == "" {
		return nil
	}
	if err := os.MkdirAll(l.Results, 0o755); err != nil {
		return err
	}
	tried, err := os.MkdirTemp(l.Results, ".h5perf-ab-")
	if err != nil {
		return err
	}
	return os.Remove(tried)
}

// store returns the document of a program in a turn, as one of a pair, and writes it to the tree of results, if there
// is one. There the labels of A and of B differ from each other and from that of the same run without ab, so that no
// series of runs over time mixes them. sides holds the turns before, docs this turn; a launch that failed may have no
// document.
func (l Launches) store(arm int, docs [2]result.Document, sides [2][]history.Record) (history.Record, error) {
	doc := docs[arm]
	doc.Pair = &result.Pair{
		Arm: result.Arm(armNames[arm]), PartnerRunID: docs[1-arm].RunID, Seed: l.Seed,
		FirstTurnID: cmp.Or(docs[0].RunID, doc.RunID),
	}
	if len(sides[0]) > 0 {
		doc.Pair.FirstTurnID = sides[0][0].TurnsID()
	}
	r := history.Record{Path: "run " + doc.RunID, Document: doc}
	if l.Results == "" {
		return r, nil
	}
	doc.Identity.Label += "-" + armNames[arm]
	r.Path = history.DocumentPath(l.Results, doc)
	if err := errors.Join(os.MkdirAll(filepath.Dir(r.Path), 0o755), result.Write(r.Path, doc)); err != nil {
		return r, fmt.Errorf("tree of results: %w", err)
	}
	return r, nil
}

// afterFailure stores the documents of a turn in which a launch failed, and returns an error that says what to do next.
func (l Launches) afterFailure(ctx context.Context, failed int, docs [2]result.Document,
	sides [2][]history.Record,
) (errs error) {
	next := "launch it alone: " + l.Commands[failed]
	for _, word := range l.Args {
		next += " " + plain.ShellWord(word)
	}
	if ctx.Err() != nil {
		next = ""
	}
	for arm, doc := range docs {
		if doc.RunID == "" || l.Results == "" {
			continue
		}
		r, err := l.store(arm, docs, sides)
		if errs = errors.Join(errs, err); arm == failed {
			next = "h5perf report " + plain.ShellWord(r.Path)
		}
	}
	if next == "" {
		return errs
	}
	return errors.Join(errs, &ExitStatusError{result.ExitUsage, "Next: " + plain.HideInURL(next)})
}

// checkFirstTurn returns the number of turns. It returns an error if the programs measured with different numbers of
// processes, or if so few turns cannot show that one is worse.
func (l Launches) checkFirstTurn(docs [2]result.Document) (turns int, err error) {
	if a, b := docs[0].Job.Processes, docs[1].Job.Processes; a != b {
		return 0, fmt.Errorf("the numbers of processes differ, %d in A and %d in B: give both "+
			"the same", a, b)
	}
	needed := stats.PairsNeeded(history.NumComparedPoints(docs[0]), 1-stats.Level)
	if l.FailOnWorse != nil && l.Turns > 0 && l.Turns < needed {
		return 0, fmt.Errorf("--fail-on-worse: %d turns cannot show a difference: give -i %d or more, or leave it out",
			l.Turns, needed)
	}
	return cmp.Or(l.Turns, needed), nil
}

// printComparison prints what differs between the programs, and the comparison.
func (l Launches) printComparison(env Env, sides [2][]history.Record) error {
	c, err := history.Compare(sides[0], sides[1], history.CompareOptions{Names: armNames})
	if err != nil {
		return err
	}
	var text plain.LineBuilder
	for arm, command := range l.Commands {
		text.Add("%s is launched by: %s", armNames[arm], plain.VisibleLine(plain.HideInURL(command)))
	}
	told := map[string]bool{}
	for _, p := range c.Points {
		for _, d := range p.Differs {
			told[d.Name] = true
		}
	}
	for _, line := range history.DocumentDifferences(sides[0][0].Document, sides[1][0].Document) {
		field, values, is := strings.Cut(line, " was ")
		part, name, _ := strings.Cut(field, ".")
		if is && part != "job" && !told[name] && !strings.HasPrefix(name, "hdf5_configuration.") {
			a, b, _ := strings.Cut(values, ", now ")
			text.Add("differs: %s: %s in A, %s in B", name, firstBytes(a), firstBytes(b))
		}
	}
	if err := env.printHighlighted(text.String() + comparisonText(c, sides[0], sides[1])); err != nil {
		return fmt.Errorf("comparison: %w", err)
	}
	return Compare{FailOnWorse: l.FailOnWorse}.exitError(c)
}

// launch launches a program once, and returns its document, which is at path for a moment. A launch that fails may have
// a document, too. When the context killed ends, the launch is killed.
func (l Launches) launch(ctx, killed context.Context, arm int, path string) (doc result.Document, err error) {
	words := slices.Concat([]string{"-c", l.Commands[arm] + ` "$@"`, "h5perf"}, l.Args)
	if !slices.ContainsFunc(l.Args, quietWord.MatchString) {
		words = append(words, "--quiet") // only errors are told of what it says
	}
	if l.Timeout > 0 {
		late := fmt.Errorf("it took longer than --timeout %s", l.Timeout)
		of, cancel := context.WithTimeoutCause(ctx, l.Timeout, late)
		defer cancel()
		ctx = of
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", append(words, "--json", path)...)
	said, err := l.runGroup(killed, cmd)
	doc, unread := result.Read(path)
	switch {
	case err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = context.Cause(ctx)
	case err != nil && ctx.Err() != nil:
		err = errors.New("stopped by a signal")
	case err != nil:
	case errors.Is(unread, fs.ErrNotExist):
		err = errors.New("it wrote no document (--json)")
	case unread != nil:
		err = unread
	case doc.State != result.Complete:
		err = fmt.Errorf("the run is %s", doc.State)
	default:
		return doc, os.Remove(path)
	}
	if state := cmd.ProcessState; state != nil && err.Error() != state.String() {
		err = fmt.Errorf("%w, %s", err, state)
	}
	if text := lastLines(said); text != "" {
		err = fmt.Errorf("%w: %s", err, text)
	}
	return doc, fmt.Errorf("%s: %w", plain.HideInURL(l.Commands[arm]), err)
}

// quietWord matches a word of a command line that may have the option --quiet, which cannot be given twice.
var quietWord = regexp.MustCompile(`^(-[^-]*q.*|--quiet)$`)

// runGroup runs a command of the context as a process group, and returns what it wrote to standard error. When the
// command has ended, nothing of the group lives on, so that it cannot disturb the next launch. If the context ends, the
// group is told to end, and has a time of grace to remove its files, at most until the context killed ends.
func (l Launches) runGroup(killed context.Context, cmd *exec.Cmd) (said string, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer func() { _ = r.Close() }() // it was only read
	grace := cmp.Or(l.Grace, launchGrace)
	told := false
	cmd.Stdout, cmd.Stderr = nil, w                    // not a Writer: then Wait would wait for all who have the pipe
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true} // so that a signal reaches the launcher and its children
	cmd.WaitDelay = grace
	cmd.Cancel = func() error {
		told = true
		return errors.Join(r.SetReadDeadline(time.Now().Add(grace)), unix.Kill(-cmd.Process.Pid, unix.SIGTERM))
	}
	if err = errors.Join(cmd.Start(), w.Close()); err != nil {
		return "", err
	}
	text := make(chan []byte)
	go func() {
		all, _ := io.ReadAll(r) // its error is the deadline
		text <- all
	}()
	end := func() { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) } // its error: the group is empty
	endNow := func() {
		end()
		_ = r.SetReadDeadline(time.Now().Add(time.Second)) // for those who left the group; a pipe has deadlines
	}
	defer context.AfterFunc(killed, endNow)()
	if err = cmd.Wait(); !told {
		endNow()
	}
	said = string(<-text)
	end()
	return said, err
}

// firstBytes returns the beginning of a value that may be as long as how a library was configured.
func firstBytes(text string) string {
	const most = 80
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// maxToldBytes is the largest number of bytes of a program's messages that an error has.
const maxToldBytes = 1000

// lastLines returns the last lines of a text. It leaves out what launchers write after any failure, between lines of
// dashes or equals signs, unless there is nothing else. It joins the parts of a line that h5perf has broken.
func lastLines(text string) string {
	const frame = 60 // length of such lines, at least
	var own strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		if len(bare) >= frame && (strings.Trim(bare, "-") == "" || strings.Trim(bare, "=") == "") {
			inside = !inside
		} else if !inside {
			own.WriteString(line)
		}
	}
	if strings.TrimSpace(own.String()) != "" {
		text = own.String()
	}
	text = strings.ReplaceAll(strings.TrimSpace(text), "\n  ", " ")
	if from := len(text) - maxToldBytes; from > 0 {
		_, whole, several := strings.Cut(text[from-1:], "\n")
		if text = "…" + text[from:]; several {
			text = whole
		}
	}
	return strings.ToValidUTF8(text, "")
}
