package metrics

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/stats"
)

// TrendPart is the value of the label part for the metrics of a trend. The metrics of a run do not have this label.
const TrendPart = "trend"

// groupLabels are the labels that identify a group of series. Without operation, it is all series of a run; with
// operation, the series of this operation (cache is empty or warm); with api too, those of this operation and API.
var groupLabels = []string{"operation", "cache", "api"}

// Metric families of a trend. A family of points describes the series that the last run belongs to.
var (
	trendLast = newFamily("trend_last_run_timestamp_seconds",
		"Time at which the last run in the trend ended. Later runs are not judged yet.")
	trendPoint = newTrendFamilies("trend_", "Throughput", "the point", pointLabelNames())
	trendClass = newTrendFamilies("trend_class_", "Objects per second", "the class of steps of the point",
		pointLabelNames("class"))
	trendGroup = newTrendFamilies("trend_group_", "Value", "the group of series", groupLabels)

	trendReference = newFamily("trend_reference_bytes_per_second",
		"Throughput of the point in the runs of the reference: the median of those of its runs.", pointLabelNames()...)
	trendClassReference = newFamily("trend_class_reference_objects_per_second",
		"Objects per second of the class of steps of the point in the runs of the reference: the median of those of "+
			"its runs.", pointLabelNames("class")...)
	trendChange = newFamily("trend_change_timestamp_seconds",
		"Start of the first run of a change (document), for each change that was found. kind: lasting or, for a "+
			"change of at most five runs, incident; of: what changed; change: by how much; differs: other differences "+
			"between this run and the run before it, in words. A change of a group is not repeated for those of its "+
			"parts that changed about as much. Of the incidents that are over, there are only the last "+
			strconv.Itoa(maxPastIncidents)+" of a cluster, file system and label.",
		"kind", "of", "change", "differs", "document")

	trendNow = newFamily("trend_now_ratio",
		"Throughput, or objects per second of a class of steps, divided by an earlier value, as the first picture of "+
			"a page shows it: the worst fall or, if nothing fell, the newest run. compared: the earlier value; since: "+
			"when the fall began, and by how much; changed: what else changed then. Absent if there is nothing to "+
			"compare with.",
		"compared", "since", "changed")

	trendNewest = newFamily("trend_newest_run_ratio",
		"Value of all points of the newest run together, divided by that of the runs before it or of the reference, "+
			"if only the newest run fell, by 40 % or more. Absent otherwise.")

	referenceSet = newFamily("trend_reference_timestamp_seconds",
		"Time at which the reference was set. Absent if there is no reference.")
	referenceInfo = newFamily("trend_reference_info", "Who set the reference (by), and why (note). Always 1.",
		"by", "note")
)

// trendFamilySet holds the metric families that exist both for points and for groups of series.
type trendFamilySet struct {
	runs, shift, since, incident, incidentSince, detectable, needed, reference *prometheus.Desc
}

// newTrendFamilies returns metric families whose names begin with prefix. value and of are what their help texts
// describe, such as "Throughput" of "the point". Values of a group are throughputs and objects per second.
func newTrendFamilies(prefix, value, of string, labels []string) trendFamilySet {
	more := append(append([]string{}, labels...), "statistic")
	return trendFamilySet{
		runs: newFamily(prefix+"runs", "Number of runs of "+of+" that the trend judges together.", labels...),
		shift: newFamily(prefix+"shift_ratio", value+" of "+of+" after its last lasting change, divided by the "+
			"value before it. Absent if no change was found.", labels...),
		since: newFamily(prefix+"shift_timestamp_seconds",
			"Start of the first run after the last lasting change of "+of+".", labels...),
		incident: newFamily(prefix+"incident_ratio", value+" of "+of+" in its ongoing incident, divided by the "+
			"value before it. An incident is a change of at most five runs; an ongoing one includes the newest "+
			"run. Absent if there is none.", labels...),
		incidentSince: newFamily(prefix+"incident_timestamp_seconds",
			"Start of the first run of the ongoing incident of "+of+".", labels...),
		detectable: newFamily(prefix+"visible_ratio",
			"The smallest lasting fall of "+of+" that the trend can detect, as "+
				"the value after the fall divided by the value before it. Absent if there are too few runs.",
			labels...),
		needed: newFamily(prefix+"runs_needed",
			"If a lasting fall of 20 % begins with the next run, the trend detects "+
				"it after this number of runs.", labels...),
		reference: newFamily(prefix+"reference_ratio",
			value+" of "+of+" in the latest runs, divided by that of the reference. statistic: ratio; lower and "+
				"upper end of its interval. The intervals are corrected for their number: the probability that all of "+
				"them are right is "+fmt.Sprintf("%g %%", 100*stats.Level)+". The value stays until the reference is "+
				"set again.", more...),
	}
}

// TrendLastRun is a trend, and the last run in it for one GroupingKey.
type TrendLastRun struct {
	Last  result.Document
	Trend history.Trend
}

// TrendRegistry returns a registry with the metrics of the trend. It returns an error if the last run has not ended.
func TrendRegistry(j TrendLastRun) (*prometheus.Registry, error) {
	c, err := j.collectTrendMetrics()
	if err != nil {
		return nil, err
	}
	r := prometheus.NewPedanticRegistry()
	return r, r.Register(c)
}

// collectTrendMetrics makes the metrics for TrendRegistry.
func (j TrendLastRun) collectTrendMetrics() (*metricCollection, error) {
	if j.Last.Finished == nil {
		return nil, fmt.Errorf("run %s has not ended: the state of its document is %s", j.Last.RunID, j.Last.State)
	}
	c := &metricCollection{}
	c.addGauge(trendLast, unixSeconds(*j.Last.Finished))
	series, tree := map[history.Place]history.Series{}, "" // those of the last run
	for _, s := range j.Trend.Series {
		if s.Identity == j.Last.Identity && s.Runs[len(s.Runs)-1].RunID == j.Last.RunID {
			series[s.Place], tree = s, s.Group
		}
	}
	run := figures.Run{Document: j.Last}
	for _, p := range run.Points() {
		for _, row := range figures.Rows {
			place := history.PlaceOf(j.Last.Parameters, p.Case, p.Operation)
			place.Class = row.RatedClass
			s, there := series[place]
			if !there || !row.IsCompared() {
				continue
			}
			of, reference, labels := trendPoint, trendReference, pointLabelValues(p)
			if row.RatedClass != "" {
				of, reference, labels = trendClass, trendClassReference, pointLabelValues(p, string(row.RatedClass))
			}
			c.addTrendResult(of, len(s.Runs), s.Findings, s.Power, s.Reference, labels...)
			if level, ok := j.referenceLevel(s); ok {
				c.addGauge(reference, level, labels...)
			}
		}
	}
	for _, g := range j.Trend.Groups {
		if g.Identity != j.Last.Identity || g.ID != tree && !strings.HasPrefix(g.ID, tree+"/") {
			continue
		}
		cache := ""
		if g.PageCache == history.WarmCache {
			cache = g.PageCache
		}
		c.addTrendResult(trendGroup, g.Runs, g.Findings, g.Power, g.Reference, string(g.Operation), cache, g.API)
	}
	j.addSummary(c, tree)
	exported := map[string]bool{} // series whose transfer sizes differ very little can have equal labels
	for _, d := range j.exportedChanges() {
		kind, change := "lasting", d.Found
		if change.Incident != nil {
			kind = "incident"
		}
		differs := cmp.Or(cutText(history.ConditionChangesText(change.Differs, true)), "nothing recorded")
		labels := []string{
			kind, d.ScopeText(), fmt.Sprintf("%+.0f %%", 100*(change.Ratio-1)), differs,
			documentPath(d.Identity, change.RunID),
		}
		if key := strings.Join(labels, "\n"); !exported[key] {
			exported[key] = true
			c.addGauge(trendChange, unixSeconds(change.Since), labels...)
		}
	}
	for _, r := range j.Trend.References {
		if r.Identity == j.Last.Identity {
			c.addGauge(referenceSet, unixSeconds(r.Time))
			c.addGauge(referenceInfo, 1, r.Author, r.Note)
		}
	}
	if c.err != nil {
		return nil, fmt.Errorf("metrics of the trend of %s: %w", GroupingKey{j.Last.Identity}, c.err)
	}
	return c, nil
}

// addSummary adds the summary of the timeline of the last run. group is the ID of the group of all its series.
func (j TrendLastRun) addSummary(c *metricCollection, group string) {
	i := slices.IndexFunc(j.Trend.Timelines, func(t history.Timeline) bool { return t.Group == group })
	if i < 0 {
		return
	}
	line := j.Trend.Timelines[i]
	falls := slices.DeleteFunc(j.Trend.DistinctFalls(1), func(d history.Distinct[history.Fall]) bool {
		return !d.BelongsTo(line)
	})
	var newest *history.RunPosition
	if i := slices.IndexFunc(j.Trend.Newest, func(p history.RunPosition) bool {
		return p.Identity == j.Last.Identity && p.RunID == j.Last.RunID
	}); i >= 0 {
		newest = &j.Trend.Newest[i]
	}
	for _, d := range falls {
		if d.Found.Newest != nil {
			c.addGauge(trendNewest, d.Found.Ratio)
		}
	}
	s := history.Summarize(line.ChangesOf(j.Trend.DistinctChanges()), falls, newest)
	if s.Compared == "" {
		return
	}
	c.addGauge(trendNow, s.Ratio, s.Compared, s.Since, cutText(s.Changed))
}

// maxPastIncidents is the maximum number of incidents of an identity that are over and that are exported.
const maxPastIncidents = 20

// exportedChanges returns the distinct changes of the identity of the last run, without those incidents that are over
// and older than the last maxPastIncidents.
func (j TrendLastRun) exportedChanges() (exported []history.Distinct[history.FoundChange]) {
	var past []history.Distinct[history.FoundChange]
	for _, d := range j.Trend.DistinctChanges() {
		switch i := d.Found.Incident; {
		case d.Identity != j.Last.Identity:
		case i != nil && !i.Ongoing:
			past = append(past, d)
		default:
			exported = append(exported, d)
		}
	}
	slices.SortStableFunc(past, func(a, b history.Distinct[history.FoundChange]) int {
		return b.Found.Since.Compare(a.Found.Since)
	})
	return append(exported, past[:min(len(past), maxPastIncidents)]...)
}

// addTrendResult adds what the trend found for one series or one group of series.
func (c *metricCollection) addTrendResult(
	of trendFamilySet, runs int, found history.Findings, power history.Power, d *history.ReferenceComparison,
	labels ...string,
) {
	c.addGauge(of.runs, float64(runs), labels...)
	if n := len(found.ChangePoints); n > 0 {
		c.addGauge(of.shift, found.ChangePoints[n-1].Ratio, labels...)
		c.addGauge(of.since, unixSeconds(found.ChangePoints[n-1].Since), labels...)
	}
	if i := found.OngoingIncident(); i != nil {
		c.addGauge(of.incident, i.Ratio, labels...)
		c.addGauge(of.incidentSince, unixSeconds(i.Since), labels...)
	}
	if power.DetectableRatio != nil {
		c.addGauge(of.detectable, *power.DetectableRatio, labels...)
	}
	if power.RunsNeeded != nil {
		c.addGauge(of.needed, float64(*power.RunsNeeded), labels...)
	}
	if d == nil {
		return
	}
	with := func(statistic string) []string { return append(append([]string{}, labels...), statistic) }
	c.addGauge(of.reference, d.Ratio, with("ratio")...)
	if d.Low != nil && d.High != nil {
		c.addGauge(of.reference, *d.Low, with("lower")...)
		c.addGauge(of.reference, *d.High, with("upper")...)
	}
}

// referenceLevel returns the value of a series in the runs of its reference. ok is false if the series contains
// none of these runs.
func (j TrendLastRun) referenceLevel(s history.Series) (level float64, ok bool) {
	for _, r := range j.Trend.References {
		if level, ok := s.ReferenceLevel(r); ok {
			return level, true
		}
	}
	return 0, false
}

// cutText returns the first 200 runes of a text.
func cutText(text string) string {
	const longest = 200
	if all := []rune(text); len(all) > longest {
		return string(all[:longest-1]) + "…"
	}
	return text
}

// unixSeconds returns a time in seconds since 1970, as Prometheus expects it, rounded down to milliseconds.
func unixSeconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
