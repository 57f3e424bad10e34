"""Writes crates/rlx-cli/tests/data/large_sizes.mlir: short JAX programs whose tensors do not fit into any machine.

A program takes a scalar and makes a tensor of N elements from it, so the size of its text does not show how much memory it needs.
`.refused` programs need that tensor, `.runs` programs only its shape. Run with JAX: python scripts/large_sizes.py
"""

import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
from jax import lax

jax.config.update("jax_enable_x64", True)
TARGET = os.path.join(os.path.dirname(__file__), "../crates/rlx-cli/tests/data/large_sizes.mlir")


def programs(n):
    """Name, whether it runs, and a function of a scalar."""
    root = int(n**0.5)
    full = lambda x, *shape: jnp.full(shape, x)
    window = lambda x, op, init, size, step, pads, **more: lax.reduce_window(x, init, op, (size,), (step,), pads, **more)
    pool = lambda x: window(full(x, n), lax.max, -jnp.inf, 2, 2, "VALID")
    conv = lambda x, k, step, pads: lax.conv_general_dilated(x, k, step, pads)
    yield "iota", 0, lambda x: lax.iota(jnp.float32, n) + x
    yield "sort", 0, lambda x: jnp.sort(lax.iota(jnp.float32, n) + x)
    yield "sort_pairs", 0, lambda x: lax.sort_key_val(full(x, n), jnp.arange(n))[1]
    yield "one_hot", 0, lambda x: jax.nn.one_hot(jnp.full((root,), x, jnp.int32), n // root)
    yield "random_bits", 0, lambda x: jax.random.bits(jax.random.key(0), (n,)) + x.astype(jnp.uint32)
    yield "normal", 0, lambda x: jax.random.normal(jax.random.key(0), (n,)) * x
    yield "fft", 0, lambda x: jnp.fft.fft(full(x, n))
    yield "rfft", 0, lambda x: jnp.fft.rfft(full(x, n))
    yield "fft_prime", 0, lambda x: jnp.fft.fft(full(x, n - 87))
    yield "convolution", 0, lambda x: conv(full(x, 1, 1, n), full(x, 1, 1, 3), (1,), "SAME")
    yield "convolution_pad", 0, lambda x: conv(full(x, 1, 1, 1), full(x, 1, 1, 3), (1,), [(n, n)])
    yield "convolution_stride", 1, lambda x: conv(full(x, 1, 1, 1), full(x, 1, 1, 3), (n,), [(n, n)])
    yield "window", 0, lambda x: window(full(x, n), lax.add, 0.0, 3, 1, "SAME")
    yield "window_pad", 0, lambda x: window(full(x, 4), lax.add, 0.0, n, 1, [(n, n)])
    yield "window_dilated", 0, lambda x: window(full(x, 4), lax.add, 0.0, 3, 1, [(n, n)], base_dilation=(n // 4,))
    yield "window_long", 1, lambda x: window(full(x, 4), lax.add, 0.0, n, 1, [(n - 1, 0)])
    yield "pool", 0, pool
    yield "pool_gradient", 0, jax.grad(lambda x: pool(x).sum())
    yield "lu", 0, lambda x: lax.linalg.lu(full(x, root, root))[0][0, 0]
    yield "qr", 0, lambda x: jnp.linalg.qr(full(x, n // 8, 8))[1]
    yield "cholesky", 0, lambda x: jnp.linalg.cholesky(full(x, root, root))
    yield "eigh", 0, lambda x: jnp.linalg.eigh(full(x, root, root))[0]
    yield "svd", 0, lambda x: jnp.linalg.svd(full(x, n // 8, 8), full_matrices=False)[1]
    yield "cumulative", 0, lambda x: jnp.cumsum(full(x, n))
    yield "gather", 0, lambda x: full(x, n)[jnp.arange(n)]
    yield "scatter", 0, lambda x: jnp.zeros((n,)).at[jnp.arange(n)].add(x)
    yield "pad", 0, lambda x: jnp.pad(full(x, 2), (n, n))
    yield "concatenate", 0, lambda x: jnp.concatenate([full(x, n)] * 2)
    yield "transpose", 0, lambda x: jnp.cumsum(full(x, n // 8, 8).T, 1)
    yield "product", 0, lambda x: full(x, n // 8, 8) @ full(x, 8, 8)
    yield "outer", 0, lambda x: full(x, root, 1) @ full(x, 1, root)
    yield "empty_sum", 0, lambda x: jnp.zeros((n, 0)) @ jnp.zeros((0, 1)) + x
    yield "empty_rows", 1, lambda x: (jnp.zeros((n, 0)) @ jnp.zeros((0, 0))).sum() + x
    yield "scan", 0, lambda x: lax.scan(lambda c, _: (c, c), x, None, length=n)[1]
    yield "vmap", 0, lambda x: jax.vmap(lambda i: jnp.sin(x * i))(jnp.arange(n))
    yield "while", 0, lambda x: lax.fori_loop(0, 3, lambda i, c: c + 1, full(x, n))
    yield "cond", 0, lambda x: lax.cond(x > 0, lambda c: c + 1, lambda c: c - 1, full(x, n))


def main():
    with open(TARGET, "w") as out:
        out.write("// Written by scripts/large_sizes.py.\n")
        for power in [30, 40]:
            for name, runs, f in programs(2**power):
                text = jax.jit(f).lower(jax.ShapeDtypeStruct((), jnp.float32)).as_text()
                out.write(f"// ---- {name}_{power} {'runs' if runs else 'refused'}\n{text}")


if __name__ == "__main__":
    main()
