"""JAX on the CPU: MiniLM, the training step and long windows, written in jax.numpy."""

import math
import os
import time

import bert
import gpt
import jax
import jax.numpy as jnp
import numpy as np
from serve import Peer

LAYERS, HEADS, WIDTH = 6, 12, 384
CHECKED = 8


def norm(x, p, at, eps):
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + eps) * p[f"{at}.weight"] + p[f"{at}.bias"]


def linear(x, p, at):
    return x @ p[f"{at}.weight"].T + p[f"{at}.bias"]


def attention(q, k, v, heads, allowed):
    """q, k, v [batch, seq, width]; `allowed` has the pairs of positions that attend to each other."""
    batch, seq, width = q.shape
    split = lambda x: x.reshape(batch, seq, heads, width // heads).transpose(0, 2, 1, 3)
    scores = split(q) @ split(k).swapaxes(-1, -2) / math.sqrt(width // heads)
    a = jax.nn.softmax(jnp.where(allowed, scores, -jnp.inf)) @ split(v)
    return a.transpose(0, 2, 1, 3).reshape(batch, seq, width)


def minilm(p, ids, mask):
    batch, seq = ids.shape
    at = "embeddings"
    x = p[f"{at}.word_embeddings.weight"][ids] + p[f"{at}.token_type_embeddings.weight"][0]
    x = norm(x + p[f"{at}.position_embeddings.weight"][:seq], p, f"{at}.LayerNorm", 1e-12)
    allowed = mask[:, None, None, :] != 0
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}"
        q, k, v = (linear(x, p, f"{at}.attention.self.{part}") for part in ("query", "key", "value"))
        a = linear(attention(q, k, v, HEADS, allowed), p, f"{at}.attention.output.dense")
        x = norm(x + a, p, f"{at}.attention.output.LayerNorm", 1e-12)
        h = jax.nn.gelu(linear(x, p, f"{at}.intermediate.dense"), approximate=False)
        x = norm(x + linear(h, p, f"{at}.output.dense"), p, f"{at}.output.LayerNorm", 1e-12)
    weight = mask[..., None].astype(x.dtype)
    pooled = (x * weight).sum(1) / jnp.maximum(weight.sum(1), 1e-9)
    return pooled / jnp.maximum(jnp.linalg.norm(pooled, axis=1, keepdims=True), 1e-12)


def gpt_loss(p, ids):
    inputs, targets = ids[:, :-1], ids[:, 1:]
    x = p["tokens.weight"][inputs] + p["positions.weight"][: gpt.SEQ]
    allowed = jnp.tril(jnp.ones((gpt.SEQ, gpt.SEQ), bool))
    for layer in range(gpt.LAYERS):
        at = f"layers.{layer}"
        h = norm(x, p, f"{at}.norm1", 1e-5)
        q, k, v = (linear(h, p, f"{at}.attention.{part}") for part in ("query", "key", "value"))
        x = x + linear(attention(q, k, v, gpt.HEADS, allowed), p, f"{at}.attention.output")
        h = norm(x, p, f"{at}.norm2", 1e-5)
        x = x + linear(jax.nn.gelu(linear(h, p, f"{at}.up"), approximate=False), p, f"{at}.down")
    import optax

    logits = norm(x, p, "norm", 1e-5) @ p["tokens.weight"].T
    return optax.softmax_cross_entropy_with_integer_labels(logits, targets).mean()


class Jax(Peer):
    version = f"JAX {jax.__version__}"
    notes = "jit on the CPU; donated buffers in training"

    def __init__(self, threads):
        super().__init__(threads)
        jax.devices()

    def prepare(self, case, data):
        if case["kind"] == "window":
            return self.windows(case["what"], case["n"], data)
        return self.train(data) if case["kind"] == "train" else self.minilm(case, data)

    def windows(self, what, n, data):
        import windows

        function = {
            "convolve": lambda x, k: jnp.convolve(x, k, "same"),
            "moving sum": lambda x: jax.lax.reduce_window(x, 0.0, jax.lax.add, (windows.SUM,), (1,), "VALID"),
            "cumlogsumexp": jax.lax.cumlogsumexp,
        }[what]
        operands = [jnp.asarray(array) for array in windows.read(what, n, data)]
        compiled = jax.jit(function).lower(*operands).compile()
        self.step = lambda: compiled(*operands).block_until_ready()
        self.output = lambda: np.asarray(self.step())

    def minilm(self, case, data):
        weights = gpt.read_safetensors(os.path.join(bert.model_folder(data), "model.safetensors"))
        params = {name: jnp.asarray(value) for name, value in weights.items()}
        ids = jnp.asarray(bert.tokens(case, data))
        mask = jnp.ones_like(ids)
        start = time.perf_counter()
        model = jax.jit(minilm).lower(params, ids, mask).compile()
        facts = {"compile_ms": (time.perf_counter() - start) * 1e3}

        def compile_again():
            jax.clear_caches()
            jax.jit(minilm).lower(params, ids, mask).compile()

        run = lambda: model(params, ids, mask).block_until_ready()
        self.step = compile_again if case["kind"] == "compile" else run
        self.output = lambda: np.asarray(run())
        return facts

    def train(self, data):
        import optax

        weights, tokens = gpt.read(data)
        params = {name: jnp.asarray(value) for name, value in weights.items()}
        del weights
        optimizer = optax.adamw(gpt.LR, b1=gpt.B1, b2=gpt.B2, eps=gpt.EPS, weight_decay=gpt.DECAY)
        held = [params, optimizer.init(params)]
        del params

        def plain(p, s, ids):
            loss, g = jax.value_and_grad(gpt_loss)(p, ids)
            updates, s = optimizer.update(g, s, p)
            return optax.apply_updates(p, updates), s, loss

        update = jax.jit(plain, donate_argnums=(0, 1))
        self.done = 0

        def step():
            held[0], held[1], loss = update(held[0], held[1], tokens[self.done % gpt.EXAMPLES])
            self.done += 1
            return float(loss)

        losses = [step() for _ in range(CHECKED)]
        self.step = step
        self.fewest = 2
        self.output = lambda: np.array(losses)

    def run(self):
        self.step()
