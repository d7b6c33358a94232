// Package kv is a key with its value: an MPI-IO hint, a variable of the environment, a line of a library's configuration.
package kv

// KeyValue is a named string.
type KeyValue struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}
