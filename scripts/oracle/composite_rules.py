"""The composites, computed with the functions of JAX, NumPy and SciPy that they are named after, never with their decompositions.
A rule takes the operands and the attributes. Floats are passed as f64 and complex numbers as c128, so the result is the value
without the roundings of the case's own type; `evaluate` rounds it once, to the type of the result. The rules in NATIVE move
elements or draw random numbers, and get the operands unchanged."""

import jax
import jax.numpy as jnp
import numpy as np
import scipy
from jax import lax

from . import jax_rules, python_rules

RULES = {}
NATIVE = set()


def rule(*names, native=False):
    def register(function):
        for name in names:
            RULES[name] = function
            if native:
                NATIVE.add(name)
        return function

    return register


def widen(x):
    """Floats as f64, complex numbers as c128, and all others unchanged."""
    if x.dtype.kind == "c":
        return x.astype(np.complex128)
    return x if x.dtype.kind in "biu" else x.astype(np.float64)


def narrow(x, dtype):
    """Rounded once, to nearest even. Types below f32 are rounded to odd in f32 first."""
    x = np.asarray(x)
    if x.dtype != np.float64 or dtype.kind in "biuc" or dtype.itemsize >= 4:
        return x.astype(dtype)
    nearest = x.astype(np.float32)
    even = (nearest.view(np.int32) & 1) == 0
    off = np.isfinite(nearest) & (nearest != x) & even
    away = np.nextafter(nearest, np.where(nearest < x, np.inf, -np.inf).astype(np.float32))
    return np.where(off, away, nearest).astype(dtype)


def evaluate(node, inputs):
    """(oracle, outputs) of a composite."""
    made = RULES[node.op](inputs if node.op in NATIVE else [widen(x) for x in inputs], node.attrs, node.results)
    oracle, outputs = made if isinstance(made, tuple) and isinstance(made[0], str) else ("jax", made)
    outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    with np.errstate(all="ignore"):
        return oracle, [narrow(x, r.dtype) for x, r in zip(outputs, node.results, strict=True)]


# ---- activations ----------------------------------------------------------------------------------------------

ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, np.zeros((), x.dtype)),
    "relu6": lambda x: np.minimum(np.maximum(x, np.zeros((), x.dtype)), np.array(6, x.dtype)),
    "gelu": lambda x: jax.nn.gelu(x, approximate=False),
    "gelu_tanh": lambda x: jax.nn.gelu(x, approximate=True),
    "silu": jax.nn.silu,
    "sigmoid": jax.nn.sigmoid,
    "softplus": jax.nn.softplus,
    "elu": jax.nn.elu,
    "hard_sigmoid": jax.nn.hard_sigmoid,
    "hard_swish": jax.nn.hard_swish,
    "mish": jax.nn.mish,
    "tanh": np.tanh,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "recip": lambda x: 1 / x,
    "square": np.square,
    "neg": np.negative,
    "abs": np.abs,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "atan": np.arctan,
    "erf": scipy.special.erf,
    "round": np.rint,
}


@rule("activation")
def activation(operands, attrs, results):
    function = ACTIVATIONS[attrs["kind"]]
    (x,) = operands
    if isinstance(function, np.ufunc) or function.__name__ == "<lambda>" and not attrs["kind"].startswith("gelu"):
        with np.errstate(all="ignore"):
            return "scipy" if attrs["kind"] == "erf" else "numpy", function(x)
    return function(x)


@rule("elu")
def elu(operands, attrs, results):
    return jax.nn.elu(operands[0], attrs["alpha"])


@rule("leaky_relu")
def leaky_relu(operands, attrs, results):
    return jax.nn.leaky_relu(operands[0], attrs["slope"])


@rule("clip")
def clip(operands, attrs, results):
    (x,) = operands
    for bound, function in ((attrs["low"], np.maximum), (attrs["high"], np.minimum)):
        if bound is None:
            continue
        if x.dtype.kind in "iu":
            # A limit outside the type's range is the limit of the type.
            info = np.iinfo(x.dtype)
            bound = min(max(int(bound), info.min), info.max)
        x = function(x, np.array(bound, x.dtype))
    return "numpy", x


@rule("stop_gradient", native=True)
def stop_gradient(operands, attrs, results):
    return "numpy", operands[0]


@rule("swiglu")
def swiglu(operands, attrs, results):
    return jax.nn.silu(operands[0]) * operands[1]


# ---- contraction ----------------------------------------------------------------------------------------------


@rule("lora_matmul")
def lora_matmul(operands, attrs, results):
    x, w, a, b = operands
    return "numpy", x @ w + attrs["alpha"] / a.shape[1] * ((x @ a) @ b)


@rule("dequant_matmul")
def dequant_matmul(operands, attrs, results):
    x, weights = operands
    size, decode = python_rules.blocks_of(attrs["scheme"])
    rows = decode(weights.reshape(-1, size)).astype(np.float64).reshape(weights.shape[0], -1)
    return "numpy", (rounded(x) if attrs["round_x"] else x) @ rows.T


@rule("dequant_grouped_matmul")
def dequant_grouped_matmul(operands, attrs, results):
    x, weights, sizes = operands
    rows = [dequant_matmul((x, matrix), attrs, results)[1] for matrix in weights]
    ends = np.cumsum(np.asarray(sizes, np.int64))
    out, at = np.zeros((len(x), weights.shape[1])), np.arange(len(x))
    for run, end in enumerate(ends):
        inside = (at >= end - int(sizes[run])) & (at < end)
        out[inside] += rows[run][inside]
    return "numpy", out


def rounded(x):
    """Every 32 values as multiples of a 127th of their largest magnitude."""
    groups = np.asarray(x, np.float64).reshape(*x.shape[:-1], x.shape[-1] // 32, 32)
    largest = np.abs(groups).max(-1, keepdims=True)
    steps = np.rint(groups * np.divide(127, largest, out=np.zeros_like(largest), where=largest > 0))
    return (steps * largest / 127).reshape(x.shape)


@rule("dense_solve", "batched_dense_solve")
def solve(operands, attrs, results):
    a, b = operands
    if b.ndim < a.ndim:
        return "numpy", np.linalg.solve(a, b[..., None])[..., 0]
    return "numpy", np.linalg.solve(a, b)


@rule("ormqr")
def ormqr(operands, attrs, results):
    a, taus, c = operands
    m = a.shape[-2]
    q = np.broadcast_to(np.eye(m, dtype=a.dtype), (*a.shape[:-2], m, m))
    for k in range(taus.shape[-1]):
        v = np.concatenate([np.zeros_like(a[..., :k, k]), np.ones_like(a[..., :1, k]), a[..., k + 1 :, k]], -1)
        q = q - taus[..., k, None, None] * (q @ v[..., None]) * v[..., None, :].conj()
    q = np.swapaxes(q, -1, -2).conj() if attrs["adjoint"] else q
    return "numpy", q @ c if attrs["left_side"] else c @ q


# ---- normalization and reductions -----------------------------------------------------------------------------


@rule("softmax")
def softmax(operands, attrs, results):
    (x,) = operands
    return "scipy", scipy.special.softmax(x, attrs["axis"]) if x.size else x


@rule("log_softmax")
def log_softmax(operands, attrs, results):
    (x,) = operands
    return "scipy", scipy.special.log_softmax(x, attrs["axis"]) if x.size else x


@rule("logsumexp")
def logsumexp(operands, attrs, results):
    return jax.nn.logsumexp(operands[0], axis=tuple(attrs["axes"]), keepdims=attrs["keep_dims"])


@rule("mean")
def mean(operands, attrs, results):
    (x,) = operands
    with np.errstate(all="ignore"):
        total = np.sum(x, axis=tuple(attrs["axes"]), keepdims=attrs["keep_dims"])
        return "numpy", total / np.prod([x.shape[a] for a in attrs["axes"]], dtype=np.float64)


@rule("cumsum")
def cumsum(operands, attrs, results):
    (x,) = operands
    return "numpy", np.logical_or.accumulate(x, attrs["axis"]) if x.dtype == np.bool_ else np.cumsum(x, attrs["axis"], x.dtype)


def normalized(x, axes, eps):
    return (x - jnp.mean(x, axes, keepdims=True)) / jnp.sqrt(jnp.var(x, axes, keepdims=True) + eps)


def affine(y, gamma, beta, shape):
    y = y if gamma is None else y * jnp.reshape(gamma, shape)
    return y if beta is None else y + jnp.reshape(beta, shape)


def optional(operands, count):
    return list(operands) + [None] * (count - len(operands))


@rule("layer_norm")
def layer_norm(operands, attrs, results):
    x, gamma, beta = optional(operands, 3)
    axes = tuple(range(attrs["axis"], x.ndim))
    return affine(normalized(x, axes, attrs["eps"]), gamma, beta, x.shape[attrs["axis"]:])


@rule("layer_norm_2d")
def layer_norm_2d(operands, attrs, results):
    x, gamma, beta = optional(operands, 3)
    return affine(normalized(x, (1,), attrs["eps"]), gamma, beta, (-1, 1, 1))


@rule("rms_norm")
def rms_norm(operands, attrs, results):
    x, gamma = optional(operands, 2)
    axes = tuple(range(attrs["axis"], x.ndim))
    y = x / jnp.sqrt(jnp.mean(jnp.square(x), axes, keepdims=True) + attrs["eps"])
    return affine(y, gamma, None, x.shape[attrs["axis"]:])


@rule("group_norm")
def group_norm(operands, attrs, results):
    x, gamma, beta = optional(operands, 3)
    parts = jnp.reshape(x, (x.shape[0], attrs["groups"], x.shape[1] // attrs["groups"], *x.shape[2:]))
    y = normalized(parts, tuple(range(2, parts.ndim)), attrs["eps"])
    return affine(jnp.reshape(y, x.shape), gamma, beta, (-1,) + (1,) * (x.ndim - 2))


def along(axis, rank):
    return [-1 if d == axis else 1 for d in range(rank)]


@rule("batch_norm")
def batch_norm(operands, attrs, results):
    x, *parameters = operands
    gamma, beta, mean, variance = [np.reshape(p, along(attrs["axis"], x.ndim)) for p in parameters]
    return "numpy", (x - mean) / np.sqrt(variance + attrs["eps"]) * gamma + beta


@rule("batch_norm_training")
def batch_norm_training(operands, attrs, results):
    x, gamma, beta = operands
    axes = tuple(d for d in range(x.ndim) if d != attrs["axis"])
    y = affine(normalized(x, axes, attrs["eps"]), gamma, beta, along(attrs["axis"], x.ndim))
    return [y, jnp.mean(x, axes), jnp.var(x, axes)]


@rule("softmax_cross_entropy")
def softmax_cross_entropy(operands, attrs, results):
    logits, labels = operands
    classes = logits.shape[-1]
    labels = np.asarray(labels).astype(np.float64)
    known = (labels >= 0) & (labels < classes) & (labels == np.floor(labels))
    places = np.where(known, labels, 0).astype(np.int64)[..., None]
    losses = -np.take_along_axis(np.asarray(jax.nn.log_softmax(logits)), places, -1)[..., 0]
    return np.where(known, losses, np.nan)


@rule("mse")
def mse(operands, attrs, results):
    with np.errstate(all="ignore"):
        return "numpy", np.mean(np.square(operands[0] - operands[1])) if operands[0].size else np.float64(np.nan)


# ---- attention ------------------------------------------------------------------------------------------------


def seen(attrs, queries, keys, lengths=None):
    """The booleans of the masks that need no operand, aligned with the last valid keys; None if all keys are visible. With
    lengths, one per sequence or one for all, `[batch, 1, queries, keys]`."""
    places = np.arange(keys)[None]
    if lengths is None:
        count, keep = keys, None
    else:
        count = np.clip(np.atleast_1d(np.asarray(lengths, np.int64)), 0, keys)[:, None, None, None]
        keep = np.broadcast_to(places < count, (len(count), 1, queries, keys))
    if attrs["mask"] not in ("causal", "sliding_window"):
        return keep
    newest = np.arange(queries)[:, None] + count - queries
    window = attrs["window"] if attrs["mask"] == "sliding_window" else keys + queries
    mask = (places <= newest) & (newest - places < window)
    return mask if keep is None else mask & keep


def attend(q, k, v, values, attrs, lengths=None):
    """`jax.nn.dot_product_attention` in f64; the original computes its softmax in f32."""
    merged = q.ndim == 3
    if merged:
        heads = attrs["num_heads"]
        kv_heads = attrs["num_kv_heads"] or heads
        q, k, v = [x.reshape(*x.shape[:2], n, -1) for x, n in ((q, heads), (k, kv_heads), (v, kv_heads))]
    else:
        q, k, v = [jnp.swapaxes(x, 1, 2) for x in (q, k, v)]
    repeats = q.shape[2] // max(k.shape[2], 1)
    k, v = jnp.repeat(k, repeats, 2), jnp.repeat(v, repeats, 2)
    scale = q.shape[-1] ** -0.5 if attrs["scale"] is None else attrs["scale"]
    scores = jnp.einsum("btnh,bsnh->bnts", q, k, precision="highest") * scale
    if attrs["softcap"] is not None:
        scores = attrs["softcap"] * jnp.tanh(scores / attrs["softcap"])
    keep = seen(attrs, q.shape[1], k.shape[1], lengths)
    if values is not None:
        values = values[:, None, None] if values.ndim == 2 else values
        if attrs["mask"] == "bias":
            scores = scores + values
        else:
            keep = values != 0 if keep is None else (values != 0) & keep
    if keep is None:
        weights = jax.nn.softmax(scores)
    else:
        # For a query that sees no keys, all weights are zero.
        weights = jnp.where(keep, jax.nn.softmax(jnp.where(keep, scores, -1e300)), 0.0)
    out = jnp.einsum("bnts,bsnh->btnh", weights, v, precision="highest")
    return out.reshape(*out.shape[:2], -1) if merged else jnp.swapaxes(out, 1, 2)


def held_against_jax(q, k, v, values, attrs, lengths, out):
    """Fails unless JAX's own attention agrees where it applies: no cap, and no row without visible keys."""
    if q.ndim != 4 or attrs["softcap"] is not None or 0 in q.shape + k.shape or not np.isfinite(out).all():
        return
    keep = seen(attrs, q.shape[2], k.shape[2], lengths)
    bias = None
    if values is not None:
        values = values[:, None, None] if values.ndim == 2 else values.reshape((1,) * (4 - values.ndim) + values.shape)
        if attrs["mask"] == "bias":
            bias = jnp.asarray(values, np.float32)
        else:
            keep = values != 0 if keep is None else (values != 0) & keep
    if keep is not None:
        keep = jnp.broadcast_to(keep, (q.shape[0], q.shape[1], q.shape[2], k.shape[2]))
        if not keep.any(-1).all():
            return
    inputs = [jnp.asarray(np.swapaxes(x, 1, 2), np.float32) for x in (q, k, v)]
    theirs = jax.nn.dot_product_attention(*inputs, bias=bias, mask=keep, scale=attrs["scale"])
    np.testing.assert_allclose(out, np.swapaxes(theirs, 1, 2), rtol=1e-4, atol=1e-4)


def with_lengths(operands, tensors, attrs):
    """The tensors, the operand of a mask and the lengths; None for those that are missing."""
    given = list(operands[tensors:])
    values = given.pop(0) if attrs["mask"] in ("custom", "bias") else None
    return [*operands[:tensors], values, given.pop(0) if given else None]


def unpacked(scheme, packed):
    """The numbers of rows of packed blocks."""
    size, decode = python_rules.blocks_of(scheme)
    blocks = np.asarray(packed).astype(np.uint8).reshape(-1, size)
    return decode(blocks).astype(np.float64).reshape(*packed.shape[:-1], -1)


@rule("attention")
def attention(operands, attrs, results):
    q, k, v, values, lengths = with_lengths(operands, 3, attrs)
    if attrs.get("kv_scheme") is not None:
        k, v = [unpacked(attrs["kv_scheme"], x) for x in (k, v)]
    out = np.asarray(attend(q, k, v, values, attrs, lengths))
    held_against_jax(q, k, v, values, attrs, lengths, out)
    return out


@rule("attention_backward")
def attention_backward(operands, attrs, results):
    q, k, v, d_out, values, lengths = with_lengths(operands, 4, attrs)
    if attrs["mask"] == "bias":
        _, back = jax.vjp(lambda *x: attend(*x, attrs, lengths), q, k, v, values)
    else:
        _, back = jax.vjp(lambda *x: attend(*x, values, attrs, lengths), q, k, v)
    return list(back(jnp.asarray(d_out)))


@rule("rope")
def rope(operands, attrs, results):
    x, cos, sin = operands
    axis = attrs["seq_axis"]
    turned = attrs["rotary_dims"] or x.shape[-1]
    # The tables have positions (perhaps after the batch) and pairs; x has other axes in between.
    shape = [1] * x.ndim
    shape[axis], shape[-1] = x.shape[axis], turned // 2
    if cos.ndim == 3:
        shape[0] = x.shape[0]
    wheel = (cos + 1j * sin).reshape(shape)
    head, rest = x[..., :turned], x[..., turned:]
    if attrs["style"] == "halves":
        pairs = head[..., : turned // 2] + 1j * head[..., turned // 2:]
        y = pairs * wheel
        y = np.concatenate([y.real, y.imag], -1)
    else:
        y = (head[..., 0::2] + 1j * head[..., 1::2]) * wheel
        y = np.stack([y.real, y.imag], -1).reshape(head.shape)
    return "numpy", np.concatenate([y, rest], -1)


# ---- vision ---------------------------------------------------------------------------------------------------


def convolved(x, w, attrs):
    padding = [(p, p) for p in attrs["padding"]]
    return lax.conv_general_dilated(
        x, w, attrs["stride"], padding, rhs_dilation=attrs["dilation"], feature_group_count=attrs["groups"],
        dimension_numbers=("NCHW", "OIHW", "NCHW"), precision="highest",
    )


@rule("conv2d")
def conv2d(operands, attrs, results):
    x, w, bias = optional(operands, 3)
    return affine(convolved(x, w, attrs), None, bias, (-1, 1, 1))


@rule("conv_transpose2d")
def conv_transpose2d(operands, attrs, results):
    """The cotangent of the input of conv2d with the same weights."""
    x, w, bias = optional(operands, 3)
    zeros = jnp.zeros(results[0].dims, x.dtype)
    _, back = jax.vjp(lambda y: convolved(y, w, attrs), zeros)
    (y,) = back(jnp.asarray(x))
    return affine(y, None, bias, (-1, 1, 1))


@rule("pool")
def pool(operands, attrs, results):
    (x,), kind = operands, attrs["kind"]
    sizes = attrs["kernel_size"]
    start, function = {
        "sum": (0.0, lax.add), "mean": (0.0, lax.add), "prod": (1.0, lax.mul), "max": (-np.inf, lax.max),
        "min": (np.inf, lax.min),
    }[kind]
    if x.dtype.kind in "biu" and kind in ("max", "min"):
        start = jax_rules.identity(kind, x.dtype)
    if x.dtype == np.bool_:
        function = {"sum": lax.bitwise_or, "prod": lax.bitwise_and}.get(kind, function)
    padding = [(0, 0), (0, 0), *((p, p) for p in attrs["padding"])]
    y = lax.reduce_window(
        x, np.array(start, x.dtype), function, (1, 1, *sizes), (1, 1, *attrs["stride"]), padding,
    )
    return y / np.prod(sizes) if kind == "mean" else y


# ---- recurrent ------------------------------------------------------------------------------------------------


def recurrent(x, states, weights, reverse, cell):
    """The cell along the sequence: all h, then the final states. Gates of the input and of the state are computed separately."""
    w_ih, w_hh, b_ih, b_hh = weights
    ys = np.zeros((x.shape[0], *states[0].shape))
    for t in reversed(range(x.shape[0])) if reverse else range(x.shape[0]):
        of_x = x[t] @ w_ih.T + (0 if b_ih is None else b_ih)
        of_h = states[0] @ w_hh.T + (0 if b_hh is None else b_hh)
        states = cell(of_x, of_h, states)
        ys[t] = states[0]
    return "scipy", [ys, *states]


sigmoid = scipy.special.expit


@rule("rnn")
def rnn(operands, attrs, results):
    x, h, *weights = optional(operands, 6)
    function = ACTIVATIONS[attrs["activation"]]
    return recurrent(x, [h], weights, attrs["reverse"], lambda a, b, s: [np.asarray(function(a + b))])


@rule("lstm")
def lstm(operands, attrs, results):
    x, h, c, *weights = optional(operands, 7)

    def cell(of_x, of_h, states):
        i, f, g, o = np.split(of_x + of_h, 4, -1)
        c = sigmoid(f) * states[1] + sigmoid(i) * np.tanh(g)
        return [sigmoid(o) * np.tanh(c), c]

    return recurrent(x, [h, c], weights, attrs["reverse"], cell)


@rule("gru")
def gru(operands, attrs, results):
    x, h, *weights = optional(operands, 6)

    def cell(of_x, of_h, states):
        (rx, zx, nx), (rh, zh, nh) = np.split(of_x, 3, -1), np.split(of_h, 3, -1)
        r, z = sigmoid(rx + rh), sigmoid(zx + zh)
        return [(1 - z) * np.tanh(nx + r * nh) + z * states[0]]

    return recurrent(x, [h], weights, attrs["reverse"], cell)


def scanned(x, delta, a, b, c, state, skip):
    """Computes each step in turn, as in the paper's recurrence."""
    ys = np.zeros(x.shape)
    for t in range(x.shape[1]):
        decay = np.exp(delta[:, t, :, None] * a)
        state = decay * state + (delta[:, t] * x[:, t])[:, :, None] * b[:, t, None, :]
        ys[:, t] = np.einsum("bdn,bn->bd", state, c[:, t])
    return ys + (0 if skip is None else skip * x), state


@rule("selective_scan")
def selective_scan(operands, attrs, results):
    x, delta, a, b, c, skip = optional(operands, 6)
    return "numpy", scanned(x, delta, a, b, c, np.zeros((x.shape[0], *a.shape)), skip)[0]


@rule("selective_scan_with_state")
def selective_scan_with_state(operands, attrs, results):
    x, delta, a, b, c, state, skip = optional(operands, 7)
    return "numpy", list(scanned(x, delta, a, b, c, state, skip))


# ---- indexing and shape ---------------------------------------------------------------------------------------


def inside(indices, size):
    return np.clip(indices.astype(np.float64), 0, max(size - 1, 0)).astype(np.int64)


@rule("embedding", native=True)
def embedding(operands, attrs, results):
    table, ids = operands
    return "numpy", np.take(table, inside(ids, table.shape[0]), 0)


@rule("take", native=True)
def take(operands, attrs, results):
    x, indices = operands
    return "numpy", np.take(x, inside(indices, x.shape[attrs["axis"]]), attrs["axis"])


@rule("gather_axis", native=True)
def gather_axis(operands, attrs, results):
    x, indices = operands
    return "numpy", np.take_along_axis(x, inside(indices, x.shape[attrs["axis"]]), attrs["axis"])


@rule("scatter_add")
def scatter_add(operands, attrs, results):
    x, indices, updates = operands
    axis = attrs["axis"]
    out = np.moveaxis(np.array(x), axis, 0)
    updates = np.moveaxis(updates, axis, 0)
    add = np.logical_or if x.dtype == np.bool_ else np.add
    if indices.ndim == 1 and not (x.ndim == 1):
        for i, update in zip(indices.astype(np.int64), updates):
            if 0 <= i < out.shape[0]:
                out[i] = add(out[i], update)
    else:
        indices = np.moveaxis(indices.astype(np.int64), axis, 0)
        for place in np.ndindex(*indices.shape):
            i = indices[place]
            if 0 <= i < out.shape[0]:
                at = (i, *place[1:])
                out[at] = add(out[at], updates[place])
    return "numpy", np.moveaxis(out, 0, axis)


@rule("one_hot")
def one_hot(operands, attrs, results):
    (ids,) = operands
    return "numpy", (ids[..., None] == np.arange(attrs["depth"]).astype(np.int64)).astype(np.float64)


@rule("expand", native=True)
def expand(operands, attrs, results):
    return "numpy", np.broadcast_to(operands[0], attrs["dims"])


@rule("narrow", native=True)
def narrow_rule(operands, attrs, results):
    where = [slice(None)] * operands[0].ndim
    where[attrs["axis"]] = slice(attrs["start"], attrs["start"] + attrs["length"])
    return "numpy", operands[0][tuple(where)]


@rule("split", native=True)
def split(operands, attrs, results):
    return "numpy", np.split(operands[0], np.cumsum(attrs["sizes"])[:-1], attrs["axis"])


@rule("tile", native=True)
def tile(operands, attrs, results):
    return "numpy", np.tile(operands[0], attrs["repeats"])


@rule("roll", native=True)
def roll(operands, attrs, results):
    return "numpy", np.roll(operands[0], attrs["shifts"], attrs["axes"])


@rule("kv_append", native=True)
def kv_append(operands, attrs, results):
    """`lax.dynamic_update_slice`, which shifts updates that would extend past the end."""
    cache, new, position = operands
    axis, out = attrs["axis"], np.array(cache)
    most = cache.shape[axis] - new.shape[axis]
    if np.ndim(position) == 0:
        rows = [(out, new, position)]
    else:
        rows, axis = list(zip(out, new, position)), axis - 1
    for into, rows_of, at in rows:
        start = min(max(int(at), 0), most)
        np.moveaxis(into, axis, 0)[start:start + new.shape[attrs["axis"]]] = np.moveaxis(rows_of, axis, 0)
    return "numpy", out


# ---- quantization ---------------------------------------------------------------------------------------------


def repeated(parameter, x, axis):
    return parameter if axis is None else parameter.reshape(along(axis, x.ndim))


@rule("quantize")
def quantize(operands, attrs, results):
    x, scale, zero = optional(operands, 3)
    dtype = results[0].dtype
    y = x / repeated(scale, x, attrs["axis"])
    y = np.rint(y) if dtype.kind in "iu" else y
    if zero is not None:
        y = y + repeated(zero.astype(np.float64), x, attrs["axis"])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return "numpy", np.clip(y, info.min, info.max).astype(dtype)
    limit = 448.0 if dtype.name == "float8_e4m3fn" else 57344.0
    return "numpy", np.clip(y, -limit, limit)


@rule("dequantize")
def dequantize(operands, attrs, results):
    x, scale, zero = optional(operands, 3)
    x = x.astype(np.float64)
    if zero is not None:
        x = x - repeated(zero.astype(np.float64), x, attrs["axis"])
    return "numpy", x * repeated(scale, x, attrs["axis"])


@rule("fake_quantize")
def fake_quantize(operands, attrs, results):
    x, scale, zero = optional(operands, 3)
    high = 2 ** (attrs["bits"] - 1) - 1 if attrs["symmetric"] else 2 ** attrs["bits"] - 1
    low = -high if attrs["symmetric"] else 0
    scale = repeated(scale, x, attrs["axis"])
    zero = 0.0 if zero is None else repeated(zero.astype(np.float64), x, attrs["axis"])
    return "numpy", (np.clip(np.rint(x / scale) + zero, low, high) - zero) * scale


# ---- random numbers -------------------------------------------------------------------------------------------


def key(words):
    return jax.random.wrap_key_data(jnp.asarray(words), impl="threefry2x32")


@rule("rng_uniform", native=True)
def rng_uniform(operands, attrs, results):
    words, low, high = optional(operands, 3)
    shape = results[0]
    return jax.random.uniform(key(words), shape.dims, shape.dtype, 0 if low is None else low, 1 if high is None else high)


@rule("rng_normal", native=True)
def rng_normal(operands, attrs, results):
    return jax.random.normal(key(operands[0]), results[0].dims, results[0].dtype)


@rule("categorical", native=True)
def categorical(operands, attrs, results):
    words, logits = operands
    return jax.random.categorical(key(words), jnp.asarray(logits), attrs["axis"])


def nucleus(x, order, p):
    """x without the tokens before which, in an order, other tokens already have a total probability of p."""
    share = scipy.special.softmax(x.astype(np.float64))[order]
    return np.where(np.cumsum(share) - share < max(p, np.finfo(np.float32).tiny), x[order], -np.inf)


def filtered(x, ids, name, setting, counts, bias):
    """The logits and ids of the tokens of one row that a filter keeps, in the filter's order."""
    f = x.dtype.type
    if name == "bias":
        return x + bias[ids], ids
    if name == "repetition":
        return np.where(counts[ids] > 0, np.where(x > 0, x / f(setting), x * f(setting)), x), ids
    if name == "frequency":
        return x - counts[ids] * f(setting), ids
    if name == "presence":
        return x - (counts[ids] > 0) * f(setting), ids
    if name == "top_k":
        order = np.argsort(-x, kind="stable")[:setting]
        return x[order], ids[order]
    if name == "top_p":
        order = np.argsort(-x, kind="stable")
        return nucleus(x, order, setting), ids[order]
    if name == "typical":
        share = scipy.special.softmax(x.astype(np.float64))
        off = np.where(share > 0, np.abs(-scipy.special.log_softmax(x.astype(np.float64)) - scipy.stats.entropy(share)), np.inf)
        order = np.argsort(off, kind="stable")
        return nucleus(x, order, setting), ids[order]
    if name == "min_p":
        return np.where(x >= x.max() + np.log(setting), x, -np.inf).astype(x.dtype), ids
    assert name == "temperature", name
    return x / f(setting), ids


@rule("sample", native=True)
def sample(operands, attrs, results):
    words, *numbers = optional(operands, 4)
    logits, counts, bias = (x if x is None or x.dtype.itemsize >= 4 else x.astype(np.float32) for x in numbers)
    vocab = logits.shape[-1]
    rows, ids = [], []
    for at, row in enumerate(logits.reshape(-1, vocab)):
        left = row, np.arange(vocab, dtype=np.int32)
        for name, *setting in attrs["filters"]:
            left = filtered(*left, name, *(setting or [None]), counts.reshape(-1, vocab)[at], bias)
        rows.append(left[0])
        ids.append(left[1])
    shape = logits.shape[:-1] + (-1,)
    rows, ids = np.array(rows).reshape(shape), np.array(ids).reshape(shape)
    drawn = np.argmax(rows, -1) if attrs["greedy"] else np.asarray(jax.random.categorical(key(words), jnp.asarray(rows), -1))
    return "numpy", (np.take_along_axis(ids, drawn[..., None], -1)[..., 0], rows, np.where(rows == -np.inf, np.int32(-1), ids))


# ---- control --------------------------------------------------------------------------------------------------


def body(name):
    """The graph inside the op, evaluated op by op in JAX."""
    return lambda operands, attrs, results: [np.asarray(x) for x in jax_rules.interpret(attrs[name], operands)]


for _op, _name in (("call", "body"), ("checkpoint", "body"), ("fusion", "body"), ("custom_fn", "forward"), ("linear_call", "forward")):
    RULES[_op] = body(_name)
