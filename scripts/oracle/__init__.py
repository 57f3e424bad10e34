"""Outside judges of the evaluator: the meaning of each op in terms of JAX, NumPy, SciPy and mpmath."""
