package placement

import (
	"cmp"
	"encoding/json"
	"slices"

	"h5perf/pkg/units"
)

// groupNode is a node in a layoutGroup: its name, its lowest rank, and the index of the Host that describes it before
// the merge.
type groupNode struct {
	name   string
	lowest int
	entry  int
}

// layoutGroup holds the nodes that have the same layout of ranks and processors.
type layoutGroup struct {
	layout    Host
	distances []int
	places    []groupNode
}

// MergeEqualLayouts joins those entries of hosts whose ranks have the same layout into one entry. It does not change
// entries without valid ranks, or with a name that cannot be part of a list, because it cannot join them without loss.
func MergeEqualLayouts(hosts []Host) []Host {
	var groups []*layoutGroup
	layouts := map[string]*layoutGroup{}
	for e, h := range hosts {
		key, own := newLayoutGroup(h, e)
		there := layouts[key]
		switch {
		case key == "":
			groups = append(groups, own)
		case there == nil:
			layouts[key] = own
			groups = append(groups, own)
		default:
			there.places = append(there.places, own.places...)
		}
	}
	var merged []Host
	for _, g := range groups {
		merged = append(merged, g.mergedHosts(hosts)...)
	}
	return merged
}

// newLayoutGroup returns a group with the nodes of the entry h, and a key. All entries with the same layout have the
// same key. If the entry cannot be joined with others, key is "".
func newLayoutGroup(h Host, entry int) (key string, g *layoutGroup) {
	g = &layoutGroup{layout: h, places: []groupNode{{entry: entry}}}
	lowest, distances := h.lowestRanksAndDistances()
	names := h.nodeNames()
	if lowest == nil || len(names) != len(lowest) || slices.ContainsFunc(names, cannotPackHost) {
		return "", g
	}
	g.distances, g.places = distances, nil
	for i, name := range names {
		g.places = append(g.places, groupNode{name, lowest[i], entry})
	}
	h.Host, h.Nodes, h.Ranks, h.Lowest = "", 0, units.FormatRanges(distances), ""
	text, err := json.Marshal(h)
	if err != nil { // a NaN, which no node has
		return "", g
	}
	return string(text), g
}

func cannotPackHost(name string) bool { return !CanPackHost(name) }

// mergedHosts joins the nodes of a group into one entry. If two nodes have the same lowest rank, it returns the entries
// of from unchanged.
func (g *layoutGroup) mergedHosts(from []Host) []Host {
	slices.SortStableFunc(g.places, func(a, b groupNode) int { return cmp.Compare(a.lowest, b.lowest) })
	h := g.layout
	var names []string
	var lowest []int
	for i, p := range g.places {
		if i > 0 && p.lowest == lowest[i-1] {
			return g.originalHosts(from)
		}
		names, lowest = append(names, p.name), append(lowest, p.lowest)
	}
	if g.distances == nil {
		return []Host{h}
	}
	h.Host, h.Nodes, h.Lowest = names[0], 0, ""
	h.Ranks = units.FormatRanges(shiftNumbers(g.distances, lowest[0]))
	if len(names) > 1 {
		h.Host, h.Nodes, h.Lowest = PackHosts(names), len(names), units.FormatRanges(lowest)
	}
	return []Host{h}
}

// originalHosts returns those entries of from that were joined in the group.
func (g *layoutGroup) originalHosts(from []Host) (hosts []Host) {
	var entries []int
	for _, p := range g.places {
		entries = append(entries, p.entry)
	}
	slices.Sort(entries)
	for _, e := range slices.Compact(entries) {
		hosts = append(hosts, from[e])
	}
	return hosts
}
