//go:build !cgo || nompi

// Package mpiio is the MPI-IO engine. This build has none.
package mpiio

import (
	"fmt"

	"h5perf/pkg/engine"
)

// New returns an engine that refuses every case.
func New() engine.Engine { return none{} }

type none struct{}

// Prepare fails.
func (none) Prepare(engine.Spec) (engine.Session, error) {
	return nil, fmt.Errorf("MPI-IO: %w: built without MPI", engine.ErrUnsupported)
}

// Component is empty.
func Component() string { return "" }
