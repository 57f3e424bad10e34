"""Compares `rlx imatrix` and `rlx perplexity --kl-divergence` with transformers and NumPy.

    pip install torch transformers gguf numpy
    python scripts/judge_importance.py RLX FOLDER [NAME ...]

RLX is the command, and FOLDER the output of scripts/judge_conversion.py: checkpoints with tokenizers. Hooks on the linear layers of
transformers' own model compute the sums of squares, and its router those of experts. All numbers of the report are computed from
transformers' logits and the base file, which comes from another model with the same number of tokens.
"""

import json
import subprocess
import sys
from pathlib import Path

import gguf
import numpy as np
import torch
from transformers import AutoModelForCausalLM

RLX, FOLDER = Path(sys.argv[1]), Path(sys.argv[2])
WINDOW = 64
NAMES = {"q_proj": "attn_q", "k_proj": "attn_k", "v_proj": "attn_v", "o_proj": "attn_output", "qkv_proj": "attn_qkv", "gate_proj": "ffn_gate",
         "up_proj": "ffn_up", "gate_up_proj": "ffn_up", "down_proj": "ffn_down", "c_attn": "attn_qkv", "c_fc": "ffn_up"}
TEXT = "".join(f"the quick brown fox {i} jumps over {i * i} lazy dogs; " for i in range(60))


def rlx(*command):
    run = subprocess.run([RLX, *map(str, command)], capture_output=True, text=True)
    assert not run.returncode, run.stderr
    return run.stdout


def sums_of(model, windows):
    sums, counts = {}, {}

    def hook(name):
        def add(module, inputs, output):
            x = inputs[0].detach().double().reshape(-1, inputs[0].shape[-1])
            sums[name] = sums.get(name, 0) + (x * x).sum(0)
            counts[name] = counts.get(name, 0) + len(x)
        return add

    def experts(name, router, used):
        def add(module, inputs, output):
            x = inputs[0].detach().reshape(-1, inputs[0].shape[-1])
            chosen = (x @ router.weight.T).softmax(-1).topk(used).indices
            for expert in range(len(router.weight)):
                own = x[(chosen == expert).any(-1)].double()
                sums.setdefault(name, torch.zeros(len(router.weight), x.shape[-1], dtype=torch.float64))[expert] += (own * own).sum(0)
        return add

    handles = []
    for name, module in model.named_modules():
        parts = name.split(".")
        layer = next((part for part in parts if part.isdecimal()), None)
        if layer and parts[-1] in NAMES and "experts" not in parts and hasattr(module, "weight"):
            handles.append(module.register_forward_hook(hook(f"blk.{layer}.{NAMES[parts[-1]]}.weight")))
        if layer and parts[-1] == "c_proj":
            handles.append(module.register_forward_hook(hook(f"blk.{layer}.{'attn_output' if parts[-2] == 'attn' else 'ffn_down'}.weight")))
        if layer and parts[-1] == "mlp" and hasattr(module, "experts"):
            handles.append(module.register_forward_hook(experts(f"blk.{layer}.ffn_up_exps.weight", module.gate, model.config.num_experts_per_tok)))
    with torch.inference_mode():
        logits = [model(torch.tensor([window])).logits[0].float().numpy() for window in windows]
    for handle in handles:
        handle.remove()
    return sums, logits


def windows_of(base):
    """The tokens in a file of logits."""
    data = base.read_bytes()
    window, _, count = np.frombuffer(data[8:20], np.uint32)
    return np.frombuffer(data[20 : 20 + 4 * window * count], np.uint32).reshape(count, window).astype(np.int64).tolist()


def judge_sums(name, sums, path):
    seen = {t.name: t.data for t in gguf.GGUFReader(path).tensors}
    worst = 0
    for tensor, expected in sums.items():
        expected, found = expected.numpy(), seen[tensor + ".in_sum2"]
        worst = max(worst, np.abs(found.reshape(expected.shape) - expected).max() / np.abs(expected).max())
    missing = [t for t in seen if t.endswith(".in_sum2") and t.removesuffix(".in_sum2") not in sums]
    print(f"{name}: importance of {len(sums)} tensors within {worst:.1e} of the largest; not judged: {len(missing)}")


def judge_divergence(name, logits, windows, base, report):
    data = base.read_bytes()
    window, vocab, count = np.frombuffer(data[8:20], np.uint32)
    at = 20 + 4 * window * count
    assert np.array_equal(np.frombuffer(data[20:at], np.uint32).reshape(count, window), np.array(windows))
    row = 8 + 2 * (vocab + vocab % 2)
    rows = np.frombuffer(data[at:], np.uint8).reshape(-1, row)
    head = rows[:, :8].copy().view(np.float32)
    log_q = head[:, :1].astype(np.float64) * rows[:, 8:].copy().view(np.uint16)[:, :vocab] + head[:, 1:]
    half = window // 2
    own = np.concatenate([x[half:-1] for x in logits]).astype(np.float64)
    log_p = own - own.max(1, keepdims=True)
    log_p -= np.log(np.exp(log_p).sum(1, keepdims=True))
    tokens = np.concatenate([w[half + 1:] for w in windows])
    each = np.arange(len(tokens))
    divergence = np.where(log_q > -16, np.exp(log_q) * (log_q - log_p), 0).sum(1)
    change = np.exp(log_p[each, tokens]) - np.exp(log_q[each, tokens])
    error = lambda x: x.std() / np.sqrt(len(x) - 1)
    expected = {"kl_divergence": [divergence.mean(), error(divergence)], "change_of_p": [change.mean(), error(change)],
                "same_top": [(log_p.argmax(1) == log_q.argmax(1)).mean()], "perplexity": [np.exp(-log_p[each, tokens].mean())],
                "base_perplexity": [np.exp(-log_q[each, tokens].mean())], "root_mean_square_change_of_p": [np.sqrt((change**2).mean())]}
    shares = [100, 99.9, 99, 95, 90, 75, 50, 25, 10, 5, 1, 0.1, 0]
    expected["kl_divergence_percentiles"] = np.percentile(divergence, shares)
    expected["change_of_p_percentiles"] = np.percentile(change, shares)
    worst = {}
    for key, numbers in expected.items():
        found = [x[1] for x in report[key]] if key.endswith("percentiles") else report[key][:len(numbers)]
        worst[key] = np.abs(np.array(found) - numbers).max() / max(np.abs(numbers).max(), 1e-12)
    print(f"{name}: KL divergence {report['kl_divergence'][0]:.6f} over {report['tokens']} tokens; furthest from NumPy: "
          + ", ".join(f"{key} {off:.1e}" for key, off in worst.items()))


def main():
    text, base, imatrix, full, packed = (FOLDER / f for f in ("text.txt", "base.logits", "sums.gguf", "full.gguf", "packed.gguf"))
    text.write_text(TEXT)
    for name in sys.argv[3:] or ["llama", "qwen3", "phi3", "gpt2", "qwen3_moe"]:
        pre = ["--pre", "qwen2"] if name.startswith("qwen") else ["--pre", "gpt-2"] if name == "gpt2" else []
        rlx("convert", FOLDER / name, "-o", full, "--quantize", "f32", *pre)
        rlx("convert", FOLDER / ("mistral" if name != "mistral" else "llama"), "-o", packed, "--quantize", "f16")
        rlx("imatrix", full, text, "-o", imatrix, "--window", WINDOW)
        rlx("perplexity", packed, text, "--window", WINDOW, "--save-logits", base)
        report = json.loads(rlx("perplexity", full, text, "--kl-divergence", base, "--json"))
        model = AutoModelForCausalLM.from_pretrained(FOLDER / name, dtype=torch.float32, attn_implementation="eager").eval()
        _, logits = sums_of(model, windows_of(base))
        windows = windows_of(base)
        rlx("perplexity", full, text, "--window", WINDOW, "--save-logits", FOLDER / "own.logits")
        sums, _ = sums_of(model, windows_of(FOLDER / "own.logits"))
        judge_sums(name, sums, imatrix)
        judge_divergence(name, logits, windows, base, report)
        for recipe in "iq2_xxs", "iq1_s", "q4_k_m":
            rlx("convert", full, "-o", packed, "--quantize", recipe, "--imatrix", imatrix)


main()
