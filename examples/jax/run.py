#!/usr/bin/env python3
"""Runs a StableHLO program in JAX's own runtime, as `rlx run` does in RLX.

    python examples/jax/run.py PROGRAM.mlir INPUTS.safetensors… [--expect OUTPUTS.safetensors]

Arguments are tensors by name, from one or more files. Results are printed, or compared with the outputs in a file. Needs jax, numpy and
safetensors. MLIR parses the program and XLA compiles it unchanged; nothing is traced.
"""

import argparse
import os
import re

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import numpy as np  # noqa: E402
from jax._src import xla_bridge  # noqa: E402
from jax._src.interpreters import mlir  # noqa: E402
from jax._src.lib import xla_client  # noqa: E402
from jax._src.lib.mlir import ir  # noqa: E402
from safetensors.numpy import load_file  # noqa: E402


def names(text):
    """The names of the arguments of main, from the attribute rlx.name where it exists."""
    signature = re.search(r"@main\((.*?)\) -> ", text, re.DOTALL).group(1)
    arguments = re.findall(r"%(\w[\w.]*): tensor<[^>]*>( \{[^}]*\})?", signature)
    stated = [(ssa, re.search(r'rlx\.name = "([^"]*)"', attributes)) for ssa, attributes in arguments]
    return [name.group(1) if name else ssa for ssa, name in stated]


def run(text, arrays):
    client = xla_bridge.get_backend("cpu")
    device = client.local_devices()[0]
    with mlir.make_ir_context(), ir.Location.unknown():
        devices = xla_client.DeviceList((device,))
        program = client.compile_and_load(ir.Module.parse(text), devices, xla_client.CompileOptions())
    return [np.asarray(out) for out in program.execute([jax.device_put(x, device) for x in arrays])]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("inputs", nargs="+")
    parser.add_argument("--expect")
    options = parser.parse_args()
    text = open(options.program, encoding="utf-8").read()
    given = {name: x for file in options.inputs for name, x in load_file(file).items()}
    results = run(text, [given[name] for name in names(text)])
    expected = load_file(options.expect) if options.expect else None
    for i, result in enumerate(results):
        print(f"out{i}: {result.dtype}{list(result.shape)}")
        if expected is None:
            print(result)
        else:
            want = expected[f"out{i}"]
            largest = np.abs(want).max(initial=0)
            difference = np.abs(result.astype(np.float64) - want.astype(np.float64)).max(initial=0)
            print(f"  largest difference {difference:.1e}, largest element {largest:.1e}")


if __name__ == "__main__":
    main()
