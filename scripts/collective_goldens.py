#!/usr/bin/env python3
"""Computes the goldens of collectives under a named axis with JAX.

    python scripts/collective_goldens.py

Writes crates/rlx-autodiff/tests/goldens/collectives.txt. A case is a line of fields separated by `|`: the name of the program (the
same program is in crates/rlx-autodiff/tests/collectives.rs); its value for each of four participants; the gradient of each participant's
value (`vmap` of `grad`); and the gradient of the sum of all values (`grad` of `vmap`). The last fields are empty for programs without a
derivative in JAX; for the program whose transpose fails in JAX, the first of the two gradients is empty.
"""

import os
from pathlib import Path

os.environ.setdefault("JAX_ENABLE_X64", "1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402

OUT = Path(__file__).parent.parent / "crates" / "rlx-autodiff" / "tests" / "goldens" / "collectives.txt"


def numbered(x):
    """Weights that distinguish all elements and participants."""
    weights = jnp.arange(x.size, dtype=x.dtype).reshape(x.shape) / 8 + 1
    return jnp.sum(x * weights) * (lax.axis_index("i") + 1)


def loop(x):
    def step(carry, row):
        carry = lax.psum(carry * row, "i") / 4 + row
        return carry, carry * (lax.axis_index("i") + 1)

    carry, rows = lax.scan(step, jnp.ones(3, x.dtype), x)
    return numbered(rows) + jnp.sum(carry)


def partial(x):
    """ppermute of (0, 3) and (2, 1) with zeros elsewhere, which `vmap` does not support."""
    all_of_them, me = lax.all_gather(x * x, "i"), lax.axis_index("i")
    return numbered(jnp.where(me == 3, all_of_them[0], jnp.where(me == 1, all_of_them[2], 0.0)))


PROGRAMS = {
    "psum": lambda x: numbered(lax.psum(x * x, "i") * x),
    "psum_of_constant": lambda x: numbered(x / lax.psum(jnp.float64(2), "i")),
    "pmean": lambda x: numbered(lax.pmean(x * x, "i") * x),
    "pmax": lambda x: numbered(lax.pmax(x, "i")),
    "pmin": lambda x: numbered(lax.pmin(x, "i")),
    "all_gather": lambda x: numbered(lax.all_gather(x * x, "i", axis=1)),
    "all_gather_tiled": lambda x: numbered(lax.all_gather(x * x, "i", axis=1, tiled=True)),
    "psum_scatter": lambda x: numbered(lax.psum_scatter(x * x, "i", scatter_dimension=0)),
    "psum_scatter_tiled": lambda x: numbered(lax.psum_scatter(x * x, "i", scatter_dimension=0, tiled=True)),
    "all_to_all": lambda x: numbered(lax.all_to_all(x * x, "i", 0, 1)),
    "all_to_all_tiled": lambda x: numbered(lax.all_to_all(x * x, "i", 0, 1, tiled=True)),
    "ppermute": lambda x: numbered(lax.ppermute(x * x, "i", [(0, 1), (1, 2), (2, 3), (3, 0)])),
    "ppermute_partial": partial,
    "loop": loop,
}
WITHOUT_DERIVATIVE = ("pmax", "pmin")
# Its transpose has the wrong shape if the two axes differ.
WITHOUT_TRANSPOSE = ("all_to_all",)


def numbers(array):
    return " ".join(repr(float(v)) for v in np.asarray(array).reshape(-1))


def main():
    x = jnp.asarray((np.arange(48) * 7 % 11 - 5) / 4).reshape(4, 4, 3)
    lines = []
    for name, f in PROGRAMS.items():
        mapped = jax.vmap(f, axis_name="i")
        fields = [name, numbers(mapped(x)), "", ""]
        if name not in WITHOUT_DERIVATIVE:
            if name not in WITHOUT_TRANSPOSE:
                fields[2] = numbers(jax.vmap(jax.grad(f), axis_name="i")(x))
            fields[3] = numbers(jax.grad(lambda x: jnp.sum(mapped(x)))(x))
        lines.append(" | ".join(fields))
    OUT.write_text("\n".join(lines) + "\n")
    print(len(lines), "programs")


main()
