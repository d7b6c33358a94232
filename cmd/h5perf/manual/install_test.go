//go:build install

package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// said returns what a program prints to both streams. The program must succeed.
func said(t *testing.T, name string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Fatalf("%v: run .ci/setup install", err)
	}
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "MANPAGER=cat")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestManualPagesAreClean(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(written(t), "share/man/man1/*.1"))
	if err != nil || len(pages) < 10 {
		t.Fatalf("pages %v: %v", pages, err)
	}
	for _, page := range pages {
		if out := said(t, "mandoc", "-T", "lint", "-W", "warning", page); out != "" {
			t.Errorf("mandoc: %s", out)
		}
		out := said(t, "man", "--warnings", "-P", "cat", "-l", page)
		if strings.Contains(out, "warning:") || !strings.Contains(out, "SYNOPSIS") {
			t.Errorf("man %s:\n%.400s", filepath.Base(page), out)
		}
	}
}

func TestShellsComplete(t *testing.T) {
	dir := written(t)
	completions := filepath.Join(dir, "share/bash-completion/completions")
	said(t, "shellcheck", "-s", "bash", filepath.Join(completions, "h5perf"),
		filepath.Join(completions, "h5perf_serial"))
	for _, c := range []struct{ line, want string }{
		{"h5perf --driv", "--driver"},
		{"h5perf --driver sub", "subfiling"},
		{"h5perf --sync = ea", "each"},
		{"h5perf rep", "report"},
		{"h5perf report --ht", "--html"},
		{"h5perf serial --multi-m", "--multi-map"},
		{"h5perf_serial --multi-m", "--multi-map"},
		{"h5perf run partic", "particles"},
		{"h5perf workload lis", "list"},
		{"h5perf workload show partic", "particles"},
	} {
		words := strings.Fields(c.line)
		script := `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); "_$1"; echo "${COMPREPLY[@]}"`
		if got := said(t, "bash",
			append([]string{"-c", script, "bash", filepath.Join(completions, words[0])}, words...)...); got != c.want {
			t.Errorf("bash: %s: %q, want %q", c.line, got, c.want)
		}
		if strings.Contains(c.line, "=") {
			continue
		}
		file := filepath.Join(dir, "share/fish/vendor_completions.d", words[0]+".fish")
		got := said(t, "fish", "--no-config", "-c", `source $argv[1]; complete -C $argv[2]`, file, c.line)
		if word, _, _ := strings.Cut(got, "\t"); word != c.want {
			t.Errorf("fish: %s: %q, want %q", c.line, got, c.want)
		}
	}
	// zsh completes only in an interactive shell. The test checks that it loads the file, for both names.
	script := `fpath=($1 $fpath); autoload -Uz compinit; compinit -u -D; ` +
		`print -- $_comps[h5perf] $_comps[h5perf_serial]; autoload +X _h5perf`
	if got := said(t, "zsh", "-f", "-c", script, "zsh",
		filepath.Join(dir, "share/zsh/site-functions")); got != "_h5perf _h5perf" {
		t.Errorf("zsh: %q", got)
	}
}

func TestMakeInstall(t *testing.T) {
	dest := t.TempDir()
	said(t, "make", "-C", "../../..", "install", "FLAVOUR=none", "BIN="+t.TempDir(), "DESTDIR="+dest,
		"PREFIX=/opt/h5perf-1")
	root := filepath.Join(dest, "opt/h5perf-1")
	var files []string
	err := filepath.WalkDir(dest, func(path string, e fs.DirEntry, err error) error {
		if name, _ := filepath.Rel(root, path); !e.IsDir() {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"bin/h5perf", "bin/h5perf_serial", "share/man/man1/h5perf.1", "share/man/man1/h5perf_serial.1",
		"share/modulefiles/h5perf",
		"share/bash-completion/completions/h5perf", "share/zsh/site-functions/_h5perf",
		"share/fish/vendor_completions.d/h5perf.fish",
		"share/h5perf/slurm/job.bash", "share/h5perf/slurm/h5perf.sbatch", "share/h5perf/slurm/acceptance.sbatch",
		"share/h5perf/slurm/h5perf-nightly", "share/h5perf/slurm/systemd/h5perf-nightly.timer",
		"share/h5perf/slurm/reframe/h5perf.py", "share/h5perf/slurm/reframe/README.md",
		"share/doc/h5perf/LICENSE", "share/doc/h5perf/NOTICE", "share/doc/h5perf/README.md",
		"share/doc/h5perf/CHANGELOG.md", "share/doc/h5perf/cmd/h5perf/README.md",
		"share/doc/h5perf/licences/github.com/sbromberger/gompi/LICENSE.md",
		"share/doc/h5perf/licences/github.com/golang/freetype/licenses/ftl.txt",
	} {
		if !slices.Contains(files, name) {
			t.Errorf("%s is not installed", name)
		}
	}
	for _, name := range files {
		if strings.HasPrefix(name, "..") {
			t.Errorf("%s is outside of the prefix", name)
		}
	}
	if got := said(t, filepath.Join(root, "bin/h5perf_serial"), "--version"); !strings.HasPrefix(got, "h5perf ") {
		t.Errorf("version %q", got)
	}
	// The module names the prefix of the installation, not DESTDIR.
	script := `. /usr/share/modules/init/sh; module use "$1"; module load h5perf && ` +
		`echo "$PATH:$MANPATH:$H5PERF_HOME"; module help h5perf`
	got := said(t, "sh", "-c", script, "sh", filepath.Join(root, "share/modulefiles"))
	if !strings.HasPrefix(got, "/opt/h5perf-1/bin:") || !strings.Contains(got, "/opt/h5perf-1/share/man") ||
		!strings.Contains(got, ":/opt/h5perf-1/share/h5perf\n") || !strings.Contains(got, "man h5perf") {
		t.Errorf("module: %s", got)
	}
	// The batch scripts and what submits them name the installation, and find the program through it.
	for _, name := range []string{"nightly.scrontab", "systemd/h5perf-nightly.service"} {
		text, err := os.ReadFile(filepath.Join(root, "share/h5perf/slurm", name))
		if err != nil || strings.Contains(string(text), "/opt/h5perf/") ||
			!strings.Contains(string(text), "/opt/h5perf-1/share/h5perf/slurm/h5perf.sbatch") {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
	if got := said(t, filepath.Join(root, "share/h5perf/bin/h5perf"), "--version"); !strings.HasPrefix(got, "h5perf ") {
		t.Errorf("through the home of the scripts: %q", got)
	}
}
