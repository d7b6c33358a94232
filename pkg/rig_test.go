package pkg_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// gate is a repository with the scripts of the gate, a Makefile whose targets do nothing, and one rig.
type gate struct {
	t   *testing.T
	dir string
}

// newGate returns a gate whose rig has not been proved.
func newGate(t *testing.T) gate {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	g := gate{t, t.TempDir()}
	for _, name := range []string{"run", "rig", "setup"} {
		content, err := os.ReadFile("../.ci/" + name)
		if err != nil {
			t.Fatal(err)
		}
		g.write(".ci/"+name, string(content))
	}
	g.write(".ci/rigs", "# name, lane, file\nwheel 1 wheel/proves\n")
	g.write(".ci/proofs", "")
	g.write("wheel/proves", "# What the wheel proves.\n"+
		"run: make turn\nkinds: none\nmake: turn SPOKES\ntakes: 20\nwheel/hub\n")
	g.write("wheel/hub", "steel\n")
	g.write("wheel/paint", "red\n")
	g.write("Makefile", "SPOKES := 32\nCOLOUR := red\n\n"+
		"demo test test-pages test-install test-readme lint fuzz test-scale race: paint ## nothing\n\n"+
		"turn: ## turn the wheel\n\t@test ! -e broken && echo turned >>turns\n\npaint:\n\t@echo $(COLOUR)\n")
	g.write(".gitignore", "/turns\n/broken\n")
	g.command("git", "init", "--quiet")
	g.commit()
	return g
}

// write writes a file below the repository.
func (g gate) write(path, content string) {
	g.t.Helper()
	path = filepath.Join(g.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		g.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
		g.t.Fatal(err)
	}
}

// try runs a program in the repository with variables of the environment, and returns what it prints.
func (g gate) try(environment []string, name string, args ...string) (string, error) {
	g.t.Helper()
	c := exec.Command(name, args...)
	c.Dir = g.dir
	c.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + g.dir, "TMPDIR=" + g.t.TempDir(), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a",
	}, environment...)
	out, err := c.CombinedOutput()
	return string(out), err
}

// command is try for programs that must not fail.
func (g gate) command(name string, args ...string) string {
	g.t.Helper()
	out, err := g.try(nil, name, args...)
	if err != nil {
		g.t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return out
}

// commit commits all files.
func (g gate) commit() {
	g.t.Helper()
	g.command("git", "add", "--all")
	g.command("git", "commit", "--quiet", "--allow-empty", "--message", "a")
}

// turns returns how often the rig ran.
func (g gate) turns() int {
	content, _ := os.ReadFile(filepath.Join(g.dir, "turns"))
	return strings.Count(string(content), "turned")
}

func TestTheGateRunsARigThatIsNotProved(t *testing.T) {
	g := newGate(t)
	out := g.command(".ci/run")
	if g.turns() != 1 {
		t.Errorf("the rig ran %d times, want 1:\n%s", g.turns(), out)
	}
}

func TestTheGateFailsWithoutTimeForARigThatIsNotProved(t *testing.T) {
	g := newGate(t)
	out, err := g.try([]string{"GATE_SECONDS=19"}, ".ci/run")
	if err == nil || g.turns() != 0 || !regexp.MustCompile(`wheel +0 s +FAILED: not proved`).MatchString(out) {
		t.Errorf("error %v, the rig ran %d times:\n%s", err, g.turns(), out)
	}
}

func TestTheGateFailsWithARig(t *testing.T) {
	g := newGate(t)
	g.write("broken", "")
	if out, err := g.try(nil, ".ci/run"); err == nil {
		t.Errorf("no error:\n%s", out)
	}
	if out, err := g.try(nil, ".ci/rig", "prove", "wheel"); err == nil {
		t.Errorf("proved:\n%s", out)
	}
	if proofs := g.command("cat", ".ci/proofs"); proofs != "" {
		t.Errorf("proofs: %q", proofs)
	}
}

func TestARigIsProvedUntilItsSourcesChange(t *testing.T) {
	g := newGate(t)
	g.command(".ci/rig", "prove", "wheel")
	line := regexp.MustCompile(`^wheel [0-9a-f]{16} \d{4}-\d\d-\d\d\n$`)
	if proofs := g.command("cat", ".ci/proofs"); !line.MatchString(proofs) {
		t.Errorf("proofs: %q", proofs)
	}
	g.commit()
	change := func(path, old, replacement string) {
		t.Helper()
		content := g.command("cat", path)
		if !strings.Contains(content, old) {
			t.Fatalf("%s has no %q", path, old)
		}
		g.write(path, strings.Replace(content, old, replacement, 1))
		g.commit()
	}
	proved := func() bool { _, err := g.try(nil, ".ci/rig", "proved", "wheel"); return err == nil }
	for _, c := range []struct {
		path, old, replacement string
		proved                 bool
	}{
		{"wheel/paint", "red", "blue", true},
		{"Makefile", "COLOUR := red", "COLOUR := blue", true},
		{"Makefile", "echo $(COLOUR)", "echo painted $(COLOUR)", true},
		{"wheel/hub", "steel", "wood", false},
		{"Makefile", "echo turned", "echo really turned", false},
		{"Makefile", "SPOKES := 32", "SPOKES := 36", false},
		{".ci/setup", "none) echo ca-certificates make", "none) echo ca-certificates make wheel", false},
	} {
		change(c.path, c.old, c.replacement)
		if proved() != c.proved {
			t.Errorf("%s: %q to %q: proved %v, want %v", c.path, c.old, c.replacement, !c.proved, c.proved)
		}
		change(c.path, c.replacement, c.old)
		if !proved() {
			t.Errorf("%s changed back: not proved", c.path)
		}
	}
	g.command(".ci/run")
	if g.turns() != 1 {
		t.Errorf("the rig ran %d times, want only once, to prove it", g.turns())
	}
}

func TestARigIsProvedOnlyWithoutChanges(t *testing.T) {
	g := newGate(t)
	g.write("wheel/hub", "wood\n")
	for _, action := range []string{"prove", "proved", "hash"} {
		if out, err := g.try(nil, ".ci/rig", action, "wheel"); err == nil || g.turns() != 0 {
			t.Errorf("%s with a change that is not committed: %s", action, out)
		}
	}
}

// Each rig of the repository has a hash, a command and a time, and each list of what a rig proves belongs to a rig.
func TestEachRigIsListed(t *testing.T) {
	listed, err := os.ReadFile("../.ci/rigs")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for line := range strings.Lines(string(listed)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		if len(words) != 3 || !strings.Contains("0 1 2", words[1]) {
			t.Errorf("line of .ci/rigs: %q, want name, lane and file", line)
			continue
		}
		files = append(files, words[2])
		content, err := os.ReadFile("../" + words[2])
		if err != nil {
			t.Error(err)
			continue
		}
		for _, field := range []string{"run", "kinds", "make", "takes"} {
			if !regexp.MustCompile(`(?m)^` + field + `: .`).Match(content) {
				t.Errorf("%s has no line '%s:'", words[2], field)
			}
		}
	}
	out, err := exec.Command("git", "-C", "..", "ls-files", "*proves").Output()
	if err != nil {
		t.Skip("no repository: ", err)
	}
	found := strings.Fields(string(out))
	slices.Sort(files)
	slices.Sort(found)
	if !slices.Equal(files, found) {
		t.Errorf(".ci/rigs names %q, the repository has %q", files, found)
	}
	for line := range strings.Lines(string(listed)) {
		if words := strings.Fields(line); !strings.HasPrefix(line, "#") {
			if out, err := exec.Command("../.ci/rig", "hash", words[0]).CombinedOutput(); err != nil &&
				!strings.Contains(string(out), "commit these first") {
				t.Errorf("%s: %s", words[0], out)
			}
		}
	}
}
