#!/usr/bin/env python3
"""Chooses the settings of examples/training/digits.toml by its validation images, and then tests the chosen ones once.

    cargo build --release -p rlx-cli
    scripts/choose_digits.py --rlx target/release/rlx

Trains every setting of a grid from a few seeds, and chooses the one with the lowest mean loss on the validation images. The test images
are not used until then: `rlx train` only uses them with `--test`. The chosen setting is tested from other seeds than those it was chosen
with, and every result is printed.
"""

import argparse
import itertools
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples" / "training"
GRID = {
    "shift": [0, 1],
    "channels": [8, 16, 32],
    "peak": [0.004, 0.008],
    "steps": [800],
}


def config(setting, seed):
    """The example with other settings."""
    text = (EXAMPLES / "digits.toml").read_text()
    for pattern, value in [
        (r"^channels = .*$", f"channels = {setting['channels']}"),
        (r"^shift = .*$", f"shift = {setting['shift']}"),
        (r"peak=[\d.]+", f"peak={setting['peak']}"),
        (r"^steps = .*$", f"steps = {setting['steps']}"),
        (r"^seed = .*$", f"seed = {seed}"),
    ]:
        text, count = re.subn(pattern, value, text, flags=re.MULTILINE)
        assert count == 1, pattern
    return text


def trained(rlx, text, *options):
    """The final numbers of a training run."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shutil.copy(EXAMPLES / "digits.csv.gz", folder)
        (folder / "digits.toml").write_text(text)
        command = [rlx, "train", folder / "digits.toml", *options]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    return {key: float(value) for key, value in re.findall(r"(\w+_(?:loss|accuracy)) ([\d.]+)", done.stdout)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rlx", default="target/release/rlx")
    parser.add_argument("--seeds", type=int, nargs="*", default=[101, 102, 103], help="seeds to choose with")
    parser.add_argument("--test-seeds", type=int, nargs="*", default=list(range(1, 9)))
    parser.add_argument("--only-test", action="store_true", help="only test the current settings of the example")
    args = parser.parse_args()
    if not args.only_test:
        rows = []
        for values in itertools.product(*GRID.values()):
            setting = dict(zip(GRID, values))
            runs = [trained(args.rlx, config(setting, seed)) for seed in args.seeds]
            loss = statistics.mean(run["validation_loss"] for run in runs)
            accuracy = statistics.mean(run["validation_accuracy"] for run in runs)
            rows.append((loss, accuracy, setting))
            print(f"{json.dumps(setting)}: validation loss {loss:.4f}, accuracy {accuracy:.4f}", flush=True)
        chosen = min(rows, key=lambda row: row[0])[2]
        print(f"\nchosen: {json.dumps(chosen)}")
        if config(chosen, 1) != config_of_example(1):
            print("the example has other settings: write these into it, and run again with --only-test")
            sys.exit(1)
    print("\n| seed | validation accuracy | test accuracy |\n|---|---|---|")
    tests = []
    for seed in args.test_seeds:
        run = trained(args.rlx, config_of_example(seed), "--test")
        tests.append(run["test_accuracy"])
        print(f"| {seed} | {run['validation_accuracy']:.4f} | {run['test_accuracy']:.4f} |", flush=True)
    print(f"\ntest accuracy: mean {statistics.mean(tests):.4f}, lowest {min(tests):.4f}, highest {max(tests):.4f}")


def config_of_example(seed):
    text, count = re.subn(r"^seed = .*$", f"seed = {seed}", (EXAMPLES / "digits.toml").read_text(), flags=re.MULTILINE)
    assert count == 1
    return text


if __name__ == "__main__":
    main()
