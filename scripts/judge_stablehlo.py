#!/usr/bin/env python3
"""Runs StableHLO text in XLA, for `cargo xtask conformance --jaxlib PYTHON`.

Reads requests from the standard input and answers on the standard output. A request is

    module BYTES\\n<the text> input DTYPE DIMS BYTES\\n<the elements> … run\\n

with the words of a header separated by single spaces, DIMS as `2x3` (`-` for a scalar), elements little-endian and row-major. The
answer is `output DTYPE DIMS BYTES\\n<the elements>` for each result and then `done\\n`, or `error BYTES\\n<the message>`.

MLIR parses the text and XLA compiles it unchanged; JAX traces nothing. Needs jax and ml_dtypes. If the path of a PJRT plugin is given as
an argument, that plugin compiles and runs instead of jaxlib's own CPU client.
"""

import os
import sys

os.environ.setdefault("JAX_ENABLE_X64", "1")
# XLA's other threads must not take cores from measurements that run at the same time.
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false")

import jax  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from jax._src import xla_bridge  # noqa: E402
from jax._src.interpreters import mlir  # noqa: E402
from jax._src.lib import xla_client  # noqa: E402
from jax._src.lib.mlir import ir  # noqa: E402

DTYPES = {
    "f64": np.float64,
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f8e4m3": ml_dtypes.float8_e4m3fn,
    "f8e5m2": ml_dtypes.float8_e5m2,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
    "u8": np.uint8,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
    "bool": np.bool_,
    "c64": np.complex64,
    "c128": np.complex128,
}
NAMES = {np.dtype(dtype): name for name, dtype in DTYPES.items()}


def backend(plugin):
    """The client that compiles and runs."""
    if plugin is None:
        jax.config.update("jax_platforms", "cpu")
        return xla_bridge.get_backend("cpu")
    xla_bridge.register_plugin("judged", library_path=plugin)
    return xla_bridge.get_backend("judged")


def refined(text, inputs):
    """The module specialized to the sizes of these arrays if its own sizes are open. JAX's shape refinement does this, and also
    checks the program's assertions about sizes. As in JAX, a function of the sizes calls the original `main`."""
    module = ir.Module.parse(text)
    main = next(op for op in module.body.operations if ir.StringAttr(op.attributes["sym_name"]).value == "main")
    signature = ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value)
    if all(ir.RankedTensorType(ty).has_static_shape for ty in signature.inputs):
        return module
    shapes = zip(inputs, signature.inputs, strict=True)
    known = [ir.RankedTensorType.get(x.shape, ir.RankedTensorType(ty).element_type) for x, ty in shapes]
    arguments = ", ".join(f"%a{i}: {ty}" for i, ty in enumerate(known))
    casts = [f"%b{i} = stablehlo.convert %a{i} : ({ty}) -> {signature.inputs[i]}" for i, ty in enumerate(known)]
    operands = ", ".join(f"%b{i}" for i in range(len(known)))
    types = ", ".join(map(str, signature.results))
    results = ", ".join(f"%r#{i}" for i in range(len(signature.results)))
    call = f"%r:{len(signature.results)} = func.call @written({operands}) : {signature}"
    lines = [*casts, call, f"return {results} : {types}"]
    entry = f"func.func public @main({arguments}) -> ({types}) {{\n" + "\n".join(lines) + "\n}\n"
    text = text.replace("func.func public @main(", f"{entry}func.func private @written(", 1)
    return mlir.refine_polymorphic_shapes(ir.Module.parse(text))


def execute(client, text, inputs):
    """The results of the module for these arrays."""
    device = client.local_devices()[0]
    with mlir.make_ir_context(), ir.Location.unknown():
        module = refined(text, inputs)
        module.operation.verify()
        devices = xla_client.DeviceList((device,))
        executable = client.compile_and_load(module, devices, xla_client.CompileOptions())
    return [np.asarray(out) for out in executable.execute([jax.device_put(x, device) for x in inputs])]


def requests(stream):
    """The modules with their inputs."""
    text, inputs = None, []
    while header := stream.readline().decode().split():
        match header:
            case ["module", size]:
                text = stream.read(int(size)).decode()
            case ["input", dtype, dims, size]:
                shape = () if dims == "-" else tuple(int(n) for n in dims.split("x"))
                data = stream.read(int(size))
                inputs.append(np.frombuffer(data, DTYPES[dtype]).reshape(shape))
            case ["run"]:
                yield text, inputs
                text, inputs = None, []
            case other:
                raise ValueError(f"not a request: {other}")


def main():
    # Output of libraries goes to standard error.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    client = backend(sys.argv[1] if len(sys.argv) > 1 else None)
    for text, inputs in requests(sys.stdin.buffer):
        try:
            for out in execute(client, text, inputs):
                data = np.ascontiguousarray(out).tobytes()
                dims = "x".join(map(str, out.shape)) or "-"
                answers.write(f"output {NAMES[out.dtype]} {dims} {len(data)}\n".encode() + data)
            answers.write(b"done\n")
        except Exception as error:  # noqa: BLE001
            causes = [error, error.__cause__] if error.__cause__ else [error]
            message = " ".join(map(str, causes)).encode()
            answers.write(f"error {len(message)}\n".encode() + message)
        answers.flush()


if __name__ == "__main__":
    main()
