package mpi

// MergeAll is mergeAll, for tests.
var MergeAll = mergeAll
