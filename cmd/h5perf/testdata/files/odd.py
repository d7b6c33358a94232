"""Makes a file of h5py with what HDF5 files may have: odd types, extents, names, links and filters."""
import sys

import h5py
import numpy as np

with h5py.File(sys.argv[1], "w") as f:
    f.attrs["title"] = "text of variable length"
    f.attrs["fixed"] = np.bytes_("abc")
    f.attrs["many"] = ["one", "two", "three"]
    f.attrs["null"] = h5py.Empty("f4")
    f.attrs["none"] = np.zeros((0, 3), "i2")
    f.attrs["100 % {of} \"it\"/\\"] = 1

    types = f.create_group("types")
    for name in "<u1 <u2 <u4 <u8 <i1 <i2 <i4 <i8 >u2 >u4 >u8 >i2 >i4 >i8 <f2 <f4 <f8 >f2 >f4 >f8 <c8 >c16 ? S5".split():
        types.create_dataset("type " + name, (7,), name)
    types.create_dataset("long double", (3,), np.longdouble)
    types.create_dataset("enum", (5,), h5py.enum_dtype({"RED": -1, "a \"b\" {c}": 1000}, "i2"))
    types.create_dataset("enum be", (5,), h5py.enum_dtype({"true": 1, "2": 2}, ">u4"))
    types.create_dataset("opaque", (4,), "V11")
    types.create_dataset("array", (2, 3), np.dtype("(4,2)<f4"))
    types.create_dataset("utf8", (2,), h5py.string_dtype("utf-8", 9))
    types.create_dataset("packed", (10,), np.dtype([("id", "<u2"), ("x", ">f8", (3,)), ("ok", "?")]))
    types.create_dataset("aligned", (10,), np.dtype([("a", "u1"), ("b", "f8"), ("c", "u2")], align=True))
    types.create_dataset("holes", (10,), np.dtype(
        {"names": ["a", "in"], "formats": ["u1", [("x", "f4"), ("y", "S3")]], "offsets": [5, 8], "itemsize": 32}))
    spaced = h5py.h5t.C_S1.copy()
    spaced.set_size(6)
    spaced.set_strpad(h5py.h5t.STR_SPACEPAD)
    h5py.h5d.create(types.id, b"spaces", spaced, h5py.h5s.create_simple((4,)))
    h5py.h5d.create(types.id, b"bits", h5py.h5t.STD_B16BE, h5py.h5s.create_simple((4,)))
    types.create_dataset("variable", (3,), h5py.string_dtype())
    types.create_dataset("sequences", (3,), h5py.vlen_dtype("i4"))
    types.create_dataset("references", (3,), h5py.ref_dtype)
    types["committed"] = np.dtype([("x", "f4")])
    types.create_dataset("of committed", (3,), types["committed"])
    odd = h5py.h5t.STD_I32LE.copy()
    odd.set_precision(20)
    h5py.h5d.create(types.id, b"20 bits", odd, h5py.h5s.create_simple((4,)))

    extents = f.create_group("extents")
    extents["scalar"] = 1.5
    extents["null"] = h5py.Empty("i4")
    extents.create_dataset("zero", (4, 0), "f4")
    extents.create_dataset("grows from zero", (0, 5), "f4", maxshape=(None, 5), chunks=(3, 5))
    extents.create_dataset("grows", (6, 5), "f4", maxshape=(None, 8), chunks=(4, 4))
    extents.create_dataset("large", (40, 50, 60), "f8", chunks=(7, 50, 9))
    extents.create_dataset("short first", (2, 300, 40), "f8")
    extents.create_dataset("nine", (1, 2, 1, 2, 1, 2, 1, 2, 3), "u1")
    compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    compact.set_layout(h5py.h5d.COMPACT)
    h5py.h5d.create(extents.id, b"compact", h5py.h5t.NATIVE_DOUBLE, h5py.h5s.create_simple((5, 5)), compact)
    never = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    never.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    never.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    h5py.h5d.create(extents.id, b"never filled", h5py.h5t.STD_I32LE, h5py.h5s.create_simple((500,)), never)
    extents.create_dataset("fill value", (3,), "i4", fillvalue=7)

    filters = f.create_group("filters")
    filters.create_dataset("all", (100, 100), "f4", chunks=(10, 100), shuffle=True, compression=4, fletcher32=True)
    filters.create_dataset("szip", (64, 64), "?", chunks=(32, 64), compression="szip")
    filters.create_dataset("lzf", (64, 64), "u2", chunks=(32, 64), compression="lzf")
    filters.create_dataset("small", (9,), "u2", chunks=(4,), compression=1)

    names = f.create_group("names: {a} %d")
    for name in ["two words", "ümläut 数据 🙂", "{}", "{{k}}", "%d", "100%", "a\"b", "back\\slash", "..", "#", "- x", "null",
                 "~", "a: b", "1", " leading", "x" * 300]:
        names.create_dataset(name, (2,), "i4").attrs[name] = 1
    names.create_dataset(b"line\nbreak", (2,), "i4")
    names.create_dataset(b"not \xff utf8", (2,), "i4")
    deep = f
    for k in range(30):
        deep = deep.create_group("level")
    deep["end"] = np.arange(3)

    links = f.create_group("links")
    links["hard"] = f["extents/scalar"]
    links["cycle"] = f["links"]
    links["soft"] = h5py.SoftLink("/extents/scalar")
    links["external"] = h5py.ExternalLink("other.h5", "/x")
    layout = h5py.VirtualLayout((3,), "i4")
    layout[:] = h5py.VirtualSource("other.h5", "x", (3,))
    links.create_virtual_dataset("virtual", layout)
    links.create_dataset("stored outside", (3,), "f4", external=[("other.bin", 0, 12)])

    rows = f.create_group("rows")
    for k in range(300):
        d = rows.create_dataset(f"v{k}", (10, 4), "f4")
        d.attrs["unit"] = np.bytes_("m")
        d.attrs["scale"] = 0.5
    for k in range(12):
        rows.create_group(f"step_{k:03d}").attrs["time"] = k
    for k in range(1, 5):
        rows.create_dataset(f"from one {k}", (3,), "i4")
    rows.create_dataset("v300", (11, 4), "f4")

    def write(name, item):
        """Writes zeros to a dataset of plain numbers."""
        if isinstance(item, h5py.Dataset) and item.size and not item.is_virtual and not item.external and item.dtype.kind != "O":
            item.id.write(h5py.h5s.ALL, h5py.h5s.ALL, np.zeros(item.size * item.id.get_type().get_size(), "u1"), item.id.get_type())

    for name in types, extents, filters, rows:
        name.visititems(write)
