"""Writes the `config.json` of each family of language models with `transformers`, with its defaults.

    pip install transformers
    python scripts/llm_configs.py crates/rlx-llm/tests/configs

Writes two files per family: NAME.json as `save_pretrained` writes it, and NAME-whole.json with every field of the class.
"""

import json
import sys
from pathlib import Path

import transformers

FAMILIES = ["Llama", "Mistral", "Qwen2", "Qwen3", "Qwen2Moe", "Qwen3Moe", "Qwen3_5Text", "SmolLM3", "Gemma2", "Gemma3Text", "Phi3", "GPT2", "GptOss", "Mamba2"]


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for family in FAMILIES:
        config = getattr(transformers, f"{family}Config")()
        for suffix, use_diff in (("", True), ("-whole", False)):
            config.to_json_file(folder / f"{config.model_type}{suffix}.json", use_diff=use_diff)
    for path in folder.glob("*.json"):
        json.loads(path.read_text(), parse_constant=lambda name: sys.exit(f"{path}: {name} is not JSON"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
