"""Compares every family of language models with the reference implementation, and writes the table of docs/language-models.md.

    pip install torch transformers
    python scripts/judge_llm.py [--full] [NAME ...]

Makes a checkpoint with random weights of each family (scripts/llm_checkpoints.py), runs `cargo run --release -p rlx-llm --example compare`
on it, and removes it. With `--full`, the checkpoints have the widths of published models. With names, only those checkpoints are compared,
and other rows stay unchanged.
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


def write(kind, rows):
    """The existing rows of the table, by name."""
    import transformers

    mark = "correctness" + "".join(kind).replace("--", "-")
    begin, end = f"<!-- {mark}: begin -->", f"<!-- {mark}: end -->"
    text = PAGE.read_text()
    before, table, after = text.partition(begin)[0], *text.partition(begin)[2].partition(end)[::2]
    rows = {name: line for line, name in re.findall(r"^(\| `(\w+)`.*)$", table, flags=re.M)} | rows
    heads = ["| checkpoint | largest difference of a logit / largest logit | same best token | same greedy text |", "|---|---|---|---|"]
    note = f"By `{' '.join(['scripts/judge_llm.py', *kind])}`, transformers {transformers.__version__}."
    made = [begin, note, "", *heads, *(rows[name] for name in names(kind) if name in rows), end]
    PAGE.write_text(before + "\n".join(made) + after)


def main():
    kind = [arg for arg in sys.argv[1:] if arg == "--full"]
    for name in [arg for arg in sys.argv[1:] if arg not in kind] or names(kind):
        with tempfile.TemporaryDirectory() as folder:
            made = row(name, judge(kind, name, Path(folder)))
        print(made, file=sys.stderr, flush=True)
        # Rows that were not requested stay.
        write(kind, {name: made})


if __name__ == "__main__":
    main()
