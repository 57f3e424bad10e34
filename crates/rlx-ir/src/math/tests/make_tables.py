#!/usr/bin/env python3
"""Writes the tables of expected values beside this file: `python make_tables.py`.

Special and complex functions come from mpmath at some hundreds of digits, by defining sums where its own
routines are only accurate in the absolute sense; special values of complex functions and transforms from
NumPy; factorizations from LAPACK through SciPy; random bits from JAX and XLA on the CPU.
"""
import math
import os
import random

import mpmath as mp
import numpy as np
import scipy.linalg
from mpmath import mpc, mpf

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tables")
U = random.uniform


def log_uniform(low, high):
    return 10 ** U(low, high)


def sign():
    return random.choice((-1, 1))


def literal(x):
    x = float(x)
    if x != x:
        return "f64::NAN"
    if math.isinf(x):
        return "f64::INFINITY" if x > 0 else "f64::NEG_INFINITY"
    return repr(x)


def array(name, doc, kind, items):
    """A constant array of already formatted items, wrapped at about 110 columns."""
    lines, line = [], "   "
    for item in items:
        if len(line) + len(item) + 2 > 110:
            lines.append(line)
            line = "   "
        line += " " + item + ","
    lines.append(line)
    body = "\n".join(lines) if items else ""
    return f"/// {doc}\n#[rustfmt::skip]\npub const {name}: &[{kind}] = &[\n{body}\n];\n"


def rows(name, doc, table):
    width = len(table[0])
    kind = f"[f64; {width}]"
    return array(name, doc, kind, ["[" + ", ".join(map(literal, row)) + "]" for row in table])


def floats(name, doc, values):
    return array(name, doc, "f64", [literal(v) for v in values])


def words(name, doc, values, kind="u64"):
    return array(name, doc, kind, [hex(int(v)) for v in values])


def write(file, about, parts):
    text = f"//! {about} Made by `make_tables.py`.\n\n" + "\n".join(parts)
    with open(os.path.join(HERE, file), "w") as out:
        out.write(text)


def error_and_bessel():
    mp.mp.dps = 60
    xs = [U(-6, 6) for _ in range(30)] + [sign() * log_uniform(-300, 1.4) for _ in range(15)] + [U(5, 26.5) for _ in range(15)]
    ys = [U(-1, 1) for _ in range(25)] + [1 - log_uniform(-15, 0) for _ in range(20)] + [-log_uniform(-25, 0) for _ in range(10)]
    bs = [U(-60, 60) for _ in range(40)] + [sign() * log_uniform(-100, 5) for _ in range(15)] + [21.999, 22.0]

    def scaled(n, x):
        return mp.besseli(n, mpf(x)) * mp.exp(-abs(mpf(x)))

    write(
        "error_bessel.rs",
        "The error functions and the scaled Bessel functions, from mpmath.",
        [
            rows("ERF", "`x, erf x`.", [(x, mp.erf(mpf(x))) for x in xs]),
            rows("ERFC", "`x, erfc x`.", [(x, mp.erfc(mpf(x))) for x in xs]),
            rows("ERF_INV", "`x, erf⁻¹ x`.", [(y, mp.erfinv(mpf(y))) for y in ys]),
            rows("I0E", "`x, e^{-|x|} I₀(x)`.", [(x, scaled(0, x)) for x in bs]),
            rows("I1E", "`x, e^{-|x|} I₁(x)`.", [(x, scaled(1, x)) for x in bs]),
        ],
    )


def hurwitz(s, q):
    """ζ(s, q); for negative q and integer s by adding the missing terms."""
    s, q, total = mpf(s), mpf(q), mpf(0)
    while q <= 0.5:
        total += q ** (-int(s)) if s == int(s) else q ** (-s)
        q += 1
    return total + mp.zeta(s, q)


def gamma_family():
    mp.mp.dps = 80
    near = [r + U(-1, 1) * log_uniform(-12, 0) for r in (1, 2) for _ in range(8)]
    xs = [U(-30, 30) for _ in range(50)] + [log_uniform(-300, 300) for _ in range(15)] + [-log_uniform(-5, 10) for _ in range(20)]
    xs += near + [1.4616321449683623, -0.504083008264455, -2.4570247382208006, -2.7476826467274127, -29.99, -30.01, -24.99, -25.01]

    def lgamma(x):
        x = mpf(x)
        if x > 0:
            return mp.loggamma(x).real
        return mp.log(mp.pi) - mp.log(abs(mp.sin(mp.pi * x))) - mp.log(-x) - mp.loggamma(-x).real

    lg = [(x, lgamma(x)) for x in xs]
    psi = [(x, mp.digamma(mpf(x))) for x in xs if abs(x) < 1e12]
    mp.mp.dps = 400
    zs = [(1 + log_uniform(-6, 2.3), log_uniform(-3, 3)) for _ in range(60)]
    zs += [(float(random.randint(2, 30)), U(-30, 0)) for _ in range(25)]
    ps = [(float(random.randint(1, 40)), log_uniform(-3, 3)) for _ in range(50)]
    ps += [(float(random.randint(1, 20)), U(-25, 0)) for _ in range(25)] + [(200.0, 3.0), (170.0, 0.5)]
    poly = [(n, x, (-1) ** int(n + 1) * mp.factorial(n) * hurwitz(n + 1, x)) for n, x in ps]
    write(
        "gamma.rs",
        "The gamma and zeta functions, from mpmath.",
        [
            rows("LGAMMA", "`x, ln |Γ(x)|`.", lg),
            rows("DIGAMMA", "`x, ψ(x)`.", psi),
            rows("POLYGAMMA", "`n, x, ψ⁽ⁿ⁾(x)`.", poly),
            rows("ZETA", "`s, q, ζ(s, q)`.", [(s, q, hurwitz(s, q)) for s, q in zs]),
        ],
    )


def gamma_tails(a, x, digits):
    """(P, Q) by the series of positive terms, with digits enough for the subtraction."""
    mp.mp.dps = digits
    a, x = mpf(a), mpf(x)
    term = total = mpf(1)
    n = 0
    while term > total * mpf(10) ** -digits:
        n += 1
        term *= x / (a + n)
        total += term
    p = total * mp.exp(a * mp.log(x) - x - mp.loggamma(a + 1))
    return p, 1 - p


def beta_series(a, b, x):
    term = total = mpf(1)
    n = 0
    while term > total * mpf(10) ** -mp.mp.dps:
        term *= x * (a + b + n) / (a + 1 + n)
        total += term
        n += 1
    log_beta = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)
    return total * mp.exp(a * mp.log(x) + b * mp.log(1 - x) - mp.log(a) - log_beta)


def betainc(a, b, x):
    a, b, x = mpf(a), mpf(b), mpf(x)
    return beta_series(a, b, x) if x <= 0.5 else 1 - beta_series(b, a, 1 - x)


def incomplete():
    cases = []
    for i in range(90):
        kind, digits = i % 6, 420
        if kind == 0:
            a = log_uniform(-3, 1.7)
            x = a * log_uniform(-2, 1)
        elif kind == 1:
            a, x = log_uniform(-2, 2), log_uniform(-3, 2.3)
        elif kind == 2:
            a = log_uniform(1.5, 3.3)
            x, digits = a + math.sqrt(a) * U(-5, 6), 60
        elif kind == 3:
            a = log_uniform(1.5, 3)
            x = a * (1 + U(-0.9, 2))
        elif kind == 4:
            a, x = log_uniform(-18, -1), log_uniform(-3, 1)
        else:
            a = log_uniform(1.6, 2.5)
            x = a * log_uniform(-1, 0.5)
        cases.append((a, x, *gamma_tails(a, x, digits)))
    for a in (49.999, 50.0, 1e5):
        for d in (-6, -1, 0, 0.3, 2, 9):
            x = a + d * math.sqrt(a)
            cases.append((a, x, *gamma_tails(a, x, 70)))
    mp.mp.dps = 360
    betas = []
    while len(betas) < 100:
        kind = len(betas) % 6
        if kind == 0:
            a, b, x = log_uniform(-2, 1.5), log_uniform(-2, 1.5), U(0, 1)
        elif kind == 1:
            a, b, x = log_uniform(-1, 2), log_uniform(-1, 2), log_uniform(-3, 0)
        elif kind == 2:
            a, b = log_uniform(1.7, 3), log_uniform(1.7, 3)
            m = a / (a + b)
            x = m + math.sqrt(m * (1 - m) / (a + b)) * U(-20, 20)
        elif kind == 3:
            a, b, x = log_uniform(-17, 0), log_uniform(-17, 0), U(0, 1)
        elif kind == 4:
            a, b = log_uniform(2, 4), log_uniform(-1, 1.69)
            x = 1 - log_uniform(-1.5, 1) * b / a
        else:
            a, b, x = log_uniform(-17, 1), log_uniform(-1, 3), U(0, 1) ** 2
        if not 0 < x < 1:
            continue
        if random.random() < 0.5:
            a, b, x = b, a, 1 - x
        betas.append((a, b, x, betainc(a, b, x)))
    fixed = ((1e6, 0.25, 1 - 1e-7), (1e6, 1e-20, 1 - 1e-7), (0.5, 1e-290, 0.5), (49.9, 1e5, 4e-4), (50.0, 1e5, 4e-4))
    betas += [(a, b, x, betainc(a, b, x)) for a, b, x in fixed]
    write(
        "incomplete.rs",
        "The incomplete gamma and beta functions, from defining series in mpmath arithmetic.",
        [
            rows("IGAMMA", "`a, x, P(a, x), Q(a, x)`.", cases),
            rows("BETAINC", "`a, b, x, I_x(a, b)`.", betas),
        ],
    )


COMPLEX = {
    "exp": mp.exp,
    "expm1": lambda z: mp.exp(z) - 1,
    "log": mp.log,
    "log1p": lambda z: mp.log(1 + z),
    "sqrt": mp.sqrt,
    "rsqrt": lambda z: 1 / mp.sqrt(z),
    "cbrt": lambda z: mp.exp(mp.log(z) / 3),
    "sin": mp.sin,
    "cos": mp.cos,
    "tan": mp.tan,
    "sinh": mp.sinh,
    "cosh": mp.cosh,
    "tanh": mp.tanh,
    "asin": mp.asin,
    "acos": mp.acos,
    "atan": mp.atan,
    "asinh": mp.asinh,
    "acosh": mp.acosh,
    "atanh": mp.atanh,
    "logistic": lambda z: 1 / (1 + mp.exp(-z)),
    "sign": lambda z: z / abs(z),
}
UNBOUNDED = {"log", "log1p", "sqrt", "rsqrt", "cbrt", "sign", "asin", "acos", "atan", "asinh", "acosh", "atanh"}


def complex_points(name):
    for _ in range(5):
        yield U(-3, 3), U(-3, 3)
    for _ in range(3):
        yield sign() * log_uniform(-8, 2), sign() * log_uniform(-8, 2)
    for _ in range(2):
        t = U(-math.pi, math.pi)
        yield math.cos(t), math.sin(t)
    for _ in range(2):
        yield sign() + sign() * log_uniform(-15, -1), sign() * log_uniform(-18, 0)
        yield sign() * log_uniform(-18, 0), sign() + sign() * log_uniform(-15, -1)
    yield sign() * log_uniform(-2, 1), sign() * log_uniform(-300, -20)
    yield sign() * log_uniform(-300, -20), sign() * log_uniform(-2, 1)
    yield sign() * log_uniform(-300, -20), sign() * log_uniform(-300, -20)
    yield 1.0, 1e-200
    if name in UNBOUNDED:
        for _ in range(2):
            yield sign() * log_uniform(2, 300), sign() * log_uniform(2, 300)
            yield sign() * log_uniform(2, 300), sign() * log_uniform(-300, 2)
            yield sign() * log_uniform(-300, 2), sign() * log_uniform(2, 300)
    elif name in ("sin", "cos", "tan"):
        yield from ((U(-100, 100), U(-700, 700)) for _ in range(4))
    else:
        yield from ((U(-700, 700), U(-100, 100)) for _ in range(4))
        yield 0.25, 1e200


def complex_functions():
    mp.mp.dps = 700
    unary = []
    for name, f in COMPLEX.items():
        for x, y in complex_points(name):
            w = mpc(f(mpc(mpf(x), mpf(y))))
            unary.append(f'("{name}", {", ".join(map(literal, (x, y, w.real, w.imag)))})')
    power, quotient = [], []
    for i in range(40):
        z = (U(-3, 3), U(-3, 3)) if i % 2 else (sign() * log_uniform(-2, 2), sign() * log_uniform(-2, 2))
        w = (float(random.randint(-12, 12)), 0.0) if i % 5 == 0 else (U(-3, 3), U(-3, 3))
        v = mpc(mp.exp(mpc(*w) * mp.log(mpc(*z))))
        power.append((*z, *w, v.real, v.imag))
    for i in range(36):
        e = 150 if i % 2 else 2
        z = (sign() * log_uniform(-e, e), sign() * log_uniform(-e, e))
        w = (z[1] * (1 + 1e-15 * sign()), -z[0]) if i % 3 == 0 else (sign() * log_uniform(-e, e), sign() * log_uniform(-e, e))
        quotient.append((*z, *w))
    quotient += [(1e308, 1e308, 1e308, 1e308), (5e-324, 0.0, 5e-324, 5e-324), (1e308, 1.0, 1e-10, 1e300), (1.0, 1.0, 1e308, 1e308)]
    ratio = [(a, b, c, d, (mpc(a, b) / mpc(c, d)).real, (mpc(a, b) / mpc(c, d)).imag) for a, b, c, d in quotient]
    write(
        "complex.rs",
        "Complex functions at ordinary and extreme arguments, from mpmath.",
        [array("UNARY", "Function, argument, value.", "(&str, f64, f64, f64, f64)", unary)],
    )
    write(
        "complex_binary.rs",
        "Complex powers and quotients, from mpmath.",
        [
            rows("POW", "Base, exponent, power.", power),
            rows("DIV", "Dividend, divisor, quotient.", ratio),
        ],
    )


def complex_specials():
    """NumPy (that is, the C library) at zeros, infinities and NaN.

    Left out is what C99 leaves open or NumPy computes carelessly: expm1 beyond finite arguments, and the sign
    of log1p(-0).
    """
    table = {
        "exp": np.exp, "log": np.log, "sqrt": np.sqrt, "sin": np.sin, "cos": np.cos, "tan": np.tan,
        "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asin": np.arcsin, "acos": np.arccos,
        "atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    }
    values = [0.0, -0.0, 1.0, -2.0, math.inf, -math.inf, math.nan]
    items = []
    with np.errstate(all="ignore"):
        for name, f in table.items():
            for x in values:
                for y in values:
                    w = f(np.array([complex(x, y)]))[0]
                    items.append(f'("{name}", {", ".join(map(literal, (x, y, w.real, w.imag)))})')
    about = "Complex functions at zeros, infinities and NaN, from NumPy."
    items = [i.replace("f64::INFINITY", "INF").replace("f64::NEG_INFINITY", "-INF").replace("f64::NAN", "NAN") for i in items]
    names = "const INF: f64 = f64::INFINITY;\nconst NAN: f64 = f64::NAN;\n"
    write("complex_special.rs", about, [names, array("SPECIAL", "Function, argument, value.", "(&str, f64, f64, f64, f64)", items)])


def dyadic(count, seed):
    """Numbers that are exact in few digits."""
    state = random.Random(seed)
    return np.array([state.randint(-31, 31) / 8 for _ in range(count)])


def flat(a):
    a = np.asarray(a)
    return np.stack([a.real, a.imag], -1).ravel() if np.iscomplexobj(a) else a.ravel()


def factorizations():
    parts = []
    for name, m, n in (("TALL", 5, 3), ("WIDE", 3, 5), ("SQUARE", 4, 4)):
        real = dyadic(m * n, m * 10 + n).reshape(m, n)
        cplx = real + 1j * dyadic(m * n, m * 10 + n + 1).reshape(m, n)
        for kind, a in (("REAL", real), ("COMPLEX", cplx)):
            prefix = f"{name}_{kind}"
            q, r = scipy.linalg.qr(a)
            lu, pivots = scipy.linalg.lapack.get_lapack_funcs("getrf", (a,))(a)[:2]
            s = scipy.linalg.svdvals(a)
            parts += [
                floats(prefix, f"A {m} × {n} matrix, row by row.", flat(a)),
                floats(prefix + "_Q", "`Q` of its QR factorization, from geqrf.", flat(q)),
                floats(prefix + "_R", "`R` of the same.", flat(r)),
                floats(prefix + "_LU", "Its packed LU factors, from getrf.", flat(lu)),
                words(prefix + "_PIVOTS", "Their pivots.", pivots, "usize"),
                floats(prefix + "_S", "Its singular values, from gesdd.", s),
            ]
            if m == n:
                h = a @ a.conj().T + np.eye(n)
                parts += [
                    floats(prefix + "_GRAM", "`A Aᴴ + I`.", flat(h)),
                    floats(prefix + "_CHOLESKY", "Its lower Cholesky factor, from potrf.", flat(scipy.linalg.cholesky(h, lower=True))),
                    floats(prefix + "_EIGENVALUES", "The eigenvalues of the Hermitian matrix with A's lower triangle, from heevr.", scipy.linalg.eigvalsh(a - 1j * np.diag(np.diag(a).imag))),
                ]
    write("linalg.rs", "Factorizations, from LAPACK through SciPy.", parts)


def transforms():
    parts, forward = [], []
    for n in (1, 2, 3, 5, 8, 12, 37):
        z = dyadic(n, n) + 1j * dyadic(n, n + 1)
        forward.append(f"({n}, &{[float(v) for v in flat(z)]}, &{[float(v) for v in flat(np.fft.fft(z))]})")
    parts.append(array("FORWARD", "Length, input, transform; complex numbers as pairs.", "(usize, &[f64], &[f64])", forward))
    for name, shape in (("EVEN", (3, 4)), ("ODD", (2, 3, 5))):
        x = dyadic(math.prod(shape), 99).reshape(shape)
        half = np.fft.rfftn(x)
        noisy = dyadic(half.size, 7).reshape(half.shape) + 1j * dyadic(half.size, 8).reshape(half.shape)
        parts += [
            floats(name, f"Reals of shape {list(shape)}.", flat(x)),
            floats(name + "_RFFT", "Their rfft over all axes.", flat(half)),
            floats(name + "_HALF", "Coefficients of the half shape, without the symmetry of a real signal.", flat(noisy)),
            floats(name + "_IRFFT", "Their irfft over all axes.", flat(np.fft.irfftn(noisy, shape, axes=tuple(range(len(shape)))))),
        ]
    write("fft.rs", "Fourier transforms, from NumPy.", parts)


def philox_three_words(state, count):
    """The program that JAX's own wrapper does not let one write."""
    import jax
    from jax._src import xla_bridge
    from jax._src.interpreters import mlir
    from jax._src.lib import xla_client
    from jax._src.lib.mlir import ir

    text = f"""module @m {{ func.func public @main(%s: tensor<3xui64>) -> (tensor<3xui64>, tensor<{count}xui32>) {{
      %o, %v = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<{count}xui32>)
      return %o, %v : tensor<3xui64>, tensor<{count}xui32> }} }}"""
    backend = xla_bridge.get_backend("cpu")
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        devices = xla_client.DeviceList(tuple(backend.local_devices()[:1]))
        program = backend.compile_and_load(module, devices, xla_client.CompileOptions())
    results = program.execute_sharded([jax.device_put(np.array(state, np.uint64))])
    return [np.asarray(o[0]) for o in results.disassemble_into_single_device_arrays()]


def bits():
    import jax

    jax.config.update("jax_enable_x64", True)
    from jax import lax

    key = np.array([0x13198A2E, 0x03707344], np.uint32)
    wrapped = jax.random.wrap_key_data(key)
    hexes = lambda a: "&[" + ", ".join(hex(int(v)) for v in np.asarray(a).ravel()) + "]"
    draws = []
    for name, partitionable in (("Partitionable", True), ("Original", False)):
        with jax.threefry_partitionable(partitionable):
            for width in (8, 16, 32, 64):
                for count in (0, 1, 5, 8):
                    drawn = jax.random.bits(wrapped, (count,), dtype=f"uint{width}")
                    draws.append(f"(Layout::{name}, BitWidth::W{width}, {hexes(drawn)})")
            split = jax.random.key_data(jax.random.split(wrapped, 3))
            draws.append(f"(Layout::{name}, BitWidth::W32, {hexes(split)})")
    splits = [draws.pop(), draws.pop(16)]
    generated = []
    state = (0x123456789ABCDEF0, 0xFFFFFFFFFFFFFFFE)
    for name, algorithm in (("ThreeFry", lax.RandomAlgorithm.RNG_THREE_FRY), ("Philox", lax.RandomAlgorithm.RNG_PHILOX)):
        for width in (8, 16, 32, 64):
            for shape in ((), (5,), (3, 4), (3, 5), (2, 3, 2), (3, 1, 3), (0, 3)):
                after, drawn = lax.rng_bit_generator(np.array(state, np.uint64), shape, dtype=f"uint{width}", algorithm=algorithm)
                generated.append(f"(Algorithm::{name}, BitWidth::W{width}, &{list(shape)}, {hexes(after)}, {hexes(drawn)})")
    after, drawn = philox_three_words((*state, 7), 5)
    hashed = jax.extend.random.threefry_2x32(tuple(key), np.arange(7, dtype=np.uint32) * np.uint32(0x9E3779B9))
    write(
        "random.rs",
        "Random bits, from JAX and XLA on the CPU.",
        [
            "use super::super::super::random::{Algorithm, BitWidth, Layout};\n",
            words("KEY", "The key of all draws.", key, "u32"),
            array("DRAWS", "`jax.random.bits(KEY)`: layout, width, values.", "(Layout, BitWidth, &[u64])", draws),
            array("SPLITS", "`jax.random.split(KEY, 3)`: layout, words of the three keys.", "(Layout, BitWidth, &[u64])", splits),
            words("FOLDED", "`jax.random.fold_in(KEY, 0xdeadbeef)`.", jax.random.key_data(jax.random.fold_in(wrapped, 0xDEADBEEF))),
            words("SEEDED", "`jax.random.key(0x123456789abcdef)`.", jax.random.key_data(jax.random.key(0x123456789ABCDEF))),
            words("HASHED", "`threefry_2x32(KEY, [0, 1, …, 6] * 0x9e3779b9)`.", hashed, "u32"),
            words("STATE", "The state given to the generators.", state),
            array("GENERATED", "`lax.rng_bit_generator(STATE)`: algorithm, width, shape, new state, values.", "(Algorithm, BitWidth, &[usize], &[u64], &[u64])", generated),
            words("PHILOX_STATE", "The new state for Philox from STATE and a third word of 7, u32[5].", after),
            words("PHILOX_BITS", "The values drawn with it.", drawn),
        ],
    )


if __name__ == "__main__":
    import jax.extend.random  # noqa: F401

    os.makedirs(HERE, exist_ok=True)
    steps = (error_and_bessel, gamma_family, incomplete, complex_functions, complex_specials, factorizations, transforms, bits)
    for step in steps:
        random.seed(step.__name__)
        step()
    for file in sorted(os.listdir(HERE)):
        print(file)
