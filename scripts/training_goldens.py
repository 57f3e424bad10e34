#!/usr/bin/env python3
"""Computes the losses of a tiny GPT in PyTorch over 20 steps of fused AdamW: the expectation of crates/rlx-train/tests/gpt.rs.

    scripts/training_goldens.py > crates/rlx-train/tests/gpt_losses.txt
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../benches/peers/workers"))

import gpt
import numpy as np
import torch
import torch_gpt

gpt.VOCAB, gpt.LAYERS, gpt.WIDTH, gpt.HEADS, gpt.FFN, gpt.SEQ, gpt.BATCH = 61, 2, 32, 4, 64, 16, 4
gpt.LR = 3e-3


def weights():
    """Numbers that a test generates as well: see `value` there."""
    made = {}
    for k, (name, shape) in enumerate(sorted(gpt.shapes().items())):
        wave = np.sin(np.arange(np.prod(shape), dtype=np.float64) * 0.7 + k) * 0.2
        if "norm" in name and name.endswith("weight"):
            wave += 1.0
        made[name] = wave.astype(np.float32).reshape(shape)
    return made


def tokens():
    example, row, at = np.ogrid[: gpt.EXAMPLES, : gpt.BATCH, : gpt.SEQ + 1]
    return ((at * at * 3 + at * (row + 2) + example * 11 + row) % gpt.VOCAB).astype(np.int32)


torch.set_num_threads(1)
step = torch_gpt.stepper(weights(), tokens())
print(f"# PyTorch {torch.__version__} eager, fused AdamW, learning rate 3e-3")
for i in range(20):
    print(f"{step(i):.9g}")
