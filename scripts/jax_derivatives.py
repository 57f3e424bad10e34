"""Compares the derivatives that `rlx transform grad` computes for functions lowered by JAX with those of jax.grad, and prints a table.

Covers all public functions of jax.scipy.special, jax.scipy.stats and jax.nn, and those of jax.numpy, jax.numpy.linalg and jax.random
with custom derivatives, found by introspection. Each is lowered on a vector of points for one of its arguments. rlx differentiates and
runs many of them as one program; if rlx refuses that program, each function is tried separately. Rows that differ show JAX's derivative
and a central difference of SciPy's function in f64, if there is one.

    RLX=target/debug/rlx python scripts/jax_derivatives.py [--dtype float64] [--form numbers|vmap] [--order 2] [--only REGEX] [--all] [--cache DIR]

With `--form numbers`, the other arguments are scalars; with `--form vmap`, JAX vectorizes the function of scalars before lowering.
With `--order 2`, second derivatives are compared as well. The exit code is 1 if a value or derivative differs from JAX's where JAX's
is not NaN, and the derivative also differs from SciPy's.
"""

import argparse
import hashlib
import inspect
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import warnings

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax
import jax.numpy as jnp
import jax.scipy.special as jsp
import jax.scipy.stats as jst
import numpy as np
import scipy.special
import scipy.stats

warnings.filterwarnings("ignore")
RLX = os.environ.get("RLX", "rlx")
TIMEOUT = int(os.environ.get("TIMEOUT", "30"))
# Number of functions per program.
BATCH = int(os.environ.get("BATCH", "12"))

# Points by parameter name: ordinary points, edge cases, extreme values.
REAL = [0.3, -0.7, 1.0, -1.0, 2.5, 0.0, -0.0, 6.0, -6.0, 20.0, -20.0, 1e-20, 300.0, -300.0]
POSITIVE = [0.3, 1.0, 2.5, 1e-10, 7.0, 30.0, 100.0, 0.5]
UNIT = [0.3, 0.0, 1.0, 0.5, 1e-10, 0.999]
DOMAINS = {
    "special": {
        "gammainc": {0: POSITIVE, 1: POSITIVE + [0.0]}, "gammaincc": {0: POSITIVE, 1: POSITIVE + [0.0]},
        "betainc": {0: POSITIVE, 1: POSITIVE, 2: UNIT}, "beta": {0: POSITIVE, 1: POSITIVE}, "betaln": {0: POSITIVE, 1: POSITIVE},
        "logit": {0: UNIT}, "ndtri": {0: UNIT}, "erfinv": {0: [0.3, -0.7, 0.0, 1.0, -1.0, 0.999]}, "gammaln": {0: POSITIVE},
        "digamma": {0: POSITIVE + [-0.5]}, "zeta": {0: [1.5, 2.0, 7.0], 1: POSITIVE}, "polygamma": {1: POSITIVE},
        "expi": {0: REAL}, "expn": {1: POSITIVE + [0.0, 1.5]}, "exp1": {0: POSITIVE}, "boxcox": {0: POSITIVE, 1: REAL[:8]},
        "boxcox1p": {0: POSITIVE, 1: REAL[:8]}, "comb": {0: POSITIVE, 1: POSITIVE}, "factorial": {0: POSITIVE}, "poch": {0: POSITIVE, 1: POSITIVE[:6]},
        "hyp1f1": {0: [1.0, 0.5, 2.5, -2.0], 1: [2.0, 1.0, 3.5], 2: [0.5, -1.0, 0.0, 3.0, -20.0, 20.0, -50.0]},
        "hyp2f1": {0: [1.0, 0.5, -2.0], 1: [2.0, 1.5], 2: [3.0, 2.5], 3: [0.5, -0.5, 0.0, 0.95, -3.0]},
        "gamma": {0: POSITIVE[:6] + [-0.5]}, "multigammaln": {0: [3.0, 5.5, 30.0]}, "loggamma": {0: POSITIVE},
        "entr": {0: POSITIVE + [0.0]}, "kl_div": {0: POSITIVE + [0.0], 1: POSITIVE}, "rel_entr": {0: POSITIVE + [0.0], 1: POSITIVE},
        "xlogy": {0: POSITIVE + [0.0], 1: POSITIVE}, "xlog1py": {0: POSITIVE + [0.0], 1: POSITIVE + [0.0, -0.5]},
        "owens_t": {0: REAL, 1: REAL}, "log_softmax": {0: REAL}, "spence": {0: POSITIVE + [0.0]},
        "bessel_jn": {},
    }
}
# Parameters of distributions.
PARAMS = {
    "a": [1.0, 0.5, 2.5, 30.0], "b": [1.0, 0.5, 2.5, 30.0], "df": [1.0, 3.5, 30.0], "loc": [0.0, 0.3, -1.0], "scale": [1.0, 0.5, 3.0],
    "p": [0.3, 0.5, 0.9], "n": [5.0, 10.0], "mu": [0.5, 2.0, 20.0], "kappa": [0.0, 1.0, 20.0], "beta": [1.0, 0.5, 2.0], "c": [0.3, 0.7],
    "b_trunc": [2.0], "nc": [1.0],
}
POINTS = {
    "beta": UNIT, "gamma": POSITIVE + [0.0], "chi2": POSITIVE + [0.0], "expon": POSITIVE + [0.0], "pareto": [1.0, 1.5, 7.0, 100.0], "uniform": UNIT,
    "bernoulli": [0.0, 1.0], "binom": [0.0, 3.0, 5.0], "geom": [1.0, 4.0], "nbinom": [0.0, 3.0], "poisson": [0.0, 3.0, 20.0], "betabinom": [0.0, 3.0, 5.0],
    "wrapcauchy": [0.0, 1.0, 3.0, 6.0], "vonmises": [0.0, 0.5, 3.0], "truncnorm": [0.0, 0.5, -0.7], "dirichlet": [], "multinomial": [],
}


def cases():
    """Yields (name, function of one vector, points, truth or None)."""
    skip = {"sph_harm_y", "bernoulli", "lpmn", "lpmn_values", "sph_harm", "bessel_jn"}
    for name in sorted(dir(jsp)):
        f = getattr(jsp, name)
        if name.startswith("_") or not callable(f) or name in skip:
            continue
        domain = DOMAINS["special"].get(name)
        count = len([p for p in inspect.signature(f).parameters.values() if p.default is p.empty])
        if domain is None:
            domain = {0: REAL}
            if name in ("softmax", "log_softmax", "logsumexp"):
                count = 1
        for which, points in domain.items():
            fixed = {i: domain.get(i, [2])[0] for i in range(count)}
            for extra in ([None] if count == 1 else [0, -1]):
                if extra is not None:
                    fixed = {i: (2 if name in ("expn", "polygamma", "multigammaln") and i == (1 if name == "multigammaln" else 0) else domain.get(i, [2])[extra]) for i in range(count)}
                yield (f"special.{name}/{which}" + (f" {[fixed[i] for i in fixed if i != which]}" if count > 1 else ""), apply(f, which, fixed, name), points, apply_scipy(name, which, fixed))
    for name in sorted(dir(jax.nn)):
        f = getattr(jax.nn, name)
        if name.startswith("_") or not inspect.isfunction(getattr(f, "__wrapped__", f)) and not callable(f) or name in ("initializers", "dot_product_attention", "scaled_dot_general", "scaled_matmul", "one_hot", "get_scaled_dot_general_config", "logsumexp", "glu", "standardize", "logmeanexp"):
            continue
        yield f"nn.{name}", f, REAL + [3.0, -3.0], None
    for dist in sorted(dir(jst)):
        module = getattr(jst, dist)
        if dist.startswith("_") or not inspect.ismodule(module) or dist in ("multivariate_normal", "dirichlet", "multinomial", "gaussian_kde"):
            continue
        for method in sorted(dir(module)):
            f = getattr(module, method)
            if method.startswith("_") or not callable(f) or method not in ("logpdf", "pdf", "cdf", "logcdf", "sf", "logsf", "ppf", "isf", "logpmf", "pmf", "entropy"):
                continue
            parameters = list(inspect.signature(f).parameters)
            default = {p: (PARAMS.get(p) or [0.5])[0 if p != "n" else 0] for p in parameters}
            if dist == "truncnorm":
                default.update(a=-1.0, b=1.5)
            if dist == "wrapcauchy":
                default.update(c=0.5)
            first = parameters[0]
            default[first] = 0.5 if dist not in ("pareto", "binom", "geom", "nbinom", "poisson", "bernoulli", "betabinom") else {"pareto": 1.5, "bernoulli": 1.0, "geom": 4.0}.get(dist, 3.0)
            for which, p in enumerate(parameters):
                if p in ("a", "b") and dist == "truncnorm" and which:
                    points = [-1.0, -0.5] if p == "a" else [1.5, 3.0]
                elif which == 0:
                    points = UNIT if method in ("ppf", "isf") else POINTS.get(dist, REAL)
                else:
                    points = PARAMS.get(p, [0.5])
                yield f"stats.{dist}.{method}/{p}", apply(f, which, {i: default[q] for i, q in enumerate(parameters)}, ""), points, apply_stats(dist, method, which, [default[q] for q in parameters])
    num = jnp
    for name in ("sinc", "i0", "logaddexp2", "logaddexp", "frexp", "ldexp", "abs", "sqrt", "cbrt", "sign", "square", "exp2", "log1p", "expm1", "arctan2", "hypot", "maximum", "minimum", "fmax", "fmin", "clip", "power", "float_power", "nan_to_num", "angle", "unwrap", "remainder", "fmod", "mod", "divide", "heaviside", "copysign", "nextafter", "modf", "arcsin", "arccos", "arccosh", "arctanh", "tan", "reciprocal", "round", "trunc", "rint", "fabs", "absolute", "positive", "deg2rad"):
        f = getattr(num, name)
        if name in ("logaddexp2", "logaddexp", "arctan2", "hypot", "maximum", "minimum", "fmax", "fmin", "power", "float_power", "remainder", "fmod", "mod", "divide", "heaviside", "copysign", "nextafter"):
            if name == "nextafter":
                continue
            for other in (0.0, 1.0, 2.0):
                yield f"numpy.{name}/0 [{other}]", (lambda f, o: lambda x: f(x, jnp.asarray(o, x.dtype)))(f, other), REAL[:9] + [2.0], None
                yield f"numpy.{name}/1 [{other}]", (lambda f, o: lambda x: f(jnp.asarray(o, x.dtype), x))(f, other), REAL[:9] + [2.0], None
        elif name == "frexp":
            yield "numpy.frexp", lambda x: jnp.frexp(x)[0], REAL, None
        elif name == "modf":
            yield "numpy.modf", lambda x: jnp.modf(x)[0], REAL, None
        elif name == "ldexp":
            yield "numpy.ldexp", lambda x: jnp.ldexp(x, 3), REAL, None
        elif name == "clip":
            yield "numpy.clip", lambda x: jnp.clip(x, -1, 1), REAL, None
            yield "lax.clamp", lambda x: jax.lax.clamp(jnp.asarray(-1, x.dtype), x, jnp.asarray(1, x.dtype)), REAL, None
        else:
            yield f"numpy.{name}", f, REAL, None
    ties = [1.0, 3.0, 3.0, -1.0, -1.0, 2.0, 3.0, 0.0, 0.0]
    weights = np.arange(1.0, 10.0)
    for name, f in {
        "max": jnp.max, "min": jnp.min, "sort": lambda x: jnp.sort(x) * weights.astype(x.dtype), "cummax": lambda x: jax.lax.cummax(x) * weights.astype(x.dtype),
        "cummin": lambda x: jax.lax.cummin(x) * weights.astype(x.dtype), "top_k": lambda x: jax.lax.top_k(x, 3)[0] * weights[:3].astype(x.dtype), "median": jnp.median,
        "prod": jnp.prod, "cumprod": lambda x: jnp.cumprod(x), "norm": jnp.linalg.norm, "norm0": lambda x: jnp.linalg.norm(x * 0), "norm1": lambda x: jnp.linalg.norm(x, 1), "norminf": lambda x: jnp.linalg.norm(x, jnp.inf),
        "var": jnp.var, "std": jnp.std, "logsumexp": jax.nn.logsumexp, "softmax": lambda x: jax.nn.softmax(x) * weights.astype(x.dtype),
        "max_pool": lambda x: jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (3,), (1,), "VALID") * weights[:7].astype(x.dtype), "argmax": lambda x: x[jnp.argmax(x)], "cumlogsumexp": jax.lax.cumlogsumexp,
        "quantile": lambda x: jnp.quantile(x, 0.3), "ptp": jnp.ptp, "percentile": lambda x: jnp.percentile(x, 50),
        "segment_max": lambda x: jax.ops.segment_max(x, np.array([0, 0, 0, 1, 1, 1, 2, 2, 2]), 3), "at_max": lambda x: x.at[np.array([0, 1, 2])].max(3.0), "at_mul": lambda x: x.at[np.array([0, 1, 1])].mul(2.0),
        "relu_of_tie": lambda x: jax.nn.relu(x), "maximum_c": lambda x: jnp.maximum(x, 3.0), "maximum_0": lambda x: jnp.maximum(x, 0.0), "minimum_0": lambda x: jnp.minimum(x, 0.0), "minimum_6": lambda x: jnp.minimum(jnp.maximum(x, 0.0), 3.0),
        "pow0": lambda x: x**0, "pow1": lambda x: x**1, "pow2": lambda x: x**2, "pow3": lambda x: x**3, "pow.5": lambda x: jnp.abs(x) ** 0.5, "powx": lambda x: jnp.power(jnp.abs(x), jnp.asarray(0.0, x.dtype)), "pow2x": lambda x: jnp.power(x, jnp.asarray(2.0, x.dtype)),
    }.items():
        yield f"ties.{name}", f, ties, None
    rank = np.array([[1.0, 2, 3], [2, 4, 6], [1, 0, 1]]).ravel()
    square = np.array([[2.0, 1, 0], [1, 3, 1], [0, 1, 4]]).ravel()
    tall = np.array([[1.0, 2], [2, 4], [3, 6]]).ravel()
    low4 = np.array([[1.0, 2, 3, 4], [2, 4, 6, 8], [1, 0, 1, 0], [0, 1, 1, 2]]).ravel()
    W = lambda s: (np.arange(np.prod(s)).reshape(s) % 5 - 1.7)
    for name, f, x in [
        ("pinv full", lambda x: jnp.linalg.pinv(x.reshape(3, 3)) * W((3, 3)).astype(x.dtype), square), ("pinv rank", lambda x: jnp.linalg.pinv(x.reshape(3, 3)) * W((3, 3)).astype(x.dtype), rank),
        ("pinv tall rank", lambda x: jnp.linalg.pinv(x.reshape(3, 2)) * W((2, 3)).astype(x.dtype), tall), ("pinv tall", lambda x: jnp.linalg.pinv(x.reshape(3, 2) + jnp.eye(3, 2, dtype=x.dtype)) * W((2, 3)).astype(x.dtype), tall),
        ("pinv zero", lambda x: jnp.linalg.pinv(x.reshape(3, 2) * 0) * W((2, 3)).astype(x.dtype), tall),
        ("pinv hermitian", lambda x: jnp.linalg.pinv(x.reshape(3, 3), hermitian=True) * W((3, 3)).astype(x.dtype), square),
        ("det full", lambda x: jnp.linalg.det(x.reshape(3, 3)), square), ("det rank", lambda x: jnp.linalg.det(x.reshape(3, 3)), rank), ("det4 rank", lambda x: jnp.linalg.det(x.reshape(4, 4)), low4), ("det2", lambda x: jnp.linalg.det(x[:4].reshape(2, 2)), rank),
        ("slogdet", lambda x: jnp.linalg.slogdet(x.reshape(3, 3))[1], square), ("slogdet2", lambda x: jnp.linalg.slogdet(x[:4].reshape(2, 2))[1], square), ("slogdet qr", lambda x: jnp.linalg.slogdet(x.reshape(3, 3), method="qr")[1], square),
        ("slogdet rank", lambda x: jnp.linalg.slogdet(x.reshape(3, 3))[1], rank),
        ("lstsq", lambda x: jnp.linalg.lstsq(x.reshape(3, 2) + jnp.eye(3, 2, dtype=x.dtype), jnp.ones(3, x.dtype))[0], tall),
        ("matrix norm nuc", lambda x: jnp.linalg.norm(x.reshape(3, 3), "nuc"), square), ("matrix norm 2", lambda x: jnp.linalg.norm(x.reshape(3, 3), 2), square),
        ("expm", lambda x: jax.scipy.linalg.expm(x.reshape(3, 3) * 0.1) * W((3, 3)).astype(x.dtype), square), ("cond", lambda x: jnp.linalg.cond(x.reshape(3, 3)), square),
        ("matrix_power", lambda x: jnp.linalg.matrix_power(x.reshape(3, 3), 3) * W((3, 3)).astype(x.dtype), square), ("inv", lambda x: jnp.linalg.inv(x.reshape(3, 3)) * W((3, 3)).astype(x.dtype), square),
        ("multivariate_normal.logpdf", lambda x: jst.multivariate_normal.logpdf(jnp.ones(3, x.dtype), jnp.zeros(3, x.dtype), x.reshape(3, 3)), square),
        ("dirichlet.logpdf a", lambda a: jst.dirichlet.logpdf(jnp.array([0.3, 0.7], a.dtype), a), [1.0, 1.0]), ("dirichlet.logpdf x", lambda x: jst.dirichlet.logpdf(x / x.sum(), jnp.array([1.0, 2.0], x.dtype)), [0.3, 0.7]),
        ("multinomial.logpmf p", lambda p: jst.multinomial.logpmf(jnp.array([2, 0]), 2, p / p.sum()), [0.3, 0.7]),
        ("gaussian_kde", lambda x: jst.gaussian_kde(jnp.array([0.0, 1.0, 3.0], x.dtype)).logpdf(x), [0.5, 2.0]),
    ]:
        yield f"linalg.{name}", f, x, None
    key = jax.random.key(7)
    for name, f, x in [
        ("gamma", lambda a: jax.random.gamma(key, a), POSITIVE[:6]), ("loggamma", lambda a: jax.random.loggamma(key, a), POSITIVE[:6]), ("beta a", lambda a: jax.random.beta(key, a, 2.0), POSITIVE[:3]), ("beta b", lambda b: jax.random.beta(key, 2.0, b), POSITIVE[:3]),
        ("t", lambda d: jax.random.t(key, d), POSITIVE[:3]), ("chisquare", lambda d: jax.random.chisquare(key, d), POSITIVE[:3]), ("dirichlet", lambda a: jax.random.dirichlet(key, a) * np.arange(1.0, 4.0).astype(a.dtype), POSITIVE[:3]),
        ("f", lambda d: jax.random.f(key, d, 3.0), POSITIVE[:3]), ("pareto", lambda b: jax.random.pareto(key, b), POSITIVE[:3]), ("weibull", lambda s: jax.random.weibull_min(key, s, 1.5), POSITIVE[:3]), ("rayleigh", lambda s: jax.random.rayleigh(key, s), POSITIVE[:3]), ("wald", lambda m: jax.random.wald(key, m), POSITIVE[:3]),
        ("truncated_normal", lambda a: jax.random.truncated_normal(key, a, 2.0), [-1.0, 0.3]), ("lognormal", lambda s: jax.random.lognormal(key, s), POSITIVE[:3]), ("laplace", lambda s: s * jax.random.laplace(key, (3,), s.dtype), POSITIVE[:3]), ("maxwell", lambda s: s * jax.random.maxwell(key, (3,), s.dtype), POSITIVE[:3]),
        ("generalized_normal", lambda p: p * jax.random.generalized_normal(key, 1.5, (3,), p.dtype), POSITIVE[:3]), ("triangular", lambda m: jax.random.triangular(key, 0.0, m, 1.0), [0.3, 0.6]), ("multivariate_normal", lambda m: jax.random.multivariate_normal(key, m, jnp.eye(3, dtype=m.dtype)), POSITIVE[:3]),
        ("double_sided_maxwell", lambda m: jax.random.double_sided_maxwell(key, m, 1.0), POSITIVE[:3]), ("gumbel", lambda s: s * jax.random.gumbel(key, (3,), s.dtype), POSITIVE[:3]), ("logistic", lambda s: s * jax.random.logistic(key, (3,), s.dtype), POSITIVE[:3]),
    ]:
        yield f"random.{name}", f, x, None


FORM = "tensors"


def apply(f, which, fixed, name):
    def one(x):
        args = []
        for i in fixed:
            if i == which:
                args.append(x)
            elif name in ("expn", "polygamma", "multigammaln") and isinstance(fixed[i], int):
                args.append(fixed[i])
            else:
                args.append(jnp.full(() if FORM == "numbers" else x.shape, fixed[i], x.dtype))
        return f(*args)

    return one


def apply_scipy(name, which, fixed):
    f = getattr(scipy.special, {"expit": "expit"}.get(name, name), None)
    if f is None:
        return None
    return lambda x: f(*[x if i == which else fixed[i] for i in fixed])


def apply_stats(dist, method, which, args):
    d = getattr(scipy.stats, {"gennorm": "gennorm"}.get(dist, dist), None)
    f = getattr(d, method, None)
    if f is None:
        return None
    return lambda x: f(*[x if i == which else a for i, a in enumerate(args)])


def run(args, seconds):
    try:
        done = subprocess.run([RLX, *args], capture_output=True, timeout=seconds, text=True)
    except subprocess.TimeoutExpired:
        return f"{args[0]} takes more than {seconds} s"
    return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[0] if done.returncode else None


def kept(cache, key, compute):
    """Computes a result, or loads what an earlier run stored."""
    if not cache:
        return compute()
    path = os.path.join(cache, hashlib.sha256(repr((jax.__version__, FORM, key)).encode()).hexdigest())
    if not os.path.exists(path):
        value = compute()
        os.makedirs(cache, exist_ok=True)
        with open(path + ".part", "wb") as file:
            pickle.dump(value, file)
        os.rename(path + ".part", path)
    with open(path, "rb") as file:
        return pickle.load(file)


class Refused(Exception):
    pass


def by_rlx(text, xs, order):
    """The values and the derivatives that rlx computes for a program whose results are a loss followed by values."""
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        with open(path("m.mlir"), "w") as file:
            file.write(text)

        def results(transform, inputs):
            wrt = ",".join(map(str, range(len(xs))))
            loss = ["--loss", "0"]
            problem = run(["transform", transform, path("m.mlir"), "--wrt", wrt, *loss, "--allow-unused", "-o", path("g.mlir")], TIMEOUT * len(xs))
            given = []
            for i, x in enumerate(inputs):
                np.save(path(f"x{i}.npy"), x)
                given += ["-i", path(f"x{i}.npy")]
            problem = problem or run(["run", path("g.mlir"), "-q", "-o", path("out"), *given], TIMEOUT * len(xs))
            if problem:
                raise Refused(problem)
            names = sorted(os.listdir(path("out")), key=lambda name: (len(name), name))
            arrays = [np.load(path(os.path.join("out", name))) for name in names]
            shutil.rmtree(path("out"))
            return arrays

        arrays = results("value-and-grad", xs)
        values, slopes = arrays[1 : -len(xs)], arrays[-len(xs) :]
        second = results("hvp", [*xs, *map(np.ones_like, xs)])[-len(xs) :] if order == 2 else [None] * len(xs)
        return list(zip(values, slopes, second))


def by_jax(functions, xs, order):
    """JAX's results, and the program."""

    def both(*xs):
        values = [f(x) for f, x in zip(functions, xs)]
        return sum(jnp.sum(value).astype(xs[0].dtype) for value in values), values

    everything = tuple(range(len(xs)))
    slope = jax.grad(both, everything, has_aux=True)
    slopes, values = finished(jax.jit(slope)(*xs))
    second = [None] * len(xs)
    if order == 2:
        second = finished(jax.jit(jax.grad(lambda *xs: sum(jnp.sum(s) for s in slope(*xs)[0]), everything))(*xs))
    return jax.jit(both, keep_unused=True).lower(*xs).as_text(), list(zip(values, slopes, second))


def finished(results):
    """JAX's results as arrays. Some loops of its functions do not end, depending on how XLA rounds what is compiled together."""
    got = []
    thread = threading.Thread(target=lambda: got.append(jax.tree.map(np.asarray, results)), daemon=True)
    thread.start()
    thread.join(TIMEOUT)
    if not got:
        raise TimeoutError(f"does not end in {TIMEOUT} s")
    return got[0]


def same(a, b, tolerance):
    a, b = float(a), float(b)
    if np.isnan(a) and np.isnan(b) or a == b:
        return True
    return abs(a - b) <= tolerance * max(1.0, abs(b))


def difference(truth, x, order):
    """A central difference in f64; None if SciPy does not have the function."""
    if truth is None:
        return None
    f = lambda x: float(truth(np.float64(x)))
    try:
        h = 1e-5 * max(1.0, abs(x)) if abs(x) > 1e-3 else 1e-6 if x == 0 else abs(x) * 1e-3
        if order == 2:
            return (f(x + 30 * h) - 2 * f(x) + f(x - 30 * h)) / (30 * h) ** 2
        return (f(x + h) - f(x - h)) / (2 * h)
    except Exception:
        return None


def faults(points, truth, got, want, tolerances):
    """The differences from JAX, and how many of them are faults, where JAX has a number and SciPy's differs from rlx's."""
    told, count = [], 0
    for kind, g, w, order in zip(("value", "slope", "second"), got, want, (0, 1, 2)):
        if w is None:
            continue
        if g.size != w.size:
            return [f"{kind}: shape {g.shape}, JAX {w.shape}"], 1
        for i, (a, b) in enumerate(zip(g.ravel(), w.ravel())):
            if np.iscomplexobj(b):
                a, b = a.real + a.imag * np.pi, b.real + b.imag * np.pi
            if same(a, b, tolerances[order]):
                continue
            at = points[i] if g.size == len(points) else f"element {i}"
            text = f"{kind} at {at}: rlx {a:.6g} JAX {b:.6g}"
            value = want[0].ravel()
            if order and value.size == w.size and np.isnan(value[i]):
                told.append(f"{text} (outside of the domain)")
                continue
            right = difference(truth, points[i], order) if order else None
            agrees = right is not None and not np.isnan(right) and same(a, right, max(tolerances[order], 1e-4))
            count += not agrees and not np.isnan(b)
            told.append(text + (f" SciPy {right:.6g}{' (JAX is off)' if agrees else ''}" if right is not None else ""))
    return told, count


def judged(batch, order, tolerances, dtype, cache):
    """Yields (name, what differs, whether that is a fault) for functions of one program."""
    functions, xs = [f for _, f, _, _ in batch], [np.array(points, dtype) for _, _, points, _ in batch]
    try:
        key = ([name for name, _, _, _ in batch], [points for _, _, points, _ in batch], dtype.name, order)
        text, wanted = kept(cache, key, lambda: by_jax(functions, xs, order))
        given = by_rlx(text, xs, order)
    except Exception as error:
        if len(batch) > 1:
            for one in batch:
                yield from judged([one], order, tolerances, dtype, cache)
        else:
            yield batch[0][0], [f"{'rlx' if isinstance(error, Refused) else 'JAX'}: {str(error).splitlines()[0]}"], isinstance(error, Refused)
        return
    for (name, _, points, truth), got, want in zip(batch, given, wanted):
        told, count = faults(points, truth, got, want, tolerances)
        yield name, told, count > 0


def differentiable(f, x, order):
    """JAX's message for a function that it does not differentiate."""
    slope = jax.grad(lambda x: jnp.sum(f(x)))
    try:
        jax.eval_shape(jax.grad(lambda x: jnp.sum(slope(x))) if order == 2 else slope, x)
    except Exception as error:
        return str(error).splitlines()[0]


def main():
    global FORM
    parser = argparse.ArgumentParser()
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--form", default="tensors", choices=["tensors", "numbers", "vmap"])
    parser.add_argument("--order", type=int, default=1, choices=[1, 2])
    parser.add_argument("--only", default="")
    parser.add_argument("--cache", help="a folder that stores JAX's results for the next run")
    parser.add_argument("--all", action="store_true", help="also print equal rows")
    options = parser.parse_args()
    FORM = options.form
    dtype = jnp.dtype(options.dtype)
    jax.config.update("jax_enable_x64", dtype == np.float64)
    # For values, slopes and second derivatives.
    tolerances = {"float32": (1e-4, 2e-4, 1e-3), "float64": (1e-10, 1e-7, 1e-6), "float16": (8e-3, 2e-2, 5e-2), "bfloat16": (6e-2, 1e-1, 2e-1)}[dtype.name]
    chosen = []
    for name, f, points, truth in cases():
        if not re.search(options.only, name):
            continue
        if FORM == "vmap" and name.split(".")[0] in ("special", "stats", "nn", "numpy", "random"):
            f = jax.vmap(f)
        refused = kept(options.cache, (name, points, dtype.name, options.order), lambda: differentiable(f, np.array(points, dtype), options.order))
        if refused and options.all:
            print(f"{name:44s} JAX: {refused[:80]}")
        if not refused:
            chosen.append((name, f, points, truth))
    total = wrong = 0
    for at in range(0, len(chosen), BATCH):
        for name, told, fault in judged(chosen[at : at + BATCH], options.order, tolerances, dtype, options.cache):
            total, wrong = total + 1, wrong + fault
            if told or options.all:
                print(f"{name:44s} {'' if fault or not told else '(no fault) '}{'; '.join(told) or 'equal'}", flush=True)
    print(f"{total} functions, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    # Threads of JAX that do not end are left behind.
    os._exit(status)
