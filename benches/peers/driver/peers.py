"""How to build and start the worker of each peer."""

import json
import os
import pathlib
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent

# Peers in Rust: the package of the worker, and the crate whose version is reported.
RUST = {
    "rlx": ("peer-rlx", None),
    "limits": ("peer-limits", None),
    "gemm": ("peer-gemm", "gemm"),
    "candle": ("peer-candle", "candle-core"),
    "tract": ("peer-tract", "tract-onnx"),
    "burn": ("peer-burn", "burn"),
}
# RLX chooses its kernels at run time and is built as its users build it; the others are built for this processor.
NATIVE = {"gemm", "candle", "tract", "burn"}


class Missing(Exception):
    """A peer that is not available, with the reason."""


# RLX in other configurations than the default: what is added to its environment and its command line.
OTHER_WAYS = {"rlx-vectors": ({"RLX_CPU_ISA": "avx512"}, []), "rlx-bf16": ({}, ["--precision", "weights-bf16"])}


@dataclass
class Built:
    command: list
    version: str | None = None
    # What is added to its environment.
    more: dict = field(default_factory=dict)


def environment(threads):
    """The thread count, in every variable that one of the libraries reads."""
    names = ["OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS", "NPROC", "RLX_NUM_THREADS"]
    env = dict(os.environ, **{name: str(threads) for name in names})
    env["HF_HUB_OFFLINE"] = env["TRANSFORMERS_OFFLINE"] = "1"
    env["TOKENIZERS_PARALLELISM"] = "false" if threads == 1 else "true"
    if threads == 1:
        env["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
    return env


class Peers:
    """Builds each worker once, when it is first needed."""

    def __init__(self, target, rlx=None):
        self.target = target
        self.built = {"rlx-cli": Built([rlx])} if rlx else {}
        lock = tomllib.loads((HERE / "rust/Cargo.lock").read_text())
        self.versions = {package["name"]: package["version"] for package in lock["package"]}

    def get(self, name):
        if name not in self.built:
            try:
                self.built[name] = self.build(name)
            except Missing as reason:
                self.built[name] = reason
        found = self.built[name]
        if isinstance(found, Missing):
            raise found
        return found

    def build(self, name):
        if name == "rlx-cli":
            return Built([self.cargo(ROOT, "rlx-cli", self.target, "")])
        if name == "rlx-binding":
            return Built([self.cargo(ROOT, "rlx-models", self.target, "", "--example", "binding_speed")])
        if name in OTHER_WAYS:
            if name == "rlx-vectors" and "amx_bf16" not in pathlib.Path("/proc/cpuinfo").read_text():
                raise Missing("this processor has no matrix unit, so the row rlx already uses vectors")
            rlx, (more, arguments) = self.get("rlx"), OTHER_WAYS[name]
            return Built([*rlx.command, *arguments], rlx.version, more)
        if name in RUST:
            package, crate = RUST[name]
            folder, flags = ("native", "-C target-cpu=native") if name in NATIVE else ("plain", "")
            path = self.cargo(HERE / "rust", package, self.target / "peers" / folder, flags)
            return Built([path], f"{crate} {self.versions[crate]}" if crate else None)
        return Built([sys.executable, str(HERE / "workers/main.py"), name])

    def cargo(self, workspace, package, target, flags, *more):
        command = [os.environ.get("CARGO", "cargo"), "build", "--release", "--package", package, *more, "--message-format=json-render-diagnostics"]
        print(f"building {package}", file=sys.stderr, flush=True)
        env = dict(os.environ, CARGO_TARGET_DIR=str(target))
        if flags:
            env["RUSTFLAGS"] = " ".join(filter(None, [env.get("RUSTFLAGS"), flags]))
        done = subprocess.run(command, cwd=workspace, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            errors = [line for line in done.stderr.splitlines() if line.startswith("error")]
            raise Missing(f"{package} does not build: " + "; ".join(errors[:3] or done.stderr.splitlines()[-3:]))
        for line in done.stdout.splitlines():
            message = json.loads(line)
            if message.get("reason") == "compiler-artifact" and message.get("executable"):
                executable = message["executable"]
        return executable
