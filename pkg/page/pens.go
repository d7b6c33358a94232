package page

import (
	"hash/crc32"
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

// APIColour returns the colour in which the results of an API of result.APIs are drawn.
func APIColour(a result.API) ThemeColour { return pens[a.PenIndex].Colour }

// newAPIKey returns the legend entry of an API, with the pen that result.APIs gives it. An API that this release does
// not know gets one of the pens that no known API uses.
func newAPIKey(name string) LegendKey {
	api, spare := result.APIOf(name), slices.Clone(pens)
	for _, known := range result.APIs {
		spare = slices.DeleteFunc(spare, func(pen LegendKey) bool { return pen == pens[known.PenIndex] })
	}
	var key LegendKey
	if api.PenIndex == result.NoPen {
		key = spare[crc32.ChecksumIEEE([]byte(name))%uint32(len(spare))]
	} else {
		key = pens[api.PenIndex]
	}
	key.Name, key.API = api.Label, name
	return key
}

// appendMissingKey appends an entry to a legend that does not have it.
func appendMissingKey(keys []LegendKey, key LegendKey) []LegendKey {
	if slices.Contains(keys, key) {
		return keys
	}
	return append(keys, key)
}

// distinctAPIKeys returns the legend entries of the APIs in the panels, each once, in the order of result.APIs.
func distinctAPIKeys(panels []Panel) (keys []LegendKey) {
	add := func(k LegendKey) {
		if k.API != "" {
			keys = appendMissingKey(keys, k)
		}
	}
	for _, p := range panels {
		for _, s := range p.Series {
			add(s.Key)
		}
		for _, r := range p.Rows {
			add(r.Key)
		}
	}
	slices.SortStableFunc(keys, func(a, b LegendKey) int { return result.CompareAPIs(a.API, b.API) })
	return keys
}
