#!/usr/bin/env python3
"""Compares fine-tuning MiniLM with PyTorch: the gradient of every parameter on a batch of pairs, and the losses of some AdamW steps.

    cargo build --release -p rlx-train --example minilm
    pip install torch transformers
    scripts/finetune_minilm.py

The model is BertModel of the transformers library with the weights that `rlx embed` uses, mean pooling, and in-batch negatives: the
cross-entropy of 20 times the cosines. PyTorch computes it in float64, as the reference, and in float32, whose error shows what can be
expected. Neither uses dropout. `--save` writes what crates/rlx-train/tests/minilm.rs expects.
"""

import argparse
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAIRS = ROOT / "crates/rlx-train/tests/minilm_pairs.tsv"
GOLDEN = ROOT / "crates/rlx-train/tests/minilm_golden.txt"
SCALE, RATE, BETAS, EPS, DECAY = 20.0, 2e-5, (0.9, 0.999), 1e-8, 0.01
PROBES = 3
LIMIT, LOSS_LIMIT = 1e-4, 1e-3


def default_model():
    """The folder in which `rlx embed` stores the model."""
    cache = os.environ.get("RLX_CACHE_DIR") or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "rlx"
    found = sorted(pathlib.Path(cache).glob("models/minilm/*/model.safetensors"))
    if not found:
        sys.exit("give --model, or run `rlx embed` once, which fetches it")
    return found[0].parent


def read_safetensors(path):
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    about = header.pop("__metadata__", {})
    values = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        values[name] = np.frombuffer(data[8 + length + begin : 8 + length + end], np.float32)
    return values, about


class Reference:
    """The loss, computed with PyTorch and the transformers library."""

    def __init__(self, folder, pairs, dtype):
        import torch
        from transformers import AutoTokenizer, BertModel

        self.torch = torch
        self.model = BertModel.from_pretrained(folder, add_pooling_layer=False, attn_implementation="eager").to(dtype).eval()
        tokenizer = AutoTokenizer.from_pretrained(folder)
        texts = [a for a, _ in pairs] + [p for _, p in pairs]
        self.tokens = tokenizer(texts, padding=True, truncation=True, max_length=256, return_tensors="pt")
        self.pairs, self.dtype = len(pairs), dtype

    def loss(self):
        functional = self.torch.nn.functional
        hidden = self.model(**self.tokens).last_hidden_state
        mask = self.tokens["attention_mask"].to(self.dtype)[..., None]
        pooled = functional.normalize((hidden * mask).sum(1) / mask.sum(1).clamp(min=1e-9))
        anchors, positives = functional.normalize(pooled[: self.pairs]), functional.normalize(pooled[self.pairs :])
        return functional.cross_entropy(SCALE * anchors @ positives.T, self.torch.arange(self.pairs))

    def gradients(self):
        self.model.zero_grad()
        loss = self.loss()
        loss.backward()
        return loss.item(), {name: p.grad.double().numpy().ravel() for name, p in self.model.named_parameters()}

    def train(self, steps):
        groups = [
            {"params": [p for p in self.model.parameters() if p.dim() >= 2], "weight_decay": DECAY},
            {"params": [p for p in self.model.parameters() if p.dim() < 2], "weight_decay": 0.0},
        ]
        optimizer = self.torch.optim.AdamW(groups, lr=RATE, betas=BETAS, eps=EPS)
        losses = []
        for _ in range(steps):
            optimizer.zero_grad()
            loss = self.loss()
            losses.append(loss.item())
            loss.backward()
            optimizer.step()
        return losses


def unmoved(name):
    """A number added to all keys does not change the attention weights. These gradients are 0, and computed values are rounding errors."""
    return name.endswith("attention.self.key.bias")


def errors(got, want):
    """The error of each gradient relative to its norm; for those that are 0, relative to the norm of their weight's gradient."""
    scale = lambda name: np.linalg.norm(want[name.replace("key.bias", "key.weight") if unmoved(name) else name])
    return {name: float(np.linalg.norm(got[name] - want[name]) / scale(name)) for name in want}


def signs(index, probe, count):
    """The signs that `Random::new(index, probe)` of rlx-train draws."""
    golden = np.uint64(0x9E3779B97F4A7C15)

    def mixed(z):
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))

    with np.errstate(over="ignore"):
        state = (mixed(np.uint64(index) + golden) ^ (np.uint64(probe) * golden)) + golden
        bits = mixed(state + golden * np.arange(1, count + 1, dtype=np.uint64))
    return np.where(bits >> np.uint64(63), 1.0, -1.0)


def save(version, loss, gradients, losses):
    lines = [f"# {version}, float64; scripts/finetune_minilm.py --save", f"loss {loss:.12g}"]
    lines.append("losses " + " ".join(f"{x:.9g}" for x in losses))
    for index, (name, gradient) in enumerate(sorted(gradients.items())):
        products = [gradient @ signs(index, probe, gradient.size) for probe in range(PROBES)]
        numbers = [np.linalg.norm(gradient), *products]
        lines.append(f"{name} " + " ".join(f"{x:.9e}" for x in numbers))
    GOLDEN.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--example", default=ROOT / "target/release/examples/minilm", help="the built example")
    parser.add_argument("--model", type=pathlib.Path, help="the folder of the model (default: in the cache of rlx)")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--all", action="store_true", help="print a line for every parameter")
    parser.add_argument("--save", action="store_true", help="write what the test expects, and stop")
    args = parser.parse_args()
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import torch

    torch.set_num_threads(2)
    model = args.model or default_model()
    pairs = [tuple(line.split("\t")) for line in PAIRS.read_text().splitlines()]
    truth = Reference(model, pairs, torch.float64)
    loss, gradients = truth.gradients()
    losses = truth.train(args.steps)
    if args.save:
        save(f"PyTorch {torch.__version__}", loss, gradients, losses)
        return 0
    single = Reference(model, pairs, torch.float32)
    single_loss, single_gradients = single.gradients()
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "gradients.safetensors"
        run = subprocess.run([args.example, PAIRS, str(args.steps), out], stdout=subprocess.PIPE, text=True, check=True)
        ours, about = read_safetensors(out)
    ours = {name: value.astype(np.float64) for name, value in ours.items()}
    our_losses = [float(line) for line in run.stdout.split()]
    assert ours.keys() == gradients.keys(), ours.keys() ^ gradients.keys()
    of_ours, of_single = errors(ours, gradients), errors(single_gradients, gradients)
    print(f"{len(pairs)} pairs, {len(gradients)} parameters of {sum(g.size for g in gradients.values())} numbers, PyTorch {torch.__version__}")
    print(f"loss: float64 {loss:.8f}, PyTorch float32 {single_loss:.8f}, RLX {float(about['loss']):.8f}")
    print("error of gradients, relative to their norm      RLX    PyTorch float32")
    worst = sorted(of_ours, key=of_ours.get, reverse=True)
    for name in worst if args.all else worst[:8]:
        note = "  (is 0; relative to key.weight)" if unmoved(name) else ""
        print(f"  {name:45} {of_ours[name]:.1e}  {of_single[name]:.1e}{note}")
    whole = lambda g: np.sqrt(sum(np.sum((g[n] - gradients[n]) ** 2) for n in g) / sum(np.sum(v**2) for v in gradients.values()))
    print(f"  {'all together':45} {whole(ours):.1e}  {whole(single_gradients):.1e}")
    apart = max(abs(a - b) for a, b in zip(our_losses, losses))
    single_apart = max(abs(a - b) for a, b in zip(single.train(args.steps), losses))
    print(f"{args.steps} steps of AdamW: loss {losses[0]:.6f} to {losses[-1]:.6f}; RLX {apart:.1e} apart at most, PyTorch float32 {single_apart:.1e}")
    good = of_ours[worst[0]] <= LIMIT and apart <= LOSS_LIMIT and our_losses[-1] < our_losses[0]
    print("agrees" if good else "DIFFERS")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
