#!/usr/bin/env python3
r"""Computes the goldens of the block formats with ggml itself, and prints the grids that define formats.

    python scripts/quant_goldens.py LIBRARY          writes crates/rlx-quant/tests/goldens.txt
    python scripts/quant_goldens.py --grids          prints the tables of crates/rlx-quant/src/grids.rs

LIBRARY is a shared library with only ggml's reference code, built from the sdist of llama-cpp-python (0.3.36 for the committed file), in
vendor/llama.cpp/ggml, without contraction of a product and a sum to one rounding:

    cp src/ggml-version.h.in src/ggml-version.h
    echo '{ global: *quantize*; local: *; };' > exports
    gcc -O2 -ffp-contract=off -ffunction-sections -fPIC -shared -Wl,--gc-sections -Wl,--version-script=exports -Iinclude -Isrc \
        -o LIBRARY src/ggml-quants.c src/ggml.c src/ggml-threading.cpp -lstdc++ -lm -lpthread

Needs numpy and gguf (0.19.0): the values that the package decodes must agree with the library bit for bit.

A row of the file is `decode NAME HASH FIRST…` (FNV-1a over the bits of all values of BLOCKS blocks of random bytes, every NaN as
7fc00000, and the first values), `quantize NAME HASH` (over the bytes of the quantized samples), or `error NAME PLAIN WEIGHTED` (the root
mean square error on almost normally distributed numbers, and the same weighted by an importance).
"""

import ctypes
import sys
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType, quants

GOLDENS = Path(__file__).parent.parent / "crates" / "rlx-quant" / "tests" / "goldens.txt"

# Name, number, values, bytes.
FORMATS = [
    ("q8_0", 8, 32, 34), ("q4_0", 2, 32, 18), ("q4_1", 3, 32, 20), ("q5_0", 6, 32, 22), ("q5_1", 7, 32, 24),
    ("q8_1", 9, 32, 36), ("q1_0", 41, 128, 18), ("q2_0", 42, 64, 18), ("q2_K", 10, 256, 84), ("q3_K", 11, 256, 110),
    ("q4_K", 12, 256, 144), ("q5_K", 13, 256, 176), ("q6_K", 14, 256, 210), ("q8_K", 15, 256, 292),
    ("tq1_0", 34, 256, 54), ("tq2_0", 35, 256, 66), ("mxfp4", 39, 32, 17), ("nvfp4", 40, 64, 36),
    ("iq4_nl", 20, 32, 18), ("iq4_xs", 23, 256, 136), ("iq2_s", 22, 256, 82), ("iq2_xs", 17, 256, 74),
    ("iq2_xxs", 16, 256, 66), ("iq3_s", 21, 256, 110), ("iq3_xxs", 18, 256, 98), ("iq1_s", 19, 256, 50),
    ("iq1_m", 29, 256, 56),
]
EXACT = ["q8_0", "q4_0", "q4_1", "q5_0", "q5_1", "q8_1", "q1_0", "q2_0", "q8_K", "tq1_0", "tq2_0", "mxfp4", "nvfp4"]
WEIGHTED_EXACT = ["q8_0", "q8_1", "q1_0", "q2_0", "q8_K", "tq1_0", "tq2_0", "mxfp4", "nvfp4"]
BLOCKS, SAMPLES, NORMAL = 256, 24, 16 * 256


def words(seed, count):
    """SplitMix64."""
    with np.errstate(over="ignore"):
        state = np.uint64(seed) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return state ^ (state >> np.uint64(31))


def random_bytes(seed, count):
    return words(seed, -(-count // 8)).astype("<u8").view(np.uint8)[:count].copy()


def normal(seed, count):
    """Sums of twelve 16-bit numbers minus their mean, as multiples of 2^-16."""
    parts = words(seed, 3 * count).astype("<u8").view("<u2").reshape(count, 12).astype(np.int64)
    return ((parts.sum(axis=1) - 6 * 65535).astype(np.float32) / np.float32(65536)).astype(np.float32)


def samples(seed, length):
    """Blocks of different magnitudes, including special ones: zeros, equal numbers, tiny and large numbers, and a single nonzero number."""
    blocks = normal(seed, SAMPLES * length).reshape(SAMPLES, length)
    blocks *= (np.arange(1, SAMPLES + 1, dtype=np.float32) / np.float32(8))[:, None]
    blocks[3] = 0
    blocks[5] = np.float32(0.7)
    blocks[7] *= np.float32(2.0**-100)
    blocks[9] *= np.float32(2.0**20)
    blocks[11] = 0
    blocks[11][length // 3] = -3
    blocks[13] = np.abs(blocks[13])
    return blocks


def importance(seed, count):
    return (np.float32(1) + random_bytes(seed, count).astype(np.float32) / np.float32(64)).astype(np.float32)


def fnv(items):
    state = 0xCBF29CE484222325
    for item in items.tolist():
        state = ((state ^ item) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return state


def bits(values):
    values = np.ascontiguousarray(values, dtype=np.float32)
    return np.where(np.isnan(values), np.uint32(0x7FC00000), values.view(np.uint32))


class Reference:
    def __init__(self, path):
        self.ggml = ctypes.CDLL(path)
        self.ggml.ggml_quantize_chunk.restype = ctypes.c_size_t
        self.ggml.ggml_quantize_requires_imatrix.restype = ctypes.c_bool

    def decode(self, name, length, size, blocks):
        if name == "q8_1":
            # A format of activations, which ggml never decodes.
            blocks = blocks.reshape(-1, size)
            scale = blocks[:, :2].copy().view(np.float16).astype(np.float32)
            return blocks[:, 4:].view(np.int8).astype(np.float32) * scale
        values = np.zeros(blocks.size // size * length, np.float32)
        function = getattr(self.ggml, f"dequantize_row_{name}")
        function(blocks.ctypes.data_as(ctypes.c_void_p), values.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(values.size))
        return values

    def quantize(self, name, number, length, size, values, weights=None):
        values = np.ascontiguousarray(values, np.float32).reshape(-1)
        out = np.zeros(values.size // length * size, np.uint8)
        at = lambda array: None if array is None else array.ctypes.data_as(ctypes.c_void_p)
        if name in ("q8_1", "q8_K"):
            getattr(self.ggml, f"quantize_row_{name}_ref")(at(values), at(out), ctypes.c_int64(values.size))
            return out
        if weights is None and self.ggml.ggml_quantize_requires_imatrix(number):
            weights = np.ones(values.size, np.float32)
        done = self.ggml.ggml_quantize_chunk(
            number, at(values), at(out), ctypes.c_int64(0), ctypes.c_int64(1), ctypes.c_int64(values.size), at(weights)
        )
        assert done == out.size, (name, done, out.size)
        return out


def goldens(library):
    # Blocks may have scales that are NaN or infinite.
    np.seterr(all="ignore")
    reference = Reference(library)
    rows = []
    for name, number, length, size in FORMATS:
        blocks = random_bytes(number, BLOCKS * size)
        values = bits(reference.decode(name, length, size, blocks)).reshape(-1)
        try:
            judged = quants.dequantize(blocks.reshape(-1, size), GGMLQuantizationType(number)).reshape(-1)
            assert np.array_equal(bits(judged), values), f"gguf and ggml differ on {name}"
        except (NotImplementedError, ValueError):
            print(f"{name}: not in gguf, compared with ggml only")
        first = " ".join(f"{v:08x}" for v in values[:4])
        rows.append(f"decode {name} {fnv(values):016x} {first}")
    for name, number, length, size in FORMATS:
        if name in EXACT:
            packed = reference.quantize(name, number, length, size, samples(number, length))
            rows.append(f"quantize {name} {fnv(packed):016x}")
    for name, number, length, size in FORMATS:
        if name in WEIGHTED_EXACT:
            continue
        values, weights = normal(1000 + number, NORMAL), importance(2000 + number, NORMAL)
        errors = []
        for given in (None, weights):
            packed = reference.quantize(name, number, length, size, values, given)
            off = reference.decode(name, length, size, packed).reshape(-1).astype(np.float64) - values
            errors.append(np.sqrt(np.mean(off * off * (1 if given is None else given.astype(np.float64)))))
        rows.append(f"error {name} {errors[0]:.6f} {errors[1]:.6f}")
    GOLDENS.write_text("\n".join(rows) + "\n")


def grids():
    tables = [
        ("IQ2_XXS", "Points of `iq2_xxs`.", quants.IQ2_XXS, 2),
        ("IQ2_XS", "Points of `iq2_xs`.", quants.IQ2_XS, 2),
        ("IQ2_S", "Points of `iq2_s`.", quants.IQ2_S, 2),
        ("IQ3_XXS", "Points of `iq3_xxs`.", quants.IQ3_XXS, 3),
        ("IQ3_S", "Points of `iq3_s`.", quants.IQ3_S, 3),
        ("IQ1", "Points of `iq1_s` and `iq1_m`: coordinates are one more than what they mean.", quants.IQ1_S, 2),
    ]
    for name, doc, source, width in tables:
        source.init_grid()
        number = {meaning: i for i, meaning in enumerate(source.grid_map)}
        points = source.grid.reshape(source.grid_shape).astype(int).tolist()
        packed = [sum(number[c] << (width * i) for i, c in enumerate(point)) for point in points]
        print(f"\n/// {doc}\npub(crate) static {name}: [u16; {len(packed)}] = [")
        for at in range(0, len(packed), 12):
            print("    " + " ".join(f"0x{p:04x}," for p in packed[at : at + 12]))
        print("];")


if sys.argv[1:] == ["--grids"]:
    grids()
else:
    goldens(sys.argv[1])
