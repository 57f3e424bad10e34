#!/usr/bin/env python3
"""Distributions that samplers leave, by transformers' logits processors, for crates/rlx-llm/tests/sampling.rs.

    pip install torch transformers
    scripts/sampling_goldens.py > crates/rlx-llm/tests/sampling.txt

Each case is three lines: settings as `name=value`; logits; `token:probability` of the tokens that are left, in the order of tokens. Tokens that were
there before are the setting `history`.
"""

import torch
from transformers import generation as g

HISTORY = [3, 3, 7, 1]
ROWS = [
    ("temperature=0.7", [g.TemperatureLogitsWarper(0.7)]),
    ("temperature=2", [g.TemperatureLogitsWarper(2.0)]),
    ("top_k=5", [g.TopKLogitsWarper(5)]),
    ("top_k=100", [g.TopKLogitsWarper(100)]),
    ("top_p=0.9", [g.TopPLogitsWarper(0.9)]),
    ("top_p=0.3", [g.TopPLogitsWarper(0.3)]),
    ("top_p=0.0001", [g.TopPLogitsWarper(0.0001)]),
    ("min_p=0.1", [g.MinPLogitsWarper(0.1)]),
    ("min_p=0.9", [g.MinPLogitsWarper(0.9)]),
    ("typical_p=0.5", [g.TypicalLogitsWarper(0.5)]),
    ("typical_p=0.95", [g.TypicalLogitsWarper(0.95)]),
    ("repetition_penalty=1.3", [g.RepetitionPenaltyLogitsProcessor(1.3)]),
    ("repetition_penalty=0.8", [g.RepetitionPenaltyLogitsProcessor(0.8)]),
    ("top_k=8 top_p=0.8", [g.TopKLogitsWarper(8), g.TopPLogitsWarper(0.8)]),
    ("top_k=12 min_p=0.02 temperature=1.5", [g.TopKLogitsWarper(12), g.MinPLogitsWarper(0.02), g.TemperatureLogitsWarper(1.5)]),
    ("temperature=1.5 min_p=0.02 order=temperature,min_p", [g.TemperatureLogitsWarper(1.5), g.MinPLogitsWarper(0.02)]),
    ("typical_p=0.7 top_p=0.9 temperature=0.5", [g.TypicalLogitsWarper(0.7), g.TopPLogitsWarper(0.9), g.TemperatureLogitsWarper(0.5)]),
    ("repetition_penalty=1.1 top_k=6 temperature=0.9",
     [g.RepetitionPenaltyLogitsProcessor(1.1), g.TopKLogitsWarper(6), g.TemperatureLogitsWarper(0.9)]),
]  # fmt: skip


class Additive:
    """OpenAI's frequency and presence penalties, by their formula."""

    def __init__(self, frequency, presence):
        self.frequency, self.presence = frequency, presence

    def __call__(self, ids, scores):
        counts = torch.bincount(ids[0], minlength=scores.shape[1])
        return scores - counts * self.frequency - (counts > 0) * self.presence


ROWS += [
    ("frequency_penalty=0.5", [Additive(0.5, 0)]),
    ("presence_penalty=0.7", [Additive(0, 0.7)]),
    ("frequency_penalty=-0.2 presence_penalty=0.4 top_p=0.9", [Additive(-0.2, 0.4), g.TopPLogitsWarper(0.9)]),
]


def main():
    generator = torch.Generator().manual_seed(5)
    for settings, steps in ROWS:
        logits = (torch.randn(1, 24, generator=generator) * 2).round(decimals=3)
        scores = logits
        for step in steps:
            scores = step(torch.tensor([HISTORY]), scores)
        probabilities = torch.softmax(scores.double(), -1)[0]
        print(settings, "history=" + ",".join(map(str, HISTORY)))
        print(" ".join(f"{x:.3f}" for x in logits[0].tolist()))
        print(" ".join(f"{i}:{p:.9f}" for i, p in enumerate(probabilities.tolist()) if p > 0))


if __name__ == "__main__":
    main()
