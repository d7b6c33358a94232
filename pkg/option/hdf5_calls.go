package option

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// hdf5Call is how an application sets a setting. In the texts, {name} stands for the value of the setting name. The
// words of a setting have other names in the texts, in the order of its words.
type hdf5Call struct {
	c      string // statements, for the lists fapl, fcpl, dcpl, gcpl and dxpl
	cWords string // "": it is a switch
	python string // for h5py 3.7: keywords of a call, or statements; "": h5py has none
	words  string // of python; a word - has no form
}

const (
	setAlignment = "H5Pset_alignment(fapl, {threshold}, {align});"
	pyAlignment  = "h5py.File(..., alignment_threshold={threshold}, alignment_interval={align})"
	setLibver    = "H5Pset_libver_bounds(fapl, {libver}, {libver-high});"
	pyLibver     = "h5py.File(..., libver=({libver}, {libver-high}))"
	pyLibvers    = "'v108' 'v110' 'v112' - 'latest'"
	cLibvers     = "H5F_LIBVER_V18 H5F_LIBVER_V110 H5F_LIBVER_V112 H5F_LIBVER_V114 H5F_LIBVER_LATEST"
	dcplOf       = "dcpl = h5py.h5p.create(h5py.h5p.DATASET_CREATE); "
	withDcpl     = "; group.create_dataset(..., dcpl=dcpl)"
	faplOf       = "fapl = h5py.h5p.create(h5py.h5p.FILE_ACCESS); "
	withFapl     = "; h5py.File(h5py.h5f.create(name, fapl=fapl))"
	cacheConfig  = "H5AC_cache_config_t config = {.version = H5AC__CURR_CACHE_CONFIG_VERSION}; " +
		"H5Pget_mdc_config(fapl, &config); "
	metadataReads = ");H5Pset_all_coll_metadata_ops(fapl," // between the words for writes and reads
	withConfig    = " H5Pset_mdc_config(fapl, &config);"
)

// hdf5Calls holds the calls of all settings.
var hdf5Calls = map[string]hdf5Call{
	"sieve-buffer": {
		c:      "H5Pset_sieve_buf_size(fapl, {sieve-buffer});",
		python: faplOf + "fapl.set_sieve_buf_size({sieve-buffer})" + withFapl,
	},
	"align":            {c: setAlignment, python: pyAlignment},
	"threshold":        {c: setAlignment, python: pyAlignment},
	"meta-block-size":  {c: "H5Pset_meta_block_size(fapl, {meta-block-size});"},
	"small-data-block": {c: "H5Pset_small_data_block_size(fapl, {small-data-block});"},
	"fill-time": {
		"H5Pset_fill_time(dcpl, {fill-time});", "H5D_FILL_TIME_NEVER H5D_FILL_TIME_IFSET H5D_FILL_TIME_ALLOC",
		dcplOf + "dcpl.set_fill_time(h5py.h5d.{fill-time})" + withDcpl,
		"FILL_TIME_NEVER FILL_TIME_IFSET FILL_TIME_ALLOC",
	},
	"allocation-time": {
		"H5Pset_alloc_time(dcpl, {allocation-time});", "H5D_ALLOC_TIME_EARLY H5D_ALLOC_TIME_LATE H5D_ALLOC_TIME_INCR",
		dcplOf + "dcpl.set_alloc_time(h5py.h5d.{allocation-time})" + withDcpl,
		"ALLOC_TIME_EARLY ALLOC_TIME_LATE ALLOC_TIME_INCR",
	},
	"object-times": {
		c:      "H5Pset_obj_track_times(dcpl, {object-times});",
		python: "group.create_dataset(..., track_times={object-times})",
	},
	"minimized-headers": {c: "H5Pset_dset_no_attrs_hint(dcpl, {minimized-headers});"},
	"compact-attributes": {
		c:      "H5Pset_attr_phase_change(dcpl, {compact-attributes}, {compact-attributes}-2);",
		python: dcplOf + "dcpl.set_attr_phase_change({compact-attributes}, {compact-attributes}-2)" + withDcpl,
	},
	"compact-links": {c: "H5Pset_link_phase_change(gcpl, {compact-links}, {compact-links}-2);"},
	"defer-metadata": {
		cacheConfig + "config.evictions_enabled = !{defer-metadata}; config.incr_mode = H5C_incr__off; " +
			"config.flash_incr_mode = H5C_flash_incr__off; config.decr_mode = H5C_decr__off;" + withConfig, "",
		faplOf + "config = fapl.get_mdc_config(); config.evictions_enabled = not {defer-metadata}; " +
			"config.incr_mode = config.flash_incr_mode = config.decr_mode = 0; fapl.set_mdc_config(config)" + withFapl,
		"",
	},
	"metadata-cache": {
		c: cacheConfig + "config.set_initial_size = 1; config.initial_size = {metadata-cache}; " +
			"if (config.min_size > config.initial_size) config.min_size = config.initial_size; " +
			"if (config.max_size < config.initial_size) config.max_size = config.initial_size;" + withConfig,
		python: faplOf + "config = fapl.get_mdc_config(); config.set_initial_size = True; " +
			"config.initial_size = {metadata-cache}; config.min_size = min(config.min_size, {metadata-cache}); " +
			"config.max_size = max(config.max_size, {metadata-cache}); fapl.set_mdc_config(config)" + withFapl,
	},
	"evict-on-close": {c: "H5Pset_evict_on_close(fapl, {evict-on-close});"},
	"libver":         {setLibver, "H5F_LIBVER_EARLIEST " + cLibvers, pyLibver, "'earliest' " + pyLibvers},
	"libver-high":    {setLibver, cLibvers, pyLibver, pyLibvers},
	"paged-allocation": {
		c: "H5Pset_file_space_strategy(fcpl, H5F_FSPACE_STRATEGY_PAGE, 0, 1); " +
			"H5Pset_file_space_page_size(fcpl, {paged-allocation});",
		python: "h5py.File(..., fs_strategy='page', fs_page_size={paged-allocation})",
	},
	"page-buffer": {
		c: "H5Pset_page_buffer_size(fapl, {page-buffer}, 0, 0);", python: "h5py.File(..., page_buf_size={page-buffer})",
	},
	"file-locking": {
		"H5Pset_file_locking(fapl, {file-locking});", "0,0 1,0 1,1",
		"h5py.File(..., locking={file-locking})", "False True 'best-effort'",
	},
	"collective-metadata": {
		c:      "H5Pset_coll_metadata_write(fapl, {collective-metadata});",
		cWords: "0" + metadataReads + "0 1" + metadataReads + "0 0" + metadataReads + "1 1" + metadataReads + "1",
	},
	"chunk-cache": {
		c: "size_t slots; double preemption; H5Pget_cache(fapl, NULL, &slots, NULL, &preemption); " +
			"H5Pset_cache(fapl, 0, slots, {chunk-cache}, preemption);",
		python: "h5py.File(..., rdcc_nbytes={chunk-cache})",
	},
	"chunk-io": {
		c:      "H5Pset_dxpl_mpio_chunk_opt(dxpl, {chunk-io});",
		cWords: "H5FD_MPIO_CHUNK_DEFAULT H5FD_MPIO_CHUNK_ONE_IO H5FD_MPIO_CHUNK_MULTI_IO",
	},
	"link-threshold": {c: "H5Pset_dxpl_mpio_chunk_opt_num(dxpl, {link-threshold});"},
	"multi-percent":  {c: "H5Pset_dxpl_mpio_chunk_opt_ratio(dxpl, {multi-percent});"},
	"collective-io": {
		c:      "H5Pset_dxpl_mpio_collective_opt(dxpl, {collective-io});",
		cWords: "H5FD_MPIO_COLLECTIVE_IO H5FD_MPIO_INDIVIDUAL_IO",
	},
	"selection-io": {
		c:      "H5Pset_selection_io(dxpl, {selection-io});",
		cWords: "H5D_SELECTION_IO_MODE_DEFAULT H5D_SELECTION_IO_MODE_ON H5D_SELECTION_IO_MODE_OFF",
	},
	"conversion-buffer": {c: "H5Pset_buffer(dxpl, {conversion-buffer}, NULL, NULL);"},
}

// Calls returns how an application sets the named settings to their values in s: statements in C, for property lists
// with the names fapl, fcpl, dcpl, gcpl and dxpl, and calls in Python with h5py 3.7. without names the settings for
// which h5py has no call.
func (s HDF5) Calls(names []string) (c, python, without []string) {
	add := func(lines *[]string, line string) {
		if !slices.Contains(*lines, line) {
			*lines = append(*lines, line)
		}
	}
	for _, name := range names {
		call := hdf5Calls[name]
		add(&c, s.fillCall(call.c, "1 0", func(h hdf5Call) string { return h.cWords }))
		line := s.fillCall(call.python, "True False", func(h hdf5Call) string { return h.words })
		if line == "" {
			add(&without, name)
			continue
		}
		add(&python, line)
	}
	return c, python, without
}

// fillCall replaces {name} in a text by the value of the setting name, or by its default. wordsOf returns the names of
// words, and "" for a switch. fillCall returns "" if a word has no name.
func (s HDF5) fillCall(text, switches string, wordsOf func(hdf5Call) string) string {
	for _, r := range AllHDF5Settings() {
		key := "{" + r.Name + "}"
		if !strings.Contains(text, key) {
			continue
		}
		value := cmp.Or(r.ValueText(s), r.Default())
		if words := r.ValidWords(); words != nil {
			names := strings.Fields(cmp.Or(wordsOf(hdf5Calls[r.Name]), switches))
			value = names[max(0, slices.Index(words, value))]
			if value == "-" {
				return ""
			}
			value = strings.NewReplacer(",", ", ", ";", "; ").Replace(value)
		} else if n, err := strconv.ParseUint(value, 10, 64); err == nil {
			text = strings.ReplaceAll(text, key+"-2", fmt.Sprint(n-min(n, 2)))
		}
		text = strings.TrimSpace(strings.ReplaceAll(text, key, value))
	}
	return text
}
