package output

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal returns both ends of a pseudo terminal with the given number of columns.
func terminal(t *testing.T, columns uint16) (user, program *os.File) {
	t.Helper()
	user, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no pseudo terminals: %v", err)
	}
	t.Cleanup(func() { _ = user.Close() })
	if err := unix.IoctlSetPointerInt(int(user.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(user.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals: %v", err)
	}
	t.Cleanup(func() { _ = program.Close() })
	size := &unix.Winsize{Col: columns, Row: 24}
	if err := unix.IoctlSetWinsize(int(program.Fd()), unix.TIOCSWINSZ, size); err != nil {
		t.Fatal(err)
	}
	return user, program
}

func TestOnlyATerminalHasColour(t *testing.T) {
	_, program := terminal(t, 100)
	_, wide := terminal(t, 200)
	_, unknown := terminal(t, 0)
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	all := []*os.File{program, wide, unknown, file}
	for _, c := range []struct {
		name, value string
		want        []TerminalLook // looks of the terminals and of the file
	}{
		{"TERM", "xterm", []TerminalLook{{100, true}, {100, true}, {80, true}, {80, false}}},
		{"TERM", "dumb", []TerminalLook{{100, false}, {100, false}, {80, false}, {80, false}}},
		{"NO_COLOR", "1", []TerminalLook{{100, false}, {100, false}, {80, false}, {80, false}}},
		{"NO_COLOR", "", []TerminalLook{{100, true}, {100, true}, {80, true}, {80, false}}}, // as no-color.org says
		{"COLUMNS", "60", []TerminalLook{{60, true}, {60, true}, {60, true}, {60, false}}},
		{"COLUMNS", "500", []TerminalLook{{100, true}, {100, true}, {100, true}, {100, false}}},
		{"COLUMNS", "many", []TerminalLook{{100, true}, {100, true}, {80, true}, {80, false}}},
	} {
		t.Run(c.name+"="+c.value, func(t *testing.T) {
			for _, name := range []string{"NO_COLOR", "COLUMNS"} {
				t.Setenv(name, "")
			}
			t.Setenv("TERM", "xterm")
			t.Setenv(c.name, c.value)
			for i, f := range all {
				if got := LookOf(f); got != c.want[i] {
					t.Errorf("%d: %+v, want %+v", i, got, c.want[i])
				}
				if got := LookOf(New("standard output", f)); got != c.want[i] {
					t.Errorf("stream of %d: %+v, want %+v", i, got, c.want[i])
				}
			}
			if got := LookOf(&bytes.Buffer{}); got != c.want[3] {
				t.Errorf("memory: %+v", got)
			}
		})
	}
}

func TestBeginningsOfLinesStandOut(t *testing.T) {
	const text = "ok  all ok\nwarning: w\nh5perf: ok\n"
	all := []StyledPrefix{{"ok", Green}, {"warning:", Yellow}, {"warning", Red}, {"h5perf:", Bold}}
	const want = "\x1b[32mok\x1b[0m  all ok\n\x1b[33mwarning:\x1b[0m w\n\x1b[1mh5perf:\x1b[0m ok\n"
	if got := (TerminalLook{Colour: true}).StylePrefixes(text, all...); got != want {
		t.Errorf("%q", got)
	}
	if got := (TerminalLook{}).StylePrefixes(text, all...) + (TerminalLook{}).StyleText(Red, "x"); got != text+"x" {
		t.Errorf("without colour: %q", got)
	}
}

func TestErrorsStandOutOnATerminal(t *testing.T) {
	for name, value := range map[string]string{"TERM": "xterm", "NO_COLOR": ""} {
		t.Setenv(name, value)
	}
	user, program := terminal(t, 100)
	was := os.Stderr
	os.Stderr = program
	_, stderr := StandardStreams(false)
	_, file := StandardStreams(true)
	os.Stderr = was
	if got := LookOf(file); got != (TerminalLook{Width: 80}) {
		t.Errorf("of a terminal that is as a file: %+v", got)
	}
	for text, want := range map[string]string{
		"h5perf: no\n":          "\x1b[31mh5perf:\x1b[0m no\r\n",
		"h5perf: Caution: no\n": "\x1b[33mh5perf: Caution: \x1b[0mno\r\n",
		"h5perf: Note: no\n":    "\x1b[1mh5perf: Note: \x1b[0mno\r\n",
		"any: h5perf: text\n":   "any: h5perf: text\r\n",
	} {
		if n, err := file.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		plain := strings.ReplaceAll(text, "\n", "\r\n")
		same := make([]byte, len(plain))
		if _, err := io.ReadFull(user, same); err != nil || string(same) != plain {
			t.Errorf("as a file: %q, %v, want %q", same, err, plain)
		}
		if n, err := stderr.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		got := make([]byte, len(want))
		if _, err := io.ReadFull(user, got); err != nil || string(got) != want {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
}
