"""Shared by llama.cpp and its fork as peers: a GGUF model that reads tokens, forgets them, and returns logits."""

import os

import numpy as np

import qwen3
from serve import Peer


class Decoder(Peer):
    """A peer provides `open`, `close`, `forget` (drops all tokens but the first n) and `decode` (reads tokens, returns a pointer
    to the last logits)."""

    fewest = 1

    def prepare(self, case, data):
        self.case = case
        self.path = os.path.join(data, f"qwen3-{case['file']}.gguf").encode()
        self.open()
        self.logits = self.read(qwen3.CHECKED)
        if case["what"] == "text":
            self.forget(0)
            self.read(case["prompt"])
        if case["what"] == "start":
            self.close()

    def read(self, count):
        """The logits after the first tokens."""
        return np.ctypeslib.as_array(self.decode([qwen3.token(i) for i in range(count)]), (qwen3.VOCAB,)).copy()

    def output(self):
        return self.logits

    def run(self):
        what = self.case["what"]
        if what == "start":
            self.open()
            self.read(self.case["prompt"])
            self.close()
        elif what == "prompt":
            self.forget(0)
            self.read(self.case["prompt"])
        else:
            self.forget(self.case["prompt"])
            for i in range(self.case["tokens"]):
                self.decode([qwen3.token(i)])
