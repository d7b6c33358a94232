//go:build nightly

package star_test

// everyProgram is whether programs are compared for all sets, and all choices together.
const everyProgram = true
