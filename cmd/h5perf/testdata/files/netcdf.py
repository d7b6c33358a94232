"""Makes a file of netCDF-4: dimensions, groups, unlimited variables, attributes of all kinds."""
import sys

import netCDF4
import numpy as np

with netCDF4.Dataset(sys.argv[1], "w") as f:
    f.title = "climate"
    f.setncattr_string("history", "made by a test")
    f.levels = np.array([1, 2, 3], "i2")
    f.createDimension("time", None)
    f.createDimension("lat", 90)
    f.createDimension("lon", 180)
    f.createVariable("time", "f8", ("time",)).units = "days since 2000-01-01"
    f.createVariable("lat", "f4", ("lat",))
    f.createVariable("lon", "f4", ("lon",))
    for name in ["T", "U", "V"]:
        v = f.createVariable(name, "f4", ("time", "lat", "lon"), zlib=True, complevel=2, fill_value=-999)
        v.units = "K"
        v.valid_range = np.array([0, 500], "f4")
        v[0:3] = 1
    g = f.createGroup("ocean").createGroup("deep")
    g.createDimension("z", 5)
    g.createVariable("salt", ">i2", ("z", "lat"), endian="big")
    g.createVariable("scalar", "u8")
    g.createVariable("label", "S1", ("z",))
    g.createVariable("station", str, ("z",))[:] = np.array(["a", "bc", "def", "ghij", "k"], object)
    point = g.createCompoundType(np.dtype([("x", "f4"), ("y", "f8")]), "point")
    g.createVariable("points", point, ("z",))
