"""External references for the evaluator: each op in terms of JAX, NumPy, SciPy and mpmath."""
