"""Starts the worker of one peer written in Python: `main.py PEER --threads N`."""

import argparse
import importlib
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import serve

# The module and class that serve each peer. Modules are loaded only when needed, since no two of these libraries can
# share a process.
PEERS = {
    "onnxruntime": "ort:Plain",
    "onnxruntime-fused": "ort:Fused",
    "openvino": "ov:OpenVino",
    "pytorch": "torch_peer:Eager",
    "pytorch-compiled": "torch_peer:Compiled",
    "pytorch-foreach": "torch_peer:Foreach",
    "jax": "jax_peer:Jax",
    "sentence-transformers": "sentences:SentenceTransformers",
    "numpy": "dense:Numpy",
    "scipy": "dense:Scipy",
    "mkl": "blas:Mkl",
    "mkl-packed": "blas:MklPacked",
    "openblas": "blas:OpenBlas",
    "onednn-debian": "blas:OneDnn",
    "onednn": "onednn:OneDnn",
    "llama.cpp": "llama:LlamaCpp",
    "ik_llama.cpp": "ik_llama:IkLlamaCpp",
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("peer", choices=sorted(PEERS))
    parser.add_argument("--threads", type=int, required=True)
    args = parser.parse_args()
    module, name = PEERS[args.peer].split(":")
    serve.serve(lambda threads: getattr(importlib.import_module(module), name)(threads), args.threads)


if __name__ == "__main__":
    main()
