//go:build cgo && !nompi && (truth || bench)

package main

import (
	"cmp"
	"fmt"
	"os"
)

// setting returns the parsed value of an environment variable, or of fallback if it is not set.
func setting[T any](name, fallback string, parse func(string) (T, error)) T {
	value, err := parse(cmp.Or(os.Getenv(name), fallback))
	if err != nil {
		panic(fmt.Sprintf("%s: %v", name, err))
	}
	return value
}
