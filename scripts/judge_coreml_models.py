"""Compares models as CoreML packages, evaluated by coremltools with NumPy, with RLX's results.

    pip install coremltools==9.0 'numpy<2.4' tokenizers
    python scripts/judge_coreml_models.py target/release/rlx

Runs `rlx convert minilm` in f32 and f16, and prints, for each text, the cosine of the package's vector and that of `rlx embed`, on one
thread. The packages take 128 tokens, and those after the text are masked. A third package takes any number of tokens, and gets only those
of each text.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

import coreml_values
from coreml_programs import computed, counted, opened

coreml_values.install()

TEXTS = ["A cat sits on the mat.", "Compilers turn programs into other programs, and some of them are fast.", "Ein kurzer Satz.", "🙂 emoji, numbers 3.14 and CAPITALS"]
SEQ = 128
# The minimum cosine, and the maximum difference of an element.
BOUNDS = {"declared": (1 - 1e-6, 1e-5), "f16": (0.9999, 5e-3)}
# The packages to convert: a precision, sizes, and the number of tokens that the package gets.
PACKAGES = [("declared", [], SEQ), ("f16", [], SEQ), ("declared", ["--dim", "seq=1..512"], None), ("f16", ["--dim", "seq=1..512"], None)]


def run(*command):
    return subprocess.run([str(c) for c in command], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def inputs_of(tokenizer, text, count):
    ids = tokenizer.encode(text).ids[:SEQ]
    count = count or len(ids)
    given = {name: np.zeros((1, count), np.int32) for name in ("input_ids", "token_type_ids", "attention_mask")}
    given["input_ids"][0, : len(ids)], given["attention_mask"][0, : len(ids)] = ids, 1
    return given


def main():
    rlx = Path(sys.argv[1]).resolve()
    said = run(rlx, "inspect", "minilm", "--verbose").stderr
    folder = Path(said.split("the model is in ")[1].splitlines()[0])
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    failed = False
    wanted = {text: np.array(json.loads(run(rlx, "embed", "--json", text).stdout)).reshape(-1) for text in TEXTS}
    with tempfile.TemporaryDirectory() as work:
        for precision, sizes, count in PACKAGES:
            least, most = BOUNDS[precision]
            package = Path(work) / f"{precision}-{count}.mlpackage"
            before = time.perf_counter()
            run(rlx, "convert", "minilm", "-o", package, "--precision", precision, *sizes)
            seconds = time.perf_counter() - before
            size = sum(f.stat().st_size for f in package.rglob("*") if f.is_file())
            print(f"{precision}, {count or 'any number of'} tokens: written in {seconds:.2f} s, {size / 1e6:.1f} MB")
            for text in TEXTS:
                model, weights = opened(package)
                used = counted(model)
                (got,) = computed(model, weights, inputs_of(tokenizer, text, count))[0].values()
                want = wanted[text]
                got = got.reshape(-1).astype(np.float64)
                cosine = got @ want / np.linalg.norm(got) / np.linalg.norm(want)
                off = np.abs(got - want).max()
                good = cosine >= least and off <= most
                failed |= not good
                print(f"  {'ok' if good else 'WRONG'} cosine {cosine:.8f}, largest difference {off:.2e}: {text!r}")
            print("  " + ", ".join(f"{kind} {count}" for kind, count in sorted(used.items())))
    sys.exit(failed)


if __name__ == "__main__":
    main()
