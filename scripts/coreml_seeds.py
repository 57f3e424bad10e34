"""Programs that the fuzz target `mil_model` begins with: for each operation the smallest program that has it, of up to 8 KiB.

    pip install coremltools==9.0 'numpy<2.4'
    cargo run --release -p rlx-coreml --example round_trip -- --dump DIR
    python scripts/coreml_seeds.py DIR fuzz/seeds/mil_model

The target gives a record as many bytes as the number of its place says, so that seeds name places by lengths.
"""

import os
import struct
import sys
from pathlib import Path

from coreml_programs import counted, parsed

LARGEST = 8 << 10


def blobs(message):
    """The places in a file of weights that a message names."""
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
    folder, target = Path(sys.argv[1]), Path(sys.argv[2])
    best = {}
    for name in sorted(os.listdir(folder), key=int):
        size = (folder / name / "model.mlmodel").stat().st_size
        for kind in counted(parsed(folder / name / "model.mlmodel")):
            best[kind] = min(best.get(kind, (size, name)), (size, name))
    target.mkdir(parents=True, exist_ok=True)
    left, total = dict(best), 0
    # The programs of rare operations have those that are in many.
    for kind in sorted(best, key=lambda kind: -best[kind][0]):
        if kind not in left:
            continue
        name = best[kind][1]
        model = parsed(folder / name / "model.mlmodel")
        file = (folder / name / "weights/weight.bin").read_bytes()
        for blob in blobs(model.mlProgram):
            blob.offset = struct.unpack_from("<Q", file, blob.offset + 8)[0]
        for other in counted(model):
            left.pop(other, None)
        model.description.metadata.Clear()
        data = model.SerializeToString(deterministic=True)
        if len(data) <= LARGEST:
            (target / kind).write_bytes(data)
            total += len(data)
    print(f"{len(list(target.iterdir()))} programs with {len(best)} operations, {total} bytes")


if __name__ == "__main__":
    main()
