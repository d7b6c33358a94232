//go:build readme

package readme

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// limit is how long a block may take.
const limit = 10 * time.Minute

// said returns what a program prints in a directory.
func said(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	return strings.TrimSpace(string(out))
}

// environment is that of this process without what make and a user set for runs, with another home directory.
func environment(t *testing.T, scratch string) []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return slices.ContainsFunc([]string{"OMPI_", "PRTE_", "H5PERF_", "HDF5_", "CGO_", "MAKE", "MFLAGS="},
			func(prefix string) bool { return strings.HasPrefix(entry, prefix) })
	})
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY"} {
		env = append(env, name+"="+said(t, "", "go", "env", name))
	}
	return append(env, "SCRATCH="+scratch, "HOME="+filepath.Join(scratch, "home"))
}

// checkout returns a fresh clone of the last commit, and the paths of its READMEs, that at the top first.
func checkout(t *testing.T) (dir string, readmes []string) {
	dir = filepath.Join(t.TempDir(), "h5perf")
	said(t, "", "git", "clone", "--quiet", "../../..", dir)
	for name := range strings.Lines(said(t, dir, "git", "ls-files")) {
		if name = strings.TrimSpace(name); filepath.Base(name) == "README.md" {
			readmes = append(readmes, name)
		}
	}
	slices.SortStableFunc(readmes, func(a, b string) int {
		return strings.Count(a, "/") - strings.Count(b, "/")
	})
	return dir, readmes
}

// session runs the blocks of a README one after the other. What one exports, and where it goes, holds for the next.
type session struct{ dir, state string }

// run runs a block.
func (s session) run(t *testing.T, env []string, b Block) {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	script := ". \"$STATE\"\n" + b.Text + "\n{ export -p; printf 'cd %q\\n' \"$PWD\"; } >\"$STATE\"\n"
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = s.dir, append(slices.Clip(env), "STATE="+s.state)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	t.Logf("%.1f s: %s", time.Since(start).Seconds(), b.Text)
	if err != nil {
		t.Errorf("%v\n%s\n%s", err, b.Text, out)
	}
}

// Every block of commands of every README works in a fresh clone, unless the file exceptions gives a reason.
func TestEveryCommandOfTheREADMEs(t *testing.T) {
	dir, readmes := checkout(t)
	exceptions, err := os.ReadFile(filepath.Join(dir, "pkg/test/readme/exceptions"))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := Read(string(exceptions))
	if err != nil {
		t.Fatal(err)
	}
	var all []Block
	for _, name := range readmes {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, Blocks(name, string(text))...)
	}
	blocks, err := plan.Apply(all)
	if err != nil {
		t.Fatal(err)
	}
	scratch := t.TempDir()
	for _, name := range []string{"one", "other", "home"} {
		if err := os.Mkdir(filepath.Join(scratch, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	env := environment(t, scratch)
	for _, b := range blocks {
		state := filepath.Join(scratch, strings.ReplaceAll(b.File, "/", "-")+".state")
		file, err := os.OpenFile(state, os.O_CREATE|os.O_RDONLY, 0o600) // empty before the first block
		if err != nil {
			t.Fatal(err)
		}
		_ = file.Close()
		t.Run(b.String(), func(t *testing.T) { session{dir, state}.run(t, env, b) })
	}
}
