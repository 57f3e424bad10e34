"""OpenVINO: MiniLM from the ONNX file, with the latency hint, f32 and fixed shapes."""

import os
import time

import bert
import numpy as np
import openvino as ov
from serve import Peer


class OpenVino(Peer):
    version = f"OpenVINO {ov.__version__.split('-')[0]}"
    notes = "latency hint, f32, fixed shapes"

    def compiled(self):
        core = ov.Core()
        model = core.read_model(self.path)
        model.reshape({port.get_any_name(): list(self.ids.shape) for port in model.inputs})
        hints = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": self.threads}
        return core.compile_model(model, "CPU", hints)

    def prepare(self, case, data):
        self.kind = case["kind"]
        self.path = os.path.join(data, "minilm.onnx")
        self.ids = bert.tokens(case, data).astype(np.int64)
        start = time.perf_counter()
        model = self.compiled()
        facts = {"compile_ms": (time.perf_counter() - start) * 1e3}
        self.request = model.create_infer_request()
        ones = np.ones_like(self.ids)
        self.request.infer({"input_ids": self.ids, "attention_mask": ones, "token_type_ids": ones * 0})
        return facts

    def run(self):
        if self.kind == "compile":
            self.compiled()
        else:
            self.request.infer()

    def output(self):
        self.request.infer()
        return self.request.get_output_tensor().data
