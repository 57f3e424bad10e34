"""sentence-transformers on whole sentences, including tokenization."""

import os

import bert
import numpy as np
import sentence_transformers
import torch
from serve import Peer


class SentenceTransformers(Peer):
    version = f"sentence-transformers {sentence_transformers.__version__}"
    notes = f"PyTorch {torch.__version__.split('+')[0]}, eager"

    def __init__(self, threads):
        super().__init__(threads)
        torch.set_num_threads(threads)

    def prepare(self, case, data):
        self.model = sentence_transformers.SentenceTransformer(bert.model_folder(data), device="cpu")
        with open(os.path.join(data, "sentences.txt"), encoding="utf-8") as file:
            self.texts = file.read().splitlines()
        self.run()

    def run(self):
        self.result = self.model.encode(self.texts, batch_size=32, show_progress_bar=False)

    def output(self):
        return np.asarray(self.result)
