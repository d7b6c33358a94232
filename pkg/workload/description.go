package workload

import (
	"fmt"
	"strings"

	"h5perf/pkg/fill"
)

// description describes objects without their names, as the rest of a sentence. It includes all that is not the
// default, so that the descriptions of different objects differ.
func (o *Object) description() string {
	switch o.Kind {
	case GroupObject:
		return o.Tracking.description()
	case LinkObject:
		return fmt.Sprintf(", a %v link to %s %s", o.Link.Kind, o.Link.File, o.Link.Path)
	case DatasetObject:
	}
	all := []string{elementsText(o.Dims, o.Null, o.Type)}
	for _, extent := range []struct {
		name string
		of   []uint64
	}{{"extent at first", o.InitialDims}, {"largest extent", o.MaxExtent}, {"chunks", o.Chunk}} {
		if extent.of != nil {
			all = append(all, extent.name+" "+extentText(extent.of))
		}
	}
	if o.Compact {
		all = append(all, "compact")
	}
	if o.External {
		all = append(all, fmt.Sprintf("in an external file from byte %d on", o.Base))
	}
	for _, f := range o.Filters {
		all = append(all, fmt.Sprintf("filter %v", f))
	}
	if o.CompressionRatio > 0 {
		all = append(all, fmt.Sprintf("ratio %v", o.CompressionRatio))
	}
	if o.ValueKind != fill.RandomValues {
		all = append(all, fmt.Sprint("data ", o.ValueKind))
	}
	if o.Fill.Time != "" {
		all = append(all, "fill time "+o.Fill.Time)
	}
	if o.Fill.Allocate != "" {
		all = append(all, "allocation "+o.Fill.Allocate)
	}
	if o.Fill.Value != nil {
		all = append(all, fmt.Sprintf("fill value %x", o.Fill.Value))
	}
	return strings.Join(all, ", ") + o.Tracking.description()
}

// description describes attributes without their names, as the rest of a sentence.
func (a *Attributes) description() string {
	text := elementsText(a.Dims, a.Null, a.Type)
	if a.Count > 1 {
		text += fmt.Sprintf(", %d of this kind", a.Count)
	}
	return text
}

// elementsText describes the extent and the type of a dataset or attribute, as the rest of a sentence.
func elementsText(dims []uint64, null bool, t Type) string {
	extent := "of extent " + extentText(dims)
	if null {
		extent = "without elements"
	}
	return fmt.Sprintf(", %s and type %s", extent, t.description())
}

// description describes the type. Different types have different descriptions.
func (t Type) description() string {
	text := t.String()
	if t.UTF8 {
		text += " in UTF-8"
	}
	switch t.Padding {
	case NullTerminated:
		text += " with a zero at the end"
	case SpacePadding:
		text += " filled up with spaces"
	case ZeroPadding:
	}
	if t.Tag != "" {
		text += fmt.Sprintf(" with tag %q", t.Tag)
	}
	var parts []string
	for _, word := range t.Words {
		parts = append(parts, fmt.Sprintf("%s %d", word.Name, word.Value))
	}
	at := uint64(0)
	for _, m := range t.Members {
		if t.Class == Sequence {
			parts = append(parts, m.Type.description())
			continue
		}
		at += m.Gap
		parts = append(parts, fmt.Sprintf("%s %s at byte %d", m.Name, m.Type.description(), at))
		at += m.Type.Bytes()
	}
	if parts != nil {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	return text
}
