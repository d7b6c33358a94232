// Package script reads, checks and resolves workload files: YAML that says which files and objects an application has,
// and in which steps it writes and reads them. The profiles are such files; layouts of a workload, its page and a
// workload of an HDF5 file are made with them.
//
// Read makes a Workload of a file. Resolve puts numbers in the place of sizes, and chooses the steps for the words of
// choices; the result is a workload again, and can be written as JSON and read back. Amount tells what a resolved
// workload does with any number of ranks, and Compile makes the program of one of them.
//
// The package is pure but for ReadFile: no I/O, no clock, no cgo.
package script

// Workload is a workload file. Order of keys has no meaning; lists are in order.
type Workload struct {
	// name of the workload
	Name Word `json:"workload"`
	// what the workload stands for, for people
	About string `json:"about,omitempty"`
	// sources and versions that the workload follows
	TrueTo []string `json:"true-to,omitempty"`
	// what the sources do and the workload does not
	LeavesOut []string `json:"leaves-out,omitempty"`
	// the job that a resolved workload is for
	Job *Job `json:"job,omitempty"`
	// integers with names, for expressions; they may use one another, and ranks and nodes
	Sizes map[string]Number `json:"sizes,omitempty"`
	// other values of sizes, and words of choices, by the name of the set
	Sets map[string]map[string]Value `json:"sets,omitempty"`
	// words to choose from, by the name of the choice; the first one is the default
	Choices map[string][]Word `json:"choices,omitempty"`
	// types of elements with names
	Types map[string]Type `json:"types,omitempty"`
	// settings of HDF5 that the application uses, by the names of their options
	Settings map[string]Value `json:"settings,omitempty"`
	Files    map[string]File  `json:"files"`
	// groups and datasets
	Objects map[string]Object `json:"objects,omitempty"`
	// what is done when data are written
	Write *Part `json:"write,omitempty"`
	// what is done when data are read
	Read *Part `json:"read,omitempty"`
}

// Job is the size of a job.
type Job struct {
	Ranks int64 `json:"ranks"`
	Nodes int64 `json:"nodes"`
}

// at is the place of a value in its file.
type at struct{ pos Pos }

func (a *at) place(p Pos) { a.pos = p }

// Per says how many files there are: one, or one for each of one or two things.
type Per []Each

// File is a file, or one for each dump, rank or band, or for several of them.
type File struct {
	at
	// of the file, without suffix, such as plt{dump:5}
	Name Text `json:"name"`
	// one file for the whole run, or one for each dump, rank, or band of ranks that write it in turn; [dump, rank] and
	// [dump, band]: for each dump of each of these
	Per Per `json:"per"`
	// number of bands
	Bands *Number `json:"bands,omitempty"`
	// one file for each value of a variable from 0 to a number - 1; steps about such files, and about what is in them,
	// are in a for of this variable
	For For `json:"for,omitempty"`
	// attributes of the root group
	Attributes Attributes `json:"attributes,omitempty"`
}

// Object is a group or a dataset, or several that are alike.
type Object struct {
	at
	// name of a group in its file
	Group *Text `json:"group,omitempty"`
	// name of a dataset in its file
	Dataset *Text `json:"dataset,omitempty"`
	// the file or group that the object is in
	In Word `json:"in"`
	// one object for each value of a variable from 0 to a number - 1
	For For `json:"for,omitempty"`
	// in files for each rank or band: the objects of for are dealt to the ranks, as evenly as possible, and each rank
	// does steps to its own ones only; the first ranks have one more
	Dealt bool `json:"dealt,omitempty"`
	// type of the elements of a dataset
	Type *Type `json:"type,omitempty"`
	// extent of a dataset in elements, slowest dimension first; []: a scalar
	Extent *[]Number `json:"extent,omitempty"`
	// there are no elements, and no extent but []: a null dataspace
	Empty bool `json:"empty,omitempty"`
	// largest extent; unlimited: no limit
	MaxExtent []Number `json:"max-extent,omitempty"`
	// extent of a chunk in elements; without it, storage is contiguous
	Chunk []Number `json:"chunk,omitempty"`
	// the data are in the object header
	Compact bool `json:"compact,omitempty"`
	// filters of chunks, in their order
	Filters []Filter `json:"filters,omitempty"`
	// how well the values that are written can be compressed; without it, hardly
	Data *Data `json:"data,omitempty"`
	// when storage is filled with a value; without it, as the library does
	Fill FillTime `json:"fill,omitempty"`
	// when storage is allocated; without it, as the library does
	Allocate   Allocation `json:"allocate,omitempty"`
	Attributes Attributes `json:"attributes,omitempty"`
}

// Attribute is an attribute of an object, or several that are alike.
type Attribute struct {
	at
	Name Text `json:"name"`
	Type Type `json:"type"`
	// extent in elements, slowest dimension first; without it, a scalar
	Extent []Number `json:"extent,omitempty"`
	// there are no elements, and no extent: a null dataspace
	Empty bool `json:"empty,omitempty"`
	// number of attributes; i in the name is the number of one, counted from 0
	Count *Number `json:"count,omitempty"`
}

// Part is what is done to write data, or to read them.
type Part struct {
	at
	// steps before the first dump
	Begin Steps `json:"begin,omitempty"`
	// number of dumps
	Dumps Number `json:"dumps"`
	// how many units each dump handles, those of all ranks together, by their name, such as samples; reports have units
	// per second
	Handles map[string]Number `json:"handles,omitempty"`
	// steps of each dump; the variable dump is its number, counted from 0
	Dump Steps `json:"dump"`
	// steps after the last dump
	End Steps `json:"end,omitempty"`
}

// Steps are steps in their order.
type Steps []Step

// Step is one step. It has exactly one verb, and the keys that go with it: see verbs. The key do
// is a verb if there is no other one.
type Step struct {
	at
	verb string

	// the step is done only if choices have these words
	When When `json:"when,omitempty"`

	// creates files, groups or datasets
	Create Words `json:"create,omitempty"`
	// opens files, groups or datasets
	Open Words `json:"open,omitempty"`
	// closes files, groups or datasets
	Close Words `json:"close,omitempty"`
	// flushes files
	Flush Words `json:"flush,omitempty"`
	// unlinks groups or datasets
	Unlink Words `json:"unlink,omitempty"`
	// creates and writes the attributes of files, groups or datasets, or opens and reads them
	Attributes Words `json:"attributes,omitempty"`
	// writes datasets, one after another
	Write Words `json:"write,omitempty"`
	// reads datasets, one after another
	Read Words `json:"read,omitempty"`
	// extends a dataset
	Extend *Word `json:"extend,omitempty"`
	// the application computes for a time
	Compute *Duration `json:"compute,omitempty"`
	// ranks wait for one another
	Fence Fence `json:"fence,omitempty"`
	// does steps so many times
	Repeat *Number `json:"repeat,omitempty"`
	// does steps for each value of a variable from 0 to a number - 1
	For For `json:"for,omitempty"`
	// only some ranks do steps: root, leaders (one on each node), or turns (one after another, in each band)
	On Where `json:"on,omitempty"`

	// the steps of repeat, for and on; alone, with when: steps that are done if choices have words
	Do Steps `json:"do,omitempty"`
	// the part of each rank of a transfer
	Select *Select `json:"select,omitempty"`
	// the memory of a transfer; without it, dense
	Memory *Memory `json:"memory,omitempty"`
	// of a transfer
	Mode *Mode `json:"mode,omitempty"`
	// all datasets of a transfer in one call
	Together bool `json:"together,omitempty"`
	// new extent of a dataset
	To []Number `json:"to,omitempty"`
}

// verbs are the keys of a step that say what is done, with those that go with them. A key with a mark is needed.
var verbs = map[string][]string{
	"create": nil, "open": nil, "close": nil, "flush": nil, "unlink": nil, "attributes": nil, "compute": nil,
	"fence": nil,
	"write": {"select!", "mode!", "memory", "together"}, "read": {"select!", "mode!", "memory", "together"},
	"extend": {"to!"}, "repeat": {"do!"}, "for": {"do!"}, "on": {"do!"}, "do": nil,
}

// Mode is the mode of a transfer, independent or collective, or the name of a choice of these words.
type Mode struct {
	at
	word   string
	Choice *Word `json:"choice,omitempty"`
}

// Number is an integer, or an expression for one. An extent may also be unlimited.
type Number struct {
	at
	expr      Expr
	unlimited bool
}

// Numbers are one or several numbers.
type Numbers []Number

// Text is a name with expressions in braces: see Template.
type Text struct {
	at
	text Template
}

// Word is a name from another place of the file, or a word.
type Word struct {
	at
	text string
}

// Words are one or several words.
type Words []Word

// Value is an integer or word, as it stands in the file.
type Value struct {
	at
	text   string
	number bool // it is no text in the file
}

// For is a variable with the number of its values.
type For map[string]Number

// When are words that choices must have, by choice.
type When map[string]Words

// Duration is a time. Exactly one of its fields is given.
type Duration struct {
	at
	Seconds      *Number `json:"seconds,omitempty"`
	Milliseconds *Number `json:"milliseconds,omitempty"`
	Microseconds *Number `json:"microseconds,omitempty"`
}

// Memory is how data lie in memory: dense (the elements after one another), or exactly one of its fields.
type Memory struct {
	at
	// so many elements more on each side of each dimension, which are not transferred
	Ghost *Number `json:"ghost,omitempty"`
	// with ghost: only in the last so many dimensions
	Last *Number `json:"last,omitempty"`
	// elements are so many elements apart
	Stride *Number `json:"stride,omitempty"`
	// elements are in structures of this compound type: the member with the name of the object that is transferred, or
	// of a compound all its members
	Within *Type `json:"within,omitempty"`
	// members of the compound type of the dataset; each is transferred by itself, from or to an array of its own
	Members Words `json:"members,omitempty"`
}

// Select is the part of each rank of a dataset: a rule with its parameters. See package rule.
type Select struct {
	at
	Rule Rule `json:"rule"`
	// block: number of blocks in each dimension; 0: chosen. Without it, all are chosen. With fewer numbers than
	// dimensions, they are those of the last ones, and the others are not divided
	Grid []Number `json:"grid,omitempty"`
	// concat: how each rank gets its number of rows
	Counts Counts `json:"counts,omitempty"`
	// concat, equal: rows of each rank; shared: of all ranks. random: of each rank; 0: all rows are dealt. strided:
	// blocks of each rank
	Count *Number `json:"count,omitempty"`
	// concat, modulo: rows of a rank are base + rank modulo modulus
	Base    *Number `json:"base,omitempty"`
	Modulus *Number `json:"modulus,omitempty"`
	// concat, normal: rows, with a standard deviation; without a mean, all rows are dealt
	Mean      *Number `json:"mean,omitempty"`
	Deviation *Number `json:"deviation,omitempty"`
	// concat, list: rows of ranks 0, 1, ..., from the start again when it ends
	Each []Number `json:"each,omitempty"`
	// concat: counts are numbers of units, and this is the number of rows of a unit
	Unit *Number `json:"unit,omitempty"`
	// concat: only the unit of this number of each rank, counted from 0; nothing for ranks that have fewer
	Piece *Number `json:"piece,omitempty"`
	// cyclic, map, slice: the dimension, counted from 0; negative: from the end, where -1 is the last one
	Dim *Number `json:"dim,omitempty"`
	// slice: index of the elements, counted from 0
	Index *Number `json:"index,omitempty"`
	// cyclic: elements of a block. map: mean of the elements of a run. strided: rows of a block
	Length *Number `json:"length,omitempty"`
	// strided: rows from the start of a block to that of the next one
	Stride *Number `json:"stride,omitempty"`
	// frame: elements of the border. corners, diagonal: of a corner or block in each dimension
	Width *Number `json:"width,omitempty"`
	// corners: those at the end of the first row and at the start of the last one
	Anti bool `json:"anti,omitempty"`
	// any rule: it divides the record of this index in the first dimension, counted from 0, instead of the whole
	// dataset; or of these indices in the first dimensions
	Record Numbers `json:"record,omitempty"`
	// block, slab: of each so many ranks, the first one leaves its part to the next one; 0: none
	Idle *Number `json:"idle,omitempty"`
	// any rule: only so many ranks, from rank 0 on, divide the dataset; the others select nothing
	Ranks *Number `json:"ranks,omitempty"`
	// map, random: how a part is selected. Without it, as a union of its runs; points: as a list of its elements; runs:
	// each run in a transfer of its own
	Form Form `json:"form,omitempty"`
	// how HDF5 builds an irregular selection: merge (default), or, with a cost that is quadratic, or
	Union Union `json:"union,omitempty"`
	// random: number of the first row in the shuffled order
	First *Number `json:"first,omitempty"`
	// concat, normal; map; random: of the random numbers
	Seed *Number `json:"seed,omitempty"`
}

// Data are values that are written to a dataset.
type Data struct {
	at
	// size before compression divided by size after it, as filters like deflate have it; from 1 to 4096
	Ratio Ratio `json:"ratio"`
}

// Ratio is a number that may have a fraction.
type Ratio struct {
	at
	value float64
}

// Filter is a filter, with its parameter, if it has one.
type Filter struct {
	at
	// level from 0 to 9
	Deflate *Number `json:"deflate,omitempty"`
	// pixels per block, an even number up to 32
	Szip *Number `json:"szip,omitempty"`
	// shuffle or fletcher32
	word string
}

// Type is a type of elements: a word, or exactly one of text, opaque, enum, compound and array, with the keys that go
// with it.
type Type struct {
	at
	// u8 to u64, i8 to i64, b8 to b64 (bit fields), f16, f32, f64, f80 (extended precision, in 16 bytes), with be at
	// the end for big-endian ones, or the name of a type of the file
	word string
	// number of characters
	Text *Number `json:"text,omitempty"`
	// text: what fills it up: zeros (default), terminated (at least one zero) or spaces
	Padding Padding `json:"padding,omitempty"`
	// text: its characters; ascii (default) or utf8
	Characters Characters `json:"characters,omitempty"`
	// text of an attribute: the length is stored with the text, and is the given one for the texts that are written
	Variable bool `json:"variable,omitempty"`
	// number of bytes without a meaning
	Opaque *Number `json:"opaque,omitempty"`
	// opaque: what is said about the bytes
	Tag string `json:"tag,omitempty"`
	// words of an enumeration, where of is the type of their numbers
	Enum []EnumWord `json:"enum,omitempty"`
	// members of a compound type
	Compound []Member `json:"compound,omitempty"`
	// compound: bytes of an element; without it, it ends with its last member
	Size *Number `json:"size,omitempty"`
	// extent of an element that is an array
	Array []Number `json:"array,omitempty"`
	// type of the values of an array, or of the words of an enumeration
	Of *Type `json:"of,omitempty"`
}

// EnumWord is a word of an enumeration, with its number.
type EnumWord struct {
	at
	Name  Word   `json:"name"`
	Value Number `json:"value"`
}

// Member is a member of a compound type.
type Member struct {
	at
	Name Word `json:"name"`
	Type Type `json:"type"`
	// bytes from the start of an element; without it, the member follows the one before it
	Offset *Number `json:"offset,omitempty"`
}

// Attributes are the attributes of an object. In a file, a number stands for so many scalars of type f64.
type Attributes []Attribute
