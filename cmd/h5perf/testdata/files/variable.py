"""Makes a file of h5py with data of variable length: texts, sequences, and compounds of both."""
import sys

import h5py
import numpy as np

with h5py.File(sys.argv[1], "w", track_order=True) as f:
    text = h5py.string_dtype()
    names = f.create_dataset("names", (50,), text)
    names[:] = ["n" * (1 + i % 19) for i in range(50)]
    names.attrs["unit"] = "metre"
    names.attrs["words"] = np.array(["a", "bcd", "ef", "gh"], object)
    f.create_dataset("ascii", data=[b"12", b"3456"], dtype=h5py.string_dtype("ascii"))
    f.create_dataset("scalar", data="one text", dtype=text)
    f.create_dataset("nobody", (8,), text)
    hits = f.create_dataset("run/hits", (200, 3), h5py.vlen_dtype("i4"), maxshape=(None, 3), chunks=(50, 3), compression=4)
    for i in range(200):
        for j in range(3):
            hits[i, j] = np.arange(4 + (i + j) % 3)
    row = np.dtype([("id", "i1"), ("name", text), ("trace", h5py.vlen_dtype("f8")), ("x", "f4")])
    rows = f.create_dataset("run/rows", (10,), row)
    for i in range(10):
        rows[i] = (i, "row %d" % i, np.arange(3.0), i)
    for i in range(5):
        f.create_dataset("run/%d/log" % i, data=["begin", "end"], dtype=text)
    f.create_dataset("run/field", data=np.ones((1000, 100)))
