package node

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"h5perf/pkg/result"
)

// StripeVariable is the environment variable that names the tool, lfs or beegfs, to be asked for the
// striping of a target whose type does not show it, because its file system is reached through another one.
const StripeVariable = "H5PERF_STRIPE_TOOL"

// toolTimeout is how long the tool may take.
const toolTimeout = 20 * time.Second

// striper is a file system with striping. Of commands and of the result of set, the first one whose program
// is installed is run.
type striper struct {
	system   result.StripeSystem // the type of the file system
	tool     string              // its tool as in StripeVariable
	commands []string            // print the striping of a directory
	parse    func(answer string) (stripe result.Stripe, found bool)
	set      func(Striping) []string // commands that set the striping of a directory
}

var stripers = []striper{
	{result.StripeLustre, "lfs", []string{"lfs getstripe -d"}, parseLustre, lustreCommands},
	{
		result.StripeBeeGFS, "beegfs",
		[]string{"beegfs entry info --retro", "beegfs-ctl --getentryinfo"},
		parseBeegfs, beegfsCommands,
	},
}

// FindStripe returns how files that are created in the directory of a target are spread over servers, according
// to the file system's own tool. If the tool fails, the result holds the reason. Stripe returns nil for a
// file system that is not known to stripe files.
func FindStripe(t result.Target, getenv func(string) string) *result.Stripe {
	asked := getenv(StripeVariable)
	for _, s := range stripers {
		if string(s.system) == t.Type || s.tool == asked {
			stripe, err := s.askForStripe(t.Directory, toolTimeout)
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

// askForStripe runs the tool for a directory and returns what it prints.
func (s striper) askForStripe(dir string, patience time.Duration) (result.Stripe, error) {
	command, answer, err := runFirstInstalled(s.commands, dir, patience)
	if err != nil {
		return result.Stripe{}, err
	}
	stripe, found := s.parse(answer)
	if !found {
		return result.Stripe{}, fmt.Errorf("%s %s: the output has no striping: %q", command, dir, firstLine(answer))
	}
	return stripe, nil
}

// runFirstInstalled runs the first of the commands whose program is installed, for a directory, and returns the command
// and its output.
func runFirstInstalled(commands []string, dir string, patience time.Duration) (command, answer string, err error) {
	var missing []string
	for _, command := range commands {
		words := append(strings.Fields(command), dir)
		path, err := exec.LookPath(words[0])
		if err != nil {
			missing = append(missing, err.Error())
			continue
		}
		answer, err := runWithTimeout(path, words[1:], patience)
		if err != nil {
			return command, "", fmt.Errorf("%s %s: %w", command, dir, err)
		}
		return command, answer, nil
	}
	return "", "", errors.New(strings.Join(missing, "; "))
}

// runWithTimeout runs a program and returns its output. It returns an error after the given time even if the program
// cannot be killed, because it waits for a server that does not answer.
func runWithTimeout(path string, args []string, patience time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var text []byte
	done := make(chan error, 1)
	go func() {
		command := exec.CommandContext(ctx, path, args...)
		command.WaitDelay = time.Second // for processes that it started itself
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

// firstLine returns the first line of a text, without surrounding white space.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}
