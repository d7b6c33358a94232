package mpi

// MergeAll is mergeHosts, for tests.
var MergeAll = mergeHosts
