//go:build !nightly && !nompi

package main

// kills is the number of runs that are killed at random moments.
const kills = 4

// everyFact makes profiles run for all facts about them.
const everyFact = false

// sigterms is the number of runs whose launcher gets SIGTERM.
const sigterms = 1
