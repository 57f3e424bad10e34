#!/usr/bin/env python3
"""Writes crates/rlx-math/tests/special.txt: values of special functions for f32 arguments of every size, computed with mpmath.

    scripts/special_goldens.py

Needs NumPy and mpmath. A row is the name of a function, the bits of the argument as an f32, and the value as the nearest f64.
"""

import math
import pathlib
import random

import mpmath
import numpy

TARGET = pathlib.Path(__file__).resolve().parents[1] / "crates/rlx-math/tests/special.txt"
mpmath.mp.dps = 60


def scaled(n):
    """e^−|x| times the modified Bessel function of order n, 0 or 1."""

    def function(x):
        a = abs(x)
        if a > 10**6:
            # DLMF 10.40.1, whose next term is below 1e-25.
            m, z = 4 * n * n, 8 * a
            value = (1 - (m - 1) / z * (1 - (m - 9) / (2 * z) * (1 - (m - 25) / (3 * z)))) / mpmath.sqrt(2 * mpmath.pi * a)
        else:
            value = mpmath.exp(-a) * mpmath.besseli(n, a)
        return value * (mpmath.sign(x) if n == 1 else 1)

    return function


def lgamma(x):
    if x <= 0 and x == mpmath.floor(x):
        return mpmath.inf
    return mpmath.re(mpmath.loggamma(x))


def digamma(x):
    if x <= 0 and x == mpmath.floor(x):
        return mpmath.nan
    return mpmath.digamma(x)


def erf_inv(x):
    if abs(x) >= 1:
        return x * mpmath.inf if abs(x) == 1 else mpmath.nan
    return mpmath.erfinv(x)


def f32(x):
    return float(numpy.float32(x))


def around(x, count=2):
    """The f32 nearest to x, and its neighbors."""
    x = numpy.float32(x)
    found = [x]
    for direction in (-numpy.inf, numpy.inf):
        at = x
        for _ in range(count):
            at = numpy.nextafter(at, numpy.float32(direction))
            found.append(at)
    return [float(x) for x in found]


def magnitudes(low, high, per_octave):
    """Numbers of every power of two in a range, with random significands."""
    return [f32(math.ldexp(1 + random.random(), e)) for e in range(low, high) for _ in range(per_octave)]


def functions():
    """Name, function, arguments."""
    sizes = magnitudes(-149, 127, 1)
    unit = [f32(random.random()) for _ in range(300)] + magnitudes(-126, 0, 1)
    edges = [f32(1 - 2.0**-k) for k in range(2, 25)] + [0.0, 0.5, 1.0, 1.5]
    yield "erf_inv", erf_inv, [s * x for x in unit + edges for s in (1, -1)]
    zeros = [y for k in range(-14, 0) for a in (0.02, 0.5, 0.98) for y in around(k + a, 1)]
    near_poles = [y for k in range(-14, 1) for y in around(k)]
    inside = [f32(random.uniform(-20, 20)) for _ in range(400)]
    near_one = [y for x in (0.5, 1, 1.5, 2, 2.5, 4, 4.5, -10.5) for y in around(x, 4)]
    large = [-abs(f32(random.uniform(20, 2000))) for _ in range(60)] + [-4194304.5, -8388607.5, -8388608.0, 4e36, 5e36]
    gamma = sizes + [-x for x in magnitudes(-149, 0, 1)] + inside + near_one + near_poles + zeros + large
    yield "lgamma", lgamma, gamma
    yield "digamma", digamma, gamma + around(mpmath.findroot(mpmath.digamma, 1.46), 8)
    both = [s * x for x in magnitudes(-149, 127, 1) + [f32(random.uniform(0, 20)) for _ in range(200)] + around(8.0) for s in (1, -1)]
    yield "bessel_i0e", scaled(0), both
    yield "bessel_i1e", scaled(1), both


def main():
    random.seed(5)
    with TARGET.open("w") as file:
        for name, function, arguments in functions():
            for x in dict.fromkeys(map(f32, arguments)):
                bits = int(numpy.float32(x).view(numpy.uint32))
                file.write(f"{name} {bits:08x} {float(function(mpmath.mpf(x)))!r}\n")


if __name__ == "__main__":
    main()
