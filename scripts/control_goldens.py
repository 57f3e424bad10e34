#!/usr/bin/env python3
"""Computes the goldens of derivatives through control flow with JAX.

    python scripts/control_goldens.py

Writes crates/rlx-autodiff/tests/goldens/control.txt. Each function maps w (a scalar), c `[3]` and xs `[4, 3]` to a scalar.
A line has the name of the function and a point, followed by numbers in fields separated by `|`: the value, the gradient, the Jacobian
times tangents, the Hessian times tangents, and its transpose times tangents (which differs if a rule is not the derivative).
tests/control.rs has the same functions, points and tangents.

JAX has no reverse mode for `while_loop`, so loops whose length depends on values are written as scans whose later steps do nothing.
"""

import os
from pathlib import Path

os.environ.setdefault("JAX_ENABLE_X64", "1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402

OUT = Path(__file__).parent.parent / "crates" / "rlx-autodiff" / "tests" / "goldens" / "control.txt"
SHAPES = [(), (3,), (4, 3)]
POINTS = 3


def values(point, seed):
    """Distinct numbers that are exact."""
    def one(j, shape):
        count = int(np.prod(shape, dtype=int))
        numbers = [((i * 7 + (seed + 3 * point + j) * 5) % 23 - 11) / 16 for i in range(count)]
        return jnp.array(np.array(numbers).reshape(shape))
    return [one(j, shape) for j, shape in enumerate(SHAPES)]


def step(w, c, x):
    c = jnp.tanh(w * c + x)
    return c, jnp.dot(c, x)


def loss(c, ys):
    return jnp.dot(c, c) + jnp.dot(ys, ys)


def scan(w, c, xs):
    return loss(*lax.scan(lambda c, x: step(w, c, x), c, xs))


def scan_reverse(w, c, xs):
    return loss(*lax.scan(lambda c, x: step(w, c, x), c, xs, reverse=True))


def scan_map(w, c, xs):
    _, ys = lax.scan(lambda _, x: ((), jnp.dot(jnp.sin(w * x), c)), (), xs)
    return jnp.dot(ys, ys)


def scan_empty(w, c, xs):
    c, ys = lax.scan(lambda c, x: step(w, c, x), c * w, xs[:0])
    return loss(c, ys)


def scan_nested(w, c, xs):
    def outer(c, x):
        def inner(s, e):
            s = jnp.sin(s * w + e)
            return s, s * e
        s, es = lax.scan(inner, jnp.dot(c, x), x)
        return jnp.tanh(c * s + es), s
    return loss(*lax.scan(outer, c, xs))


def branch(w, c, xs):
    def on_true(w, c):
        return jnp.dot(jnp.sin(c * w), c)
    def on_false(w, c):
        return jnp.exp(w) * jnp.dot(c, c)
    return lax.cond(w > 0, on_true, on_false, w, c) * w


def case(w, c, xs):
    branches = [
        lambda w, c: jnp.dot(jnp.sin(c * w), c),
        lambda w, c: jnp.exp(w) * w,
        lambda w, c: jnp.dot(c, c),
    ]
    index = jnp.floor(c[0] * 2 + 1.5).astype(jnp.int32)
    return lax.switch(index, branches, w, c) * w


def branch_in_scan(w, c, xs):
    def body(c, x):
        c = lax.cond(x[0] > 0, lambda c, x: jnp.tanh(w * c + x), lambda c, x: c * jnp.cos(x), c, x)
        return c, jnp.dot(c, x)
    return loss(*lax.scan(body, c, xs))


def scan_in_branch(w, c, xs):
    def on_true(w, c, xs):
        return scan(w, c, xs)
    def on_false(w, c, xs):
        return scan_map(w, c, xs)
    return lax.cond(c[0] > 0, on_true, on_false, w, c, xs)


def masked(cond, body, init, steps=40):
    def one(carry, _):
        return lax.cond(cond(*carry), lambda *c: body(*c), lambda *c: c, *carry), None
    return lax.scan(one, init, None, length=steps)[0]


def growing(w, x):
    return masked(lambda x: x < 6 + w, lambda x: (x * 1.25 + 0.5 + 0.1 * jnp.sin(w * x),), (x,))[0]


def loop(w, c, xs):
    return growing(w, c[0]) * w + c[1]


def loop_counted(w, c, xs):
    def body(i, c):
        return jnp.sin(w * c + xs[i % 4])
    c = lax.fori_loop(0, 11, body, c)
    return jnp.dot(c, c)


def loop_in_scan(w, c, xs):
    def body(s, x):
        s = growing(w, s - 0.5)
        return jnp.sin(s) + jnp.dot(x, x), s
    s, ys = lax.scan(body, c[0], xs)
    return s + jnp.dot(ys, ys)


def deep(w, c, xs):
    for x in xs:
        c, _ = step(w, c, jnp.dot(xs.T, jnp.dot(xs, c)) + x)
    return jnp.dot(c, c)


@jax.custom_jvp
def ruled(x, y):
    return jnp.sin(x) * y


@ruled.defjvp
def _(primals, tangents):
    (x, y), (dx, dy) = primals, tangents
    return ruled(x, y), 2 * jnp.cos(x) * y * dx + 3 * jnp.sin(x) * dy


def custom_jvp(w, c, xs):
    return jnp.dot(ruled(c * w, jnp.exp(c)), c)


def custom_in_scan(w, c, xs):
    """A scan, unrolled. In the known part of a linearized scan, JAX forgets rules, so second derivatives would miss them."""
    ys = []
    for x in xs:
        c = ruled(c * w, x)
        ys.append(jnp.dot(c, x))
    return loss(c, jnp.stack(ys))


FUNCTIONS = [scan, scan_reverse, scan_map, scan_empty, scan_nested, branch, case, branch_in_scan, scan_in_branch, loop,
             loop_counted, loop_in_scan, deep, custom_jvp, custom_in_scan]


def numbers(arrays):
    flat = np.concatenate([np.ravel(np.asarray(a, dtype=np.float64)) for a in arrays])
    return " ".join(repr(float(x)) for x in flat)


def main():
    lines = []
    for function in FUNCTIONS:
        gradient = jax.jit(jax.grad(function, argnums=(0, 1, 2)))
        for point in range(POINTS):
            args, tangents = values(point, 0), values(point, 40)
            value, pushed = jax.jvp(function, args, tangents)
            _, product = jax.jvp(gradient, args, tangents)
            _, pull = jax.vjp(gradient, *args)
            fields = [[value], gradient(*args), [pushed], product, pull(tuple(tangents))]
            lines.append(" | ".join([f"{function.__name__} {point}", *map(numbers, fields)]))
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
