"""Matrix products with the oneDNN included in PyTorch: weights packed once, bias and GELU in the same primitive."""

import re

import gemm
import torch
from serve import Peer


class OneDnn(Peer):
    notes = "mkldnn::_linear_pointwise of PyTorch, weights packed, bias and GELU fused"

    def __init__(self, threads):
        super().__init__(threads)
        torch.set_num_threads(threads)
        found = re.search(r"MKL-DNN v(\S+)", torch.__config__.show())
        self.version = f"oneDNN {found.group(1) if found else 'unknown'}"

    def prepare(self, case, data):
        x, w, bias = (torch.from_numpy(a) for a in gemm.operands(case, data))
        weight = torch.ops.mkldnn._reorder_linear_weight(w.T.contiguous(), case["m"])
        bias, kind = (bias, "gelu") if case["epilogue"] else (None, "none")
        self.step = lambda: torch.ops.mkldnn._linear_pointwise(x, weight, bias, kind, [], "none")
        self.output = lambda: self.step().numpy()

    def run(self):
        with torch.inference_mode():
            self.step()
