"""Makes a file that is too deep, too large, has too many objects, unusual settings, or data in other files:
hostile.py FILE deep|huge|many|settings|external|compact."""
import sys

import h5py
import numpy

unusual = {
    "settings": {"userblock_size": 8192, "fs_strategy": "page"},
    "compact": {"libver": "latest"},
}.get(sys.argv[2], {})
with h5py.File(sys.argv[1], "w", **unusual) as f:
    match sys.argv[2]:
        case "deep":
            f.attrs["before"] = 1
            group = f.id
            for k in range(2000):
                group = h5py.h5g.create(group, b"g")
        case "huge":
            f.create_dataset("huge", (2**61,), "f8", chunks=(2**20,))
        case "external":
            f.create_dataset("one", (10000,), "f8", external=[("a.bin", 64, 80000)])
            f.create_dataset("other", (6,), "f8", external=[("b.bin", 0, 48)], fillvalue=7)
            f.create_dataset("parts", (6,), "f8", external=[("a.bin", 0, 24), ("b.bin", 0, 24)])
        case "settings":
            value = numpy.frombuffer(bytes(7) + b"\xc0\xff\x3f" + b"\x7f" * 6, numpy.longdouble)[0]
            f.create_dataset("fill", (10,), numpy.longdouble, fillvalue=value)
            for name, filters in ("mandatory", [(1, 0, (4,))]), ("twice", [(2, 1, ()), (2, 1, ())]):
                creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
                creation.set_chunk((10,))
                for one in filters:
                    creation.set_filter(*one)
                space = h5py.h5s.create_simple((100,))
                h5py.h5d.create(f.id, name.encode(), h5py.h5t.NATIVE_INT32, space, creation)
        case "compact":
            creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            creation.set_layout(h5py.h5d.COMPACT)
            for size in 65524, 65525:
                space = h5py.h5s.create_simple((size,))
                h5py.h5d.create(f.id, b"of%d" % size, h5py.h5t.NATIVE_UINT8, space, creation)
        case "many":
            for k in range(20_001):
                h5py.h5g.create(f.id, b"group %d of many" % k)
