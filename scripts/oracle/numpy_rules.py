"""Elementwise functions in NumPy on f64 (c128), integers or booleans, for elements where XLA:CPU treats subnormal numbers as
zero. The caller rounds the result to the element type of the case."""

import numpy as np

FUNCTIONS = {
    "neg": np.negative,
    "abs": np.abs,
    "sign": np.sign,
    "floor": np.floor,
    "ceil": np.ceil,
    "round_even": np.rint,
    "round_away": lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x),
    "sqrt": np.sqrt,
    "is_finite": np.isfinite,
    "real": np.real,
    "imag": np.imag,
    "conj": np.conj,
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "rem": np.fmod,
    "max": np.maximum,
    "min": np.minimum,
    "complex": lambda re, im: np.stack([re, im], axis=-1).view(np.complex128)[..., 0],
    "atan2": np.arctan2,
    "clamp": lambda low, x, high: np.minimum(np.maximum(x, low), high),
    "select": lambda pred, on_true, on_false: np.where(pred, on_true, on_false),
}

COMPARE = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def is_subnormal(x):
    """Where a float array is subnormal in its own type (for complex arrays, where a part is)."""
    x = np.asarray(x)
    if x.dtype.kind == "c":
        return is_subnormal(x.real) | is_subnormal(x.imag)
    if x.dtype.kind not in "fV":
        return np.zeros(x.shape, bool)
    smallest = float(_finfo(x.dtype).smallest_normal)
    wide = np.abs(x.astype(np.float64))
    return (wide > 0) & (wide < smallest)


def _finfo(dtype):
    import ml_dtypes

    return np.finfo(dtype) if dtype in (np.float64, np.float32, np.float16) else ml_dtypes.finfo(dtype)


def widen(x):
    x = np.asarray(x)
    if x.dtype.kind == "c":
        return x.astype(np.complex128)
    return x.astype(np.float64) if x.dtype.kind in "fV" else x
