package figures_test

import (
	"testing"

	"h5perf/pkg/figures"
	"h5perf/pkg/result"
)

func TestAnEstimateOfThePageCacheHasItsUncertainty(t *testing.T) {
	for _, row := range []struct {
		highest, uncertainty float64
		want                 string
	}{
		{0, 0, "0 %"},
		{1, 0, "100 %"},
		{0.00412, 0, "0.412 %"},
		{0, 0.0000586, "0 ± 0.00586 %"},
		{0.5, 0.25, "50 ± 25 %"},
	} {
		c := result.Cache{MaxResident: row.highest, Uncertainty: row.uncertainty}
		if got := figures.ResidencyText(c); got != row.want {
			t.Errorf("%+v: %q, want %q", c, got, row.want)
		}
	}
}
