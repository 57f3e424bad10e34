"""Computes the expected derivatives of reductions, windows, sorts and indexed reads and writes with JAX, at points where
implementations go wrong: ties, zeros, elements written twice, indices out of range. The format is that of derivative_goldens.py.

usage: python scripts/indexing_goldens.py
"""

import derivative_goldens as goldens
import jax
import jax.numpy as jnp
import numpy as np
from derivative_goldens import case, spelled
from jax import lax

GATHER = lax.GatherDimensionNumbers
SCATTER = lax.ScatterDimensionNumbers
TIES = jnp.asarray([[3.0, -1.0, 3.0, 2.0], [0.5, 0.5, 0.5, 0.5], [-2.0, 1.0, 0.0, 1.0]])
ZEROS = jnp.asarray([[2.0, 0.0, 3.0, -1.0], [0.0, 0.0, 4.0, 0.5], [1.5, -2.0, 0.5, 3.0]])


def body(name, inputs, lines, *outputs):
    """A graph over scalars. `lines` refer to values by number, counted from the inputs."""
    scalars = [f'%{i} = input {{name = "a{i}"}} : f64[]' for i in range(inputs)]
    numbered = [f"%{inputs + i} = {line}" for i, line in enumerate(lines)]
    return f'graph "{name}" {{ {" ".join(scalars + numbered)} return {", ".join(f"%{o}" for o in outputs)} }}'


def reductions():
    for kind, f, x in [
        ("sum", jnp.sum, TIES), ("max", jnp.max, TIES), ("min", jnp.min, TIES), ("prod", jnp.prod, ZEROS),
    ]:  # fmt: skip
        for axes in [(1,), (0,), (0, 1)]:
            g = lambda x, f=f, axes=axes: (f(x, axis=axes),)
            build = lambda p, x, kind=kind, axes=axes, g=g, v=x: [
                p.op("reduce", x, spelled(jax.eval_shape(g, v)[0]), kind=kind, axes=list(axes))]  # fmt: skip
            case("reduction", f"reduce_{kind}_{len(axes)}_{axes[0]}", build, g, [x])

    def affine(x, y):
        p, s = jnp.ones_like(x[0]), jnp.zeros_like(y[0])
        for a, b in zip(x, y):
            p, s = p * a, s * a + b
        return p, s

    step = body("affine", 4, ["mul %0, %2 : f64[]", "mul %1, %2 : f64[]", "add %5, %3 : f64[]"], 4, 6)
    x, y = goldens.normal(5, 2), goldens.normal(5, 2)
    x = x.at[1, 0].set(0.0).at[3, 0].set(0.0)
    one, zero = (lambda p, v=v: p.op("constant", [], "f64[]", value=f"f64[] [{v}]") for v in (1, 0))
    build = lambda p, x: p.results(
        "reduce_graph", [*x, one(p), zero(p)], ["f64[2]"] * 2, body=step, axes=[0])  # fmt: skip
    case("reduction", "reduce_graph_affine", build, affine, [x, y])


def logsumexp_points():
    x = np.array([[0.0, 1.0, -np.inf, 2.0, 800.0, 801.0], [-np.inf, 3.0, 3.0, -900.0, 2.0, 1.0]])
    return jnp.asarray(x)


def running():
    forms = [
        ("sum", lax.cumsum, TIES), ("prod", lax.cumprod, ZEROS), ("max", lax.cummax, TIES), ("min", lax.cummin, TIES),
        ("logsumexp", lax.cumlogsumexp, logsumexp_points()),
    ]  # fmt: skip
    for kind, f, x in forms:
        for axis in (0, 1):
            for reverse in (False, True):
                g = lambda x, f=f, axis=axis, reverse=reverse: (f(x, axis, reverse),)
                build = lambda p, x, k=kind, a=axis, r=reverse, v=x: [
                    p.op("cumulative", x, spelled(v), op=k, axis=a, exclusive=False, reverse=r)]  # fmt: skip
                finite = bool(jnp.isfinite(g(x)[0]).all())
                if finite:
                    case("running", f"cumulative_{kind}_{axis}_{reverse}", build, g, [x])
    x = jnp.asarray([[1.0, -np.inf, 2.0, 800.0, -np.inf, 801.0], [-3.0, 3.0, 3.0, -900.0, 2.0, 1.0]])
    build = lambda p, x: [
        p.op("cumulative", x, "f64[2,6]", op="logsumexp", axis=1, exclusive=False, reverse=False)]  # fmt: skip
    case("running", "cumulative_logsumexp_infinite", build, lambda x: (lax.cumlogsumexp(x, 1),), [x])


def windows():
    x = jnp.asarray([[1.0, 4.0, 4.0, 2.0, 4.0], [4.0, 0.0, 4.0, 4.0, 1.0], [2.0, 2.0, 2.0, 5.0, 5.0],
                     [0.5, 1.0, 2.0, 5.0, 3.0]])  # fmt: skip
    geometries = {
        "plain": dict(window=[2, 2], strides=[1, 1], base=[1, 1], dilation=[1, 1], low=[0, 0], high=[0, 0]),
        "strided": dict(window=[3, 2], strides=[2, 3], base=[1, 1], dilation=[1, 1], low=[1, 0], high=[1, 1]),
        "dilated": dict(window=[2, 2], strides=[1, 2], base=[1, 1], dilation=[2, 3], low=[1, 0], high=[0, 2]),
        "spread": dict(window=[3, 2], strides=[2, 1], base=[2, 3], dilation=[1, 2], low=[0, 1], high=[1, 0]),
        "padding": dict(window=[1, 2], strides=[1, 2], base=[1, 1], dilation=[1, 1], low=[2, 0], high=[1, 3]),
    }
    for name, o in geometries.items():
        for kind, op, init in [("sum", lax.add, 0.0), ("max", lax.max, -np.inf), ("min", lax.min, np.inf)]:
            if kind != "sum" and name in ("dilated", "spread", "padding"):
                continue

            def g(x, o=o, op=op, init=init):
                padding = list(zip(o["low"], o["high"]))
                return (lax.reduce_window(x, init, op, o["window"], o["strides"], padding, o["base"], o["dilation"]),)

            build = lambda p, v, o=o, g=g, kind=kind: [p.op(
                "reduce_window", v, spelled(jax.eval_shape(g, x)[0]), kind=kind, window=o["window"], strides=o["strides"],
                base_dilation=o["base"], window_dilation=o["dilation"], low=o["low"], high=o["high"])]  # fmt: skip
            case("window", f"reduce_window_{kind}_{name}", build, g, [x])

    pair = lambda n, op, out: body(n, 2, [op], out)
    select = pair("select", "compare %0, %1 {op = ge, total_order = false} : bool[]", 2)
    add = pair("add", "add %0, %1 : f64[]", 2)

    def sent(x, source):
        picked = lambda x: lax.reduce_window(x, -np.inf, lax.max, [2, 3], [2, 1], [(0, 0), (1, 1)])
        return (jax.vjp(picked, lax.stop_gradient(x))[1](source)[0],)

    zero = lambda p: p.op("constant", [], "f64[]", value="f64[] [0]")
    build = lambda p, v: [p.op(
        "select_and_scatter", [*v, zero(p)], spelled(x), select=select, scatter=add, window=[2, 3], strides=[2, 1],
        low=[0, 1], high=[0, 1])]  # fmt: skip
    case("window", "select_and_scatter_ties", build, sent, [x, goldens.normal(2, 5)])


def numbers(window, dropped, batch, indices_batch, mapped, vector):
    return (f"{{update_window_dims = {window}, inserted_window_dims = {dropped}, input_batching_dims = {batch}, "
            f"scatter_indices_batching_dims = {indices_batch}, scatter_dims_to_operand_dims = {mapped}, "
            f"index_vector_dim = {vector}}}")  # fmt: skip


def gathers():
    forms = {
        "rows": (goldens.normal(4, 3), [[0], [3], [9], [-2], [3]], [1], [0], [], [], [0], [1, 3]),
        "boxes": (goldens.normal(4, 5), [[0, 1], [3, 4], [-1, 2], [2, 3]], [0, 1], [], [], [], [0, 1], [2, 3]),
        "turned": (goldens.normal(4, 5), [[0, 1], [3, 4], [4, 2]], [0], [1], [], [], [1, 0], [2, 1]),
        "batched": (goldens.normal(3, 4), [[1], [5], [-1]], [], [1], [0], [0], [1], [1, 1]),
    }
    for name, (x, at, offset, dropped, batch, at_batch, mapped, sizes) in forms.items():
        at = jnp.asarray(at, dtype=jnp.int32)
        dims = GATHER(tuple(offset), tuple(dropped), tuple(mapped), tuple(batch), tuple(at_batch))
        g = lambda x, at, dims=dims, sizes=sizes: (lax.gather(x, at, dims, sizes, mode="clip"),)
        out = jax.eval_shape(g, x, at)[0]
        build = lambda p, v, o=out, n=(offset, dropped, batch, at_batch, mapped, sizes): [p.op(
            "gather", v, spelled(o), offset_dims=n[0], collapsed_slice_dims=n[1], operand_batching_dims=n[2],
            start_indices_batching_dims=n[3], start_index_map=n[4], index_vector_dim=1, slice_sizes=n[5])]  # fmt: skip
        case("indexing", f"gather_{name}", build, g, [x, at])


def scatters():
    ops = dict(add=lax.scatter_add, set=lax.scatter, mul=lax.scatter_mul, min=lax.scatter_min, max=lax.scatter_max)
    coarse = lambda *dims: jnp.round(goldens.normal(*dims))
    forms = {
        "rows": (coarse(4, 3), [[0], [3], [9], [-2], [3]], coarse(5, 3), [1], [0], [], [], [0]),
        "boxes": (coarse(4, 5), [[0, 1], [3, 4], [-1, 2], [2, 2], [2, 1]], coarse(5, 2, 3), [1, 2], [], [], [], [0, 1]),
        "batched": (coarse(3, 4), [[1], [5], [3]], coarse(3), [], [1], [0], [0], [1]),
    }
    for kind, op in ops.items():
        for name, (x, at, updates, window, dropped, batch, at_batch, mapped) in forms.items():
            at = jnp.asarray(at, dtype=jnp.int32)
            dims = SCATTER(tuple(window), tuple(dropped), tuple(mapped), tuple(batch), tuple(at_batch))
            g = lambda x, at, u, op=op, dims=dims: (op(x, at, u, dims, mode="drop"),)
            if kind == "mul":
                # JAX has no derivative if an element may be multiplied twice, so the windows are applied one after another.
                def g(x, at, u, dims=dims, batch=batch, window=window):
                    if batch:
                        return (lax.scatter_mul(x, at, u, dims, mode="drop", unique_indices=True),)
                    for a, b in zip(at, u):
                        x = lax.scatter_mul(x, a[None], b[None], dims, mode="drop", unique_indices=True)
                    return (x,)

            n = numbers(window, dropped, batch, at_batch, mapped, 1)
            build = lambda p, v, x=x, n=n, kind=kind: [
                p.op("scatter", v, spelled(x), dims=n, combiner=kind)]  # fmt: skip
            case("indexing", f"scatter_{kind}_{name}", build, g, [x, at, updates])


def sorts():
    keys = jnp.asarray([[2.0, 1.0, 2.0, 0.0, 1.0], [0.0, 0.0, -1.0, 3.0, 3.0]])
    others, third = goldens.normal(2, 5), goldens.normal(2, 5)
    for order in ("ascending", "descending"):
        for num_keys in (1, 2):

            def g(a, b, c, sign=1 if order == "ascending" else -1, num_keys=num_keys):
                at = jnp.broadcast_to(jnp.arange(5), (2, 5))
                at = lax.sort((sign * a, sign * b, at), num_keys=num_keys, is_stable=True)[2]
                return tuple(jnp.take_along_axis(v, at, 1) for v in (a, b, c))

            build = lambda p, v, o=order, k=num_keys: p.results(
                "sort", v, ["f64[2,5]"] * 3, axis=1, order=o, num_keys=k, stable=True)  # fmt: skip
            case("sorting", f"sort_{order}_{num_keys}", build, g, [keys, jnp.round(others), third])
    for k in (1, 3, 5):
        build = lambda p, v, k=k: p.results("top_k", v, [f"f64[2,{k}]", f"i32[2,{k}]"], k=k)[:1]
        case("sorting", f"top_k_{k}", build, lambda x, k=k: lax.top_k(x, k)[:1], [keys])


def losses():
    logits = goldens.normal(4, 5) * 3
    logits = logits.at[0, 1].set(9e4).at[1, 2].set(-np.inf).at[2].set(7e5)
    labels = jnp.asarray([1, 0, 4, 2], dtype=jnp.int32)

    def g(logits, labels):
        return (-jnp.take_along_axis(jax.nn.log_softmax(logits, -1), labels[:, None], -1)[:, 0],)

    build = lambda p, v: [p.op("softmax_cross_entropy", v, "f64[4]")]
    case("loss", "cross_entropy_large", build, g, [logits, labels])
    build = lambda p, v: [p.op("softmax_cross_entropy", v, "f32[4]")]
    case("loss", "cross_entropy_f32", build, g, [logits.astype("float32"), labels])


def main():
    for family in (reductions, running, windows, gathers, scatters, sorts, losses):
        goldens.RNG = np.random.default_rng(11)
        family()
    goldens.HERE.mkdir(parents=True, exist_ok=True)
    cases = [text for family in goldens.FAMILIES.values() for text in family]
    (goldens.HERE / "indexing.rlx").write_text("\n".join(cases) + "\n")


if __name__ == "__main__":
    main()
