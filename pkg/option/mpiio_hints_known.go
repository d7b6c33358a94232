package option

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/plain"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// MPILibrary describes the implementation of MPI-IO that a run uses.
type MPILibrary struct {
	Component       Component  // "": not known
	ChosenByDefault bool       // not chosen by the user: on Lustre, another one may be used
	OpenMPI         MPIVersion // zero if the MPI library is not Open MPI
}

// MPIVersion is a version of Open MPI.
type MPIVersion [3]int

func (v MPIVersion) isBefore(other MPIVersion) bool { return slices.Compare(v[:], other[:]) < 0 }

// componentOn returns the implementation of MPI-IO that opens files on a type of file system, or "" if it is not known.
func (l MPILibrary) componentOn(filesystem string) Component {
	if l.ChosenByDefault && filesystem == lustre {
		return ""
	}
	return l.Component
}

// returnsAllHints reports whether MPI_File_get_info returns all hints that were set, even those that the library
// ignores. This is so in Open MPI before 5.0, and with OMPIO before 6.0. ROMIO itself returns only the hints that it
// reads, with the values that it uses.
func (l MPILibrary) returnsAllHints(c Component) bool {
	switch {
	case c != ROMIO:
		return l.OpenMPI.isBefore(MPIVersion{6})
	case l.OpenMPI == (MPIVersion{}):
		return false
	}
	return l.OpenMPI.isBefore(MPIVersion{5})
}

// Types of file systems, as named in the table of mounts.
const (
	lustre = "lustre"
	gpfs   = "gpfs"
	panfs  = "panfs"
	pvfs2  = "pvfs2"
	xfs    = "xfs"
	daos   = "daos"
)

// VariedHints returns hints with values that may make a difference.
func VariedHints() []units.KeyValue {
	return []units.KeyValue{
		{Key: "cb_nodes", Value: "1"},
		{Key: "cb_buffer_size", Value: "67108864"},
		{Key: "romio_cb_write", Value: "enable"},
		{Key: "romio_cb_write", Value: "disable"},
		{Key: "romio_cb_read", Value: "enable"},
		{Key: "romio_cb_read", Value: "disable"},
		{Key: "romio_ds_write", Value: "disable"},
		{Key: "romio_ds_read", Value: "disable"},
		{Key: "striping_factor", Value: "-1"},
		{Key: "striping_unit", Value: "4194304"},
	}
}

// IsKnownHint reports whether the MPI standard, ROMIO or OMPIO has a hint with this key.
func IsKnownHint(key string) bool {
	return slices.ContainsFunc(knownHints, func(h knownHint) bool { return h.key == key })
}

// hintSupport says on which file systems an implementation uses a hint.
type hintSupport struct {
	types []string   // of file systems; all for any type
	since MPIVersion // first version of Open MPI that uses the hint
}

const anyFilesystem = "*"

var (
	neverUsed  = hintSupport{}
	alwaysUsed = hintSupport{types: []string{anyFilesystem}}
)

func supportedOn(types ...string) hintSupport { return hintSupport{types: types} }

// isUsedOn reports whether the hint is used on a type of file system. For "", an unknown type, it reports whether the
// hint is used on any type.
func (r hintSupport) isUsedOn(filesystem string) bool {
	return len(r.types) > 0 &&
		(filesystem == "" || slices.Contains(r.types, anyFilesystem) || slices.Contains(r.types, filesystem))
}

// knownHint is a hint in the MPI standard, ROMIO or OMPIO.
type knownHint struct {
	key          string
	romio, ompio hintSupport
	// Other effect of the hint in ROMIO, on file systems that romio does not list; "": none.
	otherEffect string
}

// knownHints lists the hints for files that the MPI standard reserves, and the hints that are read by ROMIO (MPICH 4.0
// to 4.3, and the copies in Open MPI 4.1 and 5.0: files *hints.c below adio) and by OMPIO (Open MPI 4.1, 5.0 and later:
// ompi/mca/common/ompio, ompi/mca/fs). Parameters of OMPIO, such as io_ompio_num_aggregators, are not hints.
var knownHints = slices.Concat(
	[]knownHint{
		{key: "cb_buffer_size", romio: alwaysUsed, ompio: alwaysUsed},
		{key: "cb_nodes", romio: alwaysUsed, ompio: alwaysUsed},
		{key: "collective_buffering", ompio: alwaysUsed},
		{
			key: "striping_factor", romio: supportedOn(lustre, pvfs2),
			ompio: hintSupport{[]string{lustre}, MPIVersion{4, 1, 6}},
		},
		{
			key: "striping_unit", romio: supportedOn(lustre, pvfs2),
			ompio:       hintSupport{[]string{lustre}, MPIVersion{4, 1, 6}},
			otherEffect: "it only aligns the parts of a file that the aggregators write",
		},
	},
	hintsSupportedOn(neverUsed, neverUsed, "access_style", "cb_block_size", "chunked", "chunked_item", "chunked_size",
		"file_perm",
		"filename", "io_node_list", "nb_proc", "num_io_nodes"),
	hintsSupportedOn(alwaysUsed, neverUsed, "cb_config_list", "ind_rd_buffer_size", "ind_wr_buffer_size",
		"romio_cb_alltoall",
		"romio_cb_ds_threshold", "romio_cb_fr_alignment", "romio_cb_fr_type", "romio_cb_pfr", "romio_cb_read",
		"romio_cb_write", "romio_ds_read", "romio_ds_write", "romio_min_fdomain_size", "romio_no_indep_rw",
		"romio_synchronized_flush"),
	hintsSupportedOn(supportedOn(lustre), neverUsed, "romio_lustre_cb_lock_ahead_num_extents",
		"romio_lustre_cb_lock_ahead_read",
		"romio_lustre_cb_lock_ahead_write", "romio_lustre_co_ratio", "romio_lustre_coll_threshold",
		"romio_lustre_ds_in_coll", "romio_lustre_start_iodevice", "start_iodevice"),
	hintsSupportedOn(supportedOn(lustre, xfs), neverUsed, "direct_read", "direct_write"),
	hintsSupportedOn(supportedOn(panfs), neverUsed, "panfs_concurrent_write", "panfs_layout_encoding",
		"panfs_layout_max_faults",
		"panfs_layout_parity_stripe_depth", "panfs_layout_parity_stripe_width", "panfs_layout_stripe_unit",
		"panfs_layout_total_num_comps", "panfs_layout_type", "panfs_layout_visit_policy"),
	hintsSupportedOn(supportedOn(pvfs2), neverUsed, "romio_pvfs2_debugmask", "romio_pvfs2_distribution_name",
		"romio_pvfs2_dtype_read",
		"romio_pvfs2_dtype_write", "romio_pvfs2_listio_read", "romio_pvfs2_listio_write", "romio_pvfs2_posix_read",
		"romio_pvfs2_posix_write"),
	hintsSupportedOn(supportedOn(daos), neverUsed, "romio_daos_chunk_size", "romio_daos_obj_class"),
	hintsSupportedOn(neverUsed, supportedOn(lustre, pvfs2), "stripe_size", "stripe_width"),
	hintsSupportedOn(neverUsed, alwaysUsed, "OMPIO_SHAREDFP_RELAXED_ORDERING"),
	hintsSupportedOn(
		neverUsed,
		supportedOn(gpfs),
		"useSIOXLib",
		"gpfsAccessRange",
		"gpfsByteRange",
		"gpfsCancelHints",
		"gpfsClearFileCache",
		"gpfsFreeRange",
		"gpfsRestripeData",
		"gpfsSetReplication",
		"sioxAccessRange",
		"sioxByteRange",
		"sioxCancelHints",
		"sioxClearFileCache",
		"sioxDataShipStart",
		"sioxDataShipStop",
		"sioxFreeRange",
		"sioxRestripeData",
		"sioxSetReplication",
	),
)

// hintsSupportedOn returns a knownHint for each key. romio and ompio say on which file systems these implementations
// use the hints.
func hintsSupportedOn(romio, ompio hintSupport, keys ...string) (all []knownHint) {
	for _, key := range keys {
		all = append(all, knownHint{key: key, romio: romio, ompio: ompio})
	}
	return all
}

// supportIn returns on which file systems an implementation of MPI-IO uses the hint.
func (k knownHint) supportIn(c Component, l MPILibrary) hintSupport {
	switch {
	case c == ROMIO:
		return k.romio
	case l.OpenMPI != (MPIVersion{}) && l.OpenMPI.isBefore(k.ompio.since):
		return neverUsed
	}
	return k.ompio
}

// HintEffects is what is known about the effect of hints before a run.
type HintEffects struct {
	Cautions []plain.Caution // about hints that have no effect, or are unknown
	Notes    []string        // about hints whose effect the library does not report
	Ignored  []string        // keys of hints that the library does not read
}

// FindHintEffects returns what is known about the effect of the hints. l is the library; filesystem is the type of the
// file system, or "" if it is not known.
func (s MPIIO) FindHintEffects(l MPILibrary, filesystem string) (j HintEffects) {
	component := l.componentOn(filesystem)
	for _, h := range s.Hints {
		i := slices.IndexFunc(knownHints, func(k knownHint) bool { return k.key == h.Key })
		if i < 0 {
			j.Cautions = append(j.Cautions, unknownHintCaution(h))
			if component != "" {
				j.Ignored = append(j.Ignored, h.Key)
			}
			continue
		}
		caution, ignored := knownHints[i].noEffectCaution(component, l, filesystem)
		switch {
		case caution.Text != "":
			j.Cautions = append(j.Cautions, caution)
		case l.returnsAllHints(component):
			j.Notes = append(j.Notes,
				"The effect of the hint "+h.Key+" is not known: "+unknownEffectReason(component)+".")
		}
		if ignored {
			j.Ignored = append(j.Ignored, h.Key)
		}
	}
	return j
}

// unknownEffectReason returns the reason why the effect of a hint is not known.
func unknownEffectReason(c Component) string {
	if c == "" {
		return "it is not known which implementation of MPI-IO opens the files"
	}
	return c.label() + " reads it, but MPI_File_get_info returns each hint as it was given"
}

// unknownHintCaution returns the caution about a hint that is not in knownHints.
func unknownHintCaution(h units.KeyValue) plain.Caution {
	keys := make([]string, len(knownHints))
	for i, k := range knownHints {
		keys[i] = k.key
	}
	c := plain.Caution{
		Keyword: "unknown hint",
		Text:    "The hint " + h.Key + " is unknown: neither the MPI standard nor ROMIO nor OMPIO has it.",
	}
	if nearest := usage.NearestWord(h.Key, keys); nearest != "" {
		c.Help = "the hint " + nearest
	}
	return c
}

// noEffectCaution returns a caution that says why a hint has no effect, or an effect that its name does not suggest. It
// returns an empty caution if the hint may work. ignored reports whether the library does not read the hint at all.
func (k knownHint) noEffectCaution(c Component, l MPILibrary, filesystem string) (caution plain.Caution, ignored bool) {
	caution.Keyword = "hint without effect"
	if c == "" { // any implementation is possible
		if k.romio.isUsedOn(filesystem) || k.supportIn(OMPIO, l).isUsedOn(filesystem) || k.otherEffect != "" {
			return plain.Caution{}, false
		}
		caution.Text = fmt.Sprintf("Neither ROMIO nor OMPIO heeds the hint %s on %s, so it has no effect.", k.key,
			filesystemText(filesystem))
		return caution, true
	}
	reads, another := k.supportIn(c, l), c.otherComponent()
	switch {
	case reads.isUsedOn(filesystem):
		return plain.Caution{}, false
	case len(reads.types) > 0:
		effect := "it has no effect"
		if ignored = c != ROMIO || k.otherEffect == ""; !ignored {
			caution.Keyword, effect = "hint with another effect", k.otherEffect
		}
		caution.Text = fmt.Sprintf("%s heeds the hint %s on %s only; on %s %s.", c.label(), k.key,
			strings.Join(reads.types, " and "), filesystem, effect)
		return caution, ignored
	case k.supportIn(another, MPILibrary{}).isUsedOn(filesystem):
		caution.Text = fmt.Sprintf("%s reads the hint %s, but this run uses %s, so it has no effect.", another.label(),
			k.key, c.label())
		if l.OpenMPI != (MPIVersion{}) && l.OpenMPI.isBefore(MPIVersion{6}) { // these versions have both
			caution.Help = fmt.Sprintf("--io-component %s", another)
		}
	default:
		caution.Text = fmt.Sprintf("%s does not read the hint %s, so it has no effect.", c.label(), k.key)
	}
	return caution, true
}

func filesystemText(filesystem string) string {
	if filesystem == "" {
		return "any file system"
	}
	return filesystem
}

func (c Component) otherComponent() Component {
	if c == ROMIO {
		return OMPIO
	}
	return ROMIO
}

// label returns the name of the implementation for people.
func (c Component) label() string { return strings.ToUpper(string(c)) }
