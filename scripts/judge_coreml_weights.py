"""Compares packed weights in packages, unpacked by coremltools, with the reference decoder.

    pip install coremltools==9.0 'numpy<2.4'
    cargo run --release -p rlx-coreml --example packed_weights -- DIR
    python scripts/judge_coreml_weights.py DIR

For each package, prints the operations that unpack its weights, and the errors of the weights relative to the reference decoder, in
units in the last place of f16 or f32: of each number, and of the largest of 16 numbers. Fails if a number is more than one unit off or,
for formats whose numbers are offsets from a minimum, of which programs store the quotient with the scale, more than three units of the
largest.
"""

import sys
from pathlib import Path

import numpy as np

import coreml_values
from coreml_programs import loaded, opened

# An operation that unpacks the output of another unpacking operation needs its value.
coreml_values.install()

# Formats whose numbers are offsets from a minimum.
ABOVE_SMALLEST = ("q4_1", "q5_1", "q2_k", "q4_k", "q5_k")


def unpacked(package):
    """The weights of a package, and the kinds of operations that unpack them."""
    program = loaded(*opened(package))
    (function,) = program.functions.values()
    kinds = [op.op_type.replace("constexpr_", "") for op in function.operations if op.op_type.startswith("constexpr_")]
    var = function.outputs[0]
    while var.op.op_type in ("identity", "cast", "transpose"):
        var = var.op.x
    value = var.val if var.val is not None else var.op.materialized_val_inference()
    return value, kinds


def spacing(x, dtype):
    return np.spacing(np.abs(x).astype(dtype)).astype(np.float64)


def main():
    folder, failed = Path(sys.argv[1]), 0
    packages = sorted(folder.glob("*.mlpackage"))
    if not packages:
        sys.exit(f"{folder} has no packages")
    for package in packages:
        name, kind = package.stem.rsplit(".", 1)
        wanted = np.fromfile(folder / f"{package.stem}.f32", np.float32)
        found, kinds = unpacked(package)
        dtype = {"f16": np.float16, "f32": np.float32}[kind]
        assert found.dtype == dtype, (name, found.dtype)
        found, wanted = found.reshape(-1).astype(np.float64), wanted.astype(dtype).astype(np.float64)
        off = np.abs(found - wanted)
        own = (off / spacing(wanted, dtype)).max()
        largest = np.abs(wanted).reshape(-1, 16).max(1).repeat(16)
        of_part = (off / spacing(largest, dtype)).max()
        scheme = name.split("+")[-1].lower()
        bad = not (of_part <= 3 if scheme in ABOVE_SMALLEST else own <= 1)
        # Elements that are left out are exactly zero.
        bad |= "sparse" in name and bool((found[wanted == 0] != 0).any())
        failed += bad
        print(f"{name:12} {kind}  {own:8.2f} of the number, {of_part:5.2f} of its part  {' → '.join(kinds) or 'constant'}{'  TOO FAR' if bad else ''}")
    print("no weights are too far" if not failed else f"{failed} weights are too far")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
