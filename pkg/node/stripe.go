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

// StripeVariable is an environment variable with the tool that reports the striping of a target: lfs or beegfs. It is
// needed if Lustre or BeeGFS is reached through another file system, so that the type of the target does not show it.
const StripeVariable = "H5PERF_STRIPE_TOOL"

// toolTimeout is the time limit for the tool.
const toolTimeout = 20 * time.Second

// stripeTool describes the commands that show and set striping on one type of file system. Of the commands in
// showCommands, and of those that setCommands returns, only the first whose program is installed is run.
type stripeTool struct {
	system       result.StripeSystem // the type of the file system
	tool         string              // name of its tool in StripeVariable
	showCommands []string            // commands that print the striping of a directory
	parse        func(answer string) (stripe result.Stripe, found bool)
	setCommands  func(Striping) []string // commands that set the striping of a directory
}

var stripeTools = []stripeTool{
	{result.StripeLustre, "lfs", []string{"lfs getstripe -d"}, parseLustre, lustreCommands},
	{
		result.StripeBeeGFS, "beegfs",
		[]string{"beegfs entry info --retro", "beegfs-ctl --getentryinfo"},
		parseBeegfs, beegfsCommands,
	},
}

// FindStriping returns the striping that new files in the directory of t get, as the file system's own tool reports it.
// If the tool fails, the result holds the reason. FindStriping returns nil for types of file systems other than Lustre
// and BeeGFS.
func FindStriping(t result.Target, getenv func(string) string) *result.Stripe {
	asked := getenv(StripeVariable)
	for _, s := range stripeTools {
		if string(s.system) == t.Type || s.tool == asked {
			stripe, err := s.queryStriping(t.Directory, toolTimeout)
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

// queryStriping runs the tool for a directory and parses its output.
func (s stripeTool) queryStriping(dir string, patience time.Duration) (result.Stripe, error) {
	command, answer, err := runFirstInstalled(s.showCommands, dir, patience)
	if err != nil {
		return result.Stripe{}, err
	}
	stripe, found := s.parse(answer)
	if !found {
		return result.Stripe{}, fmt.Errorf("%s %s: the output has no striping: %q", command, dir, firstLine(answer))
	}
	return stripe, nil
}

// runFirstInstalled runs the first command whose program is installed, with dir as its last argument. It returns the
// command and its output.
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

// runWithTimeout runs a program and returns its output. It returns an error after the time limit patience, even if the
// program cannot be killed because it waits for a server.
func runWithTimeout(path string, args []string, patience time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var text []byte
	done := make(chan error, 1)
	go func() {
		command := exec.CommandContext(ctx, path, args...)
		command.WaitDelay = time.Second // for child processes of the program
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
