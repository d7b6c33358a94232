package pkg_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Two rigs that run side by side install at once. apt fails where another one works.
func TestSetupInstallsOneAfterAnother(t *testing.T) {
	dir := t.TempDir()
	script, err := os.ReadFile("../.ci/setup")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"clone/.ci/setup": string(script),
		"bin/sudo":        "#!/bin/sh\nexec \"$@\"\n",
		"bin/dpkg-query":  "#!/bin/sh\nexit 1\n",
		// The mark of an installation is there until it ends. One that finds the mark of another says so.
		"bin/apt-get": "#!/bin/sh\nmkdir \"$MARK\" || echo \"$1 beside another\" >>\"$MARK.log\"\nsleep 0.1\n" +
			"rmdir \"$MARK\"\necho \"$1\" >>\"$MARK.log\"\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	mark := filepath.Join(dir, "mark")
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			c := exec.Command(filepath.Join(dir, "clone/.ci/setup"), "lint")
			c.Env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "MARK="+mark)
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("setup: %v: %s", err, out)
			}
		})
	}
	both.Wait()
	log, err := os.ReadFile(mark + ".log")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(string(log)); strings.Join(got, " ") != "update install update install" {
		t.Errorf("apt-get was called so: %q, want one setup after the other", got)
	}
}
