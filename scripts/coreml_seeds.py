"""Collects seeds for the fuzz target `mil_model`: for each operation, the smallest program that contains it, up to 8 KiB.

    pip install coremltools==9.0 'numpy<2.4' torch scikit-learn==1.5.1
    cargo run --release -p rlx-coreml --example round_trip -- --dump DIR
    python scripts/judge_coreml_import.py target/release/examples/run_package --only "mlp f16 iOS" --keep PACKAGES
    python scripts/coreml_seeds.py fuzz/seeds/mil_model DIR PACKAGES

The target gives a record as many bytes as its offset says, so seeds use lengths as offsets.
"""

import struct
import sys
from pathlib import Path

from coreml_programs import counted, parsed

LARGEST = 8 << 10


def blobs(message):
    """The record offsets in a weight file that a message names."""
    for field, value in message.ListFields():
        if field.message_type is None:
            continue
        inner = [value] if hasattr(value, "ListFields") else value.values() if hasattr(value, "items") else value
        for one in inner:
            if hasattr(one, "ListFields"):
                if one.DESCRIPTOR.name == "BlobFileValue":
                    yield one
                yield from blobs(one)


def main():
    target, folders = Path(sys.argv[1]), sys.argv[2:]
    best = {}
    for file in sorted(file for folder in folders for file in Path(folder).rglob("model.mlmodel")):
        size = file.stat().st_size
        for kind in counted(parsed(file)):
            best[kind] = min(best.get(kind, (size, file)), (size, file))
    target.mkdir(parents=True, exist_ok=True)
    total, written = 0, set()
    for kind, (_, path) in sorted(best.items()):
        if path in written:
            continue
        written.add(path)
        model = parsed(path)
        weights = path.parent / "weights/weight.bin"
        file = weights.read_bytes() if weights.exists() else b""
        for blob in blobs(model.mlProgram):
            blob.offset = struct.unpack_from("<Q", file, blob.offset + 8)[0]
        model.description.metadata.Clear()
        data = model.SerializeToString(deterministic=True)
        if len(data) <= LARGEST:
            (target / kind).write_bytes(data)
            total += len(data)
    print(f"{len(list(target.iterdir()))} programs with {len(best)} operations, {total} bytes")


if __name__ == "__main__":
    main()
