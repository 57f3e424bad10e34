"""What is measured: the cases, the goal of each, and the peers that take part."""

from dataclasses import dataclass, field

MINILM = ["rlx", "rlx-vectors", "rlx-bf16", "onnxruntime", "onnxruntime-fused", "openvino", "pytorch", "pytorch-compiled", "jax", "candle", "tract", "burn"]
GEMM = ["limits", "rlx", "rlx-vectors", "mkl", "mkl-packed", "openblas", "onednn", "onednn-debian", "onnxruntime", "gemm"]
FUSED = ["limits", "rlx", "rlx-vectors", "mkl-packed", "onednn", "onnxruntime"]
COMPILE = ["rlx", "onnxruntime", "openvino", "jax", "tract"]
DENSE = ["rlx", "numpy", "scipy"]
WINDOW = ["rlx", "jax"]
LLM = ["rlx", "llama.cpp", "ik_llama.cpp", "candle"]
LIMITS = ["fma-avx512", "fma-avx2", "read", "copy", "triad"]


@dataclass
class Case:
    name: str
    # The request to the worker: `kind` and its sizes.
    spec: dict
    peers: list
    # The goal is met if RLX's time divided by the fastest peer's is at most this.
    ratio: float | None = None
    # The goal is met if RLX reaches at least this share of the measured FMA peak.
    of_peak: float | None = None
    # The goal is met if RLX takes at most this many milliseconds.
    most_ms: float | None = None
    # A description of the goal.
    goal: str = ""
    # Billions of floating point operations per run.
    gflop: float | None = None
    # Items per run, if the rate of items is what matters.
    items: int | None = None
    # The goal is met with at most this time of RLX with bf16 weights, relative to the fastest peer in f32, and at least
    # this cosine.
    bf16: tuple | None = None
    # Commands of the driver instead of runs of a worker.
    process: bool = field(default=False)
    # A language model. These cases are measured only with `--llm`, which measures nothing else.
    llm: bool = field(default=False)


def minilm_gflop(batch, seq, layers=6, width=384, ffn=1536):
    """The matrix products of the encoder."""
    tokens = batch * seq
    linear = 2 * tokens * (4 * width * width + 2 * width * ffn)
    return layers * (linear + 4 * batch * seq * seq * width) / 1e9


def gemm(m, k, n, epilogue, **goal):
    name = f"gemm {m}x{k}x{n}" + (" bias gelu" if epilogue else "")
    spec = {"kind": "gemm", "m": m, "k": k, "n": n, "epilogue": epilogue}
    return Case(name, spec, FUSED if epilogue else GEMM, gflop=2 * m * k * n / 1e9, **goal)


def minilm(batch, seq, **goal):
    spec = {"kind": "minilm", "batch": batch, "seq": seq}
    peers = ["limits", *MINILM]
    return Case(f"minilm {batch}x{seq}", spec, peers, gflop=minilm_gflop(batch, seq), **goal)


def dense(what, n):
    """A factorization of an n × n f64 matrix, or transforms of 64 lines of n numbers."""
    # NumPy has no functions for these.
    peers = [peer for peer in DENSE if peer != "numpy" or what not in ("lu", "triangular_solve")]
    return Case(f"{what} {n}", {"kind": "dense", "what": what, "n": n}, peers, ratio=1.0)


def window(what, n):
    """A kernel of 1000, a sum of 500, or a running reduction over a line of n numbers."""
    return Case(f"{what} {n}", {"kind": "window", "what": what, "n": n}, WINDOW, ratio=3.0, goal="≤ 3× JAX")


def second_size(graph, most_ms):
    """How quickly a compiled graph is ready for another size."""
    spec = {"kind": "binding", "graph": graph}
    return Case(f"second size, {graph}", spec, ["rlx-binding"], most_ms=most_ms, goal=f"≤ {most_ms} ms", process=True)


def nodes(graph, count):
    """How long a graph with this many nodes takes to compile."""
    return Case(f"nodes, {graph} {count}", {"kind": "nodes", "graph": graph, "nodes": count}, ["rlx-binding"], process=True)


def language_model(what, file, items):
    """A model with the shapes of Qwen3-0.6B and random weights, from a GGUF file: reading a prompt of 512 tokens, generating
    after it, or the time from opening the file to the first token after a prompt of 16."""
    spec = {"kind": "llm", "what": what, "file": file, "prompt": items if what == "start" else 512, "tokens": items}
    return Case(f"{what} {file}", spec, LLM, ratio=1.0, goal="no slower than all", items=items, llm=True)


LLM_FILES = ["q4_k_m", "q8_0", "f16"]
LLM_WORK = {"prompt": 512, "text": 32, "start": 16}
NODE_COUNTS = [1_000, 3_000, 10_000, 30_000, 100_000]
DENSE_WORK = ["cholesky", "lu", "qr", "eigh", "svd", "triangular_solve", "fft", "fft-f32", "rfft"]

CASES = [
    *(Case(f"limit {what}", {"kind": "limit", "what": what}, ["limits"]) for what in LIMITS),
    gemm(1024, 1024, 1024, False, ratio=1.0, of_peak=0.85, goal="≥ 85 % of peak; ≥ 1.0× the best"),
    gemm(128, 384, 1536, False, ratio=1.0, of_peak=0.80, goal="≥ 80 % of peak; faster than all"),
    gemm(128, 384, 1536, True, ratio=1.0, of_peak=0.80, goal="≥ 80 % of peak; faster than all"),
    gemm(128, 1536, 384, False, ratio=1.0, of_peak=0.80, goal="≥ 80 % of peak; faster than all"),
    gemm(128, 1536, 384, True, ratio=1.0, of_peak=0.80, goal="≥ 80 % of peak; faster than all"),
    gemm(1, 384, 1536, False, ratio=1.0, goal="≥ 1.0× the best"),
    minilm(1, 16, ratio=0.65, bf16=(0.4, 0.9999), goal="≤ 0.65× the fastest"),
    minilm(1, 128, ratio=0.65, of_peak=0.70, goal="≤ 0.65× the fastest; ≥ 70 % of peak"),
    minilm(8, 128, ratio=0.70, goal="≤ 0.7× the fastest"),
    minilm(32, 128, ratio=0.70, goal="≤ 0.7× the fastest"),
    Case("sentences", {"kind": "sentences"}, ["rlx", "sentence-transformers"], ratio=0.5, items=32, goal="≥ 2× the sentences per second"),
    Case("train", {"kind": "train"}, ["limits", "rlx", "rlx-vectors", "pytorch", "pytorch-compiled", "jax"], ratio=0.45, goal="≤ 0.45× the fastest; peak memory ≤ all", gflop=85.0),
    Case("update", {"kind": "update"}, ["rlx-cli", "pytorch", "pytorch-foreach"]),
    Case("compile 1x128", {"kind": "compile", "batch": 1, "seq": 128}, COMPILE, most_ms=100, goal="≤ 100 ms"),
    Case("compile graph", {"kind": "compile-graph", "batch": 1, "seq": 128, "kept": False}, ["rlx"], most_ms=100, goal="≤ 100 ms"),
    Case("compile graph, kept", {"kind": "compile-graph", "batch": 1, "seq": 128, "kept": True}, ["rlx"], most_ms=10, goal="≤ 10 ms"),
    Case("start", {"kind": "start"}, ["rlx-cli"], most_ms=150, goal="≤ 150 ms; memory ≤ 1.3× the weights", process=True),
    Case("embed 32 lines", {"kind": "embed"}, ["rlx-cli"], items=32, goal="", process=True),
    *(dense(what, n) for what in DENSE_WORK for n in (64, 256, 1024)),
    *(window(what, n) for what in ("convolve", "moving sum", "cumlogsumexp") for n in (10**5, 10**6)),
    second_size("minilm", 0.3),
    second_size("decoder", 2),
    *(nodes(graph, count) for graph in ("chain", "wide") for count in NODE_COUNTS),
    *(language_model(what, file, items) for file in LLM_FILES for what, items in LLM_WORK.items()),
]
