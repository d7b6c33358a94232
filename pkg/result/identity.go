package result

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/bits"
	"reflect"
	"strings"

	"h5perf/pkg/option"
)

// Identity is what stays the same from one run of a series to the next. Results are stored and monitored under it.
type Identity struct {
	Cluster    string `json:"cluster"`    // --cluster, else SLURM_CLUSTER_NAME, else the host of rank 0
	Filesystem string `json:"filesystem"` // --filesystem, else the mount point of the target
	Label      string `json:"label"`      // --label, else a hash of the parameters
}

// WithDefaults returns the identity with its empty fields taken from another.
func (i Identity) WithDefaults(other Identity) Identity {
	return Identity{
		cmp.Or(i.Cluster, other.Cluster), cmp.Or(i.Filesystem, other.Filesystem), cmp.Or(i.Label, other.Label),
	}
}

// DefaultIdentity returns the identity of a run for which the user gave none, made from the rest of the document.
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
		Label:      d.Parameters.Hash(),
	}
}

// Hash returns a name of what the parameters measure: the first 8 hexadecimal digits of a SHA-256. Runs with the same
// hash make a series. It is the same on every machine and for every version of the schema. It leaves out what may
// differ from run to run or does not affect figures: the seed, the name of a file that is only read, whether files
// are kept, the timeout, and the check of free space. With MemoryFactor, only the order of magnitude of sizes counts,
// because the memory that a kernel reports differs a little. Of a workload, its SHA-256 tells what was asked for.
func (p Parameters) Hash() string {
	if workload := p.Workload; workload != nil {
		w := *workload
		w.Asked, w.Settings = nil, nil
		p.Workload = &w
	}
	c := &p.Conditions
	c.Seed, c.Timeout, c.SpaceCheck, p.KeepFiles = nil, nil, nil, false
	if c.ReadOnly != "" {
		c.ReadOnly = "yes"
	}
	if option.ValueOrZero(c.MemoryFactor) > 0 {
		p.BytesPerProcess = magnitude(p.BytesPerProcess)
		p.DatasetExtent = append([]uint64{}, p.DatasetExtent...)
		for i, n := range p.DatasetExtent {
			p.DatasetExtent[i] = magnitude(n)
		}
	}
	text, err := json.Marshal(nonzeroFields(reflect.ValueOf(p))) // keys in order
	if err != nil {
		return fmt.Sprintf("unknown: %v", err) // NaN, which no plan makes
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:4])
}

// nonzeroFields returns the fields of a struct that are neither zero nor empty, by their names in JSON. So a field that
// a later version adds changes nothing where it is not used.
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

// magnitude returns the largest power of two that is at most n, and 0 for 0.
func magnitude(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	return 1 << (bits.Len64(n) - 1)
}
