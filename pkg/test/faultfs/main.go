// Command faultfs is a file system with a known speed and with the faults that it is given.
package main

import (
	"os"

	"h5perf/pkg/test/faultfs/fault"
)

func main() {
	os.Exit(fault.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
