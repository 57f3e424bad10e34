"""Elementwise functions in mpmath, for results that are correctly rounded in any element type. They are used where XLA's own
error exceeds JAX's default tolerance (see `choose.py`)."""

import functools

import mpmath as mp
import numpy as np
from mpmath.libmp import NoConvergence

from . import special

# Twice the digits of f64, plus the digits that cancellation may cost.
mp.mp.prec = 240


def _scaled_bessel(order):
    return lambda x: mp.exp(-abs(x)) * mp.besseli(order, x)


def _erf_inv(x):
    return mp.erfinv(x)


def _cbrt(x):
    return mp.cbrt(x) if x >= 0 else -mp.cbrt(-x)


FUNCTIONS = {
    "exp": mp.exp,
    "expm1": mp.expm1,
    "log": mp.log,
    "log1p": mp.log1p,
    "sqrt": mp.sqrt,
    "rsqrt": lambda x: 1 / mp.sqrt(x),
    "cbrt": _cbrt,
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
    "asin": mp.asin,
    "acos": mp.acos,
    "atan": mp.atan,
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "tanh": mp.tanh,
    "asinh": mp.asinh,
    "acosh": mp.acosh,
    "atanh": mp.atanh,
    "logistic": lambda x: 1 / (1 + mp.exp(-x)),
    "erf": mp.erf,
    "erfc": mp.erfc,
    "erf_inv": _erf_inv,
    "lgamma": lambda x: mp.log(abs(mp.gamma(x))) if x < 0 else mp.loggamma(x),
    "digamma": mp.digamma,
    "bessel_i0e": _scaled_bessel(0),
    "bessel_i1e": _scaled_bessel(1),
    "pow": special.power,
    "atan2": mp.atan2,
    "zeta": special.zeta,
    "polygamma": special.polygamma,
    "igamma": special.igamma,
    "igammac": special.igammac,
    "betainc": special.betainc,
}


def elementwise(name, operands, dtype, fallback, where):
    """The function on finite elements where it is real and finite. Elsewhere, and where `where` is false, the result of `fallback`."""
    wide = np.complex128 if dtype.kind == "c" else np.float64
    columns = [np.asarray(x).astype(wide).reshape(-1) for x in operands]
    out = np.array(fallback).reshape(-1).copy()
    for i in np.flatnonzero(where):
        point = tuple(c[i].item() for c in columns)
        if name in special.LIMITS:
            point = tuple(mp.sign(p) * special.INFINITE if np.isinf(p) else p for p in point)
        if any(mp.isnan(p) or mp.isinf(p) for p in point):
            continue
        value = _evaluate(name, point, dtype.kind == "c")
        if value is not None:
            out[i] = _rounded(value, dtype)
    return out.reshape(np.shape(fallback))


@functools.cache
def _evaluate(name, point, complex_point):
    """The function at a point; None if it is a convention. Corner values recur in every element type."""
    arguments = [mp.mpmathify(p) for p in point]
    try:
        value = FUNCTIONS[name](*arguments)
    except (ValueError, ZeroDivisionError, OverflowError, NoConvergence):
        return None
    if value is None:
        return None
    if isinstance(value, mp.mpc) and not complex_point:
        if value.imag != 0:
            # Outside the domain of the real function.
            return mp.nan
        value = value.real
    if mp.isnan(value):
        return value
    if not mp.isfinite(value) or (value == 0 and not complex_point):
        # Poles, limits and the signs of zeros are conventions, which the fallback knows.
        return None
    return value


def _rounded(value, dtype):
    if isinstance(value, mp.mpc) or dtype.kind == "c":
        value = mp.mpmathify(value)
        real = np.dtype(np.zeros(0, dtype).real.dtype)
        return complex(_rounded(value.real, real), _rounded(value.imag, real))
    return np.array(to_float(value, dtype))


def to_float(value, dtype):
    """An mpmath number rounded once, to nearest even, to a float type."""
    if dtype == np.float64:
        return np.float64(float(value))
    # Rounding to odd in f64 first makes the second rounding exact (Boldo and Melquiond, 2008).
    nearest = np.float64(float(value))
    if not np.isfinite(nearest) or mp.mpf(float(nearest)) == value:
        return nearest.astype(dtype)
    if (nearest.view(np.int64) & 1) == 0:
        away = mp.mpf(float(nearest)) < value
        nearest = np.nextafter(nearest, np.inf if away else -np.inf)
    return nearest.astype(dtype)
