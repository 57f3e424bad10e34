#!/usr/bin/env python3
"""Writes small GGUF files with the Python package `gguf` (0.19.0), and what its reader reads from them.

    python scripts/gguf_goldens.py               writes crates/rlx-gguf/tests/data
    python scripts/gguf_goldens.py --same A B    whether the package reads the same in both files

`NAME.gguf` is a file and `NAME.txt` lists its contents: `key KEY TYPE VALUE`, with arrays in brackets, and `tensor NAME TYPE [SHAPE] HASH`,
where HASH is FNV-1a over the bits of its values as f32 (for integers, over its bytes). This script writes version 1 itself, since the
package does not support it.
"""

import struct
import sys
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType, GGUFEndian, GGUFReader, GGUFValueType, GGUFWriter, quants

DATA = Path(__file__).parent.parent / "crates" / "rlx-gguf" / "tests" / "data"
QUANTIZED = ["Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1"]


def fnv(array):
    state = 0xCBF29CE484222325
    for item in array.reshape(-1).tolist():
        state = ((state ^ item) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{state:016x}"


def tensors():
    wave = np.sin(np.arange(4 * 64, dtype=np.float64)).astype(np.float32).reshape(4, 64)
    yield "token_embd.weight", wave, None
    yield "half", wave[:2, :3].astype(np.float16), None
    yield "brain", quants.quantize(wave[:2], GGMLQuantizationType.BF16), GGMLQuantizationType.BF16
    yield "double", wave[0, :5].astype(np.float64), None
    for dtype in (np.int8, np.int16, np.int32, np.int64):
        yield np.dtype(dtype).name, np.arange(-3, 4, dtype=dtype), None
    yield "deep", wave.reshape(2, 2, 2, 32), None
    for name in QUANTIZED:
        kind = GGMLQuantizationType[name]
        yield f"blk.0.{name.lower()}", quants.quantize(wave, kind), kind


def fill(writer, many):
    writer.add_uint8("a.u8", 200)
    writer.add_int8("a.i8", -100)
    writer.add_uint16("a.u16", 60_000)
    writer.add_int16("a.i16", -30_000)
    writer.add_uint32("a.u32", 4_000_000_000)
    writer.add_int32("a.i32", -2_000_000_000)
    writer.add_float32("a.f32", 0.1)
    writer.add_bool("a.yes", True)
    writer.add_bool("a.no", False)
    writer.add_string("a.text", "Füße, 象")
    writer.add_uint64("a.u64", 2**63 + 1)
    writer.add_int64("a.i64", -(2**62))
    writer.add_float64("a.f64", 1e300)
    writer.add_array("a.numbers", [1, -2, 3])
    writer.add_array("a.floats", [0.5, -1.25])
    writer.add_array("a.words", ["", "the", "▁of"])
    writer.add_array("a.bools", [True, False, True])
    writer.add_array("a.bytes", b"\x00\x7f\xff")
    for name, values, kind in tensors() if many else []:
        writer.add_tensor(name, values, raw_dtype=kind)


def write(name, endian=GGUFEndian.LITTLE, **split):
    writer = GGUFWriter(DATA / f"{name}.gguf", "golden", endianess=endian, **split)
    fill(writer, True)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_by_hand(name, version):
    """The first keys and tensors again, in an older version: counts and lengths have 32 bits in version 1, and 64 in version 2."""
    count = "<I" if version == 1 else "<Q"
    number = lambda form, value: struct.pack(form, value)
    text = lambda value: number(count, len(value.encode())) + value.encode()
    keys = [
        text("general.architecture") + number("<I", 8) + text("golden"),
        text("a.i16") + number("<Ih"[:2], 3) + number("<h", -30_000),
        text("a.words") + number("<I", 9) + number("<I", 8) + number(count, 2) + text("the") + text("▁of"),
        # An array of arrays, which the package writes but does not read.
        text("a.nested") + number("<I", 9) + number("<I", 9) + number(count, 2)
        + (number("<I", 4) + number(count, 1) + number("<I", 7)) + (number("<I", 4) + number(count, 0)),
    ]
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    infos = text("x") + number("<I", 2) + number(count, 3) + number(count, 2) + number("<I", 0) + number("<Q", 0)
    out = b"GGUF" + number("<I", version) + number(count, 1) + number(count, len(keys)) + b"".join(keys) + infos
    out += bytes(-len(out) % 32)
    (DATA / f"{name}.gguf").write_bytes(out + values.tobytes() + bytes(8))
    lines = [
        'key general.architecture text "golden"', "key a.i16 i16 -30000", 'key a.words text ["the","▁of"]',
        "key a.nested array [[7],[]]", f"tensor x f32 [2,3] {fnv(values.view(np.uint32))}",
    ]
    (DATA / f"{name}.txt").write_text("\n".join(lines) + "\n")


NAMES = {
    GGUFValueType.UINT8: "u8", GGUFValueType.INT8: "i8", GGUFValueType.UINT16: "u16", GGUFValueType.INT16: "i16",
    GGUFValueType.UINT32: "u32", GGUFValueType.INT32: "i32", GGUFValueType.FLOAT32: "f32", GGUFValueType.BOOL: "bool",
    GGUFValueType.STRING: "text", GGUFValueType.UINT64: "u64", GGUFValueType.INT64: "i64", GGUFValueType.FLOAT64: "f64",
}


def shown(kind, value):
    if kind == GGUFValueType.STRING:
        return f'"{value}"'
    if kind == GGUFValueType.BOOL:
        return "true" if value else "false"
    if kind in (GGUFValueType.FLOAT32, GGUFValueType.FLOAT64):
        form = "<f" if kind == GGUFValueType.FLOAT32 else "<d"
        return struct.pack(form, value)[::-1].hex()
    return str(int(value))


def described(path):
    """What the package reads, as lines. Keys about the split itself are left out."""
    reader, lines = GGUFReader(path), []
    for field in reader.fields.values():
        if field.name.startswith(("GGUF.", "split.")):
            continue
        kind, value = field.types[-1], field.contents()
        if field.types[0] == GGUFValueType.ARRAY:
            text = "[" + ",".join(shown(kind, item) for item in value) + "]"
        else:
            text = shown(kind, value)
        lines.append(f"key {field.name} {NAMES[kind]} {text}")
    return lines + [tensor_line(tensor, reader) for tensor in reader.tensors]


def tensor_line(tensor, reader):
    name = tensor.tensor_type.name.lower()
    shape = ",".join(str(int(d)) for d in reversed(tensor.shape))
    data = np.ascontiguousarray(tensor.data)
    if name.startswith("i") and name[1:].isdigit():
        bits = data.astype(data.dtype.newbyteorder("<")).view(np.uint8)
    elif name in ("f32", "f16", "f64"):
        bits = data.astype(np.float32).view(np.uint32)
    else:
        bits = quants.dequantize(data, tensor.tensor_type).astype(np.float32).view(np.uint32)
    return f"tensor {tensor.name} {name} [{shape}] {fnv(bits)}"


def main():
    DATA.mkdir(parents=True, exist_ok=True)
    write("all")
    (DATA / "all.txt").write_text("\n".join(described(DATA / "all.gguf")) + "\n")
    # The reader of a big-endian file does not swap bytes inside blocks, so the contents are taken from the little-endian file.
    writer = GGUFWriter(DATA / "big.gguf", "golden", endianess=GGUFEndian.BIG)
    fill(writer, False)
    plain = [(name, values) for name, values, kind in tensors() if kind is None]
    for name, values in plain:
        writer.add_tensor(name, values.copy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    kept = {f"tensor {name} " for name, _ in plain}
    lines = [line for line in described(DATA / "all.gguf") if line.startswith("key") or any(map(line.startswith, kept))]
    (DATA / "big.txt").write_text("\n".join(lines) + "\n")
    write("split", split_max_tensors=6)
    write_by_hand("version1", 1)
    write_by_hand("version2", 2)


if sys.argv[1:2] == ["--same"]:
    first, second = [described(path) for path in sys.argv[2:4]]
    for line in sorted(set(first) ^ set(second)):
        print(line)
    sys.exit(first != second)
main()
