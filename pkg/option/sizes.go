package option

// Sizes are the options of the parallel tool for what it measures; nil means not given.
type Sizes struct {
	BytesPerProcess *uint64         `name:"num-bytes" short:"e" type:"size" group:"data" brief:"Bytes per process and dataset (default 256K)." help:"Bytes per process and dataset (default 256K). In 2D a dataset is a square. Its sides are SIZE × processes, and the default SIZE is 8K."`
	MinTransferSize *uint64         `name:"min-xfer-size" short:"x" type:"size" group:"data" brief:"First transfer size (default: half of -e)." help:"Smallest size of a transfer (default: half of -e). The size is doubled up to -X."`
	MaxTransferSize *uint64         `name:"max-xfer-size" short:"X" type:"size" group:"data" brief:"Last transfer size (default: -e)." help:"Largest size of a transfer (default: -e)."`
	BlockSize       *uint64         `short:"B" type:"size" group:"data" brief:"Block size (default: half of -e, if it fits)." help:"Size of a block. The default is half of -e. If that does not fit the other sizes, the largest size that fits is used, and a note says so. A transfer consists of one or more blocks."`
	TwoD            bool            `name:"geometry" short:"g" type:"flag" group:"data" help:"Use 2D datasets: blocks are squares with sides of -B, transfers have -B × -x bytes. The default is 1D."`
	Interleaved     bool            `short:"I" type:"flag" group:"data" help:"Interleave the blocks of the processes in the file. By default each process has one contiguous region."`
	Chunked         bool            `name:"chunk" short:"c" type:"flag" group:"data" help:"Use chunked layout; in 2D, POSIX and MPI-IO files have the same layout. The default is contiguous layout."`
	ChunkSize       []uint64        `type:"sizes" group:"data" help:"Size of an HDF5 chunk: one size, or rows,columns in 2D (default: a block). Needs -c."`
	Datasets        *int            `name:"num-dsets" short:"d" type:"count" group:"data" help:"Number of datasets per file (default 1)."`
	Files           *int            `name:"num-files" short:"F" type:"count" group:"data" help:"Number of files (default 1). They are measured one after the other."`
	FilesPerProcess bool            `type:"flag" group:"data" help:"Each process has a file of its own, with its part of the datasets. HDF5 then uses its serial file driver, and MPI-IO uses MPI_COMM_SELF. -F is the number of files of each process."`
	Create          CreateMode      `type:"word" group:"data" help:"Which processes create a file. all (default): all processes together. first: the first process alone, which also creates the datasets and uses the serial file driver of HDF5; then all processes open the file."`
	Selection       SelectionMethod `type:"word" group:"data" help:"How HDF5 selects the blocks of a transfer: as one regular hyperslab (hyperslab, the default), block by block (or, H5S_SELECT_OR) or byte by byte (points, H5Sselect_elements). The bytes are the same, and POSIX and MPI-IO transfer them in any case as they do without this option. A hyperslab and a union are selected before all transfers, in no time that is measured, and moved; points are selected anew for each transfer, within its time, because HDF5 may not move them. What HDF5 makes of a selection in a call is always part of the transfer."`
	MinProcesses    *int            `name:"min-num-processes" short:"p" type:"count" group:"sweep" brief:"Smallest number of processes (default 1)." help:"Smallest number of processes (default 1)."`
	MaxProcesses    *int            `name:"max-num-processes" short:"P" type:"count" group:"sweep" brief:"Largest number of processes (default: all)." help:"Largest number of processes (default: all of the job). The number is halved down to -p."`
	APIs            []string        `name:"api" short:"A" type:"list" group:"api" brief:"" help:"APIs: ${parallel_apis}."`
	Collective      bool            `short:"C" type:"flag" group:"api" brief:"Collective access (default: independent)." help:"Use collective access with mpiio and phdf5. The default is independent access."`
}

// SerialSizes are the options of the serial tool for what it measures; nil means not given. Lists have an element for
// each dimension.
type SerialSizes struct {
	DatasetExtent []uint64    `name:"num-bytes" short:"e" type:"sizes" placeholder:"SIZE,..." group:"data" brief:"Size of the dataset, per dimension (default 16M)." help:"Size of the dataset in each dimension, up to 32 dimensions (default 16M)."`
	BufferExtent  []uint64    `name:"min-xfer-size" short:"x" type:"sizes" placeholder:"SIZE,..." group:"data" brief:"Size of a transfer, per dimension (default 256K)." help:"Size of a transfer in each dimension (default 256K, in one dimension). It must divide the size of the dataset."`
	Order         SerialOrder `short:"r" type:"order" group:"data" brief:"Order of dimensions (N,...) or APIs (a word)." help:"With numbers: order of the dimensions, which are numbered from 1 (default 1,2,...). Transfers move along the first dimension of the list first. With a word: order of the APIs. given (default): all iterations of an API, then the next API. random: each iteration measures the APIs in another order, so that changes of the load affect all APIs alike. To set both, give the option twice."`
	ChunkSize     []uint64    `name:"chunk" short:"c" type:"sizes" placeholder:"SIZE,..." group:"data" brief:"Size of an HDF5 chunk, per dimension." help:"Use chunked layout in HDF5, with chunks of this size in each dimension. The default is contiguous layout."`
	Extendible    bool        `short:"t" aliases:"extendable" type:"flag" group:"data" help:"Create the HDF5 dataset with the size of one transfer, and extend it while it is written. Needs -c. The default is a fixed size."`
	APIs          []string    `name:"api" short:"A" type:"list" group:"api" brief:"" help:"APIs to measure: ${serial_apis}."`
}

// SerialOrder is the value of the option --order of the serial tool: the order of the dimensions along which transfers
// move through the dataset, and the order in which cases are measured.
type SerialOrder struct {
	Dimensions []int // numbered from 1; transfers move along the first one first
	Cases      CaseOrder
}

// Values returns the valid values.
func (SerialOrder) Values() []string { return append([]string{"N,..."}, CaseOrder("").Values()...) }

// Application holds the options for the workload that is measured.
type Application struct {
	Workload string            `arg:"" optional:"" type:"word" name:"workload"`
	Size     string            `type:"word" placeholder:"NAME" group:"data" brief:"Set of sizes of the workload, such as tiny." help:"Use this set of sizes of the workload, such as tiny or site (default: the sizes of the file)."`
	Set      map[string]string `type:"setting" placeholder:"NAME=VALUE" group:"data" brief:"Set the size or the choice NAME to VALUE." help:"Set the size or the choice NAME to VALUE, such as particles=1M or mode=collective. It takes precedence over --size. Give the option once for each name."`
	Layout   string            `type:"word" placeholder:"LAYOUT" group:"data" help:"Store the same arrays in another way, FORM-STORAGE-MODE, such as both-chunked-collective. FORM: which arrays share a dataset: given (as in the workload), dumps (one dataset for all dumps), arrays (one for all similar arrays of a dump), both. STORAGE: contiguous or chunked, or chunked-8x7 with the extent of a chunk in elements in the last dimensions; the default is the part that one process writes. MODE: independent or collective. Only HDF5 is measured; it writes no fill values, unless the workload sets a fill time."`
	APIs     []string          `name:"api" short:"A" type:"list" group:"api" brief:"" help:"APIs to measure: ${parallel_apis}. POSIX and MPI-IO transfer the same data in a plain file, without groups, datasets and attributes. With object_files of a script, as in the profile metadata, POSIX makes a file for each object."`
}

// Common are the options that all kinds of runs have; nil means not given.
type Common struct {
	Iterations *int `name:"num-iterations" short:"i" type:"count" group:"repeat" brief:"" help:"Iterations of each measurement (default ${iterations})."`
	Conditions
	WriteOnly bool `short:"w" type:"flag" group:"data" help:"Write only. The default is to write, then to read."`
}
