package metrics

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// TrendPart is the value of the label part of what a trend says about the last run of a group. What a run says has
// none.
const TrendPart = "trend"

// groupLabels identify a group of series: all of a run if operation is empty, or those of an operation, or of an
// operation and an API.
var groupLabels = []string{"operation", "cache", "api"}

// Families of a trend. Those of a point describe the series that the last run is part of.
var (
	trendLast = family("trend_last_run_timestamp_seconds",
		"Time at which the last run in the trend ended. Later runs are not judged yet.")
	trendPoint = trendFamilies("trend_", "the point", points())
	trendGroup = trendFamilies("trend_group_", "the group of series", groupLabels)

	trendReference = family("trend_reference_bytes_per_second",
		"Throughput of the point in the runs of the reference: the median of those of its runs.", points()...)
	trendChange = family("trend_change_timestamp_seconds",
		"Start of the first run after a lasting change (document), for each change that was found. of: what changed; "+
			"change: by how much; differs: other differences between this run and the run before it, in words. A "+
			"change of a group is not repeated for those of its parts that changed about as much.",
		"of", "change", "differs", "document")

	referenceSet = family("trend_reference_timestamp_seconds",
		"Time at which the reference was set. Absent if there is no reference.")
	referenceInfo = family("trend_reference_info", "Who set the reference (by), and why (note). Always 1.",
		"by", "note")
)

// trendOf holds the families of points, or of groups.
type trendOf struct {
	runs, shift, since, visible, needed, reference *prometheus.Desc
}

// trendFamilies returns the families whose names begin with prefix.
func trendFamilies(prefix, of string, labels []string) trendOf {
	more := append(append([]string{}, labels...), "statistic")
	return trendOf{
		runs: family(prefix+"runs", "Number of runs of "+of+" that the trend judges together.", labels...),
		shift: family(prefix+"shift_ratio", "Throughput of "+of+" after its last lasting change, divided by the "+
			"throughput before it. Absent if no change was found.", labels...),
		since: family(prefix+"shift_timestamp_seconds",
			"Start of the first run after the last lasting change of "+of+".", labels...),
		visible: family(prefix+"visible_ratio", "The smallest lasting fall of "+of+" that the trend can detect, as "+
			"throughput after the fall divided by throughput before it. Absent if there are too few runs.",
			labels...),
		needed: family(prefix+"runs_needed", "If a lasting fall of 20 % begins with the next run, the trend detects "+
			"it after this number of runs.", labels...),
		reference: family(prefix+"reference_ratio",
			"Present throughput of "+of+", divided by the throughput of the reference. statistic: ratio; lower and "+
				"upper end of its interval. The intervals are corrected for their number: the probability that all of "+
				"them are right is "+fmt.Sprintf("%g %%", 100*stats.Level)+". The value stays until the reference is "+
				"set again.", more...),
	}
}

// Judged is the last run of a group that a trend knows, and the trend.
type Judged struct {
	Last  result.Document
	Trend history.Trend
}

// TrendRegistry returns a registry with what a trend says about the last run of a group.
func TrendRegistry(j Judged) (*prometheus.Registry, error) {
	c, err := j.collect()
	if err != nil {
		return nil, err
	}
	r := prometheus.NewPedanticRegistry()
	return r, r.Register(c)
}

// collect makes the metrics of TrendRegistry.
func (j Judged) collect() (*collection, error) {
	if j.Last.Finished == nil {
		return nil, fmt.Errorf("run %s has not ended: the state of its document is %s", j.Last.RunID, j.Last.State)
	}
	c := &collection{}
	c.gauge(trendLast, seconds(*j.Last.Finished))
	series, tree := map[history.Place]history.Series{}, "" // of the last run
	for _, s := range j.Trend.Series {
		if s.Identity == j.Last.Identity && s.Runs[len(s.Runs)-1].RunID == j.Last.RunID {
			series[s.Place], tree = s, s.Group
		}
	}
	run := figures.Run{Document: j.Last}
	for _, p := range run.Points() {
		if p.Missing != "" {
			continue
		}
		if s, there := series[history.PlaceOf(j.Last.Parameters, p.Case, p.Operation)]; there {
			c.judged(trendPoint, len(s.Runs), s.ChangePoints, s.Power, s.Reference, labels(p)...)
			if level, ok := j.reference(s); ok {
				c.gauge(trendReference, level, labels(p)...)
			}
		}
	}
	for _, g := range j.Trend.Groups {
		if g.Identity != j.Last.Identity || g.ID != tree && !strings.HasPrefix(g.ID, tree+"/") {
			continue
		}
		cache := ""
		if g.PageCache == history.Warm {
			cache = g.PageCache
		}
		c.judged(trendGroup, g.Runs, g.ChangePoints, g.Power, g.Reference, string(g.Operation), cache, g.API)
	}
	for _, f := range j.Trend.Findings() {
		if f.Identity == j.Last.Identity {
			c.gauge(trendChange, seconds(f.Since), f.Of(), fmt.Sprintf("%+.0f %%", 100*(f.Ratio-1)),
				differences(f.Differs), document(f.Identity, f.RunID))
		}
	}
	for _, r := range j.Trend.References {
		if r.Identity == j.Last.Identity {
			c.gauge(referenceSet, seconds(r.Time))
			c.gauge(referenceInfo, 1, r.By, r.Note)
		}
	}
	if c.err != nil {
		return nil, fmt.Errorf("metrics of the trend of %s: %w", Group{j.Last.Identity}, c.err)
	}
	return c, nil
}

// judged adds what is said about a series, or a group of them.
func (c *collection) judged(
	of trendOf, runs int, changes []history.ChangePoint, power history.Power, d *history.Distance, labels ...string,
) {
	c.gauge(of.runs, float64(runs), labels...)
	if n := len(changes); n > 0 {
		c.gauge(of.shift, changes[n-1].Ratio, labels...)
		c.gauge(of.since, seconds(changes[n-1].Since), labels...)
	}
	if power.Visible != nil {
		c.gauge(of.visible, *power.Visible, labels...)
	}
	if power.Needed != nil {
		c.gauge(of.needed, float64(*power.Needed), labels...)
	}
	if d == nil {
		return
	}
	with := func(statistic string) []string { return append(append([]string{}, labels...), statistic) }
	c.gauge(of.reference, d.Ratio, with("ratio")...)
	if d.Low != nil && d.High != nil {
		c.gauge(of.reference, *d.Low, with("lower")...)
		c.gauge(of.reference, *d.High, with("upper")...)
	}
}

// reference returns the throughput of a series in the runs of its reference, and whether it has any of them.
func (j Judged) reference(s history.Series) (level float64, ok bool) {
	for _, r := range j.Trend.References {
		if level, _, ok := s.Level(r); ok {
			return level, true
		}
	}
	return 0, false
}

// longestDifferences is the greatest length of the label differs, in runes.
const longestDifferences = 200

// differences returns in words what differs, cut to longestDifferences.
func differences(all []history.Change) string {
	var words []string
	for _, c := range all {
		words = append(words, c.String())
	}
	text := []rune(strings.Join(words, "; "))
	if len(text) > longestDifferences {
		text = append(text[:longestDifferences-1], '…')
	}
	return cmp.Or(string(text), "nothing recorded")
}

// seconds returns a time as Prometheus has it, with milliseconds.
func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
