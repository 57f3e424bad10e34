#!/usr/bin/env python3
"""Writes weight files and packages with coremltools (9.0): crates/rlx-mil/tests/goldens, seeds of the fuzz target `mil_blob`.

    python scripts/coreml_blob_goldens.py

For each element type that coremltools writes, `NAME.bin` contains blobs of `COUNTS` elements; `all.bin` contains one blob of each type, and
`none.bin` none. Elements are `pattern(blob, element, bits)`, which tests/blobs.rs also computes. The identifiers in packages are random and
differ for each run.
"""

import shutil
from pathlib import Path

import coremltools as ct
import numpy as np
from coremltools.converters.mil import Builder as mb
from coremltools.libmilstoragepython import _BlobStorageWriter

ROOT = Path(__file__).parent.parent
GOLDENS = ROOT / "crates" / "rlx-mil" / "tests" / "goldens"
SEEDS = ROOT / "fuzz" / "seeds" / "mil_blob"
COUNTS = [1, 2, 3, 5, 8, 13, 0, 64, 65]
# In the order of their codes: the name of the writer's method, the type that it takes, and the bits per element.
TYPES = [
    ("fp16", np.uint16, 16),
    ("float", np.float32, 32),
    ("uint8", np.uint8, 8),
    ("int8", np.int8, 8),
    ("int16", np.int16, 16),
    ("uint16", np.uint16, 16),
    ("int4", np.int8, 4),
    ("uint1", np.uint8, 1),
    ("uint2", np.uint8, 2),
    ("uint4", np.uint8, 4),
    ("uint3", np.uint8, 3),
    ("uint6", np.uint8, 6),
    ("int32", np.int32, 32),
    ("uint32", np.uint32, 32),
]


def pattern(blob, element, bits):
    """The bits of an element."""
    return (element * 2654435761 + blob * 40503 + 12345) % 2**32 >> (32 - bits)


def elements(blob, count, dtype, bits):
    values = [pattern(blob, i, bits) for i in range(count)]
    if dtype == np.int8 and bits == 4:
        return np.array([v - 16 if v >= 8 else v for v in values], dtype)
    unsigned = {8: np.uint8, 16: np.uint16, 32: np.uint32}[8 * np.dtype(dtype).itemsize]
    return np.array(values, unsigned).view(dtype)


def write(name, blobs):
    writer = _BlobStorageWriter(str(GOLDENS / f"{name}.bin"))
    for blob, (kind, dtype, bits, count) in enumerate(blobs):
        getattr(writer, f"write_{kind}_data")(elements(blob, count, dtype, bits))


def package(name, addend):
    @mb.program(input_specs=[mb.TensorSpec(shape=(2, 16))])
    def program(x):
        return mb.add(x=x, y=addend, name="y")

    target = dict(minimum_deployment_target=ct.target.iOS16, compute_precision=ct.precision.FLOAT32)
    model = ct.convert(program, convert_to="mlprogram", **target)
    model.save(str(GOLDENS / f"{name}.mlpackage"))


def main():
    for folder in (GOLDENS, SEEDS):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    for kind, dtype, bits in TYPES:
        write(kind, [(kind, dtype, bits, count) for count in COUNTS])
    write("all", [(kind, dtype, bits, 7) for kind, dtype, bits in TYPES])
    write("none", [])
    for name in ("all", "none", "uint3"):
        shutil.copy(GOLDENS / f"{name}.bin", SEEDS / name)
    package("weights", np.arange(16, dtype=np.float32).reshape(1, 16))
    package("bare", np.float32(1))


if __name__ == "__main__":
    main()
