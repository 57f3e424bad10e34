"""Computes the expected derivatives in tests/goldens/*.rlx of rlx-autodiff with JAX.

usage: python scripts/derivative_goldens.py [FAMILY ...]

A case is a program in the text form of RLX and the same function in JAX. It is stored as the program, followed by a graph of
constants: the inputs, the tangents of inputs that have one, the tangents of the outputs (jvp), cotangents of the outputs, the
cotangents of the inputs (vjp), and the tangents of those along the tangents of the inputs (jvp of vjp).
"""

import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
HERE = Path(__file__).resolve().parent.parent / "crates" / "rlx-autodiff" / "tests" / "goldens"
NAMES = {
    "float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "complex128": "c128",
    "complex64": "c64", "int32": "i32", "int64": "i64", "bool": "bool",
}  # fmt: skip


def spelled(x):
    """A tensor type."""
    return f"{NAMES[str(x.dtype)]}[{','.join(map(str, x.shape))}]"


def number(v):
    v = v.item()
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, complex):
        return f"({number(np.float64(v.real))}, {number(np.float64(v.imag))})"
    if isinstance(v, float) and np.isinf(v):
        return "inf" if v > 0 else "-inf"
    return f"{v:.13g}" if isinstance(v, float) and len(repr(v)) > 15 else repr(v)


class Program:
    """Writes a graph line by line. A value is represented by its number."""

    def __init__(self, name):
        self.name, self.lines, self.shapes = name, [], []

    def add(self, line, shape):
        self.lines.append(f"  %{len(self.shapes)} = {line} : {shape}")
        self.shapes.append(shape)
        return len(self.shapes) - 1

    def input(self, x):
        return self.add(f'input {{name = "x{len(self.shapes)}"}}', spelled(x))

    def op(self, mnemonic, args, shape, **attributes):
        inner = ", ".join(f"{k} = {self.attribute(v)}" for k, v in attributes.items())
        operands = ", ".join(f"%{a}" for a in args)
        return self.add(f"{mnemonic} {operands} {{{inner}}}" if inner else f"{mnemonic} {operands}", shape)

    def results(self, mnemonic, args, shapes, **attributes):
        node = self.op(mnemonic, args, f"({', '.join(shapes)})", **attributes)
        return [self.op("output", [node], s, index=i) for i, s in enumerate(shapes)]

    @staticmethod
    def attribute(v):
        if isinstance(v, bool):
            return "true" if v else "false"
        if isinstance(v, (list, tuple)):
            return f"[{', '.join(Program.attribute(x) for x in v)}]"
        return "none" if v is None else str(v)

    def text(self, outputs):
        returned = ", ".join(f"%{o}" for o in outputs)
        return "\n".join([f'graph "{self.name}" {{', *self.lines, f"  return {returned}", "}"])


def constants(name, values):
    p = Program(name)
    outputs = []
    for v in values:
        v = np.asarray(v)
        elements = f"[{', '.join(number(e) for e in v.reshape(-1))}]"
        outputs.append(p.add(f"constant {{value = {spelled(v)} {elements}}}", spelled(v)))
    return p.text(outputs)


RNG = np.random.default_rng(7)
FAMILIES = {}


def normal(*dims, dtype="float64"):
    """Numbers with few digits, so that they are stored exactly."""
    x = RNG.standard_normal(dims).round(2)
    if dtype.startswith("complex"):
        x = x + 1j * RNG.standard_normal(dims).round(2)
    return jnp.asarray(x, dtype=dtype)


def inexact(x):
    return jnp.issubdtype(x.dtype, jnp.inexact)


def case(family, name, build, function, inputs, second=True):
    """`build(program, inputs)` returns the outputs of the program, `function(*inputs)` their values as a tuple."""
    p = Program(name)
    program = p.text(build(p, [p.input(x) for x in inputs]))
    varied = [i for i, x in enumerate(inputs) if inexact(x)]

    def of_varied(*values):
        full = list(inputs)
        for i, v in zip(varied, values):
            full[i] = v
        return tuple(function(*full))

    points = [inputs[i] for i in varied]
    tangents = [normal(*x.shape, dtype=str(x.dtype)) for x in points]
    outputs, pushed = jax.jvp(of_varied, points, tangents)
    cotangents = tuple(normal(*y.shape, dtype=str(y.dtype)) for y in outputs)
    pull = lambda *points: jax.vjp(of_varied, *points)[1](cotangents)
    pulled = pull(*points)
    values = [*inputs, *tangents, *outputs, *pushed, *cotangents, *pulled]
    if second:
        values += jax.jvp(pull, points, tangents)[1]
    FAMILIES.setdefault(family, []).append(program + "\n" + constants(name, values))


def cut(x, dims, dtype=None):
    """The type of a result."""
    return f"{dtype or NAMES[str(x.dtype)]}[{','.join(map(str, dims))}]"


def hermitian(x, lower=True):
    """The Hermitian matrix with the given triangle."""
    strict = jnp.tril(x, -1) if lower else jnp.triu(x, 1)
    return strict + jnp.conj(jnp.swapaxes(strict, -1, -2)) + jnp.real(x) * jnp.eye(x.shape[-1])


def definite(*dims, dtype="float64"):
    x = normal(*dims, dtype=dtype)
    return x @ jnp.conj(jnp.swapaxes(x, -1, -2)) + 2 * jnp.eye(dims[-1], dtype=dtype)


def adjoint(x):
    return jnp.conj(jnp.swapaxes(x, -1, -2))


def transposed(p, x, dims, dtype):
    perm = list(range(len(dims)))
    perm[-1], perm[-2] = perm[-2], perm[-1]
    shape = f"{dtype}[{','.join(str(dims[a]) for a in perm)}]"
    t = p.op("transpose", [x], shape, perm=perm)
    return p.op("unary", [t], shape, op="conj") if dtype.startswith("c") else t


def linalg():
    for dtype in ["float64", "complex128"]:
        n = NAMES[dtype]
        for lower in [True, False]:
            for dims in [(3, 3), (2, 4, 4)]:
                a = definite(*dims, dtype=dtype)
                # The other triangle must not matter.
                a = a + 0.5 * (jnp.triu(normal(*dims), 1) if lower else jnp.tril(normal(*dims), -1))

                def f(a, lower=lower):
                    l = jnp.linalg.cholesky(hermitian(a, lower))
                    return [l if lower else adjoint(l)]

                build = lambda p, x, lower=lower: [p.op("cholesky", x, p.shapes[x[0]], lower=lower)]
                case("linalg", f"cholesky_{n}_{'lower' if lower else 'upper'}_{len(dims)}", build, f, [a])
        for left in [True, False]:
            for lower in [True, False]:
                for transpose in ["none", "transpose", "adjoint"]:
                    for unit in [True, False]:
                        lead = (2,) if transpose == "adjoint" else ()
                        a = normal(*lead, 3, 3, dtype=dtype) + 3 * jnp.eye(3)
                        b = normal(*lead, *((3, 2) if left else (2, 3)), dtype=dtype)

                        def f(a, b, left=left, lower=lower, transpose=transpose, unit=unit):
                            return [jax.lax.linalg.triangular_solve(
                                a, b, left_side=left, lower=lower, transpose_a=transpose != "none",
                                conjugate_a=transpose == "adjoint", unit_diagonal=unit)]

                        build = lambda p, x, left=left, lower=lower, transpose=transpose, unit=unit: [
                            p.op("triangular_solve", x, p.shapes[x[1]], left_side=left, lower=lower,
                                 unit_diagonal=unit, transpose=transpose)]
                        flags = "_".join(k for k, v in [("left", left), ("lower", lower), ("unit", unit)] if v)
                        case("linalg", f"triangular_solve_{n}_{transpose}_{flags}", build, f, [a, b])
        for dims in [(3, 3), (4, 2), (2, 4), (2, 3, 3), (2, 4, 3)]:
            a = normal(*dims, dtype=dtype)
            k = min(dims[-2:])

            def build(p, x, dims=dims, k=k, n=n):
                shapes = [p.shapes[x[0]], f"i32[{','.join(map(str, [*dims[:-2], k]))}]",
                          f"i32[{','.join(map(str, dims[:-1]))}]"]
                return p.results("lu", x, shapes)[:1]

            case("linalg", f"lu_{n}_{'x'.join(map(str, dims))}", build, lambda a: [jax.lax.linalg.lu(a)[0]], [a])
            for full in [False, True]:
                m, c = dims[-2:]
                inner = m if full else k

                def build(p, x, dims=dims, full=full, n=n, m=m, c=c, inner=inner):
                    lead = ",".join(map(str, dims[:-2])) + ("," if dims[:-2] else "")
                    return p.results("qr", x, [f"{n}[{lead}{m},{inner}]", f"{n}[{lead}{inner},{c}]"],
                                     full_matrices=full)

                f = lambda a, full=full: jax.lax.linalg.qr(a, full_matrices=full)
                case("linalg", f"qr_{n}_{'full_' if full else ''}{'x'.join(map(str, dims))}", build, f, [a])
        for lower in [True, False]:
            a = normal(2, 3, 3, dtype=dtype)
            weights = normal(2, 3)

            def build(p, x, n=n, lower=lower):
                values, vectors = p.results("eigh", x[:1], ["f64[2,3]", f"{n}[2,3,3]"], lower=lower)
                scaled = p.op("unary", [values], "f64[2,3]", op="sin")
                scaled = p.op("broadcast_in_dim", [scaled], "f64[2,3,3]", dims=[2, 3, 3], axes=[0, 2])
                scaled = p.op("convert", [scaled], f"{n}[2,3,3]", dtype=n)
                left = p.op("binary", [vectors, scaled], f"{n}[2,3,3]", op="mul")
                right = transposed(p, vectors, (2, 3, 3), n)
                return [values, p.op("matmul", [left, right], f"{n}[2,3,3]")]

            def f(a, lower=lower):
                values, vectors = jnp.linalg.eigh(hermitian(a, lower), symmetrize_input=False)
                return values, (vectors * jnp.sin(values)[..., None, :]) @ adjoint(vectors)

            case("linalg", f"eigh_{n}_{'lower' if lower else 'upper'}", build, f, [a])
        for dims in [(3, 3), (4, 2), (2, 4), (2, 4, 3)]:
            a = normal(*dims, dtype=dtype)
            lead, (m, c), k = dims[:-2], dims[-2:], min(dims[-2:])
            shape = lambda t, *d, lead=lead: f"{t}[{','.join(map(str, [*lead, *d]))}]"

            def build(p, x, shape=shape, lead=lead, m=m, c=c, k=k, n=n):
                u, s, v = p.results("svd", x, [shape(n, m, k), shape("f64", k), shape(n, k, c)], full_matrices=False)
                g = p.op("unary", [s], shape("f64", k), op="sin")
                axes = [*range(len(lead)), len(lead) + 1]
                g = p.op("broadcast_in_dim", [g], shape("f64", m, k), dims=[*lead, m, k], axes=axes)
                g = p.op("convert", [g], shape(n, m, k), dtype=n)
                left = p.op("binary", [u, g], shape(n, m, k), op="mul")
                return [s, p.op("matmul", [left, v], shape(n, m, c))]

            def f(a):
                u, s, v = jnp.linalg.svd(a, full_matrices=False)
                return s, (u * jnp.sin(s)[..., None, :]) @ v

            case("linalg", f"svd_{n}_{'x'.join(map(str, dims))}", build, f, [a])
        solves = [("dense_solve", (3, 3), (3,)), ("dense_solve", (3, 3), (3, 2)),
                  ("batched_dense_solve", (2, 3, 3), (2, 3)), ("batched_dense_solve", (2, 3, 3), (2, 3, 2))]
        for op, da, db in solves:
            build = lambda p, x, op=op: [p.op(op, x, p.shapes[x[1]])]

            def f(a, b):
                x = jnp.linalg.solve(a, b if b.ndim == a.ndim else b[..., None])
                return [x.reshape(b.shape)]

            case("linalg", f"{op}_{n}_{len(db)}", build, f, [normal(*da, dtype=dtype), normal(*db, dtype=dtype)])


def reflections(a):
    """The packed Householder factorization of one matrix, column by column, as LAPACK's geqrf."""
    m, n = a.shape
    taus = []
    for k in range(min(m, n)):
        alpha, below = a[k, k], a[k + 1 :, k]
        if k + 1 == m and not jnp.iscomplexobj(a):
            taus.append(jnp.zeros((), a.dtype))
            continue
        norm = jnp.sqrt(jnp.sum(jnp.abs(a[k:, k]) ** 2))
        beta = jnp.where(jnp.signbit(alpha.real), norm, -norm)
        tau = (beta - alpha) / beta
        tail = below / (alpha - beta)
        v = jnp.concatenate([jnp.zeros(k, a.dtype), jnp.ones(1, a.dtype), tail])
        rest = a[:, k + 1 :]
        rest = rest - jnp.conj(tau) * jnp.outer(v, jnp.conj(v) @ rest)
        column = jnp.concatenate([a[:k, k], beta[None].astype(a.dtype), tail])
        a = jnp.concatenate([a[:, :k], column[:, None], rest], axis=1)
        taus.append(tau)
    return a, jnp.stack(taus)


def reflectors(a, taus):
    """The first columns of the product of the reflectors."""
    q = jnp.eye(*a.shape, dtype=a.dtype)
    for k in reversed(range(taus.shape[0])):
        v = jnp.concatenate([jnp.zeros(k, a.dtype), jnp.ones(1, a.dtype), a[k + 1 :, k]])
        q = q - taus[k] * jnp.outer(v, jnp.conj(v) @ q)
    return q


def householder():
    for dtype in ["float64", "complex128"]:
        for dims in [(3, 3), (4, 2), (2, 4), (4, 1), (2, 4, 3)]:
            lead, (m, n), t = dims[:-2], dims[-2:], NAMES[dtype]
            many = lambda f, lead=lead: jax.vmap(f) if lead else f
            name = f"{t}_{'x'.join(map(str, dims))}"
            factors = cut(jnp.zeros(0, dtype), [*lead, min(m, n)])
            build = lambda p, x, factors=factors: p.results("geqrf", x, [p.shapes[x[0]], factors])
            case("householder", f"geqrf_{name}", build, many(reflections), [normal(*dims, dtype=dtype)])
            for k in {n, n - 1} if n <= m else []:
                build = lambda p, x: [p.op("householder_product", x, p.shapes[x[0]])]
                f = lambda a, taus, many=many: [many(reflectors)(a, taus)]
                inputs = [normal(*dims, dtype=dtype), normal(*lead, k, dtype=dtype)]
                case("householder", f"householder_product_{k}_{name}", build, f, inputs)


def fourier():
    for lengths in [(5,), (6,), (1,), (2,), (3, 4), (4, 5), (2, 3, 4)]:
        half = (*lengths[:-1], lengths[-1] // 2 + 1)
        axes = tuple(range(-len(lengths), 0))
        kinds = {
            "fft": (normal(2, *lengths, dtype="complex128"), lambda x, axes=axes: jnp.fft.fftn(x, axes=axes)),
            "ifft": (normal(2, *lengths, dtype="complex128"), lambda x, axes=axes: jnp.fft.ifftn(x, axes=axes)),
            "rfft": (normal(2, *lengths), lambda x, axes=axes: jnp.fft.rfftn(x, axes=axes)),
            "irfft": (normal(2, *half, dtype="complex128"),
                      lambda x, axes=axes, lengths=lengths: jnp.fft.irfftn(x, s=lengths, axes=axes)),
        }
        for kind, (x, f) in kinds.items():
            out = jax.eval_shape(f, x)
            build = lambda p, x, out=out, kind=kind, lengths=lengths: [
                p.op("fft", x, spelled(out), kind=kind, lengths=list(lengths))]
            case("fourier", f"{kind}_{'x'.join(map(str, lengths))}", build, lambda x, f=f: [f(x)], [x])


def contraction():
    dots = [
        ((3, 4), (4, 2), [], [], [1], [0]), ((3, 4), (2, 4), [], [], [1], [1]),
        ((4, 3), (4, 2), [], [], [0], [0]), ((2, 3, 4), (2, 4, 5), [0], [0], [2], [1]),
        ((2, 3, 4), (4, 5, 2), [0], [2], [2], [0]), ((2, 3, 2, 5), (5, 3, 2, 2), [1], [1], [3, 0], [0, 2]),
        ((2, 3), (4,), [], [], [], []), ((3,), (3,), [], [], [0], [0]), ((2, 0), (0, 3), [], [], [1], [0]),
        ((3, 2, 4), (4, 2, 3), [1], [1], [0, 2], [2, 0]),
    ]
    for i, (dl, dr, lb, rb, lc, rc) in enumerate(dots):
        for dtype, wide in [("float64", None), ("complex128", None), ("float32", "f64"), ("bfloat16", "f32")]:
            preferred = {"f64": jnp.float64, "f32": jnp.float32, None: None}[wide]
            f = lambda a, b, dims=((lc, rc), (lb, rb)), preferred=preferred: [
                jax.lax.dot_general(a, b, dims, preferred_element_type=preferred)]
            inputs = [normal(*dl, dtype=dtype), normal(*dr, dtype=dtype)]
            out = jax.eval_shape(f, *inputs)[0]
            build = lambda p, x, out=out, lb=lb, rb=rb, lc=lc, rc=rc, wide=wide: [
                p.op("dot_general", x, spelled(out), lhs_batch=lb, rhs_batch=rb, lhs_contract=lc,
                     rhs_contract=rc, dtype=wide)]
            case("contraction", f"dot_general_{i}_{NAMES[dtype]}", build, f, inputs)
    for i, (dl, dr) in enumerate([((3, 4), (4, 2)), ((4,), (4,)), ((4,), (4, 2)), ((3, 4), (4,)),
                                  ((2, 3, 4), (4, 2)), ((2, 3, 4), (2, 4, 2)), ((4,), (2, 4, 3)),
                                  ((5, 1, 3, 4), (2, 4, 2)), ((3, 4), (2, 4, 2))]):
        inputs = [normal(*dl), normal(*dr)]
        out = jax.eval_shape(jnp.matmul, *inputs)
        build = lambda p, x, out=out: [p.op("matmul", x, spelled(out))]
        case("contraction", f"matmul_{i}", build, lambda a, b: [jnp.matmul(a, b)], inputs)
    for i, sizes in enumerate([(2, 1, 3), (0, 4, 1), (1, 0, 0), (6, 3, 1)]):
        inputs = [normal(6, 2), normal(3, 2, 4), jnp.asarray(sizes, dtype="int32")]
        build = lambda p, x: [p.op("ragged_dot", x, "f64[6,4]", dtype=None)]

        def f(a, b, sizes):
            ends = jnp.cumsum(sizes)
            row = jnp.arange(6)
            inside = (row[None] >= (ends - sizes)[:, None]) & (row[None] < ends[:, None])
            return [jnp.einsum("gm,mk,gkn->mn", inside.astype(a.dtype), a, b)]

        case("contraction", f"ragged_dot_{i}", build, f, inputs)


def convolution():
    one = dict(strides=[1], padding=[(0, 0)], ld=[1], rd=[1])
    cases = [
        # x, kernel, dimension numbers, and the differences from `one`
        ((2, 3, 8), (4, 3, 3), ("NCH", "OIH", "NCH"), dict()),
        ((2, 3, 8), (4, 3, 3), ("NCH", "OIH", "NCH"), dict(strides=[2], padding=[(1, 2)])),
        ((2, 3, 9), (4, 3, 3), ("NCH", "OIH", "NCH"), dict(strides=[3], padding=[(-1, 1)], rd=[2])),
        ((2, 3, 5), (4, 3, 3), ("NCH", "OIH", "NCH"), dict(ld=[3], padding=[(2, -1)])),
        ((2, 3, 5), (4, 3, 2), ("NCH", "OIH", "NCH"), dict(ld=[2], rd=[3], strides=[2], padding=[(3, 1)])),
        ((2, 4, 7), (6, 2, 3), ("NCH", "OIH", "NCH"), dict(fg=2, padding=[(1, 1)])),
        ((2, 3, 7), (6, 1, 3), ("NCH", "OIH", "NCH"), dict(fg=3, strides=[2])),
        ((4, 3, 7), (6, 3, 3), ("NCH", "OIH", "NCH"), dict(bg=2, padding=[(0, 2)])),
        ((4, 3, 7), (4, 3, 3), ("NCH", "OIH", "NCH"), dict(bg=4, strides=[2], reversal=[True])),
        ((2, 3, 8), (4, 3, 3), ("NCH", "OIH", "NCH"), dict(reversal=[True], strides=[2], padding=[(1, 0)])),
        ((1, 2, 2), (3, 2, 5), ("NCH", "OIH", "NCH"), dict()),
        ((2, 5, 6, 3), (3, 2, 3, 4), ("NHWC", "HWIO", "NHWC"),
         dict(strides=[2, 1], padding=[(1, 1), (0, 2)], ld=[1, 2], rd=[1, 2])),
        ((5, 2, 6, 4), (2, 3, 2, 6), ("HNWC", "IHWO", "CNWH"),
         dict(strides=[1, 2], padding=[(1, 0), (1, 1)], ld=[1, 1], rd=[1, 1], fg=2, reversal=[False, True])),
        ((4, 6, 5, 2), (3, 2, 2, 4), ("NHWC", "HWIO", "NHWC"),
         dict(strides=[1, 1], padding=[(-1, 0), (0, -1)], ld=[1, 1], rd=[1, 1], bg=2)),
        ((2, 2, 4, 3, 5), (3, 2, 2, 2, 3), ("NCDHW", "OIDHW", "NCDHW"),
         dict(strides=[2, 1, 2], padding=[(1, 0), (0, 1), (1, 1)], ld=[1, 2, 1], rd=[2, 1, 1])),
    ]
    for i, (dx, dk, spec, given) in enumerate(cases):
        options = one | given
        rank = len(dx) - 2
        reversal = options.get("reversal", [False] * rank)
        fg, bg = options.get("fg", 1), options.get("bg", 1)
        spatial = [c for c in spec[0] if c not in "NC"]
        kernel_axes = [spec[1].index(c) for c in spatial]

        def f(x, k, options=options, spec=spec, reversal=reversal, kernel_axes=kernel_axes, fg=fg, bg=bg):
            k = jnp.flip(k, [a for a, r in zip(kernel_axes, reversal) if r])
            return [jax.lax.conv_general_dilated(
                x, k, options["strides"], options["padding"], options["ld"], options["rd"], spec,
                feature_group_count=fg, batch_group_count=bg)]

        for dtype in ["float64"] + (["complex128"] if i in (4, 11) else []):
            inputs = [normal(*dx, dtype=dtype), normal(*dk, dtype=dtype)]
            out = jax.eval_shape(f, *inputs)[0]

            def build(p, x, out=out, options=options, spec=spec, reversal=reversal, kernel_axes=kernel_axes,
                      fg=fg, bg=bg, spatial=spatial):
                return [p.op(
                    "convolution", x, spelled(out), strides=options["strides"], lhs_dilation=options["ld"],
                    rhs_dilation=options["rd"], low=[l for l, _ in options["padding"]],
                    high=[h for _, h in options["padding"]], reversal=reversal,
                    lhs_batch_dim=spec[0].index("N"), lhs_feature_dim=spec[0].index("C"),
                    lhs_spatial_dims=[spec[0].index(c) for c in spatial],
                    rhs_in_dim=spec[1].index("I"), rhs_out_dim=spec[1].index("O"), rhs_spatial_dims=kernel_axes,
                    out_batch_dim=spec[2].index("N"), out_feature_dim=spec[2].index("C"),
                    out_spatial_dims=[spec[2].index(c) for c in spatial], feature_groups=fg, batch_groups=bg,
                    dtype=None)]

            case("convolution", f"convolution_{i}_{NAMES[dtype]}", build, f, inputs)


def normalization():
    same = lambda op, **attributes: lambda p, x: [p.op(op, x, p.shapes[x[0]], **attributes)]
    for axis in [0, 1, 2]:
        x = [3 * normal(2, 3, 4)]
        case("normalization", f"softmax_{axis}", same("softmax", axis=axis), lambda x, axis=axis: [jax.nn.softmax(x, axis)], x)
        case("normalization", f"log_softmax_{axis}", same("log_softmax", axis=axis),
             lambda x, axis=axis: [jax.nn.log_softmax(x, axis)], x)
    for axes, keep in [((0,), False), ((1, 2), True), ((0, 2), False)]:
        f = lambda x, axes=axes, keep=keep: [jax.nn.logsumexp(x, axes, keepdims=keep)]
        x = [3 * normal(2, 3, 4)]
        out = jax.eval_shape(f, *x)[0]
        build = lambda p, x, axes=axes, keep=keep, out=out: [
            p.op("logsumexp", x, spelled(out), axes=list(axes), keep_dims=keep)]
        case("normalization", f"logsumexp_{len(axes)}_{keep}", build, f, x)

    def scored(x, axes, centered):
        x = x - x.mean(axes, keepdims=True) if centered else x
        return x / jnp.sqrt((x * x).mean(axes, keepdims=True) + 0.01)

    for axis in [1, 2]:
        axes, dims = tuple(range(axis, 3)), (2, 3, 4)
        for count in [0, 1, 2]:
            weights = [normal(*dims[axis:]) for _ in range(count)]

            def f(x, *w, axes=axes):
                y = scored(x, axes, True)
                y = y * w[0] if w else y
                return [y + w[1] if len(w) > 1 else y]

            case("normalization", f"layer_norm_{axis}_{count}", same("layer_norm", axis=axis, eps=0.01), f,
                 [normal(*dims), *weights])
            if count < 2:
                f = lambda x, *w, axes=axes: [scored(x, axes, False) * (w[0] if w else 1.0)]
                case("normalization", f"rms_norm_{axis}_{count}", same("rms_norm", axis=axis, eps=0.01), f,
                     [normal(*dims), *weights])


def attention():
    def f(q, k, v, *rest, heads=None, kv=None, scale=None, mask="none", window=None, softcap=None):
        m = rest[0] if mask in ("custom", "bias") else None
        length = rest[m is not None:]
        rank = q.ndim
        if rank == 3:
            split = lambda x, n: x.reshape(*x.shape[:2], n, -1).transpose(0, 2, 1, 3)
            q, k, v = split(q, heads), split(k, kv or heads), split(v, kv or heads)
        group = q.shape[1] // k.shape[1]
        k, v = jnp.repeat(k, group, 1), jnp.repeat(v, group, 1)
        s = jnp.einsum("bhqd,bhkd->bhqk", q, k) * (scale or q.shape[-1] ** -0.5)
        s = softcap * jnp.tanh(s / softcap) if softcap else s
        sq, sk = s.shape[2:]
        # The number of keys that count for each sequence; queries are the last of them.
        count = jnp.broadcast_to(jnp.clip(jnp.asarray(length[0] if length else sk), 0, sk), q.shape[:1])[:, None, None, None]
        age = (jnp.arange(sq)[:, None] + count - sq) - jnp.arange(sk)[None]
        keep = jnp.broadcast_to(jnp.arange(sk) < count, s.shape)
        if m is not None and m.ndim == 2:
            m = m[:, None, None, :]
        if mask in ("causal", "sliding_window"):
            keep = keep & (age >= 0) & (age < (window or sk + sq))
        elif mask == "custom":
            keep = keep & (m != 0)
        elif mask == "bias":
            s = s + m
        top = jax.lax.stop_gradient(jnp.where(keep, s, -1e30).max(-1, keepdims=True))
        e = jnp.where(keep, jnp.exp(jnp.where(keep, s - top, 0)), 0)
        total = e.sum(-1, keepdims=True)
        w = e / jnp.where(total == 0, 1, total)
        out = jnp.einsum("bhqk,bhkd->bhqd", w, v)
        return [out.transpose(0, 2, 1, 3).reshape(out.shape[0], sq, -1) if rank == 3 else out]

    boolean = lambda *dims: jnp.asarray(RNG.random(dims) < 0.6)
    four = lambda h, kv, sq=3, sk=4: [normal(2, h, sq, 2), normal(2, kv, sk, 2), normal(2, kv, sk, 3)]
    empty = boolean(2, 1, 3, 4).at[1, 0, 1].set(False)
    cases = {
        "plain": (four(2, 2), {}),
        "scaled": (four(1, 1), dict(scale=0.7)),
        "causal": (four(2, 2), dict(mask="causal")),
        "causal_long": (four(2, 1, 4, 3), dict(mask="causal")),
        "window": (four(2, 2), dict(mask="sliding_window", window=2)),
        "grouped": (four(4, 2), dict(mask="causal")),
        "capped": (four(2, 2), dict(softcap=1.5)),
        "capped_causal": (four(2, 1), dict(softcap=1.5, mask="causal")),
        "custom": ([*four(2, 2), empty], dict(mask="custom")),
        "custom_keys": ([*four(2, 2), boolean(2, 4)], dict(mask="custom")),
        "custom_numbers": ([*four(2, 2), boolean(3, 4).astype("int32").reshape(1, 3, 4)], dict(mask="custom")),
        "bias": ([*four(2, 2), normal(2, 2, 3, 4)], dict(mask="bias")),
        "bias_shared": ([*four(4, 2), normal(1, 4, 3, 4)], dict(mask="bias", softcap=2.0)),
        "bias_matrix": ([*four(2, 2), normal(1, 3, 1)], dict(mask="bias")),
        "bias_keys": ([*four(2, 2), normal(2, 4)], dict(mask="bias")),
        "merged": ([normal(2, 3, 4), normal(2, 4, 4), normal(2, 4, 6)], dict(heads=2)),
        "merged_grouped": ([normal(2, 3, 8), normal(2, 4, 4), normal(2, 4, 2)],
                           dict(heads=4, kv=2, mask="causal")),
        "lengths": ([*four(2, 2), jnp.asarray([4, 2], "int32")], {}),
        "lengths_causal": ([*four(4, 2), jnp.asarray([0, 3], "int32")], dict(mask="causal")),
        "lengths_window": ([*four(2, 1), jnp.asarray([9, 1], "int32")], dict(mask="sliding_window", window=2, softcap=1.5)),
        "lengths_custom": ([*four(2, 2), boolean(2, 4), jnp.asarray([3, -1], "int32")], dict(mask="custom")),
        "lengths_bias": ([*four(2, 2), normal(1, 2, 3, 4), jnp.asarray([3, 2], "int32")], dict(mask="bias")),
        "length_of_all": ([normal(2, 3, 8), normal(2, 4, 4), normal(2, 4, 2), jnp.asarray(3, "int32")],
                          dict(heads=4, kv=2, mask="causal")),
    }  # fmt: skip
    for name, (inputs, options) in cases.items():
        g = lambda *x, options=options: f(*x, **options)
        out = jax.eval_shape(g, *inputs)[0]
        build = lambda p, x, out=out, o=options: [p.op(
            "attention", x, spelled(out), num_heads=o.get("heads"), num_kv_heads=o.get("kv"),
            scale=o.get("scale"), mask=o.get("mask", "none"), window=o.get("window"), softcap=o.get("softcap"), kv_scheme=None)]
        case("attention", f"attention_{name}", build, g, inputs)


def main():
    families = dict(linalg=linalg, householder=householder, fourier=fourier, contraction=contraction, convolution=convolution,
                    normalization=normalization, attention=attention)
    chosen = sys.argv[1:] or list(families)
    HERE.mkdir(parents=True, exist_ok=True)
    for name in chosen:
        global RNG
        RNG = np.random.default_rng(sum(name.encode()))
        families[name]()
        (HERE / f"{name}.rlx").write_text("\n".join(FAMILIES[name]) + "\n")


if __name__ == "__main__":
    main()
