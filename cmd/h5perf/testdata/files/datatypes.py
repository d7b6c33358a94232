"""Makes a file with each type of HDF5 in each size and byte order: as dataset, as attribute, in compounds and arrays, as enumeration."""
import sys

import h5py
import numpy as np

h5t, h5s = h5py.h5t, h5py.h5s


def numbers():
    """Yields the name and the type of each number, of the sizes and byte orders of the library."""
    for sign in "IUB":
        for bits in 8, 16, 32, 64:
            for order in "LE", "BE":
                yield f"{sign}{bits}{order}", getattr(h5t, f"STD_{sign}{bits}{order}")
    for sign in "IU":
        for bytes in 3, 5, 6, 7:
            for order in "LE", "BE":
                number = getattr(h5t, f"STD_{sign}64{order}").copy()
                number.set_size(bytes)
                yield f"{sign}{8 * bytes}{order}", number
    for order in "LE", "BE":
        for bits in 16, 32, 64:
            yield f"F{bits}{order}", getattr(h5t, f"IEEE_F{bits}{order}")
    yield "F80", h5t.NATIVE_LDOUBLE
    for size in 1, 2, 3, 4, 7, 8, 16, 100:
        yield f"V{size}", h5t.create(h5t.OPAQUE, size)
        for pad in h5t.STR_NULLTERM, h5t.STR_NULLPAD, h5t.STR_SPACEPAD:
            for characters in h5t.CSET_ASCII, h5t.CSET_UTF8:
                text = h5t.C_S1.copy()
                text.set_size(size)
                text.set_strpad(pad)
                text.set_cset(characters)
                yield f"S{size} {pad} {characters}", text


def inside(kind):
    """Yields types with the type within them."""
    yield "", kind
    yield " in array", h5t.array_create(kind, (2, 3))
    compound = h5t.create(h5t.COMPOUND, 2 * kind.get_size() + 5)
    compound.insert(b"a", 1, kind)
    compound.insert(b"b", kind.get_size() + 2, kind)
    yield " in compound", compound
    outer = h5t.create(h5t.COMPOUND, compound.get_size() + 1)
    outer.insert(b"in", 0, compound)
    outer.insert(b"n", compound.get_size(), h5t.STD_U8BE)
    yield " in compound in compound", outer
    yield " in compound in array", h5t.array_create(compound, (3,))
    outer = h5t.create(h5t.COMPOUND, 2 * kind.get_size())
    outer.insert(b"array", 0, h5t.array_create(kind, (2,)))
    yield " in array in compound", outer
    yield " in array in array", h5t.array_create(h5t.array_create(kind, (2,)), (3,))


with h5py.File(sys.argv[1], "w") as f:
    every = list(numbers())
    for name, kind in list(every):
        if name[0] in "IU":
            words = h5t.enum_create(kind)
            for value, word in enumerate([b"RED", b"GREEN", b"BLUE"]):
                words.enum_insert(word, value)
            if name[0] == "I":
                words.enum_insert(b"LAST", -100)
            every.append((f"enum {name}", words))
    for name, kind in every:
        g = f.create_group(name)
        for where, made in inside(kind):
            d = h5py.h5d.create(g.id, (name + where).encode(), made, h5s.create_simple((5,)))
            data = np.zeros(5 * made.get_size(), "u1")
            d.write(h5s.ALL, h5s.ALL, data, made)
            h5py.h5a.create(d, b"many", made, h5s.create_simple((2,)))
            h5py.h5a.create(g.id, (name + where).encode(), made, h5s.create(h5s.SCALAR))
