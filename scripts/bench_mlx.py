"""Compares MLX driven from Python with MLX driven by RLX on this machine: encoders and decoders of the same shapes with random weights.

    pip install 'mlx[cpu]' numpy
    cargo build --release --features mlx
    python scripts/bench_mlx.py target/release/rlx [--rounds 5] [--decoder MODEL.gguf]

Rounds of both sides alternate. Prints a line per size: medians in milliseconds, and how many times as fast RLX is. The encoder has the
shapes of all-MiniLM-L6-v2 and computes embeddings of token ids. The decoder has those of Qwen3-0.6B with 8-bit weights in groups of 32,
and generates one token at a time after a cache of 32.
"""

import argparse
import json
import os
import statistics
import subprocess
import time

import mlx.core as mx
import mlx.nn as nn


class EncoderLayer(nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.first, self.second = nn.Linear(width, inner), nn.Linear(inner, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)

    def __call__(self, x, mask):
        batch, seq, width = x.shape
        split = lambda y: y.reshape(batch, seq, self.heads, -1).transpose(0, 2, 1, 3)
        q, k, v = split(self.query(x)), split(self.key(x)), split(self.value(x))
        y = mx.fast.scaled_dot_product_attention(q, k, v, scale=(width // self.heads) ** -0.5, mask=mask)
        x = self.norm1(x + self.out(y.transpose(0, 2, 1, 3).reshape(batch, seq, width)))
        return self.norm2(x + self.second(nn.gelu(self.first(x))))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.positions = nn.Embedding(30522, 384), nn.Embedding(512, 384)
        self.norm = nn.LayerNorm(384, eps=1e-12)
        self.layers = [EncoderLayer(384, 12, 1536) for _ in range(6)]

    def __call__(self, ids, mask):
        x = self.norm(self.words(ids) + self.positions(mx.arange(ids.shape[1])))
        seen = mask[:, None, None, :] > 0
        for layer in self.layers:
            x = layer(x, seen)
        weights = mask[..., None].astype(mx.float32)
        x = (x * weights).sum(axis=1) / weights.sum(axis=1)
        return x / mx.linalg.norm(x, axis=-1, keepdims=True)


class DecoderLayer(nn.Module):
    WIDTH, HEADS, KV_HEADS, HEAD, INNER = 1024, 16, 8, 128, 3072

    def __init__(self):
        super().__init__()
        w, h, kv, d, inner = self.WIDTH, self.HEADS, self.KV_HEADS, self.HEAD, self.INNER
        linear = lambda a, b: nn.Linear(a, b, bias=False)
        self.q, self.k, self.v, self.o = linear(w, h * d), linear(w, kv * d), linear(w, kv * d), linear(h * d, w)
        self.gate, self.up, self.down = linear(w, inner), linear(w, inner), linear(inner, w)
        self.norm1, self.norm2 = nn.RMSNorm(w), nn.RMSNorm(w)
        self.q_norm, self.k_norm = nn.RMSNorm(d), nn.RMSNorm(d)

    def __call__(self, x, cache, position):
        batch, seq, _ = x.shape
        split = lambda y, heads: y.reshape(batch, seq, heads, self.HEAD)
        y = self.norm1(x)
        rope = lambda z: mx.fast.rope(
            z.transpose(0, 2, 1, 3), self.HEAD, traditional=False, base=1e6, scale=1.0, offset=position
        )
        q = rope(self.q_norm(split(self.q(y), self.HEADS)))
        k = rope(self.k_norm(split(self.k(y), self.KV_HEADS)))
        v = split(self.v(y), self.KV_HEADS).transpose(0, 2, 1, 3)
        keys, values = mx.concatenate([cache[0], k], axis=2), mx.concatenate([cache[1], v], axis=2)
        y = mx.fast.scaled_dot_product_attention(q, keys, values, scale=self.HEAD**-0.5)
        x = x + self.o(y.transpose(0, 2, 1, 3).reshape(batch, seq, -1))
        y = self.norm2(x)
        return x + self.down(nn.silu(self.gate(y)) * self.up(y)), (keys, values)


class Decoder(nn.Module):
    def __init__(self, layers=28, vocabulary=151936):
        super().__init__()
        self.words = nn.Embedding(vocabulary, 1024)
        self.layers = [DecoderLayer() for _ in range(layers)]
        self.norm = nn.RMSNorm(1024)

    def __call__(self, ids, caches, position):
        x, kept = self.words(ids), []
        for layer, cache in zip(self.layers, caches):
            x, cache = layer(x, cache, position)
            kept.append(cache)
        return self.words.as_linear(self.norm(x)), kept


def timed(run, seconds=1.0, least=3):
    run()
    times, start = [], time.perf_counter()
    while len(times) < least or time.perf_counter() - start < seconds:
        begin = time.perf_counter()
        run()
        times.append((time.perf_counter() - begin) * 1e3)
    return times


def graph_times(make):
    """How long it takes to build graphs, each after a run, as in crates/rlx-mlx/examples/building.rs."""
    times = []
    for _ in range(9):
        begin = time.perf_counter()
        made = make()
        times.append((time.perf_counter() - begin) * 1e3)
        mx.eval(made)
    return times


def of_rlx(rlx, arguments, mode):
    env = dict(os.environ, RLX_MLX_MODE=mode, RLX_MLX_DEVICE="cpu")
    out = subprocess.run([rlx, "bench", *arguments, "--device", "mlx", "--json"], env=env, capture_output=True, text=True)
    if out.returncode != 0:
        raise SystemExit(out.stderr)
    return [json.loads(line) for line in out.stdout.splitlines() if line.startswith("{")]


def encoder(rlx, rounds):
    model = Encoder()
    mx.eval(model.parameters())
    for batch, seq in [(1, 16), (1, 128), (8, 128)]:
        ids = mx.zeros((batch, seq), dtype=mx.int32)
        mask = mx.ones((batch, seq), dtype=mx.int32)
        building = graph_times(lambda: model(ids, mask))
        theirs, ours = [], {"lazy": [], "compiled": []}
        for _ in range(rounds):
            theirs += timed(lambda: mx.eval(model(ids, mask)))
            for mode, times in ours.items():
                size = ["minilm", "--batch", str(batch), "--seq", str(seq), "--seconds", "1"]
                times += [record["median_ms"] for record in of_rlx(rlx, size, mode)]
        middle = statistics.median(theirs)
        line = [f"MiniLM {batch}x{seq}: mlx.nn {middle:.1f} ms (graph {statistics.median(building):.2f} ms)"]
        for mode, times in ours.items():
            line.append(f"RLX {mode} {statistics.median(times):.1f} ms ({middle / statistics.median(times):.2f}x)")
        print("; ".join(line), flush=True)


def decoder(rlx, path, rounds):
    model = Decoder()
    nn.quantize(model, group_size=32, bits=8)
    mx.eval(model.parameters())
    shape = (1, DecoderLayer.KV_HEADS, 32, DecoderLayer.HEAD)
    caches = [(mx.zeros(shape), mx.zeros(shape)) for _ in model.layers]
    ids = mx.zeros((1, 1), dtype=mx.int32)
    theirs, ours = [], {"lazy": [], "compiled": []}
    for _ in range(rounds):
        theirs += timed(lambda: mx.eval(model(ids, caches, 32)[0]))
        for mode, times in ours.items():
            records = of_rlx(rlx, ["llm", path, "--pp", "32", "--tg", "4", "--rounds", "1"], mode)
            times += [1e3 / record["tg_tok_s"] for record in records]
    middle = statistics.median(theirs)
    line = [f"decoder, 8 bits, one token: mlx.nn {middle:.0f} ms"]
    for mode, times in ours.items():
        line.append(f"RLX {mode} {statistics.median(times):.0f} ms ({middle / statistics.median(times):.2f}x)")
    print("; ".join(line), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rlx")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--decoder", help="a GGUF file with the shapes of Qwen3-0.6B in Q8_0")
    args = parser.parse_args()
    mx.set_default_device(mx.cpu)
    print(f"mlx {mx.__version__}, {os.cpu_count()} cores")
    encoder(args.rlx, args.rounds)
    if args.decoder:
        decoder(args.rlx, args.decoder, args.rounds)


if __name__ == "__main__":
    main()
