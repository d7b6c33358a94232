package page

import (
	"cmp"
	"slices"

	"h5perf/pkg/chart"
	"h5perf/pkg/result"
)

// pens holds the ink and the marker of each pen, by result.API.Pen. The pens of parallel and serial HDF5 have the
// same ink, because no run measures both.
var pens = []chart.Key{
	{Ink: chart.Blue, Marker: chart.Square},
	{Ink: chart.Orange, Marker: chart.Triangle},
	{Ink: chart.Green, Marker: chart.Diamond},
	{Ink: chart.Green, Marker: chart.Wedge},
	{Ink: chart.Indigo, Marker: chart.Square},
	{Ink: chart.Mauve, Marker: chart.Triangle},
	{Ink: chart.Slate, Marker: chart.Diamond},
	{Ink: chart.Amber, Marker: chart.Wedge},
}

// palette holds the APIs of a page, in their order, each with its pen.
type palette []struct {
	result.API
	pen chart.Key
}

// newPalette returns the palette in which each API has the pen of its row. APIs that this release does not know get the
// pens that no row has, in turn.
func newPalette(apis []result.API) palette {
	spare := slices.Clone(pens)
	for _, known := range result.APIs {
		spare = slices.DeleteFunc(spare, func(pen chart.Key) bool { return pen == pens[known.Pen] })
	}
	if len(spare) == 0 {
		spare = pens
	}
	p := make(palette, len(apis))
	unknown := 0
	for i, api := range apis {
		p[i].API = api
		if api.Pen == result.NoPen {
			p[i].pen = spare[unknown%len(spare)]
			unknown++
		} else {
			p[i].pen = pens[api.Pen]
		}
	}
	return p
}

// key returns a key with the pen of an API and a name.
func (p palette) key(api, name string) chart.Key {
	var k chart.Key
	for _, a := range p {
		if a.Name == api {
			k = a.pen
		}
	}
	k.Name = name
	return k
}

// distinct returns the keys of all series, each once, in the order of their pens.
func distinct(panels []chart.Lines) []chart.Key {
	var keys []chart.Key
	for _, p := range panels {
		for _, s := range p.Series {
			if !slices.Contains(keys, s.Key) {
				keys = append(keys, s.Key)
			}
		}
	}
	slices.SortStableFunc(keys, func(a, b chart.Key) int { return cmp.Compare(rank(a), rank(b)) })
	return keys
}

// rank returns the index of the pen of a key, or len(pens) if it has none of them.
func rank(k chart.Key) int {
	for i, pen := range pens {
		if pen.Ink == k.Ink && pen.Marker == k.Marker {
			return i
		}
	}
	return len(pens)
}
