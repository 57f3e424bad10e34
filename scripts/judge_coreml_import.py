"""Compares packages that coremltools makes from PyTorch models, read and run by RLX, with PyTorch's results.

    pip install coremltools==9.0 'numpy<2.4' torch scikit-learn==1.5.1
    cargo build -p rlx-coreml --example run_package
    python scripts/judge_coreml_import.py target/debug/examples/run_package [--only NAME,…] [--keep FOLDER]

Each model is converted for iOS 15 to 18 in f32 and f16. The largest difference, relative to the largest value of the output, may be 1e-4
in f32 and 1e-2 in f16. For compressed weights, the package and the same package with weights decompressed by coremltools must give the
same bytes, and PyTorch with those weights must agree as above.
"""

import argparse
import copy
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")

import coremltools as ct  # noqa: E402
import coremltools.optimize as cto  # noqa: E402
import numpy as np  # noqa: E402
import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
from torch import nn  # noqa: E402

TARGETS = {"iOS15": ct.target.iOS15, "iOS16": ct.target.iOS16, "iOS17": ct.target.iOS17, "iOS18": ct.target.iOS18}
BOUND = {"f32": 1e-4, "f16": 1e-2}


def mlp():
    return nn.Sequential(nn.Linear(24, 48), nn.GELU(), nn.Linear(48, 32), nn.Tanh(), nn.Linear(32, 10), nn.LogSoftmax(-1))


class Residual(nn.Module):
    def __init__(self, inner, outer, stride):
        super().__init__()
        self.a = nn.Conv2d(inner, outer, 3, stride, 1, bias=False)
        self.na = nn.BatchNorm2d(outer)
        self.b = nn.Conv2d(outer, outer, 3, 1, 1, bias=False)
        self.nb = nn.BatchNorm2d(outer)
        self.side = nn.Sequential(nn.Conv2d(inner, outer, 1, stride, bias=False), nn.BatchNorm2d(outer))

    def forward(self, x):
        y = self.nb(self.b(F.relu(self.na(self.a(x)))))
        return F.relu(y + self.side(x))


class ResNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 7, 2, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.body = nn.Sequential(Residual(8, 8, 1), Residual(8, 16, 2), Residual(16, 32, 2))
        self.late = nn.Sequential(nn.AvgPool2d(2, 1, 1, ceil_mode=True, count_include_pad=False), nn.BatchNorm2d(32))
        self.head = nn.Linear(32, 10)

    def forward(self, x):
        # A norm before the activation that cannot be merged into a convolution.
        y = self.late(F.leaky_relu(self.body(self.stem(x)), 0.1))
        return self.head(F.adaptive_avg_pool2d(y, 1).flatten(1))


def cnn():
    return nn.Sequential(
        nn.Conv2d(3, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1, groups=2), nn.GELU(), nn.Flatten(), nn.Linear(2592, 8), nn.Sigmoid()
    )


class Inverted(nn.Module):
    def __init__(self, width, stride, activation):
        super().__init__()
        wide = width * 4
        self.body = nn.Sequential(
            nn.Conv2d(width, wide, 1, bias=False), nn.BatchNorm2d(wide), activation,
            nn.Conv2d(wide, wide, 5, stride, 2, groups=wide, bias=False), nn.BatchNorm2d(wide), activation,
        )
        self.gate = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(wide, width, 1), nn.ReLU(), nn.Conv2d(width, wide, 1), nn.Hardsigmoid())
        self.out = nn.Sequential(nn.Conv2d(wide, width, 1, bias=False), nn.BatchNorm2d(width))
        self.stride = stride

    def forward(self, x):
        y = self.body(x)
        y = self.out(y * self.gate(y))
        return x + y if self.stride == 1 else y


def mobilenet():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, 2, 1), nn.Hardswish(), Inverted(8, 1, nn.ReLU6()), Inverted(8, 2, nn.Hardswish()), Inverted(8, 1, nn.SiLU()),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Dropout(0.2), nn.Linear(8, 12), nn.Softmax(-1),
    )


class Recurrent(nn.Module):
    def __init__(self, kind, two_ways, layers=2):
        super().__init__()
        self.embed = nn.Embedding(40, 16)
        self.net = kind(16, 24, layers, batch_first=True, bidirectional=two_ways)
        self.head = nn.Linear(48 if two_ways else 24, 7)

    def forward(self, x):
        y, state = self.net(self.embed(x))
        state = state if isinstance(state, torch.Tensor) else state[1]
        return self.head(y), state


class Encoder(nn.Module):
    def __init__(self, width=32, heads=4):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.n1, self.n2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, mask=None):
        b, n, w = x.shape
        q, k, v = self.qkv(self.n1(x)).reshape(b, n, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = x + self.out(y.transpose(1, 2).reshape(b, n, w))
        return x + self.down(F.gelu(self.up(self.n2(x))))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([Encoder(), Encoder()])
        self.norm = nn.LayerNorm(32)

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return self.norm(x)


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places, self.kinds = nn.Embedding(100, 32), nn.Embedding(64, 32), nn.Embedding(2, 32)
        self.norm = nn.LayerNorm(32, eps=1e-12)
        self.layers = nn.ModuleList([Encoder(), Encoder()])
        self.pool = nn.Linear(32, 32)

    def forward(self, ids, attention_mask):
        places = torch.arange(ids.shape[1], device=ids.device).unsqueeze(0)
        x = self.norm(self.words(ids) + self.places(places) + self.kinds(torch.zeros_like(ids)))
        mask = (1.0 - attention_mask[:, None, None, :].float()) * -1e4
        for layer in self.layers:
            x = layer(x, mask)
        weights = attention_mask.unsqueeze(-1).float()
        mean = (x * weights).sum(1) / weights.sum(1).clamp(min=1e-9)
        return F.normalize(mean, dim=-1), torch.tanh(self.pool(x[:, 0]))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1 = nn.Sequential(nn.ReflectionPad2d(1), nn.Conv2d(3, 8, 3), nn.InstanceNorm2d(8, affine=True), nn.LeakyReLU(0.2))
        self.down2 = nn.Sequential(nn.ReplicationPad2d((1, 2, 1, 2)), nn.Conv2d(8, 16, 4, 2), nn.GroupNorm(4, 16), nn.ELU())
        self.down3 = nn.Sequential(nn.Conv2d(16, 32, 3, 2, 1, dilation=1), nn.PReLU(32))
        self.up3 = nn.ConvTranspose2d(32, 16, 3, 2, 1, output_padding=1)
        self.up2 = nn.ConvTranspose2d(32, 8, 4, 2, 1, groups=2)
        self.out = nn.Conv2d(16, 4, 3, padding="same", dilation=2)
        self.shuffle = nn.PixelShuffle(2)

    def forward(self, x):
        a = self.down1(x)
        b = self.down2(a)
        c = self.down3(b)
        y = torch.cat([self.up3(c), b], 1)
        y = torch.cat([self.up2(y), a], 1)
        y = self.out(y)
        near = F.interpolate(y, scale_factor=2, mode="nearest")
        far = F.interpolate(y, scale_factor=2, mode="bilinear", align_corners=False)
        corners = F.interpolate(y, scale_factor=2, mode="bilinear", align_corners=True)
        small = F.interpolate(y, size=(11, 13), mode="bilinear", align_corners=False)
        return near + far * corners, small, self.shuffle(y)


class Images(nn.Module):
    """Resampling of images."""

    def forward(self, x, theta):
        moved = [F.grid_sample(x, theta, mode, padding, align) for mode in ("bilinear", "nearest") for padding in ("zeros", "border", "reflection") for align in (False, True)]
        return F.pixel_unshuffle(x, 2), F.local_response_norm(x, 3), F.upsample(x, scale_factor=1.5, mode="nearest"), *moved


class Indices(nn.Module):
    """Sorting, indexing, sums and selections."""

    def forward(self, x, i):
        values, places = torch.topk(x, 3, dim=-1)
        lowest, _ = torch.topk(x, 2, dim=0, largest=False)
        order = torch.argsort(x, dim=1, descending=True)
        taken = torch.gather(x, 1, order[:, :4])
        rows = x[i]
        put = torch.zeros_like(x).scatter(1, i.unsqueeze(0).expand(x.shape[0], -1), x[:, : i.shape[0]])
        added = torch.zeros_like(x).scatter_add(0, i.unsqueeze(1).expand(-1, x.shape[1]), x[: i.shape[0]])
        chosen = torch.where(x > 0, x, torch.exp(x))
        sums = torch.cumsum(x, 1)
        joint = torch.einsum("ij,kj->ik", x, x)
        hot = F.one_hot(i, 8).float()
        largest = torch.argmax(x, dim=-1)
        part = torch.masked_fill(x, x.abs() > 1, 0.5)
        return values, places, lowest, taken, rows, put, added, chosen, sums, joint, hot, largest, part


class Functions(nn.Module):
    """Elementwise functions, reductions, shapes."""

    def forward(self, x, y):
        a = torch.stack([x.sin(), y.cos(), x.tanh(), torch.erf(y), x.exp(), (y.abs() + 0.1).log(), (x * x + 0.1).rsqrt()], 1)
        b = torch.stack([x.floor(), y.ceil(), torch.round(x * 3), torch.sign(y), torch.clamp(x, -0.5, 0.7), F.softplus(y), F.elu(x, 0.7)])
        c = torch.cat([x.sum(1), y.mean(0), x.amax(1), y.amin(0), x.norm(dim=1), torch.logsumexp(y, 1), x.std(1), y.var(0)])
        d = F.pad(x, (1, 2, 0, 1), value=0.25).flip(1)[:, 1:-1:2].repeat(2, 3)
        e = torch.floor_divide(x, y) + torch.remainder(x, y) * torch.pow(x.abs() + 0.1, y)
        f = F.softmax(x, 0) + F.mish(y) + F.hardtanh(x) + F.softsign(y) + F.selu(x) + F.glu(torch.cat([x, y], 1), 1) + F.gelu(x, approximate="tanh")
        g = torch.tril(x @ y.T) + torch.triu(x @ y.T, 1) * 2
        return a, b, c, d, e, f, g


class Decoder(nn.Module):
    """A decoder of one token at a time, with keys and values as states."""

    LAYERS, HEADS, SIZE, LENGTH, VOCABULARY = 2, 4, 8, 32, 50

    def __init__(self):
        super().__init__()
        width = self.HEADS * self.SIZE
        self.embed = nn.Embedding(self.VOCABULARY, width)
        make = lambda *sizes: nn.ModuleList([nn.Linear(*sizes, bias=False) for _ in range(self.LAYERS)])
        self.q, self.k, self.v, self.o = make(width, width), make(width, width), make(width, width), make(width, width)
        self.up, self.down = make(width, 64), make(64, width)
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(2 * self.LAYERS + 1)])
        cache = (self.LAYERS, 1, self.HEADS, self.LENGTH, self.SIZE)
        self.register_buffer("keys", torch.zeros(cache))
        self.register_buffer("values", torch.zeros(cache))

    def forward(self, ids, place, mask):
        x = self.embed(ids)
        at = (torch.arange(self.LENGTH) == place).to(x.dtype)[None, None, :, None]
        for i in range(self.LAYERS):
            y = self.norms[2 * i](x)
            split = lambda z: z.reshape(1, 1, self.HEADS, self.SIZE).transpose(1, 2)
            q, k, v = split(self.q[i](y)), split(self.k[i](y)), split(self.v[i](y))
            self.keys[i] = self.keys[i] * (1 - at) + k * at
            self.values[i] = self.values[i] * (1 - at) + v * at
            scores = q @ self.keys[i].transpose(-1, -2) * self.SIZE**-0.5 + mask
            x = x + self.o[i]((scores.softmax(-1) @ self.values[i]).transpose(1, 2).reshape(1, 1, -1))
            x = x + self.down[i](F.silu(self.up[i](self.norms[2 * i + 1](x))))
        return self.norms[-1](x) @ self.embed.weight.T


def floats(*dims):
    return lambda rng: rng.standard_normal(dims).astype(np.float32)


def ints(limit, *dims):
    return lambda rng: rng.integers(0, limit, dims).astype(np.int32)


def ones(*dims):
    def make(rng):
        mask = np.ones(dims, np.int32)
        mask[..., -2:] = 0
        return mask

    return make


MODELS = {
    "mlp": (mlp, {"x": floats(3, 24)}),
    "resnet": (ResNet, {"x": floats(2, 3, 32, 32)}),
    "mobilenet": (mobilenet, {"x": floats(1, 3, 32, 32)}),
    "lstm": (lambda: Recurrent(nn.LSTM, True), {"x": ints(40, 2, 9)}),
    "lstm_one_way": (lambda: Recurrent(nn.LSTM, False), {"x": ints(40, 2, 9)}),
    "gru": (lambda: Recurrent(nn.GRU, False), {"x": ints(40, 2, 9)}),
    "gru_two_ways": (lambda: Recurrent(nn.GRU, True, 1), {"x": ints(40, 1, 9)}),
    "rnn": (lambda: Recurrent(nn.RNN, False), {"x": ints(40, 2, 5)}),
    "transformer": (Transformer, {"x": floats(2, 11, 32)}),
    "bert": (Bert, {"ids": ints(100, 2, 12), "attention_mask": ones(2, 12)}),
    "unet": (UNet, {"x": floats(1, 3, 16, 16)}),
    "images": (Images, {"x": floats(2, 4, 10, 14), "theta": lambda rng: rng.uniform(-1.4, 1.4, (2, 5, 6, 2)).astype(np.float32)}, "iOS16"),
    "cnn": (cnn, {"x": floats(2, 3, 20, 20)}),
    "indices": (Indices, {"x": floats(6, 8), "i": lambda rng: np.array([4, 0, 3, 1], np.int32)}),
    "functions": (Functions, {"x": floats(5, 9), "y": floats(5, 9)}),
}

PALETTE, LINEAR, PRUNE = cto.coreml.OpPalettizerConfig, cto.coreml.OpLinearQuantizerConfig, cto.coreml.OpMagnitudePrunerConfig


def palettised(**settings):
    return lambda model: cto.coreml.palettize_weights(model, cto.coreml.OptimizationConfig(PALETTE(mode="kmeans", weight_threshold=64, **settings)))


def quantized(**settings):
    return lambda model: cto.coreml.linear_quantize_weights(model, cto.coreml.OptimizationConfig(LINEAR(weight_threshold=64, **settings)))


def pruned(model):
    return cto.coreml.prune_weights(model, cto.coreml.OptimizationConfig(PRUNE(target_sparsity=0.6, weight_threshold=64)))


def both(first, second):
    def joint(model):
        return second(first(model))

    return joint


def joint_palettes(model):
    config = cto.coreml.OptimizationConfig(PALETTE(mode="kmeans", nbits=4, weight_threshold=64))
    return cto.coreml.palettize_weights(pruned(model), config, joint_compression=True)


def joint_linear(model):
    config = cto.coreml.OptimizationConfig(LINEAR(mode="linear_symmetric", weight_threshold=64))
    return cto.coreml.linear_quantize_weights(pruned(model), config, joint_compression=True)


COMPRESSED = {
    "iOS16 palette 4": ("iOS16", palettised(nbits=4)),
    "iOS16 palette 6": ("iOS16", palettised(nbits=6)),
    "iOS16 palette 1": ("iOS16", palettised(nbits=1)),
    "iOS16 linear": ("iOS16", quantized(mode="linear")),
    "iOS16 linear symmetric": ("iOS16", quantized(mode="linear_symmetric")),
    "iOS16 sparse": ("iOS16", pruned),
    "iOS18 palette 3": ("iOS18", palettised(nbits=3)),
    "iOS18 palette 4 by groups": ("iOS18", palettised(nbits=4, granularity="per_grouped_channel", group_size=8)),
    "iOS18 palette 2 of vectors": ("iOS18", palettised(nbits=2, cluster_dim=4)),
    "iOS18 palette 4, scaled": ("iOS18", palettised(nbits=4, enable_per_channel_scale=True)),
    "iOS18 linear 8": ("iOS18", quantized(mode="linear")),
    "iOS18 linear 4 by blocks": ("iOS18", quantized(mode="linear", dtype="int4", granularity="per_block", block_size=8)),
    "iOS18 linear u4 symmetric": ("iOS18", quantized(mode="linear_symmetric", dtype="uint4", granularity="per_block", block_size=4)),
    "iOS18 sparse": ("iOS18", pruned),
    "iOS18 sparse palette": ("iOS18", joint_palettes),
    "iOS18 sparse linear": ("iOS18", joint_linear),
}


def converted(model, inputs, target, precision, states=(), flexible=False):
    traced = torch.jit.trace(model, tuple(torch.from_numpy(x).long() if x.dtype == np.int32 else torch.from_numpy(x) for x in inputs.values()))
    kinds = {"f32": ct.precision.FLOAT32, "f16": ct.precision.FLOAT16}
    # For a tensor with at least one axis: the first of two axes, the last but one of three.
    is_open = lambda x, i: flexible and i == max(x.ndim - 2, 0)
    shape = lambda x: ct.Shape([ct.RangeDim(1, 64, default=int(n)) if is_open(x, i) else int(n) for i, n in enumerate(x.shape)])
    types = [ct.TensorType(name=name, shape=shape(x), dtype=x.dtype.type) for name, x in inputs.items()]
    more = {"states": list(states)} if states else {}
    return ct.convert(traced, inputs=types, minimum_deployment_target=TARGETS[target], compute_precision=kinds[precision], **more)


def run(binary, model, folder, steps, sizes=False):
    """The outputs of each step, by name."""
    package = folder / "model.mlpackage"
    model.save(str(package))
    for n, inputs in enumerate(steps):
        (folder / str(n)).mkdir(exist_ok=True)
        for name, x in inputs.items():
            (folder / str(n) / f"{name}.in").write_bytes(x.tobytes())
            if sizes:
                (folder / str(n) / f"{name}.dims").write_text(" ".join(str(n) for n in x.shape))
    done = subprocess.run([binary, package, folder, "--steps", str(len(steps))], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().removeprefix("Error: "))
    kinds = {65568: np.float32, 65552: np.float16, 131104: np.int32}
    spec = model.get_spec()
    results = []
    for n in range(len(steps)):
        step = {}
        for output in spec.description.output:
            kind = kinds[output.type.multiArrayType.dataType]
            step[output.name] = np.frombuffer((folder / str(n) / f"{output.name}.out").read_bytes(), kind)
        results.append(step)
    return results


def difference(found, wanted):
    """The largest difference, relative to the largest value; integers must be equal."""
    wanted = wanted.detach().numpy().reshape(-1)
    if found.size != wanted.size:
        return float("inf")
    if found.dtype == np.int32:
        return float((found != wanted).any())
    found, wanted = found.astype(np.float64), wanted.astype(np.float64)
    return float(np.abs(found - wanted).max() / max(np.abs(wanted).max(), 1e-3))


def torch_results(model, inputs):
    given = [torch.from_numpy(x).long() if x.dtype == np.int32 else torch.from_numpy(x) for x in inputs.values()]
    with torch.no_grad():
        results = model(*given)
    return [results] if isinstance(results, torch.Tensor) else list(results)


def drawn(makers, seed):
    rng = np.random.default_rng(seed)
    return {name: make(rng) for name, make in makers.items()}


def warmed(model):
    """The model with running means and variances other than zeros and ones."""
    generator = torch.Generator().manual_seed(5)
    for module in model.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm):
            module.running_mean = torch.randn(module.running_mean.shape, generator=generator) * 0.2
            module.running_var = torch.rand(module.running_var.shape, generator=generator) + 0.5
            module.weight.data = torch.rand(module.weight.shape, generator=generator) + 0.5
            module.bias.data = torch.randn(module.bias.shape, generator=generator) * 0.2
    return model.eval()


def plain(binary, folder, name, target, precision, flexible=False):
    make, makers = MODELS[name][:2]
    torch.manual_seed(1)
    model = warmed(make())
    inputs = drawn(makers, 2)
    package = converted(copy.deepcopy(model), inputs, target, precision, flexible=flexible)
    results = run(binary, package, folder, [inputs], flexible)[0]
    wanted = torch_results(model, inputs)
    return max(difference(found, want) for found, want in zip(results.values(), wanted, strict=True))


def decoder(binary, folder, precision):
    torch.manual_seed(1)
    model = Decoder().eval()
    steps = []
    rng = np.random.default_rng(3)
    for n in range(12):
        mask = np.where(np.arange(Decoder.LENGTH) <= n, 0, -1e4).astype(np.float32).reshape(1, 1, 1, -1)
        steps.append({"ids": rng.integers(0, Decoder.VOCABULARY, (1, 1)).astype(np.int32), "place": np.array([n], np.int32), "mask": mask})
    shape = tuple(model.keys.shape)
    states = [ct.StateType(wrapped_type=ct.TensorType(shape=shape, dtype=np.float16), name=name) for name in ("keys", "values")]
    package = converted(copy.deepcopy(model), steps[0], "iOS18", precision, states)
    results = run(binary, package, folder, steps)
    return max(difference(next(iter(found.values())), torch_results(model, inputs)[0]) for found, inputs in zip(results, steps, strict=True))


def dense_weights(package):
    """The constants of a package."""
    operations = package._mil_program.functions["main"].operations
    return [op.val.val for op in operations if op.op_type == "const" and isinstance(op.val.val, np.ndarray) and op.val.val.size > 32]


def with_weights(model, weights):
    """The model with, of these weights, those that are nearest to its own."""
    model = copy.deepcopy(model)
    for param in model.parameters():
        same = [w for w in weights if w.shape == tuple(param.shape)]
        if same:
            nearest = min(same, key=lambda w: np.abs(w.astype(np.float32) - param.detach().numpy()).sum())
            param.data = torch.from_numpy(nearest.astype(np.float32))
    return model


def compressed(binary, folder, name, kind, precision):
    target, compress = COMPRESSED[kind]
    make, makers = MODELS[name][:2]
    torch.manual_seed(1)
    model = warmed(make())
    inputs = drawn(makers, 2)
    package = compress(converted(copy.deepcopy(model), inputs, target, precision))
    kinds = {op.op_type for op in package._mil_program.functions["main"].operations if op.op_type.startswith("constexpr")}
    if not kinds:
        raise RuntimeError("nothing was compressed")
    dense = cto.coreml.decompress_weights(package)
    found = run(binary, package, folder, [inputs])[0]
    (folder / "dense").mkdir(exist_ok=True)
    baked = run(binary, dense, folder / "dense", [inputs])[0]
    for (name, a), b in zip(found.items(), baked.values(), strict=True):
        if a.tobytes() != b.tobytes():
            raise RuntimeError(f"{name} is not what decompressed weights give ({', '.join(sorted(kinds))})")
    wanted = torch_results(with_weights(model, dense_weights(dense)), inputs)
    return max(difference(a, b) for a, b in zip(found.values(), wanted, strict=True)), ", ".join(sorted(kinds))


def cases(only):
    for name in MODELS:
        for precision in ("f32", "f16"):
            for target in TARGETS:
                if target < (MODELS[name][2:] or ("",))[0]:
                    continue
                yield f"{name} {precision} {target}", precision, lambda b, f, n=name, p=precision, t=target: plain(b, f, n, t, p)
    for name in ("mlp", "transformer", "bert", "lstm_one_way"):
        yield f"{name} f32 iOS17 sizes open", "f32", lambda b, f, n=name: plain(b, f, n, "iOS17", "f32", True)
    for precision in ("f32", "f16"):
        # States are f16 in both.
        yield f"decoder {precision} iOS18", "f16", lambda b, f, p=precision: decoder(b, f, p)
    for kind in COMPRESSED:
        for name in ("mlp", "cnn"):
            for precision in ("f32", "f16"):
                yield f"{name} {precision} {kind}", precision, lambda b, f, n=name, k=kind, p=precision: compressed(b, f, n, k, p)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    passed, failed = 0, []
    with tempfile.TemporaryDirectory() as temporary:
        for title, precision, judge in cases(arguments.only):
            if arguments.only and not any(part in title for part in arguments.only.split(",")):
                continue
            folder = (arguments.keep or Path(temporary)) / title.replace(" ", "_").replace(",", "")
            folder.mkdir(parents=True, exist_ok=True)
            try:
                result = judge(arguments.binary.resolve(), folder)
                worst, note = result if isinstance(result, tuple) else (result, "")
                bad = None if worst <= BOUND[precision] else f"differs by {worst:.2e}"
            except Exception as error:  # Conversions fail in many ways.
                worst, note, bad = float("nan"), "", f"{type(error).__name__}: {error}"
            if bad:
                failed.append(title)
                print(f"FAILED {title}: {bad}", flush=True)
            else:
                passed += 1
                print(f"{title}: {worst:.1e} {note}", flush=True)
    print(f"{passed} passed, {len(failed)} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
