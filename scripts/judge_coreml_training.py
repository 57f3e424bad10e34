"""Compares a training step as a CoreML package, evaluated by coremltools with NumPy, with RLX's results.

    pip install coremltools==9.0 'numpy<2.4' torch
    python scripts/judge_coreml_training.py target/release/rlx [--config examples/training/digits.toml] [--steps 10] [--targets ios15,…]

`rlx train --graph` writes the loss, its gradients and the update as one graph, with the first batch and the initial values; `rlx convert`
makes a package from it for each of iOS 15 to 18. For the given number of steps on the batch, `rlx run` on the CPU and coremltools both
compute the step from the values of `rlx run`; coremltools also continues from its own values. Fails if a value differs by more than
rounding, or if the loss after coremltools' own steps differs from RLX's.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import coreml_values
from coreml_programs import computed, counted, opened, option

coreml_values.install()

TYPES = {"F32": np.float32, "I32": np.int32, "BOOL": np.bool_}
# The largest difference of the outputs, the norm and the moments, relative to the largest number of their tensor; of
# the parameters, in learning rates, since AdamW moves each parameter by about one learning rate whatever the size of
# its gradient, and a gradient that is nearly zero has no significant digits; and of the loss after coremltools' own
# steps, relative to the first loss.
BOUNDS = {"value": 5e-6, "step": 0.01, "loss": 1e-3}


def read(path):
    data = Path(path).read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    array = lambda item: np.frombuffer(data[8 + length :], TYPES[item["dtype"]], int(np.prod(item["shape"])), item["data_offsets"][0]).reshape(item["shape"])
    return {name: array(item) for name, item in header.items()}


def write(path, arrays):
    header, data = {}, b""
    for name, array in arrays.items():
        kind = next(kind for kind, dtype in TYPES.items() if dtype == array.dtype)
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header).encode()
    Path(path).write_bytes(len(text).to_bytes(8, "little") + text + data)


def run(*command):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr}")
    return done.stdout


def stepped(package, names, values):
    """The values that coremltools computes for a step, by the names of the package's outputs."""
    model, weights = opened(package)
    (function,) = model.mlProgram.functions.values()
    # Inputs are in the order of the graph; scalars have an axis at the interface.
    given = {}
    for place, name in zip(function.inputs, names, strict=True):
        dims = [d.constant.size for d in place.type.tensorType.dimensions]
        given[place.name] = values[name].reshape(dims)
    got, missing = computed(model, weights, given)
    if any(value is None for value in got.values()):
        sys.exit(f"no value: {', '.join(missing)}")
    return list(got.values())


def main():
    rlx = Path(sys.argv[1]).resolve()
    config, steps = option("--config", "examples/training/digits.toml"), int(option("--steps", 10))
    failed = False
    with tempfile.TemporaryDirectory() as work:
        graph = Path(work) / "step.rlx"
        run(rlx, "train", config, "--graph", graph)
        names = re.findall(r'^  %\d+ = input \{name = "([^"]+)"\}', graph.read_text(), re.M)
        first = read(graph.with_suffix(".safetensors"))
        fixed = ("images", "labels", "train.step", "train.lr")
        kept = [name for name in names if name not in fixed]
        wanted, given = [], [dict(first)]
        # The values come last, parameters before the optimizer's state for them.
        params = [not name.endswith((".m", ".v")) for name in kept]
        for step in range(steps):
            # Start some way up the schedule, so that values change.
            given[-1]["train.step"] = np.array(step, np.int32)
            given[-1]["train.lr"] = np.array(4e-4 * (step + 1), np.float32)
            write(Path(work) / "given.safetensors", given[-1])
            run(rlx, "run", graph, "-i", Path(work) / "given.safetensors", "-o", Path(work) / "out", "--format", "safetensors", "--quiet")
            out = read(Path(work) / "out" / "outputs.safetensors")
            wanted.append([out[name] for name in sorted(out, key=lambda name: int(re.sub(r"\D", "", name) or 0))])
            given.append({**given[-1], **dict(zip(kept, wanted[-1][-len(kept) :], strict=True))})
        is_param = [False] * (len(wanted[0]) - len(kept)) + params
        for target in option("--targets", "ios15,ios16,ios17,ios18").split(","):
            package = Path(work) / f"{target}.mlpackage"
            run(rlx, "convert", graph, "-o", package, "--target", target)
            own, losses, worst, moved, where = dict(given[0]), [], 0.0, 0.0, ""
            for step in range(steps):
                got = stepped(package, names, given[step])
                for i, (value, want) in enumerate(zip(got, wanted[step], strict=True)):
                    want = want.astype(np.float64)
                    off = np.abs(value.reshape(want.shape).astype(np.float64) - want).max()
                    if is_param[i]:
                        moved = max(moved, off / float(given[step]["train.lr"]))
                        continue
                    # A small loss is the difference of numbers of at least 1.
                    off /= max(np.abs(want).max(), 1.0 if i == 0 else 1e-6)
                    if not off <= worst:
                        worst, where = off, f"output {i} of step {step}"
                own.update({name: given[step][name] for name in fixed})
                ours = stepped(package, names, own)
                losses.append(float(ours[0].reshape(-1)[0]))
                own.update({name: value.reshape(own[name].shape) for name, value in zip(kept, ours[-len(kept) :], strict=True)})
            begin, end, want = losses[0], losses[-1], float(wanted[-1][0].reshape(-1)[0])
            good = worst <= BOUNDS["value"] and moved <= BOUNDS["step"] and abs(end - want) <= BOUNDS["loss"] * begin and want < begin / 2
            failed |= not good
            used = counted(opened(package)[0])
            print(f"{'ok' if good else 'WRONG'} {target}: {steps} steps, {len(kept)} values, {sum(used.values())} operations; largest difference {worst:.1e} of the largest number ({where}), of parameters {moved:.1e} of the learning rate; loss {begin:.5f} → {end:.5f}, {want:.5f} by rlx")
        print(", ".join(f"{kind} {count}" for kind, count in sorted(used.items())))
    sys.exit(failed)


if __name__ == "__main__":
    main()
