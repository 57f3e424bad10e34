#!/usr/bin/env python3
"""One training step of a small GPT: RLX, PyTorch eager with fused AdamW, JAX with donated buffers.

The same start weights, tokens and optimiser in all three, interleaved in rounds of short bursts, each in a process of its own. Prints a
table with versions, the time of a step and the most memory over the start, and checks that the losses of the first steps agree.

    cargo build --release -p rlx-cli
    scripts/bench_training.py --threads 2 --rounds 3 --steps 20
    scripts/bench_training.py --update --threads 2 --rounds 5 --steps 30

With `--update` only AdamW is measured, on the same parameters: RLX's update as a compiled graph, PyTorch's with `foreach` and with
`fused`. The gradient of a parameter is what it starts from, in every step; the parameters after the last step are compared.
"""

import argparse
import json
import math
import os
import resource
import statistics
import struct
import subprocess
import sys
import tempfile
import time

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
    random = np.random.default_rng(0)
    weights = {}
    for name, shape in shapes().items():
        if name.endswith("bias"):
            weights[name] = np.zeros(shape, np.float32)
        elif "norm" in name:
            weights[name] = np.ones(shape, np.float32)
        else:
            weights[name] = (random.standard_normal(shape) * 0.02).astype(np.float32)
    # Tokens that depend on those before them, so that there is something to learn.
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
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header, data = json.loads(file.read(length)), file.read()
    return {
        name: np.frombuffer(data[slice(*row["data_offsets"])], np.float32).reshape(row["shape"])
        for name, row in header.items()
        if name != "__metadata__"
    }


def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS:"))


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measured(step, steps, begin):
    losses, times = [], []
    for i in range(steps):
        at = time.perf_counter()
        losses.append(float(step(i)))
        times.append((time.perf_counter() - at) * 1e3)
    return {"losses": losses, "times": times[2:] or times, "peak_over_start_bytes": peak() - begin}


def run_torch(weights_path, tokens_path, threads, steps):
    import torch
    import torch.nn.functional as F

    torch.set_num_threads(threads)
    begin = resident()
    weights = read_safetensors(weights_path)
    params = {name: torch.nn.Parameter(torch.from_numpy(value.copy())) for name, value in weights.items()}
    del weights
    tokens = torch.from_numpy(np.load(tokens_path).astype(np.int64))
    optimizer = torch.optim.AdamW(params.values(), lr=LR, betas=(B1, B2), eps=EPS, weight_decay=DECAY, fused=True)
    linear = lambda x, at: F.linear(x, params[f"{at}.weight"], params[f"{at}.bias"])
    norm = lambda x, at: F.layer_norm(x, (WIDTH,), params[f"{at}.weight"], params[f"{at}.bias"])
    heads = lambda x: x.view(BATCH, SEQ, HEADS, WIDTH // HEADS).transpose(1, 2)

    def loss_of(ids):
        inputs, targets = ids[:, :-1], ids[:, 1:]
        x = params["tokens.weight"][inputs] + params["positions.weight"][:SEQ]
        for layer in range(LAYERS):
            at = f"layers.{layer}"
            h = norm(x, f"{at}.norm1")
            q, k, v = (heads(linear(h, f"{at}.attention.{p}")) for p in ("query", "key", "value"))
            a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + linear(a.transpose(1, 2).reshape(BATCH, SEQ, WIDTH), f"{at}.attention.output")
            h = norm(x, f"{at}.norm2")
            x = x + linear(F.gelu(linear(h, f"{at}.up")), f"{at}.down")
        logits = norm(x, "norm") @ params["tokens.weight"].T
        return F.cross_entropy(logits.view(-1, VOCAB), targets.reshape(-1))

    def step(i):
        optimizer.zero_grad(set_to_none=True)
        loss = loss_of(tokens[i % EXAMPLES])
        loss.backward()
        optimizer.step()
        return loss.detach()

    return {"version": f"PyTorch {torch.__version__} eager, fused AdamW", **measured(step, steps, begin)}


def run_jax(weights_path, tokens_path, threads, steps):
    import jax
    import jax.numpy as jnp
    import optax

    jax.devices()
    begin = resident()
    params = {name: jnp.asarray(value) for name, value in read_safetensors(weights_path).items()}
    tokens = np.load(tokens_path)
    optimizer = optax.adamw(LR, b1=B1, b2=B2, eps=EPS, weight_decay=DECAY)
    state = optimizer.init(params)

    def loss_of(p, ids):
        linear = lambda x, at: x @ p[f"{at}.weight"].T + p[f"{at}.bias"]

        def norm(x, at):
            mean = x.mean(-1, keepdims=True)
            variance = ((x - mean) ** 2).mean(-1, keepdims=True)
            return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * p[f"{at}.weight"] + p[f"{at}.bias"]

        heads = lambda x: x.reshape(BATCH, SEQ, HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3)
        inputs, targets = ids[:, :-1], ids[:, 1:]
        x = p["tokens.weight"][inputs] + p["positions.weight"][:SEQ]
        mask = jnp.tril(jnp.ones((SEQ, SEQ), bool))
        for layer in range(LAYERS):
            at = f"layers.{layer}"
            h = norm(x, f"{at}.norm1")
            q, k, v = (heads(linear(h, f"{at}.attention.{n}")) for n in ("query", "key", "value"))
            scores = jnp.where(mask, q @ k.swapaxes(-1, -2) / math.sqrt(WIDTH // HEADS), -jnp.inf)
            a = jax.nn.softmax(scores) @ v
            x = x + linear(a.transpose(0, 2, 1, 3).reshape(BATCH, SEQ, WIDTH), f"{at}.attention.output")
            h = norm(x, f"{at}.norm2")
            x = x + linear(jax.nn.gelu(linear(h, f"{at}.up"), approximate=False), f"{at}.down")
        logits = norm(x, "norm") @ p["tokens.weight"].T
        return optax.softmax_cross_entropy_with_integer_labels(logits, targets).mean()

    @jax.jit
    def plain(p, s, ids):
        loss, g = jax.value_and_grad(loss_of)(p, ids)
        updates, s = optimizer.update(g, s, p)
        return optax.apply_updates(p, updates), s, loss

    update = jax.jit(plain, donate_argnums=(0, 1))
    held = [params, state]
    del params, state

    def step(i):
        held[0], held[1], loss = update(held[0], held[1], tokens[i % EXAMPLES])
        return loss

    return {"version": f"JAX {jax.__version__}, donated buffers", **measured(step, steps, begin)}


def run_rlx(binary, weights_path, tokens_path, threads, steps):
    command = [binary, "bench", "train", "--threads", str(threads), "--steps", str(steps), "--json"]
    command += ["--weights", weights_path, "--tokens", tokens_path]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return {
        "version": "RLX",
        "losses": report["losses"],
        "times": [report["median_ms"]],
        "best": report["best_ms"],
        "peak_over_start_bytes": report["peak_over_start_bytes"],
    }


def update_torch(kind, weights_path, threads, steps):
    import torch

    torch.set_num_threads(threads)
    params = [torch.nn.Parameter(torch.from_numpy(value.copy())) for value in read_safetensors(weights_path).values()]
    for p in params:
        p.grad = p.detach().clone()
    optimizer = torch.optim.AdamW(params, lr=LR, betas=(B1, B2), eps=EPS, weight_decay=DECAY, **{kind: True})
    times = []
    for _ in range(steps + 2):
        at = time.perf_counter()
        optimizer.step()
        times.append((time.perf_counter() - at) * 1e3)
    magnitude = sum(p.detach().double().abs().sum().item() for p in params)
    return {"version": f"PyTorch {torch.__version__}, {kind}", "times": times[2:], "magnitude": magnitude}


def update_rlx(binary, weights_path, threads, steps):
    command = [binary, "bench", "update", "--threads", str(threads), "--steps", str(steps), "--json", "--weights", weights_path]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    times = [report["median_ms"]]
    return {"version": "RLX", "times": times, "best": report["best_ms"], "magnitude": report["magnitude"]}


def update_burst(peer, args, weights_path):
    if peer == "rlx":
        return update_rlx(args.rlx, weights_path, args.threads, args.steps)
    env = dict(os.environ, OMP_NUM_THREADS=str(args.threads))
    command = [sys.executable, __file__, "--update", "--peer", peer, "--threads", str(args.threads)]
    command += ["--steps", str(args.steps), "--weights", weights_path]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout)


def compare_updates(args, weights_path):
    """AdamW alone, as a table. Bytes: parameter and moments are read and written, the gradient is read."""
    peers = ["rlx", "foreach", "fused"]
    rounds = [{p: update_burst(p, args, weights_path) for p in peers} for _ in range(args.rounds)]
    count = sum(math.prod(shape) for shape in shapes().values())
    medians = {p: statistics.median(statistics.median(r[p]["times"]) for r in rounds) for p in peers}
    print(f"AdamW on {count} parameters, {args.rounds} rounds of {args.steps} steps\n")
    print(f"| {args.threads} thread(s) | ms, median [best] | GB/s at the median | RLX's time over this |")
    print("|---|---|---|---|")
    for p in peers:
        runs = [r[p] for r in rounds]
        best = min(r.get("best", min(r["times"])) for r in runs)
        speed = 7 * 4 * count / medians[p] / 1e6
        ratio = medians["rlx"] / medians[p]
        print(f"| {runs[0]['version']} | {medians[p]:.1f} [{best:.1f}] | {speed:.1f} | {ratio:.2f} |")
    ours, theirs = rounds[0]["rlx"]["magnitude"], rounds[0]["fused"]["magnitude"]
    off = abs(ours - theirs) / theirs
    print(f"\nsum of magnitudes after the last step: {off:.1e} from PyTorch's")
    if not off <= 1e-6:
        sys.exit("the parameters differ")


def burst(peer, args, weights_path, tokens_path):
    if peer == "rlx":
        return run_rlx(args.rlx, weights_path, tokens_path, args.threads, args.steps)
    env = dict(os.environ, OMP_NUM_THREADS=str(args.threads))
    if args.threads == 1:
        env["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    command = [sys.executable, __file__, "--peer", peer, "--threads", str(args.threads), "--steps", str(args.steps)]
    command += ["--weights", weights_path, "--tokens", tokens_path]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, env=env).stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rlx", default="target/release/rlx")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--only", nargs="*", default=["rlx", "torch", "jax"])
    parser.add_argument("--update", action="store_true", help="measure AdamW alone")
    parser.add_argument("--peer", choices=["torch", "jax", "foreach", "fused"], help=argparse.SUPPRESS)
    parser.add_argument("--weights", help=argparse.SUPPRESS)
    parser.add_argument("--tokens", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.peer and args.update:
        print(json.dumps(update_torch(args.peer, args.weights, args.threads, args.steps)))
        return
    if args.peer:
        run = run_torch if args.peer == "torch" else run_jax
        print(json.dumps(run(args.weights, args.tokens, args.threads, args.steps)))
        return
    with tempfile.TemporaryDirectory() as folder:
        weights_path, tokens_path = f"{folder}/weights.safetensors", f"{folder}/tokens.npy"
        weights, tokens = start()
        write_safetensors(weights_path, weights)
        if args.update:
            return compare_updates(args, weights_path)
        np.save(tokens_path, tokens)
        rounds = [{p: burst(p, args, weights_path, tokens_path) for p in args.only} for _ in range(args.rounds)]
    print(f"| {args.threads} thread(s) | ms, median [best] | peak over the start | loss, first and last of {args.steps} |")
    print("|---|---|---|---|")
    for peer in args.only:
        runs = [r[peer] for r in rounds]
        times = [t for r in runs for t in r["times"]]
        best = min([r.get("best", math.inf) for r in runs] + times)
        memory = max(r["peak_over_start_bytes"] for r in runs) / 2**20
        losses = runs[0]["losses"]
        print(
            f"| {runs[0]['version']} | {statistics.median(times):.0f} [{best:.0f}] | {memory:.0f} MiB "
            f"| {losses[0]:.5f}, {losses[-1]:.5f} |"
        )
    if {"rlx", "torch"} <= set(args.only):
        ours, theirs = rounds[0]["rlx"]["losses"][:20], rounds[0]["torch"]["losses"][:20]
        largest = max(abs(a - b) for a, b in zip(ours, theirs))
        print(f"\nlargest difference of the loss to PyTorch over {len(ours)} steps: {largest:.2e}")
        if not largest <= 1e-4:
            sys.exit("the losses differ by more than 1e-4")


if __name__ == "__main__":
    main()
