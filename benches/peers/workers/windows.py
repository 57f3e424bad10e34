"""Long windows over a line: their inputs, and the results in float64."""

import os

import numpy as np

# Elements of the convolution kernel, and of the moving sum.
KERNEL, SUM = 1000, 500


def inputs(what, n):
    random = np.random.default_rng(3)
    made = {"x": random.standard_normal(n).astype(np.float32)}
    if what == "convolve":
        made["k"] = random.standard_normal(KERNEL).astype(np.float32)
    return made


def read(what, n, data):
    names = ("x", "k") if what == "convolve" else ("x",)
    return [np.fromfile(os.path.join(data, f"window-{what}-{n}-{name}.f32"), np.float32) for name in names]


def reference(what, n, data):
    x, *k = (array.astype(np.float64) for array in read(what, n, data))
    if what == "convolve":
        return np.convolve(x, k[0], "same")
    if what == "moving sum":
        sums = np.concatenate([[0.0], np.cumsum(x)])
        return sums[SUM:] - sums[:-SUM]
    return np.logaddexp.accumulate(x)
