"""Special functions in mpmath over the whole range of f64. For arguments near f64's limits, mpmath's own series do not end or
converge; the leading terms of expansions are exact there to far more digits than needed. A function returns None where its value
is a convention (poles, outside of its domain)."""

import mpmath as mp

# Up to this size, mpmath's own series are fast.
LARGE = 1_000_001
# Beyond this, the omitted terms of the expansions below are less than 10⁻¹⁷ of the value.
HUGE = mp.mpf(10) ** 12


# Represents an infinite operand, for which the value is the limit: beyond every element type.
INFINITE = mp.mpf(10) ** 400
LIMITS = ("igamma", "igammac", "zeta", "polygamma")


def power(x, y):
    """x^y. At a complex 0, it is 0 where that is the limit from every side; the logarithm that XLA and NumPy use gives NaN."""
    if x == 0 and isinstance(y, mp.mpc) and y.real > 0:
        return mp.mpc(0)
    return mp.power(x, y)


def _at_edge(a, x, of_no_shape):
    """P or Q where no sum is needed: NaN outside the domain, `of_no_shape` at a = 0, otherwise a convention."""
    if a < 0 or x < 0:
        return mp.nan
    return of_no_shape if a == 0 and x > 0 else None


def igamma(a, x):
    """P(a, x), DLMF 8.2.4; 1 at a = 0, where all of the density is at 0."""
    if min(a, x) <= 0 or a == x == INFINITE:
        return _at_edge(a, x, mp.mpf(1))
    if max(a, x) < LARGE:
        return mp.gammainc(a, 0, x, regularized=True)
    return 1 - _far_upper(a, x) if x > a else _lower(a, x)


def igammac(a, x):
    """Q(a, x), DLMF 8.2.4."""
    if min(a, x) <= 0 or a == x == INFINITE:
        return _at_edge(a, x, None)
    if a < 1 / HUGE**2:
        # The first term in a.
        return a * mp.e1(x)
    if max(a, x) < LARGE:
        return mp.gammainc(a, x, mp.inf, regularized=True)
    return _far_upper(a, x) if x > a else 1 - _lower(a, x)


def _density(a, x):
    """x^a e^{−x} / Γ(a+1)."""
    return mp.exp(a * mp.log(x) - x - mp.loggamma(a + 1))


def _lower(a, x):
    """P for large a and x ≤ a: the series of DLMF 8.11.4, or at x = a its expansion, DLMF 8.11.12."""
    if x == a and a > HUGE:
        return mp.mpf(1) / 2 + 1 / (3 * mp.sqrt(2 * mp.pi * a))
    if 2 * x > a:
        raise NotImplementedError(f"igamma({a}, {x}) is near its transition")
    term, total, n = mp.mpf(1), mp.mpf(1), 1
    while term > total * mp.eps:
        term *= x / (a + n)
        total += term
        n += 1
    return _density(a, x) * total


def _far_upper(a, x):
    """Q for x far above a: the expansion in 1/x, DLMF 8.11.2."""
    if x < 100 * (a + 1):
        raise NotImplementedError(f"igammac({a}, {x}) is near its transition")
    term, total, n = mp.mpf(1), mp.mpf(1), 1
    while abs(term) > mp.eps and n < 100:
        term *= (a - n) / x
        total += term
        n += 1
    return _density(a, x) * a / x * total


def betainc(a, b, x):
    """I_x(a, b), DLMF 8.17.2."""
    if a <= 0 or b <= 0 or not 0 <= x <= 1:
        return None
    return mp.betainc(a, b, 0, x, regularized=True)


def zeta(s, q):
    """The Hurwitz zeta function as a sum over k ≥ 0, DLMF 25.11.1; for negative q and integer s as defined by `jax.lax.zeta`."""
    if s <= 1:
        return None if s == 1 else mp.nan
    if q <= 0:
        if s != mp.floor(s) or q == mp.floor(q) or s == INFINITE:
            return None
        return _below_zero(s, mp.floor(s / 2) * 2 == s, q)
    if s > 10000:
        # All terms but the first few vanish. For huge q, it only matters that the value underflows.
        return mp.power(q, -s) + mp.power(q + 1, -s) + mp.power(q + 2, -s)
    if q > HUGE:
        # DLMF 25.11.43.
        return mp.power(q, 1 - s) / (s - 1) + mp.power(q, -s) / 2
    return mp.power(q, -s) + mp.zeta(s, q + 1) if q < 1 else mp.zeta(s, q)


def _below_zero(s, even, q):
    """The terms below zero are the difference of two sums above zero."""
    above, below, beyond = zeta(s, q - mp.floor(q)), zeta(s, mp.ceil(q) - q), zeta(s, 1 - q)
    return above + (below - beyond) if even else (above - below) + beyond


def polygamma(n, x):
    """The n-th derivative of digamma, DLMF 5.15."""
    if n < 0 or n != mp.floor(n):
        return mp.nan
    if n == INFINITE:
        return None
    even = mp.floor(n / 2) * 2 == n
    if x <= 0 and x == mp.floor(x):
        # The two sides of a pole have opposite signs if n is even; JAX rounds n + 1 before checking.
        return mp.nan if even else None
    if n == 0:
        return None if x == INFINITE else mp.digamma(x)
    if n <= 100 and x < INFINITE:
        return mp.polygamma(int(n), x)
    # Enough digits that n + 1 differs from n.
    with mp.workprec(1200):
        value = zeta(n + 1, x) if x > 0 else _below_zero(n + 1, not even, x)
        return (-1 if even else 1) * mp.exp(mp.loggamma(n + 1)) * value
