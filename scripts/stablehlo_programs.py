"""Writes crates/rlx-stablehlo/tests/data/programs.mlir: small StableHLO programs that check themselves.

Some are lowered by JAX from Python functions, with JAX's results as the expectation; others are written here, with NumPy's
results. Run with JAX and NumPy: python scripts/stablehlo_programs.py
"""

import os

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

jax.config.update("jax_enable_x64", True)

TARGET = os.path.join(os.path.dirname(__file__), "../crates/rlx-stablehlo/tests/data/programs.mlir")
NAMES = {
    "float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "float8_e4m3fn": "f8E4M3FN",
    "float8_e5m2": "f8E5M2", "bool": "i1", "complex64": "complex<f32>", "complex128": "complex<f64>",
    "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "ui8", "uint16": "ui16", "uint32": "ui32", "uint64": "ui64",
}
FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
EVERY = FLOATS + COMPLEX + SIGNED + UNSIGNED + ["bool"]
rng = np.random.default_rng(3)


def ty(array):
    return f"tensor<{''.join(f'{n}x' for n in array.shape)}{NAMES[array.dtype.name]}>"


def number(x):
    kind = np.asarray(x).dtype
    if kind == bool:
        return "true" if x else "false"
    if kind.kind == "c":
        return f"({number(x.real)}, {number(x.imag)})"
    if kind.kind in "iu":
        return str(int(x))
    return "0x" + np.asarray(x).tobytes()[::-1].hex().upper()


def dense(array):
    def nested(a):
        return number(a[()]) if a.ndim == 0 else "[" + ", ".join(nested(b) for b in a) + "]"

    return f"dense<{'' if array.size == 0 else nested(array)}> : {ty(array)}"


def array(dtype, *shape):
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype in SIGNED + UNSIGNED:
        return rng.integers(-9 if dtype in SIGNED else 0, 9, shape).astype(kind)
    values = rng.standard_normal(shape) * 2
    return (values + 1j * rng.standard_normal(shape)).astype(kind) if dtype in COMPLEX else values.astype(kind)


def f32(*shape):
    return array("float32", *shape)


def checks(got, wanted, how):
    lines = []
    for i, want in enumerate(wanted):
        want = np.asarray(want)
        name = how if want.dtype.kind not in "biu" else "expect_eq"
        lines += [
            f"    %want{i} = stablehlo.constant {dense(want)}",
            f"    stablehlo.custom_call @check.{name}({got[i]}, %want{i}) {{has_side_effect = true}} : "
            f"({ty(want)}, {ty(want)}) -> ()",
        ]
    return "\n".join(lines)


def lowered(name, function, *args, how="expect_close", wide=False):
    """A function of arrays, lowered by JAX. With `wide`, the expectation is computed in f64 and rounded once."""
    args = [np.asarray(a) for a in args]
    closed = jax.jit(lambda: function(*[jnp.asarray(a) for a in args]))
    wanted = function(*[jnp.asarray(a, np.float64) if wide else jnp.asarray(a) for a in args])
    wanted = [np.asarray(x) for x in jax.tree.leaves(wanted)]
    if wide:
        wanted = [w if w.dtype == bool else w.astype(args[0].dtype) for w in wanted]
    text = closed.lower().as_text().replace("func.func public @main(", "func.func private @program(")
    count = len(wanted)
    types = ", ".join(ty(w) for w in wanted)
    call = f"    %got{':' + str(count) if count > 1 else ''} = call @program() : () -> ({types})"
    got = [f"%got#{i}" if count > 1 else "%got" for i in range(count)]
    main = f"  func.func public @main() {{\n{call}\n{checks(got, wanted, how)}\n    return\n  }}\n"
    text = text.rstrip()
    assert text.endswith("}")
    return f"// {name}\n{text[:-1]}{main}}}\n"


def written(name, body, args, wanted, how="expect_close", functions=""):
    """A program that is written here: `body` computes %r0, %r1, … from %a, %b, …."""
    lines = [f"    %{n} = stablehlo.constant {dense(np.asarray(a))}" for n, a in args.items()]
    got = [f"%r{i}" for i in range(len(wanted))]
    main = "\n".join(["  func.func public @main() {", *lines, body.strip("\n"), checks(got, wanted, how), "    return", "  }"])
    return f"// {name}\nmodule {{\n{main}\n{functions}}}\n"


def unary_programs():
    # Functions of one tensor on every type that JAX takes for them, and special values of f32.
    near = {"erf_inv": lambda x: x / 8, "asin": lambda x: x / 8, "acos": lambda x: x / 8, "atanh": lambda x: x / 8}
    positive = ["log", "log1p", "sqrt", "rsqrt", "lgamma", "digamma", "acosh"]
    both = "exp expm1 log log1p sqrt rsqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh logistic".split()
    real = "cbrt floor ceil round erf erfc erf_inv lgamma digamma bessel_i0e bessel_i1e is_finite".split()
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5], np.float32)
    for name in both + real:
        for dtype in FLOATS + (COMPLEX if name in both else []):
            if name == "logistic" and dtype in ("float16", "bfloat16"):
                continue  # JAX writes it as several operations, each of which rounds.
            x = array(dtype, 2, 3)
            x = np.abs(x) + 1.5 if name in positive and dtype in FLOATS else x
            x = (near[name](x) if name in near else x).astype(x.dtype)
            yield lowered(f"{name} {dtype}", getattr(lax, name), x, how="expect_almost_eq", wide=dtype in ("float16", "bfloat16"))
        if name not in ("lgamma", "digamma"):
            yield lowered(f"{name} special", getattr(lax, name), special, how="expect_almost_eq")
    for name, dtypes in [
        ("neg", FLOATS + COMPLEX + SIGNED + UNSIGNED), ("sign", FLOATS + COMPLEX + SIGNED + UNSIGNED),
        ("abs", FLOATS + COMPLEX + SIGNED), ("real", COMPLEX), ("imag", COMPLEX), ("conj", COMPLEX),
        ("population_count", SIGNED + UNSIGNED), ("clz", SIGNED + UNSIGNED), ("bitwise_not", SIGNED + UNSIGNED + ["bool"]),
    ]:
        for dtype in dtypes:
            yield lowered(f"{name} {dtype}", getattr(lax, name), array(dtype, 2, 3))


def binary_programs():
    numbers = FLOATS + COMPLEX + SIGNED + UNSIGNED
    bits = SIGNED + UNSIGNED
    table = [
        (["add", "sub", "mul", "max", "min", "eq", "ne"], numbers), (["div"], numbers), (["rem", "lt", "ge"], FLOATS + bits),
        (["pow"], FLOATS + COMPLEX), (["atan2", "nextafter"], FLOATS), (["bitwise_and", "bitwise_or", "bitwise_xor"], bits + ["bool"]),
        (["shift_left", "shift_right_arithmetic", "shift_right_logical"], bits), (["igamma", "igammac"], ["float32", "float64"]),
    ]
    for names, dtypes in table:
        for name in names:
            for dtype in dtypes:
                a, b = array(dtype, 2, 3), array(dtype, 2, 3)
                if name in ("igamma", "igammac", "pow") and dtype in FLOATS:
                    a, b = np.abs(a) + np.asarray(0.5, a.dtype), np.abs(b) + np.asarray(0.5, b.dtype)
                yield lowered(f"{name} {dtype}", getattr(lax, name), a, b, how="expect_almost_eq")
    yield lowered("complex", lax.complex, f32(3), f32(3))
    x, y = np.abs(f32(4)) + 1, np.abs(f32(4)) + 1
    yield lowered("betainc", lax.betainc, x, y, np.array([0.1, 0.5, 0.7, 1.0], np.float32), how="expect_almost_eq")
    yield lowered("zeta", lax.zeta, x + 1, y, how="expect_almost_eq")
    yield lowered("polygamma", lax.polygamma, np.array([0, 1, 2, 3], np.float32), y, how="expect_almost_eq")
    for a in EVERY:
        b = EVERY[(EVERY.index(a) * 7 + 3) % len(EVERY)]
        yield lowered(f"convert {a} {b}", lambda x, b=b: lax.convert_element_type(x, b), array(a, 2, 3))
    yield lowered("bitcast", lambda x: (lax.bitcast_convert_type(x, np.int32), lax.bitcast_convert_type(x, np.uint16)), f32(3))
    yield lowered("reduce_precision", lambda x: lax.reduce_precision(x, 5, 4), f32(8))
    yield lowered("select, clamp", lambda p, x, y: (jnp.where(p, x, y), lax.clamp(jnp.float32(-1), x, jnp.float32(1))),
                  array("bool", 5), f32(5), f32(5))


def shape_programs():
    x = f32(3, 4)
    yield lowered("movements", lambda x: (x.T, x[1:, ::2], jnp.pad(x, ((1, 2), (0, 1))), jnp.flip(x, 1), x.reshape(2, 6),
                                          jnp.concatenate([x, x], 1), jnp.broadcast_to(x[None], (2, 3, 4)), jnp.roll(x, 1, 0)), x)
    yield lowered("pad", lambda x: lax.pad(x, jnp.float32(9), ((1, -1, 2), (-1, 3, 0))), x)
    yield lowered("dynamic slices", lambda x, i: (lax.dynamic_slice(x, (i, i), (2, 2)),
                                                  lax.dynamic_update_slice(x, x[:1, :2], (i, i))), x, np.int32(5))
    yield lowered("iota", lambda: [lax.broadcasted_iota(np.dtype(d), (2, 3), 1) for d in ["int8", "uint32", "float32"]])
    yield lowered("indexing", lambda x, i: (x[i], x[:, i], x[i, i], jnp.take_along_axis(x, i[:, None] % 4, 1)), x, np.array([2, 0, 1]))
    for mode in ["set", "add", "multiply", "min", "max"]:
        for dtype in ["float32", "int32", "complex64", "bfloat16"]:
            if dtype == "complex64" and mode in ("min", "max"):
                continue
            y = array(dtype, 3, 4)
            yield lowered(f"scatter {mode} {dtype}", lambda y, u, mode=mode: getattr(y.at[np.array([0, 2, 0, 7])], mode)(u),
                          y, array(dtype, 4, 4))


def contraction_programs():
    yield lowered("einsum", lambda a, b: jnp.einsum("bij,bjk->bik", a, b), f32(2, 3, 4), f32(2, 4, 2), how="expect_almost_eq")
    yield lowered("dot of types", lambda a, b: lax.dot_general(a, b, (((1,), (0,)), ((), ())), preferred_element_type=np.int32),
                  array("int8", 3, 4), array("int8", 4, 2))
    for name, options in {
        "same": dict(padding="SAME"), "strided": dict(padding=((1, 2), (0, 3)), window_strides=(2, 1)),
        "dilated": dict(padding=((0, 0), (0, 0)), lhs_dilation=(2, 1), rhs_dilation=(1, 2)),
    }.items():
        options = dict(window_strides=(1, 1)) | options
        yield lowered(f"convolution {name}", lambda x, k, options=options: lax.conv_general_dilated(x, k, **options),
                      f32(2, 3, 6, 7), f32(4, 3, 2, 3), how="expect_almost_eq")
    yield lowered("convolution groups", lambda x, k: lax.conv_general_dilated(
        x, k, (1,), "VALID", dimension_numbers=("NWC", "WIO", "NWC"), feature_group_count=2), f32(2, 6, 4), f32(3, 2, 6), how="expect_almost_eq")
    yield lowered("convolution batch groups", lambda x, k: lax.conv_general_dilated(
        x, k, (1,), "VALID", batch_group_count=2), f32(4, 3, 6), f32(6, 3, 2), how="expect_almost_eq")


def reduction_programs():
    for dtype in EVERY:
        x = array(dtype, 3, 4)
        if dtype == "bool":
            yield lowered("reduce bool", lambda x: (jnp.any(x, 0), jnp.all(x, 1)), x)
            continue
        names = [lax.reduce_sum_p, lax.reduce_prod_p] + ([] if dtype in COMPLEX else [lax.reduce_max_p, lax.reduce_min_p])
        yield lowered(f"reduce {dtype}", lambda x, names=names: [
            p.bind(x, axes=(1,), out_sharding=None) if "sum" in p.name else p.bind(x, axes=(1,)) for p in names], x, how="expect_almost_eq",
            wide=dtype in ("bfloat16", "float16"))  # RLX rounds a sum once; XLA's CPU may round in between.
        if dtype not in COMPLEX:
            yield lowered(f"arg {dtype}", lambda x: (lax.argmax(x, 1, np.int32), lax.argmin(x, 0, np.int64)), x)
            yield lowered(f"sort {dtype}", lambda x: (jnp.sort(x, 1), jnp.argsort(x, 0), lax.top_k(x, 2)), x)
    odd = np.array([[np.nan, 1, -0.0, 0.0], [np.inf, -np.inf, np.nan, 2]], np.float32)
    yield lowered("orders of special values", lambda x: (jnp.sort(x, 1), jnp.argmax(x, 1), jnp.argmin(x, 1), lax.top_k(x, 3)), odd)
    yield lowered("sort by two keys", lambda a, b, c: lax.sort((a, b, c), dimension=0, num_keys=2),
                  rng.integers(0, 2, 8).astype(np.float32), rng.integers(0, 3, 8), f32(8))
    yield lowered("any reducer", lambda x, y: lax.reduce((x, y), (jnp.float32(1), jnp.float32(2)),
                  lambda a, b: (a[0] * b[0] + 1, a[1] + b[1] * b[0]), (1,)), f32(3, 4), f32(3, 4))
    yield lowered("with an initial value", lambda x: (lax.reduce(x, jnp.float32(3), lax.add, (0,)), lax.reduce(x, jnp.float32(0), lax.max, (1,))), -np.abs(f32(3, 4)))
    yield lowered("running", lambda x: (jnp.cumsum(x, 0), jnp.cumprod(x, 1), lax.cummax(x, 0), lax.cummin(x, 1, reverse=True), lax.cumlogsumexp(x, 0)),
                  f32(4, 5), how="expect_almost_eq")
    pool = dict(window_dimensions=(2, 3), window_strides=(1, 2))
    yield lowered("windows", lambda x: (
        lax.reduce_window(x, -jnp.inf, lax.max, padding="SAME", **pool), lax.reduce_window(x, 0.0, lax.add, padding=((1, 1), (2, 0)), **pool),
        lax.reduce_window(x, jnp.float32(3), lax.mul, padding="VALID", window_dilation=(1, 2), **pool),
        lax.reduce_window(x, jnp.float32(0), lax.add, padding="VALID", base_dilation=(2, 1), window_dilation=(1, 2), **pool),
    ), f32(4, 9), how="expect_almost_eq")
    yield lowered("gradient of a maximum of windows", jax.grad(lambda x: (lax.reduce_window(
        x, -jnp.inf, lax.max, (2, 2), (2, 2), "SAME") ** 2).sum()), f32(5, 6))


def control_programs():
    yield lowered("while", lambda x: lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1] * 2 + x), (0, x)), f32(3))
    yield lowered("scan", lambda x: lax.scan(lambda c, t: (c * 0.5 + t, c.sum()), jnp.zeros(3, np.float32), x, reverse=True), f32(4, 3))
    yield lowered("cond", lambda p, x: lax.cond(p, lambda y: y + x, lambda y: y * jnp.arange(3, dtype=np.float32), x * 2), np.bool_(False), f32(3))
    yield lowered("switch", lambda i, x: [lax.switch(i + k, [jnp.sin, lambda y: y + 1, lambda y: -y], x) for k in (-3, 0, 1, 9)], np.int32(0), f32(3))
    yield lowered("nested", lambda x: lax.fori_loop(0, 3, lambda i, c: lax.cond(i % 2 == 0, lambda: c + x[i], lambda: lax.fori_loop(
        0, i, lambda j, d: d * 2 + x[j], c)), x[0]), f32(4, 2))
    yield lowered("composite", lambda x: lax.composite(lambda y: jnp.tanh(y) + 1, "my.op")(x), f32(3), how="expect_almost_eq")
    yield lowered("custom_jvp and checkpoint", jax.grad(lambda x: jax.checkpoint(jax.nn.relu)(jax.nn.silu(x)).sum()), f32(5), how="expect_almost_eq")


def numeric_programs():
    for dtype in ["float32", "float64", "complex64", "complex128"]:
        a = array(dtype, 2, 4, 4) + 4 * np.eye(4, dtype=dtype)
        hermitian = a @ np.swapaxes(a, 1, 2).conj()
        how = "expect_almost_eq"
        yield lowered(f"factorizations {dtype}", lambda h: (jnp.linalg.cholesky(h), jnp.linalg.eigvalsh(h)), hermitian, how=how)
        yield lowered(f"lu {dtype}", lambda a: (lax.linalg.lu(a), jnp.linalg.solve(a, a[..., :1]), jnp.linalg.det(a)), a, how=how)
        yield lowered(f"qr {dtype}", lambda a: (jnp.abs(jnp.linalg.qr(a)[1]), jnp.linalg.qr(a)[0] @ jnp.linalg.qr(a)[1]), array(dtype, 4, 3), how=how)
        yield lowered(f"svd {dtype}", lambda a: (jnp.linalg.svd(a, compute_uv=False), (lambda u, s, v: (u * s) @ v)(*jnp.linalg.svd(a, full_matrices=False))), array(dtype, 3, 4), how=how)
        yield lowered(f"triangular {dtype}", lambda a: lax.linalg.triangular_solve(a, a, left_side=False, lower=True, transpose_a=True, conjugate_a=True), a, how=how)
    yield lowered("not positive definite", jnp.linalg.cholesky, -np.eye(3, dtype=np.float32))
    yield lowered("fft", lambda x, z: (jnp.fft.fft(z), jnp.fft.ifft2(z), jnp.fft.rfft(x), jnp.fft.irfft(z, 7)), f32(3, 6), array("complex64", 3, 4), how="expect_almost_eq")
    for kind in ["threefry2x32", "rbg"]:
        yield lowered(f"random {kind}", lambda kind=kind: (lambda k: (
            jax.random.uniform(k, (5,)), jax.random.normal(k, (3,)), jax.random.bits(k, (3,), np.uint8),
            jax.random.randint(k, (4,), 0, 9)))(jax.random.key(7, impl=kind)), how="expect_almost_eq")


def eigen_parts(a):
    """The part that does not depend on the order of eigenvalues or on the sign of vectors."""
    w, left, right = lax.linalg.eig(a)
    t = lambda x: jnp.swapaxes(x, -1, -2)
    spectral = lambda v, w: (v * w[..., None, :]) @ t(v).conj()
    ordered = lambda x: jnp.sort(x, -1)
    wide = a.astype(w.dtype)
    return (ordered(w.real), ordered(w.imag), spectral(right, w) - wide @ right @ t(right).conj() + 1, spectral(right, w),
            spectral(left, w.conj()), ordered(jnp.linalg.eigvals(a).real))


def lapack_programs():
    """Calls of LAPACK routines other than those in `numeric_programs`, in every type that LAPACK supports."""
    how = "expect_almost_eq"
    for dtype in ["float32", "float64", "complex64", "complex128"]:
        a = array(dtype, 2, 4, 4)
        yield lowered(f"eig {dtype}", eigen_parts, a, how=how)
        dl, d, du = array(dtype, 2, 5), array(dtype, 2, 5) + np.asarray(3, dtype), array(dtype, 2, 5)
        yield lowered(f"tridiagonal_solve {dtype}", lax.linalg.tridiagonal_solve, dl, d, du, array(dtype, 2, 5, 3), how=how)
        for m, n in [(5, 3), (3, 5)]:
            yield lowered(f"qr with pivots {dtype} {m} {n}", lambda a: jax.scipy.linalg.qr(a, pivoting=True), array(dtype, 2, m, n), how=how)

        def products(a, c):
            packed, taus = jnp.linalg.qr(a, mode="raw")
            multiply = lambda c, **options: lax.linalg.ormqr(packed.mT, taus, c, **options)
            return (multiply(c), multiply(c, transpose=True), multiply(c.mT, left=False), multiply(c.mT, left=False, transpose=True))

        yield lowered(f"ormqr {dtype}", products, array(dtype, 2, 5, 3), array(dtype, 2, 5, 2), how=how)
    singular = np.zeros((2, 3), np.float32)
    yield lowered("singular tridiagonal_solve", lax.linalg.tridiagonal_solve, singular, singular, singular, f32(2, 3, 1))
    yield lowered("eigenvalues of nan", jnp.linalg.eigvals, np.full((2, 2), np.nan, np.float32))
    yield lowered("qr_multiply", lambda a, c: jax.scipy.linalg.qr_multiply(a, c, mode="right"), f32(4, 3), f32(2, 4), how=how)
    yield lowered("gradient of eigenvalues", jax.grad(lambda a: jnp.abs(jnp.linalg.eigvals(a)).sum()), array("float64", 3, 3), how=how)
    yield lowered("gradient of tridiagonal_solve", jax.grad(lambda d, b: (lax.linalg.tridiagonal_solve(d, 4 + d, d, b) ** 2).sum(), (0, 1)),
                  array("float64", 4), array("float64", 4, 2), how=how)


def written_programs():
    a, b = f32(2, 3), f32(3, 4)
    yield written("dot", "    %r0 = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>", dict(a=a, b=b), [a @ b], how="expect_almost_eq")
    yield written("einsum", '    %r0 = "stablehlo.einsum"(%a, %b) <{einsum_config = "ab,bc->ca"}> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<4x2xf32>', dict(a=a, b=b), [(a @ b).T], how="expect_almost_eq")
    yield written("unary_einsum", '    %r0 = "stablehlo.unary_einsum"(%a) <{einsum_config = "ab->b"}> : (tensor<2x3xf32>) -> tensor<3xf32>', dict(a=a), [a.sum(0)], how="expect_almost_eq")
    yield written("map", '''
    %r0 = "stablehlo.map"(%a, %b) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %c = stablehlo.constant dense<2.0> : tensor<f32>
      %m = stablehlo.multiply %x, %c : tensor<f32>
      %s = stablehlo.add %m, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>''', dict(a=a, b=a * 3), [a * 2 + a * 3])
    yield written("map with a loop", '''
    %r0 = "stablehlo.map"(%a) <{dimensions = array<i64: 0>}> ({
    ^bb0(%x: tensor<i32>):
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %l:2 = stablehlo.while(%n = %x, %c = %zero) : tensor<i32>, tensor<i32> cond {
        %p = stablehlo.compare GT, %n, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %h = stablehlo.shift_right_logical %n, %one : tensor<i32>
        %d = stablehlo.add %c, %one : tensor<i32>
        stablehlo.return %h, %d : tensor<i32>, tensor<i32>
      }
      %f = stablehlo.convert %l#1 : (tensor<i32>) -> tensor<f32>
      stablehlo.return %f : tensor<f32>
    }) : (tensor<3xi32>) -> tensor<3xf32>''', dict(a=np.array([1, 6, 100], np.int32)), [np.array([1, 3, 7], np.float32)])
    x, scale, offset, g = f32(4, 3), f32(3), f32(3), f32(4, 3)
    mean, var = x.mean(0), x.var(0)
    normal = (x - mean) / np.sqrt(var + 0.01)
    attributes = "epsilon = 0.01 : f32, feature_index = 1 : i64"
    yield written("batch_norm_inference", f'    %r0 = "stablehlo.batch_norm_inference"(%x, %s, %o, %m, %v) <{{{attributes}}}> : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>',
                  dict(x=x, s=scale, o=offset, m=mean, v=var), [normal * scale + offset], how="expect_almost_eq")
    yield written("batch_norm_training", f'    %r0, %r1, %r2 = "stablehlo.batch_norm_training"(%x, %s, %o) <{{{attributes}}}> : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)',
                  dict(x=x, s=scale, o=offset), [normal * scale + offset, mean, var], how="expect_almost_eq")
    loss = lambda x, s, o: (((x - x.mean(0)) / jnp.sqrt(x.var(0) + 0.01) * s + o) * g).sum()
    grads = [np.asarray(d) for d in jax.grad(loss, (0, 1, 2))(x, scale, offset)]
    yield written("batch_norm_grad", f'    %r0, %r1, %r2 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) <{{{attributes}}}> : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)',
                  dict(x=x, s=scale, m=mean, v=var, g=g), grads, how="expect_almost_eq")
    yield written("collectives of one", '''
    %q = "stablehlo.all_reduce"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %s = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %r0 = "stablehlo.all_gather"(%q) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %r1 = stablehlo.partition_id : tensor<ui32>
    %r2 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>''',
                  dict(a=a), [a, np.uint32(0), a * 0])
    yield written("sizes as operands", '''
    %s = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
    %l = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %h = stablehlo.constant dense<[0, 2]> : tensor<2xi32>
    %i = stablehlo.constant dense<0> : tensor<2xi32>
    %t = stablehlo.constant dense<2> : tensor<2xi32>
    %o = stablehlo.constant dense<1> : tensor<2xi32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %r0 = stablehlo.dynamic_reshape %a, %s : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<3x2xf32>
    %r1 = stablehlo.dynamic_pad %a, %z, %l, %h, %i : (tensor<2x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<3x5xf32>
    %r2 = stablehlo.real_dynamic_slice %a, %l, %t, %o : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x2xf32>
    %r3 = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi32>) -> tensor<3x2xi32>''',
                  dict(a=a), [a.reshape(3, 2), np.pad(a, ((1, 0), (0, 2))), a[1:2, 0:2], np.tile(np.arange(2, dtype=np.int32), (3, 1))])
    yield written("broadcasting", '''
    %r0 = chlo.broadcast_add %a, %b : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %r1 = "chlo.broadcast_multiply"(%a, %c) <{broadcast_dimensions = array<i64: 0>}> : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
    %r2 = "chlo.constant_like"(%a) <{value = 2.5 : f32}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %r3 = "stablehlo.broadcast"(%b) <{broadcast_sizes = array<i64: 2>}> : (tensor<3xf32>) -> tensor<2x3xf32>''',
                  dict(a=a, b=a[0], c=a[:, 0]), [a + a[0], a * a[:, :1], np.full((2, 3), 2.5, np.float32), np.broadcast_to(a[0], (2, 3))])
    table, rows = f32(2, 5, 3), np.array([[1, 4], [0, 2]], np.int32)
    yield written("torch_index_select", '    %r0 = "stablehlo.torch_index_select"(%t, %i) <{batch_dims = 1 : i64, dim = 1 : i64}> : (tensor<2x5x3xf32>, tensor<2x2xi32>) -> tensor<2x2x3xf32>',
                  dict(t=table, i=rows), [np.stack([table[i][rows[i]] for i in range(2)])])
    yield written("infinities and tuples", '''
    %p = "chlo.is_pos_inf"(%a) : (tensor<4xf32>) -> tensor<4xi1>
    %n = "chlo.is_neg_inf"(%a) : (tensor<4xf32>) -> tensor<4xi1>
    %t = stablehlo.tuple %p, %n : tuple<tensor<4xi1>, tensor<4xi1>>
    %r0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<4xi1>, tensor<4xi1>>) -> tensor<4xi1>
    %r1 = "chlo.is_inf"(%a) : (tensor<4xf32>) -> tensor<4xi1>''',
                  dict(a=np.array([np.inf, -np.inf, np.nan, 1], np.float32)), [np.array([0, 1, 0, 0], bool), np.array([1, 1, 0, 0], bool)])
    # Padding contains the initial value, as the specification says; XLA ignores padding.
    line = f32(4)
    padded = np.concatenate([[2], line, [2]]).astype(np.float32)
    yield written("windows that see the initial value", '''
    %two = stablehlo.constant dense<2.0> : tensor<f32>
    %r0 = "stablehlo.reduce_window"(%a, %two) <{window_dimensions = array<i64: 2>, padding = dense<1> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %m = stablehlo.multiply %x, %y : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>''', dict(a=line), [2 * padded[:-1] * padded[1:]])
    y = f32(5)
    yield written("comparisons by total order", '''
    %r0 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %r1 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>''',
                  dict(a=np.array([-0.0, 1, np.inf, 2], np.float32), b=np.array([0, np.nan, np.nan, 1], np.float32)),
                  [np.array([1, 1, 1, 0], bool), np.zeros(4, bool)])
    yield written("regions that use constants from around", '''
    %two = stablehlo.constant dense<2.0> : tensor<f32>
    %four = stablehlo.multiply %two, %two : tensor<f32>
    %init = stablehlo.constant dense<0.0> : tensor<f32>
    %r0 = "stablehlo.reduce"(%a, %init) <{dimensions = array<i64: 0>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %m = stablehlo.multiply %y, %four : tensor<f32>
      %s = stablehlo.add %x, %m : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<5xf32>, tensor<f32>) -> tensor<f32>
    %r1 = "stablehlo.sort"(%a) <{dimension = 0 : i64}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %p = stablehlo.multiply %x, %x : tensor<f32>
      %q = stablehlo.multiply %y, %y : tensor<f32>
      %c = stablehlo.compare GT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) : (tensor<5xf32>) -> tensor<5xf32>''', dict(a=y), [np.float32(4 * y.sum()), y[np.argsort(-y * y)]], how="expect_almost_eq")


def narrow_programs():
    # Element types whose values RLX stores in wider types. For each float format: every value, all ties between
    # neighbors, the numbers next to ties, and numbers that are too large or too small.
    zeros = lambda y: jnp.signbit(y) & (y == 0)
    for name in "float8_e3m4 float8_e4m3 float8_e4m3fnuz float8_e4m3b11fnuz float8_e5m2fnuz".split():
        kind = np.dtype(getattr(ml_dtypes, name))
        every = np.arange(256, dtype=np.uint8).view(kind)
        numbers = np.unique(every.astype(np.float32)[np.isfinite(every.astype(np.float32))])
        ties = (numbers[1:] + numbers[:-1]) / 2
        step = np.float32(numbers[-1] - numbers[-2])
        ends = numbers[-1] + step * np.array([0.25, 0.4999, 0.5, 0.5001, 1, 1e9], np.float32)
        x = np.concatenate([ties, np.nextafter(ties, np.float32(-np.inf)), np.nextafter(ties, np.float32(np.inf)), ends, -ends,
                            np.array([0.0, -0.0, 1e-40, -1e-40, np.inf, -np.inf, np.nan], np.float32)]).astype(np.float32)
        for wide in ["float32", "float64"]:
            back = lambda x: (y := x.astype(name).astype(wide), zeros(y))
            yield lowered(f"{wide} to {name}", back, x.astype(wide), how="expect_almost_eq")
        integers = np.array([0, 1, -1, 7, 9, 21, -23, 29, 31, 250, 60000, 70000, 2**31 - 1], np.int32)
        yield lowered(f"int32 to {name}", lambda x: x.astype(name).astype(jnp.float32), integers, how="expect_almost_eq")
        yield lowered(f"every {name}", lambda x: (y := x.astype(jnp.float32), zeros(y)), every, how="expect_almost_eq")
        moved = lambda x: jnp.where(x[::-1] < x, x, jnp.concatenate([x[3:], x[:3]])).reshape(16, 16).T[:, 1].astype(jnp.bfloat16)
        yield lowered(f"moved {name}", moved, every, how="expect_almost_eq")
    floats = np.array([0, -0.7, 1, -1.1, 2.5, 3.7, 7.5, 8, -8.6, 14.9, 15.2, 100, -100, 1e30, np.nan, np.inf, -np.inf], np.float32)
    integers = np.array([-300, -17, -9, -8, -3, -1, 0, 1, 2, 3, 7, 8, 15, 16, 300], np.int32)
    for name, wide in [("int2", "int8"), ("int4", "int8"), ("uint2", "uint8"), ("uint4", "uint8")]:
        for x in [floats, floats.astype(np.float64), integers, integers.astype(np.int8), integers > 0]:
            yield lowered(f"{x.dtype.name} to {name}", lambda x: x.astype(name).astype(wide), x)
        few = np.arange(16).astype(np.int8).astype(getattr(ml_dtypes, name))
        rows = lambda x: (x.reshape(4, 4)[jnp.array([2, 0])].T.astype(jnp.float32) @ jnp.array([1.0, -2.0], jnp.float32))
        yield lowered(f"rows of {name}", rows, few)


def main():
    families = [unary_programs, binary_programs, shape_programs, contraction_programs, reduction_programs, control_programs,
                numeric_programs, written_programs, narrow_programs, lapack_programs]
    programs = [program for family in families for program in family()]
    with open(TARGET, "w") as file:
        file.write("// Written by scripts/stablehlo_programs.py.\n// -----\n" + "// -----\n".join(programs))
    print(f"{len(programs)} programs")


main()
