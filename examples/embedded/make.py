#!/usr/bin/env python3
"""Trains the network of this example on the exclusive or with JAX, and writes its weights and JAX's results.

    python examples/embedded/make.py

Needs jax, numpy and safetensors. xor.safetensors has the weights; xor.expected.safetensors has inputs x and outputs y.
"""

import os
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from safetensors.numpy import save_file  # noqa: E402

HERE = Path(__file__).parent
X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.float32)
LABELS = np.array([0, 1, 1, 0], np.int32)


def model(params, x):
    h = jnp.tanh(x @ params["up.weight"] + params["up.bias"])
    return jax.nn.softmax(h @ params["down.weight"] + params["down.bias"])


def main():
    random = np.random.default_rng(7)
    params = {
        "up.weight": random.standard_normal((2, 8)).astype(np.float32),
        "up.bias": np.zeros(8, np.float32),
        "down.weight": (0.3 * random.standard_normal((8, 2))).astype(np.float32),
        "down.bias": np.zeros(2, np.float32),
    }

    def loss(params):
        return -jnp.mean(jnp.log(model(params, X)[jnp.arange(4), LABELS]))

    step = jax.jit(lambda params: jax.tree.map(lambda p, g: p - 0.5 * g, params, jax.grad(loss)(params)))
    for _ in range(2000):
        params = step(params)
    save_file({k: np.array(v, order="C") for k, v in params.items()}, HERE / "xor.safetensors")
    save_file({"x": X, "y": np.array(model(params, X), order="C")}, HERE / "xor.expected.safetensors")
    print(f"loss {loss(params):.2e}")
    print(np.array(model(params, X)))


if __name__ == "__main__":
    main()
