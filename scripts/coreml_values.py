"""Defines what operations of ML Programs compute if coremltools has no value inference for them, with NumPy, from its documentation."""

import coreml_programs  # noqa: F401  It keeps coremltools quiet while it is loaded.
import numpy as np
from coremltools.converters.mil.mil import Operation, types
from coremltools.converters.mil.mil.ops.defs.iOS15 import elementwise_unary
from coremltools.converters.mil.mil.ops.registry import SSAOpRegistry

import coreml_values_images


def known(op, names):
    return all(getattr(op, n) is None or getattr(op, n).val is not None for n in names)


def conv(op):
    x, w = op.x.val.astype(np.float64), op.weight.val.astype(np.float64)
    n = x.ndim - 2
    ones = [1] * n
    strides, dilations = (ones if v is None else [int(i) for i in v.val] for v in (op.strides, op.dilations))
    pad = [int(p) for p in op.pad.val] if op.pad_type.val == "custom" else [0] * 2 * n
    x = np.pad(x, [(0, 0), (0, 0)] + [(pad[2 * i], pad[2 * i + 1]) for i in range(n)])
    spread = [(k - 1) * d + 1 for k, d in zip(w.shape[2:], dilations)]
    seen = np.lib.stride_tricks.sliding_window_view(x, spread, axis=tuple(range(2, 2 + n)))
    places, taps = tuple(slice(None, None, s) for s in strides), tuple(slice(None, None, d) for d in dilations)
    seen = seen[(slice(None), slice(None), *places, *taps)]
    groups = int(op.groups.val)
    parts = zip(np.split(seen, groups, 1), np.split(w, groups, 0))
    axes = [1, *range(2 + n, 2 + 2 * n)], [1, *range(2, 2 + n)]
    y = np.concatenate([np.moveaxis(np.tensordot(part, kernel, axes), -1, 1) for part, kernel in parts], 1)
    if op.bias is not None:
        y = y + op.bias.val.reshape([1, -1] + ones)
    return y.astype(op.x.val.dtype)


def pool(op, average):
    x = op.x.val.astype(np.float64)
    n = x.ndim - 2
    pad = list(op.pad.val) if op.pad_type.val == "custom" else [0] * 2 * n
    widths = [(0, 0)] * 2 + [(pad[2 * i], pad[2 * i + 1]) for i in range(n)]
    padded = np.pad(x, widths, constant_values=0.0 if average else -np.inf)
    window = np.lib.stride_tricks.sliding_window_view(padded, op.kernel_sizes.val, axis=tuple(range(2, 2 + n)))
    window = window[(slice(None), slice(None), *(slice(None, None, int(s)) for s in op.strides.val))]
    axes = tuple(range(2 + n, 2 + 2 * n))
    y = window.mean(axes) if average else window.max(axes)
    return y.astype(op.x.val.dtype)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def silu(op):
    x = op.x.val.astype(np.float64)
    return (x * sigmoid(x)).astype(op.x.val.dtype)


def normed(op, mean, variance):
    x = op.x.val.astype(np.float64)
    number = lambda v: v if np.ndim(v) == x.ndim else np.reshape(v, [1, -1] + [1] * (x.ndim - 2))
    y = (x - number(mean)) / np.sqrt(number(variance) + float(op.epsilon.val))
    if op.gamma is not None:
        y = y * number(op.gamma.val)
    if op.beta is not None:
        y = y + number(op.beta.val)
    return y.astype(op.x.val.dtype)


def instance_norm(op):
    axes = tuple(range(2, op.x.val.ndim))
    x = op.x.val.astype(np.float64)
    return normed(op, x.mean(axes, keepdims=True), x.var(axes, keepdims=True))


def gather_nd(op):
    return op.x.val[tuple(np.moveaxis(op.indices.val, -1, 0))]


def lstm(op):
    x, h, c = (v.val.astype(np.float64) for v in (op.x, op.initial_h, op.initial_c))
    w, u, b = op.weight_ih.val, op.weight_hh.val, 0 if op.bias is None else op.bias.val
    out = []
    for step in x:
        i, f, o, z = np.split(step @ w.T + h @ u.T + b, 4, -1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(z)
        h = sigmoid(o) * np.tanh(c)
        out.append(h)
    t = op.x.val.dtype
    return np.stack(out if op.output_sequence.val else out[-1:]).astype(t), h.astype(t), c.astype(t)


def gru(op):
    x, h = op.x.val.astype(np.float64), op.initial_h.val.astype(np.float64)
    w, u, b = op.weight_ih.val, op.weight_hh.val, np.zeros(op.weight_hh.val.shape[0]) if op.bias is None else op.bias.val
    out = []
    for step in x:
        (xr, xo, xz), (hr, ho, hz) = np.split(step @ w.T + b, 3, -1), np.split(h @ u.T, 3, -1)
        r, z = sigmoid(xr + hr), sigmoid(xz + hz)
        h = (1 - z) * np.tanh(xo + r * ho) + z * h
        out.append(h)
    t = op.x.val.dtype
    return np.stack(out if op.output_sequence.val else out[-1:]).astype(t), h.astype(t)


def rnn(op):
    x, h = op.x.val.astype(np.float64), op.initial_h.val.astype(np.float64)
    act = {"tanh": np.tanh, "relu": lambda v: np.maximum(v, 0), "sigmoid": sigmoid}[op.activation.val]
    out = []
    for step in x:
        h = act(step @ op.weight_ih.val.T + h @ op.weight_hh.val.T + (0 if op.bias is None else op.bias.val))
        out.append(h)
    t = op.x.val.dtype
    return np.stack(out if op.output_sequence.val else out[-1:]).astype(t), h.astype(t)


def scatter(op):
    x, i, u = op.data.val.copy(), op.indices.val, op.updates.val
    axis = int(op.axis.val)
    x, u = np.moveaxis(x, axis, 0), u
    at = np.moveaxis(u, list(range(axis, axis + i.ndim)), list(range(i.ndim)))
    for place in np.ndindex(*i.shape):
        row = int(i[place])
        new, old = at[place], x[row]
        with np.errstate(all="ignore"):
            x[row] = {"update": lambda: new, "add": lambda: old + new, "sub": lambda: old - new, "mul": lambda: old * new, "div": lambda: old / new,
                      "min": lambda: np.minimum(old, new), "max": lambda: np.maximum(old, new)}[op.mode.val]()
    return np.moveaxis(x, 0, axis)


def slice_update(op):
    x = op.x.val.copy()
    x[tuple(slice(int(b), int(e)) for b, e in zip(op.begin.val, op.end.val))] = op.update.val
    return x


def reverse(op):
    axes = tuple(range(op.x.val.ndim)) if op.axes is None else tuple(int(a) for a in op.axes.val)
    return np.flip(op.x.val, axes)


def cumsum(op):
    axis, x = int(op.axis.val), op.x.val
    if op.reverse.val:
        x = np.flip(x, axis)
    y = np.cumsum(x, axis, dtype=x.dtype if x.dtype.kind == "i" else np.float64)
    if op.exclusive.val:
        y = y - x
    return (np.flip(y, axis) if op.reverse.val else y).astype(x.dtype)


def topk(op):
    axis, k, x = int(op.axis.val), int(op.k.val), op.x.val
    k = x.shape[axis] if k == -1 else k
    key = x if op.ascending.val else -x.astype(np.int64 if x.dtype.kind == "i" else x.dtype)
    places = np.take(np.argsort(key, axis, kind="stable"), range(k), axis)
    found = np.take_along_axis(x, places, axis)
    indices = getattr(op, "return_indices", None)
    return found if indices is not None and not indices.val else (found, places.astype(np.int32))


# coremltools computes these as well, but fails on scalars, whose type it forgets, on exclusive sums, and on the minimum
# integer, which is its own negative.
AGAIN = {
    "select": (lambda op: np.where(op.cond.val, op.a.val, op.b.val).astype(np.asarray(op.a.val).dtype)[()], ["cond", "a", "b"]),
    "mod": (lambda op: np.mod(op.x.val, op.y.val).astype(np.asarray(op.x.val).dtype)[()], ["x", "y"]),
    "cumsum": (cumsum, ["x"]),
    "topk": (topk, ["x", "k"]),
}


def give(var, value):
    """Sets the value of a variable."""
    held = var.sym_type()
    held.val = np.asarray(value) if np.ndim(value) else np.asarray(value)[()]
    var._sym_val = held


def run(block):
    """Computes the operations of a block whose inputs have values, and returns the values of its outputs."""
    for op in block.operations:
        if op.op_type != "const":
            if op.op_type == "cond":
                run(op.blocks[0 if op.pred.val else 1])
            op.type_value_inference(overwrite_output=True)
    return [var.val for var in block.outputs]


def while_loop(op):
    values = [var.val for var in op.loop_vars]
    if any(value is None for value in values):
        return None
    test, step = op.blocks
    for _ in range(100_000):
        for var, value in zip(test.inputs, values):
            give(var, value)
        if not run(test)[0]:
            return tuple(values)
        for var, value in zip(step.inputs, values):
            give(var, value)
        values = run(step)
        if any(value is None for value in values):
            return None
    raise ValueError("a loop does not end")


VALUES = {
    "conv": (conv, ["x", "weight", "bias"]),
    "max_pool": (lambda op: pool(op, False), ["x"]),
    "avg_pool": (lambda op: pool(op, True), ["x"]),
    "silu": (silu, ["x"]),
    "batch_norm": (lambda op: normed(op, op.mean.val, op.variance.val), ["x", "mean", "variance"]),
    "instance_norm": (instance_norm, ["x"]),
    "gather_nd": (gather_nd, ["x", "indices"]),
    "lstm": (lstm, ["x", "initial_h", "initial_c"]),
    "gru": (gru, ["x", "initial_h"]),
    "rnn": (rnn, ["x", "initial_h"]),
    "scatter": (scatter, ["data", "indices", "updates"]),
    "slice_update": (slice_update, ["x", "update", "begin", "end"]),
    "reverse": (reverse, ["x"]),
    "round": (lambda op: np.round(op.x.val), ["x"]),
    "while_loop": (while_loop, []),
    "tile": (lambda op: np.tile(op.x.val, op.reps.val), ["x"]),
}


VALUES |= coreml_values_images.VALUES
AGAIN |= coreml_values_images.AGAIN
# Operations without values here, because PyTorch is missing.
MISSING = set() if coreml_values_images.torch else set(coreml_values_images.TORCH)

def with_scalars(infer):
    """Value inference whose scalars are NumPy numbers. coremltools does not infer them from single-element tensors or Python numbers."""

    def scalars(op, output_types):
        plain = type(op).value_inference

        def value_inference():
            values = plain(op)
            many = values if isinstance(values, (tuple, list)) else (values,)
            fit = lambda t, v: v if v is None or types.is_list(t) or not types.is_scalar(t) else np.asarray(v, types.nptype_from_builtin(t)).reshape(())[()]
            return tuple(fit(t, v) for t, v in zip(output_types, many))

        op.value_inference = value_inference
        try:
            return infer(op, output_types)
        finally:
            del op.value_inference

    return scalars


def install():
    """Defines values for coremltools' operations that have none."""
    Operation._auto_val = with_scalars(Operation._auto_val)
    # NumPy does not accept its own booleans for these settings.
    for name in ("sum", "prod", "max", "min", "mean", "amax", "amin"):
        plain = getattr(np, name)
        setattr(np, name, lambda *args, plain=plain, keepdims=False, **rest: plain(*args, keepdims=bool(keepdims), **rest))
    # The values of packed weights are known once they are unpacked.
    for kind, versions in SSAOpRegistry.core_ops.items():
        if kind.startswith("constexpr_"):
            for cls in set(versions.values()):
                cls.value_inference = lambda self: self.materialized_val_inference()
    maintain = elementwise_unary._maintain_shape
    elementwise_unary._maintain_shape = lambda x, y: maintain(np.asarray(x), y)
    for kind, (compute, needs) in (VALUES | AGAIN).items():
        for cls in set(SSAOpRegistry.core_ops.get(kind, {}).values()):
            def infer(self, compute=compute, needs=needs):
                if not known(self, needs):
                    return None
                with np.errstate(all="ignore"):
                    return compute(self)
            if kind in AGAIN or all("value_inference" not in base.__dict__ for base in cls.__mro__[:-2]):
                cls.value_inference = infer
