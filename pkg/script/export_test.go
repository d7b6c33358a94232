package script

// Verbs are the verbs of steps.
var Verbs = verbs
