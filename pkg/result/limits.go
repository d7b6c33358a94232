package result

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"strconv"
)

// Limits of the numbers in a document, so that no value computed from them overflows. A measure (a time, a rate, a
// ratio) is 0 or from MinMeasure to MaxMeasure; a count is at most MaxCount. Bytes, and numbers of calls, may be any
// unsigned integer of 64 bits.
const (
	MinMeasure = 1e-18
	MaxMeasure = 1e18
	MaxCount   = math.MaxInt32
)

// numberChecks holds, for a kind of Go type, the function that checks a number. It returns what is wrong, or "". Text
// that is not a number is left to encoding/json.
var numberChecks = map[reflect.Kind]func(number []byte) (fault string){
	reflect.Float64: checkNonNegativeNumber,
	reflect.Int:     func(number []byte) string { return checkCount(number, 0) },
}

// checkSignedCount checks an integer that may be negative. It returns what is wrong with the integer, or "".
func checkSignedCount(number []byte) string { return checkCount(number, math.MinInt32) }

func checkNonNegativeNumber(number []byte) string {
	if len(number) < 18 && number[0] != '-' && bytes.IndexByte(number, 'e') < 0 && bytes.IndexByte(number, 'E') < 0 {
		return "" // so short a number is within the bounds
	}
	x, err := strconv.ParseFloat(string(number), 64)
	switch {
	case x < 0:
		return "is negative"
	case math.IsInf(x, 0), x > MaxMeasure: // encoding/json reports any other error in err
		return fmt.Sprintf("is above %g, the largest number that a document may contain", MaxMeasure)
	case err == nil && x > 0 && x < MinMeasure:
		return fmt.Sprintf("is below %g, the smallest number above 0 that a document may contain", MinMeasure)
	}
	return ""
}

func checkCount(number []byte, least int64) string {
	n, _ := strconv.ParseInt(string(number), 10, 64) // out of range: the nearest integer; not a number: 0
	switch {
	case n < 0 && least == 0:
		return "is negative"
	case n < least, n > MaxCount:
		return fmt.Sprintf("is not an integer from %d to %d", least, MaxCount)
	}
	return ""
}
