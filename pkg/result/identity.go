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
)

// Identity is what stays the same from one run of a series to the next: the key under which results are kept and watched.
type Identity struct {
	Cluster    string `json:"cluster"`    // --cluster, else SLURM_CLUSTER_NAME, else the host of rank 0
	Filesystem string `json:"filesystem"` // --filesystem, else the mount point of the target
	Label      string `json:"label"`      // --label, else a hash of the parameters
}

// Or is the identity with its empty fields taken from another.
func (i Identity) Or(other Identity) Identity {
	return Identity{cmp.Or(i.Cluster, other.Cluster), cmp.Or(i.Filesystem, other.Filesystem), cmp.Or(i.Label, other.Label)}
}

// DefaultIdentity is the identity of a run that was given none, as the rest of its document tells it.
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

// Hash names what the parameters measure, in 8 digits: runs with the same make a series. It is the same on every machine and
// for every version of the schema, and leaves out what may differ from night to night or changes no figure: the seed, which
// file is read where a run writes none, whether files are kept, the time-out and the check of free space. Where sizes follow from the memory of
// the nodes, only their order of magnitude counts, for every kernel leaves a little more or less of it.
func (p Parameters) Hash() string {
	c := &p.Conditions
	c.Seed, c.Timeout, c.SpaceCheck, p.KeepFiles = 0, 0, false, false
	if c.ReadOnly != "" {
		c.ReadOnly = "yes"
	}
	if c.MemoryFactor > 0 {
		p.BytesPerProcess = magnitude(p.BytesPerProcess)
		p.DatasetExtent = append([]uint64{}, p.DatasetExtent...)
		for i, n := range p.DatasetExtent {
			p.DatasetExtent[i] = magnitude(n)
		}
	}
	text, err := json.Marshal(set(reflect.ValueOf(p))) // keys in order
	if err != nil {
		return fmt.Sprintf("unknown: %v", err) // NaN, which no plan makes
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:4])
}

// set is those fields of a struct, by their names in JSON, that are neither zero nor empty: one that a later version adds changes nothing
// where it is not used.
func set(v reflect.Value) any {
	switch {
	case v.Kind() == reflect.Pointer:
		return set(v.Elem())
	case v.Kind() != reflect.Struct:
		return v.Interface()
	}
	fields := map[string]any{}
	for f := range Fields(v.Type()) {
		value := v.FieldByIndex(f.Index)
		if value.Kind() == reflect.Pointer && !value.IsNil() && always(f) {
			value = value.Elem() // a zero is as good as none
		}
		if !value.IsZero() && (value.Kind() != reflect.Slice || value.Len() > 0) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			fields[name] = set(value)
		}
	}
	return fields
}

// magnitude is the largest power of two that is no larger than n.
func magnitude(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	return 1 << (bits.Len64(n) - 1)
}
