#!/usr/bin/env python3
"""Computes the goldens of derivatives of scalar functions at difficult points, with JAX, and with mpmath for the operands of special
functions for which JAX has no derivative, or an inaccurate one.

    python scripts/elementwise_goldens.py

Writes crates/rlx-autodiff/tests/goldens/elementwise.txt. A case is a line of fields separated by `|`: the name of the op and the
element type, followed by numbers (two for a complex number): the operands, their tangents, the tangent of the result, the cotangent
of the result, and the cotangents of the operands.
"""

import os
from pathlib import Path

os.environ.setdefault("JAX_ENABLE_X64", "1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import mpmath  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402

OUT = Path(__file__).parent.parent / "crates" / "rlx-autodiff" / "tests" / "goldens" / "elementwise.txt"

EVERYWHERE = [-3.5, -1.0, -0.75, -0.0, 0.0, 0.25, 1.0, 2.5, 30.0]
POSITIVE = [0.001, 0.25, 1.0, 2.5, 30.0]
INSIDE = [-0.99, -0.5, 0.0, 0.25, 0.875]
PLANE = [0.5 + 0.25j, -0.5 + 1.5j, 2.0 - 0.75j, -1.25 - 0.5j, 0.1 + 0j]

UNARY = {
    "neg": (lax.neg, EVERYWHERE),
    "abs": (lax.abs, EVERYWHERE),
    "sign": (lax.sign, EVERYWHERE),
    "floor": (lax.floor, [-1.5, 0.25, 2.0]),
    "ceil": (lax.ceil, [-1.5, 0.25, 2.0]),
    "round_even": (lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), [-1.5, 0.25, 2.0]),
    "round_away": (lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), [-1.5, 0.25, 2.0]),
    "exp": (lax.exp, EVERYWHERE),
    "expm1": (lax.expm1, EVERYWHERE),
    "log": (lax.log, POSITIVE),
    "log1p": (lax.log1p, INSIDE + POSITIVE),
    "sqrt": (lax.sqrt, POSITIVE),
    "rsqrt": (lax.rsqrt, POSITIVE),
    "cbrt": (lax.cbrt, [-3.5, -1.0, 0.25, 30.0]),
    "sin": (lax.sin, EVERYWHERE),
    "cos": (lax.cos, EVERYWHERE),
    "tan": (lax.tan, EVERYWHERE),
    "asin": (lax.asin, INSIDE),
    "acos": (lax.acos, INSIDE),
    "atan": (lax.atan, EVERYWHERE),
    "sinh": (lax.sinh, EVERYWHERE),
    "cosh": (lax.cosh, EVERYWHERE),
    "tanh": (lax.tanh, [-3.5, -1.0, 0.0, 0.25, 2.5]),
    "asinh": (lax.asinh, EVERYWHERE),
    "acosh": (lax.acosh, [1.0625, 1.5, 2.5, 30.0]),
    "atanh": (lax.atanh, INSIDE),
    "logistic": (lax.logistic, [-3.5, -1.0, 0.0, 0.25, 2.5]),
    "erf": (lax.erf, [-3.5, -1.0, 0.0, 0.25, 2.5]),
    "erfc": (lax.erfc, [-3.5, -1.0, 0.0, 0.25, 2.5]),
    "erf_inv": (lax.erf_inv, INSIDE),
    "lgamma": (lax.lgamma, [-2.5, 0.25, 1.0, 2.5, 30.0]),
    "digamma": (lax.digamma, [0.25, 1.0, 2.5, 30.0]),
    "bessel_i0e": (lax.bessel_i0e, EVERYWHERE),
    "bessel_i1e": (lax.bessel_i1e, EVERYWHERE),
    "conj": (jnp.conj, EVERYWHERE),
    "real": (jnp.real, EVERYWHERE),
    "imag": (jnp.imag, EVERYWHERE),
}

# For complex numbers, JAX's derivative of sign is always zero, and its derivative of acosh uses the wrong branch in the
# left half plane.
COMPLEX = ["neg", "abs", "exp", "expm1", "log", "log1p", "sqrt", "rsqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
           "cosh", "tanh", "asinh", "atanh", "logistic", "conj", "real", "imag"]

ACTIVATIONS = {
    "relu": jax.nn.relu, "relu6": jax.nn.relu6, "gelu": lambda x: jax.nn.gelu(x, approximate=False),
    "gelu_tanh": lambda x: jax.nn.gelu(x, approximate=True), "silu": jax.nn.silu, "sigmoid": jax.nn.sigmoid,
    "softplus": jax.nn.softplus, "elu": jax.nn.elu, "hard_swish": jax.nn.hard_swish, "hard_sigmoid": jax.nn.hard_sigmoid,
    "mish": jax.nn.mish, "tanh": jnp.tanh, "exp": jnp.exp, "recip": lambda x: 1 / x, "square": jnp.square, "neg": jnp.negative,
    "abs": jnp.abs, "sin": jnp.sin, "cos": jnp.cos, "tan": jnp.tan, "atan": jnp.arctan, "erf": lax.erf,
}
CORNERS = [-3.5, -3.0, -1.0, 0.0, 0.25, 2.5, 3.0, 6.0, 7.5]

PAIRS = ([-3.5, 0.5, 2.0, 2.0, -0.0, 7.25], [2.0, -1.5, 2.0, 0.75, 0.0, -2.0])
BINARY = {
    "add": (lax.add, PAIRS),
    "sub": (lax.sub, PAIRS),
    "mul": (lax.mul, PAIRS),
    "div": (lax.div, ([-3.5, 0.5, 2.0, 0.0], [2.0, -1.5, 2.0, 0.75])),
    "rem": (lax.rem, ([-3.5, 0.5, 7.25, 6.5], [2.0, -1.5, -2.0, 0.75])),
    "max": (lax.max, PAIRS),
    "min": (lax.min, PAIRS),
    # At (0, 0), JAX's derivative by the base is NaN; x⁰ is constant.
    "pow": (lax.pow, ([0.0, 0.0, 2.0, 0.25, 3.0, 1.0], [1.0, 2.0, 0.0, -1.5, 2.0, -7.0])),
    "atan2": (lax.atan2, ([-3.5, 0.5, 2.0, 0.0], [2.0, -1.5, 2.0, 0.75])),
}
# By the second operand only.
SECOND = {"polygamma": (lax.polygamma, ([0.0, 1.0, 2.0, 3.0], [0.25, 1.5, 2.5, 10.0]))}
# If the bounds cross, JAX gives the upper bound no derivative, although it is the value.
TERNARY = {
    "clamp": (lax.clamp, ([-1.0, -1.0, -1.0, 0.0, 1.0], [-3.0, 0.5, 3.0, 0.0, 1.0], [2.0, 2.0, 2.0, 1.0, 1.0])),
}


# By all operands.
SPECIAL = {
    "igamma": (lambda a, x: mpmath.gammainc(a, 0, x, regularized=True),
               ([0.25, 1.5, 2.5, 10.0, 0.25, 40.0, 3.0, 1.0], [0.5, 1.5, 8.0, 9.0, 0.0625, 35.0, 20.0, 2.5])),
    "igammac": (lambda a, x: mpmath.gammainc(a, x, regularized=True),
                ([0.25, 1.5, 2.5, 10.0, 0.25, 40.0, 3.0, 1.0], [0.5, 1.5, 8.0, 9.0, 0.0625, 35.0, 20.0, 2.5])),
    "zeta": (mpmath.zeta, ([1.5, 2.0, 4.5, 12.0], [0.25, 1.0, 2.5, 10.0])),
    "betainc": (lambda a, b, x: mpmath.betainc(a, b, 0, x, regularized=True),
                ([0.5, 1.5, 3.0, 20.0, 0.5], [2.0, 0.75, 3.0, 15.0, 0.5], [0.25, 0.5, 0.875, 0.5, 0.75])),
}


def special_line(name, function, operands):
    """A case of a function whose partial derivatives mpmath computes."""
    mpmath.mp.dps = 50
    columns = list(zip(*operands))
    order = [tuple(int(i == j) for j in range(len(operands))) for i in range(len(operands))]
    slopes = [np.array([float(mpmath.diff(function, point, by)) for point in columns]) for by in order]
    ramp = 1 + 0.25 * np.arange(len(columns))
    tangents = [(i + 1) * ramp for i in range(len(operands))]
    tangent = sum(s * t for s, t in zip(slopes, tangents))
    cotangent = -1.5 * ramp
    fields = [f"{name} float64", *map(numbers, operands), *map(numbers, tangents), numbers(tangent), numbers(cotangent),
              *[numbers(s * cotangent) for s in slopes]]
    return " | ".join(fields)


def numbers(array):
    array = np.asarray(array)
    if np.iscomplexobj(array):
        array = np.stack([array.real, array.imag], -1)
    return " ".join(repr(float(v)) for v in array.reshape(-1))


def line(name, dtype, function, operands, active=None):
    operands = [jnp.asarray(np.asarray(x, dtype)) for x in operands]
    active = list(range(len(operands))) if active is None else active
    turn = 1 + 0.5j if np.issubdtype(dtype, np.complexfloating) else 1

    def made(scale, like):
        values = scale * (1 + 0.25 * np.arange(like.size).reshape(like.shape))
        return jnp.asarray(values * turn if np.iscomplexobj(like) else values, like.dtype)

    tangents = [made(i + 1, x) if i in active else jnp.zeros_like(x) for i, x in enumerate(operands)]

    def of_active(*args):
        full = list(operands)
        for i, x in zip(active, args):
            full[i] = x
        return function(*full)

    primals = tuple(operands[i] for i in active)
    out, tangent = jax.jvp(of_active, primals, tuple(tangents[i] for i in active))
    cotangent = made(-1.5, out)
    pulled = jax.vjp(of_active, *primals)[1](cotangent)
    given = [jnp.zeros_like(x) for x in operands]
    for i, ct in zip(active, pulled):
        given[i] = ct
    fields = [f"{name} {np.dtype(dtype).name}", *map(numbers, operands), *map(numbers, tangents), numbers(tangent),
              numbers(cotangent), *map(numbers, given)]
    return " | ".join(fields)


def main():
    lines = []
    dtype = np.float64
    for name, (function, points) in UNARY.items():
        if name == "conj":
            continue
        lines.append(line(name, dtype, function, [points]))
    for name, function in ACTIVATIONS.items():
        points = [p for p in CORNERS if p] if name == "recip" else CORNERS
        lines.append(line(f"activation.{name}", dtype, function, [points]))
    for name, (function, points) in (BINARY | TERNARY).items():
        lines.append(line(name, dtype, function, points))
    for name, (function, points) in SECOND.items():
        lines.append(line(name, dtype, function, points, [1]))
    for name, (function, points) in SPECIAL.items():
        lines.append(special_line(name, function, points))
    lines.append(line("complex", dtype, lax.complex, PAIRS))
    dtype = np.complex128
    for name in COMPLEX:
        lines.append(line(name, dtype, UNARY[name][0], [PLANE]))
    lines.append(line("abs", dtype, lax.abs, [[0j, 3 + 4j]]))
    other = [1.5 - 0.5j, 0.5 + 1j, 2.0 - 0.75j, 1 + 1j, 0.1 + 0j]
    for name in ("add", "sub", "mul", "div", "pow"):
        lines.append(line(name, dtype, BINARY[name][0], [PLANE, other]))
    OUT.write_text("\n".join(lines) + "\n")
    print(len(lines), "cases")


main()
