"""The ops in terms of `jax.lax` functions. A rule takes the operands, the attributes and the result shapes. Rules work on traced
values, so the bodies of control flow can be interpreted with the same rules."""

import jax.numpy as jnp
import numpy as np
from jax import lax

RULES = {}


def rule(*names):
    def register(function):
        for name in names:
            RULES[name] = function
        return function

    return register


def interpret(graph, args, rules=RULES):
    """The outputs of a parsed graph for the values of its inputs, in order."""
    env = {}
    args = iter(args)
    for node in graph.nodes:
        if node.op == "input":
            env[node.id] = [next(args)]
        elif node.op == "output":
            env[node.id] = [env[node.inputs[0]][node.attrs["index"]]]
        else:
            operands = [env[i][0] for i in node.inputs]
            results = rules[node.op](operands, node.attrs, node.results)
            env[node.id] = list(results) if isinstance(results, (list, tuple)) else [results]
    return [env[o][0] for o in graph.outputs]


# ---- leaves ---------------------------------------------------------------------------------------------------


@rule("constant")
def constant(operands, attrs, results):
    return jnp.asarray(attrs["value"])


@rule("iota")
def iota(operands, attrs, results):
    shape = attrs["shape"]
    return lax.broadcasted_iota(shape.dtype, shape.dims, attrs["axis"])


@rule("dim_size")
def dim_size(operands, attrs, results):
    return np.int64(operands[0].shape[attrs["axis"]])


# ---- elementwise ----------------------------------------------------------------------------------------------

ELEMENTWISE = {
    "neg": lax.neg,
    "abs": lax.abs,
    "sign": lax.sign,
    "floor": lax.floor,
    "ceil": lax.ceil,
    "round_even": lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN),
    "round_away": lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO),
    "exp": lax.exp,
    "expm1": lax.expm1,
    "log": lax.log,
    "log1p": lax.log1p,
    "sqrt": lax.sqrt,
    "rsqrt": lax.rsqrt,
    "cbrt": lax.cbrt,
    "sin": lax.sin,
    "cos": lax.cos,
    "tan": lax.tan,
    "asin": lax.asin,
    "acos": lax.acos,
    "atan": lax.atan,
    "sinh": lax.sinh,
    "cosh": lax.cosh,
    "tanh": lax.tanh,
    "asinh": lax.asinh,
    "acosh": lax.acosh,
    "atanh": lax.atanh,
    "logistic": lax.logistic,
    "erf": lax.erf,
    "erfc": lax.erfc,
    "erf_inv": lax.erf_inv,
    "lgamma": lax.lgamma,
    "digamma": lax.digamma,
    "bessel_i0e": lax.bessel_i0e,
    "bessel_i1e": lax.bessel_i1e,
    "is_finite": lambda x: jnp.isfinite(x),
    "not": lax.bitwise_not,
    "popcnt": lax.population_count,
    "clz": lax.clz,
    "real": jnp.real,
    "imag": jnp.imag,
    "conj": jnp.conj,
    "add": lax.add,
    "sub": lax.sub,
    "mul": lax.mul,
    "div": lax.div,
    "rem": lax.rem,
    "pow": lax.pow,
    "max": lax.max,
    "min": lax.min,
    "atan2": lax.atan2,
    "nextafter": lax.nextafter,
    "and": lax.bitwise_and,
    "or": lax.bitwise_or,
    "xor": lax.bitwise_xor,
    "shift_left": lax.shift_left,
    "shift_right_arithmetic": lax.shift_right_arithmetic,
    "shift_right_logical": lax.shift_right_logical,
    "complex": lax.complex,
    "polygamma": lax.polygamma,
    "zeta": lax.zeta,
    "igamma": lax.igamma,
    "igammac": lax.igammac,
    "clamp": lax.clamp,
    "betainc": lax.betainc,
    "select": lax.select,
}


# StableHLO's sum and product of booleans, which lax does not support.
OF_BOOLEANS = {"add": lax.bitwise_or, "mul": lax.bitwise_and}


def _elementwise(name, function):
    def apply(operands, attrs, results):
        boolean = results[0].dtype == np.bool_
        return OF_BOOLEANS.get(name, function)(*operands) if boolean else function(*operands)

    return apply


for _name, _function in ELEMENTWISE.items():
    RULES[_name] = _elementwise(_name, _function)

COMPARE = {"eq": lax.eq, "ne": lax.ne, "lt": lax.lt, "le": lax.le, "gt": lax.gt, "ge": lax.ge}
TOTAL = {
    "eq": lambda a, b: lax.eq_to_p.bind(a, b),
    "ne": lambda a, b: ~lax.eq_to_p.bind(a, b),
    "lt": lambda a, b: lax.lt_to_p.bind(a, b),
    "le": lambda a, b: lax.le_to_p.bind(a, b),
    "gt": lambda a, b: lax.lt_to_p.bind(b, a),
    "ge": lambda a, b: lax.le_to_p.bind(b, a),
}


@rule("compare")
def compare(operands, attrs, results):
    table = TOTAL if attrs["total_order"] else COMPARE
    return table[attrs["op"]](*[jnp.asarray(x) for x in operands])


# ---- element types --------------------------------------------------------------------------------------------


@rule("convert")
def convert(operands, attrs, results):
    return lax.convert_element_type(operands[0], attrs["dtype"])


@rule("bitcast_convert")
def bitcast_convert(operands, attrs, results):
    return lax.bitcast_convert_type(operands[0], attrs["dtype"])


@rule("reduce_precision")
def reduce_precision(operands, attrs, results):
    return lax.reduce_precision(operands[0], attrs["exponent_bits"], attrs["mantissa_bits"])


# ---- shape ----------------------------------------------------------------------------------------------------


@rule("reshape")
def reshape(operands, attrs, results):
    return lax.reshape(operands[0], attrs["dims"])


@rule("transpose")
def transpose(operands, attrs, results):
    return lax.transpose(operands[0], attrs["perm"])


@rule("broadcast_in_dim")
def broadcast_in_dim(operands, attrs, results):
    axes = attrs["axes"]
    # lax needs ascending axes; a transposition gives the others.
    order = sorted(range(len(axes)), key=lambda i: axes[i])
    return lax.broadcast_in_dim(lax.transpose(operands[0], order), attrs["dims"], sorted(axes))


@rule("slice")
def slice_(operands, attrs, results):
    return lax.slice(operands[0], attrs["starts"], attrs["limits"], attrs["strides"])


@rule("pad")
def pad(operands, attrs, results):
    return lax.pad(operands[0], operands[1], list(zip(attrs["low"], attrs["high"], attrs["interior"])))


@rule("concatenate")
def concatenate(operands, attrs, results):
    return lax.concatenate(operands, attrs["axis"])


@rule("reverse")
def reverse(operands, attrs, results):
    return lax.rev(operands[0], attrs["axes"])


@rule("dynamic_slice")
def dynamic_slice(operands, attrs, results):
    return lax.dynamic_slice(operands[0], operands[1:], attrs["sizes"], allow_negative_indices=False)


@rule("dynamic_update_slice")
def dynamic_update_slice(operands, attrs, results):
    return lax.dynamic_update_slice(operands[0], operands[1], operands[2:], allow_negative_indices=False)


# ---- contraction and reduction --------------------------------------------------------------------------------


@rule("dot_general")
def dot_general(operands, attrs, results):
    numbers = (
        (attrs["lhs_contract"], attrs["rhs_contract"]),
        (attrs["lhs_batch"], attrs["rhs_batch"]),
    )
    return lax.dot_general(*operands, numbers, precision="highest", preferred_element_type=results[0].dtype)


@rule("matmul")
def matmul(operands, attrs, results):
    return jnp.matmul(*operands, precision="highest")


REDUCERS = {
    "sum": lax.reduce_sum,
    "prod": lax.reduce_prod,
    "max": lax.reduce_max,
    "min": lax.reduce_min,
    "and": lax.reduce_and,
    "or": lax.reduce_or,
}


@rule("reduce")
def reduce(operands, attrs, results):
    return REDUCERS[attrs["kind"]](operands[0], attrs["axes"])


# ---- control --------------------------------------------------------------------------------------------------


@rule("optimization_barrier")
def optimization_barrier(operands, attrs, results):
    return lax.optimization_barrier(operands)


@rule("if")
def conditional(operands, attrs, results):
    branches = [attrs["then_branch"], attrs["else_branch"]]
    return lax.cond(operands[0], *[lambda *x, b=b: interpret(b, x) for b in branches], *operands[1:])


@rule("case")
def case(operands, attrs, results):
    count = len(attrs["branches"])
    # lax.switch clamps the index at both ends; StableHLO runs the last branch for every index out of range.
    index = jnp.where((operands[0] < 0) | (operands[0] >= count), count - 1, operands[0])
    return lax.switch(index, [lambda *x, b=b: interpret(b, x) for b in attrs["branches"]], *operands[1:])


@rule("while")
def while_loop(operands, attrs, results):
    cond = lambda carry: interpret(attrs["cond"], carry)[0]  # noqa: E731
    return lax.while_loop(cond, lambda carry: interpret(attrs["body"], carry), [jnp.asarray(x) for x in operands])


@rule("scan")
def scan(operands, attrs, results):
    consts, count = attrs["num_consts"], attrs["num_consts"] + attrs["num_carry"]
    fixed, carry, xs = operands[:consts], operands[consts:count], operands[count:]

    def step(carry, slices):
        outs = interpret(attrs["body"], [*fixed, *carry, *slices])
        return outs[: len(carry)], outs[len(carry):]

    carry, ys = lax.scan(step, [jnp.asarray(x) for x in carry], xs, length=attrs["length"], reverse=attrs["reverse"])
    return [*carry, *ys]


# ---- indexing -------------------------------------------------------------------------------------------------


@rule("gather")
def gather(operands, attrs, results):
    numbers = lax.GatherDimensionNumbers(
        offset_dims=tuple(attrs["offset_dims"]),
        collapsed_slice_dims=tuple(attrs["collapsed_slice_dims"]),
        start_index_map=tuple(attrs["start_index_map"]),
        operand_batching_dims=tuple(attrs["operand_batching_dims"]),
        start_indices_batching_dims=_batch_axes(attrs["start_indices_batching_dims"], attrs["index_vector_dim"]),
    )
    indices = _vectors_last(operands[1], attrs["index_vector_dim"])
    return lax.gather(operands[0], indices, numbers, tuple(attrs["slice_sizes"]), mode="clip")


def _vectors_last(indices, axis):
    """lax needs index vectors along the last axis."""
    indices = jnp.asarray(indices)
    return indices[..., None] if axis == indices.ndim else jnp.moveaxis(indices, axis, -1)


def _batch_axes(axes, vector):
    return tuple(axis - (axis > vector) for axis in axes)


SCATTERS = {
    "set": lax.scatter,
    "add": lax.scatter_add,
    "mul": lax.scatter_mul,
    "min": lax.scatter_min,
    "max": lax.scatter_max,
}


@rule("scatter")
def scatter(operands, attrs, results):
    dims = attrs["dims"]
    numbers = lax.ScatterDimensionNumbers(
        update_window_dims=tuple(dims["update_window_dims"]),
        inserted_window_dims=tuple(dims["inserted_window_dims"]),
        scatter_dims_to_operand_dims=tuple(dims["scatter_dims_to_operand_dims"]),
        operand_batching_dims=tuple(dims["input_batching_dims"]),
        scatter_indices_batching_dims=_batch_axes(dims["scatter_indices_batching_dims"], dims["index_vector_dim"]),
    )
    indices = _vectors_last(operands[1], dims["index_vector_dim"])
    return SCATTERS[attrs["combiner"]](operands[0], indices, operands[2], numbers, mode="drop")


# ---- sorting --------------------------------------------------------------------------------------------------


@rule("sort")
def sort(operands, attrs, results):
    return lax.sort(tuple(operands), attrs["axis"], attrs["stable"], attrs["num_keys"])


@rule("top_k")
def top_k(operands, attrs, results):
    return lax.top_k(operands[0], attrs["k"])


@rule("argreduce")
def argreduce(operands, attrs, results):
    function = lax.argmax if attrs["op"] == "max" else lax.argmin
    return function(operands[0], attrs["axis"], attrs["dtype"])


# ---- convolution ----------------------------------------------------------------------------------------------


@rule("convolution")
def convolution(operands, attrs, results):
    a = attrs
    numbers = lax.ConvDimensionNumbers(
        (a["lhs_batch_dim"], a["lhs_feature_dim"], *a["lhs_spatial_dims"]),
        (a["rhs_out_dim"], a["rhs_in_dim"], *a["rhs_spatial_dims"]),
        (a["out_batch_dim"], a["out_feature_dim"], *a["out_spatial_dims"]),
    )
    kernel = operands[1]
    turned = [axis for axis, turn in zip(a["rhs_spatial_dims"], a["reversal"]) if turn]
    return lax.conv_general_dilated(
        operands[0],
        lax.rev(kernel, turned) if turned else kernel,
        a["strides"],
        list(zip(a["low"], a["high"])),
        lhs_dilation=a["lhs_dilation"],
        rhs_dilation=a["rhs_dilation"],
        dimension_numbers=numbers,
        feature_group_count=a["feature_groups"],
        batch_group_count=a["batch_groups"],
        precision="highest",
        preferred_element_type=results[0].dtype,
    )


@rule("ragged_dot")
def ragged_dot(operands, attrs, results):
    lhs, rhs, sizes = operands
    return lax.ragged_dot(lhs, rhs, sizes, precision="highest", preferred_element_type=results[0].dtype)


# ---- windows --------------------------------------------------------------------------------------------------


@rule("reduce_window")
def reduce_window(operands, attrs, results):
    kind = attrs["kind"]
    (x,) = operands
    functions = {"sum": lax.add, "prod": lax.mul, "max": lax.max, "min": lax.min, "and": lax.bitwise_and,
                 "or": lax.bitwise_or}
    padding = list(zip(attrs["low"], attrs["high"]))
    return lax.reduce_window(
        x, identity(kind, x.dtype), functions[kind], attrs["window"], attrs["strides"], padding,
        attrs["base_dilation"], attrs["window_dilation"],
    )


def identity(kind, dtype):
    """The identity of a reduction."""
    if kind in ("max", "min"):
        sign = -1 if kind == "max" else 1
        if dtype == np.bool_:
            return np.array(kind == "min")
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            return np.array(info.min if kind == "max" else info.max, dtype)
        infinite = np.array(sign * np.inf).astype(dtype)
        return infinite if not np.isnan(infinite.astype(np.float64)) else np.array(sign * 448.0).astype(dtype)
    ones = np.array(-1).astype(dtype) if dtype.kind in "iu" else np.array(True)
    return {"sum": np.zeros((), dtype), "or": np.zeros((), dtype), "prod": np.ones((), dtype), "and": ones}[kind]


class Bytes:
    """Represents a result of type u8."""

    dtype = np.dtype(np.uint8)


CUMULATIVE = {
    "sum": (lax.cumsum, "sum"),
    "prod": (lax.cumprod, "prod"),
    "max": (lax.cummax, "max"),
    "min": (lax.cummin, "min"),
    "logsumexp": (lax.cumlogsumexp, "max"),
}


@rule("cumulative")
def cumulative(operands, attrs, results):
    (x,), axis, backwards = operands, attrs["axis"], attrs["reverse"]
    function, kind = CUMULATIVE[attrs["op"]]
    if results[0].dtype == np.bool_:
        # lax has no cumulative maximum and minimum of booleans; on integers they are the same.
        whole = cumulative([np.asarray(x).astype(np.uint8)], attrs | {"of_booleans": True}, [Bytes])
        return whole.astype(np.bool_)
    if attrs["exclusive"] and x.shape[axis] > 0:
        start = np.asarray(identity(kind, np.dtype(np.bool_) if attrs.get("of_booleans") else np.asarray(x).dtype))
        start = start.astype(np.asarray(x).dtype).reshape([1] * x.ndim)
        pad = np.broadcast_to(start, [1 if d == axis else n for d, n in enumerate(x.shape)])
        kept = lax.slice_in_dim(x, 1, None, axis=axis) if backwards else lax.slice_in_dim(x, 0, -1, axis=axis)
        x = lax.concatenate([kept, pad] if backwards else [pad, kept], axis)
    return function(jnp.asarray(x), axis=axis, reverse=backwards)


# ---- linear algebra -------------------------------------------------------------------------------------------


@rule("cholesky")
def cholesky(operands, attrs, results):
    (a,) = operands
    if attrs["lower"]:
        return lax.linalg.cholesky(a, symmetrize_input=False)
    turned = jnp.conj(jnp.swapaxes(a, -1, -2))
    return jnp.conj(jnp.swapaxes(lax.linalg.cholesky(turned, symmetrize_input=False), -1, -2))


@rule("triangular_solve")
def triangular_solve(operands, attrs, results):
    # The text form writes an absent attribute and the enum's `none` alike.
    form = attrs["transpose"] or "none"
    return lax.linalg.triangular_solve(
        operands[0], operands[1], left_side=attrs["left_side"], lower=attrs["lower"],
        transpose_a=form != "none", conjugate_a=form == "adjoint", unit_diagonal=attrs["unit_diagonal"],
    )


@rule("lu")
def lu(operands, attrs, results):
    return lax.linalg.lu(operands[0])


@rule("qr")
def qr(operands, attrs, results):
    return lax.linalg.qr(operands[0], full_matrices=attrs["full_matrices"])


@rule("geqrf")
def geqrf(operands, attrs, results):
    from jax._src.lax.linalg import geqrf as factorize

    return factorize(jnp.asarray(operands[0]))


@rule("geqp3")
def geqp3(operands, attrs, results):
    from jax._src.lax.linalg import geqp3 as factorize

    a, leading = operands
    if a.shape[-2] == 0:  # jaxlib 0.10.2 divides by the number of rows.
        assert not leading.any()
        return a, np.zeros((*a.shape[:-2], 0), a.dtype), np.broadcast_to(np.arange(a.shape[-1], dtype=np.int32), leading.shape)
    packed, order, taus = factorize(jnp.asarray(a), jnp.asarray(leading))
    return packed, taus, order - 1


@rule("tridiagonal_solve")
def tridiagonal_solve(operands, attrs, results):
    return lax.linalg.tridiagonal_solve(*[jnp.asarray(x) for x in operands])


@rule("eig")
def eig(operands, attrs, results):
    return lax.linalg.eig(operands[0], compute_left_eigenvectors=attrs["left"], compute_right_eigenvectors=attrs["right"])


@rule("householder_product")
def householder_product(operands, attrs, results):
    return lax.linalg.householder_product(jnp.asarray(operands[0]), jnp.asarray(operands[1]))


@rule("eigh")
def eigh(operands, attrs, results):
    vectors, values = lax.linalg.eigh(operands[0], lower=attrs["lower"], symmetrize_input=False)
    return values, vectors


@rule("svd")
def svd(operands, attrs, results):
    u, s, vh = lax.linalg.svd(operands[0], full_matrices=attrs["full_matrices"])
    return u, s, vh


# ---- transforms and random bits -------------------------------------------------------------------------------


@rule("fft")
def fft(operands, attrs, results):
    return lax.fft(operands[0], attrs["kind"], tuple(attrs["lengths"]))


ALGORITHMS = {
    "threefry2x32": lax.RandomAlgorithm.RNG_THREE_FRY,
    "philox4x32": lax.RandomAlgorithm.RNG_PHILOX,
}


@rule("rng_bits")
def rng_bits(operands, attrs, results):
    shape = attrs["shape"]
    return lax.rng_bit_generator(operands[0], shape.dims, shape.dtype, ALGORITHMS[attrs["algorithm"]])


@rule("threefry2x32")
def threefry2x32(operands, attrs, results):
    from jax.extend.random import threefry2x32_p

    return threefry2x32_p.bind(*[jnp.asarray(x) for x in operands])
