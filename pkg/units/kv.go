// This file holds keys with values: MPI-IO hints, variables of the environment, lines of the configuration of a
// library.

package units

// KeyValue is a key and its value.
type KeyValue struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}
