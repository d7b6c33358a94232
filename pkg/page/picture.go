package page

import (
	"slices"
	"strings"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
	"h5perf/pkg/result"
	"h5perf/pkg/units"
)

// Content is what a page, or its pictures, show.
type Content struct {
	Runs        []figures.Run // runs that are shown alone, and those of comparisons
	Trend       history.Trend // runs over time
	Comparisons []Comparison
	Writers     []WritersDrawing
	MoreRuns    []RunLink // runs that the page only lists
	Links       Links
	Key         string // identifies what the page is made of; it is in the first HeadBytes of the page
}

// WritersDrawing is a text that draws which ranks write which parts of the datasets of a workload.
type WritersDrawing struct {
	Title string // the workload and the job
	Key   string // explains the characters
	Text  string
}

// HeadBytes is the number of bytes of a page that contain Content.Key.
const HeadBytes = 4096

// RunLink is a link to the page of a run.
type RunLink struct {
	Name, Address string
}

// Links holds the addresses of other pages of a site. The functions return "" if there is no such page. The zero value
// is for a page that stands alone.
type Links struct {
	Index    string                       // address of the page of the whole tree
	Run      func(path string) string     // address of the page of a run, given the path of its document
	Timeline func(pageName string) string // address of the page of a file system
}

// Pictures returns the pictures of the content. Their titles also say what was measured; a page says it in the heading.
// Pictures without data are left out.
func Pictures(c Content) []Picture {
	lines := newTimelines(c.Trend)
	var drawn []Picture
	for _, comparison := range c.Comparisons {
		drawn = append(drawn, c.comparisonPicture(comparison))
	}
	drawn = append(drawn, timelinePictures(lines)...)
	alone := c.runsAlone()
	pictures := runPictures(alone)
	if subject := figures.SubjectOf(alone); subject != "" {
		for i := range pictures {
			pictures[i].Title += ": " + subject
		}
	}
	return nonEmptyPictures(append(drawn, pictures...))
}

// timelinePictures returns the verdict strip and the pictures over time of each timeline.
func timelinePictures(lines []*runTimeline) (all []Picture) {
	if len(lines) > 0 {
		all = append(all, stripPicture(mapSlice(lines, (*runTimeline).stripRow)))
	}
	for _, t := range lines {
		all = append(all, t.overTimePictures(len(lines) > 1)...)
	}
	return all
}

// runsAlone returns the runs that do not belong to a comparison.
func (c Content) runsAlone() []*figures.Run {
	return filterSlice(figures.Pointers(c.Runs), func(r *figures.Run) bool {
		return !slices.ContainsFunc(c.Comparisons, func(of Comparison) bool { return of.containsRun(r) })
	})
}

// comparisonPicture returns the picture of a comparison.
func (c Content) comparisonPicture(of Comparison) Picture {
	return of.picture(sourceOfRuns(filterSlice(figures.Pointers(c.Runs), of.containsRun)))
}

// sourceOfRuns says where the values of a picture come from: file system, host, date, conditions and version, as far as
// the runs have them in common.
func sourceOfRuns(runs []*figures.Run) string {
	if len(runs) == 0 {
		return ""
	}
	common := func(of func(*figures.Run) string) string {
		if slices.ContainsFunc(runs, func(r *figures.Run) bool { return of(r) != of(runs[0]) }) {
			return ""
		}
		return of(runs[0])
	}
	return joinNonEmpty(", ", common((*figures.Run).TargetText), startDates(runs), figures.SubjectOf(runs),
		common(func(r *figures.Run) string { return strings.Join(r.KeyConditions(r.Points()), ", ") }),
		common(func(r *figures.Run) string { return "h5perf " + r.Software.Version }))
}

// nonEmptyPictures returns the pictures that have panels.
func nonEmptyPictures(all []Picture) []Picture {
	return filterSlice(all, func(f Picture) bool { return len(f.Panels) > 0 })
}

// runPictures returns the pictures of runs that do not belong to a comparison.
func runPictures(runs []*figures.Run) []Picture {
	all := nonEmptyPictures([]Picture{
		ladderPicture(runs), throughputPicture(runs), scalingPicture(runs), sweptPicture(runs),
		objectsPicture(runs), timesPicture(runs),
	})
	for i := range all {
		all[i].Source = sourceOfRuns(runs)
	}
	return all
}

// group holds items that have the same key. Each panel shows a group.
type group[K comparable, V any] struct {
	key   K
	items []V
}

// groupByKey groups items by key. The groups are in the order of their first items.
func groupByKey[K comparable, V any](items []V, key func(V) K) []group[K, V] {
	var groups []group[K, V]
	at := map[K]int{}
	for _, item := range items {
		k := key(item)
		i, ok := at[k]
		if !ok {
			i = len(groups)
			at[k] = i
			groups = append(groups, group[K, V]{key: k})
		}
		groups[i].items = append(groups[i].items, item)
	}
	return groups
}

// groupByAPI groups items by the name of their API. The groups are in the order of result.APIs.
func groupByAPI[V any](items []V, api func(V) string) []group[string, V] {
	groups := groupByKey(items, api)
	slices.SortFunc(groups, func(a, b group[string, V]) int { return result.CompareAPIs(a.key, b.key) })
	return groups
}

// runNames holds, for a picture of several runs, a name for each run that distinguishes it from the others.
type runNames struct {
	byRun          map[*figures.Run]string
	severalTargets bool // the runs are on different file systems
}

// namesOfRuns returns the names of runs.
func namesOfRuns(runs []*figures.Run) runNames {
	if len(runs) < 2 {
		return runNames{}
	}
	elsewhere := func(r *figures.Run) bool { return r.TargetText() != runs[0].TargetText() }
	return runNames{figures.RunNames(runs), slices.ContainsFunc(runs, elsewhere)}
}

// panelTitles returns the title and the subtitle of a panel of a run. The parameter what describes the panel and is its
// title. In a picture of several runs, the title is the name of the run, and the description is in the subtitle. If the
// runs are on different file systems, the subtitle also names the file system.
func (names runNames) panelTitles(r *figures.Run, what, subtitle string) (title, below string) {
	name := names.byRun[r]
	if name == "" {
		return what, subtitle
	}
	below = what + ": " + subtitle
	if names.severalTargets {
		below += ", " + r.TargetText()
	}
	return name, below
}

func processesText(n int) string { return units.Count(n, "process", "processes") }

func nodesText(n int) string { return units.Count(n, "node", "nodes") }

// sizeAxis returns the axis of transfer sizes, in bytes.
func sizeAxis(sizes []float64) Axis {
	return Axis{Label: "transfer size", Log: true, Values: sizes, FormatTick: units.FormatBytes}.FitToValues(sizes...)
}
