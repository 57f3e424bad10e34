"""Shared by the scripts that judge CoreML packages: loads packages with coremltools, and evaluates programs without inputs by loading them."""

import collections
import json
import logging
import sys
import warnings
from pathlib import Path

# Messages that coremltools prints when it is loaded on other systems than Apple's, and for each conversion of a constant.
logging.disable(logging.WARNING)
warnings.filterwarnings("ignore")

import numpy as np
from coremltools.converters.mil.frontend.milproto.load import load
from coremltools.proto import MIL_pb2, Model_pb2

NP = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "bool": np.bool_}
MIL = {np.dtype(np.float32): 11, np.dtype(np.float16): 10, np.dtype(np.int32): 23}


def parsed(file):
    """The model in a file."""
    model = Model_pb2.Model()
    model.ParseFromString(Path(file).read_bytes())
    return model


def opened(package):
    """The model of a package, and the folder with its weights."""
    data = Path(package) / "Data/com.apple.CoreML"
    return parsed(data / "model.mlmodel"), data / "weights"


def loaded(model, weights):
    """The program of a model, loaded with coremltools, which infers the type of each operation and its value as far as possible."""
    return load(model, specification_version=model.specificationVersion, file_weights_dir=str(weights))


def operations(model):
    """The operations of a model, including nested ones."""

    def walk(block):
        for op in block.operations:
            yield op
            for inner in op.blocks:
                yield from walk(inner)

    for function in model.mlProgram.functions.values():
        for block in function.block_specializations.values():
            yield from walk(block)


def counted(model):
    """The number of operations of each kind."""
    return collections.Counter(op.type for op in operations(model))


def constant(name, value):
    """An operation that returns an array."""
    op = MIL_pb2.Operation(type="const")
    op.attributes["name"].type.tensorType.dataType = 2
    op.attributes["name"].immediateValue.tensor.strings.values.append(name)
    out = op.outputs.add()
    out.name = name
    given = op.attributes["val"]
    for ty in (out.type, given.type):
        ty.tensorType.dataType = MIL[value.dtype]
        ty.tensorType.rank = value.ndim
        for n in value.shape:
            ty.tensorType.dimensions.add().constant.size = n
    tensor = given.immediateValue.tensor
    if value.dtype == np.float32:
        tensor.floats.values.extend(value.reshape(-1).tolist())
    elif value.dtype == np.int32:
        tensor.ints.values.extend(value.reshape(-1).tolist())
    else:
        tensor.bytes.values = value.tobytes()
    return op


def close_inputs(function, values):
    """Replaces the inputs of a function with constants, so that loading it computes it."""
    (block,) = function.block_specializations.values()
    rest = list(block.operations)
    del block.operations[:], function.inputs[:]
    block.operations.extend([constant(name, value) for name, value in values.items()] + rest)


def computed(model, weights, values):
    """The outputs of a model with one function for these inputs, by name, and the operations for which coremltools has no value.
    Changes the model."""
    (function,) = model.mlProgram.functions.values()
    close_inputs(function, values)
    del model.description.input[:]
    (function,) = loaded(model, weights).functions.values()
    missing = sorted({op.op_type for op in function.operations if any(o.val is None for o in op.outputs)})
    return {out.name: out.val for out in function.outputs}, missing


def case_of(folder):
    """A case written by `round_trip --dump`: its graph as text, the types of its results, and its inputs and outputs by name."""
    case, data = json.loads((folder / "case.json").read_text()), (folder / "case.bin").read_bytes()
    array = lambda item: np.frombuffer(data, NP[item["dtype"]], int(np.prod(item["dims"])), item["at"]).reshape(item["dims"])
    return case["graph"], case["types"], *({item["name"]: array(item) for item in case[kind]} for kind in ("inputs", "outputs"))


def option(name, default=None):
    """The value of an option on the command line."""
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else default
