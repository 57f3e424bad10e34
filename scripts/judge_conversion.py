"""Compares the GGUF files that `rlx convert FOLDER -o FILE` writes with those of llama.cpp's converter: key by key, tensor by tensor, bit by bit.

    pip install torch transformers gguf sentencepiece protobuf
    python scripts/judge_conversion.py RLX LLAMA_CPP CHECKPOINTS FOLDER [NAME ...]

RLX is the command, LLAMA_CPP a folder with llama.cpp's sources, and CHECKPOINTS the output of scripts/llm_checkpoints.py. Each checkpoint
is converted without a tokenizer, and with tokenizers of its family: vocabularies from llama.cpp's sources, converted back to the files
that they came from. Copies go to FOLDER.
"""

import json
import re
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import numpy as np

RLX, LLAMA_CPP, CHECKPOINTS, FOLDER = map(Path, sys.argv[1:5])
sys.path[:0] = [str(LLAMA_CPP), str(LLAMA_CPP / "gguf-py")]

import conversion  # noqa: E402
import gguf  # noqa: E402
import torch  # noqa: E402

# Keys that RLX does not write: words that the converter takes from the name of a folder, and the number of parameters.
LEFT_OUT = {"general.name", "general.size_label", "general.basename", "general.finetune", "general.version", "general.languages", "general.tags"}
VOCABULARIES = {"llama": "llama-spm", "llama3_scaled": "llama-bpe", "qwen2": "qwen2", "qwen3": "qwen2", "mistral": "llama-spm",
                "phi3": "phi-3", "gpt2": "gpt-2", "gemma2": "gemma", "gemma3": "gemma", "smollm3": "llama-bpe", "qwen3_moe": "qwen2",
                "qwen35": "qwen35", "gpt_oss": "llama-bpe", "mamba2": "gpt-neox"}
TYPES = {"llama-spm": 2, "phi-3": 2}


def vocabulary(name):
    reader = gguf.GGUFReader(LLAMA_CPP / "models" / f"ggml-vocab-{name}.gguf")
    return {key.removeprefix("tokenizer.ggml."): field.contents() for key, field in reader.fields.items() if key.startswith("tokenizer.")}


def sentencepiece(keys, path):
    from sentencepiece import sentencepiece_model_pb2 as model

    proto = model.ModelProto()
    for text, score, kind in zip(keys["tokens"], keys["scores"], keys["token_type"]):
        proto.pieces.add(piece=text, score=score, type=kind if kind != 4 or text else 1)
    proto.trainer_spec.model_type = model.TrainerSpec.BPE
    proto.trainer_spec.vocab_size = len(keys["tokens"])
    proto.trainer_spec.byte_fallback = True
    path.write_bytes(proto.SerializeToString())


def tokenizer_json(keys, tokens):
    """A tokenizer.json with the first tokens. It splits words like GPT-2, which --pre overrides."""
    kinds = keys["token_type"][:tokens]
    last = max(i for i, kind in enumerate(kinds) if kind == 1)
    vocab = {text: i for i, (text, kind) in enumerate(zip(keys["tokens"][:tokens], kinds)) if kind == 1 or i < last}
    merges = [merge for merge in keys["merges"] if all(part in vocab for part in [*merge.split(" "), merge.replace(" ", "")])]
    added = [{"id": i, "content": text, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": kind == 3}
             for i, (text, kind) in enumerate(zip(keys["tokens"][:tokens], kinds)) if kind in (3, 4)]
    added.append({"id": tokens, "content": "<|im_end|>", "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False})
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None,
            "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
            "post_processor": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True},
            "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
            "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
                      "fuse_unk": False, "byte_fallback": False, "ignore_merges": False, "vocab": vocab, "merges": merges}}


def prepare(name, folder, with_tokenizer):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for file in "config.json", "model.safetensors":
        shutil.copy(CHECKPOINTS / name / file, folder / file)
    config = json.loads((folder / "config.json").read_text())
    config.setdefault("n_ctx", config.get("n_positions")) if "n_positions" in config else None
    pre = None
    if with_tokenizer:
        source = VOCABULARIES[name]
        size = config["vocab_size"]
        settings = {"bos_token": None, "eos_token": "<|im_end|>", "chat_template": "{{ messages }}", "tokenizer_class": "PreTrainedTokenizerFast"}
        if source in ("llama-spm", "phi-3", "gemma"):
            keys = vocabulary("llama-spm" if source == "gemma" else source)
            for key in "tokens", "scores", "token_type":
                keys[key] = keys[key][: size - 5]
            sentencepiece(keys, folder / "tokenizer.model")
            settings |= {"eos_token": "</s>", "bos_token": {"content": "<s>"}, "add_bos_token": True, "add_eos_token": False,
                         "added_tokens_decoder": {"0": {"content": "<unk>", "special": True}, "1": {"content": "<s>", "special": True},
                                                  "2": {"content": "</s>", "special": True}, str(size - 4): {"content": "\u2581\u2581", "special": False},
                                                  str(size - 3): {"content": "<|tool|>", "special": False}}}
        else:
            keys = vocabulary(source)
            (folder / "tokenizer.json").write_text(json.dumps(tokenizer_json(keys, size - 8)))
            pre = keys.get("pre", "gpt-2")
        (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    (folder / "config.json").write_text(json.dumps(config))
    return pre


def theirs(folder, out, with_tokenizer, pre, kind):
    hparams = conversion.ModelBase.load_hparams(folder, False)
    base = conversion.get_model_class(hparams["architectures"][0])

    class Model(base):
        model_arch = base.model_arch
        no_mtp = True

        def get_vocab_base_pre(self, tokenizer):
            return pre

        def set_vocab(self):
            if with_tokenizer:
                return super().set_vocab()
            self.gguf_writer.add_tokenizer_model("none")
            self.gguf_writer.add_vocab_size(hparams["vocab_size"])

    with torch.inference_mode():
        Model(folder, kind, out, eager=True, model_name="model", hparams=hparams).write()


def contents(path):
    reader = gguf.GGUFReader(path)
    keys = {f.name: ([t.name for t in f.types], f.contents()) for f in reader.fields.values() if not f.name.startswith("GGUF.")}
    return keys, {t.name: (t.tensor_type.name, [int(n) for n in t.shape], t.data.tobytes()) for t in reader.tensors}


def compare(label, left, right):
    (keys, tensors), (own_keys, own_tensors) = contents(left), contents(right)
    problems = []
    for key in sorted(keys.keys() | own_keys.keys()):
        if key.endswith("_token_id") and keys.get(key, [0, 0])[1] >= len(keys["tokenizer.ggml.tokens"][1]):
            continue  # A token that there is not, which RLX leaves out.
        if key in LEFT_OUT or (key.endswith(".vocab_size") and "tokenizer.ggml.vocab_size" in own_keys):
            continue
        if keys.get(key) != own_keys.get(key):
            problems.append(f"{key}: {str(keys.get(key))[:90]} and not {str(own_keys.get(key))[:90]}")
    for name in sorted(tensors.keys() | own_tensors.keys()):
        a, b = tensors.get(name), own_tensors.get(name)
        if a and b and name.endswith("ssm_a"):  # PyTorch's exponential is not always the nearest number.
            bits = [np.frombuffer(t[2], np.int32) for t in (a, b)]
            if a[:2] == b[:2] and np.abs(bits[0] - bits[1]).max() <= 1:
                continue
        if a != b:
            problems.append(f"{name}: {a and a[:2]} and not {b and b[:2]}")
    print(f"{label}: {len(keys)} keys, {len(tensors)} tensors, {len(problems)} differ")
    for problem in problems[:12]:
        print("   ", problem)
    return len(problems)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    wrong = 0
    for name in sys.argv[5:] or ["llama", "llama_tied", "llama_linear", "llama_yarn", "llama3_scaled", "mistral", "mistral_window", "qwen2", "qwen2_window",
                                 "qwen3", "gemma2", "gemma3", "phi3", "phi3_long", "phi4_partial", "gpt2", "smollm3", "qwen2_moe", "qwen3_moe", "qwen35", "gpt_oss", "gpt_oss_mxfp4", "mamba2"]:
        for with_tokenizer in [False] * (not name.startswith("gemma3")) + [True] * (name in VOCABULARIES):
            folder = FOLDER / name
            pre = prepare(name, folder, with_tokenizer)
            is_packed = name.endswith("_mxfp4")  # Blocks stay blocks, whatever other numbers become.
            for form, kind in (("f32", gguf.LlamaFileType.ALL_F32),) * (not is_packed) + (("bf16", gguf.LlamaFileType.MOSTLY_BF16),):
                left, right = FOLDER / "theirs.gguf", FOLDER / "ours.gguf"
                theirs(folder, left, with_tokenizer, pre, kind)
                command = [RLX, "convert", folder, "-o", right] + (["--pre", pre] if pre else []) + ["--quantize", form] * (not is_packed)
                run = subprocess.run(command, capture_output=True, text=True)
                if run.returncode:
                    print(f"{name} {form}: {run.stderr}")
                    wrong += 1
                    continue
                wrong += compare(f"{name} {form}{' with a tokenizer' if with_tokenizer else ''}", left, right)
    text = eval(re.search(r"chktxt = ('.*')\n", (LLAMA_CPP / "conversion" / "base.py").read_text())[1])
    known = dict(re.findall(r'if chkhsh == "([0-9a-f]{64})":.*?\n(?:\s*#.*\n)*\s*res = "([^"]+)"', (LLAMA_CPP / "conversion" / "base.py").read_text()))
    for path in sorted((LLAMA_CPP / "models").glob("ggml-vocab-*.gguf")):
        run = subprocess.run([RLX, "tokenize", path, text, "--json"], capture_output=True, text=True)
        keys = vocabulary(path.stem.removeprefix("ggml-vocab-"))
        if keys.get("model") == "gpt2" and not run.returncode:
            ids = json.loads(run.stdout)["ids"]
            print(f"{path.stem}: {keys['pre']}, the ids say {known.get(sha256(str(ids).encode()).hexdigest())}")
    print(f"{wrong} differ")


main()
