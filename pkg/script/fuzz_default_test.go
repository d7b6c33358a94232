//go:build !nightly

package script_test

// allCases says whether all cases of the grammar are tried.
const allCases = false
