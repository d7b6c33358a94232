package pkg_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// sources is a copy of .ci/version with nothing around it, in a repository or not.
type sources struct {
	t   *testing.T
	dir string
}

// copied returns a copy of .ci/version below dir.
func copied(t *testing.T, dir string) sources {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(dir, ".ci"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"version", ".gitattributes"} {
		content, err := os.ReadFile("../.ci/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".ci", name), content, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return sources{t, dir}
}

// said returns what a program prints that is run in the sources. No setting of the machine counts.
func (s sources) said(name string, args ...string) string {
	s.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = s.dir
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + s.dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a", "GIT_AUTHOR_DATE=@1790000000 +0000",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a", "GIT_COMMITTER_DATE=@1790000000 +0000",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// want checks the version.
func (s sources) want(when, pattern string) {
	s.t.Helper()
	if got := s.said(".ci/version"); !regexp.MustCompile("^" + pattern + "$").MatchString(got) {
		s.t.Errorf("%s: version %q, want %s", when, got, pattern)
	}
}

// commit adds a commit with all files.
func (s sources) commit() {
	s.t.Helper()
	s.said("git", "add", "--all")
	s.said("git", "commit", "--quiet", "--allow-empty", "--message", "a")
}

// repository is a copy in a repository of its own with one commit.
func repository(t *testing.T) sources {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	s := copied(t, t.TempDir())
	s.said("git", "init", "--quiet")
	s.commit()
	return s
}

const (
	development = `0\.1\.0-dev`
	hash        = `\+g[0-9a-f]{12}`
)

func TestTheVersionOfACopyWithoutARepository(t *testing.T) {
	copied(t, t.TempDir()).want("alone", development)
	outer := repository(t)
	outer.said("git", "tag", "v7.0.0")
	inner := copied(t, filepath.Join(outer.dir, "inner"))
	inner.want("in the repository of another", development)
	if got := inner.said(".ci/version", "commit"); got != "unknown" {
		t.Errorf("in the repository of another: commit %q", got)
	}
}

func TestTheVersionOfARepository(t *testing.T) {
	s := repository(t)
	s.want("one commit", development+`\.1`+hash)
	s.commit()
	s.want("two commits", development+`\.2`+hash)
	s.said("git", "tag", "something")
	s.said("git", "tag", "v0.1.0-rc.1")
	s.want("tags that are no release", development+`\.2`+hash)
	s.said("git", "tag", "--annotate", "--message", "a", "v0.1.0")
	s.want("the tag", `0\.1\.0`)
	file := filepath.Join(s.dir, ".ci/.gitattributes")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.want("the tag, and changes", `0\.1\.1-dev\.0`+hash+`\.dirty`)
	if got := s.said(".ci/version", "commit"); got != s.said("git", "rev-parse", "--short=12", "HEAD")+"-dirty" {
		t.Errorf("commit %q", got)
	}
	s.commit()
	s.want("after the tag", `0\.1\.1-dev\.1`+hash)
	s.said("git", "tag", "v0.9.9")
	s.said("git", "tag", "v0.10.0")
	s.want("two tags", `0\.10\.0`)
	s.commit()
	s.want("after a tag of a later release", `0\.10\.1-dev\.1`+hash)
}

func TestTheVersionOfAnArchive(t *testing.T) {
	s := repository(t)
	archived := func() sources {
		unpacked := sources{t, t.TempDir()}
		s.said("git", "archive", "--output", filepath.Join(unpacked.dir, "a.tar"), "HEAD")
		unpacked.said("tar", "-xf", "a.tar")
		return unpacked
	}
	a := archived()
	a.want("before the tag", development+hash)
	if got := a.said(".ci/version", "time"); got != "1790000000" {
		t.Errorf("time %s", got)
	}
	if got := a.said(".ci/version", "commit"); got != s.said("git", "rev-parse", "--short=12", "HEAD") {
		t.Errorf("commit %s", got)
	}
	s.said("git", "branch", "v7.0.0") // no release
	archived().want("of a branch", development+hash)
	s.said("git", "tag", "v0.1.0")
	archived().want("of the tag", `0\.1\.0`)
}

// The first heading of the changelog is that of the next release, or, where the tag is, of this one with its date.
func TestTheChangelogBeginsWithThisRelease(t *testing.T) {
	changelog, err := os.ReadFile("../.github/CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("../.ci/version")
	if err != nil {
		t.Fatal(err)
	}
	release := regexp.MustCompile(`(?m)^release=(.+)$`).FindStringSubmatch(string(script))
	heading := regexp.MustCompile(`(?m)^## \[(.+)\] - (.+)$`).FindStringSubmatch(string(changelog))
	if release == nil || heading == nil || heading[1] != release[1] {
		t.Fatalf("release %q, heading of .github/CHANGELOG.md %q", release, heading)
	}
	out, err := exec.Command("../.ci/version").Output()
	if err != nil {
		t.Fatal(err)
	}
	dated := regexp.MustCompile(`^\d{4}-\d\d-\d\d$`).MatchString(heading[2])
	if version := strings.TrimSpace(string(out)); version == release[1] && !dated {
		t.Errorf("the release %s has no date in .github/CHANGELOG.md: %q", version, heading[0])
	}
}
