//go:build nightly

package bench_test

// scripts is the number of scripts of the grammar that are run.
const scripts = 2000
