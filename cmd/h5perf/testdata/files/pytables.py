"""Makes a file of PyTables: tables, arrays that grow, compressed ones, booleans."""
import sys

import numpy as np
import tables


class Particle(tables.IsDescription):
    name = tables.StringCol(16)
    id = tables.Int64Col()
    ok = tables.BoolCol()
    pressure = tables.Float32Col(shape=(2, 3))

    class inner(tables.IsDescription):
        a = tables.UInt8Col()
        b = tables.Float64Col()


with tables.open_file(sys.argv[1], "w", title="particles") as f:
    g = f.create_group("/", "detector", "of a test")
    t = f.create_table(g, "readout", Particle, "table", filters=tables.Filters(complevel=3, shuffle=True, fletcher32=True))
    for k in range(50):
        t.row["id"] = k
        t.row.append()
    t.flush()
    f.create_array(g, "plain", np.arange(30).reshape(5, 6))
    f.create_array(g, "scalar", 3.5)
    f.create_array(g, "bools", np.array([True, False]))
    f.create_earray(g, "grows", tables.Float64Atom(), (0, 4)).append(np.ones((3, 4)))
    f.create_carray(g, "chunks", tables.Int16Atom(), (20, 30))
    f.create_vlarray(g, "ragged", tables.Int32Atom()).append([1, 2])
    f.create_table(g, "times", {"at": tables.Time64Col()})
