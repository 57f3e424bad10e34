"""Compares LoRA adapters with PEFT, and writes the table of docs/language-models.md.

    pip install torch transformers peft
    python scripts/judge_lora.py [--golden | --gguf LLAMA_CPP]

Makes a checkpoint with random weights of several families (scripts/llm_checkpoints.py) and an adapter with random weights for each, runs
`cargo run --release -p rlx-llm --example compare` on both, merges the adapter with `rlx convert`, and compares that as well. With `--golden`,
it only makes the adapters of crates/rlx-llm/tests/adapters, for the checkpoints next to them. With `--gguf`, llama.cpp's converters, whose
sources are in LLAMA_CPP, also convert the adapters and their models to GGUF, and every pair of formats is compared.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/language-models.md"
GOLDEN = "--golden" in sys.argv
TOKENS, FOLLOWING = (20, 12) if GOLDEN else (500, 200)

ATTENTION = ["q_proj", "k_proj", "v_proj", "o_proj"]
FEED = ["gate_proj", "up_proj", "down_proj"]
# Settings of an adapter for a checkpoint. The ones in `goldens` are in the repository.
ADAPTERS = {
    "llama": dict(r=3, lora_alpha=6, target_modules=ATTENTION + FEED),
    "llama_tied": dict(r=2, lora_alpha=4, target_modules=["embed_tokens", "k_proj"]),
    "mistral_window": dict(r=4, lora_alpha=8, use_rslora=True, target_modules="all-linear"),
    "qwen2": dict(r=4, lora_alpha=8, target_modules=ATTENTION + ["up_proj"], rank_pattern={"q_proj": 2, "layers.0.self_attn.v_proj": 3},
                  alpha_pattern={"q_proj": 10, r"model\.layers\.1\.self_attn\.o_proj": 5}),
    "qwen3": dict(r=2, lora_alpha=3, target_modules=["embed_tokens", "lm_head", "q_proj", "down_proj"]),
    "gemma3": dict(r=3, lora_alpha=6, target_modules="all-linear"),
    "phi3": dict(r=3, lora_alpha=6, target_modules=["qkv_proj", "o_proj", "gate_up_proj", "down_proj"]),
    "gpt2": dict(r=3, lora_alpha=6, target_modules=["c_attn", "c_proj", "c_fc"], fan_in_fan_out=True),
    "smollm3": dict(r=3, lora_alpha=6, target_modules=ATTENTION, layers_to_transform=[1, 2]),
    "qwen2_moe": dict(r=3, lora_alpha=6, target_modules=ATTENTION + FEED),
    "qwen35": dict(r=3, lora_alpha=6, target_modules=["in_proj_qkv", "in_proj_z", "out_proj", "q_proj", "up_proj"]),
    "mamba2": dict(r=3, lora_alpha=6, target_modules=["in_proj"]),
}
GOLDENS = ["llama", "llama_tied", "qwen2", "gemma3", "phi3", "gpt2"]


def adapter(base, name, out):
    """Writes an adapter with random weights and the reference's results for it, and returns the merged weights."""
    import torch
    from peft import LoraConfig, get_peft_model
    from safetensors.torch import save_file
    from transformers import AutoModelForCausalLM

    torch.set_num_threads(1)
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32, attn_implementation="eager").eval()
    generator = torch.Generator().manual_seed(sum(map(ord, name)))
    tokens = torch.randint(0, model.config.vocab_size, (2, TOKENS), generator=generator)
    plain = model(tokens, use_cache=False).logits
    model = get_peft_model(model, LoraConfig(task_type="CAUSAL_LM", **ADAPTERS[name])).eval()
    with torch.no_grad():
        for parameter, weight in model.named_parameters():
            if "lora_" in parameter:
                weight.copy_(torch.randn(weight.shape, generator=generator) * 0.15)
        logits = model(tokens, use_cache=False).logits
        text = tokens[:1]
        for _ in range(FOLLOWING):
            text = torch.cat([text, model(text, use_cache=False).logits[:, -1:].argmax(-1)], 1)
        change = (logits - plain).abs().max() / logits.abs().max()
    model.save_pretrained(out)
    (out / "README.md").unlink(missing_ok=True)
    save_file({"tokens": tokens.int(), "logits": logits.contiguous(), "greedy": text[0, TOKENS:].int().contiguous()}, out / "expected.safetensors")
    config = json.loads((out / "adapter_config.json").read_text())
    config["base_model_name_or_path"] = name
    (out / "adapter_config.json").write_text(json.dumps(config, indent=1, sort_keys=True) + "\n")
    print(f"{name}: the adapter changes logits by {change:.2f} of the largest", file=sys.stderr)
    is_tied = model.config.tie_word_embeddings and "embed_tokens" in ADAPTERS[name]["target_modules"]
    return None if is_tied else model.merge_and_unload().state_dict()


def cargo(*arguments):
    done = subprocess.run(["cargo", "run", "--quiet", "--release", "-p", *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    return done.returncode, done.stdout


def compare(model, adapter=None):
    lora = ["--lora", adapter] if adapter else []
    _, out = cargo("rlx-llm", "--example", "compare", "--", "--json", model, *lora)
    return json.loads(out)


def row(name, what, seen):
    if "failed" in seen:
        return f"| `{name}` | {what} | {seen['failed'].splitlines()[0]} | | |"
    best, positions, greedy, tokens = (seen[key] for key in ("same_best", "positions", "greedy", "greedy_tokens"))
    return f"| `{name}` | {what} | {seen['error']:.1e} | {best} of {positions} | {greedy} of {tokens} |"


def merged(base, lora, weights, folder):
    """Merges the adapter into the checkpoint in f32 with `rlx convert`, and returns the difference of the weights from those that
    PEFT merges (without experts: PEFT keeps them together, and none changes)."""
    from safetensors.torch import load_file, save_file

    plain = folder / "plain"
    plain.mkdir(parents=True)
    shutil.copy(base / "config.json", plain)
    save_file({key: value.float() for key, value in load_file(base / "model.safetensors").items()}, plain / "model.safetensors")
    code, _ = cargo("rlx-cli", "--", "convert", plain, "--lora", lora, "-o", folder / "merged")
    if code:
        return None
    shutil.copy(lora / "expected.safetensors", folder / "merged")
    made = load_file(folder / "merged/model.safetensors")
    return max(((value - weights[key]).abs().max() / weights[key].abs().max()).item() for key, value in made.items() if key in weights)


def judge(name, folder):
    base, lora = folder / "base" / name, folder / "lora"
    subprocess.run([sys.executable, ROOT / "scripts/llm_checkpoints.py", folder / "base", name], check=True, stdout=sys.stderr)
    weights = adapter(base, name, lora)
    rows = [row(name, "not merged", compare(base, lora))]
    if weights is not None:
        worst = merged(base, lora, weights, folder)
        if worst is None:
            rows.append(f"| `{name}` | merged | failed | | |")
        else:
            rows.append(row(name, f"merged; weights differ by {worst:.0e}", compare(folder / "merged")))
    return rows


def gguf(name, folder, llama_cpp):
    """The same with model and adapter in either format, and compared with llama.cpp."""
    sys.argv[1:] = [str(llama_cpp), str(folder / "base"), str(folder)]
    sys.path[:0] = [str(ROOT / "scripts")]
    import llm_gguf

    llm_gguf.CHECKPOINTS = folder / "base"
    base, lora, file = folder / "base" / name, folder / "lora", folder / "base.gguf"
    llm_gguf.convert(name, "f32", file)
    command = [sys.executable, llama_cpp / "convert_lora_to_gguf.py", "--base", base, "--outfile", folder / "lora.gguf", "--outtype", "f32", lora]
    if subprocess.run(command, stdout=sys.stderr).returncode:
        return [f"| `{name}` | llama.cpp's converter does not take the adapter | | | |"]
    rows = [row(name, "GGUF model, PEFT adapter", compare(file, lora))]
    shutil.copy(lora / "expected.safetensors", folder / "lora.safetensors")
    rows.append(row(name, "GGUF model, GGUF adapter", compare(file, folder / "lora.gguf")))
    rows.append(row(name, "safetensors, GGUF adapter", compare(base, folder / "lora.gguf")))
    code, _ = cargo("rlx-cli", "--", "convert", file, "--lora", folder / "lora.gguf", "-o", folder / "merged.gguf")
    if code == 0:
        shutil.copy(lora / "expected.safetensors", folder / "merged.safetensors")
        rows.append(row(name, "merged GGUF", compare(folder / "merged.gguf")))
    seen = beside_llama_cpp(llm_gguf, file, folder / "lora.gguf", lora)
    rows.append(f"| `{name}` | llama.cpp compared with PEFT | {seen:.1e} | | |")
    return rows


def beside_llama_cpp(llm_gguf, file, adapter, lora):
    """The difference between llama.cpp and the reference on the same files."""
    import ctypes

    import numpy as np
    from safetensors.numpy import load_file

    llama_cpp = llm_gguf.llama_cpp
    expected = load_file(lora / "expected.safetensors")
    judge = llm_gguf.Judge(file, TOKENS + 32)
    loaded = llama_cpp.llama_adapter_lora_init(judge.model, str(adapter).encode())
    adapters = (llama_cpp.llama_adapter_lora_p_ctypes * 1)(loaded)
    llama_cpp.llama_set_adapters_lora(judge.context, adapters, 1, (ctypes.c_float * 1)(1.0))
    logits = np.array([judge.next(int(token)) for token in expected["tokens"][0]])
    return np.abs(logits - expected["logits"][0]).max() / np.abs(expected["logits"][0]).max()


def main():
    if GOLDEN:
        tests = ROOT / "crates/rlx-llm/tests"
        for name in GOLDENS:
            adapter(tests / "checkpoints" / name, name, tests / "adapters" / name)
        return
    llama_cpp = next((Path(sys.argv[i + 1]) for i, a in enumerate(sys.argv) if a == "--gguf"), None)
    rows = []
    for name in ADAPTERS:
        with tempfile.TemporaryDirectory() as folder:
            made = judge(name, Path(folder))
            if llama_cpp:
                made += gguf(name, Path(folder), llama_cpp)
            print(*made, sep="\n", file=sys.stderr, flush=True)
            rows += made
    import peft
    import transformers

    heads = ["| checkpoint | adapter | largest difference of a logit / largest logit | same best token | same greedy text |", "|---|---|---|---|---|"]
    note = f"By `{' '.join(['scripts/judge_lora.py', *(['--gguf'] if llama_cpp else [])])}`, transformers {transformers.__version__}, peft {peft.__version__}."
    begin, end = "<!-- lora: begin -->", "<!-- lora: end -->"
    made = "\n".join([begin, note, "", *heads, *rows, end])
    PAGE.write_text(re.sub(f"{begin}.*?{end}", lambda _: made, PAGE.read_text(), flags=re.S))


if __name__ == "__main__":
    main()
