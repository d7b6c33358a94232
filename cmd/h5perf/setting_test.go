//go:build cgo && !nompi && (truth || bench)

package main

import (
	"cmp"
	"fmt"
	"os"
)

// setting returns the value of a variable of the environment.
func setting[T any](name, fallback string, parse func(string) (T, error)) T {
	value, err := parse(cmp.Or(os.Getenv(name), fallback))
	if err != nil {
		panic(fmt.Sprintf("%s: %v", name, err))
	}
	return value
}
