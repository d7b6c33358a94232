package page

import (
	"strings"
	"time"

	"h5perf/pkg/figures"
	"h5perf/pkg/history"
)

// endEvents returns an event at each last run of series that have ended.
func endEvents(series []history.Series) (events []Event) {
	ended := filterSlice(series, func(s history.Series) bool { return s.Ended != nil })
	for _, g := range groupByKey(ended, func(s history.Series) time.Time { return *s.Ended }) {
		var apis []string
		for _, s := range g.items {
			apis = append(apis, figures.APILabel(s.API))
		}
		events = append(events, Event{At: g.key, Text: strings.Join(apis, ", ") + ": last run " + formatDate(g.key)})
	}
	return events
}
