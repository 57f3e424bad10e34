#!/usr/bin/env python3
"""Computes the distributions after samplers with transformers' logits processors, for crates/rlx-llm/tests/sampling.rs.

    pip install torch transformers llama-cpp-python
    scripts/sampling_goldens.py > crates/rlx-llm/tests/sampling.txt

DRY, XTC, top-n-sigma and Mirostat, which transformers lacks, are implemented here in NumPy; llama.cpp's samplers must agree.

Each case has three lines: settings as `name=value`; logits; `token:probability` of the remaining tokens, in order. The setting `history` has the
tokens that occurred before.
"""

import ctypes
import pathlib
import sys

import llama_cpp.llama_cpp as llama
import numpy as np
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
    """OpenAI's frequency and presence penalties, from their formula."""

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


def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


def top_n_sigma(x, n):
    return np.where(x >= x.max() - n * x.std(), x, -np.inf)


def xtc(x, threshold):
    """As if chance decides that likely tokens are dropped."""
    p = softmax(x)
    likely = np.flatnonzero(p >= threshold)
    out = x.copy()
    out[[i for i in likely if i != likely[p[likely].argmin()]]] = -np.inf
    return out


def mirostat(x, tau):
    """The first token, before there was a surprise to learn from."""
    p = softmax(x)
    return np.where((-np.log2(p) <= 2 * tau) | (p == p.max()), x, -np.inf)


def dry(x, history, multiplier, base, allowed, breakers=()):
    out = x.copy()
    for token in range(len(x)):
        longest = 0
        for end in (i for i in range(1, len(history)) if history[i] == token):
            length = 0
            while length < end and history[end - 1 - length] == history[-1 - length] and history[-1 - length] not in breakers:
                length += 1
            longest = max(longest, length)
        if longest >= allowed:
            out[token] -= multiplier * base ** (longest - allowed)
    return out


REPEATED = [9, 1, 2, 3, 4, 5, 1, 2, 3, 7, 2, 3, 4, 8, 1, 2, 3]
CONSTANT = [6] * 9
LIBRARY = [
    ("top_n_sigma=1", HISTORY, lambda x, _: top_n_sigma(x, 1), lambda: llama.llama_sampler_init_top_n_sigma(1.0)),
    ("top_n_sigma=0.3", HISTORY, lambda x, _: top_n_sigma(x, 0.3), lambda: llama.llama_sampler_init_top_n_sigma(0.3)),
    ("xtc_probability=1 xtc_threshold=0.1", HISTORY, lambda x, _: xtc(x, 0.1), lambda: llama.llama_sampler_init_xtc(1.0, 0.1, 1, 0)),
    ("xtc_probability=1 xtc_threshold=0.02", HISTORY, lambda x, _: xtc(x, 0.02), lambda: llama.llama_sampler_init_xtc(1.0, 0.02, 1, 0)),
    ("xtc_probability=1 xtc_threshold=0.5", HISTORY, lambda x, _: xtc(x, 0.5), lambda: llama.llama_sampler_init_xtc(1.0, 0.5, 1, 0)),
    ("mirostat_tau=1", HISTORY, lambda x, _: mirostat(x, 1), lambda: llama.llama_sampler_init_mirostat_v2(0, 1.0, 0.1)),
    ("mirostat_tau=2.5", HISTORY, lambda x, _: mirostat(x, 2.5), lambda: llama.llama_sampler_init_mirostat_v2(0, 2.5, 0.1)),
    ("dry_multiplier=0.8", REPEATED, lambda x, h: dry(x, h, 0.8, 1.75, 2), lambda: dry_sampler(0.8, 1.75, 2)),
    ("dry_multiplier=1.5 dry_base=1.2 dry_allowed_length=1", REPEATED, lambda x, h: dry(x, h, 1.5, 1.2, 1), lambda: dry_sampler(1.5, 1.2, 1)),
    ("dry_multiplier=0.8 dry_allowed_length=3", CONSTANT, lambda x, h: dry(x, h, 0.8, 1.75, 3), lambda: dry_sampler(0.8, 1.75, 3)),
    ("dry_multiplier=0.8 dry_breakers=2", REPEATED, lambda x, h: dry(x, h, 0.8, 1.75, 2, [2]), None),
    ("dry_multiplier=0.8 dry_allowed_length=1 dry_breakers=2", REPEATED, lambda x, h: dry(x, h, 0.8, 1.75, 1, [2]), None),
]  # fmt: skip


def vocabulary():
    """The vocabulary of any file. Without texts that break sequences, the sampler does not use it."""
    silent = llama.llama_log_callback(lambda *_: None)
    llama.llama_log_set(silent, ctypes.c_void_p(0))
    params = llama.llama_model_default_params()
    params.vocab_only = True
    path = pathlib.Path(__file__).resolve().parent.parent / "crates/rlx-tiny-model/tiny.gguf"
    model = llama.llama_model_load_from_file(str(path).encode(), params)
    return llama.llama_model_get_vocab(model), silent


VOCABULARY = None


def dry_sampler(multiplier, base, allowed):
    global VOCABULARY
    VOCABULARY = VOCABULARY or vocabulary()
    return llama.llama_sampler_init_dry(VOCABULARY[0], multiplier, base, allowed, 4096, None, 0)


def by_llama(x, history, sampler):
    """The probabilities after a sampler of llama.cpp."""
    data = (llama.llama_token_data * len(x))(*[llama.llama_token_data(i, float(v), 0.0) for i, v in enumerate(x)])
    array = llama.llama_token_data_array(data, len(x), -1, False)
    for token in history:
        llama.llama_sampler_accept(sampler, token)
    llama.llama_sampler_apply(sampler, ctypes.byref(array))
    out = np.full(len(x), -np.inf)
    for i in range(array.size):
        out[array.data[i].id] = array.data[i].logit
    return softmax(out)


def write(settings, history, logits, probabilities):
    print(settings, "history=" + ",".join(map(str, history)))
    print(" ".join(f"{x:.3f}" for x in logits))
    print(" ".join(f"{i}:{p:.9f}" for i, p in enumerate(probabilities) if p > 0))


def library():
    random = np.random.default_rng(7)
    for settings, history, rule, sampler in LIBRARY:
        logits = np.round(random.normal(size=24) * 2, 3)
        expected = softmax(rule(logits, history))
        if sampler:
            found = by_llama(logits, history, sampler())
            if not np.allclose(found, expected, atol=1e-6):
                sys.exit(f"{settings}: llama.cpp has {found}, expected {expected}")
        write(settings, history, logits, expected)


def main():
    generator = torch.Generator().manual_seed(5)
    for settings, steps in ROWS:
        logits = (torch.randn(1, 24, generator=generator) * 2).round(decimals=3)
        scores = logits
        for step in steps:
            scores = step(torch.tensor([HISTORY]), scores)
        probabilities = torch.softmax(scores.double(), -1)[0]
        write(settings, HISTORY, logits[0].tolist(), probabilities.tolist())
    library()


if __name__ == "__main__":
    main()
