// Package option declares each option of a run once, with its check and its default. The command line, the document,
// its schema and the settings of scripts are generated from these structs. The packages between the command line and an
// engine only pass them on.
//
// Each field is an option. Besides the tags of kong and encoding/json, a field may have these tags:
//
//	brief    the brief help (-h) has the option, with this text or, if it is empty, with the text of the tag help
//	without  name of a default that is the same in all libraries: the document has "" instead, so that runs
//	         that name the default are comparable with runs that do not
//	words    the phrase in reports for the condition, with VALUE in place of the value
//	vary     values with which 'vary settings' measures whether the setting makes a difference; varyserial: in the
//	         serial tool
//	zero     0 means the same as no value: with "none" documents leave it out, with "default" they may have the 0
//	signed   the number may be negative
//
// The fields of HDF5 with the tag type are settings: see HDF5Setting. They may have these tags, too:
//
//	range    smallest and largest size, or the smallest alone; the default in the tag without is valid, too
//	since    first version of HDF5 with the setting, if h5perf supports versions without it
//	needs    what a run must have so that the setting has an effect: see SettingNeed
//	why      why it has no effect otherwise
package option

import "h5perf/pkg/usage"

// HDF5 holds the HDF5 settings that do not belong to the access pattern. Nil or "" means not given; Complete fills in
// the settings that the document always shows. The tags of a field name it in the document (json) and on the command
// line (tags of kong). The options for the file driver, and for settings that need several processes, differ between
// the tools: see SerialOptions and ParallelOptions.
type HDF5 struct {
	// parallel: mpio, mpiposix or subfiling; serial: sec2, stdio, core, split, multi, family or direct
	Driver         Driver          `json:"hdf5_driver" kong:"-"`
	DriverSettings *DriverSettings `json:"hdf5_driver_settings,omitempty" kong:"-"`
	// absent: HDF5's default
	SieveBufferBytes *uint64 `json:"sieve_buffer_bytes,omitempty" varyserial:"0,1M" name:"sieve-buffer" type:"size" group:"api" needs:"stored" why:"HDF5 moves external data without it" help:"Size of the sieve buffer of HDF5, which combines small transfers in contiguous layout (default of HDF5: 64K${sieve_default}). 0 means none."`
	AlignmentBytes   *uint64 `json:"alignment_bytes" vary:"4K,1M" without:"1" range:"1" name:"align" short:"a" type:"size" group:"api" help:"Align objects in the HDF5 file to multiples of SIZE (default 1)."`
	ThresholdBytes   *uint64 `json:"threshold_bytes" without:"1" name:"threshold" short:"T" type:"size" group:"api" help:"Align only objects of at least SIZE (default 1)."`
	// metadata are allocated in blocks of this size; absent: HDF5's default
	MetaBlockBytes *uint64 `json:"hdf5_meta_block_bytes,omitempty" vary:"1M" name:"meta-block-size" type:"size" group:"api" help:"Allocate the metadata of an HDF5 file in blocks of at least SIZE (default of HDF5: 2K). 0 means none."`
	// raw data of small datasets are allocated in blocks of this size; absent: HDF5's default
	SmallDataBlockBytes *uint64 `json:"hdf5_small_data_block_bytes,omitempty" vary:"64K" name:"small-data-block" type:"size" kong:"-" needs:"stored" why:"HDF5 allocates nothing in external files" help:"Allocate the raw data of small datasets in blocks of at least SIZE. 0 means none."`
	// never or alloc; absent: HDF5's default, ifset, and with mpiposix never
	FillTime FillTime `json:"hdf5_fill_time,omitempty" vary:"never" without:"ifset" type:"word" group:"api" needs:"stored" why:"HDF5 does not fill external files" help:"When HDF5 writes fill values to the new storage of a dataset: never; ifset (default): in chunks, but not in contiguous datasets; alloc: always."`
	// when the storage of datasets is allocated; absent: HDF5's default, which depends on layout and driver
	AllocationTime AllocationTime `json:"hdf5_allocation_time,omitempty" vary:"early,late,incremental" type:"word" kong:"-" needs:"stored" why:"HDF5 allocates nothing in external files" help:"When HDF5 allocates the storage of a dataset: early (when it is created), late (at the first write) or incremental (each chunk at its first write). The default depends on layout and file driver. In files that several processes open together, it is always early, unless the dataset has filters."`
	// datasets have times of their creation and change; absent: HDF5's default
	ObjectTimes *bool `json:"hdf5_object_times,omitempty" vary:"off" name:"object-times" type:"switch" placeholder:"on|off" kong:"-" help:"Keep the times of the creation and of changes of each dataset (H5Pset_obj_track_times)."`
	// headers of datasets have no room for attributes; absent: no
	MinimizedHeaders *bool `json:"hdf5_minimized_headers,omitempty" vary:"on" without:"off" type:"switch" placeholder:"on|off" kong:"-" help:"Make the headers of datasets as small as possible, without room for attributes (H5Pset_dset_no_attrs_hint)."`
	// largest number of attributes that the header of an object holds; absent: HDF5's default
	CompactAttributes *uint64 `json:"hdf5_compact_attributes,omitempty" vary:"0,64" without:"8" range:"0 65535" name:"compact-attributes" type:"size" kong:"-" needs:"new-format" why:"the old format keeps all attributes in headers" help:"Largest number of attributes that the header of an object holds (max_compact of H5Pset_attr_phase_change, with a min_dense that is lower by 2; default 8). More attributes are in dense storage."`
	// largest number of links that the header of a group holds; absent: HDF5's default
	CompactLinks *uint64 `json:"hdf5_compact_links,omitempty" vary:"0,64" without:"8" range:"0 65535" name:"compact-links" type:"size" kong:"-" needs:"new-format" why:"the old format keeps all links outside of headers" help:"Largest number of links that the header of a group holds (max_compact of H5Pset_link_phase_change, with a min_dense that is lower by 2; default 8). More links are in dense storage."`
	// metadata stay in memory until the file is flushed or closed: the metadata cache evicts nothing and keeps its
	// size; absent: no
	DeferMetadata *bool `json:"hdf5_deferred_metadata,omitempty" vary:"on" without:"off" type:"switch" placeholder:"on|off" group:"api" help:"Keep the metadata of an HDF5 file in memory until the file is flushed or closed: the metadata cache evicts nothing, and keeps its size (default off)."`
	// size of the metadata cache when a file is opened; absent: HDF5's default
	MetadataCacheBytes *uint64 `json:"hdf5_metadata_cache_bytes,omitempty" vary:"16M" name:"metadata-cache" type:"size" range:"1K 128M" kong:"-" help:"Size of the metadata cache when a file is opened (initial_size of H5Pset_mdc_config). Later HDF5 adjusts it, unless metadata are deferred."`
	// metadata of an object leave the cache when the object is closed; absent: no
	EvictOnClose *bool `json:"hdf5_evict_on_close,omitempty" vary:"on" without:"off" type:"switch" placeholder:"on|off" group:"api" needs:"serial" why:"HDF5 cannot use it for a file that several processes open" help:"Remove the metadata of an object from the cache when the object is closed (H5Pset_evict_on_close; default off). Serial runs only."`
	// lowest version of the file format. Absent: HDF5's default, which depends on its version: earliest before HDF5
	// 2.0, v18 since then.
	Libver Libver `json:"hdf5_libver,omitempty" vary:"latest" type:"word" group:"api" help:"Lowest version of the HDF5 file format that may be used: earliest, v18, v110, v112, v114 or latest, if the library supports it (H5Pset_libver_bounds; the upper bound is latest, unless it is set). HDF5's default is earliest before 2.0 and v18 since then."`
	// highest version of the file format; absent: latest
	LibverHigh HighLibver `json:"hdf5_libver_high,omitempty" without:"latest" type:"word" kong:"-" help:"Highest version of the HDF5 file format that may be used, so that older libraries can read the file (H5Pset_libver_bounds)."`
	// file space is allocated in pages of this size; absent: no pages
	PageBytes *uint64 `json:"hdf5_page_bytes,omitempty" vary:"64K" without:"0" range:"512 1G" name:"paged-allocation" type:"size" group:"api" help:"Allocate the space of an HDF5 file in pages of SIZE, 512 to 1G; a page holds either metadata or raw data (default: 0, no pages). Alignment and metadata blocks then have no effect."`
	// pages of a file that are kept in memory; absent: none
	PageBufferBytes *uint64 `json:"hdf5_page_buffer_bytes,omitempty" without:"0" name:"page-buffer" type:"size" kong:"-" needs:"serial" why:"HDF5 has no page buffer for a file that several processes open" help:"Keep up to SIZE of the pages of a file in memory (H5Pset_page_buffer_size). It needs paged allocation."`
	// whether files are locked; absent: HDF5's default, which depends on the build of the library
	FileLocking FileLocking `json:"hdf5_file_locking,omitempty" vary:"off" type:"word" kong:"-" needs:"own-files" why:"the file drivers for several processes lock no files" since:"1.10.7, 1.12.1" help:"Lock files while they are open: off, on, or best-effort (not if the file system has no locks; H5Pset_file_locking). HDF5_USE_FILE_LOCKING must not be set."`
	// writes, reads or both; absent: HDF5's default, off
	CollectiveMetadata CollectiveMetadata `json:"hdf5_collective_metadata,omitempty" vary:"both" without:"off" type:"word" group:"api" needs:"parallel" why:"with others, each process reads and writes metadata by itself" help:"Which transfers of metadata of an HDF5 file are collective: writes (H5Pset_coll_metadata_write), reads (H5Pset_all_coll_metadata_ops), both, or none of them (off, the default). It applies to files that all processes open together. Parallel runs only."`
	// absent: HDF5's default
	ChunkCacheBytes *uint64 `json:"chunk_cache_bytes,omitempty" vary:"16M" name:"chunk-cache" type:"size" group:"api" needs:"chunks" why:"datasets of contiguous layout have no chunks" help:"Size of the chunk cache of a dataset in HDF5 (default of HDF5: 1M before 2.0, 8M since then). 0 means none. For datasets in chunks."`
	// how a collective transfer moves chunks; absent: HDF5 decides
	ChunkIO ChunkIO `json:"hdf5_chunk_io,omitempty" vary:"link,multi" without:"default" name:"chunk-io" type:"word" kong:"-" needs:"collective chunks" why:"it says how a collective transfer moves chunks" help:"How a collective transfer moves the chunks of a dataset: link (all chunks in one call of MPI-IO), multi (a call for each chunk), or as HDF5 decides (default; H5Pset_dxpl_mpio_chunk_opt)."`
	// chunks of a process, on average, from which HDF5 moves all chunks in one call; absent: HDF5's default
	LinkThreshold *uint64 `json:"hdf5_link_threshold,omitempty" range:"0 2G" name:"link-threshold" type:"size" kong:"-" needs:"collective chunks chosen-chunk-io" why:"HDF5 uses it to decide how a collective transfer moves chunks" help:"Average number of chunks of a process from which a collective transfer moves all chunks in one call (H5Pset_dxpl_mpio_chunk_opt_num)."`
	// percentage of processes with data in a chunk from which the chunk is transferred collectively; absent: HDF5's
	// default
	MultiPercent *uint64 `json:"hdf5_multi_percent,omitempty" range:"0 100" name:"multi-percent" type:"size" kong:"-" needs:"collective chunks" why:"it says which chunks are transferred collectively" help:"Percentage of processes with data in a chunk from which the chunk is transferred collectively, if each chunk has a call (H5Pset_dxpl_mpio_chunk_opt_ratio)."`
	// how MPI-IO executes collective transfers; absent: collective
	CollectiveIO CollectiveIO `json:"hdf5_collective_io,omitempty" vary:"individual" without:"collective" name:"collective-io" type:"word" kong:"-" needs:"collective" why:"it says how MPI-IO executes a collective transfer" help:"Which calls of MPI-IO execute a collective transfer: collective, or individual, which each process makes by itself (H5Pset_dxpl_mpio_collective_opt)."`
	// whether file drivers get selections instead of addresses; absent: HDF5 decides
	SelectionIO SelectionIO `json:"hdf5_selection_io,omitempty" vary:"on,off" without:"default" name:"selection-io" type:"word" kong:"-" since:"1.14.1" help:"Pass whole selections to the file driver: on, off, or as HDF5 decides (default; H5Pset_selection_io)."`
	// buffer for the conversion of types; absent: HDF5's default
	ConversionBufferBytes *uint64 `json:"hdf5_conversion_buffer_bytes,omitempty" vary:"16M" name:"conversion-buffer" type:"size" range:"1" kong:"-" needs:"conversion" why:"it holds elements whose type differs between memory and file" help:"Size of the buffer in which HDF5 converts elements between their types in memory and in the file (H5Pset_buffer)."`
}

// DriverSettings are the settings of an HDF5 file driver. Only fields for settings of the driver in use are set.
type DriverSettings struct {
	SerialSettings
	SubfilingSettings
}

// SerialSettings are the settings of the file drivers for one process.
type SerialSettings struct {
	CoreIncrementBytes *uint64 `json:"core_increment_bytes,omitempty" name:"core-increment" type:"size" group:"driver" help:"core: the memory grows in steps of SIZE (default 1M)."`
	CoreBackingStore   *bool   `json:"core_backing_store,omitempty" type:"switch" placeholder:"on|off" group:"driver" help:"core: write the memory to a file when the file is closed (default on). off needs -w."`
	FamilyMemberBytes  *uint64 `json:"family_member_bytes,omitempty" name:"family-member" type:"size" group:"driver" help:"family: size of each file (default 1M)."`
	// alignment of memory addresses
	DirectAlignmentBytes *uint64 `json:"direct_alignment_bytes,omitempty" name:"direct-alignment" type:"size" group:"driver" help:"direct: alignment in memory, a power of 2 (default 1K)."`
	// block size of the file system
	DirectBlockBytes *uint64 `json:"direct_block_bytes,omitempty" name:"direct-block" type:"size" group:"driver" help:"direct: block size of the file system (default 4K)."`
	// size of the buffer that data without alignment are copied through
	DirectBufferBytes *uint64 `json:"direct_buffer_bytes,omitempty" name:"direct-buffer" type:"size" group:"driver" help:"direct: size of the buffer for data that are not aligned (default 32K). The size must be a multiple of the block size."`
	// default or metadata
	MultiMap MultiMap `json:"multi_map,omitempty" type:"word" group:"driver" help:"multi: default makes one file for each kind of data. metadata makes one file for all metadata, and one for raw data."`
}

// SubfilingSettings are the settings of the file driver subfiling.
type SubfilingSettings struct {
	// stripe size: consecutive bytes of the file in one subfile
	SubfilingStripeBytes *uint64 `json:"subfiling_stripe_bytes,omitempty" name:"subfiling-stripe" type:"size" group:"driver" help:"Bytes in one subfile before the next subfile is used (default 32M)."`
	// number of subfiles; absent: one for each concentrator
	SubfilingFiles *int `json:"subfiling_files,omitempty" type:"count" group:"driver" help:"Number of subfiles per file (default: one for each concentrator)."`
	// number of concentrators per node: processes that do the I/O for all processes
	SubfilingPerNode *int `json:"subfiling_per_node,omitempty" type:"count" group:"driver" help:"Number of concentrators per node. A concentrator is a process that does the I/O for others (default 1)."`
	// number of threads per concentrator
	SubfilingThreads *int `json:"subfiling_threads,omitempty" type:"count" group:"driver" help:"Number of threads per concentrator (default 4)."`
}

// FillTime states when HDF5 writes fill values to the storage of a dataset.
type FillTime string

// The fill times. FillIfSet is HDF5's default.
const (
	FillNever FillTime = "never"
	FillIfSet FillTime = "ifset"
	FillAlloc FillTime = "alloc"
)

// Values returns the names of all fill times.
func (FillTime) Values() []string { return usage.Strings(allFillTimes()) }

func allFillTimes() []FillTime { return []FillTime{FillNever, FillIfSet, FillAlloc} }

// CollectiveMetadata states which transfers of metadata are collective.
type CollectiveMetadata string

// The choices of collective transfers of metadata. MetadataOff is HDF5's default.
const (
	MetadataOff    CollectiveMetadata = "off"
	MetadataWrites CollectiveMetadata = "writes"
	MetadataReads  CollectiveMetadata = "reads"
	MetadataBoth   CollectiveMetadata = "both"
)

// Values returns the names of all choices.
func (CollectiveMetadata) Values() []string {
	return usage.Strings([]CollectiveMetadata{MetadataOff, MetadataWrites, MetadataReads, MetadataBoth})
}

// AllocationTime states when HDF5 allocates the storage of a dataset.
type AllocationTime string

// AllocateEarly is the only time for datasets without filters in files that several processes open together.
const AllocateEarly AllocationTime = "early"

// Values returns the names of all allocation times.
func (AllocationTime) Values() []string {
	return []string{string(AllocateEarly), "late", "incremental"}
}

// FileLocking states whether HDF5 locks files.
type FileLocking string

// Values returns the names of all choices.
func (FileLocking) Values() []string { return []string{off, on, "best-effort"} }

// ChunkIO states how a collective transfer moves chunks.
type ChunkIO string

// Values returns the names of all choices.
func (ChunkIO) Values() []string { return []string{"default", "link", "multi"} }

// CollectiveIO states which calls of MPI-IO execute a collective transfer.
type CollectiveIO string

// Values returns the names of all choices.
func (CollectiveIO) Values() []string { return []string{"collective", "individual"} }

// SelectionIO states whether file drivers get whole selections.
type SelectionIO string

// Values returns the names of all choices.
func (SelectionIO) Values() []string { return []string{"default", on, off} }

// Libver is a version of the HDF5 file format. Its name is the version of the library that introduced it.
type Libver string

// The versions of the file format, in ascending order.
const (
	LibverEarliest Libver = "earliest"
	LibverV18      Libver = "v18"
	LibverV110     Libver = "v110"
	LibverV112     Libver = "v112"
	LibverV114     Libver = "v114"
	LibverLatest   Libver = "latest"
)

// Values returns the names of all versions.
func (Libver) Values() []string { return usage.Strings(allLibvers()) }

func allLibvers() []Libver {
	return []Libver{LibverEarliest, LibverV18, LibverV110, LibverV112, LibverV114, LibverLatest}
}

// HighLibver is a Libver as the upper bound. earliest cannot be one.
type HighLibver string

// Values returns the names of all versions that can be the upper bound.
func (HighLibver) Values() []string { return usage.Strings(allLibvers()[1:]) }

// MultiMap states how the file driver multi distributes the kinds of data over files.
type MultiMap string

// The maps. MapDefault: one file for each kind of data. MapMetadata: one file for all metadata, and one for raw data.
const (
	MapDefault  MultiMap = "default"
	MapMetadata MultiMap = "metadata"
)

// Values returns the names of all maps.
func (MultiMap) Values() []string { return usage.Strings(allMultiMaps()) }

func allMultiMaps() []MultiMap { return []MultiMap{MapDefault, MapMetadata} }
