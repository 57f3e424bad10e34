#!/usr/bin/env python3
"""Generates programs in JAX, and the results of JAX's transforms of them.

    python scripts/transform_goldens.py [--each N] [KIND…]

Needs jax. A program is drawn from a grammar with its seed: blocks of elementwise functions, products, reductions, indexing, softmax and
norms, convolutions, running sums, sorts, scans, loops and branches, some nested. It is written as the StableHLO text of the function
itself; the results are those of JAX's transform in f64. For f32 programs, the tolerance is derived from JAX's own difference between f32
and f64, as a measure of the condition, and the rounding of the largest result.

Writes crates/rlx-conformance/goldens/transforms/KIND.json; crates/rlx-conformance/tests/transformed.rs reads them.
"""

import json
import os
import random
import sys
from pathlib import Path

os.environ.setdefault("JAX_ENABLE_X64", "1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
# Small programs that run once: most of the time is compilation.
os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402

GOLDENS = Path(__file__).parent.parent / "crates" / "rlx-conformance" / "goldens" / "transforms"
BATCH = 3
OUTER = 2

# JAX has no reverse mode for while loops of unknown length. The derivatives are computed for the same loop as a scan
# over the bound that stops changing; the text always contains the loop.
MASKED = False


def bounded_while(condition, body, start, bound):
    """A while loop of at most `bound` steps."""
    if not MASKED:
        def going(state):
            return (state[0] < bound) & condition(state[1])
        return lax.while_loop(going, lambda state: (state[0] + 1, body(state[1])), (0, start))[1]

    def step(carry, _):
        on, value = carry
        on = on & condition(value)
        return (on, jnp.where(on, body(jnp.where(on, value, start)), value)), None
    return lax.scan(step, (True, start), None, length=bound)[0][1]


SMOOTH = [
    jnp.sin, jnp.cos, jnp.tanh, jax.nn.sigmoid, jnp.arctan, jnp.arcsinh, jax.nn.softplus, jax.nn.silu, jax.nn.gelu,
    lambda x: jnp.exp(0.3 * jnp.tanh(x)), lambda x: jnp.log(1.5 + x * x), lambda x: jnp.sqrt(1.0 + x * x),
    lambda x: lax.rsqrt(2.0 + x * x), lambda x: jnp.log1p(x * x), lambda x: jnp.expm1(0.2 * jnp.sin(x)),
    lambda x: jnp.cbrt(2.0 + jnp.sin(x)), lambda x: jnp.abs(x) * 0.5, lambda x: jnp.maximum(x, 0.1 * x),
    lambda x: jnp.clip(x, -1.3, 1.7), lambda x: x ** 3 * 0.1, lambda x: lax.erf(x), lambda x: jnp.cosh(jnp.tanh(x)),
    lambda x: jnp.tan(0.5 * jnp.tanh(x)), lambda x: jnp.sinh(jnp.sin(x)), lambda x: 1.0 / (1.5 + x * x),
]

TWO = [
    lambda x, y: x + y, lambda x, y: x - 0.5 * y, lambda x, y: x * y, lambda x, y: x / (1.5 + y * y),
    jnp.maximum, jnp.minimum, lambda x, y: jnp.arctan2(x, 1.5 + y * y), lambda x, y: jnp.power(1.2 + x * x, 0.5 * jnp.tanh(y)),
    lambda x, y: jnp.where(x > y, jnp.sin(x), y * 0.7), jnp.logaddexp, jnp.hypot,
]


def draw_unary(r):
    a, b = r.choice(SMOOTH), r.choice(SMOOTH)
    return lambda x: b(a(x))


def draw_elementwise(r):
    f, g = r.choice(TWO), draw_unary(r)
    shift = r.randrange(1, 3)
    return lambda x, w: f(g(x), jnp.roll(x, shift, -1))


def draw_dot(r):
    kind = r.randrange(4)
    if kind == 0:
        return lambda x, w: x @ w[: x.shape[1], :]
    if kind == 1:
        return lambda x, w: jnp.einsum("ij,kj->ik", x, w[:, : x.shape[1]]) * 0.5
    if kind == 2:
        return lambda x, w: jnp.tanh(x @ x.T) @ x
    return lambda x, w: jnp.einsum("ij,ij,jk->ik", x, jnp.sin(x), w[: x.shape[1], :])


def draw_reduction(r):
    axis = r.randrange(2)
    kind = r.choice([jnp.sum, jnp.mean, jnp.max, jnp.min, jnp.var, jax.nn.logsumexp, lambda x, a, keepdims: jnp.prod(1.1 + 0.3 * jnp.sin(x), a, keepdims=keepdims)])
    return lambda x, w: x * 0.5 + kind(x, axis, keepdims=True)


def draw_index(r):
    kind = r.randrange(8)
    order = [r.randrange(2) for _ in range(3)]
    at = r.randrange(2)
    if kind == 0:
        return lambda x, w: x[jnp.array(order), :]
    if kind == 1:
        return lambda x, w: x.at[jnp.array(order)].add(jnp.sin(x[:1, :]))
    if kind == 2:
        return lambda x, w: lax.dynamic_update_slice(x, jnp.cos(x[:1, :2]), (at, at))
    if kind == 3:
        return lambda x, w: jnp.concatenate([x[:, ::-1], x * 0.5], 0)[:3]
    if kind == 4:
        return lambda x, w: jnp.pad(x, ((1, 0), (0, 1)), constant_values=0.5)[:3, :4]
    if kind == 5:
        return lambda x, w: jnp.take_along_axis(x, jnp.argsort(x, -1), -1) * w[0, 0]
    if kind == 6:
        return lambda x, w: x + lax.dynamic_slice(x, (jnp.argmax(x[:, 0]), 0), (1, x.shape[1]))
    return lambda x, w: x.at[:, at].multiply(w[0, 1]).at[0].set(jnp.tanh(w[0, : x.shape[1]]))


def draw_normal(r):
    kind = r.randrange(4)
    axis = r.randrange(2)
    if kind == 0:
        return lambda x, w: jax.nn.softmax(x * w[0, 0], axis)
    if kind == 1:
        return lambda x, w: jax.nn.log_softmax(x, axis) * 0.3
    if kind == 2:
        return lambda x, w: (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 0.1) * w[0, : x.shape[1]]
    return lambda x, w: x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 0.1)


def draw_conv(r):
    stride, dilation = r.choice([(1, 1), (2, 1), (1, 2)])

    def conv(x, w):
        kernel = w[:2, None, :3]
        y = lax.conv_general_dilated(x[:, None, :], kernel, (stride,), [(2, 2)], rhs_dilation=(dilation,))
        return y.reshape(x.shape[0], -1)[:, :4] + x[:, :1]
    pooled = r.random() < 0.3

    def pool(x, w):
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2), (1, 1), "SAME") if stride == 1 else (
            lax.reduce_window(x, 0.0, lax.add, (2, 2), (1, 1), "SAME"))
    return pool if pooled else conv


def draw_running(r):
    kind = r.choice([jnp.cumsum, lambda x, a: jnp.cumprod(1.1 + 0.3 * jnp.sin(x), a), lambda x, a: lax.cummax(x, axis=a), lambda x, a: lax.cumlogsumexp(x, axis=a)])
    axis = r.randrange(2)
    return lambda x, w: kind(x, axis) * 0.5


def draw_sort(r):
    kind = r.randrange(3)
    axis = r.randrange(2)
    if kind == 0:
        return lambda x, w: jnp.sort(x, axis)
    if kind == 1:
        return lambda x, w: lax.sort((x, jnp.sin(x)), dimension=axis, num_keys=1)[1] + x
    return lambda x, w: lax.top_k(x, 2)[0].sum(-1, keepdims=True) * 0.3 + x


def same_shape(block):
    """A block as a function between matrices of the same shape, for bodies of loops and branches."""
    def fitted(x, w):
        y = block(x, w)
        rows, columns = min(x.shape[0], y.shape[0]), min(x.shape[1], y.shape[1])
        return x.at[:rows, :columns].add(0.3 * jnp.tanh(y[:rows, :columns])) * 0.7
    return fitted


def draw_body(r, depth):
    kinds = [draw_elementwise, draw_dot, draw_normal, draw_reduction, draw_index, draw_running]
    if depth > 0 and r.random() < 0.35:
        return same_shape(r.choice([draw_scan, draw_loop, draw_branch])(r, depth - 1))
    return same_shape(r.choice(kinds)(r))


def draw_scan(r, depth=1):
    body, reverse = draw_body(r, depth), r.random() < 0.4
    keep, kind = r.random() < 0.5, draw_unary(r)

    def scan(x, w):
        def step(carry, row):
            carry = body(carry + row[None, :] * 0.2, w)
            return carry, kind(carry.sum(0)) + row
        carry, ys = lax.scan(step, jnp.sin(x), x, reverse=reverse)
        return ys if keep else carry + ys.mean(0)
    return scan


def draw_fori(r, depth=1):
    body, steps = draw_body(r, depth), r.randrange(2, 5)
    return lambda x, w: lax.fori_loop(0, steps, lambda i, v: body(v, w) + 0.01 * i, x)


def draw_while(r, depth=1):
    body, bound, limit = draw_body(r, depth), r.randrange(3, 6), r.uniform(0.5, 3.0)

    def loop(x, w):
        return bounded_while(lambda v: jnp.sum(v * v) > limit, lambda v: body(v, w) * 0.8, x, bound)
    return loop


def draw_loop(r, depth=1):
    return r.choice([draw_fori, draw_while])(r, depth)


def draw_branch(r, depth=1):
    yes, no, third = draw_body(r, depth), draw_body(r, depth), draw_body(r, 0)
    if r.random() < 0.4:
        return lambda x, w: lax.switch(jnp.sum(x > 0).astype(jnp.int32) % 3, [yes, no, third], x, w)
    return lambda x, w: lax.cond(jnp.sum(x) > 0.2, yes, no, x, w)


PLAIN = [draw_elementwise, draw_dot, draw_reduction, draw_index, draw_normal, draw_conv, draw_running, draw_sort]
NEEDS = {
    "grad_scan": [draw_scan], "grad_while": [draw_while], "vmap_while": [draw_while], "vmap_if": [draw_branch],
}


def draw(seed, kind):
    """A function of a matrix and of weights."""
    r = random.Random(seed)
    blocks = [r.choice(PLAIN)(r) for _ in range(r.randrange(2, 5))]
    if r.random() < 0.35:
        blocks.append(r.choice([draw_scan, draw_loop, draw_branch])(r))
    for needed in NEEDS.get(kind, []):
        blocks.append(needed(r))
    r.shuffle(blocks)
    skip = [r.random() < 0.4 for _ in blocks]
    two = r.random() < 0.3

    def f(x, w):
        for block, add in zip(blocks, skip):
            y = block(x, w)
            x = x * 0.5 + y if add and x.shape == y.shape else y
        return (x, jnp.sin(x).sum(0)) if two else (x,)
    return f


def total(f):
    """All results of a function, multiplied by fixed weights and summed."""
    def weights(y):
        return (0.5 + 0.25 * (jnp.arange(y.size) * 7 % 5)).astype(y.dtype).reshape(y.shape)
    return lambda *args: sum(jnp.sum(y * weights(y)) for y in jax.tree.leaves(f(*args)))


def transformed(kind, f, axes):
    """The transform of the given kind, as a function of the inputs."""
    both, inner = (0, 1), tuple(axes[0])
    outer = tuple(axes[1])
    gradient = jax.grad(total(f), both)
    if kind == "grad_vmap":
        return jax.grad(total(jax.vmap(f, inner)), both)
    if kind == "vmap_grad":
        return jax.vmap(gradient, inner)
    if kind == "vmap_vmap":
        return jax.vmap(jax.vmap(f, inner), outer)
    if kind == "jvp_grad":
        return lambda x, w, dx, dw: jax.jvp(gradient, (x, w), (dx, dw))[1]
    if kind == "grad_grad":
        return jax.grad(total(gradient), both)
    if kind in ("grad_scan", "grad_while"):
        return gradient
    if kind in ("vmap_while", "vmap_if"):
        return jax.vmap(f, inner)
    if kind == "hessian":
        return jax.hessian(total(f), 0)
    if kind == "jacfwd":
        return jax.jacfwd(f, both)
    if kind == "jacrev":
        return jax.jacrev(f, both)
    if kind == "checkpoint":
        return jax.grad(total(jax.checkpoint(f)), both)
    raise ValueError(kind)


# Programs whose gradient in JAX is not the slope of JAX's own function: for this one, the first element is 2.3308908,
# but central differences give 2.3309398 at three step sizes.
OFF = {"grad_scan_5001"}

KINDS = ["grad_vmap", "vmap_grad", "vmap_vmap", "jvp_grad", "grad_grad", "grad_scan", "grad_while", "vmap_while", "vmap_if",
         "hessian", "jacfwd", "jacrev", "checkpoint"]
REVERSE = {"grad_vmap", "vmap_grad", "jvp_grad", "grad_grad", "grad_scan", "grad_while", "hessian", "jacrev", "checkpoint"}


def inputs_of(r, kind, axes, shapes):
    """Values for the transform's inputs. Mapped inputs have more axes."""
    def value(shape):
        return np.round(np.array([r.gauss(0, 0.8) for _ in range(int(np.prod(shape)))]) * 1024).reshape(shape) / 1024
    values = []
    for shape, inner, outer in zip(shapes, axes[0], axes[1]):
        shape = list(shape)
        if kind in ("grad_vmap", "vmap_grad", "vmap_vmap", "vmap_while", "vmap_if") and inner is not None:
            shape.insert(inner, BATCH)
        if kind == "vmap_vmap" and outer is not None:
            shape.insert(outer, OUTER)
        values.append(value(shape))
    if kind == "jvp_grad":
        values += [value(shape) for shape in shapes]
    return values


def entry(kind, seed):
    """A program with its results, or None if its numbers cannot be judged."""
    global MASKED
    if f"{kind}_{seed}" in OFF:
        return None
    r = random.Random(seed * 7919 + 1)
    shapes = [(r.choice([2, 3]), r.choice([3, 4])), (4, 4)]
    axes = r.choice([[[0, None], [1, None]], [[0, 0], [None, 1]], [[1, 0], [0, 0]], [[2, None], [0, 2]]])
    f = draw(seed, kind)
    dtype = np.float32 if seed % 3 == 2 else np.float64
    values = inputs_of(r, kind, axes, shapes)
    try:
        MASKED = False
        args = [jax.ShapeDtypeStruct(shape, dtype) for shape in shapes]
        text = jax.jit(f, keep_unused=True).lower(*args).as_text()
        MASKED = kind in REVERSE
        # Drawn again, since JAX caches traces of a function with the earlier loops.
        g = jax.jit(transformed(kind, draw(seed, kind), axes))
        wide = [np.asarray(y) for y in jax.tree.leaves(g(*values))]
    finally:
        MASKED = False
    largest = max(float(np.abs(y).max()) for y in wide)
    if not (1e-3 < largest < 1e5) or not all(np.isfinite(y).all() for y in wide):
        return None
    tolerance = 1e-9
    if dtype == np.float32:
        MASKED = kind in REVERSE
        narrow = [np.asarray(y) for y in jax.tree.leaves(g(*[v.astype(np.float32) for v in values]))]
        MASKED = False
        apart = max(float(np.abs(a - b).max()) for a, b in zip(narrow, wide))
        tolerance = 16 * apart / largest + 64 * 2.0 ** -24
        if not tolerance < 1e-3:
            return None

    def numbers(y, digits):
        return {"dims": list(y.shape), "data": [float(f"{v:.{digits}g}") for v in np.asarray(y).reshape(-1)]}
    return {
        "name": f"{kind}_{seed}", "kind": kind, "dtype": "f32" if dtype == np.float32 else "f64", "in_axes": axes[0],
        "outer_axes": axes[1], "tolerance": float(f"{tolerance:.3g}"), "text": text,
        "inputs": [numbers(v, 17) for v in values], "results": [numbers(y, 13) for y in wide],
    }


def main():
    args = sys.argv[1:]
    each = int(args[args.index("--each") + 1]) if "--each" in args else 25
    kinds = [a for a in args if a in KINDS] or KINDS
    GOLDENS.mkdir(parents=True, exist_ok=True)
    for kind in kinds:
        entries, seed, problems = [], 1000 * KINDS.index(kind), 0
        while len(entries) < each:
            made = entry(kind, seed)
            if made is not None:
                entries.append(made)
            else:
                problems += 1
            seed += 1
            if seed % 20 == 0:
                jax.clear_caches()
        text = "[\n" + ",\n".join(json.dumps(e, separators=(",", ":")) for e in entries) + "\n]\n"
        (GOLDENS / f"{kind}.json").write_text(text)
        print(f"{kind}: {len(entries)} programs, {problems} drawn that judge nothing, {len(text)} bytes", flush=True)


if __name__ == "__main__":
    main()
