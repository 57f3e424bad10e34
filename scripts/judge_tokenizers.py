#!/usr/bin/env python3
"""Compares rlx-tokenizer with llama.cpp and Hugging Face's tokenizers on a corpus of difficult strings.

    scripts/judge_tokenizers.py SDIST [--texts 10000] [--seed 1] [--only NAME]

SDIST is the unpacked source of llama-cpp-python. Its vendor/llama.cpp/models contains vocabularies, with expected ids for most. llama.cpp
(the package llama_cpp) runs every one of them on the corpus. Small vocabularies of each kind that tokenizer.json supports are trained here
and run by the package tokenizers. Differences are shown and make the script fail, except for bytes that are not UTF-8: llama.cpp decodes
overlong forms, and drops the characters after a truncated one.
"""

import argparse
import ctypes
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ENCODER = ROOT / "target/debug/examples/encode_corpus"
BYTES = "bytes that are not UTF-8"
# Vocabularies that do not say how words are split, and how to split them.
PRE = {"aquila": "default", "gpt-neox": "default"}
# Vocabularies that llama.cpp does not judge, because its ids for valid text differ from those of the program that the
# vocabulary comes from.
NOT_JUDGED = {
    "bert-bge": "tokenizers removes controls and refuses words of more than 100 characters; llama.cpp does neither",
    "nomic-bert-moe": "SentencePiece replaces and removes characters by the table in the file; llama.cpp does so in part",
    "deepseek-llm": "llama.cpp takes U+3000, which the pattern calls punctuation, for a space",
}
SCRIPTS = [
    (0x20, 0x7E), (0xA0, 0x24F), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x4FF), (0x590, 0x6FF), (0x900, 0x97F),
    (0xE00, 0xE7F), (0x1E00, 0x1FFF), (0x2000, 0x206F), (0x2070, 0x2BFF), (0x3040, 0x30FF), (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3), (0xFB00, 0xFDFF), (0xFF00, 0xFFEF), (0x1D400, 0x1D7FF), (0x1F300, 0x1FAFF), (0x20000, 0x2A6DF),
]  # fmt: skip
WORDS = (
    "the quick brown fox don't I'LL we've it's naïve Zürich 12345 3.14159 0xFF __init__ HTTPServer camelCase "
    "e-mail https://example.org/a?b=c&d=%20 if(x==0){return;} ½ ² ① Ⅷ ſ K İ ǆ ﬀ ß 😀 👩‍👩‍👧‍👦 🇩🇪 ✅ 🚀 👍🏽 中文 日本語 한국어 ไทย "
    "हिन्दी العربية עברית Ελλάδα Привет <s> </s> <|im_end|> <|endoftext|> [CLS] [MASK] <0x0A> <unk> ▁ ▁the"
).split()
SPACES = [" ", "  ", "   ", "\n", "\n\n", "\t", "\r\n", " \n", "\u00a0", "\u3000", "\u2003", "\u0085", "\u200b", "\v"]


def hard_text(rng):
    """A text: words, random characters of some script, runs, control characters, and occasionally bytes that are not UTF-8."""
    parts = []
    for _ in range(rng.randint(1, 12)):
        kind = rng.random()
        if kind < 0.35:
            parts.append(rng.choice(WORDS).encode())
        elif kind < 0.6:
            parts.append(rng.choice(SPACES).encode())
        elif kind < 0.8:
            low, high = rng.choice(SCRIPTS)
            parts.append("".join(chr(rng.randint(low, high)) for _ in range(rng.randint(1, 8))).encode())
        elif kind < 0.88:
            parts.append("".join(rng.choice("0123456789.,-+/") for _ in range(rng.randint(1, 10))).encode())
        elif kind < 0.94:
            parts.append(rng.choice(["a", "A", " ", "\n", "é", "語", "😀", "1", "!", "\u0301", "ab"]).encode() * rng.randint(2, 80))
        elif kind < 0.97:
            parts.append(bytes(rng.randint(1, 31) for _ in range(rng.randint(1, 4))))
        elif kind < 0.985:
            parts.append(bytes(rng.randint(128, 255) for _ in range(rng.randint(1, 5))))
        else:
            point = rng.randint(1, 0x10FFFF)
            parts.append(chr(point if not 0xD800 <= point < 0xE000 else 65).encode())
    return b"".join(parts)


def corpus(count, seed):
    rng = random.Random(seed)
    texts = [b"", b" ", b"a" * 26000, "語".encode() * 9000, b" " * 26000, b"1" * 5000, b"\xff\xfe", b"\xe2\x82"]
    return texts + [hard_text(rng) for _ in range(count - len(texts))]


def is_text(text):
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def ours(vocabulary, texts, folder, pre=None):
    path = folder / "corpus"
    path.write_bytes(b"".join(struct.pack("<I", len(t)) + t for t in texts))
    command = [str(ENCODER), str(vocabulary), str(path)] + ([pre] if pre else [])
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(run.stderr)
    return [[int(i) for i in line.split()] for line in run.stdout.split("\n")[:-1]]


class LlamaCpp:
    """Tokenizes with llama.cpp, with the vocabulary of a file."""

    def __init__(self, path):
        import llama_cpp

        self.lib = llama_cpp
        llama_cpp.llama_log_set(LlamaCpp.quiet(llama_cpp), ctypes.c_void_p(0))
        params = llama_cpp.llama_model_default_params()
        params.vocab_only = True
        self.model = llama_cpp.llama_model_load_from_file(str(path).encode(), params)
        self.vocab = llama_cpp.llama_model_get_vocab(self.model)

    @staticmethod
    def quiet(lib):
        if not hasattr(LlamaCpp, "callback"):
            LlamaCpp.callback = lib.llama_log_callback(lambda *_: None)
        return LlamaCpp.callback

    def encode(self, text, special=False):
        room = len(text) * 4 + 16
        ids = (self.lib.llama_token * room)()
        count = self.lib.llama_tokenize(self.vocab, text, len(text), ids, room, False, special)
        return list(ids[:count])


def differences(name, texts, mine, theirs):
    wrong = [(t, a, b) for t, a, b in zip(texts, mine, theirs, strict=True) if a != b]
    unclean = sum(not is_text(t) for t, _, _ in wrong)
    print(f"{name:40} {len(texts):6} texts, {len(wrong)} differ, {unclean} of them {BYTES}")
    wrong = [w for w in wrong if is_text(w[0])]
    for text, a, b in sorted(wrong, key=lambda w: len(w[0]))[:4]:
        start = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
        print(f"    {text[:80]!r}\n        ours   …{a[max(0, start - 1):start + 12]}\n        theirs …{b[max(0, start - 1):start + 12]}")
    return len(wrong)


def trained(folder):
    """A small tokenizer.json of each kind, as (name, folder)."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    text = [t.decode(errors="replace") for t in corpus(3000, 99)] + WORDS * 20
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    llama3 = (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    )
    split = pre_tokenizers.Split(Regex(llama3), "isolated")
    special = ["<s>", "</s>", "<unk>", "<|im_end|>"]

    def bpe(name, **kwargs):
        tokenizer = Tokenizer(models.BPE(**kwargs.pop("model", {})))
        tokenizer.normalizer = kwargs.pop("normalizer", None)
        tokenizer.pre_tokenizer = kwargs.pop("pre", None)
        tokenizer.decoder = kwargs.pop("decoder", decoders.ByteLevel())
        tokenizer.train_from_iterator(text, trainers.BpeTrainer(vocab_size=3000, special_tokens=special, **kwargs))
        return name, tokenizer

    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    metaspace = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    made = [
        bpe("gpt2", pre=byte_level, initial_alphabet=alphabet),
        bpe("llama3", pre=pre_tokenizers.Sequence([split, inner]), initial_alphabet=alphabet, model={"ignore_merges": True}),
        bpe("nfc", normalizer=normalizers.NFC(), pre=byte_level, initial_alphabet=alphabet),
        bpe("metaspace", pre=metaspace, model={"byte_fallback": True, "unk_token": "<unk>"}, decoder=decoders.Metaspace()),
    ]
    unigram = Tokenizer(models.Unigram())
    unigram.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    unigram.pre_tokenizer = pre_tokenizers.Metaspace()
    unigram.decoder = decoders.Metaspace()
    unigram.train_from_iterator(text, trainers.UnigramTrainer(vocab_size=12000, special_tokens=special, unk_token="<unk>"))
    made.append(("unigram", unigram))
    pieces = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    pieces.normalizer = normalizers.BertNormalizer(lowercase=True)
    pieces.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    pieces.train_from_iterator(text, trainers.WordPieceTrainer(vocab_size=3000, special_tokens=["[UNK]", "[CLS]", "[SEP]", "[MASK]"]))
    pieces.add_tokens([AddedToken("naïve", single_word=True), AddedToken("  ", normalized=False)])
    made.append(("wordpiece", pieces))
    for name, tokenizer in made:
        place = folder / name
        place.mkdir()
        tokenizer.save(str(place / "tokenizer.json"))
        tokenizer = Tokenizer.from_file(str(place / "tokenizer.json"))
        tokenizer.encode_special_tokens = True
        yield name, place, tokenizer


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sdist", type=pathlib.Path)
    parser.add_argument("--texts", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--built", action="store_true", help="the example encode_corpus is already built")
    args = parser.parse_args()
    if not args.built:
        subprocess.run(["cargo", "build", "-q", "-p", "rlx-tokenizer", "--example", "encode_corpus"], cwd=ROOT, check=True)
    texts = corpus(args.texts, args.seed)
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in sorted((args.sdist / "vendor/llama.cpp/models").glob("ggml-vocab-*.gguf")):
            name = path.stem.removeprefix("ggml-vocab-")
            if args.only not in name:
                continue
            expected = path.with_suffix(".gguf.out")
            if expected.exists():
                given = path.with_suffix(".gguf.inp").read_bytes().split(b"\n__ggml_vocab_test__\n")
                lines = expected.read_text().split("\n")[: len(given)]
                stated = [[int(i) for i in line.split()] for line in lines]
                wrong += differences(f"{name}, its own file", given, ours(path, given, folder), stated)
            judge = LlamaCpp(path)
            # llama.cpp overflows its stack on words of 26,000 letters when it splits them with std::regex, and ends the
            # process on bytes that would be a character above the maximum.
            some = [t for t in texts if len(t) < 2000 and (is_text(t) or max(t) < 0xF4)]
            theirs = [judge.encode(t) for t in some]
            found = differences(f"{name}, llama.cpp", some, ours(path, some, folder, PRE.get(name)), theirs)
            if name in NOT_JUDGED:
                print(f"    not counted: {NOT_JUDGED[name]}")
            else:
                wrong += found
            ours(path, texts, folder, PRE.get(name))
        some = [t for t in texts if is_text(t)]
        for name, place, judge in trained(folder):
            if args.only not in name:
                continue
            theirs = [judge.encode(t.decode(), add_special_tokens=False).ids for t in some]
            wrong += differences(f"{name}, tokenizers", some, ours(place, some, folder), theirs)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
