//go:build cgo

package hdf5

import (
	"cmp"
	"fmt"
	"math"

	"h5perf/pkg/engine"
	"h5perf/pkg/h5"
	"h5perf/pkg/option"
	"h5perf/pkg/pattern"
	"h5perf/pkg/workload"
)

// checkEnv returns an error if the library does not support the settings in env. All processes get the same error.
func checkEnv(env *engine.Env) error {
	driver := env.HDF5.Driver
	switch {
	case driver.IsParallel() && env.Comm.Handle() == nil:
		return fmt.Errorf("parallel HDF5: %w: built without MPI", engine.ErrUnsupported)
	case env.UseODirect:
		return fmt.Errorf("O_DIRECT: %w: use the file driver direct of HDF5", engine.ErrUnsupported)
	case !driver.IsParallel() && env.Comm.Size() > 1:
		return fmt.Errorf("file driver %s for several processes: %w: only mpio and subfiling support several processes",
			driver, engine.ErrUnsupported)
	}
	return h5.CheckVersion()
}

// checkProgram returns an error if the library cannot execute the program of this process.
func checkProgram(env *engine.Env, program *workload.Program) error {
	driver := env.HDF5.Driver
	collective, extends, contiguous := false, false, false
	for i := range program.Moves {
		m := &program.Moves[i]
		collective, extends = collective || m.Collective, extends || m.Extends
		contiguous = contiguous || m.Extends && program.Objects[m.Object].Chunk == nil
	}
	for _, refused := range []struct {
		is           bool
		what, reason string
	}{
		{driver == option.DriverMPIPosix && collective, "collective mode of MPI-POSIX", "the driver has no " +
			"collective mode"},
		{
			driver == option.DriverMPIPosix && env.HDF5.UsesCaches(), "sieve buffer or chunk cache with MPI-POSIX",
			"they overwrite data of other processes with old copies",
		},
		{
			driver != option.DriverMPIO && collective, "collective mode of file driver " + string(driver),
			"the driver has no collective mode",
		},
		{
			extends && driver.IsParallel(), "extendible dataset of a parallel case",
			"each extension would be collective",
		},
		{
			contiguous, "extendible dataset of contiguous storage",
			"HDF5 extends chunked storage only",
		},
	} {
		if refused.is {
			return fmt.Errorf("%s: %w: %s", refused.what, engine.ErrUnsupported, refused.reason)
		}
	}
	for i := range program.Objects {
		o := &program.Objects[i]
		if err := cmp.Or(checkAllocation(&env.HDF5, program, o), checkExternalDriver(driver, o)); err != nil {
			return err
		}
		for _, f := range o.Filters { // this also adds filters to the library, which it needs to read, too
			if f.Name == "" {
				continue
			}
			if err := h5.CheckFilter(f.Name); err != nil {
				return fmt.Errorf("dataset %s: %w: %w", o.NameOf(0), engine.ErrUnsupported, err)
			}
		}
		for d, extent := range o.Chunk {
			if extent > o.Dims[d] && o.Dims[d] > 0 && o.MaxExtent == nil {
				return fmt.Errorf("chunk extent %d of a dataset of extent %d: %w: "+
					"HDF5 requires chunks that are not larger than a dataset of fixed size",
					extent, o.Dims[d], engine.ErrUnsupported)
			}
		}
	}
	for i := range program.Moves {
		m := &program.Moves[i]
		o := &program.Objects[m.Object]
		if err := checkExternalBytes(m, o); err != nil {
			return err
		}
		if program.Files[o.File].Group != workload.All {
			continue
		}
		if err := checkCounts(driver, m, o); err != nil {
			return err
		}
	}
	return checkWorkload(driver, program)
}

// checkAllocation returns an error if the library would not allocate a dataset at the time of the settings: in a file
// that several processes open together, it allocates datasets without filters when it creates them.
func checkAllocation(settings *option.HDF5, program *workload.Program, o *workload.Object) error {
	switch settings.AllocationTime {
	case "", option.AllocateEarly:
		return nil
	}
	if o.Kind != workload.DatasetObject || o.Compact || o.Fill.Allocate != "" || len(o.Filters) > 0 {
		return nil
	}
	if !settings.Driver.IsParallel() || program.Files[o.File].Group != workload.All {
		return nil
	}
	return fmt.Errorf("allocation-time=%s: %w: in a file that several processes open together, HDF5 allocates "+
		"datasets when it creates them", settings.AllocationTime, engine.ErrUnsupported)
}

// checkExternalDriver returns an error if a dataset is in an external file, which HDF5 accesses with POSIX calls, and
// the file driver does something else with the file.
func checkExternalDriver(driver option.Driver, o *workload.Object) error {
	switch {
	case !o.External, driver == option.DriverMPIO, driver == option.DriverSec2:
		return nil
	}
	return fmt.Errorf("dataset %s in an external file with the file driver %s: %w: HDF5 writes such a file with POSIX "+
		"calls, not through the driver; use the driver mpio or sec2", o.NameOf(0), driver, engine.ErrUnsupported)
}

// maxCallBytes is the largest number of bytes that Linux moves in one call of write or read.
const maxCallBytes = math.MaxInt32 &^ 4095

// checkExternalBytes returns an error if a transfer has a contiguous part that HDF5 would not move completely: in an
// external file, it makes one call of write or read for each. If a call moves less, a write fails, and a read has
// zeros.
func checkExternalBytes(m *workload.Move, o *workload.Object) error {
	if bytes := m.MaxContiguousBytes(); o.External && bytes > maxCallBytes {
		return fmt.Errorf("contiguous stretch of %d bytes of dataset %s in an external file: %w: HDF5 moves it in one "+
			"call, and Linux at most %d bytes in a call; transfer smaller parts", bytes, o.NameOf(0),
			engine.ErrUnsupported, maxCallBytes)
	}
	return nil
}

// checkWorkload returns an error if the program needs a feature that the library lacks and that only workloads use, not
// sweeps.
func checkWorkload(driver option.Driver, program *workload.Program) error {
	if driver == option.DriverMPIPosix && !program.HasOnlyRegularMoves() {
		return fmt.Errorf("workload with MPI-POSIX: %w: with it one process creates all objects of a file, and "+
			"only a sweep has the same in each file", engine.ErrUnsupported)
	}
	for i := range program.Moves {
		m := &program.Moves[i]
		if m.Selection.Kind() == pattern.Irregular && m.Union == workload.UnionMerge {
			if err := h5.CheckCombineSelect(); err != nil {
				return fmt.Errorf("%w: %w", engine.ErrUnsupported, err)
			}
		}
	}
	for step := range program.Parts[workload.Write].Steps() {
		if err := checkTransfer(driver, program, &step.Batch); err != nil {
			return err
		}
	}
	for step := range program.Parts[workload.Read].Steps() {
		if err := checkMultiDatasetCall(program, &step.Batch); err != nil {
			return err
		}
	}
	return nil
}

// checkMultiDatasetCall returns an error if a batch transfers several datasets in one call, and the library has no such
// call (H5Dwrite_multi), or a dataset has a variable length.
func checkMultiDatasetCall(program *workload.Program, b *workload.Batch) error {
	if b.Class != workload.Transfer || b.MultiMoves < 2 {
		return nil
	}
	if err := h5.CheckMulti(); err != nil {
		return fmt.Errorf("several datasets in one call: %w: %w", engine.ErrUnsupported, err)
	}
	for i := range b.Moves() {
		if o := &program.Objects[program.Moves[i].Object]; o.Type.IsVariable() {
			return fmt.Errorf("several datasets in one call: %w: %s has a variable length; transfer it by itself",
				engine.ErrUnsupported, o.NameOf(b.First))
		}
	}
	return nil
}

// checkTransfer returns an error if the library cannot do the writes of a batch, such as independent writes with
// filters in a file that all processes open.
func checkTransfer(driver option.Driver, program *workload.Program, b *workload.Batch) error {
	if b.Class != workload.Transfer {
		return nil
	}
	for i := range b.Moves() {
		m := &program.Moves[i]
		o := &program.Objects[m.Object]
		shared := driver.IsParallel() && program.Files[b.File].Group == workload.All
		if shared && len(o.Filters) > 0 && !m.Collective {
			return fmt.Errorf("independent write of dataset %s with the filter %s: %w: parallel HDF5 writes chunks "+
				"with filters only collectively", o.NameOf(b.First), o.Filters[0].Name, engine.ErrUnsupported)
		}
		if shared && o.Type.IsVariable() {
			return fmt.Errorf("write of dataset %s of type %v: %w: parallel HDF5 does not write what has a variable "+
				"length; let one rank have the file for itself", o.NameOf(b.First), o.Type, engine.ErrUnsupported)
		}
	}
	return checkMultiDatasetCall(program, b)
}

// checkCounts returns an error if HDF5 would need MPI counts that do not fit in an int:
//   - the driver mpio before HDF5 1.14, for a chunk (HDF5 fills it at its creation, and MPI then aborts the job), and
//     for a contiguous range of an independent transfer;
//   - the driver subfiling, for the data that it sends in one message.
func checkCounts(driver option.Driver, m *workload.Move, o *workload.Object) error {
	through, others := "MPI-IO", "; HDF5 1.14 has no such limit"
	switch {
	case driver == option.Subfiling:
		through, others = "subfiling", ""
	case driver != option.DriverMPIO || h5.VersionAtLeast(1, 14, 0):
		return nil
	}
	what, bytes := "chunk", uint64(0)
	switch {
	case o.Chunk != nil: // no contiguous range is longer than a chunk
		bytes = o.ChunkBytes()
	case !m.Collective:
		what, bytes = "contiguous stretch of an independent transfer", m.MaxContiguousBytes()
	}
	if bytes <= math.MaxInt32 {
		return nil
	}
	return fmt.Errorf("%s of %d bytes: %w: with %s, HDF5 %s accepts at most %d%s",
		what, bytes, engine.ErrUnsupported, through, h5.Version(), math.MaxInt32, others)
}
