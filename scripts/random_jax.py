"""Runs random JAX programs in RLX and in XLA: python scripts/random_jax.py --count 10000 --seed 1 --rlx target/release/rlx

Each program is a few dozen calls of jax.numpy, jax.lax and jax.nn on arrays of random shapes, half of the time differentiated, vectorized or put
into a loop. RLX gets it as StableHLO. Integers and booleans must be equal. The tolerance for floats follows from the program's rounding error: JAX
also runs it in f64, and RLX's difference from that may be a few times the largest difference of JAX in f32, or some rounding units of the largest
number. If it is larger, JAX also runs the program on neighboring inputs, since errors may cancel by chance. Results that are not finite in f64, or
in which JAX in f32 is wrong by more than a hundredth, are not judged. The seed of a program that differs is printed, and its text is left in a
folder. Needs JAX and NumPy.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)

EPSILON = np.finfo(np.float32).eps


def safe(f):
    """A smooth function from any number to 0.5 to 2."""
    return lambda x: f(1.25 + 0.75 * jnp.tanh(x))


UNARY = [
    jnp.sin, jnp.cos, jnp.tanh, jnp.abs, jnp.negative, jnp.square, safe(jnp.log), safe(jnp.sqrt), safe(lax.rsqrt), safe(jnp.reciprocal),
    safe(jnp.exp), safe(jnp.log1p), safe(jnp.expm1), safe(jnp.cbrt), safe(jnp.tan), safe(jnp.arctan), safe(jnp.sinh), safe(jnp.arcsinh),
    jax.nn.relu, jax.nn.gelu, jax.nn.silu, jax.nn.sigmoid, jax.nn.softplus, jax.nn.elu, jax.nn.selu, jax.nn.log_sigmoid, jax.nn.mish,
    jax.scipy.special.erf, safe(jax.scipy.special.gammaln), safe(jax.scipy.special.digamma), jnp.sign, lambda x: jnp.clip(x, -1, 1),
]
BINARY = [
    jnp.add, jnp.subtract, jnp.multiply, jnp.maximum, jnp.minimum, lambda x, y: x / (1.5 + jnp.tanh(y)), jnp.arctan2, jnp.hypot, jnp.logaddexp,
    lambda x, y: jnp.where(x > y, x, -y), lambda x, y: safe(lambda z: z)(x) ** jnp.tanh(y), lambda x, y: jnp.copysign(x, y),
]
REDUCE = [jnp.sum, jnp.mean, jnp.max, jnp.min, jax.nn.logsumexp, jnp.var, lambda x, axis: jnp.prod(jnp.tanh(x) + 1.1, axis=axis)]
ALONG = [
    jax.nn.softmax, jax.nn.log_softmax, jnp.cumsum, lambda x, axis: jnp.cumprod(safe(lambda z: z)(x), axis=axis), lambda x, axis: jnp.flip(x, axis),
    lambda x, axis: jnp.sort(x, axis=axis), lambda x, axis: jnp.roll(x, 1, axis), lambda x, axis: lax.cummax(x, axis=axis),
    lambda x, axis: lax.cumlogsumexp(x, axis=axis), lambda x, axis: jax.nn.standardize(x, axis=axis, epsilon=0.1),
]


def step(r, x, w):
    """One more call on an array. `w` is a number that programs also depend on."""
    rank = x.ndim
    axis = r.randrange(rank) if rank else 0
    kind = r.randrange(14)
    if kind < 3:
        return r.choice(UNARY)(x)
    if kind < 5:
        return r.choice(BINARY)(x, r.choice(UNARY)(x * w))
    if rank == 0:
        return jnp.broadcast_to(x, (r.randint(1, 4), r.randint(1, 4))) * jnp.arange(1.0, 2.0, 1.0, dtype=x.dtype)
    if kind == 5:
        return r.choice(REDUCE)(x, axis=axis)
    if kind == 6:
        return r.choice(ALONG)(x, axis=axis)
    if kind == 7:
        return x.reshape(-1) if r.random() < 0.5 else jnp.moveaxis(x, axis, 0)
    if kind == 8:
        n = x.shape[axis]
        low = r.randrange(n)
        return lax.slice_in_dim(x, low, r.randint(low + 1, n), axis=axis) if r.random() < 0.5 else jnp.repeat(x, 2, axis=axis)[..., : 8 + x.size]
    if kind == 9:
        pads = [(r.randint(-1, 2) if s > 2 else r.randint(0, 2), r.randint(0, 2), r.randint(0, 1)) for s in x.shape]
        return lax.pad(x, x.dtype.type(0.5), pads)
    if kind == 10:
        index = jnp.array([r.randrange(x.shape[axis]) for _ in range(r.randint(1, 4))])
        return jnp.take(x, index, axis=axis)
    if kind == 11:
        index = jnp.array([r.randrange(x.shape[0]) for _ in range(2)])
        return x.at[index].add(w) if r.random() < 0.5 else x.at[index].set(x[0] * w)
    if kind == 12:
        y = x.reshape(x.shape[0], -1)
        return y @ jnp.sin(y.T) if y.shape[0] <= 8 else (y.T @ jnp.cos(y))[:8, :8]
    pads = [(r.randint(0, 1), r.randint(0, 1)) for _ in x.shape]
    size = [min(s, r.randint(1, 3)) for s in x.shape]
    op, init = r.choice([(lax.add, 0.0), (lax.max, -jnp.inf)])
    return lax.reduce_window(x, x.dtype.type(init), op, size, [r.randint(1, 2) for _ in x.shape], pads)


def program(seed):
    """The function for a seed, of one array and a number, and the array's shape."""
    r = random.Random(seed)
    shape = tuple(r.randint(1, 5) for _ in range(r.randint(0, 3)))
    plan, way, length = r.randrange(1 << 60), r.randrange(6), r.randint(1, 12)

    def body(x, w):
        again = random.Random(plan)
        values = [x]
        for _ in range(length):
            y = step(again, again.choice(values[-3:]), w)
            if y.size > 4096 or y.ndim > 4:
                y = jnp.mean(y)
            values.append(y)
        return values[-1]

    def scalar(x, w):
        return jnp.sum(jnp.tanh(body(x, w)))

    ways = [
        body,
        lambda x, w: jax.value_and_grad(scalar)(x, w),
        lambda x, w: jax.grad(scalar, 1)(x, w),
        lambda x, w: jax.jvp(body, (x, w), (jnp.cos(x), w)),
        lambda x, w: jax.vmap(body, (None, 0))(x, w * jnp.arange(1, 4, dtype=x.dtype)),
        lambda x, w: lax.fori_loop(0, 3, lambda i, c: c + 0.1 * jnp.tanh(scalar(x * c, w)), w),
    ]
    return ways[way], shape


def integers(seed):
    """An integer program, whose results are exact."""
    r = random.Random(seed)
    shape = tuple(r.randint(1, 6) for _ in range(r.randint(1, 3)))
    dtype = r.choice([jnp.int8, jnp.uint8, jnp.int16, jnp.int32, jnp.uint32, jnp.int64])
    plan, length = r.randrange(1 << 60), r.randint(1, 12)
    binary = [jnp.add, jnp.subtract, jnp.multiply, jnp.maximum, jnp.bitwise_xor, jnp.bitwise_and, jnp.bitwise_or,
              lambda x, y: lax.div(x, jnp.where(y == 0, 1, y).astype(x.dtype)), lambda x, y: lax.rem(x, jnp.where(y == 0, 3, y).astype(x.dtype)),
              lambda x, y: x // jnp.where(y == 0, 1, y).astype(x.dtype), lambda x, y: jnp.where(x < y, x, y),
              lax.shift_left, lax.shift_right_logical, lax.shift_right_arithmetic]
    unary = [jnp.sort, jnp.cumsum, lambda x: lax.population_count(x), lambda x: lax.clz(x), jnp.abs, jnp.bitwise_not, lambda x: jnp.flip(x, 0),
             lambda x: jnp.argsort(x, axis=-1, stable=True).astype(x.dtype), lambda x: x.reshape(-1), lambda x: lax.cummax(x, axis=0),
             lambda x: jnp.argmax(x, axis=0).astype(x.dtype) + x, lambda x: x.astype(jnp.float32).astype(x.dtype)]

    def body(x, w):
        again = random.Random(plan)
        values = [x]
        for _ in range(length):
            a = again.choice(values[-3:])
            if again.random() < 0.6:
                f = again.choice(binary)
                b = jnp.roll(a, 1) + x.dtype.type(again.randrange(100)) if f not in binary[-3:] else jnp.abs(a % 7)
                a = f(a, b.astype(a.dtype))
            else:
                a = again.choice(unary)(a)
            values.append(a.astype(x.dtype))
        return values[-1]

    return body, shape, dtype


def rlx_results(command, folder, text, arrays):
    with open(f"{folder}/program.mlir", "w") as out:
        out.write(text)
    args = [command, "run", "program.mlir", "-o", "out", "--quiet"]
    for i, array in enumerate(arrays):
        np.save(f"{folder}/in{i}.npy", array)
        args += ["-i", f"in{i}.npy"]
    done = subprocess.run(args, cwd=folder, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        return None, done.stderr.strip()
    files = sorted(os.listdir(f"{folder}/out"), key=lambda name: int("".join(c for c in name if c.isdigit())))
    results = [np.load(f"{folder}/out/{name}") for name in files]
    for name in files:
        os.remove(f"{folder}/out/{name}")
    return results, ""


def roundings(f, compiled, arrays):
    """For each result, the largest difference between JAX in f32 and f64, on inputs that differ by a rounding unit."""
    most = None
    for sign in [-2, -1, 1, 2]:
        near = [(a * (1 + sign * EPSILON)).astype(a.dtype) for a in arrays]
        exact = jax.tree.leaves(jax.jit(f)(*[a.astype(np.float64) for a in near]))
        far = [np.abs(np.asarray(w, np.float64) - np.asarray(e)) for w, e in zip(jax.tree.leaves(compiled(*near)), exact)]
        far = [d[np.isfinite(d)].max(initial=0) for d in far]
        most = far if most is None else [max(pair) for pair in zip(most, far)]
    return most


def differs(got, want, exact, rounding=0):
    """What is wrong with a result. `exact` is the result in f64, and `rounding` the difference that f32 has at least. `None` if
    the result cannot be judged."""
    if got.shape != want.shape:
        return f"shape {got.shape}, XLA has {want.shape}"
    if want.dtype.kind in "iub":
        return "" if np.array_equal(got, want) else f"{got.ravel()[:5]}, XLA has {want.ravel()[:5]}"
    finite = np.isfinite(exact) & np.isfinite(want)
    if not finite.any():
        return None
    got, want, exact = (a.astype(np.float64)[finite] for a in (got, want, exact))
    size = np.abs(exact).max()
    rounding = max(rounding, np.abs(want - exact).max())
    if rounding > 0.01 * max(size, 1e-6):
        return None
    error = np.abs(got - exact).max()
    if np.isfinite(error) and error <= 8 * rounding + 64 * EPSILON * size + 1e-30:
        return ""
    return f"{error:.3g} off, XLA {rounding:.3g}, of {size:.3g}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--rlx", default="target/release/rlx")
    parser.add_argument("--keep", default="random_jax_failures")
    args = parser.parse_args()
    command = os.path.abspath(args.rlx)
    agreed = refused = invalid = judged = results = 0
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/out")
        for seed in range(args.seed, args.seed + args.count):
            numbers = np.random.default_rng(seed)
            if seed % 4 == 3:
                f, shape, dtype = integers(seed)
                info = np.iinfo(dtype)
                arrays = [numbers.integers(max(info.min, -1000), min(info.max, 1000), shape).astype(dtype), np.float32(0.7)]
                wide = arrays
            else:
                f, shape = program(seed)
                arrays = [numbers.normal(size=shape).astype(np.float32), np.float32(0.7)]
                wide = [a.astype(np.float64) for a in arrays]
            try:
                lowered = jax.jit(f, keep_unused=True).lower(*arrays)
                compiled = lowered.compile()
                want = jax.tree.leaves(compiled(*arrays))
                exact = jax.tree.leaves(jax.jit(f)(*wide))
            except Exception:
                # The calls do not fit together.
                invalid += 1
                continue
            got, error = rlx_results(command, folder, lowered.as_text(), arrays)
            if got is None:
                refused += 1
                problem = error.splitlines()[-1] if error else "ended without a message"
            else:
                pairs = list(zip(got, [np.asarray(w) for w in want], [np.asarray(e) for e in exact]))
                verdicts = [differs(*p) for p in pairs]
                if any(verdicts) and seed % 4 != 3:
                    verdicts = [differs(*p, rounding) for p, rounding in zip(pairs, roundings(f, compiled, arrays))]
                results, judged = results + len(verdicts), judged + sum(v is not None for v in verdicts)
                problem = next(filter(None, verdicts), "")
                if len(got) != len(want):
                    problem = f"{len(got)} results, XLA has {len(want)}"
            if problem:
                failures.append(seed)
                os.makedirs(args.keep, exist_ok=True)
                with open(f"{args.keep}/{seed}.mlir", "w") as out:
                    out.write(f"// {problem}\n{lowered.as_text()}")
                print(f"seed {seed}: {problem}", flush=True)
            else:
                agreed += 1
            if len(jax.live_arrays()) > 1000 or seed % 500 == 0:
                jax.clear_caches()
    print(f"{agreed} programs agree, {len(failures)} do not ({refused} of them are refused), {invalid} are not programs; {judged} of {results} results were judged")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
