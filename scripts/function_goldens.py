"""Writes crates/rlx-stablehlo/tests/data/functions.mlir: functions with custom derivatives, lowered, with JAX's values and gradients.

The format is that of activation_goldens.py: a program has two results, the sum of f(x) and f(x). Above it are its name, x, f(x) and the
gradient of the sum. If JAX's derivative is inaccurate, the row has the correct formula, in f64. Run with JAX, NumPy and SciPy:
python scripts/function_goldens.py
"""

import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import jax.scipy.special as special
import jax.scipy.stats as stats
import numpy as np
import scipy.special

TARGET = os.path.join(os.path.dirname(__file__), "../crates/rlx-stablehlo/tests/data/functions.mlir")
KEY = jax.random.key(7)
REAL = [0.3, -0.7, 1.0, -1.0, 2.5, 0.0, -0.0, 6.0, -6.0, 20.0, -20.0]
POSITIVE = [0.3, 1.0, 2.5, 7.0, 30.0, 0.5]
UNIT = [0.3, 0.0, 1.0, 0.5, 0.999]


def like(value):
    return lambda x: jnp.full(x.shape, value, x.dtype)


def central(f, x, h=1e-5):
    return (f(x + h) - f(x - h)) / (2 * h)


def cofactors(x):
    a = x.reshape(4, 4)
    minor = lambda i, j: np.linalg.det(np.delete(np.delete(a, i, 0), j, 1))
    return np.array([[(-1) ** (i + j) * minor(i, j) for j in range(4)] for i in range(4)]).ravel()


def cases():
    """Name, function, points, and the correct derivative if JAX's is not."""
    yield "xlogy/x", lambda x: special.xlogy(x, like(0.5)(x)), POSITIVE + [0.0], None
    yield "xlogy/y", lambda y: special.xlogy(like(0.5)(y), y), POSITIVE, None
    yield "xlogy/number", lambda x: special.xlogy(x, jnp.asarray(0.5, x.dtype)), POSITIVE + [0.0], None
    yield "xlog1py/x", lambda x: special.xlog1py(x, like(0.5)(x)), POSITIVE + [0.0], None
    yield "entr", special.entr, POSITIVE + [0.0], None
    yield "kl_div", lambda x: special.kl_div(x, like(0.5)(x)), POSITIVE, None
    yield "logit", special.logit, UNIT, None
    # JAX's result suffers from cancellation far below 0.
    yield "log_ndtr", special.log_ndtr, REAL + [-300.0, 300.0], lambda x: np.sqrt(2 / np.pi) / scipy.special.erfcx(-x / np.sqrt(2))
    yield "logaddexp2", lambda x: jnp.logaddexp2(x, like(1.0)(x)), REAL, None
    yield "frexp", lambda x: jnp.frexp(x)[0], REAL, None
    yield "ldexp", lambda x: jnp.ldexp(x, 3), REAL, None
    yield "i0e", special.i0e, REAL, None
    yield "i1e", special.i1e, REAL, None
    yield "i0", jnp.i0, REAL, None
    yield "dawsn", special.dawsn, REAL, None
    yield "erfcx", special.erfcx, REAL[:9], None
    yield "expn", lambda x: special.expn(2, x), [0.5, 1.5, 7.0], None
    yield "expi", special.expi, [0.5, -0.5, 3.0, -3.0, 80.0, -80.0], None
    yield "sici", lambda x: special.sici(x)[0], REAL, None
    yield "fresnel", lambda x: special.fresnel(x)[1], REAL[:9], None
    yield "spence", special.spence, [0.3, 1.0, 2.5], lambda x: np.where(x == 1, -1.0, np.log(x) / np.where(x == 1, 1.0, 1 - x))
    yield "owens_t", lambda a: special.owens_t(0 * a + 0.7, a), REAL, None
    # Constant arguments, and one value as several arguments.
    yield "betainc/numbers", lambda x: special.betainc(0.5, 0.25, x), [0.3, 0.0, 1.0, 0.5], None
    yield "betainc/ones", lambda x: special.betainc(like(1.0)(x), like(1.0)(x), x), [0.3, 0.5, 0.999], None
    yield "beta.cdf", lambda x: stats.beta.cdf(x, 1.0, 1.0), [0.3, 0.5, 0.999], None
    # JAX has NaN where x⁰ is 1.
    yield "betainc/ends", lambda x: special.betainc(1.0, 1.0, x), [0.0, 1.0], lambda x: np.ones_like(x)
    yield "gammainc/a", lambda a: special.gammainc(a, like(0.5)(a)), POSITIVE[:3], None
    yield "gammainc/x", lambda x: special.gammainc(0.5, x), POSITIVE, None
    yield "gammaincc/a", lambda a: special.gammaincc(a, like(2.0)(a)), POSITIVE[:4], None
    # gammainc(a, a): both rules.
    yield "gammainc/same", lambda a: special.gammainc(a, a), [0.3, 2.5, 7.25], None
    yield "chi2.cdf", lambda x: stats.chi2.cdf(x, 1.0), [0.5, 1.0, 2.5], None
    yield "gamma.logcdf", lambda a: stats.gamma.logcdf(0.5, a), [0.5, 1.0, 2.5], None
    yield "poisson.cdf", lambda mu: stats.poisson.cdf(3.0, mu), [0.5, 2.0, 20.0], None
    yield "poch/number", lambda x: special.poch(x, 2.0), [0.3, 1.0, 2.5], None
    yield "owens_t/number", lambda a: special.owens_t(0.7, a), REAL[:9], None
    yield "truncated_normal", lambda a: jax.random.truncated_normal(KEY, a, 2.0), [-1.0, 0.3], None
    yield "hyp1f1", lambda x: special.hyp1f1(like(1.0)(x), like(2.0)(x), x), [0.5, 0.0, -20.0, 3.0], lambda x: 0.5 * scipy.special.hyp1f1(2, 3, x)
    # JAX's series has no derivative at its end.
    yield "hyp1f1/a", lambda a: special.hyp1f1(a, like(2.0)(a), like(0.5)(a)), [1.0, 0.5, -2.0], lambda a: central(lambda a: scipy.special.hyp1f1(a, 2.0, 0.5), a)
    yield "hyp1f1/b", lambda b: special.hyp1f1(like(1.0)(b), b, like(0.5)(b)), [1.0, 2.0, 3.5], None
    yield "sinc", jnp.sinc, REAL[:9], None
    yield "norm.logcdf", stats.norm.logcdf, [0.0, 5.0, 14.0, 20.0, -7.0], None
    yield "maximum", lambda x: jnp.maximum(x, 0), REAL, None
    yield "maximum_1", lambda x: jnp.maximum(x, 1), REAL, None
    yield "relu", jax.nn.relu, REAL, None
    yield "pinv", lambda x: jnp.linalg.pinv(x.reshape(3, 2)) * np.array([[1.0, -2, 3], [0.5, 1, -1]], x.dtype), [1.0, 2, 2, 4, 3, 6], None
    # JAX gives 0 for the first two rows.
    yield "det", lambda x: jnp.linalg.det(x.reshape(4, 4)), [1.0, 2, 3, 4, 2, 4, 6, 8, 1, 0, 1, 0, 0, 1, 1, 3], cofactors
    yield "gamma", lambda a: jax.random.gamma(KEY, a), POSITIVE, None
    yield "loggamma", lambda a: jax.random.loggamma(KEY, a), POSITIVE, None
    # Rows that take another branch: JAX marks the operands of a branch over a batch.
    yield "vmap of cond", jax.vmap(lambda x: jax.lax.cond(x > 0, jnp.log, lambda x: x * 0, x)), [4.0, 0.0, -1.0], None
    branches = [lambda x: x * 2, lambda x: x * 0, jnp.log]
    yield "vmap of switch", jax.vmap(lambda x: jax.lax.switch(jnp.int32(jnp.sign(x)) + 1, branches, x)), [4.0, 0.0, -1.0], None


def listed(array):
    return " ".join(repr(float(x)) for x in np.asarray(array, np.float64).ravel())


def case(name, function, points, truth, dtype):
    x = np.array(points, dtype)

    @jax.jit
    def loss_and_value(x):
        value = function(x)
        return jnp.sum(value), value

    slope, value = jax.grad(loss_and_value, has_aux=True)(x)
    if truth is not None:
        slope = truth(x.astype(np.float64))
    text = loss_and_value.lower(x).as_text().replace(" attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32}", "")
    lines = [f"// {name.replace(' ', '_')} {x.dtype.name}", f"// {listed(x)}", f"// {listed(value)}", f"// {listed(slope)}"]
    return "\n".join([*lines, text])


def main():
    rows = [case(*row, np.float32) for row in cases()]
    with open(TARGET, "w") as file:
        file.write("\n".join(rows))


main()
