"""Checks that a worker's result agrees with the reference, before anything is timed."""

import numpy as np

COSINE = 0.9999
# Relative to the largest value of the product.
PRODUCT = 1e-4
LOSS = 1e-4
# Relative: the parameters after AdamW.
UPDATE = 1e-6


# For logits, if products round their operands to eight bits with a scale per 32 values: 0.9994 was measured.
LOGITS = 0.999
# The same for peers with a scale per 256 values: 0.9988 was measured for llama.cpp, whose kernels differ by processor.
LOGITS_OF_PEERS = 0.998


def cosine(output, reference, width=384):
    a, b = (x.reshape(-1, width).astype(np.float64) for x in (output, reference))
    return float(np.min((a * b).sum(1) / (np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1))))


def check(kind, name, output, reference):
    """What was compared for this peer, the figure, and whether it is good enough."""
    if output.size != reference.size:
        return {"what": "size", "value": output.size, "limit": reference.size, "agrees": False}
    if kind in ("minilm", "compile", "compile-graph", "sentences"):
        what, value = "least cosine to the reference", cosine(output, reference)
        return {"what": what, "value": value, "limit": COSINE, "agrees": value >= COSINE}
    if kind == "llm":
        value, limit = cosine(output, reference, reference.size), LOGITS if name.startswith("rlx") else LOGITS_OF_PEERS
        return {"what": "cosine of logits to the reference", "value": value, "limit": limit, "agrees": value >= limit}
    difference = float(np.max(np.abs(output.astype(np.float64) - reference)))
    if kind == "train":
        what, limit = "largest difference of a loss", LOSS
    else:
        what, limit = "largest difference, relative", UPDATE if kind == "update" else PRODUCT
        difference /= float(np.max(np.abs(reference)))
    return {"what": what, "value": difference, "limit": limit, "agrees": difference <= limit}
