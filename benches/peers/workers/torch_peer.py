"""PyTorch, eager and compiled: MiniLM, the training step, and AdamW alone."""

import time

import bert
import gpt
import numpy as np
import torch
import torch_gpt
from serve import Peer

# Losses to compare with the reference.
CHECKED = 8


class Eager(Peer):
    version = f"PyTorch {torch.__version__.split('+')[0]}"
    notes = "eager; attention by scaled_dot_product_attention; fused AdamW"
    compiled = False
    adamw = {"fused": True}

    def __init__(self, threads):
        super().__init__(threads)
        torch.set_num_threads(threads)

    def prepare(self, case, data):
        start = time.perf_counter()
        facts = {"minilm": self.minilm, "train": self.train, "update": self.update}[case["kind"]](case, data)
        return {"prepare_ms": (time.perf_counter() - start) * 1e3, **(facts or {})}

    def minilm(self, case, data):
        model = bert.sentence_module(bert.model_folder(data), "sdpa")
        ids = torch.from_numpy(bert.tokens(case, data).astype(np.int64))
        feed = (ids, torch.ones_like(ids), torch.zeros_like(ids))
        if self.compiled:
            model = torch.compile(model)

        def step():
            # Weights that are known not to change can be packed once.
            with torch.no_grad():
                self.result = model(*feed)

        self.step = step
        start = time.perf_counter()
        self.step()
        facts = {"compile_ms": (time.perf_counter() - start) * 1e3} if self.compiled else {}
        self.output = lambda: self.result.numpy()
        return facts

    def train(self, case, data):
        step = torch_gpt.stepper(*gpt.read(data), self.compiled)
        losses = [step(i) for i in range(CHECKED)]
        self.done = len(losses)

        def go():
            step(self.done)
            self.done += 1

        self.step = go
        self.fewest = 2
        self.output = lambda: np.array(losses)

    def update(self, case, data):
        self.step, params = torch_gpt.updater(gpt.read(data)[0], **self.adamw)
        for _ in range(CHECKED):
            self.step()
        magnitude = sum(p.detach().double().abs().sum().item() for p in params)
        self.output = lambda: np.array([magnitude / 1e6])

    def run(self):
        self.step()


class Compiled(Eager):
    notes = "torch.compile, weights frozen in inference; fused AdamW"
    compiled = True

    def __init__(self, threads):
        super().__init__(threads)
        import torch._inductor.config as inductor

        inductor.freezing = True


class Foreach(Eager):
    notes = "foreach AdamW"
    adamw = {"foreach": True}
