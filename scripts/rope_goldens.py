"""Writes the reference implementation's results for every kind of rotary embedding, before, at and past the lengths at which angles change.

    pip install torch transformers
    python scripts/rope_goldens.py [crates/rlx-llm/tests/ropes]

The folder gets the weights of one small model per family (`FAMILY.safetensors`, bf16), the settings of each case (`CASE.json`, with the family's
name) and `expected.safetensors`, which has for each case `CASE.tokens` (i32), the logits after the first n tokens for each length n in
`CASE.lengths` (`CASE.logits`, f32, [lengths, vocab]), and `CASE.greedy` (i32), the most likely tokens after the first `CASE.begin` ones. All of them
come from runs without a cache on a new model, so angles are those of the whole text.
"""

import json
import sys
from pathlib import Path

import torch
import transformers
from safetensors.torch import save_file
from transformers import AutoConfig, AutoModelForCausalLM

OUT = Path(next(iter(sys.argv[1:]), "crates/rlx-llm/tests/ropes"))
LIMIT, FOLLOWING, VOCAB = 24, 14, 64
COMMON = dict(vocab_size=VOCAB, hidden_size=32, intermediate_size=40, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
              max_position_embeddings=LIMIT, pad_token_id=None, bos_token_id=0, eos_token_id=1)
FAMILIES = {
    "llama": ("llama", COMMON),
    "mistral": ("mistral", dict(COMMON, sliding_window=9)),
    "phi3": ("phi3", dict(COMMON, num_hidden_layers=3)),
    "qwen35": ("qwen3_5_text", dict(COMMON, num_hidden_layers=4, head_dim=16, full_attention_interval=2, linear_num_value_heads=4, linear_num_key_heads=2,
                                    linear_key_head_dim=8, linear_value_head_dim=8)),
    "gemma3": ("gemma3_text", dict(COMMON, num_hidden_layers=6, head_dim=8, query_pre_attn_scalar=8, sliding_window=7)),
}
SHORT, LONG = [1.0, 1.1, 1.3, 2.0], [1.0, 2.0, 3.0, 5.0]
THETA = dict(rope_theta=10000.0)
LONGROPE = dict(THETA, rope_type="longrope", short_factor=SHORT, long_factor=LONG)
YARN = dict(THETA, rope_type="yarn", factor=4.0, original_max_position_embeddings=LIMIT // 2)
# The length at which angles change is LIMIT, or the third value.
CASES = {
    "default": ("llama", dict(THETA, rope_type="default")),
    "linear": ("llama", dict(THETA, rope_type="linear", factor=2.5)),
    "dynamic": ("llama", dict(THETA, rope_type="dynamic", factor=4.0)),
    "dynamic_of_one": ("llama", dict(THETA, rope_type="dynamic", factor=1.0)),
    "dynamic_window": ("mistral", dict(THETA, rope_type="dynamic", factor=2.0)),
    "yarn": ("llama", YARN),
    "yarn_attention_factor": ("llama", dict(YARN, attention_factor=0.7)),
    "yarn_mscales": ("llama", dict(YARN, mscale=1.3, mscale_all_dim=0.6)),
    "yarn_not_truncated": ("llama", dict(YARN, truncate=False, beta_fast=8.0, beta_slow=2.0)),
    "yarn_below_one": ("llama", dict(YARN, factor=0.5)),
    "llama3": ("llama", dict(THETA, rope_type="llama3", factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=16)),
    "longrope": ("llama", dict(LONGROPE, factor=4.0, original_max_position_embeddings=LIMIT // 2)),
    "longrope_attention_factor": ("llama", dict(LONGROPE, attention_factor=1.4, original_max_position_embeddings=LIMIT // 2)),
    "longrope_phi3": ("phi3", dict(LONGROPE), dict(original_max_position_embeddings=LIMIT, max_position_embeddings=4 * LIMIT)),
    "longrope_partial": ("phi3", dict(LONGROPE, short_factor=SHORT[:3], long_factor=LONG[:3], partial_rotary_factor=0.75),
                         dict(original_max_position_embeddings=LIMIT, max_position_embeddings=4 * LIMIT)),
    "longrope_window": ("phi3", dict(LONGROPE), dict(original_max_position_embeddings=LIMIT, max_position_embeddings=4 * LIMIT, sliding_window=9)),
    "proportional": ("llama", dict(THETA, rope_type="proportional", partial_rotary_factor=0.5, factor=2.0)),
    "mrope": ("qwen35", dict(THETA, rope_type="default", partial_rotary_factor=0.5, mrope_section=[2, 1, 1])),
    "mrope_dynamic": ("qwen35", dict(THETA, rope_type="dynamic", factor=3.0, partial_rotary_factor=0.5, mrope_section=[2, 1, 1])),
    "two_ropes": ("gemma3", dict(full_attention=dict(rope_theta=1e6, rope_type="dynamic", factor=2.0),
                                 sliding_attention=dict(rope_theta=1e4, rope_type="default"))),
    "two_ropes_long": ("gemma3", dict(full_attention=dict(LONGROPE, factor=4.0, original_max_position_embeddings=LIMIT // 2),
                                      sliding_attention=dict(rope_theta=1e4, rope_type="linear", factor=2.0))),
}


def random_weights(model, generator):
    """Weights with a spread for which angles matter; norms differ from their defaults."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            noise = torch.randn(weight.shape, generator=generator)
            noise = 0.3 * noise if weight.dim() > 1 else weight + 0.2 * noise if "norm" in name else 0.1 * noise
            weight.copy_(noise.bfloat16())


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    weights, expected = {}, {}
    for family, (kind, settings) in FAMILIES.items():
        torch.manual_seed(1)
        model = AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **settings)).float()
        random_weights(model, torch.Generator().manual_seed(7))
        weights[family] = model.state_dict()
        tied = {} if not model.config.tie_word_embeddings else {"lm_head.weight"}
        save_file({k: v.bfloat16().contiguous() for k, v in weights[family].items() if k not in tied}, OUT / f"{family}.safetensors", metadata={"format": "pt"})
    for case, (family, rope, *more) in CASES.items():
        kind, settings = FAMILIES[family]
        settings = settings | dict(*more)

        def logits(ids):
            """Returns the result after the last of these tokens, with a new model."""
            config = AutoConfig.for_model(kind, rope_parameters=json.loads(json.dumps(rope)), **settings)
            model = AutoModelForCausalLM.from_config(config, attn_implementation="eager").float().eval()
            model.load_state_dict(weights[family])
            with torch.no_grad():
                return model(torch.tensor([ids]), use_cache=False).logits[0, -1].float(), config

        ids = torch.randint(0, VOCAB, (3 * LIMIT,), generator=torch.Generator().manual_seed(3)).tolist()
        half = LIMIT // 2
        lengths = [1, half - 1, half, half + 1, LIMIT - 1, LIMIT, LIMIT + 1, LIMIT + 2, 2 * LIMIT + 5, 3 * LIMIT]
        begin = LIMIT - FOLLOWING // 2 if case.startswith(("dynamic", "mrope", "two_ropes")) or family == "phi3" else half - FOLLOWING // 2
        greedy = []
        for _ in range(FOLLOWING):
            greedy.append(int(logits(ids[:begin] + greedy)[0].argmax()))
        config = logits(ids[:1])[1].to_dict()
        config = {k: v for k, v in config.items() if not k.startswith(("_", "transformers", "architectures", "dtype"))}
        (OUT / f"{case}.json").write_text(json.dumps(config | dict(weights=family), indent=1) + "\n")
        ints = lambda values: torch.tensor(values, dtype=torch.int32)
        expected |= {f"{case}.tokens": ints(ids), f"{case}.lengths": ints(lengths), f"{case}.begin": ints([begin]), f"{case}.greedy": ints(greedy),
                     f"{case}.logits": torch.stack([logits(ids[:n])[0] for n in lengths])}
    save_file(expected, OUT / "expected.safetensors", metadata=dict(made_by=f"scripts/rope_goldens.py, transformers {transformers.__version__}"))


main()
