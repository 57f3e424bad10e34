#!/usr/bin/env python3
"""Kills `rlx train` at random moments, lets it go on, and compares the final parameters byte for byte with a run in one piece.

    scripts/kill_training.py --rlx target/release/rlx --kills 20
"""

import argparse
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples" / "training"


def prepare(folder, steps):
    folder.mkdir()
    shutil.copy(EXAMPLES / "digits.csv.gz", folder)
    text = (EXAMPLES / "digits.toml").read_text()
    for old, new in [
        ("steps = 400\nseed", f"steps = {steps}\nseed"),
        ("checkpoint_every = 100", "checkpoint_every = 7"),
        ("evaluate_every = 100", "evaluate_every = 1000000"),
    ]:
        assert old in text, old
        text = text.replace(old, new)
    (folder / "digits.toml").write_text(text)
    return folder / "digits.toml"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rlx", default="target/release/rlx")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    moments = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        whole = prepare(folder / "whole", args.steps)
        begin = time.monotonic()
        subprocess.run([args.rlx, "train", whole], check=True, stdout=subprocess.DEVNULL)
        length = time.monotonic() - begin
        killed = prepare(folder / "killed", args.steps)
        kills = ends = 0
        while kills < args.kills:
            child = subprocess.Popen([args.rlx, "train", killed], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            # Shares of a whole run that let it get on, and hit every part of it: the start, steps, checkpoints.
            try:
                child.wait(moments.uniform(0.02, 0.35) * length)
                ends += 1
                subprocess.run(["rm", "-r", killed.parent / "digits-run"], check=True)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
                kills += 1
        subprocess.run([args.rlx, "train", killed], check=True, stdout=subprocess.DEVNULL)
        ours, theirs = ((p.parent / "digits-run" / "model.safetensors").read_bytes() for p in (killed, whole))
        print(f"{kills} kills, {ends} runs that ended before, a whole run takes {length:.1f} s, {len(ours)} bytes of parameters")
        if ours != theirs:
            sys.exit("the parameters differ")
        print("the parameters are the same, byte for byte")


if __name__ == "__main__":
    main()
