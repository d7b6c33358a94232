package command_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"h5perf/cmd/h5perf/command"
	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/test/plaintest"
)

// fakeProgram returns a command that writes one of some documents each time it is launched, where its arguments say so.
func fakeProgram(t *testing.T, days int, throughputs ...[]float64) string {
	t.Helper()
	dir := t.TempDir()
	for i, some := range throughputs {
		path := stored(t, dir, days+i, some...)
		if err := os.Rename(path, filepath.Join(dir, fmt.Sprint(i+1))); err != nil {
			t.Fatal(err)
		}
	}
	script := filepath.Join(dir, "program")
	text := `#!/bin/sh
cd "$(dirname "$0")" || exit 9
[ "$1 $2" = "-A posix" ] || exit 8
while [ $# -gt 1 ]; do shift; done
n=$(($(cat launched 2>/dev/null || echo 0) + 1))
echo $n >launched
[ -f $n ] || { echo "it is out of order" >&2; exit 7; }
cp $n "$1"
`
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return script
}

// launchesOf runs ab with two programs, and returns the exit status and both outputs.
func launchesOf(l command.Launches) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	env := command.Env{
		Stdout: &out, Stderr: &errs, Lookup: func(string) (string, bool) { return "", false },
		Now: func() time.Time { return firstStart },
	}
	l.Args = []string{"-A", "posix"}
	status = command.ExitStatus(env, l.Run(env))
	return status, plaintest.Unwrap(out.String()), errs.String()
}

// launchesAround returns n launches with three iterations each, around a throughput that varies from launch to launch.
func launchesAround(n int, throughput float64) (all [][]float64) {
	for i := range n {
		one := throughput * (1 + 0.3*float64(i%3))
		all = append(all, []float64{0.9 * one, one, 1.2 * one})
	}
	return all
}

func TestTwoProgramsAreLaunchedInTurns(t *testing.T) {
	limit := 20.0
	tree := filepath.Join(t.TempDir(), "tree")
	l := command.Launches{
		Commands: [2]string{
			fakeProgram(t, 0, launchesAround(6, 1e9)...), fakeProgram(t, 100, launchesAround(6, 0.7e9)...),
		},
		Seed: 1, Results: tree, FailOnWorse: &limit,
	}
	status, stdout, stderr := launchesOf(l)
	if status != result.ExitFailed || !strings.Contains(stderr, "worse by 30 %") {
		t.Errorf("status %d, %s", status, stderr)
	}
	for _, want := range []string{
		"A is launched by: " + l.Commands[0], "\nB is 30 % slower ", "6 pairs", "1 point: ",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if !strings.Contains(stderr, "A and B are launched 6 times each, as many as are needed") {
		t.Error(stderr)
	}
	all, _, err := history.Load(tree)
	if err != nil || len(all) != 12 {
		t.Fatalf("%d documents are stored, %v", len(all), err)
	}
	for _, r := range all {
		if r.Pair == nil || r.Pair.PartnerRunID == "" || r.Pair.Seed != 1 || r.TurnsID() != "run00000" ||
			r.Identity.Label != "nightly-"+string(r.Pair.Arm) || len(r.Cases[0].Samples) != 3 {
			t.Errorf("%s: %+v, label %q, %d samples", r.RunID, r.Pair, r.Identity.Label, len(r.Cases[0].Samples))
		}
	}
	// Their iterations are no pairs: compare and report say of the documents what ab says.
	below := func(arm string) string { return filepath.Join(tree, "c", "scratch", "nightly-"+arm) }
	compared, again, _ := said(t, "compare", "--fail-on-worse", "20", below("A"), below("B"))
	if compared != result.ExitFailed || !strings.Contains(again, "6 pairs") || !strings.Contains(again, "1 worse") {
		t.Errorf("status %d, no comparison of pairs in\n%s", compared, again)
	}
	if _, text, errs := said(t, "report", tree); !strings.Contains(plaintest.Unwrap(text), "B is 30 % slower") {
		t.Errorf("no comparison in %s\n%s", errs, text)
	}
	// A trend does not mix them with each other, or with runs without ab.
	stored(t, filepath.Join(tree, "nightly"), 200, 1e9)
	found, err := history.FindTrend(history.TrendOptions{}, tree)
	if err != nil || len(found.Series) != 3 || len(found.Newest) != 3 || found.Newest[0].RunID != "run00200" {
		t.Errorf("series %+v, newest %+v, %v", found.Series, found.Newest, err)
	}
}

// A launch that fails gives no verdict: the status is not that of a slower program.
func TestALaunchThatFailsGivesNoVerdict(t *testing.T) {
	limit := 20.0
	l := command.Launches{
		Commands: [2]string{
			fakeProgram(t, 0, launchesAround(6, 1e9)...), fakeProgram(t, 100, launchesAround(2, 1e9)...),
		},
		FailOnWorse: &limit, Quiet: true, Turns: 6,
	}
	silent := command.Launches{Commands: [2]string{"true", "true"}, Quiet: true, Turns: 1}
	if status, _, stderr := launchesOf(silent); status != result.ExitUsage ||
		!strings.Contains(stderr, "true: it wrote no document (--json), exit status 0\n") {
		t.Errorf("status %d, %q", status, stderr)
	}
	status, stdout, stderr := launchesOf(l)
	want := "h5perf: B, turn 3: " + l.Commands[1] + ": exit status 7: it is out of order\n" +
		"h5perf: Next: launch it alone: " + l.Commands[1] + " -A posix\n"
	if status != result.ExitUsage || stdout != "" || stderr != want {
		t.Errorf("status %d, %q, %q, want %q", status, stdout, stderr, want)
	}
}

// The document of a launch that fails is kept in the tree, and does not prevent a comparison of the turns before it.
func TestALaunchThatFailsTellsWhatToDo(t *testing.T) {
	failed := result.Document{
		SchemaVersion: result.Version, RunID: "failed", Kind: "parallel", State: result.Failed, Started: firstStart,
		Identity: result.Identity{Cluster: "c", Filesystem: "/scratch", Label: "nightly"}, Cases: []result.Case{},
	}
	path := filepath.Join(t.TempDir(), "failed.json")
	if err := result.Write(path, failed); err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(4) { // of which B is launched first in the last turn of some
		tree := t.TempDir()
		b := filepath.Join(t.TempDir(), "b")
		text := fmt.Sprintf(`%s "$@" 2>/dev/null && exit
for i in $(seq 100); do echo "line $i of what it says"; done >&2
echo "h5perf: a broken
  line, $3" >&2
while [ $# -gt 1 ]; do shift; done
cp %s "$1"
exit 3
`, fakeProgram(t, 100, launchesAround(6, 0.7e9)...), path)
		if err := os.WriteFile(b, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		status, _, stderr := launchesOf(command.Launches{
			Commands: [2]string{fakeProgram(t, 0, launchesAround(7, 1e9)...), "sh " + b}, Quiet: true, Turns: 7,
			Results: tree, Seed: seed,
		})
		below := func(arm string) string { return filepath.Join(tree, "c", "scratch", "nightly-"+arm) }
		kept := filepath.Join(below("B"), "failed.json")
		first, rest, _ := strings.Cut(stderr, " of what it says; line ")
		if status != result.ExitUsage ||
			!strings.HasPrefix(first, "h5perf: B, turn 7: sh "+b+": exit status 3: line ") ||
			!strings.HasSuffix(rest, "line 100 of what it says; h5perf: a broken line, --quiet\n"+
				"h5perf: Next: h5perf report "+kept+"\n") {
			t.Errorf("status %d, %q", status, stderr)
		}
		if doc, err := result.Read(kept); err != nil || doc.Pair == nil || doc.Pair.FirstTurnID != "run00000" {
			t.Errorf("%+v, %v", doc, err)
		}
		if _, compared, errs := said(t, "compare", below("A"), below("B")); !strings.Contains(compared, "6 pairs") {
			t.Errorf("seed %d, no pairs in %s\n%s", seed, compared, errs)
		}
	}
}

// What cannot be judged is no success: few turns, other numbers of processes, a tree that cannot be written.
func TestWhatCannotBeJudgedHasNoVerdict(t *testing.T) {
	limit := 20.0
	programs := func() [2]string {
		return [2]string{
			fakeProgram(t, 0, launchesAround(6, 1e9)...), fakeProgram(t, 100, launchesAround(6, 1e9)...),
		}
	}
	for want, l := range map[string]command.Launches{
		"--fail-on-worse: 2 turns cannot show a difference: give -i 6 or more": {Turns: 2, FailOnWorse: &limit},
		"tree of results: ": {Turns: 6, FailOnWorse: &limit, Results: "/proc/nowhere"},
	} {
		l.Commands, l.Quiet = programs(), true
		if status, _, stderr := launchesOf(l); status != result.ExitUsage || !strings.Contains(stderr, want) {
			t.Errorf("status %d, no %q in %q", status, want, stderr)
		}
		for _, program := range l.Commands {
			_, err := os.Stat(filepath.Join(filepath.Dir(program), "launched"))
			if launched := err == nil; launched != (l.Results == "") {
				t.Errorf("%s: launched %v", want, launched)
			}
		}
	}
}

// A launch that takes too long is ended, and a signal ends all of them: then the turns before it are compared.
func TestLaunchesEndEarly(t *testing.T) {
	limit := 20.0
	slow := func(then string) string { // its third launch
		script := filepath.Join(t.TempDir(), "slow")
		text := fmt.Sprintf("#!/bin/sh\n[ -f %[1]s.2 ] && %[2]s && exec sleep 60\n[ -f %[1]s.1 ] && touch %[1]s.2\n"+
			"touch %[1]s.1\nexec %[3]s \"$@\"\n", script, then, fakeProgram(t, 0, launchesAround(2, 1e9)...))
		if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		return script
	}
	for _, c := range []struct {
		then, want string
		compared   bool
	}{
		{"true", "A, turn 3: %s: it took longer than --timeout 500ms", false},
		{fmt.Sprint("kill -TERM ", os.Getpid()), "A, turn 3: %s: stopped by a signal", true},
	} {
		l := command.Launches{
			Commands: [2]string{slow(c.then), fakeProgram(t, 100, launchesAround(6, 0.5e9)...)}, Turns: 6, Quiet: true,
			FailOnWorse: &limit,
		}
		if !c.compared {
			l.Timeout = 500 * time.Millisecond
		}
		status, stdout, stderr := launchesOf(l)
		want := fmt.Sprintf(c.want, l.Commands[0])
		if status != result.ExitUsage || !strings.Contains(stderr, want) ||
			strings.Contains(stdout, "2 pairs") != c.compared ||
			strings.Contains(stderr, "only the turns before it are compared") != c.compared {
			t.Errorf("status %d, no %q in %q; %s", status, want, stderr, stdout)
		}
	}
}

// A launch that ignores that it is told to end, and what it has started, are killed after a time of grace.
func TestALaunchThatDoesNotEndIsKilled(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	script := filepath.Join(t.TempDir(), "stubborn")
	text := fmt.Sprintf("trap '' TERM\necho $$ >>%[1]s\nsh -c 'echo $$ >>%[1]s; exec sleep 60' &\n"+
		"sleep 60\nsleep 60\n", pids)
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	status, _, stderr := launchesOf(command.Launches{
		Commands: [2]string{"sh " + script, "sh " + script}, Turns: 1, Quiet: true, Timeout: time.Second,
		Grace: 500 * time.Millisecond,
	})
	if status != result.ExitUsage || !strings.Contains(stderr, "it took longer than --timeout 1s") {
		t.Errorf("status %d, %q", status, stderr)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %v", took)
	}
	checkEnded(t, pids, 2)
}

// A second signal ends a launch at once that ignores the first one.
func TestASecondSignalKillsALaunch(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	script := filepath.Join(t.TempDir(), "stubborn")
	text := fmt.Sprintf("trap '' TERM\necho $$ >%s\nkill -TERM %[2]d\nsleep 1\nkill -TERM %[2]d\nsleep 50\n",
		pids, os.Getpid())
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	status, _, stderr := launchesOf(command.Launches{
		Commands: [2]string{"sh " + script, "sh " + script}, Turns: 1, Quiet: true,
	})
	if took := time.Since(began); status != result.ExitUsage || took > 20*time.Second ||
		!strings.Contains(stderr, "stopped by a signal, ") {
		t.Errorf("status %d after %v, %q", status, took, stderr)
	}
	checkEnded(t, pids, 1)
}

// What a launch leaves behind with its standard error open is killed; the launch itself is a success.
func TestWhatALaunchLeavesBehindIsKilled(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	leave := fmt.Sprintf(`left() { sleep 300 & echo $! >>%s; %s "$@"; }; left`, pids,
		fakeProgram(t, 0, launchesAround(2, 1e9)...))
	began := time.Now()
	status, stdout, stderr := launchesOf(command.Launches{
		Commands: [2]string{leave, fakeProgram(t, 100, launchesAround(2, 1e9)...)}, Turns: 2, Quiet: true,
	})
	if took := time.Since(began); status != 0 || !strings.Contains(stdout, "2 pairs") || took > 30*time.Second {
		t.Errorf("status %d after %v, %q; %s", status, took, stderr, stdout)
	}
	checkEnded(t, pids, 2)
}

// checkEnded waits until the processes have ended whose numbers are in a file.
func checkEnded(t *testing.T, path string, want int) {
	t.Helper()
	said, err := os.ReadFile(path)
	all := strings.Fields(string(said))
	if err != nil || len(all) != want {
		t.Fatalf("processes %q, %v", all, err)
	}
	for _, pid := range all {
		for gone := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			stat, err := os.ReadFile("/proc/" + pid + "/stat")
			if err != nil || strings.Contains(string(stat), ") Z ") {
				break
			}
			if time.Now().After(gone) {
				t.Fatalf("process %s lives on", pid)
			}
		}
	}
}

// Of the messages of a launch that failed, what any launcher writes after a failure is left out.
func TestMessagesOfLaunchersAreLeftOut(t *testing.T) {
	dashes, equals := strings.Repeat("-", 74), strings.Repeat("=", 80)
	for said, want := range map[string]string{
		"h5perf: no space\n" + dashes + "\nPrimary job  terminated\n" + dashes + "\n" + dashes +
			"\nmpiexec detected\n" + dashes + "\n": ": exit status 3: h5perf: no space\n",
		"h5perf: no space\n\n" + equals + "\n=   BAD TERMINATION\n" + equals + "\nlast": "h5perf: no space; last\n",
		dashes + "\nThere are not enough slots\n" + dashes + "\n":                       "There are not enough slots",
	} {
		script := filepath.Join(t.TempDir(), "script")
		if err := os.WriteFile(script, []byte("cat >&2 <<'end'\n"+said+"\nend\nexit 3\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, stderr := launchesOf(command.Launches{
			Commands: [2]string{"sh " + script, "sh " + script}, Turns: 1, Quiet: true,
		})
		if !strings.Contains(stderr, want) {
			t.Errorf("no %q in %q", want, stderr)
		}
	}
}
