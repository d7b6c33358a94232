"""Makes small files that were hard to copy, with h5py, netCDF and PyTables: collection.py DIRECTORY."""
import os
import sys

import h5py
import netCDF4
import numpy as np
import tables

h5d, h5p, h5s, h5t = h5py.h5d, h5py.h5p, h5py.h5s, h5py.h5t
os.chdir(sys.argv[1])


def made(name, make, **how):
    """Makes a file with h5py, and some data in it."""
    with h5py.File(name + ".h5", "w", **how) as f:
        make(f)
        f["data"] = np.arange(10)


def low(f, name, kind, extent, most=None, **settings):
    """Creates a dataset with settings that h5py has no words for, and writes it."""
    dcpl = h5p.create(h5p.DATASET_CREATE)
    for setting, values in settings.items():
        getattr(dcpl, "set_" + setting)(*values)
    d = h5d.create(f.id, name.encode(), kind, h5s.create_simple(extent, most), dcpl)
    d.write(h5s.ALL, h5s.ALL, np.zeros(int(np.prod(extent)) * kind.get_size(), "u1"), kind)


def words(kind, **values):
    made_of = h5t.enum_create(kind)
    for word, value in values.items():
        made_of.enum_insert(word.encode(), value)
    return made_of


# types
for name, kind in {
    "bytes_big_endian": h5t.STD_I8BE, "words_of_bytes": words(h5t.STD_U8LE, RED=0, GREEN=1), "words_negative": words(h5t.STD_I64BE, LOW=-5),
    "bits_64": h5t.STD_B64BE, "half": h5t.IEEE_F16BE, "extended": h5t.NATIVE_LDOUBLE, "array_of_bytes": h5t.array_create(h5t.STD_U8BE, (1,)),
    "array_of_words": h5t.array_create(words(h5t.STD_I16LE, A=-1, B=300), (2, 2)),
}.items():
    made("type_" + name, lambda f: low(f, "x", kind, (6,)))


def compound(f):
    inner = h5t.create(h5t.COMPOUND, 9)
    inner.insert(b"one", 1, h5t.STD_U8BE)
    inner.insert(b"word", 4, words(h5t.STD_I16BE, A=-1))
    outer = h5t.create(h5t.COMPOUND, 40)
    outer.insert(b"in", 3, inner)
    outer.insert(b"array", 20, h5t.array_create(h5t.IEEE_F32BE, (3,)))
    low(f, "x", outer, (3,))
    h5py.h5a.create(f.id, b"x", outer, h5s.create_simple((2,)))


made("type_compound_with_gaps", compound)
made("type_wide", lambda f: f.create_dataset("x", data=np.zeros(3, [(f"column {k}", "f4") for k in range(500)])))
made("type_large_text", lambda f: f.create_dataset("x", data=np.zeros(3, "S100000")))

# extents and storage
made("extent_none", lambda f: f.create_dataset("x", (0,), "f4", maxshape=(None,), chunks=(10,)))
made("extent_scalar_text", lambda f: f.create_dataset("x", data=np.bytes_("text")))
made("extent_bounded", lambda f: low(f, "x", h5t.STD_I16LE, (3, 4), (5, 4), chunk=[(2, 3)]))
made("extent_32", lambda f: low(f, "x", h5t.STD_I8LE, (1,) * 31 + (5,)))
made("storage_compact", lambda f: low(f, "x", h5t.IEEE_F64LE, (1000,), layout=[h5d.COMPACT]))
made("storage_early", lambda f: low(f, "x", h5t.IEEE_F64LE, (10,), alloc_time=[h5d.ALLOC_TIME_EARLY], fill_time=[h5d.FILL_TIME_NEVER]))
made("storage_late_chunks", lambda f: low(f, "x", h5t.IEEE_F64LE, (10,), chunk=[(3,)], alloc_time=[h5d.ALLOC_TIME_LATE]))
made("storage_chunks_larger", lambda f: low(f, "x", h5t.IEEE_F64LE, (10,), (h5s.UNLIMITED,), chunk=[(64,)]))


def sparse(f):
    f.create_dataset("x", (1000, 1000), "f4", chunks=(100, 100))[0, 0] = 1
    f.create_dataset("never", (1000, 1000), "f8", chunks=(100, 100), compression=4)


made("storage_sparse", sparse)

# fill values
made("fill_nan", lambda f: f.create_dataset("x", data=np.ones(5), fillvalue=np.nan))
made("fill_compound", lambda f: f.create_dataset("x", data=np.zeros(3, [("a", "i2"), ("b", "f8")]), fillvalue=np.array((7, 1.5), [("a", "i2"), ("b", "f8")])))
made("fill_large", lambda f: f.create_dataset("x", data=np.zeros(3, "u8"), fillvalue=2**64 - 1))
made("fill_text", lambda f: f.create_dataset("x", data=np.zeros(3, "S5"), fillvalue=np.bytes_("none")))


# what HDF5 keeps
def ordered(f):
    for name in "zyxabc":
        f.create_dataset(name, data=np.arange(3), track_times=name < "c")
    for k in 2, 0, 1, 3:
        f.create_group(f"g{k}", track_order=True).attrs["z"] = k


made("order_everywhere", ordered, track_order=True)
made("format_latest", ordered, libver="latest")


def tracked(f):
    gcpl = h5p.create(h5p.GROUP_CREATE)
    gcpl.set_link_creation_order(h5p.CRT_ORDER_TRACKED)
    g = h5py.Group(h5py.h5g.create(f.id, b"g", gcpl=gcpl))
    g["b"], g["a"] = 1, 2
    low(f, "x", h5t.IEEE_F64LE, (4,), attr_creation_order=[h5p.CRT_ORDER_TRACKED], obj_track_times=[False])


made("order_tracked_only", tracked)


def alternating(f):
    for k in range(8):
        f[f"a{k}"], f[f"b{k}"] = np.arange(3), np.arange(3)


made("order_of_rows", alternating, track_order=True)


# links
def links(f):
    f["a/b/x"] = np.arange(4)
    f["a/again"] = f["a"]
    f["hard"] = f["a/b/x"]
    f["dangling"] = h5py.SoftLink("../no such/%d")
    f["outside"] = h5py.ExternalLink("other file.h5", "/x")
    for k in range(5):
        f[f"same{k}"] = h5py.SoftLink("/a")


made("links", links)
made("links_ordered", links, track_order=True)


# filters
made("filter_shuffle_only", lambda f: f.create_dataset("x", data=np.zeros((50, 50)), chunks=(10, 50), shuffle=True))
made("filter_gzip_of_words", lambda f: low(f, "x", words(h5t.STD_U8LE, A=1, B=2), (100,), chunk=[(30,)], deflate=[9]))
made("filter_lzf", lambda f: f.create_dataset("x", data=np.zeros((50, 50)), chunks=(10, 50), compression="lzf"))


made("filter_order", lambda f: low(f, "x", h5t.STD_I32LE, (100,), chunk=[(30,)], fletcher32=[], deflate=[1], shuffle=[]))
made("filter_scaleoffset", lambda f: low(f, "x", h5t.STD_I32LE, (100,), chunk=[(30,)], scaleoffset=[h5py.h5z.SO_INT, 0]))
made("filter_nbit", lambda f: low(f, "x", h5t.STD_I32LE, (100,), chunk=[(30,)], filter=[5, 0, ()], deflate=[1]))


# attributes
def attributes(f):
    f.attrs["many texts"] = ["one", "two", "three"] * 100
    f.attrs["none"] = h5py.Empty("S1")
    f.attrs.create("array", np.zeros((2, 3)), dtype=">f4")
    for k in range(100):
        f.attrs[f"a{k}"] = np.zeros(k, "i2")


made("attributes", attributes)
made("attributes_dense", attributes, libver="latest")
made("attribute_large", lambda f: f.attrs.create("x", np.zeros(59_000, "u1")))


# names
def names(f):
    for name in "a%d", "%", "a b/c d", "0", "00", "000", "1", "01", "'\"\\", "é", "job", "f":
        f[name] = np.arange(2)


made("names", names)

# netCDF
with netCDF4.Dataset("netcdf_dimension_only.h5", "w") as f:
    f.createDimension("cells", 100_000_000)
    f.createDimension("t", None)
    f.createVariable("v", "f8", ("t",))[0:3] = 1
with netCDF4.Dataset("netcdf_types.h5", "w") as f:
    f.createDimension("n", 4)
    for k, kind in enumerate("i1 u1 i2 u2 i4 u4 i8 u8 f4 f8 S1".split()):
        v = f.createVariable(f"v{k}", kind, ("n",), endian="big" if k % 2 and kind[1:] > "1" else "native")
        v[:] = np.ones(4, kind)
    f.createVariable("word", f.createEnumType("u1", "colour", {"RED": 0, "BLUE": 7}), ("n",), fill_value=0)
    f.createVariable("text", str, ("n",))

# PyTables
with tables.open_file("pytables_nested.h5", "w") as f:
    t = f.create_table("/", "t", {"a": tables.UInt8Col(pos=1), "b": {"c": tables.Float64Col(shape=(2,)), "d": tables.ComplexCol(16)}},
                       filters=tables.Filters(complevel=1, complib="zlib", fletcher32=True))
    t.row.append()
    t.flush()
    t.cols.a.create_index()
