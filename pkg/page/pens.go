package page

import (
	"cmp"
	"slices"

	"h5perf/pkg/result"
)

// pens holds the colour and the marker of each pen, with which the results of an API are drawn. The index is
// result.API.PenIndex. The pens of parallel and serial HDF5 have the same colour, because no run measures both.
var pens = []LegendKey{
	{Colour: Blue, Marker: Square},
	{Colour: Orange, Marker: Triangle},
	{Colour: Green, Marker: Diamond},
	{Colour: Green, Marker: Wedge},
	{Colour: Indigo, Marker: Square},
	{Colour: Mauve, Marker: Triangle},
	{Colour: Slate, Marker: Diamond},
	{Colour: Amber, Marker: Wedge},
}

// palette holds the APIs of a page in the order in which they are shown, each with its pen (colour and marker).
type palette []struct {
	result.API
	pen LegendKey
}

// newPalette returns the palette for these APIs. Each API has the pen that result.APIs gives it. APIs that this release
// does not know get the pens that no known API uses, one after the other.
func newPalette(apis []result.API) palette {
	spare := slices.Clone(pens)
	for _, known := range result.APIs {
		spare = slices.DeleteFunc(spare, func(pen LegendKey) bool { return pen == pens[known.PenIndex] })
	}
	if len(spare) == 0 {
		spare = pens
	}
	p := make(palette, len(apis))
	unknown := 0
	for i, api := range apis {
		p[i].API = api
		if api.PenIndex == result.NoPen {
			p[i].pen = spare[unknown%len(spare)]
			unknown++
		} else {
			p[i].pen = pens[api.PenIndex]
		}
	}
	return p
}

// legendKeyForAPI returns a legend entry with this name, and the colour and marker of an API.
func (p palette) legendKeyForAPI(api, name string) LegendKey {
	var k LegendKey
	for _, a := range p {
		if a.Name == api {
			k = a.pen
		}
	}
	k.Name, k.API = name, true
	return k
}

// distinctLegendKeys returns the legend entries of all series in the panels, each once, in the order of their pens.
func distinctLegendKeys(panels []Panel) []LegendKey {
	var keys []LegendKey
	for _, p := range panels {
		for _, s := range p.Series {
			if !slices.Contains(keys, s.Key) {
				keys = append(keys, s.Key)
			}
		}
	}
	slices.SortStableFunc(keys, func(a, b LegendKey) int { return cmp.Compare(penIndex(a), penIndex(b)) })
	return keys
}

// penIndex returns the index of the pen with the colour and marker of k, or len(pens) if there is no such pen.
func penIndex(k LegendKey) int {
	for i, pen := range pens {
		if pen.Colour == k.Colour && pen.Marker == k.Marker {
			return i
		}
	}
	return len(pens)
}
