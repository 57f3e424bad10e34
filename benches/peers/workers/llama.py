"""llama.cpp, through its C functions."""

import ctypes
import os
import sys

import llama_cpp

from decoder import Decoder

# llama_ftype by name.
FTYPES = {"q4_k_m": 15, "q8_0": 7}
# Only errors are printed.
LOG = llama_cpp.llama_log_callback(lambda level, text, _: sys.stderr.write(text.decode()) if level == 4 else None)
llama_cpp.llama_log_set(LOG, None)


def quantize(source, name, out):
    params = llama_cpp.llama_model_quantize_default_params()
    params.ftype = FTYPES[name]
    if llama_cpp.llama_model_quantize(source.encode(), out.encode(), ctypes.byref(params)):
        sys.exit(f"llama.cpp does not quantize {source} to {name}")


class LlamaCpp(Decoder):
    version = f"llama-cpp-python {llama_cpp.__version__}"
    notes = "built with GGML_NATIVE, its default cache of f16 and flash attention"

    def open(self):
        params = llama_cpp.llama_model_default_params()
        self.model = llama_cpp.llama_model_load_from_file(self.path, params)
        if not self.model:
            raise RuntimeError("llama.cpp does not load the file")
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = self.case["prompt"] + 64
        params.n_batch = params.n_ubatch = 512
        params.n_threads = params.n_threads_batch = self.threads
        self.context = llama_cpp.llama_init_from_model(self.model, params)

    def close(self):
        llama_cpp.llama_free(self.context)
        llama_cpp.llama_model_free(self.model)

    def forget(self, tokens):
        """Drops all tokens but the first ones."""
        llama_cpp.llama_memory_seq_rm(llama_cpp.llama_get_memory(self.context), 0, tokens, -1)

    def decode(self, tokens):
        ids = (ctypes.c_int32 * len(tokens))(*tokens)
        if llama_cpp.llama_decode(self.context, llama_cpp.llama_batch_get_one(ids, len(tokens))):
            raise RuntimeError("llama_decode failed")
        return llama_cpp.llama_get_logits(self.context)
