#!/usr/bin/env python3
"""Computes transformers' results for the built-in language model, for crates/rlx-llm/tests/tiny.rs.

    pip install torch transformers gguf
    scripts/tiny_goldens.py

The package gguf unpacks the weights. The text is the end of the part reserved for validation in the output of scripts/fetch_text.py.
"""

import math
import pathlib

import gguf
import torch
from safetensors.torch import save_file
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODEL = ROOT / "crates/rlx-tiny-model"
OUT = ROOT / "crates/rlx-llm/tests/tiny"
PROMPT = "In the beginning"
POSITIONS, GREEDY = 48, 40
NAMES = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "blk": "model.layers",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def open_model():
    """The model with the weights in the file, and the settings that it was trained with."""
    model = Qwen3ForCausalLM(Qwen3Config.from_json_file(MODEL / "config.json")).eval()
    tensors = {}
    for tensor in gguf.GGUFReader(MODEL / "tiny.gguf").tensors:
        name = ".".join(NAMES.get(part, part) for part in tensor.name.split("."))
        tensors[name] = torch.from_numpy(gguf.quants.dequantize(tensor.data, tensor.tensor_type).copy())
    missing = model.load_state_dict(tensors, strict=False)
    assert missing.missing_keys == ["lm_head.weight"] and not missing.unexpected_keys, missing
    return model


def main():
    torch.set_grad_enabled(False)
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(MODEL / "run/model/tokenizer.json"))
    model = open_model()
    held_out = (MODEL / "text.txt").read_text().split("<|endoftext|>")[-1]
    OUT.mkdir(exist_ok=True)
    (OUT / "held_out.txt").write_text(held_out)
    ids = [0] + tokenizer.encode(held_out, add_special_tokens=False)
    logits = model(torch.tensor([ids[:POSITIONS]])).logits[0]
    prompt = [0] + tokenizer.encode(PROMPT, add_special_tokens=False)
    greedy = list(prompt)
    for _ in range(GREEDY):
        greedy.append(model(torch.tensor([greedy])).logits[0, -1].argmax().item())
    window = torch.tensor([ids[:256]])
    loss = torch.nn.functional.cross_entropy(model(window).logits[0, 127:-1], window[0, 128:])
    print(f"perplexity of the second half of a window: {math.exp(loss):.3f}")
    print(tokenizer.decode(greedy[1:]))
    as_ints = lambda ids: torch.tensor([ids], dtype=torch.int32)
    save_file(
        {"tokens": as_ints(ids), "prompt": as_ints(prompt), "greedy": as_ints(greedy[len(prompt) :]), "logits": logits.contiguous()},
        OUT / "expected.safetensors",
    )


if __name__ == "__main__":
    main()
