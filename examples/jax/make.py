#!/usr/bin/env python3
"""Writes the programs of this folder: JAX functions lowered to StableHLO, with inputs and JAX's results.

    python examples/jax/make.py [NAME…]

Needs jax, numpy and safetensors. For each program NAME: NAME.mlir, the text of `jax.jit(f).lower(…)`; NAME.inputs.safetensors,
the arguments arg0, arg1, …; NAME.outputs.safetensors, the results out0, out1, … as JAX computes them on the CPU.

For each line of transforms.txt: PROGRAM.TRANSFORM.inputs.safetensors, the additional inputs of the transformed program, if there are
any (tangents and cotangents, named x.tangent and outN.cotangent; for vmap, the mapped arguments, which replace the program's); and
PROGRAM.TRANSFORM.outputs.safetensors, the results of JAX's transform of the function.
"""

import argparse
import os
import sys
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402
from safetensors.numpy import save_file  # noqa: E402

HERE = Path(__file__).parent
PROGRAMS = {}


def program(inputs):
    """Registers a function, with a function that makes its arguments from a random generator."""
    def register(function):
        PROGRAMS[function.__name__] = function, inputs
        return function
    return register


def normal(random, *shape, scale=1.0):
    return (scale * random.standard_normal(shape)).astype(np.float32)


# ---- a training step of a multilayer perceptron: gradient and momentum ------------------------------------------


def mlp_inputs(random):
    sizes = [64, 48, 32, 10]
    params = [(normal(random, m, n, scale=m**-0.5), np.zeros(n, np.float32)) for m, n in zip(sizes, sizes[1:])]
    velocity = jax.tree.map(np.zeros_like, params)
    return params, velocity, normal(random, 32, 64), random.integers(0, 10, 32).astype(np.int32)


@program(mlp_inputs)
def mlp_step(params, velocity, x, labels):
    def loss(params):
        h = x
        for w, b in params[:-1]:
            h = jax.nn.silu(h @ w + b)
        w, b = params[-1]
        scores = jax.nn.log_softmax(h @ w + b)
        decay = sum(jnp.sum(w**2) for w, _ in params)
        return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1)) + 1e-4 * decay

    value, gradient = jax.value_and_grad(loss)(params)
    velocity = jax.tree.map(lambda v, g: 0.9 * v + g, velocity, gradient)
    params = jax.tree.map(lambda p, v: p - 0.1 * v, params, velocity)
    return value, params, velocity


# ---- a convolutional network --------------------------------------------------------------------------------------


def conv_inputs(random):
    return (normal(random, 4, 16, 16, 3), normal(random, 3, 3, 3, 8, scale=0.2), normal(random, 8),
            normal(random, 3, 3, 4, 16, scale=0.2), normal(random, 16, 10, scale=0.25))


@program(conv_inputs)
def conv_net(images, first, bias, second, head):
    numbers = ("NHWC", "HWIO", "NHWC")
    h = lax.conv_general_dilated(images, first, (1, 1), "SAME", dimension_numbers=numbers) + bias
    h = (h - h.mean((0, 1, 2))) * lax.rsqrt(h.var((0, 1, 2)) + 1e-5)
    h = jax.nn.relu(h)
    h = lax.reduce_window(h, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    # Two groups of channels; kernel elements are two apart.
    h = lax.conv_general_dilated(h, second, (2, 2), ((1, 1), (2, 2)), rhs_dilation=(1, 2), dimension_numbers=numbers,
                                 feature_group_count=2)
    h = jax.nn.gelu(h, approximate=True)
    return jax.nn.softmax(h.mean((1, 2)) @ head)


# ---- a transformer block ------------------------------------------------------------------------------------------


def block_inputs(random):
    d = 64
    return (normal(random, 2, 12, d), normal(random, d, 3 * d, scale=d**-0.5), normal(random, d, d, scale=d**-0.5),
            normal(random, d, 4 * d, scale=d**-0.5), normal(random, 4 * d, d, scale=0.5 * d**-0.5),
            1 + normal(random, 2, d, scale=0.1), normal(random, 2, d, scale=0.1))


@program(block_inputs)
def transformer_block(x, qkv, out, up, down, gamma, beta):
    def norm(x, i):
        mean = x.mean(-1, keepdims=True)
        return (x - mean) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * gamma[i] + beta[i]

    batch, length, d = x.shape
    q, k, v = jnp.split(norm(x, 0) @ qkv, 3, axis=-1)
    q, k, v = (t.reshape(batch, length, 4, d // 4) for t in (q, k, v))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / jnp.sqrt(d / 4)
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -jnp.inf)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v).reshape(batch, length, d)
    x = x + mixed @ out
    return x + jax.nn.gelu(norm(x, 1) @ up, approximate=False) @ down


# ---- a gated recurrent network by scan ---------------------------------------------------------------------------


def rnn_inputs(random):
    n, h = 16, 24
    return (normal(random, 20, 4, n), normal(random, 4, h), normal(random, n, 3 * h, scale=n**-0.5),
            normal(random, h, 3 * h, scale=h**-0.5), normal(random, 3 * h, scale=0.1))


@program(rnn_inputs)
def rnn_scan(xs, h0, w, u, b):
    def step(h, x):
        xr, xz, xn = jnp.split(x @ w + b, 3, axis=-1)
        hr, hz, hn = jnp.split(h @ u, 3, axis=-1)
        z = jax.nn.sigmoid(xz + hz)
        h = z * h + (1 - z) * jnp.tanh(xn + jax.nn.sigmoid(xr + hr) * hn)
        return h, h

    return lax.scan(step, h0, xs, reverse=True)


# ---- Newton's method by while, several starts at once ------------------------------------------------------------


@program(lambda random: (random.uniform(-3, 3, 12).astype(np.float32),))
def newton_while(starts):
    def f(x):
        return x**3 - 2 * x - 5 + jnp.sin(x)

    def root(x0):
        def unfinished(state):
            _, change, steps = state
            return (jnp.abs(change) > 1e-6) & (steps < 60)

        def step(state):
            x, _, steps = state
            change = f(x) / jax.grad(f)(x)
            change = jnp.clip(change, -1.0, 1.0)
            return x - change, change, steps + 1

        x, _, _ = lax.while_loop(unfinished, step, (x0, jnp.float32(jnp.inf), 0))
        return x

    return jax.vmap(root)(starts)


# ---- convolution by Fourier transforms ---------------------------------------------------------------------------


@program(lambda random: (normal(random, 3, 500), normal(random, 77), normal(random, 12, 10)))
def fft_convolution(signals, kernel, image):
    n = signals.shape[-1] + kernel.shape[-1] - 1
    spectrum = jnp.fft.rfft(signals, n) * jnp.fft.rfft(kernel, n)
    full = jnp.fft.irfft(spectrum, n)
    low = jnp.fft.fft2(image)
    rows = jnp.abs(jnp.fft.fftfreq(12))[:, None]
    blurred = jnp.fft.ifft2(jnp.where(rows > 0.3, 0, low))
    return full, blurred.real, jnp.abs(low), jnp.angle(low[1:3, 1:3])


# ---- least squares by a QR factorization --------------------------------------------------------------------------


@program(lambda random: (normal(random, 40, 6), normal(random, 40, 2)))
def qr_least_squares(a, b):
    q, r = jnp.linalg.qr(a)
    x = jax.scipy.linalg.solve_triangular(r, q.T @ b)
    return x, jnp.linalg.norm(a @ x - b, axis=0), jnp.abs(jnp.diag(r))


# ---- particles that attract each other, a function of two mapped over all pairs -----------------------------------


@program(lambda random: (normal(random, 40, 3), normal(random, 40, 3, scale=0.1),
                         random.uniform(0.5, 1.5, 40).astype(np.float32)))
def particles(positions, velocities, masses):
    def pull(a, b, mass):
        d = b - a
        return mass * d / (d @ d + 0.1) ** 1.5

    on_one = jax.vmap(pull, in_axes=(None, 0, 0))
    forces = jax.vmap(lambda a, all, masses: on_one(a, all, masses).sum(0), in_axes=(0, None, None))

    def step(_, state):
        x, v = state
        v = v + 0.005 * forces(x, x, masses)
        x = x + 0.01 * v
        return x, v + 0.005 * forces(x, x, masses)

    return lax.fori_loop(0, 8, step, (positions, velocities))


# ---- samples from a key, bit for bit -------------------------------------------------------------------------------


@program(lambda random: (np.array([7, 42], np.uint32), normal(random, 6, 9)))
def threefry_sampler(key, logits):
    keys = jax.random.split(key, 6)
    return (jax.random.bits(keys[0], (11,)), jax.random.uniform(keys[1], (4, 5)), jax.random.normal(keys[2], (33,)),
            jax.random.randint(keys[3], (20,), -5, 17), jax.random.categorical(keys[4], logits),
            jax.random.permutation(keys[5], 50))


# ---- sorting and the largest ---------------------------------------------------------------------------------------


@program(lambda random: (random.integers(-20, 20, (5, 31)).astype(np.float32) / 4, random.integers(0, 5, 31).astype(np.int32)))
def sort_top_k(x, groups):
    values, places = lax.top_k(x, 7)
    by_group = lax.sort((groups, x[0], jnp.arange(31)), num_keys=2)
    ranks = jnp.searchsorted(jnp.sort(x[1]), x[2])
    return (jnp.sort(x, axis=0), jnp.argsort(x, axis=1, descending=True), values, places, *by_group, ranks,
            jnp.median(x, axis=1), jnp.argmax(x, axis=1), jnp.cumsum(groups), jnp.bincount(groups, length=6))


# ---- a small function to differentiate -----------------------------------------------------------------------------


@program(lambda random: (np.float32(0.7), np.float32(1.3)))
def pendulum(angle, friction):
    """The energy of a damped pendulum after a step of Euler's method."""
    speed = 0.2 - 0.1 * (jnp.sin(angle) + friction * 0.2)
    angle = angle + 0.1 * jnp.tanh(speed) * jnp.exp(-friction)
    return 0.5 * speed * speed - jnp.cos(angle)


def write(name):
    function, inputs = PROGRAMS[name]
    arguments = inputs(np.random.default_rng(sum(map(ord, name))))
    compiled = jax.jit(function)
    (HERE / f"{name}.mlir").write_text(compiled.lower(*arguments).as_text())
    leaves = [np.array(a, order="C") for a in jax.tree.leaves(arguments)]
    save_file({f"arg{i}": a for i, a in enumerate(leaves)}, HERE / f"{name}.inputs.safetensors")
    results = [np.array(r, order="C") for r in jax.tree.leaves(compiled(*arguments))]
    save_file({f"out{i}": r for i, r in enumerate(results)}, HERE / f"{name}.outputs.safetensors")
    print(f"{name}: {len(leaves)} inputs, {len(results)} outputs")


# ---- transforms ----------------------------------------------------------------------------------------------------


def inexact(x):
    return jnp.issubdtype(x.dtype, jnp.inexact)


class Transforms:
    """Transforms of a function, as `rlx transform` makes them. Each method returns additional arguments by name, and the results."""

    def __init__(self, function, leaves, options, random):
        self.function, self.leaves, self.options, self.random = function, leaves, options, random
        self.wrt = [int(i) for i in options.wrt.split(",")] if options.wrt else []

    def by(self, *values):
        """The results for these values of the inputs to differentiate."""
        arguments = list(self.leaves)
        for i, value in zip(self.wrt, values, strict=True):
            arguments[i] = value
        return self.function(*arguments)

    def loss(self, *values):
        return self.by(*values)[self.options.loss]

    def inexact_by(self, *values):
        return [r for r in self.by(*values) if inexact(r)]

    def at(self):
        return [self.leaves[i] for i in self.wrt]

    def tangents(self):
        return [np.asarray(self.random.standard_normal(x.shape), x.dtype) for x in self.at()]

    def with_tangents(self, tangents):
        return {f"arg{i}.tangent": t for i, t in zip(self.wrt, tangents)}

    def grad(self):
        return {}, jax.grad(self.loss, range(len(self.wrt)))(*self.at())

    def value_and_grad(self):
        return {}, (*self.by(*self.at()), *self.grad()[1])

    def hvp(self):
        tangents = self.tangents()
        gradient = jax.grad(self.loss, range(len(self.wrt)))
        return self.with_tangents(tangents), jax.jvp(gradient, self.at(), tangents)[1]

    def jvp(self):
        tangents = self.tangents()
        results = jax.jvp(self.inexact_by, self.at(), tangents)[1]
        return self.with_tangents(tangents), (*self.by(*self.at()), *results)

    def vjp(self):
        outputs = self.by(*self.at())
        cotangents = {f"out{i}.cotangent": np.asarray(self.random.standard_normal(r.shape), r.dtype)
                      for i, r in enumerate(outputs) if inexact(r)}
        pulled = jax.vjp(self.inexact_by, *self.at())[1](list(map(jnp.asarray, cotangents.values())))
        return cotangents, (*outputs, *pulled)

    def hessian(self):
        rows = jax.hessian(self.loss, range(len(self.wrt)))(*self.at())
        return {}, [block for row in rows for block in row]

    def jacobian(self, mode):
        rows = mode(self.inexact_by, range(len(self.wrt)))(*self.at())
        return {}, [block for row in rows for block in row]

    def jacfwd(self):
        return self.jacobian(jax.jacfwd)

    def jacrev(self):
        return self.jacobian(jax.jacrev)

    def vmap(self, count=3):
        """Slices are the example's arguments with floats changed slightly and integers in another order."""
        given = self.options.in_axes
        axes = [None if a == "none" else int(a) for a in given.split(",")] if given else [0] * len(self.leaves)
        out_axes = [int(a) for a in self.options.out_axes.split(",")] if self.options.out_axes else 0

        def slices(x, axis):
            if axis is None:
                return x
            if inexact(x):
                each = [x * (1 + 0.1 * self.random.standard_normal(x.shape)) for _ in range(count)]
            else:
                each = [self.random.permutation(x.ravel()).reshape(x.shape) for _ in range(count)]
            return np.stack(each, axis).astype(x.dtype)

        mapped = [slices(x, axis) for x, axis in zip(self.leaves, axes, strict=True)]
        results = jax.vmap(lambda *a: list(self.function(*a)), axes, out_axes)(*mapped)
        return {f"arg{i}": x for i, x in enumerate(mapped)}, results


def cases():
    """The lines of transforms.txt: program, transform, options."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("transform")
    parser.add_argument("--wrt")
    parser.add_argument("--loss", type=int, default=0)
    parser.add_argument("--in-axes")
    parser.add_argument("--out-axes")
    parser.add_argument("--while-bound")
    parser.add_argument("--while-checkpoints")
    lines = (HERE / "transforms.txt").read_text().splitlines()
    return [parser.parse_args(line.split(":")[0].split()) for line in lines if line and not line.startswith("#")]


def transform(options):
    name = f"{options.program}.{options.transform}"
    function, inputs = PROGRAMS[options.program]
    arguments = inputs(np.random.default_rng(sum(map(ord, options.program))))
    leaves, tree = jax.tree.flatten(arguments)

    def flat(*leaves):
        return tuple(jax.tree.leaves(function(*jax.tree.unflatten(tree, leaves))))

    random = np.random.default_rng(sum(map(ord, name)))
    made = Transforms(flat, [np.asarray(x) for x in leaves], options, random)
    inputs, outputs = getattr(made, options.transform.replace("-", "_"))()
    if inputs:
        save_file({k: np.array(x, order="C") for k, x in inputs.items()}, HERE / f"{name}.inputs.safetensors")
    outputs = {f"out{i}": np.array(r, order="C") for i, r in enumerate(outputs)}
    save_file(outputs, HERE / f"{name}.outputs.safetensors")
    print(f"{name}: {len(inputs)} inputs, {len(outputs)} outputs")


def main():
    wanted = sys.argv[1:] or PROGRAMS
    for name in wanted:
        write(name)
    for options in cases():
        if options.program in wanted:
            transform(options)


if __name__ == "__main__":
    main()
