#!/usr/bin/env python3
"""Computes the goldens of the conformance table.

    cargo run -p rlx-conformance --example dump_cases -- DIR
    python scripts/goldens.py DIR [--keep] [--redo OP,OP…] [FAMILY…]

With --keep, existing goldens for cases in DIR stay unchanged, and only missing ones are computed; --redo names ops to compute again
anyway.

Needs jax, numpy, scipy, ml_dtypes, mpmath and gguf. Writes crates/rlx-conformance/goldens/FAMILY.bin; the format is described in
crates/rlx-conformance/src/golden.rs.
"""

import json
import os
import struct
import sys
from collections import Counter
from pathlib import Path

os.environ.setdefault("JAX_ENABLE_X64", "1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import numpy as np  # noqa: E402

sys.path.insert(0, str(Path(__file__).parent))
from oracle import choose, sample, text  # noqa: E402

GOLDENS = Path(__file__).parent.parent / "crates" / "rlx-conformance" / "goldens"
ORACLES = ["jax", "numpy", "scipy", "mpmath"]


def sampled(array):
    """The elements of an output that a golden stores."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat[sample.indices(flat.size)]


def expectation(case, data):
    """The oracle and the bytes of one case."""
    inputs = []
    for item in case["inputs"]:
        dtype, dims = text.DTYPES[item["shape"]["dtype"]], tuple(item["shape"]["dims"])
        count = int(np.prod(dims, dtype=np.int64))
        inputs.append(np.frombuffer(data, dtype, count, item["offset"]).reshape(dims))
    graph = text.parse(case["graph"])
    oracle, outputs = choose.evaluate(graph, inputs)
    blob = b""
    for output, want in zip(outputs, case["outputs"], strict=True):
        array = np.asarray(output)
        dtype, dims = text.DTYPES[want["dtype"]], tuple(want["dims"])
        if array.shape != dims or array.dtype != dtype:
            raise ValueError(f"{oracle} gives {array.dtype}{array.shape}, the shape rule {dtype}{dims}")
        blob += sampled(array).tobytes()
    return ORACLES.index(oracle), blob


def read(path):
    """The entries of a file of goldens; empty if the file does not exist."""
    if not path.exists():
        return {}
    raw = path.read_bytes()
    (count,) = struct.unpack_from("<I", raw, 8)
    entries, at = {}, 12 + 16 * count
    for i in range(count):
        key, oracle, length = struct.unpack_from("<QII", raw, 12 + 16 * i)
        entries[key] = oracle, raw[at:at + length]
        at += length
    return entries


def family_goldens(path, kept, redo):
    cases = json.loads(path.read_text())
    data = path.with_suffix(".bin").read_bytes()
    entries, problems = {}, []
    for number, case in enumerate(cases):
        if number % 100 == 0:
            # Each shape is compiled, and compiled functions stay in memory.
            jax.clear_caches()
        key = int(case["key"], 16)
        if key in kept and case["name"].split()[0] not in redo:
            entries[key] = kept[key]
            continue
        try:
            entries[key] = expectation(case, data)
        except Exception as error:  # Try every case, so that one run shows all problems.
            problems.append(f"{case['name']}: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")
            continue
    return entries, problems


def write(path, entries):
    head, body = [], []
    for key in sorted(entries):
        oracle, blob = entries[key]
        head.append(struct.pack("<QII", key, oracle, len(blob)))
        body.append(blob)
    path.write_bytes(b"RLXGOLD1" + struct.pack("<I", len(entries)) + b"".join(head) + b"".join(body))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    arguments = sys.argv[2:]
    keep = "--keep" in arguments
    redo = arguments[arguments.index("--redo") + 1].split(",") if "--redo" in arguments else []
    wanted = [a for a in arguments if not a.startswith("--") and a.split(",") != redo]
    directory = Path(sys.argv[1])
    GOLDENS.mkdir(parents=True, exist_ok=True)
    failed = False
    for path in sorted(directory.glob("*.json")):
        family = path.stem
        if wanted and family not in wanted:
            continue
        target = GOLDENS / f"{family}.bin"
        entries, problems = family_goldens(path, read(target) if keep or redo else {}, redo)
        if entries:
            write(target, entries)
        by = Counter(ORACLES[oracle] for oracle, _ in entries.values())
        size = target.stat().st_size if entries else 0
        print(f"{family}: {len(entries)} goldens {dict(by)}, {size} bytes", flush=True)
        for problem in problems:
            print(f"  {problem}", flush=True)
        failed |= bool(problems)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
