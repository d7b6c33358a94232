package option

import (
	"fmt"
	"slices"
	"strings"

	"h5perf/pkg/plain"
	"h5perf/pkg/units"
	"h5perf/pkg/usage"
)

// MPILibrary is the implementation of MPI-IO that a run uses.
type MPILibrary struct {
	Component Component  // "": not known
	ByDefault bool       // nobody chose it: on Lustre, it may be another one
	OpenMPI   MPIVersion // zero: another MPI
}

// MPIVersion is a version of Open MPI.
type MPIVersion [3]int

// isBefore reports whether a version is older than another one.
func (v MPIVersion) isBefore(other MPIVersion) bool { return slices.Compare(v[:], other[:]) < 0 }

// componentOn returns the implementation that opens files on a file system, or "" if that is not known.
func (l MPILibrary) componentOn(filesystem string) Component {
	if l.ByDefault && filesystem == lustre {
		return ""
	}
	return l.Component
}

// echoesHints reports whether MPI_File_get_info returns the hints that were given, also those that nothing reads. Open
// MPI does so before 5.0, and with OMPIO before 6.0. ROMIO itself returns those that it reads, with the values that it
// uses.
func (l MPILibrary) echoesHints(c Component) bool {
	switch {
	case c != ROMIO:
		return l.OpenMPI.isBefore(MPIVersion{6})
	case l.OpenMPI == (MPIVersion{}):
		return false
	}
	return l.OpenMPI.isBefore(MPIVersion{5})
}

// Types of file systems, as mounts have them.
const (
	lustre = "lustre"
	gpfs   = "gpfs"
	panfs  = "panfs"
	pvfs2  = "pvfs2"
	xfs    = "xfs"
	daos   = "daos"
)

// hintSupport says on which file systems an implementation heeds a hint.
type hintSupport struct {
	types []string   // of file systems; all: any
	since MPIVersion // of Open MPI
}

const all = "*"

var (
	never  = hintSupport{}
	always = hintSupport{types: []string{all}}
)

func supportedOn(types ...string) hintSupport { return hintSupport{types: types} }

// isHeededOn reports whether the hint is heeded on a file system. On one that is not known, it is if it is on any.
func (r hintSupport) isHeededOn(filesystem string) bool {
	return len(r.types) > 0 &&
		(filesystem == "" || slices.Contains(r.types, all) || slices.Contains(r.types, filesystem))
}

// knownHint is a hint that the MPI standard, ROMIO or OMPIO has.
type knownHint struct {
	key          string
	romio, ompio hintSupport
	// What ROMIO does with it where it does not heed it; "": nothing.
	otherwise string
}

// knownHints are the hints for files that are reserved by the MPI standard, and those that are read by ROMIO (MPICH 4.0
// to 4.3, and the copies in Open MPI 4.1 and 5.0: files *hints.c below adio) and by OMPIO (Open MPI 4.1, 5.0 and later:
// ompi/mca/common/ompio, ompi/mca/fs). Parameters of OMPIO, such as io_ompio_num_aggregators, are no hints.
var knownHints = slices.Concat(
	[]knownHint{
		{key: "cb_buffer_size", romio: always, ompio: always},
		{key: "cb_nodes", romio: always, ompio: always},
		{key: "collective_buffering", ompio: always},
		{
			key: "striping_factor", romio: supportedOn(lustre, pvfs2),
			ompio: hintSupport{[]string{lustre}, MPIVersion{4, 1, 6}},
		},
		{
			key: "striping_unit", romio: supportedOn(lustre, pvfs2),
			ompio:     hintSupport{[]string{lustre}, MPIVersion{4, 1, 6}},
			otherwise: "it only aligns the parts of a file that the aggregators write",
		},
	},
	hintsWithSupport(never, never, "access_style", "cb_block_size", "chunked", "chunked_item", "chunked_size",
		"file_perm",
		"filename", "io_node_list", "nb_proc", "num_io_nodes"),
	hintsWithSupport(always, never, "cb_config_list", "ind_rd_buffer_size", "ind_wr_buffer_size", "romio_cb_alltoall",
		"romio_cb_ds_threshold", "romio_cb_fr_alignment", "romio_cb_fr_type", "romio_cb_pfr", "romio_cb_read",
		"romio_cb_write", "romio_ds_read", "romio_ds_write", "romio_min_fdomain_size", "romio_no_indep_rw",
		"romio_synchronized_flush"),
	hintsWithSupport(supportedOn(lustre), never, "romio_lustre_cb_lock_ahead_num_extents",
		"romio_lustre_cb_lock_ahead_read",
		"romio_lustre_cb_lock_ahead_write", "romio_lustre_co_ratio", "romio_lustre_coll_threshold",
		"romio_lustre_ds_in_coll", "romio_lustre_start_iodevice", "start_iodevice"),
	hintsWithSupport(supportedOn(lustre, xfs), never, "direct_read", "direct_write"),
	hintsWithSupport(supportedOn(panfs), never, "panfs_concurrent_write", "panfs_layout_encoding",
		"panfs_layout_max_faults",
		"panfs_layout_parity_stripe_depth", "panfs_layout_parity_stripe_width", "panfs_layout_stripe_unit",
		"panfs_layout_total_num_comps", "panfs_layout_type", "panfs_layout_visit_policy"),
	hintsWithSupport(supportedOn(pvfs2), never, "romio_pvfs2_debugmask", "romio_pvfs2_distribution_name",
		"romio_pvfs2_dtype_read",
		"romio_pvfs2_dtype_write", "romio_pvfs2_listio_read", "romio_pvfs2_listio_write", "romio_pvfs2_posix_read",
		"romio_pvfs2_posix_write"),
	hintsWithSupport(supportedOn(daos), never, "romio_daos_chunk_size", "romio_daos_obj_class"),
	hintsWithSupport(never, supportedOn(lustre, pvfs2), "stripe_size", "stripe_width"),
	hintsWithSupport(never, always, "OMPIO_SHAREDFP_RELAXED_ORDERING"),
	hintsWithSupport(
		never,
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

// hintsWithSupport returns hints that are read alike.
func hintsWithSupport(romio, ompio hintSupport, keys ...string) (all []knownHint) {
	for _, key := range keys {
		all = append(all, knownHint{key: key, romio: romio, ompio: ompio})
	}
	return all
}

// supportBy returns where an implementation heeds the hint.
func (k knownHint) supportBy(c Component, l MPILibrary) hintSupport {
	switch {
	case c == ROMIO:
		return k.romio
	case l.OpenMPI != (MPIVersion{}) && l.OpenMPI.isBefore(k.ompio.since):
		return never
	}
	return k.ompio
}

// HintJudgement is what is known of the effect of hints before a run.
type HintJudgement struct {
	Cautions []plain.Caution // of hints that have no effect, or that nobody knows
	Notes    []string        // of hints of which the library does not tell whether they have an effect
	Ignored  []string        // keys of hints that the library does not read
}

// JudgeHints returns what is known of the effect of the hints with a library on a file system, whose type is "" if it
// is not known.
func (s MPIIO) JudgeHints(l MPILibrary, filesystem string) (j HintJudgement) {
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
		case l.echoesHints(component):
			j.Notes = append(j.Notes,
				"The effect of the hint "+h.Key+" is not known: "+unknownEffectReason(component)+".")
		}
		if ignored {
			j.Ignored = append(j.Ignored, h.Key)
		}
	}
	return j
}

// unknownEffectReason says why it is not known whether a hint has an effect.
func unknownEffectReason(c Component) string {
	if c == "" {
		return "it is not known which implementation of MPI-IO opens the files"
	}
	return c.label() + " reads it, but MPI_File_get_info returns each hint as it was given"
}

// unknownHintCaution returns the caution about a hint that is in no table.
func unknownHintCaution(h units.KeyValue) plain.Caution {
	keys := make([]string, len(knownHints))
	for i, k := range knownHints {
		keys[i] = k.key
	}
	c := plain.Caution{
		Word: "unknown hint",
		Text: "The hint " + h.Key + " is unknown: neither the MPI standard nor ROMIO nor OMPIO has it.",
	}
	if nearest := usage.NearestWord(h.Key, keys); nearest != "" {
		c.Help = "the hint " + nearest
	}
	return c
}

// noEffectCaution says why a hint has no effect, or not the one that its name promises. It returns no text if it may
// have one. ignored reports whether the library does not read it at all.
func (k knownHint) noEffectCaution(c Component, l MPILibrary, filesystem string) (caution plain.Caution, ignored bool) {
	caution.Word = "hint without effect"
	if c == "" { // it may be any
		if k.romio.isHeededOn(filesystem) || k.supportBy(OMPIO, l).isHeededOn(filesystem) || k.otherwise != "" {
			return plain.Caution{}, false
		}
		caution.Text = fmt.Sprintf("Neither ROMIO nor OMPIO heeds the hint %s on %s, so it has no effect.", k.key,
			filesystemText(filesystem))
		return caution, true
	}
	reads, another := k.supportBy(c, l), c.otherComponent()
	switch {
	case reads.isHeededOn(filesystem):
		return plain.Caution{}, false
	case len(reads.types) > 0:
		effect := "it has no effect"
		if ignored = c != ROMIO || k.otherwise == ""; !ignored {
			caution.Word, effect = "hint with another effect", k.otherwise
		}
		caution.Text = fmt.Sprintf("%s heeds the hint %s on %s only; on %s %s.", c.label(), k.key,
			strings.Join(reads.types, " and "), filesystem, effect)
		return caution, ignored
	case k.supportBy(another, MPILibrary{}).isHeededOn(filesystem):
		caution.Text = fmt.Sprintf("%s reads the hint %s, but this run uses %s, so it has no effect.", another.label(),
			k.key, c.label())
		if l.OpenMPI != (MPIVersion{}) && l.OpenMPI.isBefore(MPIVersion{6}) { // which has both
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

// otherComponent returns the other implementation.
func (c Component) otherComponent() Component {
	if c == ROMIO {
		return OMPIO
	}
	return ROMIO
}

// label returns the name of the implementation for people.
func (c Component) label() string { return strings.ToUpper(string(c)) }
