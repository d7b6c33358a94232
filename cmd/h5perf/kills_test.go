//go:build !nightly && !nompi

package main

// kills is the number of runs that are killed at random.
const kills = 4

// everyFact is whether profiles run for all facts about them.
const everyFact = false

// sigterms is the number of runs whose launcher is told to end.
const sigterms = 1
