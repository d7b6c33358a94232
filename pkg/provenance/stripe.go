package provenance

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"h5perf/pkg/result"
)

// StripeVariable names the tool, lfs or beegfs, that is asked for the striping of a target whose type does not tell, as that
// of a file system which is reached through another one.
const StripeVariable = "H5PERF_STRIPE_TOOL"

// patience is how long the tool may take.
const patience = 20 * time.Second

// striper is a file system that stripes: its type, its tool, the commands that tell how a directory is striped, of which the
// first whose program is there is asked, and what reads the answer.
type striper struct {
	system   result.StripeSystem
	tool     string
	commands []string
	parse    func(answer string) (stripe result.Stripe, found bool)
	set      func(Striping) []string // commands that stripe a directory, of which likewise the first is given
}

var stripers = []striper{
	{result.StripeLustre, "lfs", []string{"lfs getstripe -d"}, lustre, setLustre},
	{
		result.StripeBeeGFS, "beegfs",
		[]string{"beegfs entry info --retro", "beegfs-ctl --getentryinfo"}, beegfs, setBeegfs,
	},
}

// Stripe is how files that are made in the directory of a target are spread over servers, as the file system's own tool says;
// nil where the file system does none, as far as is known. Where the tool does not tell, it has the reason.
func Stripe(t result.Target, getenv func(string) string) *result.Stripe {
	asked := getenv(StripeVariable)
	for _, s := range stripers {
		if string(s.system) == t.Type || s.tool == asked {
			stripe, err := s.ask(t.Directory, patience)
			if err != nil {
				stripe.Error = err.Error()
			}
			stripe.System = s.system
			return &stripe
		}
	}
	if asked != "" {
		return &result.Stripe{Error: fmt.Sprintf("%s=%s: the tools are lfs and beegfs", StripeVariable, asked)}
	}
	return nil
}

// ask asks the tool.
func (s striper) ask(dir string, patience time.Duration) (result.Stripe, error) {
	command, answer, err := first(s.commands, dir, patience)
	if err != nil {
		return result.Stripe{}, err
	}
	stripe, found := s.parse(answer)
	if !found {
		return result.Stripe{}, fmt.Errorf("%s %s: no striping in its answer %q", command, dir, firstLine(answer))
	}
	return stripe, nil
}

// first gives the first of the commands whose program is there, for a directory, and returns its answer.
func first(commands []string, dir string, patience time.Duration) (command, answer string, err error) {
	var missing []string
	for _, command := range commands {
		words := append(strings.Fields(command), dir)
		path, err := exec.LookPath(words[0])
		if err != nil {
			missing = append(missing, err.Error())
			continue
		}
		answer, err := run(path, words[1:], patience)
		if err != nil {
			return command, "", fmt.Errorf("%s %s: %w", command, dir, err)
		}
		return command, answer, nil
	}
	return "", "", errors.New(strings.Join(missing, "; "))
}

// run is what a program prints. It is waited for no longer than that, even where it cannot be killed, as one that waits for a
// server that is gone.
func run(path string, args []string, patience time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var text []byte
	done := make(chan error, 1)
	go func() {
		command := exec.CommandContext(ctx, path, args...)
		command.WaitDelay = time.Second // for what it started itself
		var err error
		text, err = command.Output()
		if failed, ok := errors.AsType[*exec.ExitError](err); ok && len(failed.Stderr) > 0 {
			err = fmt.Errorf("%w: %s", err, firstLine(string(failed.Stderr)))
		}
		done <- err
	}()
	select {
	case err := <-done:
		if ctx.Err() == nil {
			return string(text), err
		}
	case <-ctx.Done():
	}
	return "", fmt.Errorf("no answer within %v", patience)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}
