"""Writes the results as Markdown tables."""

import math

import cases


def table(head, rows):
    """The rows as a table; empty text if there are no rows."""
    if not rows:
        return ""
    lines = [head, *rows]
    text = ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]
    return "\n".join([text[0], "|---" * len(head) + "|", *text[1:]])


def section(title, text, body):
    """A section of the page, or nothing if its body is empty."""
    return "\n\n".join(part for part in (f"## {title}", text, body) if part) if body else None


def time(found):
    return f"{found['median_ms']:.4g} [{found['best_ms']:.4g}]" if found else "–"


def share(value):
    return f"{100 * value:.0f} %" if value is not None else "–"


def number(value, form="{:.2f}"):
    return form.format(value) if value is not None else "–"


def bursts(results):
    """The number and length of bursts, with the names of the cases if they differ."""
    by_length = {}
    for record in results.records:
        names = by_length.setdefault(record.get("bursts", "unknown"), [])
        family = record["name"].split()[0]
        if family not in names:
            names.append(family)
    if len(by_length) == 1:
        return next(iter(by_length))
    return "; ".join(f"{length} for {', '.join(names)}" for length, names in by_length.items())


def head(results):
    meta = results.meta
    processor = meta["processor"]
    changed = ", with changes that are not committed" if meta["changed"] else ""
    versions = {}
    for record in results.records:
        for name, found in record["peers"].items():
            if name not in ("limits", "rlx", "rlx-cli", "rlx-binding", "rlx-vectors", "rlx-bf16") and found.get("version"):
                versions[name] = f"{found['version']} ({found['notes']})" if found.get("notes") else found["version"]
    return "\n".join(
        [
            "# Benchmarks",
            "",
            "Written by `cargo xtask bench-peers`; do not edit. [How it is measured](../benches/peers/README.md).",
            "",
            f"- RLX at commit {meta['commit']}{changed}, f32, {meta['date']}, {meta['rustc']}",
            f"- {processor['name']} ({', '.join(processor['has'])}), {meta['processors']} processors, {meta['system']}; the machine is shared, so compare ratios, not times",
            f"- bursts × length: {bursts(results)}; times are in milliseconds, the median of all runs [median of the best burst]",
            *(f"- {name}: {text}" for name, text in sorted(versions.items())),
        ]
    )


def goals(results):
    rows = []
    for case in cases.CASES:
        for threads in results.threads():
            ours = results.ours(case.name, threads)
            if not case.goal or case.llm or results.record(case.name, threads) is None:
                continue
            fastest = results.peers(case.name, threads)
            missed = results.misses(case, threads)
            verdict = "–" if missed is None else "met" if not missed else "**missed**: " + ", ".join(missed)
            theirs = f"{fastest[0][0]:.4g} ({fastest[0][1]})" if fastest else "–"
            ratio = number(results.ratio(case.name, threads))
            vectors = results.ratio(case.name, threads, "rlx-vectors")
            of_peak = share(results.of_peak(case.name, threads))
            rows.append([case.name, threads, case.goal, number(ours, "{:.4g}"), theirs, ratio, number(vectors), of_peak, verdict])
            if case.bf16:
                rows.append(with_bf16(results, case, threads, theirs))
    text = (
        "On a processor with a matrix unit, RLX multiplies large f32 matrices on that unit: it splits each number into three bf16 parts, which loses no more\n"
        "accuracy than f32 sums do, and can exceed the peak of f32 multiply-adds. *On vectors* is the ratio without the matrix unit."
    )
    columns = ["work", "threads", "goal", "RLX, ms", "fastest peer, ms", "RLX / fastest", "on vectors", "of the FMA peak", "result"]
    return section("Goals", text, table(columns, rows))


def with_bf16(results, case, threads, theirs):
    """The row that compares RLX with weights in bf16 to the fastest peer in f32."""
    most, least = case.bf16
    ours, ratio = results.median(case.name, threads, "rlx-bf16"), results.ratio(case.name, threads, "rlx-bf16")
    cosine = (results.of(case.name, threads, "rlx-bf16") or {}).get("agreement", {}).get("value")
    verdict = "–" if ratio is None or cosine is None else "met" if ratio <= most and cosine >= least else f"**missed**: {ratio:.2f}×"
    goal = f"≤ {most}× the fastest in f32; cosine ≥ {least}" + (f" (it is {cosine:.6f})" if cosine else "")
    return [case.name + ", weights in bf16", threads, goal, number(ours, "{:.4g}"), theirs, number(ratio), "–", "–", verdict]


def losses(results):
    """Every peer that is faster than RLX."""
    lines = []
    for record in results.records:
        name, threads = record["name"], record["threads"]
        ours = results.ours(name, threads)
        faster = [f"{peer} {ours / time:.2f}×" for time, peer in results.peers(name, threads) if ours and time < ours]
        if faster:
            lines.append(f"- {name}, {threads} thread(s): {', '.join(faster)}")
    compared = any(results.ratio(r["name"], r["threads"]) for r in results.records)
    text = "\n".join(lines) if lines else "No peer was faster in this run." if compared else ""
    return section("Where RLX is slower", "Each peer that is faster than RLX, with RLX's time divided by the peer's:", text)


def sizes(results, kind, columns, cell):
    """A table per thread count: peers down, cases across."""
    parts = []
    for threads in results.threads():
        chosen = [case for case in columns if results.record(case.name, threads)]
        names = list(dict.fromkeys(peer for case in chosen for peer in case.peers))
        rows = [[name, *(cell(case, threads, name) for case in chosen)] for name in names]
        rows = [row for row in rows if any(value != "–" for value in row[1:])]
        if chosen:
            head = [f"{threads} thread(s)", *(case.name.removeprefix(kind + " ") for case in chosen)]
            parts.append(table(head, rows))
    return "\n\n".join(parts)


def of_kind(kind):
    return [case for case in cases.CASES if case.spec["kind"] == kind]


def minilm(results):
    cell = lambda case, threads, peer: "–" if peer == "limits" else time(results.of(case.name, threads, peer))
    body = sizes(results, "minilm", of_kind("minilm"), cell)
    return section("all-MiniLM-L6-v2, batch × tokens: milliseconds", "![MiniLM](benchmarks/minilm.svg)", body)


def products(results):
    def cell(case, threads, peer):
        speed = results.peak(case.name, threads) if peer == "limits" else results.gflops(case.name, threads, peer)
        return number(speed, "{:.1f}")

    body = sizes(results, "gemm", of_kind("gemm"), cell)
    return section("f32 matrix products: GFLOP/s", "`limits` is the FMA peak.\n\n![products](benchmarks/gemm.svg)", body)


def limits(results):
    rows = []
    for case in of_kind("limit"):
        cells = []
        for threads in results.threads():
            found = results.of(case.name, threads, "limits")
            facts = found["facts"] if found else {}
            work, unit = (facts.get("gflop"), "GFLOP/s") if "gflop" in facts else (facts.get("gb"), "GB/s")
            cells.append(f"{work / found['median_ms'] * 1e3:.1f} {unit}" if found else "–")
        if any(cell != "–" for cell in cells):
            rows.append([case.spec["what"], *cells])
    return section("Limits of this processor", "", table(["limit", *(f"{t} thread(s)" for t in results.threads())], rows))


def training(results):
    rows = []
    for name in ("train", "update"):
        for threads in results.threads():
            record = results.record(name, threads)
            ours = results.ours(name, threads)
            for peer in record["peers"] if record else []:
                found = results.of(name, threads, peer)
                if not found or peer == "limits":
                    continue
                ratio = number(ours / found["median_ms"]) if ours and not peer.startswith("rlx") else ""
                memory = results.memory(name, threads, peer) if name == "train" else None
                what = "step" if name == "train" else "AdamW alone"
                rows.append([what, threads, peer, time(found), ratio, f"{memory / 2**20:.0f} MiB" if memory else "–"])
    columns = ["work", "threads", "program", "ms", "RLX / this", "peak memory above the start"]
    return table(columns, rows)


def others(results):
    rows = []
    for name in ("sentences", "embed 32 lines", "compile 1x128", "compile graph", "compile graph, kept", "start"):
        for threads in results.threads():
            record = results.record(name, threads)
            for peer in record["peers"] if record else []:
                found = results.of(name, threads, peer)
                if found:
                    items = results.cases[name].items
                    rate = f"{items / found['median_ms'] * 1e3:.0f} per second" if items else "–"
                    memory = f"{found['peak_bytes'] / 2**20:.0f} MiB" if found.get("peak_bytes") else "–"
                    rows.append([name, threads, peer, time(found), rate, memory])
    text = (
        "`sentences` embeds the 32 texts of `benches/peers/sentences.txt` (5 to 125 tokens each) in a process that is already running, tokenizing included.\n"
        "`embed 32 lines` is a whole process of `rlx embed` on the same texts, and `start` one on a single sentence, from its start to its end, with the weights\n"
        "in the page cache. `compile 1x128` reads the model and prepares it for one size. `compile graph` is the compiler alone; *kept* loads the program that an\n"
        "earlier run stored on disk."
    )
    return section("Sentences, start, compilation", text, table(["work", "threads", "program", "ms", "rate", "peak memory"], rows))


def dense(results):
    rows = []
    for case in of_kind("dense"):
        for threads in results.threads():
            if results.record(case.name, threads):
                times = [time(results.of(case.name, threads, peer)) for peer in cases.DENSE]
                rows.append([case.name, threads, *times, number(results.ratio(case.name, threads))])
    text = (
        "Factorizations of n × n matrices of f64, and Fourier transforms of 64 rows of n complex numbers (`fft`; `fft-f32` in f32) or real numbers (`rfft`). RLX is\n"
        "built with the feature `linalg`; it uses one thread for one matrix, and all threads for the rows."
    )
    columns = ["work", "threads", *cases.DENSE, "RLX / fastest"]
    return section("Factorizations and Fourier transforms, compared with LAPACK and pocketfft: milliseconds", text, table(columns, rows))


def window(results):
    rows = []
    for case in of_kind("window"):
        for threads in results.threads():
            if results.record(case.name, threads):
                times = [time(results.of(case.name, threads, peer)) for peer in cases.WINDOW]
                rows.append([case.name, threads, *times, number(results.ratio(case.name, threads)), case.goal])
    text = (
        "Long windows over a vector of n f32 numbers: `jnp.convolve` with a kernel of 1000, a moving sum over 500, and `jax.lax.cumlogsumexp`. Cumulative\n"
        "reductions use one thread."
    )
    return section("Long windows, compared with JAX: milliseconds", text, table(["work", "threads", *cases.WINDOW, "RLX / JAX", "goal"], rows))


def binding(results):
    rows = []
    for case in (*of_kind("binding"), *of_kind("nodes")):
        for threads in results.threads():
            found = results.of(case.name, threads, "rlx-binding")
            if not found:
                continue
            facts = found["facts"]
            times = [number(facts[key], "{:.3g}") for key in ("compile_ms", "first_ms", "second_ms", "further_ms")]
            missed = results.misses(case, threads)
            verdict = "" if missed is None else "met" if not missed else "**missed**: " + ", ".join(missed)
            arena = " to ".join(f"{size / 2**20:.3g}" for size in facts["arena_bytes"])
            rows.append([case.spec["graph"], threads, facts["nodes"], *times, arena, case.goal, verdict])
    growth = []
    for graph in dict.fromkeys(case.spec["graph"] for case in of_kind("nodes")):
        sizes = [case for case in of_kind("nodes") if case.spec["graph"] == graph]
        ends = [results.of(case.name, 1, "rlx-binding") for case in (sizes[0], sizes[-1])]
        if all(ends):
            (n, t), (m, u) = [(found["facts"]["nodes"], found["median_ms"]) for found in ends]
            growth.append(f"{graph}: {u / t:.0f}× the time for {m / n:.0f}× the nodes; n log n is {m * math.log(m) / (n * math.log(n)):.0f}×")
    text = (
        "Median milliseconds to compile a graph, and until the compiled graph is ready for its first, its second, and further sizes; MiB of the working\n"
        "memory that all sizes share, at the first size and at the last of 20. `minilm` is the graph of all-MiniLM-L6-v2, `decoder` a graph of 28 layers of\n"
        "Qwen3-0.6B's shape with a key-value cache; `chain` and `wide` are synthetic large graphs.\n\n![compile time](benchmarks/nodes.svg)\n\n"
        "On one thread, " + "; ".join(growth) + "."
    )
    columns = ["graph", "threads", "nodes", "compile", "first size", "second size", "further", "MiB", "goal, second size", "result"]
    return section("Compiling and binding", text, table(columns, rows))


def language_models(results):
    rows = []
    for case in of_kind("llm"):
        rate = lambda milliseconds: f"{case.items / milliseconds * 1e3:.3g} tokens/s" if case.spec["what"] != "start" else f"{milliseconds:.0f} ms"
        for threads in results.threads():
            record = results.record(case.name, threads)
            if not record:
                continue
            cells = []
            for peer in cases.LLM:
                found = results.of(case.name, threads, peer)
                memory = f", {found['peak_bytes'] / 2**20:.0f} MiB" if found and found.get("peak_bytes") else ""
                cells.append(f"{rate(found['median_ms'])} [{rate(found['best_ms'])}]{memory}" if found else "–")
            missed = results.misses(case, threads)
            verdict = "–" if missed is None else "met" if not missed else "**missed**"
            rows.append([case.name, threads, *cells, number(results.ratio(case.name, threads)), verdict])
    text = (
        "A model of Qwen3-0.6B's shapes with random weights, quantized by llama.cpp. `prompt` reads a prompt of 512 tokens, `text` writes 32 tokens after it, and\n"
        "`start` is the time from opening the file, which is in the page cache, to the first token after a prompt of 16. Each cell has the median of all runs [of\n"
        "the best burst], and the peak resident memory of the process, mapped pages of the file included. The last columns are RLX's time divided by that of the\n"
        "fastest peer, and whether RLX is at least as fast."
    )
    absent = [f"{peer} did not take part: {reason}." for peer, reason in missing(results).items()]
    text = "\n\n".join([text, *absent])
    columns = ["work", "threads", *cases.LLM, "RLX / fastest", "result"]
    return section("Compared with llama.cpp, ik_llama.cpp and candle", text, table(columns, rows))


def missing(results):
    """The peers of language models that no case has, with the reason."""
    reasons = {}
    for case in of_kind("llm"):
        for threads in results.threads():
            record = results.record(case.name, threads) or {"peers": {}}
            for name, found in record["peers"].items():
                reasons.setdefault(name, set()).add(found.get("reason"))
    return {name: of.pop() for name, of in reasons.items() if len(of) == 1 and None not in of}


def threads(results):
    rows = []
    # One matrix is the work of one thread, and so is a compile.
    for case in (case for case in cases.CASES if case.spec["kind"] not in ("dense", "window", "binding", "nodes", "llm")):
        one, two = results.ours(case.name, 1), results.ours(case.name, 2)
        if one and two:
            theirs = max(((t / u, p) for t, p in results.peers(case.name, 1) for u, q in results.peers(case.name, 2) if p == q), default=None)
            least = 1.7 if one > 2 else 1.0
            best = f"{theirs[0]:.2f} ({theirs[1]})" if theirs else "–"
            rows.append([case.name, f"{one / two:.2f}", best, f"≥ {least}", "met" if one / two >= least else "**missed**"])
    return section("Two threads compared with one", "The time on one thread divided by the time on two.", table(["work", "RLX", "best peer", "goal", "result"], rows))


def agreement(results):
    rows = {}
    for record in results.records:
        for name, found in record["peers"].items():
            if "agreement" in found:
                told = found["agreement"]
                rows.setdefault((name, told["what"], told["limit"]), []).append(told["value"])
    lines = []
    for (name, what, limit), values in sorted(rows.items()):
        worst = min(values) if "cosine" in what else max(values)
        lines.append([name, what, f"{worst:.7f}" if "cosine" in what else f"{worst:.1e}", limit])
    return section("Agreement of results", "", table(["program", "compared by", "worst of all cases", "limit"], lines))


def left_out(results):
    """The cases and peers that a partial run left out."""
    by_peers = {}
    for name, threads, peers in results.left_out():
        if results.cases[name].llm:
            continue
        by_peers.setdefault(", ".join(peers), []).append(f"{name} ({threads} thread{'s' if threads > 1 else ''})")
    rows = [[peers, ", ".join(names)] for peers, names in by_peers.items()]
    return section("Left out of this run", "", table(["peers", "work"], rows))


def absent(results):
    lines = []
    for record in results.records:
        for name, found in record["peers"].items():
            if found["status"] != "ok":
                lines.append(f"- {name}, {record['name']}, {record['threads']} thread(s): {found['reason']}")
    return "## Peers that did not take part\n\n" + ("\n".join(lines) if lines else "None: all were built, agreed, and were timed.")


def warnings(results):
    """Measurements that cannot be trusted."""
    lines = []
    for record in results.records:
        for name, found in record["peers"].items():
            used = max((p for p in found.get("processors", []) if p), default=0)
            if used > record["threads"] + 0.2:
                lines.append(f"- {name} used {used:.1f} processors in {record['name']} with {record['threads']} thread(s)")
            if found.get("others_used_seconds", 0) > 0.1:
                lines.append(f"- while {name} ran in {record['name']}, others used {found['others_used_seconds']} s")
    return "## Warnings\n\n" + "\n".join(lines) if lines else None


BENCHMARKS, LANGUAGE_MODELS = PAGES = ("docs/benchmarks.md", "docs/language-models.md")
# Sections that a run of only their cases replaces: the page, the kinds of their cases, and the function that writes the section, by name.
OWN = {
    "dense": (BENCHMARKS, ("dense",), dense),
    "window": (BENCHMARKS, ("window",), window),
    "binding": (BENCHMARKS, ("binding", "nodes"), binding),
    "llm": (LANGUAGE_MODELS, ("llm",), language_models),
}


def marks(name):
    return f"<!-- {name}: begin -->", f"<!-- {name}: end -->"


def own_section(results, name):
    """A section between its markers, with a line about how it was measured; None without rows."""
    _, kinds, body = OWN[name]
    made = body(results)
    if not made:
        return None
    meta, records = results.meta, [record for kind in kinds for case in of_kind(kind) for record in results.records if record["name"] == case.name]
    versions = {found["version"] for record in records for found in record["peers"].values() if found.get("version")}
    lengths = {record.get("bursts", "unknown") for record in records}
    parts = [f"RLX at commit {meta['commit']}", meta["date"], meta["processor"]["name"], ", ".join(sorted(lengths)), *sorted(versions - {None})]
    title, rest = made.split("\n\n", 1)
    begin, end = marks(name)
    return f"{begin}\n{title}\n\n{'; '.join(parts)}.\n\n{rest}\n{end}"


def own_sections(results):
    """The sections of docs/benchmarks.md that have markers, which are empty if a section was not measured."""
    return [own_section(results, name) or "\n".join(marks(name)) for name, (page, _, _) in OWN.items() if page == BENCHMARKS]


def with_sections(text, results, page):
    """The page with those sections replaced that this run measured completely, and their names."""
    done = []
    for name, (where, kinds, _) in OWN.items():
        begin, end = marks(name)
        made = own_section(results, name) if where == page and results.has_all(kinds) else None
        if made and begin in text:
            before, rest = text.split(begin)
            text = before + made + rest.split(end, 1)[1]
            done.append(name)
    return text, done


def page(results):
    command = "## How to make this page\n\n    cargo xtask bench-peers\n\nThe last command that contributed to it: `" + results.meta["command"].strip() + "`."
    step = section("Training step and AdamW alone", "![training](benchmarks/train.svg)", training(results))
    parts = [
        head(results), goals(results), losses(results), minilm(results), products(results), *own_sections(results), step, others(results),
        threads(results), limits(results), agreement(results), absent(results), left_out(results), warnings(results), command,
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


BEGIN, END = "<!-- by cargo xtask bench-peers: begin -->", "<!-- end -->"


def between_marks(text, results):
    """docs/training.md with the table of the training step between its markers."""
    before, rest = text.split(BEGIN)
    after = rest.split(END, 1)[1]
    meta = results.meta
    note = f"RLX at commit {meta['commit']}, {meta['processor']['name']}; [benchmarks](benchmarks.md) has the versions.\n\n"
    return f"{before}{BEGIN}\n{note}{training(results)}\n{END}{after}"
