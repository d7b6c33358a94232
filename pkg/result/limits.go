package result

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
)

// Limits of the numbers of a document, so that no figure that is made of them overflows: a measure (a time, a rate, a
// ratio) is 0 or from MinMeasure to MaxMeasure, a count is at most MaxCount. Bytes, and counts of calls, may be any
// integer of 64 bits without a sign.
const (
	MinMeasure = 1e-18
	MaxMeasure = 1e18
	MaxCount   = math.MaxInt32
)

// numberChecks holds the limits of numbers by the kind of their type. What is no number is left to encoding/json.
var numberChecks = map[reflect.Kind]func(number string) (fault string){
	reflect.Float64: checkMeasure,
	reflect.Int:     func(number string) string { return checkCount(number, 0) },
}

// checkSignedCount says what is wrong with an integer that may be negative.
func checkSignedCount(number string) string { return checkCount(number, math.MinInt32) }

func checkMeasure(number string) string {
	x, err := strconv.ParseFloat(number, 64)
	switch {
	case x < 0:
		return "is negative"
	case math.IsInf(x, 0), x > MaxMeasure: // that err says so of a word, too, is left to encoding/json
		return fmt.Sprintf("is above %g, the largest number that a document may contain", MaxMeasure)
	case err == nil && x > 0 && x < MinMeasure:
		return fmt.Sprintf("is below %g, the smallest number above 0 that a document may contain", MinMeasure)
	}
	return ""
}

func checkCount(number string, least int64) string {
	n, _ := strconv.ParseInt(number, 10, 64) // the nearest integer there is, or 0 of what is none
	switch {
	case n < 0 && least == 0:
		return "is negative"
	case n < least, n > MaxCount:
		return fmt.Sprintf("is not an integer from %d to %d", least, MaxCount)
	}
	return ""
}
