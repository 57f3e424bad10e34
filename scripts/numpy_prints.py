#!/usr/bin/env python3
"""Writes how NumPy prints some arrays, for the test of `rlx run`.

    python scripts/numpy_prints.py

Needs NumPy 2.4. Writes crates/rlx-cli/tests/data/numpy_prints.json: dtype, dims, the elements' little-endian bytes in hexadecimal, and the
text that NumPy prints; `full` if all elements are printed.
"""

import json
import sys
from pathlib import Path

import numpy as np

OUT = Path(__file__).parent.parent / "crates" / "rlx-cli" / "tests" / "data" / "numpy_prints.json"
NAMES = {
    "float16": "f16", "float32": "f32", "float64": "f64", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint64": "u64", "bool": "bool", "complex64": "c64", "complex128": "c128",
}


def case(array, full=False):
    with np.printoptions(threshold=sys.maxsize if full else 1000):
        text = str(array)
    return {
        "dtype": NAMES[array.dtype.name], "dims": list(array.shape), "bytes": array.tobytes().hex(), "full": full,
        "text": text,
    }


def cases():
    inf, nan = np.inf, np.nan
    rows = [
        [0.7], [1, 2, 3], [0.1, 0.25, -3], [1e-5, 1], [1e6, 1], [999999, 1], [1234.5, 1], [1e-3, 1.5], [1e-4, 0.05], [0.0, -0.0],
        [1 / 3, 2 / 3, 100 / 3], [nan, 1, inf], [nan, -inf, 0.5], [nan, nan], [-inf], [1e10, nan, -1.5e-10], [12345.678, 0.125],
        [0.1, 1.2345678e-5], [1e-30, 1e30], [3.0000001, 1e-7], [0.1 + 0.2, 7], [40743.8125, 7],
    ]
    for dtype in [np.float16, np.float32, np.float64]:
        for row in rows:
            with np.errstate(over="ignore"):
                yield case(np.array(row, dtype))
    for x in [0.7, 3, 0, -0.0, 1e-4, 9.9e-5, 999, 1000, 123456, 1e6, 1e16, 1e15, nan, -inf, 1 / 3]:
        for dtype in [np.float32, np.float64]:
            yield case(np.array(x, dtype))
    yield case(np.array(65504, np.float16))
    for z in [1 + 2j, 2j, -1.5 - 0.25j, 1e20 + 1e-7j]:
        yield case(np.array(z, np.complex64))
    yield case(np.array([1 + 2j, -1.5 - 0.25j, 1e-9j]))
    yield case(np.array([[1 + 2j, complex(nan, inf)], [0.5, -1j]], np.complex64))
    yield case(np.array([[True, False], [False, True]]))
    yield case(np.array(True))
    yield case(np.array([[1, -200], [30, 4]], np.int32))
    yield case(np.array([2**64 - 1, 0], np.uint64))
    yield case(np.array(-5, np.int64))
    yield case(np.zeros((2, 0, 3), np.float32))
    yield case(np.arange(24, dtype=np.int8).reshape(2, 3, 4))
    yield case(np.arange(16, dtype=np.float32).reshape(2, 2, 2, 2) / 8)
    yield case((np.arange(60, dtype=np.float32) - 30) / 7)
    yield case((np.arange(90, dtype=np.float64).reshape(3, 30) - 30) / 7)
    yield case(np.arange(1000, dtype=np.int16))
    yield case(np.arange(1001, dtype=np.int16))
    yield case(np.arange(1001, dtype=np.int16), full=True)
    yield case(np.arange(1200, dtype=np.int16).reshape(2, 20, 30))
    yield case(np.arange(1200, dtype=np.int16).reshape(200, 6))
    yield case((np.arange(1200, dtype=np.float16) % 97).reshape(12, 10, 10))


if __name__ == "__main__":
    rows = [json.dumps(c) for c in cases()]
    OUT.write_text("[\n" + ",\n".join(rows) + "\n]\n")
