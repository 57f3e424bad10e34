"""Special functions in mpmath over the whole range of f64. mpmath's own series neither end nor converge for arguments of the size
of f64's limits; there the leading terms of expansions are exact to far more digits than are asked for. A function returns None
where its value is a convention (poles, the outside of its domain)."""

import mpmath as mp

# Beyond this the omitted terms of an expansion in 1/x are below 10⁻²⁴ of its value.
HUGE = mp.mpf(10) ** 12


def igamma(a, x):
    """P(a, x), DLMF 8.2.4."""
    if a <= 0 or x <= 0:
        return None
    if max(a, x) < 1000:
        return mp.gammainc(a, 0, x, regularized=True)
    return 1 - _far_upper(a, x) if x > a else _lower(a, x)


def igammac(a, x):
    """Q(a, x), DLMF 8.2.4."""
    if a <= 0 or x <= 0:
        return None
    if a < 1 / HUGE**2:
        # The first term in a.
        return a * mp.e1(x)
    if max(a, x) < 1000:
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
    """The Hurwitz zeta function as a sum over k ≥ 0, DLMF 25.11.1; for negative q as `jax.lax.zeta` has it, of integer s."""
    if s <= 1:
        return None
    if q <= 0:
        if s != mp.floor(s) or q == mp.floor(q):
            return None
        below = [mp.power(q + k, -s) for k in range(int(-mp.floor(q)))]
        return mp.fsum(below) + zeta(s, q - mp.floor(q))
    if s > 10000:
        # All terms but the first few vanish; of huge q only that the value underflows is asked for.
        return mp.fsum(mp.power(q + k, -s) for k in range(3))
    if q > HUGE:
        # DLMF 25.11.43.
        return mp.power(q, 1 - s) / (s - 1) + mp.power(q, -s) / 2
    return mp.power(q, -s) + mp.zeta(s, q + 1) if q < 1 else mp.zeta(s, q)


def polygamma(n, x):
    """The n-th derivative of digamma, DLMF 5.15."""
    if n < 0 or n != mp.floor(n) or (x <= 0 and x == mp.floor(x)):
        return None
    if n == 0:
        return mp.digamma(x)
    if n <= 100:
        return mp.polygamma(int(n), x)
    # Digits enough that n + 1 is not n, whose parity is another.
    with mp.workprec(1200):
        sign = -1 if mp.floor(n / 2) * 2 == n else 1
        return sign * mp.exp(mp.loggamma(n + 1)) * zeta(n + 1, x)
