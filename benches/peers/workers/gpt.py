"""The GPT whose training step is measured: its sizes, its initial parameters, its tokens, and safetensors files.

Pre-norm layer norm with bias, learned positions, erf-GELU, biases on all linear layers, tied output embedding, causal attention;
mean cross-entropy; AdamW. 14 million parameters.
"""

import json
import struct

import numpy as np

VOCAB, LAYERS, WIDTH, HEADS, FFN, SEQ, BATCH = 8192, 6, 384, 12, 1536, 128, 8
LR, B1, B2, EPS, DECAY = 3e-4, 0.9, 0.95, 1e-8, 0.1
EXAMPLES = 4


def shapes():
    """Names and shapes of the parameters, linear maps as [out, in]."""
    all_ = {"tokens.weight": (VOCAB, WIDTH), "positions.weight": (SEQ, WIDTH)}
    norm = lambda at: all_.update({f"{at}.weight": (WIDTH,), f"{at}.bias": (WIDTH,)})
    linear = lambda at, i, o: all_.update({f"{at}.weight": (o, i), f"{at}.bias": (o,)})
    for layer in range(LAYERS):
        at = f"layers.{layer}"
        norm(f"{at}.norm1")
        for part in ("query", "key", "value", "output"):
            linear(f"{at}.attention.{part}", WIDTH, WIDTH)
        norm(f"{at}.norm2")
        linear(f"{at}.up", WIDTH, FFN)
        linear(f"{at}.down", FFN, WIDTH)
    norm("norm")
    return all_


def start():
    """The initial parameters by name, and tokens [EXAMPLES, BATCH, SEQ + 1]."""
    random = np.random.default_rng(0)
    weights = {}
    for name, shape in shapes().items():
        if name.endswith("bias"):
            weights[name] = np.zeros(shape, np.float32)
        elif "norm" in name:
            weights[name] = np.ones(shape, np.float32)
        else:
            weights[name] = (random.standard_normal(shape) * 0.02).astype(np.float32)
    # Tokens that depend on the tokens before them, so that there is something to learn.
    tokens = random.integers(0, VOCAB, (EXAMPLES, BATCH, SEQ + 1), dtype=np.int32)
    for i in range(1, SEQ + 1):
        copy = random.random((EXAMPLES, BATCH)) < 0.5
        tokens[..., i] = np.where(copy, (tokens[..., i - 1] * 7 + 1) % VOCAB, tokens[..., i])
    return weights, tokens


def write_safetensors(path, weights):
    header, at = {}, 0
    for name, value in weights.items():
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [at, at + value.nbytes]}
        at += value.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for value in weights.values():
            out.write(value.tobytes())


def read_safetensors(path):
    """The f32 tensors in the file, by name."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(length)), file.read()
    return {
        name: np.frombuffer(data[slice(*row["data_offsets"])], np.float32).reshape(row["shape"])
        for name, row in header.items()
        if name != "__metadata__" and row["dtype"] == "F32"
    }


def read(data):
    """The parameters and tokens that the driver wrote."""
    tokens = np.fromfile(f"{data}/train-tokens.i32", np.int32).reshape(EXAMPLES, BATCH, SEQ + 1)
    return read_safetensors(f"{data}/train.safetensors"), tokens
