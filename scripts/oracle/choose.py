"""Chooses the oracle of a case: JAX, except for the cases below, each with its reason. Tolerances are never widened: where XLA's
error exceeds JAX's default tolerance, a more exact oracle is used instead."""

import warnings

import numpy as np

from . import composite_rules, exact, jax_rules, numpy_rules, python_rules, sample

FLOAT8 = ("float8_e4m3fn", "float8_e5m2")
NARROW = FLOAT8 + ("bfloat16", "float16")

# XLA either has no kernel for these, or expands them into arithmetic in the operands' own type, which loses the result
# in 8-bit floats (logistic in f8e4m3 overflows to NaN). The function is computed in f32, and its result is rounded.
TAKEN_IN_F32 = set(exact.FUNCTIONS) - {"sqrt"}

# XLA's approximations whose errors exceed JAX's default tolerance (1e-15 in f64, 1e-6 in f32) in the given element
# types. The comments give the largest deviation from mpmath in the cases of the table.
MPMATH = {
    "atanh": ("float64",),  # 8e-15 relative: computed as log1p of a quotient
    "erf_inv": ("float64",),  # 3e-15
    "lgamma": ("float64", "float32"),  # the reflection loses digits between the poles
    "digamma": ("float64", "float32"),  # absolute accuracy near its zeros
    "betainc": ("float64", "float32"),  # a continued fraction that stops early
    "igamma": ("float64", "float32") + NARROW,  # a series that takes as many steps as the operands are large
    "igammac": ("float64", "float32") + NARROW,
    # Both are NaN where the limit is finite, and 0 where the operands are large or infinite.
    "zeta": ("float64", "float32") + NARROW,
    "polygamma": ("float64", "float32") + NARROW,
    "pow": ("complex128", "complex64"),  # 1e-14 for powers with an angle of a few turns
}

def evaluate(graph, inputs):
    """(oracle, outputs) for the graph of a case."""
    node = next(n for n in graph.nodes if n.op not in ("input", "output"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if node.op in python_rules.RULES:
            return python_rules.RULES[node.op](node, inputs)
        if node.op in python_rules.OVERRIDES:
            made = python_rules.OVERRIDES[node.op](node, inputs)
            if made is not None:
                return made
        if node.op in composite_rules.RULES:
            return composite_rules.evaluate(node, inputs)
        if node.op not in jax_rules.RULES:
            raise NotImplementedError(f"no rule for {node.op}")
        if node.op in jax_rules.ELEMENTWISE or node.op == "compare":
            return elementwise(node, inputs)
        return "jax", [np.asarray(x) for x in jax_rules.interpret(graph, inputs)]


def elementwise(node, inputs):
    out = node.results[0].dtype
    operands = inputs
    if out.name in FLOAT8 and node.op in TAKEN_IN_F32:
        operands = [x.astype(np.float32) if x.dtype.name in FLOAT8 else x for x in inputs]
    if node.op in ("igamma", "igammac"):
        # mpmath computes these; JAX is only used for conventions.
        proper = np.logical_and(*[(x > 0) & np.isfinite(x) for x in operands])
        operands = [np.where(proper, 1, x).astype(x.dtype) for x in operands]
    result = np.array(jax_rules.RULES[node.op](operands, node.attrs, node.results)).astype(out)
    if out.name in MPMATH.get(node.op, ()):
        return "mpmath", [exact.elementwise(node.op, inputs, out, result, sample.mask(result.shape))]
    return "jax", [without_flushing(node, inputs, result)]


def without_flushing(node, inputs, result):
    """The result, in which elements with subnormal operands or values are computed elsewhere: XLA:CPU flushes such numbers to zero."""
    out = node.results[0].dtype
    touched = np.zeros(result.shape, bool)
    for x in inputs:
        touched |= numpy_rules.is_subnormal(x)
    if node.op == "compare":
        function = numpy_rules.COMPARE[node.attrs["op"]]
        # The total order compares bits, and nothing flushes them.
        touched &= not node.attrs["total_order"]
    elif node.op in numpy_rules.FUNCTIONS:
        function = numpy_rules.FUNCTIONS[node.op]
    elif node.op in exact.FUNCTIONS:
        return exact.elementwise(node.op, inputs, out, result, touched & sample.mask(result.shape))
    else:
        return result
    precise = np.asarray(function(*[numpy_rules.widen(x) for x in inputs]))
    with np.errstate(all="ignore"):
        precise = precise.astype(out)
    touched |= numpy_rules.is_subnormal(precise)
    return np.where(touched, precise, result).astype(out)
