package mpi

import (
	"encoding/json"
	"errors"
)

// Broadcast returns root's value on all processes. It sends the value as JSON: fields that JSON omits arrive as zero
// values. Collective.
func Broadcast[T any](comm Comm, value T, root int) T {
	var data []byte
	if comm.Rank() == root {
		data, _ = json.Marshal(value) // cannot fail for plain structs
	}
	var out T
	_ = json.Unmarshal(comm.Bcast(data, root), &out)
	return out
}

// CheckOnRoot calls check on rank 0 only. If check fails, CheckOnRoot returns an error with the same message on all
// processes. Collective.
func CheckOnRoot(comm Comm, check func() error) error {
	text := ""
	if comm.Rank() == 0 {
		if err := check(); err != nil {
			text = err.Error()
		}
	}
	if text = Broadcast(comm, text, 0); text != "" {
		return errors.New(text)
	}
	return nil
}
