"""Compares fragments of models with numbers outside f16's range or precision, as CoreML packages in f16, with JAX in f32: coremltools
evaluates each package with NumPy, and RLX reads it back and runs it.

    pip install coremltools==9.0 'numpy<2.4' jax
    python scripts/judge_coreml_f16.py target/release/rlx [--only NAME] [--precision f16] [--target ios17]

The fragments are norms with small epsilons, means of many numbers, masks of large numbers, positions, counts, angles, running sums and
exponentials. A result may differ by a hundredth of itself and of the largest result, as far as f16 has digits. Fails if one differs by
more or is not a number, or if a package is refused.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import coreml_values
import jax
import jax.numpy as jnp
import numpy as np
from coreml_programs import computed, loaded, opened, option
from jax import lax, nn

coreml_values.install()

F = np.float32
BOUND = 1e-2
random = np.random.default_rng(1)


def normal(*dims):
    return random.standard_normal(dims).astype(F)


def norm(x, eps):
    return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + eps)


def rms(x, eps):
    return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + eps)


def unit(x):
    return x / jnp.maximum(jnp.linalg.norm(x, axis=-1, keepdims=True), 1e-12)


def instance(x):
    return (x - x.mean((2, 3), keepdims=True)) / jnp.sqrt(x.var((2, 3), keepdims=True) + 1e-5)


def added(number):
    return lambda s, m: nn.softmax(s + (1 - m[:, None, :]) * number, -1)


def chosen(number):
    return lambda s, m: nn.softmax(jnp.where(m[:, None, :] > 0, s, number), -1)


def attention(q, k, v, m):
    scores = q @ k.swapaxes(-1, -2) / 8 + (1.0 - m[:, None, :].astype(F)) * -1e9
    return nn.softmax(scores, -1) @ v


def angles(places):
    return places[:, None] * 10000.0 ** (-jnp.arange(0, 64, 2) / 64)


def rope(x, places):
    c, s, a, b = jnp.cos(angles(places)), jnp.sin(angles(places)), x[:, :32], x[:, 32:]
    return jnp.concatenate([a * c - b * s, b * c + a * s], -1)


def labeled(logarithm):
    return lambda x, at: -jnp.take_along_axis(logarithm(x), at[:, None], -1)[:, 0]


def distances(a, b):
    return jnp.sqrt(((a[:, None] - b[None]) ** 2).sum(-1))


def cosine(a, b):
    return (a * b).sum(-1) / jnp.maximum(jnp.linalg.norm(a, axis=-1) * jnp.linalg.norm(b, axis=-1), 1e-8)


def entropy(x):
    return -(nn.softmax(x) * jnp.log(nn.softmax(x) + 1e-9)).sum(-1)


def fragments():
    """Names, functions and their arguments."""
    x, scores, table = normal(2, 4, 64), normal(2, 4, 8), np.arange(4000, dtype=F) % 7
    mask = np.array([[1] * 5 + [0] * 3, [0] * 8], F)
    wide = np.array([-300, -50, -1, 0, 1, 50, 300], F)
    labels, late = np.array([1, 5, 9, 15], np.int32), np.array([0, 100, 3001, 8190])
    yield "layer norm, eps 1e-12", lambda x: norm(x, 1e-12), x
    yield "layer norm of a constant row", lambda x: norm(x, 1e-12), x * 0 + 1
    yield "layer norm of large rows", lambda x: norm(x, 1e-5), x * 400
    yield "layer norm of small rows", lambda x: norm(x, 1e-12), x * F(1e-3)
    yield "rms norm of large rows", lambda x: rms(x, 1e-6), x * 300
    yield "rms norm of zeros", lambda x: rms(x, 1e-12), x * 0
    yield "instance norm, 256 by 256", instance, normal(1, 2, 256, 256)
    yield "batch norm of small variances", lambda x, v: x * lax.rsqrt(v + 1e-12), normal(4, 8), np.full(8, 1e-6, F)
    yield "global average, 256 by 256", lambda x: x.mean((2, 3)), normal(1, 3, 256, 256) + 5
    yield "sum of 65,536", lambda x: x.sum((2, 3)), normal(1, 3, 256, 256) + 5
    yield "mean of 300,000", lambda x: x.mean(), normal(300_000) + 1
    yield "average pool", lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 1, 7, 7), (1, 1, 7, 7), "VALID") / 49, normal(1, 3, 14, 14) * 300
    for number in (-1e4, -65504.0, -1e9, -1e30, float(np.finfo(F).min)):
        yield f"mask of {number:.0e}, added", added(number), scores, mask
        yield f"mask of {number:.0e}, chosen", chosen(number), scores, mask
    yield "mask of -inf, chosen", chosen(-jnp.inf), scores[:1], mask[:1]
    for kind in (F, np.int32):
        yield f"attention, mask of {kind.__name__}", attention, *(normal(2, 8, 64) for _ in range(3)), mask.astype(kind)
    yield "variance", lambda x: x.var(-1), x * 200
    yield "deviation", lambda x: x.std(-1), x * F(1e-3)
    yield "difference of moments", lambda x: (x * x).mean(-1) - x.mean(-1) ** 2, x * F(0.5) + 10
    yield "logsumexp", lambda x: nn.logsumexp(x, -1), x * 30
    yield "logsumexp without a maximum", lambda x: jnp.log(jnp.exp(x).sum(-1)), x * 10
    yield "unit vectors of zeros", unit, x * 0
    yield "unit vectors of small rows", unit, x * F(1e-3)
    yield "cosines of large rows", cosine, x * 300, x[::-1] * 200
    yield "cross entropy", labeled(lambda x: nn.log_softmax(x, -1)), normal(4, 16) * 20, labels
    yield "cross entropy by a logarithm", labeled(lambda x: jnp.log(nn.softmax(x, -1))), normal(4, 16) * 8, labels
    yield "entropy", entropy, x * 10
    yield "running sum of 3,000 ones", lambda x: jnp.cumsum(x, -1), np.ones((1, 3000), F)
    yield "running sum of 5,000", lambda x: jnp.cumsum(x, -1), normal(1, 5000) + 2
    yield "sum of a loop", lambda x: lax.scan(lambda c, v: (c + v, c), jnp.float32(0), x)[0], np.ones(3001, F)
    yield "positions to 3,000", lambda x: x + jnp.arange(3000, dtype=F), np.zeros(3000, F)
    yield "places from floats", lambda t, at: t[(at * 1.0 + 0.25).astype(jnp.int32)], table, np.array([2049, 3001, 3999], np.int32)
    yield "places that are floats", lambda t, at: t[at.astype(jnp.int32)], table, np.array([2049, 3001, 3999], F)
    yield "nearest of 6,000", lambda t: t[jnp.floor((jnp.arange(6000, dtype=F) + 0.5) * 0.5).astype(jnp.int32)], table[:3000]
    yield "rope, positions of floats", rope, normal(4, 64), late.astype(F)
    yield "rope, positions of integers", lambda x, at: rope(x, at.astype(F)), normal(4, 64), late.astype(np.int32)
    yield "rope of 4,096", lambda x: rope(x, jnp.arange(4096, dtype=F)), normal(4096, 64)
    yield "angles as a product", lambda at: jnp.cos(jnp.einsum("i,j->ij", at, 10000.0 ** (-jnp.arange(0, 64, 2) / 64))), late.astype(F)
    yield "gelu", nn.gelu, wide
    yield "silu", nn.silu, wide
    yield "softplus", nn.softplus, wide
    yield "softplus by its definition", lambda x: jnp.log(1 + jnp.exp(x)), np.array([-20, -1, 0, 1, 20, 80], F)
    yield "sigmoid by its definition", lambda x: 1 / (1 + jnp.exp(-x)), np.array([-80, -20, 0, 20, 80], F)
    yield "fifth power", lambda x: x**5 / 1e4, normal(16) * 12
    yield "reciprocal, eps 1e-10", lambda x: 1 / (x * x + 1e-10), normal(8) * F(1e-1)
    yield "division by a million", lambda x: x / 1e6, x * 200
    yield "factors of a million", lambda x: x * 1e6 / 1e6, x
    yield "factors of 1e-7", lambda x: x * 1e-7 * 1e7, x
    yield "product with 70,000 ones", lambda x: x @ jnp.ones((70_000, 1)), np.ones((1, 70_000), F)
    yield "distances", distances, normal(4, 64) * 100, normal(5, 64) * 100
    yield "least to most", lambda x: (x - x.min()) / (x.max() - x.min() + 1e-8), x * F(1e-3)
    yield "logit", lambda p: jnp.log(p / (1 - p)), np.array([1e-6, 0.5, 0.999], F)


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    return done.stderr if done.returncode else None


def off(got, want):
    """The error of numbers, relative to themselves and to the largest one."""
    got, want = np.asarray(got, np.float64).reshape(-1), np.asarray(want, np.float64).reshape(-1)
    if got.shape != want.shape:
        return np.inf
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    largest = np.abs(want[np.isfinite(want)]).max(initial=0.0)
    with np.errstate(invalid="ignore"):
        error = np.abs(got - want) / (np.abs(want) / 2 + largest / 2 + 1e-30)
    return float(np.where(same, 0.0, np.where(np.isnan(error), np.inf, error)).max(initial=0.0))


def judge(rlx, function, given, folder):
    """The errors of the outputs in coremltools and in RLX, or why there are none."""
    text = jax.jit(function).lower(*given).as_text()
    (folder / "graph.mlir").write_text(text)
    package = folder / "model.mlpackage"
    precision, target = option("--precision", "f16"), option("--target", "ios17")
    refused = run(rlx, "convert", folder / "graph.mlir", "-o", package, "--precision", precision, "--target", target)
    if refused:
        return f"not converted: {refused[:300]}"
    loaded(*opened(package))
    model, weights = opened(package)
    values = {i.name: np.atleast_1d(v) for i, v in zip(model.description.input, given, strict=True)}
    outputs, missing = computed(model, weights, values)
    wanted = [np.asarray(v) for v in jax.tree.leaves(jax.jit(function)(*given))]
    command = ["run", folder / "read.rlx", "-q", "-o", folder / "out"]
    refused = run(rlx, "convert", package, "-o", folder / "read.rlx")
    if (folder / "read.safetensors").exists():
        command += ["-i", folder / "read.safetensors"]
    for name, value in values.items():
        np.save(folder / f"{name}.npy", value)
        command += ["-i", f"{name}={folder / name}.npy"]
    refused = refused or run(rlx, *command)
    if refused:
        return f"not read: {refused[:300]}"
    read = [np.load(folder / "out" / name) for name in sorted(os.listdir(folder / "out"))]
    theirs = [off(value, want) for value, want in zip(outputs.values(), wanted, strict=True) if value is not None]
    return (max(theirs) if theirs else f"no value of {', '.join(missing)}"), max(map(off, read, wanted))


def main():
    rlx, only = Path(sys.argv[1]).absolute(), option("--only")
    failed = count = unseen = 0
    for name, function, *given in fragments():
        if only and only not in name:
            continue
        count += 1
        with tempfile.TemporaryDirectory() as folder:
            try:
                result = judge(rlx, function, given, Path(folder))
            except Exception as error:  # whatever coremltools refuses
                result = f"refused: {type(error).__name__}: {str(error)[:300]}"
        is_right = not isinstance(result, str) and all(isinstance(e, str) or e <= BOUND for e in result)
        unseen += not isinstance(result, str) and isinstance(result[0], str)
        failed += not is_right
        if not is_right or only:
            print(f"{name}: {result}")
    print(f"{count - failed} of {count} fragments are right, {unseen} of them without a value by coremltools")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
