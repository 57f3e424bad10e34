#!/usr/bin/env python3
"""Fits the polynomials of crates/rlx-math/src, and compares the tables there with the fits.

    scripts/fit_polynomials.py

Needs NumPy and mpmath. Each table approximates a function on an interval so that the largest relative error of the result is as small as
its degree allows: Lawson's iteration (C. L. Lawson, 1961) on weighted least squares, with quotients linearized by the previous divisor
(C. Sanathanan and J. Koerner, 1963). Coefficients are rounded to f32 one at a time, lowest first, and the others are fitted again.

For each table, prints the error of the fit and of the table in rounding units of f32 (2^-24), before rounding in the evaluation. Fails
if the table is worse than the fit by more than a tenth of the error, or of a hundredth of a unit.
"""

import pathlib
import re
import sys

import mpmath
import numpy

SOURCE = pathlib.Path(__file__).resolve().parents[1] / "crates/rlx-math/src"
UNIT = 2.0**-24
POINTS = 1500
mpmath.mp.dps = 40


def table(file, name):
    """The numbers of a table in the source."""
    text = (SOURCE / file).read_text()
    body = re.search(rf"const {name}: \[f32; \d+\] =\s*\[(.*?)\];", text, re.S).group(1)
    return [float(numpy.float32(word.replace("_", ""))) for word in re.findall(r"[-+.\d_e]+", body)]


def grid(low, high):
    """Points that are dense at both ends."""
    angles = (numpy.arange(POINTS) + 0.5) * numpy.pi / POINTS
    return numpy.sort((low + high) / 2 + (high - low) / 2 * numpy.cos(angles))


def minimax(columns, target, weights):
    """Factors of the columns that minimize the largest weighted difference from the target."""
    lawson = numpy.full(len(target), 1.0 / len(target))
    best = (numpy.inf, None)
    for _ in range(400):
        root = numpy.sqrt(lawson) * weights
        factors = numpy.linalg.lstsq(columns * root[:, None], target * root, rcond=None)[0]
        errors = numpy.abs((columns @ factors - target) * weights)
        best = min(best, (errors.max(), tuple(factors)))
        lawson *= errors
        lawson /= lawson.sum()
    return numpy.array(best[1])


def rounded(fit, count):
    """Coefficients in f32, each rounded before the higher ones are fitted: `fit(known)` returns all of them."""
    known = []
    while len(known) < count:
        known.append(float(numpy.float32(fit(known)[len(known)])))
    return known


class Polynomial:
    """A function f of x, as a polynomial of this length in t(x). A difference d of f counts as `weight(x) * d`."""

    def __init__(self, file, name, interval, f, weight, t=lambda x: x):
        self.title, self.table = f"{file} {name}", table(file, name)
        x = [mpmath.mpf(float(p)) for p in grid(*interval)]
        self.f = numpy.array([float(f(p)) for p in x])
        self.weight = numpy.array([float(abs(weight(p))) for p in x])
        self.t = numpy.array([float(t(p)) for p in x])

    def error(self, coefficients):
        return numpy.abs((numpy.polynomial.polynomial.polyval(self.t, coefficients) - self.f) * self.weight).max()

    def fit(self):
        count = len(self.table)
        powers = self.t[:, None] ** numpy.arange(count)

        def fit(known):
            rest = self.f - powers[:, : len(known)] @ numpy.array(known)
            return [*known, *minimax(powers[:, len(known) :], rest, self.weight)]

        return rounded(fit, count)


class Quotient:
    """A function f of x as a quotient of polynomials with given constants, with its relative error."""

    def __init__(self, file, interval, f):
        self.title = f"{file} NUMERATOR / DENOMINATOR"
        self.table = (table(file, "NUMERATOR"), table(file, "DENOMINATOR"))
        self.x = grid(*interval)
        self.f = numpy.array([float(f(mpmath.mpf(float(p)))) for p in self.x])

    def error(self, both):
        numerator, denominator = (numpy.polynomial.polynomial.polyval(self.x, c) for c in both)
        return numpy.abs(numerator / denominator / self.f - 1).max()

    def fit(self):
        upper, lower = (len(c) for c in self.table)
        constants = [self.table[0][0], self.table[1][0]]
        over = self.x[:, None] ** numpy.arange(1, upper)
        under = self.x[:, None] ** numpy.arange(1, lower)
        columns = numpy.hstack([over, -self.f[:, None] * under])
        target = constants[1] * self.f - constants[0]

        def fit(known):
            divisor, best = numpy.ones(len(self.x)), (numpy.inf, None)
            rest = target - columns[:, : len(known)] @ numpy.array(known)
            for _ in range(12):
                found = [*known, *minimax(columns[:, len(known) :], rest, 1 / (divisor * self.f))]
                both = self.split(found, upper)
                best = min(best, (self.error(both), tuple(found)))
                divisor = numpy.polynomial.polynomial.polyval(self.x, both[1])
            return best[1]

        return self.split(rounded(fit, upper + lower - 2), upper)

    def split(self, found, upper):
        return [self.table[0][0], *found[: upper - 1]], [self.table[1][0], *found[upper - 1 :]]


bessel = mpmath.besseli


def inverse_error(w):
    """The inverse of the error function at x = √(1 − e^−w), divided by x."""
    square = -mpmath.expm1(-w)
    x = mpmath.sqrt(square)
    return mpmath.erfinv(x) / x


def fits():
    half = float(mpmath.log(2) / 2)
    exp, square = mpmath.exp, lambda x: x * x
    yield Polynomial("exponential.rs", "EXP", (-half, half), lambda r: (exp(r) - 1 - r) / r**2, lambda r: r**2 / exp(r))
    yield Polynomial("exponential.rs", "EXPM1", (-half, half), lambda r: (exp(r) - 1 - r) / r**2, lambda r: r**2 / mpmath.expm1(r))
    root = float(mpmath.sqrt(2))
    log = mpmath.log1p
    yield Polynomial("logarithm.rs", "LOG", (root / 2 - 1, root - 1), lambda f: (log(f) - f + f**2 / 2) / f**3, lambda f: f**3 / log(f))
    quarter = float(mpmath.pi / 4)
    sin, cos = mpmath.sin, mpmath.cos
    yield Polynomial("trigonometric.rs", "SINE", (0, quarter), lambda r: (sin(r) - r) / r**3, lambda r: r**3 / sin(r), square)
    yield Polynomial("trigonometric.rs", "COSINE", (0, quarter), lambda r: (cos(r) - 1 + r**2 / 2) / r**4, lambda r: r**4 / cos(r), square)
    yield Polynomial("error_function.rs", "SMALL", (0, 1), lambda x: mpmath.erf(x) / x - 1, lambda x: x / mpmath.erf(x), square)
    yield Quotient("error_function.rs", (0, 10.2), lambda x: mpmath.erfc(x) * exp(x * x))
    yield Quotient("gaussian.rs", (0, 14.5), lambda a: mpmath.erfc(a / mpmath.sqrt(2)) / 2 * exp(a * a / 2))
    yield Polynomial("inverse_error.rs", "CENTRAL", (0, 5), inverse_error, lambda w: 1 / inverse_error(w), lambda w: w - 2.5)
    yield Polynomial("inverse_error.rs", "TAIL", (5, 16), inverse_error, lambda w: 1 / inverse_error(w), lambda w: mpmath.sqrt(w) - 3)
    yield Polynomial("half_turns.rs", "SINE", (0, 0.5), lambda d: mpmath.sinpi(d) / d, lambda d: d / mpmath.sinpi(d), square)
    loggamma, digamma = mpmath.loggamma, mpmath.digamma
    yield Polynomial("gamma.rs", "NEAR_1", (-0.5, 0.5), lambda a: loggamma(1 + a) / a, lambda a: a / loggamma(1 + a))
    yield Polynomial("gamma.rs", "NEAR_2", (-0.5, 0.5), lambda a: loggamma(2 + a) / a, lambda a: a / loggamma(2 + a))
    yield Polynomial("gamma.rs", "NEAR_3", (-1, 1), lambda a: loggamma(3.5 + a), lambda a: 1 / loggamma(3.5 + a))
    stirling = lambda x: loggamma(x) - (x - 0.5) * mpmath.log(x) + x - mpmath.log(2 * mpmath.pi) / 2
    yield Polynomial("gamma.rs", "STIRLING", (1e-3, 1 / 4.5), lambda u: stirling(1 / u) / u, lambda u: u / loggamma(1 / u), square)
    zero = mpmath.findroot(digamma, 1.46)
    ratio = lambda a: digamma(1.5 + a) / (1.5 + a - zero)
    yield Polynomial("digamma.rs", "NEAR_1", (-0.5, 0.5), ratio, lambda a: 1 / ratio(a))
    yield Polynomial("digamma.rs", "NEAR_3", (-1, 1), lambda a: digamma(3 + a), lambda a: 1 / digamma(3 + a))
    rest = lambda x: mpmath.log(x) - 1 / (2 * x) - digamma(x)
    yield Polynomial("digamma.rs", "ASYMPTOTIC", (1e-3, 0.25), lambda u: rest(1 / u) / u**2, lambda u: u**2 / digamma(1 / u), square)
    for n in [0, 1]:
        near = lambda t, n=n: bessel(n, 8 * mpmath.sqrt(t)) / (4 * mpmath.sqrt(t)) ** n
        yield Polynomial("bessel.rs", f"NEAR_{n}", (0, 1), near, lambda t, near=near: 1 / near(t))
        far = lambda u, n=n: exp(-8 / u) * mpmath.sqrt(8 / u) * bessel(n, 8 / u)
        yield Polynomial("bessel.rs", f"FAR_{n}", (1e-3, 1), far, lambda u, far=far: 1 / far(u))


def main():
    worse = False
    for each in fits():
        found = each.fit()
        fitted, there = each.error(found) / UNIT, each.error(each.table) / UNIT
        print(f"{each.title}: fit {fitted:.4f}, table {there:.4f} units")
        print("   ", found)
        worse |= there > fitted * 1.1 + 0.01
    sys.exit("a table is worse than its fit" if worse else 0)


if __name__ == "__main__":
    main()
