// This file declares pairs of a key and a value: MPI-IO hints, environment variables, settings of a library.

package units

// KeyValue is a key with its value, such as an MPI-IO hint.
type KeyValue struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}
