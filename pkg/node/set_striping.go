package node

import (
	"fmt"
	"strconv"
	"strings"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// Striping describes the striping that the user requests for a directory.
type Striping struct {
	Count     int    // number of targets; on Lustre, -1 means all
	SizeBytes uint64 // size of a stripe; 0 keeps the current size
}

// ParseStriping parses a striping of the form COUNT or COUNT,SIZE.
func ParseStriping(text string) (Striping, error) {
	count, size, sized := strings.Cut(text, ",")
	s := Striping{}
	var err error
	if s.Count, err = strconv.Atoi(count); err != nil || s.Count < -1 || s.Count == 0 {
		return s, fmt.Errorf("%q is not COUNT or COUNT,SIZE: a number of targets, -1 for all, and the size of a "+
			"stripe, such as 4,1M", text)
	}
	if !sized {
		return s, nil
	}
	if s.SizeBytes, err = units.ParseSize(size); err != nil {
		return s, err
	}
	const step = 64 << 10 // granularity of Lustre, and the smallest chunk of BeeGFS
	if s.SizeBytes == 0 || s.SizeBytes%step != 0 {
		return s, fmt.Errorf("%q: the size of a stripe is a multiple of 64K", text)
	}
	return s, nil
}

// Apply sets the striping of a directory on the file system t. The striping affects only files that are created in dir
// afterwards.
func (s Striping) Apply(t result.Target, getenv func(string) string, dir string) error {
	commands, err := s.Commands(t, getenv)
	if err != nil {
		return err
	}
	_, _, err = runFirstInstalled(commands, dir, toolTimeout)
	return err
}

// Commands returns the commands that set the striping of a directory, which follows as their last argument: one for
// each version of the tools of the file system. It returns an error if the file system t has no such striping.
func (s Striping) Commands(t result.Target, getenv func(string) string) ([]string, error) {
	for _, known := range stripeTools {
		if string(known.system) != t.Type && known.tool != getenv(StripeVariable) {
			continue
		}
		if s.Count == -1 && known.system != result.StripeLustre {
			return nil, fmt.Errorf("stripe count -1 (all targets) works only on Lustre; give a number")
		}
		return known.setCommands(s), nil
	}
	return nil, fmt.Errorf("stripes: %s is of type %q, neither Lustre nor BeeGFS; if one of them is mounted through "+
		"another file system, set %s to lfs or beegfs", t.Directory, t.Type, StripeVariable)
}

// lustreCommands returns the lfs command that sets the striping of a directory.
func lustreCommands(s Striping) []string {
	command := "lfs setstripe -c " + strconv.Itoa(s.Count)
	if s.SizeBytes > 0 {
		command += fmt.Sprintf(" -S %d", s.SizeBytes)
	}
	return []string{command}
}

// beegfsCommands returns the commands of BeeGFS 8 and of BeeGFS 7 that set the striping of a directory.
func beegfsCommands(s Striping) []string {
	now, before := fmt.Sprintf("beegfs entry set --num-targets=%d", s.Count),
		fmt.Sprintf("beegfs-ctl --setpattern --numtargets=%d", s.Count)
	if s.SizeBytes > 0 {
		size := fmt.Sprintf(" --chunk-size=%d", s.SizeBytes)
		now += size
		before += strings.Replace(size, "chunk-size", "chunksize", 1)
	}
	return []string{now, before}
}
