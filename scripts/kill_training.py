#!/usr/bin/env python3
"""Kills `rlx train` at random moments, restarts it, and compares the final parameters byte for byte with an uninterrupted run.

    cargo build --release -p rlx-cli
    scripts/kill_training.py --rlx target/release/rlx --kills 20

Each kill comes at a random moment, drawn from the system's entropy: during the start, a step, a checkpoint or the end. A checkpoint is
written after every step, so that many kills happen during writes; the report counts those that left an incomplete file. A run that ends
with an error fails the test.
"""

import argparse
import pathlib
import random
import secrets
import shutil
import subprocess
import sys
import tempfile
import time

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples" / "training"


def prepare(folder, steps):
    """A copy of the digits example with the given number of steps and many checkpoints."""
    folder.mkdir()
    shutil.copy(EXAMPLES / "digits.csv.gz", folder)
    lines = (EXAMPLES / "digits.toml").read_text().splitlines()
    for key, value in {"channels": 8, "steps": steps, "checkpoint_every": 1, "evaluate_every": 50}.items():
        at = [i for i, line in enumerate(lines) if line.startswith(f"{key} =")]
        assert len(at) == 1, f"{key} is in the example {len(at)} time(s)"
        lines[at[0]] = f"{key} = {value}"
    (folder / "digits.toml").write_text("\n".join(lines) + "\n")
    return folder / "digits.toml"


def halves(run):
    """Files that an interrupted write left behind."""
    return {path for folder in (run, run / "checkpoints", run / "best") for path in folder.glob(".rlx-*")}


def newest(run):
    """The step of the newest checkpoint; 0 if there is none."""
    names = sorted(path.name for path in (run / "checkpoints").glob("step-*.safetensors"))
    return int(names[-1][5:15]) if names else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rlx", default="target/release/rlx")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--seed", type=int, default=None, help="seed of the moments (default: a different one each time)")
    args = parser.parse_args()
    seed = secrets.randbits(32) if args.seed is None else args.seed
    moments = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        whole = prepare(folder / "whole", args.steps)
        begin = time.monotonic()
        subprocess.run([args.rlx, "train", whole], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        length = time.monotonic() - begin
        killed = prepare(folder / "killed", args.steps)
        run = killed.parent / "digits-run"
        kills, ends, at, writes = 0, 0, [], 0
        while kills < args.kills:
            before = halves(run)
            child = subprocess.Popen([args.rlx, "train", killed], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            try:
                # Fractions of a full run that let it make progress and hit every part of it.
                _, said = child.communicate(timeout=moments.uniform(0.0, 0.4) * length)
            except subprocess.TimeoutExpired:
                child.kill()
                child.communicate()
                kills += 1
                at.append(newest(run))
                writes += bool(halves(run) - before)
                continue
            if child.returncode != 0:
                sys.exit(f"after {kills} kill(s) the run fails:\n{said.decode(errors='replace')}")
            ends += 1
            shutil.rmtree(run)
        subprocess.run([args.rlx, "train", killed], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        left = sorted(path.name for path in halves(run))
        ours, theirs = ((p.parent / "digits-run" / "model.safetensors").read_bytes() for p in (killed, whole))
    print(f"seed {seed}: {kills} kills, {writes} of them in the middle of writing a file; {ends} runs finished and were started again")
    print(f"newest checkpoint at each kill: {', '.join(map(str, at))} of {args.steps} steps; a whole run takes {length:.1f} s")
    if left:
        sys.exit(f"half files were left: {', '.join(left)}")
    if ours != theirs:
        sys.exit("the parameters differ")
    print(f"the {len(ours)} bytes of parameters are the same")


if __name__ == "__main__":
    main()
