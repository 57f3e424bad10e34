#!/usr/bin/env python3
"""Losses of a tiny GPT in PyTorch, 20 steps of fused AdamW: the expectation of crates/rlx-train/tests/gpt.rs.

    scripts/training_goldens.py > crates/rlx-train/tests/gpt_losses.txt
"""

import tempfile

import bench_training as bench
import numpy as np

bench.VOCAB, bench.LAYERS, bench.WIDTH, bench.HEADS, bench.FFN, bench.SEQ, bench.BATCH = 61, 2, 32, 4, 64, 16, 4


def weights():
    """Numbers that a test makes again: see `value` there."""
    made = {}
    for k, (name, shape) in enumerate(sorted(bench.shapes().items())):
        wave = np.sin(np.arange(np.prod(shape), dtype=np.float64) * 0.7 + k) * 0.2
        if "norm" in name and name.endswith("weight"):
            wave += 1.0
        made[name] = wave.astype(np.float32).reshape(shape)
    return made


def tokens():
    example, row, at = np.ogrid[: bench.EXAMPLES, : bench.BATCH, : bench.SEQ + 1]
    return ((at * at * 3 + at * (row + 2) + example * 11 + row) % bench.VOCAB).astype(np.int32)


with tempfile.TemporaryDirectory() as folder:
    bench.write_safetensors(f"{folder}/weights.safetensors", weights())
    np.save(f"{folder}/tokens.npy", tokens())
    bench.LR = 3e-3
    report = bench.run_torch(f"{folder}/weights.safetensors", f"{folder}/tokens.npy", 1, 20)
print(f"# {report['version']}, learning rate 3e-3")
for loss in report["losses"]:
    print(f"{loss:.9g}")
