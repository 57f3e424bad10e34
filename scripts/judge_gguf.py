"""Compares GGUF files of every family of language models with llama.cpp on the same files, and writes the tables of docs/language-models.md.

    pip install torch transformers gguf
    CMAKE_ARGS=-DGGML_NATIVE=ON pip install --no-binary llama-cpp-python llama-cpp-python
    python scripts/judge_gguf.py LLAMA_CPP

LLAMA_CPP is a folder with llama.cpp's sources. Checkpoints with random weights, whose rows are as long as the blocks of all formats (scripts/llm_checkpoints.py
--wide), are converted and quantized by llama.cpp (scripts/llm_gguf.py), and run by both.
"""

import json
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from judge_llm import PAGE, ROOT, names

FORMATS = ["q8_0", "q4_k_m"]
# Additional formats of some checkpoints; for GPT-OSS, those in which its experts stay in MXFP4.
OTHERS = {"llama": ["f16", "bf16", "q4_0", "q5_k_m", "q6_k", "q3_k_m", "q2_k", "iq4_nl", "iq4_xs"], "qwen3_moe": ["q5_k_m", "iq4_xs"], "qwen35": ["f16", "q6_k"],
          "mamba2": ["f16", "q6_k"], "gpt_oss_mxfp4": ["bf16", "mxfp4_moe"]}


def script(name, *arguments):
    subprocess.run([sys.executable, ROOT / "scripts" / name, *arguments], check=True, stdout=sys.stderr)


def compared(paths):
    command = ["cargo", "run", "--quiet", "--release", "-p", "rlx-llm", "--example", "compare", "--", "--json", *paths]
    lines = subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    return {path.stem: json.loads(line) for path, line in zip(paths, lines, strict=True)}


def cells(seen):
    """The largest difference, the errors of both, and the unambiguous tokens."""
    ours, theirs = seen["exact"]
    same, clear = seen["clear"]
    return f"{seen['error']:.1e} | {ours:.1e}, {theirs:.1e} | {same} of {clear}"


def row(name, seen):
    plain = seen[f"{name}-f32"]
    greedy = f"{plain['greedy']} of {plain['greedy_tokens']}"
    return " | ".join([f"| `{name}`", f"{plain['error']:.1e}", greedy, *[cells(seen[f"{name}-{form}"]) for form in FORMATS]]) + " |"


def ratios(seen, form):
    """RLX's error divided by llama.cpp's: the minimum, the geometric mean, and the maximum."""
    parts = [ours / theirs for key, (ours, theirs) in seen.items() if key.endswith(f"-{form}")]
    mean = math.exp(sum(map(math.log, parts)) / len(parts))
    return f"{form} {min(parts):.2f} to {max(parts):.2f} times as far, {mean:.2f} in the geometric mean"


def main():
    llama_cpp = sys.argv[1]
    all_names = names(["--wide"])
    with tempfile.TemporaryDirectory() as folder:
        checkpoints, files = Path(folder, "checkpoints"), Path(folder, "files")
        script("llm_checkpoints.py", checkpoints, "--wide")
        script("llm_gguf.py", llama_cpp, checkpoints, files, "--formats", ",".join(["f32", *FORMATS]), *all_names)
        for name, forms in OTHERS.items():
            script("llm_gguf.py", llama_cpp, checkpoints, files, "--formats", ",".join(forms), name)
        seen = compared(sorted(files.glob("*.gguf")))
    import llama_cpp as library
    import transformers

    failed = {key: value["failed"] for key, value in seen.items() if "failed" in value}
    if failed:
        sys.exit(f"not run: {failed}")
    columns = [f"{form}: {what}" for form in FORMATS for what in ("difference", "off: RLX, llama.cpp", "clear tokens")]
    off = {key: value["exact"] for key, value in seen.items() if value["exact"] and not key.startswith("gpt_oss-")}
    lines = [f"By `scripts/judge_gguf.py LLAMA_CPP`, llama-cpp-python {library.__version__}, transformers {transformers.__version__}. Without `gpt_oss`, RLX is off with "
             + "; with ".join(ratios(off, form) for form in FORMATS) + ".", "",
             "| " + " | ".join(["checkpoint", "f32: difference", "greedy text", *columns]) + " |", "|---" * (3 + len(columns)) + "|"]
    lines += [row(name, seen) for name in all_names]
    lines += ["", "| checkpoint | format | difference | off: RLX, llama.cpp | clear tokens |", "|---|---|---|---|---|"]
    others = [(name, form) for name, forms in OTHERS.items() for form in forms]
    lines += [f"| `{name}` | {form} | {cells(seen[f'{name}-{form}'])} |" for name, form in others]
    begin, end = "<!-- gguf: begin -->", "<!-- gguf: end -->"
    text, made = PAGE.read_text(), "\n".join([begin, *lines, end])
    PAGE.write_text(re.sub(f"{begin}.*?{end}", lambda _: made, text, flags=re.S))


if __name__ == "__main__":
    main()
