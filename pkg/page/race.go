package page

// RaceLine is a run in a race of variants, most of which are dropped before the end.
type RaceLine struct {
	Name   string
	Ratios []float64 // mean time up to each round, divided by that of the first run
}

// racePicture makes a picture of a race: a line for each run, from the start to the last round of the run.
func (c Comparison) racePicture(source string) Picture {
	toTheEnd, dropped := LegendKey{Name: "measured to the end", Colour: Blue}, LegendKey{Name: "dropped", Colour: Muted}
	panel := Panel{Title: "mean time", Subtitle: "compared with " + c.Race[0].Name, Wide: true, Level: 1}
	rounds, ratios := len(c.Race[0].Ratios), []float64{1}
	for _, line := range c.Race[1:] {
		s := Series{Key: dropped, WithoutMarkers: true, Points: []Point{{X: 0, Y: 1}}}
		if len(line.Ratios) == rounds {
			s.Key, s.EndText = toTheEnd, line.Name
		}
		s.Key.Name = line.Name
		for i, ratio := range line.Ratios {
			s.Points, ratios = append(s.Points, Point{X: float64(1 + i), Y: ratio}), append(ratios, ratio)
		}
		panel.Series = append(panel.Series, s)
	}
	panel.X, panel.Y = Axis{Label: "round"}.FitToValues(float64(rounds)), ratioAxis(ratios...)
	return Picture{
		Name: c.pictureName(), Title: c.Title, Source: source, Caption: c.Conclusion + ".", Panels: []Panel{panel},
		Keys: []LegendKey{toTheEnd, dropped},
	}
}
