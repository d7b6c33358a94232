//go:build nightly

package bench_test

// scripts is the number of scripts, generated from the grammar, that the test runs.
const scripts = 2000
