"""Selects the elements of a large output that a golden stores (`golden::sample` in rlx-conformance). Oracles that are slow per
element compute only these."""

import numpy as np

WHOLE = 256


def indices(count):
    """The row-major indices of the elements that a golden stores, out of `count`."""
    if count <= WHOLE:
        return np.arange(count)
    kept = np.arange(0, count, count // 64 | 1)
    return kept if kept[-1] == count - 1 else np.append(kept, count - 1)


def mask(shape):
    """True where a golden stores the element."""
    held = np.zeros(int(np.prod(shape, dtype=np.int64)), bool)
    held[indices(held.size)] = True
    return held.reshape(shape)
