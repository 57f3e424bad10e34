"""Compares ML Programs that RLX writes with coremltools: its loader infers the type of each operation, and its value inference (NumPy)
computes them.

    pip install coremltools==9.0 'numpy<2.4'
    cargo run --release -p rlx-coreml --example round_trip -- --dump DIR
    python scripts/judge_coreml.py DIR [--limit N] [--verbose] [--f16]

Each program is loaded unchanged, with its inputs and open sizes, to check what Core ML requires of run-time values, including weights.
Then its inputs are replaced by constants, so that loading it computes it. Operations that coremltools does not compute itself
(convolutions, pooling, loops, …) are computed here with NumPy, from its documentation. Prints how many programs loaded, how many gave
the evaluator's values, and each one that did not.

Two things are counted but are not failures: `topk` of NaN, whose order CoreML's documentation leaves open, and bf16 results in which one
element in a hundred is the neighboring bf16 number, since programs compute them in f32 and round.
"""

import collections
import functools
import hashlib
import os
import sys
from pathlib import Path

import numpy as np

import coreml_values
from coreml_programs import Model_pb2, case_of, computed, counted, loaded, option, parsed

coreml_values.install()


def off(got, want, name):
    """The elements that disagree beyond rounding: integers must be equal, floats are compared in the spacing of their type and of
    the largest value."""
    got, want = np.asarray(got), np.asarray(want)
    if got.size != want.size:
        raise ValueError(f"output {name}: {got.shape} instead of {want.shape}")
    got, want = got.reshape(-1).astype(np.float64), want.reshape(-1)
    if want.dtype.kind in "ib":
        return got != want
    eps = float(np.finfo(want.dtype).eps)
    want = want.astype(np.float64)
    finite = np.isfinite(want)
    scale = np.abs(want[finite]).max() if finite.any() else 1.0
    tolerance = 64 * eps * np.abs(want) + 16 * eps * scale + 1e-37
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    with np.errstate(invalid="ignore"):
        return ~(same | (np.abs(got - want) <= tolerance))


def close(got, want, name):
    """What is wrong with an output; None if nothing is."""
    bad = off(got, want, name)
    if not bad.any():
        return None
    at = int(np.argmax(bad))
    return f"output {name}, element {at}: {np.reshape(got, -1)[at]} instead of {np.reshape(want, -1)[at]} ({int(bad.sum())} of {bad.size})"


def next_in_bf16(got, want, name):
    """Whether one element in a hundred is the neighboring bf16 number, and the others agree."""
    bad = off(got, want, name)
    got, want = np.reshape(got, -1)[bad].astype(np.float64), np.reshape(want, -1)[bad].astype(np.float64)
    step = np.exp2(np.floor(np.log2(np.maximum(np.abs(got), np.abs(want)))) - 7)
    return bad.sum() * 100 <= bad.size and bool((np.abs(got - want) <= step).all())


def alike(got, want, name):
    """Whether floats point in the same direction within the precision of f16; integers must be equal."""
    got, want = np.asarray(got).reshape(-1).astype(np.float64), np.asarray(want).reshape(-1)
    if want.dtype.kind in "ib":
        return close(got, want, name)
    want = want.astype(np.float64)
    cosine = got @ want / max(np.linalg.norm(got) * np.linalg.norm(want), 1e-30)
    return None if cosine >= 0.9999 else f"output {name}: a cosine of {cosine:.6f}"


@functools.lru_cache(maxsize=1)
def typed_bytes(model, weights):
    """Loads a program with its inputs. A program that is used at several sizes is loaded only once."""
    parsed_model = Model_pb2.Model()
    parsed_model.ParseFromString(model)
    loaded(parsed_model, weights)


def typed(folder):
    """Whether coremltools accepts a program with run-time inputs."""
    blob = folder / "weights/weight.bin"
    link = hashlib.sha256(blob.read_bytes()).hexdigest()
    WEIGHTS.setdefault(link, folder / "weights")
    typed_bytes((folder / "model.mlmodel").read_bytes(), str(WEIGHTS[link]))


WEIGHTS = {}


def judge(folder):
    """The operations of a program, what is wrong with it, and what could not be decided."""
    _, types, inputs, outputs = case_of(folder)
    model = parsed(folder / "model.mlmodel")
    used = counted(model)
    typed(folder)
    values, missing = computed(model, folder / "weights", inputs)
    problems, is_open = [], None
    for (name, want), ty in zip(outputs.items(), types, strict=True):
        got = values[name]
        if got is None and any(kind.startswith("random_") for kind in missing):
            # The random numbers are CoreML's own, so only loading can be checked.
            continue
        if got is None and coreml_values.MISSING & used.keys():
            is_open = "need PyTorch, which is not here"
            continue
        if got is None:
            return used, f"no value: {', '.join(missing)}", None
        problem = (alike if "--f16" in sys.argv else close)(got, want, name)
        if problem and used["topk"] and any(np.isnan(x).any() for x in inputs.values() if x.dtype.kind == "f"):
            is_open = "order NaN"
        elif problem and ty == "bf16" and next_in_bf16(got, want, name):
            is_open = "round to the next number of bf16"
        else:
            problems += [problem] if problem else []
    return used, "; ".join(problems) or None, is_open


def main():
    folder = Path(sys.argv[1])
    cases = sorted(os.listdir(folder), key=int)[: int(option("--limit", 1 << 32))]
    if not cases:
        sys.exit(f"{folder} has no programs")
    used, agreed, left_open, failures = collections.Counter(), 0, collections.Counter(), []
    for name in cases:
        try:
            ops_of, problem, is_open = judge(folder / name)
        except Exception as error:  # whatever the loader refuses
            ops_of, problem, is_open = {}, f"refused: {type(error).__name__}: {str(error)[:300]}", None
        used.update(ops_of)
        agreed += problem is None and is_open is None
        left_open[is_open] += problem is None and is_open is not None
        if problem:
            failures.append((name, case_of(folder / name)[0].splitlines(), problem))
    for name, graph, problem in failures[: None if "--verbose" in sys.argv else 40]:
        print(name, " ".join(graph[1:4])[:160], "|", problem)
    print(f"{agreed} of {len(cases)} programs load in coremltools and give the evaluator's values; {len(used)} kinds of operations")
    for why, count in left_open.items():
        if count:
            print(f"{count} {why}")
    print(", ".join(f"{kind} {count}" for kind, count in sorted(used.items())))
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
