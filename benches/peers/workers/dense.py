"""Factorizations and Fourier transforms with NumPy and SciPy: the LAPACK of the OpenBLAS that they include, and pocketfft."""

import os

import numpy as np
from serve import Peer

LINES = 64


def inputs(what, n):
    """The operands in f32. Workers compute in f64, except for `fft-f32`."""
    random = np.random.default_rng(2)
    if what in ("fft", "fft-f32"):
        return {"x": random.standard_normal((LINES, n, 2)).astype(np.float32)}
    if what == "rfft":
        return {"x": random.standard_normal((LINES, n)).astype(np.float32)}
    x = random.standard_normal((n, n))
    if what in ("cholesky", "eigh", "triangular_solve"):
        x = x @ x.T / n + np.eye(n)
    made = {"x": x.astype(np.float32)}
    if what == "triangular_solve":
        made["b"] = random.standard_normal((n, n)).astype(np.float32)
    return made


def read(what, n, data):
    """The operands in the type of the computation."""
    path = lambda name: os.path.join(data, f"dense-{what}-{n}-{name}.f32")
    x = np.fromfile(path("x"), np.float32)
    if what == "fft-f32":
        return x.reshape(LINES, n, 2).view(np.complex64)[..., 0], None
    x = x.astype(np.float64)
    if what == "fft":
        return x.reshape(LINES, n, 2).view(np.complex128)[..., 0], None
    if what == "rfft":
        return x.reshape(LINES, n), None
    b = np.fromfile(path("b"), np.float32).astype(np.float64).reshape(n, n) if what == "triangular_solve" else None
    return x.reshape(n, n), b


def told(what, result):
    """What is compared: for results that are not unique, only the unique part."""
    part = {"lu": 0, "qr": 1, "eigh": 0, "svd": 1}.get(what)
    value = result if part is None else result[part]
    if what == "qr":
        value = np.abs(np.triu(value))
    if np.iscomplexobj(value):
        value = np.ascontiguousarray(value).view(value.real.dtype)
    return np.ascontiguousarray(value)


def reference(what, n, data):
    import scipy.fft
    import scipy.linalg

    x, b = read(what, n, data)
    if what == "lu":
        result = scipy.linalg.lu_factor(x)
    elif what == "triangular_solve":
        result = scipy.linalg.solve_triangular(x, b, lower=True)
    elif what == "fft-f32":
        result = np.fft.fft(x.astype(np.complex128))
    else:
        result = Numpy.functions()[what](x)
    return told(what, result)


class Dense(Peer):
    def prepare(self, case, data):
        self.what = case["what"]
        self.x, self.b = read(self.what, case["n"], data)
        functions = self.functions(self.threads) if isinstance(self, Scipy) else self.functions()
        if self.what not in functions:
            raise LookupError(f"{type(self).__name__} has no {self.what}")
        self.function = functions[self.what]
        self.run()

    def run(self):
        self.result = self.function(self.x) if self.b is None else self.function(self.x, self.b)

    def output(self):
        return told(self.what, self.result)


class Numpy(Dense):
    version = f"NumPy {np.__version__}"
    notes = "LAPACK of OpenBLAS; pocketfft, which has one thread"

    @staticmethod
    def functions():
        linalg = np.linalg
        return {
            "cholesky": linalg.cholesky, "qr": linalg.qr, "eigh": linalg.eigh,
            "svd": lambda x: linalg.svd(x, full_matrices=False),
            "fft": np.fft.fft, "fft-f32": np.fft.fft, "rfft": np.fft.rfft,
        }


class Scipy(Dense):
    notes = "LAPACK of OpenBLAS; pocketfft with as many workers as threads"

    def __init__(self, threads):
        super().__init__(threads)
        import scipy

        self.version = f"SciPy {scipy.__version__}"

    @staticmethod
    def functions(threads):
        import scipy.fft
        import scipy.linalg as linalg

        plain = {"check_finite": False}
        return {
            "cholesky": lambda x: linalg.cholesky(x, lower=True, **plain),
            "lu": lambda x: linalg.lu_factor(x, **plain),
            "qr": lambda x: linalg.qr(x, mode="economic", **plain),
            "eigh": lambda x: linalg.eigh(x, driver="evd", **plain),
            "svd": lambda x: linalg.svd(x, full_matrices=False, **plain),
            "triangular_solve": lambda x, b: linalg.solve_triangular(x, b, lower=True, **plain),
            "fft": lambda x: scipy.fft.fft(x, workers=threads),
            "fft-f32": lambda x: scipy.fft.fft(x, workers=threads),
            "rfft": lambda x: scipy.fft.rfft(x, workers=threads),
        }
