#!/usr/bin/env python3
"""Makes small vocabularies, with the ids that tokenizers and llama.cpp give for difficult texts, for crates/rlx-tokenizer/tests.

    pip install tokenizers gguf llama-cpp-python
    scripts/tokenizer_goldens.py

Each folder of crates/rlx-tokenizer/tests/goldens gets `tokenizer.json` or `vocabulary.gguf`, and `expected.jsonl`: a line for each text, with the
text as hexadecimal bytes and its ids, without special tokens and with the special tokens in the text. The vocabularies are trained on the texts of
scripts/judge_tokenizers.py.
"""

import json
import pathlib
import shutil

import gguf
import judge_tokenizers as judge
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

PLACE = judge.ROOT / "crates/rlx-tokenizer/tests/goldens"
SPECIAL = ["<s>", "</s>", "<unk>", "<|im_end|>"]
TEXTS = 150
NORMAL, UNKNOWN, CONTROL, USER, BYTE = 1, 2, 3, 4, 6


def texts(utf8):
    found = [t for t in judge.corpus(TEXTS, 77) if len(t) < 300 and (not utf8 or judge.is_text(t))]
    return [*found, "a<s>b<|im_end|> c</s>".encode(), b"<|im_end|>", "<unk> and <s".encode()]


def write(folder, cases):
    lines = [json.dumps({"text": t.hex(), "ids": a, "special": b}) for t, a, b in cases]
    (folder / "expected.jsonl").write_text("\n".join(lines) + "\n")


def train(tokenizer, trainer):
    training = [t.decode(errors="replace") for t in judge.corpus(1500, 5)] + judge.WORDS * 5
    tokenizer.train_from_iterator(training, trainer)
    return tokenizer


def library(name, tokenizer):
    folder = PLACE / name
    folder.mkdir(parents=True)
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    plain, special = Tokenizer.from_file(str(folder / "tokenizer.json")), Tokenizer.from_file(str(folder / "tokenizer.json"))
    plain.encode_special_tokens = True
    ids = lambda tokenizer, t: tokenizer.encode(t.decode(), add_special_tokens=False).ids
    write(folder, [(t, ids(plain, t), ids(special, t)) for t in texts(True)])


def of_gguf(name, fill):
    folder = PLACE / name
    folder.mkdir(parents=True)
    path = folder / "vocabulary.gguf"
    writer = gguf.GGUFWriter(str(path), "llama")
    # Tokens that llama.cpp reads before the vocabulary.
    writer.add_context_length(64), writer.add_embedding_length(8), writer.add_block_count(1)
    writer.add_head_count(1), writer.add_feed_forward_length(8), writer.add_layer_norm_rms_eps(1e-5)
    fill(writer)
    writer.write_header_to_file(), writer.write_kv_data_to_file(), writer.write_tensors_to_file(), writer.close()
    model = judge.LlamaCpp(path)
    cases = [(t, model.encode(t), model.encode(t, True)) for t in texts(True)]
    # With SentencePiece's algorithm, llama.cpp merges text into special tokens, which must stay text, and special
    # tokens into longer ones.
    special = {model.encode(s.encode(), True)[-1] for s in SPECIAL}
    tokens = gguf.GGUFReader(path).fields["tokenizer.ggml.tokens"]
    special |= {i for i, at in enumerate(tokens.data) if b"<|endoftext|>" in bytes(tokens.parts[at])}
    write(folder, [(t, plain, found) for t, plain, found in cases if not special & set(plain)])


def bpe_gguf(tokenizer, pre):
    model = json.loads(tokenizer.to_str())["model"]

    def fill(writer):
        tokens = sorted(model["vocab"], key=model["vocab"].get)
        writer.add_tokenizer_model("gpt2"), writer.add_tokenizer_pre(pre), writer.add_token_list(tokens)
        writer.add_token_types([CONTROL if t in SPECIAL else NORMAL for t in tokens])
        writer.add_token_merges([" ".join(m) if isinstance(m, list) else m for m in model["merges"]])
        writer.add_bos_token_id(0), writer.add_eos_token_id(1)

    return fill


def spm_gguf(tokenizer):
    """A vocabulary with scores and bytes. Merges by rank are merges by score if each token is the result of exactly one merge."""
    model = json.loads(tokenizer.to_str())["model"]

    def fill(writer):
        pieces = [t for t in sorted(model["vocab"], key=model["vocab"].get) if not any(s in t for s in [*SPECIAL, "<0x"])]
        names = ["<unk>", "<s>", "</s>", *(f"<0x{b:02X}>" for b in range(256)), "<|im_end|>", "[USER]", *pieces]
        kinds = [UNKNOWN, CONTROL, CONTROL] + [BYTE] * 256 + [CONTROL, USER] + [NORMAL] * len(pieces)
        scores = [0.0] * 261 + [float(-i) for i in range(len(pieces))]
        writer.add_tokenizer_model("llama"), writer.add_tokenizer_pre("default")
        writer.add_token_list(names), writer.add_token_scores(scores), writer.add_token_types(kinds)
        writer.add_bos_token_id(1), writer.add_eos_token_id(2), writer.add_unk_token_id(0), writer.add_add_bos_token(True)

    return fill


def main():
    shutil.rmtree(PLACE, ignore_errors=True)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    small = dict(special_tokens=SPECIAL, vocab_size=700)
    byte_level = Tokenizer(models.BPE())
    byte_level.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    byte_level.decoder = judge_decoder("ByteLevel")
    train(byte_level, trainers.BpeTrainer(initial_alphabet=alphabet, **small))
    library("byte_level", byte_level)
    metaspace = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>"))
    metaspace.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    metaspace.decoder = judge_decoder("Metaspace")
    train(metaspace, trainers.BpeTrainer(limit_alphabet=150, **small))
    library("metaspace", metaspace)
    pieces = Tokenizer(models.WordPiece(unk_token="<unk>"))
    pieces.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    train(pieces, trainers.WordPieceTrainer(limit_alphabet=150, **small))
    library("wordpiece", pieces)
    for pre in ["llama-bpe", "qwen2", "smollm"]:
        of_gguf(f"gguf_{pre}", bpe_gguf(byte_level, pre))
    of_gguf("gguf_spm", spm_gguf(metaspace))


def judge_decoder(name):
    from tokenizers import decoders

    return getattr(decoders, name)()


if __name__ == "__main__":
    main()
