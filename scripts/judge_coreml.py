"""Holds ML Programs that RLX writes against coremltools: its loader types each operation anew, and its value inference (NumPy) computes them.

    pip install coremltools==9.0 'numpy<2.4'
    cargo run --release -p rlx-coreml --example round_trip -- --dump DIR
    python scripts/judge_coreml.py DIR [--limit N] [--verbose] [--f16]

Inputs of each program become constants, so that loading it computes it. What coremltools does not compute itself (convolutions, pooling, loops, …) is
computed here by NumPy, from its documentation. Prints how many programs loaded, how many gave what the evaluator says, and each that did not.
"""

import collections
import json
import os
import sys
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")
import numpy as np
from coremltools.converters.mil.frontend.milproto.load import load
from coremltools.proto import Model_pb2

import coreml_values

coreml_values.install()
NP = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "bool": np.bool_}
MIL = {"f32": 11, "f16": 10, "i32": 23}


def closed(model, inputs, data):
    """The model with constants in the place of its inputs."""
    (function,) = model.mlProgram.functions.values()
    (block,) = function.block_specializations.values()
    constants = []
    for item in inputs:
        value = np.frombuffer(data, NP[item["dtype"]], int(np.prod(item["dims"])), item["at"])
        op = type(block.operations.add())()
        op.type = "const"
        op.attributes["name"].type.tensorType.dataType = 2
        op.attributes["name"].immediateValue.tensor.strings.values.append(item["name"])
        out = op.outputs.add()
        out.name = item["name"]
        val = op.attributes["val"]
        for ty in (out.type, val.type):
            ty.tensorType.dataType = MIL[item["dtype"]]
            ty.tensorType.rank = len(item["dims"])
            for n in item["dims"]:
                ty.tensorType.dimensions.add().constant.size = n
        tensor = val.immediateValue.tensor
        if item["dtype"] == "f32":
            tensor.floats.values.extend(value.tolist())
        elif item["dtype"] == "i32":
            tensor.ints.values.extend(value.tolist())
        else:
            tensor.bytes.values = value.tobytes()
        constants.append(op)
        del block.operations[-1]
    rest = list(block.operations)
    del block.operations[:]
    block.operations.extend(constants + rest)
    del function.inputs[:]
    del model.description.input[:]
    return model


def close(got, want, name):
    """Whether values agree, as far as rounding goes: integers exactly, floats in the spacing of their type and of the largest value."""
    got, want = np.asarray(got), np.asarray(want)
    if got.size != want.size:
        return f"{got.shape} instead of {want.shape}"
    got, want = got.reshape(-1).astype(np.float64), want.reshape(-1)
    if want.dtype.kind in "ib":
        bad = got != want
    else:
        eps = float(np.finfo(want.dtype).eps)
        want = want.astype(np.float64)
        finite = np.isfinite(want)
        scale = np.abs(want[finite]).max() if finite.any() else 1.0
        tolerance = 64 * eps * np.abs(want) + 16 * eps * scale + 1e-37
        same = (got == want) | (np.isnan(got) & np.isnan(want))
        with np.errstate(invalid="ignore"):
            bad = ~(same | (np.abs(got - want) <= tolerance))
    if not bad.any():
        return None
    at = int(np.argmax(bad))
    return f"output {name}, element {at}: {got[at]} instead of {want[at]} ({int(bad.sum())} of {bad.size})"


def alike(got, want, name):
    """Whether floats point in the same direction, as far as halves say; integers are equal."""
    got, want = np.asarray(got).reshape(-1).astype(np.float64), np.asarray(want).reshape(-1)
    if want.dtype.kind in "ib":
        return close(got, want, name)
    want = want.astype(np.float64)
    cosine = got @ want / max(np.linalg.norm(got) * np.linalg.norm(want), 1e-30)
    return None if cosine >= 0.9999 else f"output {name}: a cosine of {cosine:.6f}"


def computed(model, weights, inputs, data):
    """The outputs of a model by name, and its operations, for these inputs."""
    used = collections.Counter(op.type for f in model.mlProgram.functions.values() for b in f.block_specializations.values() for op in walk(b))
    program = load(closed(model, inputs, data), specification_version=model.specificationVersion, file_weights_dir=str(weights))
    (function,) = program.functions.values()
    missing = sorted({op.op_type for op in function.operations if any(o.val is None for o in op.outputs)})
    return {out.name: out.val for out in function.outputs}, used, missing


def judge(folder):
    case = json.loads((folder / "case.json").read_text())
    data = (folder / "case.bin").read_bytes()
    model = Model_pb2.Model()
    model.ParseFromString((folder / "model.mlmodel").read_bytes())
    values, used, missing = computed(model, folder / "weights", case["inputs"], data)
    problems = []
    for item in case["outputs"]:
        want = np.frombuffer(data, NP[item["dtype"]], int(np.prod(item["dims"])), item["at"])
        got = values[item["name"]]
        if got is None and any(kind.startswith("random_") for kind in missing):
            # The numbers are CoreML's own: what can be said is that the program loads.
            continue
        if got is None:
            return used, case, f"no value: {', '.join(missing)}"
        problem = (alike if "--f16" in sys.argv else close)(got, want, item["name"])
        problems += [problem] if problem else []
    return used, case, "; ".join(problems) or None


def walk(block):
    for op in block.operations:
        yield op
        for inner in op.blocks:
            yield from walk(inner)


def main():
    folder = Path(sys.argv[1])
    limit = int(sys.argv[sys.argv.index("--limit") + 1]) if "--limit" in sys.argv else None
    cases = sorted(os.listdir(folder), key=int)[:limit]
    used, agreed, failures = collections.Counter(), 0, []
    for name in cases:
        try:
            ops_of, case, problem = judge(folder / name)
        except Exception as error:  # whatever the loader refuses
            ops_of, case, problem = {}, json.loads((folder / name / "case.json").read_text()), f"refused: {type(error).__name__}: {str(error)[:300]}"
        used.update(ops_of)
        agreed += problem is None
        if problem:
            failures.append((name, case["graph"].splitlines(), problem))
    for name, graph, problem in failures[: None if "--verbose" in sys.argv else 40]:
        print(name, " ".join(graph[1:4])[:160], "|", problem)
    print(f"{agreed} of {len(cases)} programs load in coremltools and give the evaluator's values; {len(used)} kinds of operations")
    print(", ".join(f"{kind} {count}" for kind, count in sorted(used.items())))
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
