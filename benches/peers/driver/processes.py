"""Cases that are whole processes of RLX: from the start to the first embedding, a file of sentences, and compiling and binding a graph."""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

from peers import environment

ONCE = pathlib.Path(__file__).with_name("once.py")
SENTENCE = "The weather is lovely today."


def command(rlx, case, threads, model):
    base = [rlx, "embed", "--model", model, "--threads", str(threads), "--json"]
    return base + ([SENTENCE] if case.spec["kind"] == "start" else [])


def once(line, text, threads):
    """The wall time in milliseconds and the peak memory in bytes of a process."""
    done = subprocess.run([sys.executable, str(ONCE), *line], input=text, stdout=subprocess.PIPE, env=environment(threads), check=True)
    found = json.loads(done.stdout)
    return found["ms"], found["bytes"]


def summary(bursts, **more):
    """The figures that results store for timed runs."""
    every = [t for burst in bursts for t in burst]
    medians = [statistics.median(burst) for burst in bursts]
    return dict(status="ok", runs=len(every), median_ms=statistics.median(every), best_ms=min(medians), bursts_ms=medians, **more)


def measure_graph(case, threads, peers, options):
    """A graph that is compiled, and bound to many sizes, repeatedly, with a process per burst."""
    graph, nodes = case.spec["graph"], case.spec.get("nodes", 0)
    line = [peers.get("rlx-binding").command[0], "--graph", graph, "--size", str(nodes), "--json"]
    line += ["--threads", str(threads), "--seconds", str(options.seconds)]
    run = lambda: json.loads(subprocess.run(line, stdout=subprocess.PIPE, env=environment(threads), check=True).stdout)
    found = [run() for _ in range(options.rounds)]
    median = lambda key: statistics.median(t for one in found for t in one[key])
    facts = {key: median(key) for key in ("compile_ms", "first_ms", "second_ms", "further_ms")}
    facts.update(nodes=found[0]["nodes"], arena_bytes=found[0]["arena_bytes"])
    timed = "second_ms" if case.spec["kind"] == "binding" else "compile_ms"
    peer = summary([one[timed] for one in found], version="rlx-models, example binding_speed", facts=facts)
    return {"name": case.name, "threads": threads, "seconds": options.seconds, "peers": {"rlx-binding": peer}}


def measure(case, threads, peers, data, options):
    if case.spec["kind"] in ("binding", "nodes"):
        return measure_graph(case, threads, peers, options)
    line = command(peers.get("rlx-cli").command[0], case, threads, data.model)
    text = b"" if case.spec["kind"] == "start" else (data.folder / "sentences.txt").read_bytes()
    # The first run brings the program and the weights into the page cache.
    once(line, text, threads)
    bursts, peak = [], 0
    for _ in range(options.rounds):
        times, end = [], time.perf_counter() + options.seconds
        while len(times) < 3 or time.perf_counter() < end:
            elapsed, most = once(line, text, threads)
            times.append(elapsed)
            peak = max(peak, most)
        bursts.append(times)
    facts = {"weights_bytes": os.path.getsize(os.path.join(data.model, "model.safetensors"))}
    found = summary(bursts, version="rlx embed", peak_bytes=peak, facts=facts)
    return {"name": case.name, "threads": threads, "seconds": options.seconds, "peers": {"rlx-cli": found}}
