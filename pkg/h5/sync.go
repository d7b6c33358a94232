package h5

// #include "h5perf_hdf5.h"
import "C"

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
	"gonum.org/v1/hdf5"
)

// SyncSec2 makes what was written through the sec2 driver durable.
func SyncSec2(file *hdf5.File) error {
	if err := file.Flush(hdf5.F_SCOPE_GLOBAL); err != nil {
		return Failed("H5Fflush")
	}
	descriptor, err := vfd(file)
	if err != nil {
		return err
	}
	for {
		err := unix.Fsync(int(*(*C.int)(descriptor)))
		if err == nil {
			return nil
		}
		if !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("fsync: %w", err)
		}
	}
}
