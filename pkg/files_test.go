package pkg_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// largestFile is the number of bytes that a file of the repository may have without a reason.
const largestFile = 200_000

// largeFiles has the reason for each larger file.
var largeFiles = map[string]string{}

// binaryForms are the first bytes of executables and archives of compiled code: ELF, Mach-O, Windows, ar.
var binaryForms = []string{
	"\x7fELF", "\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe", "\xfe\xed\xfa\xcf", "\xfe\xed\xfa\xce", "\xca\xfe\xba\xbe", "MZ",
	"!<arch>\n",
}

// unwantedFile returns why a file with this path and content must not be in the repository, or "".
func unwantedFile(path string, content []byte) string {
	for _, form := range binaryForms {
		if bytes.HasPrefix(content, []byte(form)) {
			return "is a compiled program"
		}
	}
	if len(content) > largestFile && largeFiles[path] == "" {
		return "is larger than 200 KB, and largeFiles has no reason for it"
	}
	return ""
}

// The repository has sources only: no compiled programs, and no large files without a reason.
func TestTheRepositoryHasSourcesOnly(t *testing.T) {
	out, err := exec.Command("git", "-C", "..", "ls-files", "-z").Output()
	if err != nil {
		t.Skip("no repository: ", err)
	}
	tracked := map[string]bool{}
	for path := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		tracked[path] = true
		content, err := os.ReadFile(filepath.Join("..", path))
		if os.IsNotExist(err) {
			continue // removed, and not yet committed
		}
		if err != nil {
			t.Error(err)
			continue
		}
		if why := unwantedFile(path, content); why != "" {
			t.Errorf("%s %s", path, why)
		}
	}
	for path := range largeFiles {
		if !tracked[path] {
			t.Errorf("largeFiles names %s, which is not in the repository", path)
		}
	}
}

func TestCompiledProgramsAndLargeFilesAreUnwanted(t *testing.T) {
	program, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if unwantedFile("a", program) == "" {
		t.Error("a compiled program is accepted")
	}
	if unwantedFile("a", make([]byte, largestFile+1)) == "" {
		t.Error("a large file is accepted")
	}
	if why := unwantedFile("a", []byte("package a\n")); why != "" {
		t.Errorf("a source %s", why)
	}
}
