"""Makes a small checkpoint with random weights of each family of language models, with the results of the reference implementation.

    pip install torch transformers
    python scripts/llm_checkpoints.py FOLDER [--golden | --blocks | --wide | --full] [NAME ...]

FOLDER/NAME gets `config.json`, `model.safetensors` (bf16), and `expected.safetensors`: `tokens` (i32, 2 sequences), `logits` (f32, after
each token), `greedy` (i32, the tokens that follow the first sequence, each the most likely one). With `--golden`, models and texts are
small enough for crates/rlx-llm/tests/checkpoints. With `--blocks` and `--wide`, rows are as long as the blocks of all GGUF formats. With
`--full`, widths are those of a published model of the family, with a few of its layers. scripts/judge_llm.py compares others.
"""

import json
import sys
from pathlib import Path

import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForImageTextToText

SIZES = {"--golden": (64, 24, 6, 2, 20, 12), "--blocks": (64, 256, 8, 1, 20, 12), "--wide": (512, 256, 8, 2, 300, 100), "--full": (4096, 1024, 16, 2, 64, 32)}
VOCAB, WIDTH, HEADS, LAYERS, TOKENS, FOLLOWING = next((SIZES[a] for a in sys.argv if a in SIZES), (320, 48, 6, 4, 500, 200))
WIDE = WIDTH == 256
# llama.cpp uses it as the size of a head.
SCALAR = WIDTH // HEADS if WIDE else 24
HEAD = WIDTH // HEADS if WIDE else 8
PARTIAL = 4 if WIDE else 3
FULL = "--full" in sys.argv

COMMON = dict(vocab_size=VOCAB, hidden_size=WIDTH, intermediate_size=WIDTH if WIDE else WIDTH * 3 // 2, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
              num_key_value_heads=2, max_position_embeddings=1024)

# Blocks of MXFP4 have 32 numbers.
MXFP4_WIDTH = WIDTH if WIDE else 32


def sections(pairs):
    """How many pairs rotate by time, by height and by width of a part of an image."""
    return [pairs - 2 * (pairs // 3), pairs // 3, pairs // 3]


# GPT-OSS's scaling, with a base and a length for which the ramp between 32 turns and 1 begins and ends at whole pairs,
# for heads of 8, 32 and 64: llama.cpp rounds to whole pairs, and the reference does not.
WHOLE_RAMP = dict(rope_type="yarn", factor=32.0, beta_fast=32.0, beta_slow=1.0, truncate=False, rope_theta=1048584.0, original_max_position_embeddings=6434)


# Settings in which the published models of a family differ.
MODELS = {
    "llama": ("llama", COMMON),
    "llama_tied": ("llama", dict(COMMON, tie_word_embeddings=True, attention_bias=True, num_key_value_heads=HEADS)),
    "llama3_scaled": ("llama", dict(COMMON, head_dim=HEAD, rope_theta=500000.0, rope_scaling=dict(
        rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=16))),
    "llama_linear": ("llama", dict(COMMON, rope_scaling=dict(rope_type="linear", factor=4.0))),
    "llama_yarn": ("llama", dict(COMMON, head_dim=HEAD, rope_scaling=dict(rope_type="yarn", factor=4.0, original_max_position_embeddings=64))),
    "mistral": ("mistral", dict(COMMON, sliding_window=None)),
    "mistral_window": ("mistral", dict(COMMON, sliding_window=7, head_dim=HEAD)),
    "qwen2": ("qwen2", COMMON),
    "qwen2_window": ("qwen2", dict(COMMON, use_sliding_window=True, sliding_window=6, max_window_layers=LAYERS // 2, tie_word_embeddings=True)),
    "qwen3": ("qwen3", dict(COMMON, head_dim=HEAD)),
    "smollm3": ("smollm3", dict(COMMON, num_hidden_layers=2 * LAYERS, pad_token_id=0, bos_token_id=1, eos_token_id=2)),
    "gemma2": ("gemma2", dict(COMMON, head_dim=HEAD, query_pre_attn_scalar=SCALAR, sliding_window=9, attn_logit_softcapping=5.0,
                              final_logit_softcapping=3.0)),
    "gemma3": ("gemma3_text", dict(COMMON, num_hidden_layers=LAYERS + 5, head_dim=HEAD, query_pre_attn_scalar=SCALAR if WIDE else 16, sliding_window=9)),
    "phi3": ("phi3", dict(COMMON, pad_token_id=0)),
    "phi3_long": ("phi3", dict(COMMON, num_attention_heads=WIDTH // 8, num_key_value_heads=WIDTH // 8, pad_token_id=0, original_max_position_embeddings=2 * TOKENS, rope_scaling=dict(
        rope_type="longrope", short_factor=[1.0, 1.1, 1.3, 2.0], long_factor=[1.0, 2.0, 3.0, 5.0]))),
    "phi4_partial": ("phi3", dict(COMMON, num_attention_heads=PARTIAL, num_key_value_heads=PARTIAL, partial_rotary_factor=0.75, pad_token_id=0)),
    "qwen2_moe": ("qwen2_moe", dict(COMMON, num_experts=5, num_experts_per_tok=2, moe_intermediate_size=2 * WIDTH // 3 if not WIDE else WIDTH,
                                    shared_expert_intermediate_size=WIDTH)),
    "qwen3_moe": ("qwen3_moe", dict(COMMON, head_dim=HEAD, num_experts=6, num_experts_per_tok=3, moe_intermediate_size=WIDTH, norm_topk_prob=True)),
    "qwen35": ("qwen3_5_text", dict(COMMON, num_hidden_layers=4, head_dim=HEAD, linear_num_value_heads=4, linear_num_key_heads=2,
                                    linear_key_head_dim=HEAD, linear_value_head_dim=HEAD, rope_parameters=dict(
                                        rope_type="default", rope_theta=10000.0, partial_rotary_factor=0.25, mrope_section=sections(HEAD // 8)))),
    "gpt_oss": ("gpt_oss", dict(COMMON, head_dim=HEAD, num_local_experts=4, num_experts_per_tok=2, sliding_window=7)),
    "gpt_oss_mxfp4": ("gpt_oss", dict(COMMON, hidden_size=MXFP4_WIDTH, intermediate_size=MXFP4_WIDTH, head_dim=HEAD, num_local_experts=4, num_experts_per_tok=2,
                                      sliding_window=7, rope_parameters=WHOLE_RAMP)),
    "mamba2": ("mamba2", dict(vocab_size=VOCAB, hidden_size=WIDTH, num_hidden_layers=LAYERS, state_size=8, num_heads=WIDTH // 4, head_dim=8,
                              n_groups=2, chunk_size=16)),
    "gpt2": ("gpt2", dict(vocab_size=VOCAB, n_positions=1024, n_embd=WIDTH, n_layer=LAYERS, n_head=HEADS)),
}

# Models that also read images: the language model is a part of them, with nested settings and tensors.
VISION = dict(hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1, image_size=8, patch_size=4)
WITH_IMAGES = {
    "qwen35_multimodal": ("qwen3_5", "qwen35", dict(tie_word_embeddings=True, vision_config=dict(depth=1, hidden_size=8, intermediate_size=8, num_heads=1, patch_size=4,
                                                                                             out_hidden_size=WIDTH, num_position_embeddings=4))),
    "gemma3_multimodal": ("gemma3", "gemma3", dict(vision_config=VISION, mm_tokens_per_image=4)),
}
if not FULL:
    MODELS |= {name: (kind, dict(whole, text_config=MODELS[text][1])) for name, (kind, text, whole) in WITH_IMAGES.items()}

# Widths of published models: Llama 3.2 1B, Mistral 7B, Qwen2 0.5B, Qwen3 0.6B, SmolLM3 3B, Gemma 2 2B, Gemma 3 1B, Phi-3 mini, Qwen1.5-MoE, Qwen3-30B-A3B,
# Qwen3.5 0.8B, GPT-OSS 20B, Mamba 2 130M, GPT-2.
WIDTHS = {
    "llama3_scaled": dict(hidden_size=2048, intermediate_size=8192, num_attention_heads=32, num_key_value_heads=8, head_dim=64, tie_word_embeddings=True),
    "mistral_window": dict(hidden_size=4096, intermediate_size=14336, num_attention_heads=32, num_key_value_heads=8, head_dim=128, sliding_window=40),
    "qwen2": dict(hidden_size=896, intermediate_size=4864, num_attention_heads=14, num_key_value_heads=2, tie_word_embeddings=True, rope_theta=1e6),
    "qwen3": dict(hidden_size=1024, intermediate_size=3072, num_attention_heads=16, num_key_value_heads=8, head_dim=128, tie_word_embeddings=True, rope_theta=1e6),
    "smollm3": dict(hidden_size=2048, intermediate_size=11008, num_attention_heads=16, num_key_value_heads=4, num_hidden_layers=4, rope_theta=5e6),
    "gemma2": dict(hidden_size=2304, intermediate_size=9216, num_attention_heads=8, num_key_value_heads=4, head_dim=256, query_pre_attn_scalar=256,
                   sliding_window=40, attn_logit_softcapping=50.0, final_logit_softcapping=30.0),
    "gemma3": dict(hidden_size=1152, intermediate_size=6912, num_attention_heads=4, num_key_value_heads=1, head_dim=256, query_pre_attn_scalar=256,
                   num_hidden_layers=6, sliding_window=40),
    "phi3": dict(hidden_size=3072, intermediate_size=8192, num_attention_heads=32, num_key_value_heads=32),
    "qwen2_moe": dict(hidden_size=2048, num_attention_heads=16, num_key_value_heads=16, num_experts=60, num_experts_per_tok=4, num_hidden_layers=1,
                      moe_intermediate_size=1408, shared_expert_intermediate_size=5632),
    "qwen3_moe": dict(hidden_size=2048, num_attention_heads=32, num_key_value_heads=4, head_dim=128, num_experts=128, num_experts_per_tok=8,
                      num_hidden_layers=1, moe_intermediate_size=768),
    "qwen35": dict(hidden_size=1024, intermediate_size=3584, num_attention_heads=8, num_key_value_heads=2, head_dim=256, linear_num_value_heads=16,
                   linear_num_key_heads=16, linear_key_head_dim=128, linear_value_head_dim=128, rope_parameters=dict(
                       rope_type="default", rope_theta=1e7, partial_rotary_factor=0.25, mrope_section=[11, 11, 10])),
    "gpt_oss": dict(hidden_size=2880, intermediate_size=2880, num_attention_heads=64, num_key_value_heads=8, head_dim=64, num_local_experts=32,
                    num_experts_per_tok=4, num_hidden_layers=1, sliding_window=40),
    "mamba2": dict(hidden_size=768, state_size=128, num_heads=24, head_dim=64, n_groups=1),
    "gpt2": dict(n_embd=768, n_head=12),
}
if FULL:
    MODELS = {name: (MODELS[name][0], MODELS[name][1] | widths) for name, widths in WIDTHS.items()}


def random_weights(model, generator):
    """Weights with a spread for which every part of the model matters; norms differ from 1."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            noise = torch.randn(weight.shape, generator=generator)
            if weight.dim() > 1:
                noise *= 0.15 * (48 / weight.shape[-1]) ** 0.5 if FULL else 0.15 * (48 / WIDTH) ** 0.5 if WIDE else 0.15
            elif "norm" in name or "ln_" in name:
                noise = weight + 0.2 * noise
            else:
                noise *= 0.1
            weight.copy_(noise.bfloat16())


FP4 = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def mxfp4(weight):
    """Experts `[experts, inputs, outputs]` as blocks `[experts, outputs, n, 16]` with two numbers per byte, scales `[experts,
    outputs, n]`, and the values that these represent."""
    blocks = weight.mT.float().unflatten(-1, (-1, 32))
    exponent = (blocks.abs().amax(-1).clamp(min=1e-30).log2().floor() - 2).clamp(-127, 127)
    number = ((blocks / exponent.exp2()[..., None])[..., None] - FP4).abs().argmin(-1)
    worth = (FP4[number] * exponent.exp2()[..., None]).flatten(-2).mT.contiguous()
    return (number[..., 0::2] | number[..., 1::2] << 4).to(torch.uint8).contiguous(), (exponent + 127).to(torch.uint8).contiguous(), worth


def packed(model):
    """The tensors of the experts as in published checkpoints. Those of the model are replaced by the values that these represent."""
    tensors = {}
    for name, weight in model.named_parameters():
        if name.endswith((".gate_up_proj", ".down_proj")):
            tensors[f"{name}_blocks"], tensors[f"{name}_scales"], worth = mxfp4(weight)
            with torch.no_grad():
                weight.copy_(worth)
    return tensors


def pack(out, tensors):
    """Replaces the tensors of a checkpoint with these packed ones."""
    path, settings = out / "model.safetensors", out / "config.json"
    kept = {name: tensor for name, tensor in load_file(path).items() if f"{name}_blocks" not in tensors}
    save_file(kept | tensors, path, {"format": "pt"})
    config = json.loads(settings.read_text())
    config["quantization_config"] = {"quant_method": "mxfp4", "modules_to_not_convert": [
        "model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]}
    settings.write_text(json.dumps(config, indent=2) + "\n")


def make(folder, name):
    kind, settings = MODELS[name]
    config = AutoConfig.for_model(kind, **settings)
    generator = torch.Generator().manual_seed(len(name) + sum(map(ord, name)))
    of_kind = AutoModelForImageTextToText if name in WITH_IMAGES else AutoModelForCausalLM
    model = of_kind.from_config(config, attn_implementation="eager", dtype=torch.float32).eval()
    random_weights(model, generator)
    blocks = packed(model) if name.endswith("_mxfp4") else {}
    tokens = torch.randint(0, config.get_text_config().vocab_size, (2, TOKENS), generator=generator)
    with torch.no_grad():
        logits = model(tokens, use_cache=False).logits
        text = tokens[:1]
        for _ in range(FOLLOWING):
            text = torch.cat([text, model(text, use_cache=False).logits[:, -1:].argmax(-1)], 1)
    out = folder / name
    model.bfloat16().save_pretrained(out)
    if blocks:
        pack(out, blocks)
    (out / "generation_config.json").unlink(missing_ok=True)
    save_file({"tokens": tokens.int(), "logits": logits.contiguous(), "greedy": text[0, TOKENS:].int().contiguous()},
              out / "expected.safetensors", {"transformers": transformers.__version__, "torch": torch.__version__})
    print(name, tuple(logits.shape), f"logits of {logits.std():.2f}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    for name in [name for name in sys.argv[2:] if name not in SIZES] or MODELS:
        make(Path(sys.argv[1]), name)
