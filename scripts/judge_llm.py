"""Holds every family of language models against the reference implementation, and writes the table of docs/language-models.md.

    pip install torch transformers
    python scripts/judge_llm.py [--full]

makes a checkpoint with random weights of each family (scripts/llm_checkpoints.py), runs `cargo run --release -p rlx-llm --example compare` on it, and removes it; with
`--full` the checkpoints have the widths of published models.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/language-models.md"
CHECKPOINTS = ROOT / "scripts/llm_checkpoints.py"


def names(kind):
    code = f"import sys; sys.argv = ['', *{kind!r}]; sys.path[:0] = [{str(CHECKPOINTS.parent)!r}]; import llm_checkpoints as c; print(*c.MODELS)"
    return subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, text=True).stdout.split()


def judge(kind, name, folder):
    subprocess.run([sys.executable, CHECKPOINTS, folder, *kind, name], check=True, stdout=sys.stderr)
    command = ["cargo", "run", "--quiet", "--release", "-p", "rlx-llm", "--example", "compare", "--", "--json", folder / name]
    return json.loads(subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout)


def row(name, seen):
    if "failed" in seen:
        return f"| `{name}` | {seen['failed']} | | |"
    best, positions, greedy, tokens = (seen[key] for key in ("same_best", "positions", "greedy", "greedy_tokens"))
    return f"| `{name}` | {seen['error']:.1e} | {best} of {positions} | {greedy} of {tokens} |"


def main():
    kind = [arg for arg in sys.argv[1:] if arg == "--full"]
    rows = []
    for name in names(kind):
        with tempfile.TemporaryDirectory() as folder:
            rows.append(row(name, judge(kind, name, Path(folder))))
            print(rows[-1], file=sys.stderr, flush=True)
    import transformers

    heads = ["| checkpoint | largest difference of a logit / largest logit | same best token | same greedy text |", "|---|---|---|---|"]
    note = f"By `{' '.join(['scripts/judge_llm.py', *kind])}`, transformers {transformers.__version__}."
    mark = "correctness" + "".join(kind).replace("--", "-")
    begin, end = f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"
    text = PAGE.read_text()
    made = "\n".join([begin, note, "", *heads, *rows, end])
    PAGE.write_text(re.sub(f"{begin}.*?{end}", lambda _: made, text, flags=re.S))


if __name__ == "__main__":
    main()
