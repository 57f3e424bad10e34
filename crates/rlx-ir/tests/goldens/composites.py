"""Writes composites.txt: what JAX, NumPy and PyTorch compute for the composites that the tests run.

    python composites.py > composites.txt

Needs numpy, jax, torch and gguf. A line is `name dims values…`; `wave` is the same function as in the tests.
"""

import math
import os

os.environ["JAX_ENABLE_X64"] = "1"
import gguf
import jax
import jax.numpy as jnp
import numpy as np
import torch
import torch.nn.functional as F


def wave(*dims, seed=0):
    i = np.arange(math.prod(dims), dtype=np.int64)
    return (((i * i * 5 + i * 7 + seed * 11) % 31 - 15) / 8).reshape(dims)


def t(*dims, seed=0):
    return torch.from_numpy(wave(*dims, seed=seed))


def emit(name, value):
    value = np.asarray(value)
    dims = "x".join(map(str, value.shape)) or "-"
    print(name, dims, *(repr(float(v)) for v in value.reshape(-1)))


def softmaxes():
    x = jnp.array(wave(2, 3, 4))
    emit("log_softmax/1", jax.nn.log_softmax(x, axis=1))
    emit("log_softmax/large", jax.nn.log_softmax(x * 1000, axis=2))
    emit("logsumexp/12", jax.scipy.special.logsumexp(x, axis=(1, 2)))
    emit("logsumexp/0k", jax.scipy.special.logsumexp(x, axis=0, keepdims=True))
    special = jnp.array([[-np.inf] * 3, [-np.inf, 1, 2], [np.inf, 1, 2], [np.nan, 1, 2], [1e300, 1, -1e300]])
    emit("logsumexp/special", jax.scipy.special.logsumexp(special, axis=1))


def norms():
    x, g, b = t(2, 3, 4), t(3, 4, seed=1), t(3, 4, seed=2)
    emit("layer_norm/plain", F.layer_norm(x, (4,), eps=1e-5))
    emit("layer_norm/affine", F.layer_norm(x, (3, 4), g, b, eps=1e-3))
    emit("rms_norm/affine", F.rms_norm(x, (4,), g[0], eps=1e-6))
    half = x.to(torch.bfloat16)
    emit("layer_norm/bf16", F.layer_norm(half, (4,), eps=1e-5).double())
    image, g, b = t(2, 4, 3, 2), t(4, seed=1), t(4, seed=2)
    emit("layer_norm_2d", F.layer_norm(image.permute(0, 2, 3, 1), (4,), g, b, eps=1e-6).permute(0, 3, 1, 2))
    emit("group_norm", F.group_norm(image, 2, g, b, eps=1e-5))
    mean, variance = t(4, seed=3), t(4, seed=4).abs() + 0.5
    emit("batch_norm", F.batch_norm(image, mean, variance, g, b, False, 0.1, 1e-5))
    emit("batch_norm_training/y", F.batch_norm(image, None, None, g, b, True, 0.1, 1e-5))
    emit("batch_norm_training/mean", image.mean((0, 2, 3)))
    emit("batch_norm_training/variance", image.var((0, 2, 3), correction=0))


def sdpa(q, k, v, mask=None, scale=None, softcap=None, bias=None):
    """Attention in plain NumPy, for the options that PyTorch lacks; rows without a key give 0."""
    heads, kv_heads = q.shape[1], k.shape[1]
    k, v = (np.repeat(a, heads // kv_heads, axis=1) for a in (k, v))
    scores = np.einsum("bhqd,bhkd->bhqk", q, k) * (scale or 1 / math.sqrt(q.shape[3]))
    if softcap:
        scores = softcap * np.tanh(scores / softcap)
    if bias is not None:
        scores = scores + bias
    if mask is not None:
        scores = np.where(mask, scores, -np.inf)
    with np.errstate(invalid="ignore"):
        weights = np.nan_to_num(np.exp(scores - scores.max(-1, keepdims=True)))
    total = weights.sum(-1, keepdims=True)
    return np.einsum("bhqk,bhkd->bhqd", weights / np.where(total == 0, 1, total), v)


def attentions():
    q, k, v = t(2, 4, 3, 2), t(2, 4, 5, 2, seed=1), t(2, 4, 5, 3, seed=2)
    emit("attention/plain", F.scaled_dot_product_attention(q, k, v))
    emit("attention/scale", F.scaled_dot_product_attention(q, k, v, scale=0.3))
    k2, v2 = t(2, 2, 5, 2, seed=1), t(2, 2, 5, 3, seed=2)
    emit("attention/grouped", F.scaled_dot_product_attention(q, k2, v2, enable_gqa=True))
    i, j = np.arange(3)[:, None], np.arange(5)[None, :]
    causal = j <= i + 2
    emit("attention/causal", F.scaled_dot_product_attention(q, k, v, attn_mask=torch.from_numpy(causal)))
    window = causal & (j > i + 2 - 2)
    n = [a.numpy() for a in (q, k, v)]
    emit("attention/window", sdpa(*n, mask=window, softcap=1.5))
    bias = wave(1, 4, 3, 5, seed=5)
    emit("attention/bias", F.scaled_dot_product_attention(q, k, v, attn_mask=torch.from_numpy(bias)))
    padding = np.array([[1, 1, 0, 1, 0], [0, 0, 0, 0, 0]], bool)
    emit("attention/padding", sdpa(*n, mask=padding[:, None, None, :]))
    # More queries than keys: the first two see nothing.
    q5, k3, v3 = wave(1, 2, 5, 2), wave(1, 2, 3, 2, seed=1), wave(1, 2, 3, 2, seed=2)
    emit("attention/long_queries", sdpa(q5, k3, v3, mask=np.arange(3)[None] <= np.arange(5)[:, None] - 2))
    q3, k3, v3 = t(2, 3, 8), t(2, 5, 4, seed=1), t(2, 5, 4, seed=2)
    split = lambda x, h: x.reshape(2, -1, h, 2).transpose(1, 2)
    out = F.scaled_dot_product_attention(split(q3, 4), split(k3, 2), split(v3, 2), enable_gqa=True)
    emit("attention/rank3", out.transpose(1, 2).reshape(2, 3, 8))


def attention_caches():
    """Attention over the first rows of caches by jax.nn; queries are the last of the rows that count."""
    lengths = np.array([0, 5, 2], np.int32)

    def run(q, k, v, *, window=None, causal=False, mask=None):
        seq_q, capacity = q.shape[2], k.shape[2]
        position = lengths[:, None] - seq_q + np.arange(seq_q)[None]
        age = position[:, :, None] - np.arange(capacity)
        seen = np.broadcast_to(np.arange(capacity) < lengths[:, None, None], age.shape)
        seen = seen & (age >= 0) if causal else seen
        seen = seen & (age < window) if window else seen
        seen = seen & mask[:, None] if mask is not None else seen
        seen = seen[:, None]
        group = q.shape[1] // k.shape[1]
        q, k, v = jnp.array(q), jnp.repeat(jnp.array(k), group, 1), jnp.repeat(jnp.array(v), group, 1)
        scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(q.shape[3])
        weights = jax.nn.softmax(scores, axis=-1, where=seen)
        out = jnp.einsum("bhqk,bhkd->bhqd", jnp.where(seen, weights, 0), v)
        check = jax.nn.dot_product_attention(*(x.swapaxes(1, 2) for x in (q, k, v)), mask=seen).swapaxes(1, 2)
        # jax.nn computes in f32, and gives the mean of all values where nothing is seen.
        np.testing.assert_allclose(out, jnp.where(seen.any(-1)[..., None], check, 0), atol=1e-5)
        return out

    # Heads of keys and values are of one size in jax.nn.
    q, k, v = wave(3, 4, 3, 2), wave(3, 2, 5, 2, seed=1), wave(3, 2, 5, 2, seed=2)
    turned = [jnp.array(x[1:]).swapaxes(1, 2) for x in (q, k, v)]
    plain = jax.nn.dot_product_attention(*turned, key_value_seq_lengths=lengths[1:]).swapaxes(1, 2)
    np.testing.assert_allclose(run(q, k, v)[1:], plain, atol=1e-6)
    emit("attention/lengths", run(q, k, v))
    emit("attention/lengths_causal", run(q, k, v, causal=True))
    emit("attention/lengths_window", run(q, k, v, causal=True, window=2))
    padding = np.array([[1, 1, 1, 1, 1], [1, 0, 1, 1, 0], [0, 0, 1, 1, 1]], bool)
    emit("attention/lengths_padding", run(q, k, v, mask=padding))
    for name, kind in [("q8_0", gguf.GGMLQuantizationType.Q8_0), ("q4_0", gguf.GGMLQuantizationType.Q4_0)]:
        width = {"q8_0": 34, "q4_0": 18}[name]
        packed = [stored_blocks(30, width, seed) for seed in (1, 2)]
        k, v = (gguf.quants.dequantize(x, kind).astype(np.float64).reshape(3, 2, 5, 32) for x in packed)
        emit(f"attention/{name}", run(wave(3, 4, 3, 32) / 8, k, v, causal=True))


def stored_blocks(count, width, seed):
    """Packed blocks with scales from 1/64 on."""
    packed = ((np.arange(count * width) * 37 + 11 + seed) % 256).astype(np.uint8).reshape(count, width)
    scales = ((np.arange(count) + seed) % 7 + 1) / 64
    packed[:, :2] = scales.astype(np.float16).view(np.uint8).reshape(count, 2)
    return packed


def ropes():
    x = wave(2, 3, 2, 8)
    angle = wave(3, 4, seed=1)
    cos, sin = np.cos(angle), np.sin(angle)

    def rotate(x, cos, sin, interleaved):
        half = cos.shape[-1]
        a, b = (x[..., 0::2], x[..., 1::2]) if interleaved else (x[..., :half], x[..., half:])
        a, b = a * cos - b * sin, b * cos + a * sin
        return np.stack([a, b], -1).reshape(x.shape) if interleaved else np.concatenate([a, b], -1)

    c, s = cos[None, :, None], sin[None, :, None]
    emit("rope/halves", rotate(x, c, s, False))
    emit("rope/interleaved", rotate(x, c, s, True))
    part = rotate(x[..., :4], c[..., :2], s[..., :2], True)
    emit("rope/partial", np.concatenate([part, x[..., 4:]], -1))
    angle = wave(2, 3, 4, seed=1)
    emit("rope/batched", rotate(x.transpose(0, 2, 1, 3), np.cos(angle)[:, None], np.sin(angle)[:, None], False))


def activations():
    x = torch.tensor([-math.inf, -800.0, -1.5, -1e-9, -0.0, 0.0, 1e-9, 2.5, math.inf, math.nan], dtype=torch.float64)
    emit("elu", F.elu(x, alpha=0.7))
    emit("leaky_relu", F.leaky_relu(x, negative_slope=0.1))
    emit("clip", torch.clamp(x, -1.0, 2.0))
    emit("clip/low", torch.clamp(x, min=-1.0))


def indexing():
    x = wave(3, 4, 2)
    emit("embedding", np.take(wave(4, 3), [[0, 3, 1], [2, 2, 0]], axis=0))
    emit("take", np.take(x, [[3, 0], [1, 1], [2, 3]], axis=1))
    indices = np.array([[0, 2, 1, 1], [2, 2, 0, 1]])
    emit("gather_axis", np.take_along_axis(x[:2, :, 0], indices, axis=1))
    ids, updates = torch.tensor([2, 0, 2]), t(3, 3, 2, seed=1)
    emit("scatter_add/slices", torch.from_numpy(x).index_add(1, ids, updates))
    ids = torch.tensor([[1, 0, 1, 3], [3, 3, 3, 0]])
    emit("scatter_add/elements", t(2, 4).scatter_add(1, ids, t(2, 4, seed=1)))
    emit("one_hot", jax.nn.one_hot(jnp.array([[2, 0], [3, -1]]), 3))
    emit("tile/short", np.tile(wave(2, 3), (2,)))
    emit("tile/long", np.tile(wave(2, 3), (2, 1, 3)))
    emit("roll", np.roll(x, (1, -5, 4), (0, 1, 2)))
    cache, new = jnp.array(wave(2, 5, 2)), jnp.array(wave(2, 2, 2, seed=1))
    emit("kv_append/inside", jax.lax.dynamic_update_slice(cache, new, (0, 2, 0)))
    emit("kv_append/clamped", jax.lax.dynamic_update_slice(cache, new, (0, 4, 0)))


def appends():
    cache, new = jnp.array(wave(2, 5, 2)), jnp.array(wave(2, 2, 2, seed=1))
    each = lambda c, n, at: jax.lax.dynamic_update_slice(c, n, (at, 0), allow_negative_indices=False)
    for name, at in [("inside", [0, 3]), ("clamped", [-2, 4])]:
        emit(f"kv_append/each_{name}", jax.vmap(each)(cache, new, jnp.array(at)))


def losses():
    logits, labels = t(2, 3, 4), torch.tensor([[0, 3, 1], [2, 2, 0]])
    emit("cross_entropy", F.cross_entropy(logits.reshape(6, 4), labels.reshape(6), reduction="none").reshape(2, 3))
    emit("mse", F.mse_loss(logits, t(2, 3, 4, seed=1)))


def quantization():
    x, scale, zero = wave(3, 5), np.array([0.25, 0.1, 0.03]), np.array([3, -7, 100])
    rows = lambda p: p[:, None]
    emit("quantize/i8", np.clip(np.rint(x / 0.25) + 3, -128, 127))
    emit("quantize/u8_axis", np.clip(np.rint(x / rows(scale)) + rows(zero), 0, 255))
    stored = (np.arange(15).reshape(3, 5) * 17) % 256
    emit("dequantize", (stored - rows(zero)) * rows(scale))
    fake = lambda low, high, axis, s, z: torch.fake_quantize_per_channel_affine(
        t(3, 5).float(), torch.tensor(s).float(), torch.tensor(z, dtype=torch.int32), axis, low, high
    )
    emit("fake_quantize/symmetric", fake(-7, 7, 0, scale, [0, 0, 0]))
    emit("fake_quantize/affine", fake(0, 15, 1, [0.25, 0.1, 0.3, 0.5, 0.125], [8, 7, 3, 15, 0]))
    for name, kind in [("q8_0", gguf.GGMLQuantizationType.Q8_0), ("q4_0", gguf.GGMLQuantizationType.Q4_0)]:
        blocks, width = 4, {"q8_0": 34, "q4_0": 18}[name]
        packed = ((np.arange(blocks * width) * 37 + 11) % 256).astype(np.uint8).reshape(blocks, width)
        packed[:, :2] = np.array([0.5, -0.0625, 3.140625, 6e-8], np.float16).view(np.uint8).reshape(4, 2)
        packed = packed.reshape(2, 2 * width)
        values = gguf.quants.dequantize(packed, kind)
        emit(f"dequantize_blocks/{name}", values)
        emit(f"dequant_matmul/{name}", wave(3, 64) @ values.astype(np.float64).T)
    x, w, a, b = wave(2, 4), wave(4, 3, seed=1), wave(4, 2, seed=2), wave(2, 3, seed=3)
    emit("lora_matmul", x @ w + 8 / 2 * (x @ a) @ b)


def vision():
    x, w, b = t(2, 4, 5, 6), t(6, 2, 3, 2, seed=1), t(6, seed=2)
    emit("conv2d/plain", F.conv2d(x, t(3, 4, 2, 2, seed=1)))
    emit("conv2d/all", F.conv2d(x, w, b, stride=(2, 1), padding=(1, 2), dilation=(1, 2), groups=2))
    emit("conv2d/depthwise", F.conv2d(x, t(4, 1, 3, 3, seed=1), padding=1, groups=4))
    w = t(4, 3, 3, 2, seed=1)
    emit("conv_transpose2d/plain", F.conv_transpose2d(x, w))
    emit(
        "conv_transpose2d/all",
        F.conv_transpose2d(x, w, b, stride=(2, 3), padding=(1, 2), output_padding=(1, 0), dilation=(2, 1), groups=2),
    )
    emit("pool/max", F.max_pool2d(x, (3, 2), (2, 1), (1, 1)))
    emit("pool/mean", F.avg_pool2d(x, (3, 2), (2, 1), (1, 1)))
    emit("pool/mean3", F.avg_pool3d(x[:, :, :4].reshape(2, 4, 2, 2, 6), (2, 1, 3), (1, 1, 2)))
    line = x[:, :, 0]
    windows = line.unfold(2, 3, 2)
    emit("pool/sum1", windows.sum(-1))
    emit("pool/min1", windows.amin(-1))
    emit("pool/prod1", windows.prod(-1))


def recurrent():
    def run(kind, gates, states, reverse, bias=True):
        layer = kind(3, 2, bias=bias).double()
        shapes = [(gates * 2, 3), (gates * 2, 2), (gates * 2,), (gates * 2,)]
        for seed, (p, dims) in enumerate(zip(layer.parameters(), shapes), 3):
            p.data = t(*dims, seed=seed)
        x, start = t(4, 2, 3), tuple(t(1, 2, 2, seed=seed) for seed in range(1, 1 + states))
        y, last = layer(x.flip(0) if reverse else x, start if states > 1 else start[0])
        last = last if states > 1 else (last,)
        return [a.detach().squeeze(0) for a in (y.flip(0) if reverse else y, *last)]

    cases = [
        ("rnn/tanh", torch.nn.RNN, 1, 1, False, True),
        ("lstm/forward", torch.nn.LSTM, 4, 2, False, True),
        ("lstm/reverse", torch.nn.LSTM, 4, 2, True, False),
        ("gru/forward", torch.nn.GRU, 3, 1, False, True),
    ]
    for name, *options in cases:
        for part, value in zip("yhc", run(*options)):
            emit(f"{name}/{part}", value)


def selective_scan():
    x, delta = wave(2, 4, 3), np.abs(wave(2, 4, 3, seed=1)) / 4
    a, b, c = -np.abs(wave(3, 2, seed=2)), wave(2, 4, 2, seed=3), wave(2, 4, 2, seed=4)
    skip = wave(3, seed=5)
    for name, h in [("zero", np.zeros((2, 3, 2))), ("state", wave(2, 3, 2, seed=6))]:
        ys = []
        for i in range(4):
            h = np.exp(delta[:, i, :, None] * a) * h + (delta[:, i] * x[:, i])[:, :, None] * b[:, i, None]
            ys.append((h * c[:, i, None]).sum(-1) + skip * x[:, i])
        emit(f"selective_scan/{name}/y", np.stack(ys, 1))
        emit(f"selective_scan/{name}/h", h)


def solving():
    a, b = wave(2, 3, 3) + 2 * np.eye(3)[::-1], wave(2, 3, 2, seed=1)
    emit("dense_solve/vector", np.linalg.solve(a[0], b[0, :, 0]))
    emit("dense_solve/matrix", np.linalg.solve(a[0], b[0]))
    emit("batched_dense_solve/vector", np.linalg.solve(a, b[:, :, :1])[..., 0])
    emit("batched_dense_solve/matrix", np.linalg.solve(a, b))
    emit("cumsum", np.cumsum(wave(2, 3, 4), axis=1))
    emit("swiglu", F.silu(t(2, 4)) * t(2, 4, seed=1))


if __name__ == "__main__":
    softmaxes()
    norms()
    attentions()
    attention_caches()
    ropes()
    activations()
    indexing()
    appends()
    losses()
    quantization()
    vision()
    recurrent()
    selective_scan()
    solving()
