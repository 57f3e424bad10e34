"""ik_llama.cpp, the fork of llama.cpp for CPUs, from the folder IK_LLAMA_DIR, which contains its sources and its build."""

import ctypes
import os
import pathlib
import subprocess
import tempfile

from decoder import Decoder


def library(folder):
    """Builds the functions in ik_llama.cpp next to this file against those sources."""
    found = sorted((folder / "build").rglob("libllama.so"))
    if not found:
        raise RuntimeError(f"{folder}/build has no libllama.so: build ik_llama.cpp there (see README.md)")
    libraries = [found[0].parent, *{path.parent for path in (folder / "build").rglob("libggml.so")}]
    out = pathlib.Path(tempfile.mkdtemp()) / "ik_llama.so"
    flags = [flag for path in libraries for flag in (f"-L{path}", f"-Wl,-rpath,{path}")]
    source = pathlib.Path(__file__).with_suffix(".cpp")
    include = [f"-I{folder / part}" for part in ("include", "ggml/include")]
    compiler = os.environ.get("CXX", "c++")
    subprocess.run([compiler, "-std=c++17", "-O2", "-shared", "-fPIC", *include, source, "-o", out, *flags, "-lllama", "-lggml"], check=True)
    loaded = ctypes.CDLL(str(out))
    loaded.ik_open.restype = ctypes.c_void_p
    loaded.ik_open.argtypes = [ctypes.c_char_p, ctypes.c_int32, ctypes.c_int32]
    loaded.ik_close.argtypes = [ctypes.c_void_p]
    loaded.ik_forget.argtypes = [ctypes.c_void_p, ctypes.c_int32]
    loaded.ik_read.restype = ctypes.POINTER(ctypes.c_float)
    loaded.ik_read.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_int32), ctypes.c_int32]
    return loaded


class IkLlamaCpp(Decoder):
    notes = "built with GGML_NATIVE; weights repacked as they are loaded, a cache of f16, no flash attention"

    def __init__(self, threads):
        super().__init__(threads)
        folder = os.environ.get("IK_LLAMA_DIR")
        if not folder:
            raise RuntimeError("IK_LLAMA_DIR does not name a folder with ik_llama.cpp's sources and its build")
        folder = pathlib.Path(folder)
        named = folder / "COMMIT"
        self.version = f"ik_llama.cpp {named.read_text().strip()[:8]}" if named.exists() else "ik_llama.cpp"
        self.ik = library(folder)

    def open(self):
        self.opened = self.ik.ik_open(self.path, self.case["prompt"] + 64, self.threads)
        if not self.opened:
            raise RuntimeError("ik_llama.cpp does not load the file")

    def close(self):
        self.ik.ik_close(self.opened)

    def forget(self, tokens):
        self.ik.ik_forget(self.opened, tokens)

    def decode(self, tokens):
        logits = self.ik.ik_read(self.opened, (ctypes.c_int32 * len(tokens))(*tokens), len(tokens))
        if not logits:
            raise RuntimeError("llama_decode failed")
        return logits
