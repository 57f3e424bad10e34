"""Writes crates/rlx-stablehlo/tests/data/activations.mlir: the functions of jax.nn, lowered, with JAX's own values and gradients.

A program has two results: the loss `sum(f(x) * w)` with constant weights, and f(x). Above it are its name, x, f(x) and the
gradient of the loss. The gradient comes from JAX's custom rules, which the program no longer contains. Run with JAX and NumPy:
python scripts/activation_goldens.py
"""

import os

os.environ["JAX_PLATFORMS"] = "cpu"

import functools

import jax
import jax.numpy as jnp
import numpy as np

TARGET = os.path.join(os.path.dirname(__file__), "../crates/rlx-stablehlo/tests/data/activations.mlir")

# Extreme values, the ends of pieces, and a few values between them.
POINTS = [0.0, -0.0, 1e-30, -1e-30, 0.3, -0.7, 1, -1, 2, -2, 3, -3, 6, 12, -12, 90, -90, 1000, -1000, np.inf, -np.inf]
ROWS = [
    [0.3, -0.7, 1.2, 2.5], [0, 0, 0, 0], [1000, 0, -1000, 12], [-90, -90, -1000, 90], [12, 12, 0, -12],
    [1, -np.inf, 2, 0.5], [1e-30, -0.0, 0, -1e-30],
]


def elementwise():
    nn = jax.nn
    plain = [
        nn.relu, nn.relu6, nn.elu, nn.celu, nn.selu, nn.hard_sigmoid, nn.hard_silu, nn.hard_tanh, nn.leaky_relu, nn.log_sigmoid,
        nn.sigmoid, nn.silu, nn.soft_sign, nn.softplus, nn.sparse_plus, nn.sparse_sigmoid, nn.squareplus, nn.mish, nn.identity, nn.tanh,
    ]
    yield from ((f.__name__, f) for f in plain)
    yield "elu_2", functools.partial(nn.elu, alpha=2.0)
    yield "celu_2", functools.partial(nn.celu, alpha=2.0)
    yield "gelu_tanh", functools.partial(nn.gelu, approximate=True)
    yield "gelu_erf", functools.partial(nn.gelu, approximate=False)
    yield "log1mexp", nn.log1mexp
    yield "erf_inv", lambda x: jax.scipy.special.erfinv(x / 2)
    yield "logaddexp", lambda x: jnp.logaddexp(x, 2 * x)
    yield "logaddexp_1", lambda x: jnp.logaddexp(x, jnp.ones_like(x))
    yield "logaddexp_behind", lambda x: jnp.logaddexp(x, jnp.asarray(2, x.dtype))
    yield "logaddexp_scalar", lambda x: jnp.logaddexp(jnp.asarray(-3, x.dtype), x)
    yield "clip", lambda x: jnp.clip(x, 0)
    yield "guarded_division", lambda x: jnp.where(x == 0, 0, 1 / jnp.where(x == 0, 1, x))


def of_rows():
    nn = jax.nn
    yield from ((f.__name__, f) for f in [nn.softmax, nn.log_softmax, nn.logsumexp, nn.standardize, nn.glu, nn.logmeanexp])


def listed(array):
    return " ".join(repr(float(x)) for x in np.asarray(array, np.float64).ravel())


def case(name, function, x):
    # The result of a row may be a single number, half a row or a row. Neighbors have different weights.
    shape = jax.eval_shape(function, x).shape
    weights = np.ones(shape, x.dtype)
    if x.ndim > 1:
        weights = (np.arange(weights.size).reshape(shape) % 4 - 1.5).astype(x.dtype)

    @jax.jit
    def loss_and_value(x):
        value = function(x)
        return jnp.sum(value * weights), value

    slope, value = jax.grad(loss_and_value, has_aux=True)(x)
    text = loss_and_value.lower(x).as_text().replace(" attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32}", "")
    lines = [f"// {name} {x.dtype.name}", f"// {listed(x)}", f"// {listed(value)}", f"// {listed(slope)}"]
    return "\n".join([*lines, text])


def main():
    cases = []
    for dtype in [np.float32, np.float16, jnp.bfloat16, np.float64]:
        jax.config.update("jax_enable_x64", dtype == np.float64)
        for name, function in elementwise():
            cases.append(case(name, function, np.array(POINTS, dtype)))
        for name, function in of_rows():
            # The squares of 1000 overflow in f16, unless XLA uses a wider type for them.
            rows = ROWS if (name, dtype) != ("standardize", np.float16) else [row for row in ROWS if max(map(abs, row)) < 256]
            cases.append(case(name, function, np.array(rows, dtype)))
    with open(TARGET, "w") as file:
        file.write("\n".join(cases))


main()
