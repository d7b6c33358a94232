// Command faultfs is a file system for tests, of known speed and with the faults that it is told.
package main

import (
	"os"

	"h5perf/cmd/faultfs/fault"
)

func main() {
	os.Exit(fault.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
