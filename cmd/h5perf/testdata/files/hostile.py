"""Makes a file that is too deep, too large, or has too many objects: hostile.py FILE deep|huge|many."""
import sys

import h5py

with h5py.File(sys.argv[1], "w") as f:
    match sys.argv[2]:
        case "deep":
            f.attrs["before"] = 1
            group = f.id
            for k in range(2000):
                group = h5py.h5g.create(group, b"g")
        case "huge":
            f.create_dataset("huge", (2**61,), "f8", chunks=(2**20,))
        case "many":
            for k in range(20_001):
                h5py.h5g.create(f.id, b"group %d of many" % k)
