"""Matrix products through the C interfaces of MKL, OpenBLAS and oneDNN, called with ctypes."""

import ctypes
import ctypes.util
import glob
import os
import re
import sys

import gemm
import numpy as np
from serve import Peer

ROW_MAJOR, NO_TRANSPOSE, B_MATRIX, STORED_PACKED = 101, 111, 162, 151
INT, FLOAT, POINTER = ctypes.c_int, ctypes.c_float, ctypes.c_void_p


def address(array):
    return array.ctypes.data_as(POINTER)


def installed(pattern):
    """A shared library of an installed Python package."""
    for folder in [os.path.join(sys.prefix, "lib"), *sys.path]:
        found = sorted(glob.glob(os.path.join(folder, pattern)))
        if found:
            return found[0]
    raise OSError(f"{pattern} is in no folder of this Python")


class Product(Peer):
    """y = x·w, in row-major order."""

    def prepare(self, case, data):
        self.m, self.k, self.n = case["m"], case["k"], case["n"]
        self.x, self.w, self.bias = gemm.operands(case, data)
        self.y = np.zeros((self.m, self.n), np.float32)
        self.epilogue = case["epilogue"]
        self.calls = self.calls_of_a_run()
        self.run()
        # The output of one run is kept, since runs that accumulate into y would change it.
        self.result = self.y.copy()

    def calls_of_a_run(self):
        """The functions and their arguments, in order."""
        raise NotImplementedError

    def run(self):
        for function, arguments in self.calls:
            function(*arguments)

    def output(self):
        return self.result

    def sgemm(self):
        """The arguments of cblas_sgemm, created once, so that a call from Python costs only a microsecond or two."""
        m, n, k = INT(self.m), INT(self.n), INT(self.k)
        x, w, y = (address(a) for a in (self.x, self.w, self.y))
        return INT(ROW_MAJOR), INT(NO_TRANSPOSE), INT(NO_TRANSPOSE), m, n, k, FLOAT(1.0), x, k, w, n, FLOAT(0.0), y, n


class OpenBlas(Product):
    def __init__(self, threads):
        super().__init__(threads)
        import scipy_openblas32

        self.blas = ctypes.CDLL(installed("scipy_openblas32/lib/libscipy_openblas.so"))
        self.blas.scipy_openblas_set_num_threads(INT(threads))
        config = self.blas.scipy_openblas_get_config
        config.restype = ctypes.c_char_p
        core = self.blas.scipy_openblas_get_corename
        core.restype = ctypes.c_char_p
        self.version = f"OpenBLAS {scipy_openblas32.__version__}"
        self.notes = f"cblas_sgemm; kernels of {core().decode()}"

    def calls_of_a_run(self):
        return [(self.blas.scipy_cblas_sgemm, self.sgemm())]


class Mkl(Product):
    notes = "cblas_sgemm"

    def __init__(self, threads):
        super().__init__(threads)
        # It finds its other parts in its own folder.
        self.blas = ctypes.CDLL(installed("libmkl_rt.so.*"), mode=ctypes.RTLD_GLOBAL)
        self.blas.MKL_Set_Num_Threads(INT(threads))
        text = ctypes.create_string_buffer(256)
        self.blas.MKL_Get_Version_String(text, INT(256))
        found = re.search(r"20\d\d\.\d+", text.value.decode())
        self.version = f"MKL {found.group() if found else 'unknown'}"

    def calls_of_a_run(self):
        return [(self.blas.cblas_sgemm, self.sgemm())]


class MklPacked(Mkl):
    notes = "cblas_sgemm_pack and cblas_sgemm_compute; bias as the addend, GELU by vsCdfNorm and vsMul"

    def calls_of_a_run(self):
        m, n, k = self.m, self.n, self.k
        size = self.blas.cblas_sgemm_pack_get_size
        size.restype = ctypes.c_size_t
        # 64 additional bytes, so that the packed matrix can begin on a cache line.
        self.store = np.zeros(size(B_MATRIX, m, n, k) + 64, np.uint8)
        packed = POINTER(self.store.ctypes.data + (-self.store.ctypes.data) % 64)
        self.blas.cblas_sgemm_pack(ROW_MAJOR, B_MATRIX, NO_TRANSPOSE, m, n, k, FLOAT(1.0), address(self.w), n, packed)
        x, y = address(self.x), address(self.y)
        shape = INT(ROW_MAJOR), INT(NO_TRANSPOSE), INT(STORED_PACKED), INT(m), INT(n), INT(k)
        beta = FLOAT(1.0 if self.epilogue else 0.0)
        product = self.blas.cblas_sgemm_compute, (*shape, x, INT(k), packed, INT(n), beta, y, INT(n))
        if not self.epilogue:
            return [product]
        self.phi, self.rows = np.empty_like(self.y), np.tile(self.bias, (m, 1))
        phi, count = address(self.phi), INT(m * n)
        return [
            (ctypes.memmove, (y, address(self.rows), self.y.nbytes)),
            product,
            (self.blas.vsCdfNorm, (count, y, phi)),
            (self.blas.vsMul, (count, y, phi, y)),
        ]


class OneDnn(Product):
    """The library of the Linux distribution."""

    def __init__(self, threads):
        super().__init__(threads)
        name = ctypes.util.find_library("dnnl")
        if name is None:
            raise OSError("libdnnl is not installed (Debian's libdnnl-dev)")
        self.blas = ctypes.CDLL(name)

        class Version(ctypes.Structure):
            _fields_ = [("major", INT), ("minor", INT), ("patch", INT)]

        of = self.blas.dnnl_version
        of.restype = ctypes.POINTER(Version)
        v = of().contents
        self.version = f"oneDNN {v.major}.{v.minor}.{v.patch}"
        self.notes = "dnnl_sgemm"

    def calls_of_a_run(self):
        m, n, k = (ctypes.c_int64(v) for v in (self.m, self.n, self.k))
        character = ctypes.c_char(b"N")
        x, w, y = (address(a) for a in (self.x, self.w, self.y))
        return [(self.blas.dnnl_sgemm, (character, character, m, n, k, FLOAT(1.0), x, k, w, n, FLOAT(0.0), y, n))]
