"""Cases that are whole processes of `rlx`: from start to first embedding, and a file of sentences."""

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
    """Wall time in milliseconds and the most memory in bytes of one process."""
    done = subprocess.run([sys.executable, str(ONCE), *line], input=text, stdout=subprocess.PIPE, env=environment(threads), check=True)
    found = json.loads(done.stdout)
    return found["ms"], found["bytes"]


def measure(case, threads, peers, data, options):
    line = command(peers.get("rlx-cli").command[0], case, threads, data.model)
    text = b"" if case.spec["kind"] == "start" else (data.folder / "sentences.txt").read_bytes()
    # The first one brings program and weights into the page cache.
    once(line, text, threads)
    bursts, peak = [], 0
    for _ in range(options.rounds):
        times, end = [], time.perf_counter() + options.seconds
        while len(times) < 3 or time.perf_counter() < end:
            elapsed, most = once(line, text, threads)
            times.append(elapsed)
            peak = max(peak, most)
        bursts.append(times)
    found = {"status": "ok", "version": "rlx embed", "peak_bytes": peak}
    every = [t for burst in bursts for t in burst]
    medians = [statistics.median(burst) for burst in bursts]
    found.update(runs=len(every), median_ms=statistics.median(every), best_ms=min(medians), bursts_ms=medians)
    found["facts"] = {"weights_bytes": os.path.getsize(os.path.join(data.model, "model.safetensors"))}
    return {"name": case.name, "threads": threads, "seconds": options.seconds, "peers": {"rlx-cli": found}}
