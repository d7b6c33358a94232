package node

import (
	"regexp"
	"strconv"
	"strings"

	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// lustreField matches one field in the output of lfs getstripe. A line may have several fields, or one (--yaml). Names
// of fields of files begin with lmm_.
var lustreField = regexp.MustCompile(`(?m)(?:^|\s)(?:lmm_)?` +
	`(lcme_extent\.e_start|lcme_extent\.e_end|stripe_count|stripe_size|pattern|stripe_offset|pool):[ \t]+(\S+)`)

// parseLustre parses the output of lfs getstripe for a directory: one layout, or the components of a layout. A number
// that cannot be parsed, such as the end EOF, becomes 0, as if it were missing. found is false if the output contains
// none of the fields that the parser knows.
func parseLustre(answer string) (stripe result.Stripe, found bool) {
	all := make([]result.StripeComponent, 1) // the first one is for fields outside of components
	for _, m := range lustreField.FindAllStringSubmatch(answer, -1) {
		found = true
		value := m[2]
		number, _ := strconv.Atoi(value)
		size, _ := strconv.ParseUint(value, 10, 64)
		c := &all[len(all)-1]
		switch m[1] {
		case "lcme_extent.e_start":
			all = append(all, result.StripeComponent{StartBytes: size})
		case "lcme_extent.e_end":
			c.EndBytes = size
		case "stripe_count":
			c.Count = number
		case "stripe_size":
			c.SizeBytes = size
		case "pattern":
			c.Pattern = value
		case "stripe_offset":
			c.StartIndex = &number
		case "pool":
			c.Pool = value
		}
	}
	if len(all) > 1 {
		return result.Stripe{Components: all[1:]}, found
	}
	c := all[0]
	return result.Stripe{
		Count: c.Count, SizeBytes: c.SizeBytes, Pattern: c.Pattern, StartIndex: c.StartIndex, Pool: c.Pool,
	}, found
}

// parseBeegfs parses the output of beegfs-ctl --getentryinfo for a directory, or of its successor with --retro.
func parseBeegfs(answer string) (stripe result.Stripe, found bool) {
	for line := range strings.Lines(answer) {
		key, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "+ "), ":")
		value = strings.Join(strings.Fields(value), " ")
		switch key {
		case "Type":
			stripe.Pattern = value
		case "Chunksize":
			stripe.SizeBytes, _ = units.ParseSize(value)
			found = true
		case "Number of storage targets": // for files the actual number is printed too
			desired, _, _ := strings.Cut(strings.TrimPrefix(value, "desired: "), ";")
			stripe.Count, _ = strconv.Atoi(desired)
			found = true
		case "Storage Pool":
			stripe.Pool = value
		}
	}
	return stripe, found
}
