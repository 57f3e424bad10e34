"""onnxruntime: MiniLM as exported and after its own BERT fusions, its compile time, and matrix products as small graphs."""

import os
import time

import bert
import gemm
import numpy as np
import onnxruntime as ort
from serve import Peer


def session(model, threads):
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    return ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])


class Plain(Peer):
    version = f"onnxruntime {ort.__version__}"
    notes = "all optimizations"
    file = "minilm.onnx"

    def prepare(self, case, data):
        self.path = os.path.join(data, self.file)
        self.kind = case["kind"]
        if self.kind == "gemm":
            x, w, bias = gemm.operands(case, data)
            self.session = session(gemm.onnx_model(case, w, bias), self.threads)
            self.feed = {"x": x}
            return {}
        ids = bert.tokens(case, data).astype(np.int64)
        self.feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        start = time.perf_counter()
        self.session = session(self.path, self.threads)
        return {"compile_ms": (time.perf_counter() - start) * 1e3}

    def run(self):
        if self.kind == "compile":
            session(self.path, self.threads)
        else:
            self.result = self.session.run(None, self.feed)[0]

    def output(self):
        return self.session.run(None, self.feed)[0]


class Fused(Plain):
    notes = "all optimizations, after onnxruntime.transformers.optimizer (model_type bert)"
    file = "minilm-fused.onnx"


def fuse(source, target):
    """Called once by the driver: the BERT fusions of onnxruntime's own tool."""
    from onnxruntime.transformers import optimizer
    from onnxruntime.transformers.fusion_options import FusionOptions

    made = optimizer.optimize_model(
        source, model_type="bert", num_heads=12, hidden_size=384, optimization_options=FusionOptions("bert"), use_gpu=False
    )
    made.save_model_to_file(target)
    return made.get_fused_operator_statistics()
