"""Compares the type that `rlx convert --quantize RECIPE` gives every tensor with that of llama.cpp's llama_model_quantize.

    pip install llama-cpp-python gguf numpy
    python scripts/judge_recipes.py RLX FOLDER [MODEL ...]

RLX is the command. llama.cpp's types for all models are also written to crates/rlx-gguf/tests/data/recipes.txt: a row per model, recipe,
and presence of an importance matrix, with the number of tensors of each type, and FNV-1a over the lines `NAME TYPE` sorted by name; or
`importance` if llama.cpp requires an importance matrix. Models with random numbers are written to FOLDER: dense models and mixtures of 4
and of 8 experts, with and without grouped heads, with an output projection and with tied embeddings, with rows that are whole blocks and
rows that are not, with 4 to 80 layers. Each is quantized with every recipe on both sides, in a dry run that only prints the types, with and
without an importance matrix.
"""

import ctypes
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import gguf
import llama_cpp
import numpy as np

GOLDENS = Path(__file__).parent.parent / "crates" / "rlx-gguf" / "tests" / "data" / "recipes.txt"
RLX, FOLDER = Path(sys.argv[1]), Path(sys.argv[2])
RECIPES = {"f32": 0, "f16": 1, "bf16": 32, "q4_0": 2, "q4_1": 3, "q8_0": 7, "q5_0": 8, "q5_1": 9, "q2_k": 10, "q3_k_s": 11, "q3_k_m": 12,
           "q3_k_l": 13, "q4_k_s": 14, "q4_k_m": 15, "q5_k_s": 16, "q5_k_m": 17, "q6_k": 18, "iq2_xxs": 19, "iq2_xs": 20, "q2_k_s": 21,
           "iq3_xs": 22, "iq3_xxs": 23, "iq1_s": 24, "iq4_nl": 25, "iq3_s": 26, "iq3_m": 27, "iq2_s": 28, "iq2_m": 29, "iq4_xs": 30,
           "iq1_m": 31, "tq1_0": 36, "tq2_0": 37, "mxfp4_moe": 38, "q1_0": 40, "q2_0": 41}
# Architecture, layers, heads, heads of keys, experts, width, tied embeddings, joined queries, keys and values.
MODELS = {
    "llama": ("llama", 16, 4, 4, 0, 256, False, False),
    "grouped": ("llama", 12, 8, 2, 0, 256, True, False),
    "odd": ("qwen3", 9, 6, 2, 0, 96, False, False),
    "odder": ("qwen2", 5, 5, 1, 0, 40, True, False),
    "70b": ("llama", 80, 8, 1, 0, 256, False, False),
    "qwen72b": ("qwen2", 80, 4, 4, 0, 256, False, False),
    "mixtral": ("llama", 17, 8, 2, 8, 256, False, False),
    "moe": ("qwen3moe", 10, 4, 2, 4, 256, False, False),
    "moe2": ("qwen2moe", 8, 4, 4, 2, 256, True, False),
    "phi": ("phi3", 10, 4, 4, 0, 256, False, True),
    "falcon": ("falcon", 20, 4, 1, 0, 256, False, True),
    "gpt2": ("gpt2", 8, 4, 4, 0, 256, True, True),
}


def make(name, path):
    architecture, layers, heads, kv_heads, experts, width, tied, joined = MODELS[name]
    random = np.random.default_rng(7)
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_block_count(layers)
    writer.add_context_length(64)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(width)
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_layer_norm_eps(1e-6)
    writer.add_tokenizer_model("none")
    writer.add_vocab_size(32)
    if experts:
        writer.add_expert_count(experts)
        writer.add_expert_used_count(2)
        writer.add_expert_feed_forward_length(width)

    def add(tensor, *shape):
        writer.add_tensor(tensor, random.standard_normal(shape, np.float32).astype(np.float16 if len(shape) > 1 else np.float32))

    add("token_embd.weight", 32, width)
    add("output_norm.weight", width)
    if architecture == "gpt2":
        add("position_embd.weight", 64, width)
    if not tied:
        add("output.weight", 32, width)
    kv = width // heads * kv_heads
    for layer in range(layers):
        at = f"blk.{layer}."
        add(at + "attn_norm.weight", width)
        add(at + "ffn_norm.weight", width)
        if joined:
            add(at + "attn_qkv.weight", width + 2 * kv, width)
        else:
            add(at + "attn_q.weight", width, width)
            add(at + "attn_k.weight", kv, width)
            add(at + "attn_v.weight", kv, width)
        add(at + "attn_output.weight", width, width)
        if experts:
            add(at + "ffn_gate_inp.weight", experts, width)
            for part in "gate", "up", "down":
                add(at + f"ffn_{part}_exps.weight", experts, 32 if part != "down" else width, width if part != "down" else 256)
            if architecture == "qwen2moe":
                for part in "gate", "up", "down":
                    add(at + f"ffn_{part}_shexp.weight", width, width)
        else:
            add(at + "ffn_gate.weight", width, width)
            add(at + "ffn_up.weight", width, width)
            add(at + "ffn_down.weight", width, width)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def importance(source, path):
    """An importance matrix with numbers from one to two for every matrix, as a file and as llama.cpp's struct."""
    random = np.random.default_rng(8)
    writer = gguf.GGUFWriter(path, "imatrix")
    writer.add_string("general.type", "imatrix")
    writer.add_array("imatrix.datasets", ["random"])
    writer.add_uint32("imatrix.chunk_count", 1)
    writer.add_uint32("imatrix.chunk_size", 64)
    entries = []
    for tensor in gguf.GGUFReader(source).tensors:
        shape = [int(n) for n in tensor.shape[::-1]]
        if len(shape) < 2:
            continue
        matrices = shape[0] if len(shape) > 2 else 1
        sums = (1 + random.random((matrices, shape[-1]), np.float32)).astype(np.float32)
        writer.add_tensor(tensor.name + ".in_sum2", sums)
        writer.add_tensor(tensor.name + ".counts", np.ones((matrices, 1), np.float32))
        entries.append((tensor.name.encode(), sums.reshape(-1)))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return entries


class Entry(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("data", ctypes.POINTER(ctypes.c_float)), ("size", ctypes.c_size_t)]


LOG = []
LISTEN = llama_cpp.llama_log_callback(lambda level, text, _: LOG.append(text.decode(errors="replace")))


def theirs(source, recipe, entries):
    """The type of each tensor, and whether an importance matrix is required."""
    params = llama_cpp.llama_model_quantize_default_params()
    params.nthread, params.ftype, params.dry_run = 1, RECIPES[recipe], True
    if entries:
        array = (Entry * (len(entries) + 1))()
        for i, (name, sums) in enumerate(entries):
            array[i] = Entry(name, sums.ctypes.data_as(ctypes.POINTER(ctypes.c_float)), sums.size)
        params.imatrix = ctypes.cast(array, ctypes.POINTER(llama_cpp.llama_model_imatrix_data))
    LOG.clear()
    if llama_cpp.llama_model_quantize(str(source).encode(), str(FOLDER / "nothing.gguf").encode(), ctypes.byref(params)):
        return None, False
    types, log = {}, "".join(LOG)
    for line in log.splitlines():
        found = re.match(r"\[ *\d+/ *\d+\] +(\S+) +- \[[^]]*\], type = +(\w+), .*?(?:\((\w+)\))?$", line)
        if found:
            types[found[1]] = (found[3] or found[2]).lower()
    return types, "will require an imatrix" in log


def ours(source, recipe, imatrix):
    command = [RLX, "convert", source, "-o", FOLDER / "nothing.gguf", "--quantize", recipe, "--dry-run"]
    run = subprocess.run(command + (["--imatrix", imatrix] if imatrix else []), capture_output=True, text=True)
    if run.returncode:
        return None, "needs an importance matrix" in run.stderr
    return dict(line.lower().split("\t")[:2] for line in run.stdout.splitlines() if "\t" in line), False


def golden(types):
    state = 0xCBF29CE484222325
    for byte in "".join(f"{name} {types[name]}\n" for name in sorted(types)).encode():
        state = ((state ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    counts = Counter(types.values())
    return " ".join([f"{state:016x}"] + [f"{kind}:{counts[kind]}" for kind in sorted(counts)])


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    llama_cpp.llama_log_set(LISTEN, None)
    goldens = []
    compared, tensors, refused, wrong = 0, 0, 0, 0
    for name in sys.argv[3:] or MODELS:
        source, imatrix = FOLDER / f"{name}.gguf", FOLDER / f"{name}.imatrix.gguf"
        make(name, source)
        entries = importance(source, imatrix)
        for recipe in RECIPES:
            for weighted in (False, True):
                (left, needed), (right, missed) = theirs(source, recipe, entries if weighted else None), ours(source, recipe, imatrix if weighted else None)
                compared += 1
                if left is not None:
                    goldens.append(f"{name} {recipe} {'weighted' if weighted else 'plain'} {'importance' if needed else golden(left)}")
                if left is None and right is not None and recipe == "q1_0":
                    continue  # Rows that are no whole blocks of it: llama.cpp gives up, RLX takes f16.
                if needed and missed:
                    refused += 1
                elif left is None or right is None:
                    wrong += 1
                    print(f"{name} {recipe} {weighted}: llama.cpp {left and len(left)} {needed}, rlx {right and len(right)} {missed}")
                else:
                    tensors += len(left)
                    differ = [f"{t}: {left[t]} and not {right.get(t)}" for t in left if left[t] != right.get(t)]
                    if differ or len(left) != len(right):
                        wrong += 1
                        print(f"{name} {recipe} {weighted}: {len(left)} {len(right)} {len(differ)} {differ[:3]}")
    if not sys.argv[3:]:
        GOLDENS.write_text("\n".join(goldens) + "\n")
    print(f"{compared} conversions, {tensors} tensors compared, {refused} conversions need an importance matrix on both sides, {wrong} differ")


main()
