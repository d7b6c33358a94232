//go:build !nightly && !nompi

package main

// kills is the number of runs that are killed at random.
const kills = 4

// sigterms is the number of runs whose launcher is told to end.
const sigterms = 1
