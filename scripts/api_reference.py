#!/usr/bin/env python3
"""Prints the results of NumPy and SciPy for the program in crates/rlx/tests/programs (`explicit`)."""

import numpy as np
from scipy.special import erf, logsumexp

x = np.array([[1, 2, 3, 4], [-1, 0.5, 0.25, 2]])
w = np.array([0.1, -0.2, 0.3, 0.4, 0.5, -0.6, 0.7, 0.8, 0.9, -1.0, 1.1, 1.2]).reshape(4, 3)
b = np.array([0.5, -0.5, 0.25])
labels = np.array([2, 0])

h = x @ w + b
h = h * 0.5 * (1 + erf(h / np.sqrt(2)))
loss = logsumexp(h, axis=1) - h[np.arange(2), labels]
for name, value in [("loss", loss), ("total", h.sum()), ("mean", h.mean(axis=1))]:
    print(name, np.asarray(value).tolist())
