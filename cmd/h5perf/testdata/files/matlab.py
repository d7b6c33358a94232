"""Makes a file of MATLAB 7.3 with matio: a user block, matrices, text, an empty one, a structure and a cell array."""
import ctypes
import ctypes.util
import sys

matio = ctypes.CDLL(ctypes.util.find_library("matio") or "libmatio.so")
pointer, size = ctypes.c_void_p, ctypes.c_size_t
matio.Mat_CreateVer.restype = matio.Mat_VarCreate.restype = matio.Mat_VarCreateStruct.restype = pointer
matio.Mat_CreateVer.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int]
matio.Mat_VarCreate.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.POINTER(size), pointer, ctypes.c_int]
matio.Mat_VarCreateStruct.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(size), ctypes.POINTER(ctypes.c_char_p), ctypes.c_uint]
matio.Mat_VarSetStructFieldByName.argtypes = [pointer, ctypes.c_char_p, size, pointer]
matio.Mat_VarWrite.argtypes = [pointer, pointer, ctypes.c_int]
matio.Mat_Close.argtypes = [pointer]
UINT8, INT32, SINGLE, DOUBLE, CELLS = 2, 5, 7, 9, 21  # data
CELL, CHAR, C_DOUBLE, C_SINGLE, C_INT32 = 1, 4, 6, 7, 12  # classes


def variable(name, kind, data, *dims, values=None):
    n = 1
    for d in dims:
        n *= d
    values = values if values is not None else ({SINGLE: ctypes.c_float, DOUBLE: ctypes.c_double, INT32: ctypes.c_int32, UINT8: ctypes.c_uint8}[data] * n)()
    return matio.Mat_VarCreate(name, kind, data, len(dims), (size * len(dims))(*dims), ctypes.cast(values, pointer), 0)


mat = matio.Mat_CreateVer(sys.argv[1].encode(), None, 0x0200)
for compressed, name in enumerate([b"matrix", b"packed"]):
    assert matio.Mat_VarWrite(mat, variable(name, C_DOUBLE, DOUBLE, 20, 30), compressed) == 0
assert matio.Mat_VarWrite(mat, variable(b"single", C_SINGLE, SINGLE, 3, 4, 5), 0) == 0
assert matio.Mat_VarWrite(mat, variable(b"whole", C_INT32, INT32, 1, 7), 0) == 0
assert matio.Mat_VarWrite(mat, variable(b"text", CHAR, UINT8, 1, 5, values=(ctypes.c_uint8 * 5)(*b"hello")), 0) == 0
assert matio.Mat_VarWrite(mat, variable(b"empty", C_DOUBLE, DOUBLE, 0, 0), 0) == 0
one = (size * 2)(1, 1)
struct = matio.Mat_VarCreateStruct(b"structure", 2, one, (ctypes.c_char_p * 2)(b"a", b"b"), 2)
matio.Mat_VarSetStructFieldByName(struct, b"a", 0, variable(b"a", C_DOUBLE, DOUBLE, 2, 2))
matio.Mat_VarSetStructFieldByName(struct, b"b", 0, variable(b"b", C_SINGLE, SINGLE, 1, 1))
assert matio.Mat_VarWrite(mat, struct, 0) == 0
cells = (pointer * 2)(variable(b"x", C_DOUBLE, DOUBLE, 1, 2), variable(b"y", C_DOUBLE, DOUBLE, 1, 3))
assert matio.Mat_VarWrite(mat, variable(b"cells", CELL, CELLS, 1, 2, values=cells), 0) == 0
matio.Mat_Close(mat)
