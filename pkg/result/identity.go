package result

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/bits"
	"reflect"
	"strings"

	"h5perf/pkg/option"
)

// Identity identifies a series of runs. It names the place of the results in a tree and in monitoring.
type Identity struct {
	Cluster    string `json:"cluster"`    // --cluster, else SLURM_CLUSTER_NAME, else the host of rank 0
	Filesystem string `json:"filesystem"` // --filesystem, else the mount point of the target
	Label      string `json:"label"`      // --label, else a hash of the parameters
}

// WithDefaults returns a copy of i. Empty fields of the copy are taken from other.
func (i Identity) WithDefaults(other Identity) Identity {
	return Identity{
		cmp.Or(i.Cluster, other.Cluster), cmp.Or(i.Filesystem, other.Filesystem), cmp.Or(i.Label, other.Label),
	}
}

// DefaultIdentity returns the identity that a run has if the user sets none. It is derived from the rest of the
// document.
func (d Document) DefaultIdentity() Identity {
	cluster := ""
	for _, v := range d.Job.Slurm {
		if v.Key == "SLURM_CLUSTER_NAME" {
			cluster = v.Value
		}
	}
	return Identity{
		Cluster:    cmp.Or(cluster, d.Machine.Host, "unknown"),
		Filesystem: cmp.Or(d.Target.MountPoint, d.Target.Directory, "unknown"),
		Label:      d.parametersHash(),
	}
}

// parametersHash returns the Hash of the parameters of all cases.
func (d Document) parametersHash() string {
	if len(d.Swept) == 0 {
		return d.Parameters.Hash()
	}
	sum := sha256.New()
	for _, s := range d.Swept {
		_, _ = io.WriteString(sum, s.Parameters.Hash()) // never fails
	}
	return hex.EncodeToString(sum.Sum(nil)[:4])
}

// Hash returns the first 8 hexadecimal digits of a SHA-256 of those parameters that define what is measured. Runs with
// the same hash form a series. The hash does not depend on the machine or on the version of the schema. It ignores
// parameters that may differ from run to run or do not affect the results: the seed, the name of a file that is only
// read, whether files are kept, the timeout, and the check of free space. With MemoryFactor, sizes are rounded down to
// a power of two, because the memory that a kernel reports varies a little. For a workload, it uses the SHA-256 of the
// workload instead of its sizes and choices.
func (p Parameters) Hash() string {
	if workload := p.Workload; workload != nil {
		w := *workload
		w.Requested, w.Settings = nil, nil
		p.Workload = &w
	}
	c := &p.Conditions
	c.Seed, c.Timeout, c.SpaceCheck, p.KeepFiles = nil, nil, nil, false
	if c.ReadOnly != "" {
		c.ReadOnly = "yes"
	}
	if option.ValueOrZero(c.MemoryFactor) > 0 {
		p.BytesPerProcess = floorPowerOfTwo(p.BytesPerProcess)
		p.DatasetExtent = append([]uint64{}, p.DatasetExtent...)
		for i, n := range p.DatasetExtent {
			p.DatasetExtent[i] = floorPowerOfTwo(n)
		}
	}
	text, err := json.Marshal(nonzeroFields(reflect.ValueOf(p))) // with sorted keys
	if err != nil {
		return fmt.Sprintf("unknown: %v", err) // NaN, which no plan makes
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:4])
}

// nonzeroFields returns the fields of a struct that are neither zero nor empty, by their names in JSON. So a new field
// in a later version does not change the hash of runs that do not use the field.
func nonzeroFields(v reflect.Value) any {
	switch {
	case v.Kind() == reflect.Pointer:
		return nonzeroFields(v.Elem())
	case v.Kind() != reflect.Struct:
		return v.Interface()
	}
	fields := map[string]any{}
	for f := range JSONFields(v.Type()) {
		value := v.FieldByIndex(f.Index)
		if value.Kind() == reflect.Pointer && !value.IsNil() && (isRequired(f) || f.Tag.Get("zero") == "default") {
			value = value.Elem()
		}
		if !value.IsZero() && (value.Kind() != reflect.Slice || value.Len() > 0) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			fields[name] = nonzeroFields(value)
		}
	}
	return fields
}

// floorPowerOfTwo rounds n down to a power of two. It returns 0 for 0.
func floorPowerOfTwo(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	return 1 << (bits.Len64(n) - 1)
}
