package plan

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"h5perf/pkg/option"
	"h5perf/pkg/result"
	"h5perf/pkg/usage"
)

// maxCompressRatio is the largest compression ratio that a user can request.
const maxCompressRatio = 1000

// chosenData returns the kind of the written data, and their compression ratio. The ratio is 0 if the user did not
// request one.
func chosenData(given option.DataChoice) (option.DataKind, float64, error) {
	ratio, compressed := strings.CutPrefix(string(given), string(option.DataCompress)+"=")
	if !compressed {
		used := cmp.Or(option.DataKind(given), option.DataPosition)
		if used == option.DataCompress || !slices.Contains(result.ValuesOf[option.DataKind](), used) {
			return "", 0, usage.InvalidWordError("--data", string(given), given.Values())
		}
		return used, 0, nil
	}
	r, err := strconv.ParseFloat(ratio, 64)
	if err != nil || math.IsNaN(r) || r < 1 || r > maxCompressRatio || strings.ContainsAny(ratio, "xXpP_") {
		return "", 0, usage.Errorf(
			"--data %q: the ratio must be a number from 1 (does not shrink) to %d, such as %s=2.5",
			given, maxCompressRatio, option.DataCompress)
	}
	return option.DataCompress, r, nil
}
