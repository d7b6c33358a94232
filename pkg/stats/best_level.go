package stats

// minBestLevelNights is the smallest number of nights of a level that BestEarlierLevel returns.
const minBestLevelNights = 6

// BestEarlierLevel returns the nights of the highest level before the last change point, for CompareWithReference. A
// level is the values between two change points, without the slope of a gradual change. Levels with fewer than
// minBestLevelNights values are ignored. The result is nil if there is no such level.
//
// The highest of several levels is higher by chance, too. This matters little, because change points separate only
// levels that differ by much more than chance.
func (b *Branch) BestEarlierLevel() (nights []int) {
	first, highest := 0, 0.0
	for _, c := range b.Changes {
		if values := b.Values[first:c.At]; len(values) >= minBestLevelNights && SampleMedian(values) > highest {
			highest, nights = SampleMedian(values), b.Nights[first:c.At]
		}
		first = c.last
	}
	return nights
}
