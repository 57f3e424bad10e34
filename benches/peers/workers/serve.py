"""The loop of a worker: serves one peer at one thread count. It reads requests for bursts of runs as JSON lines on stdin, and
answers on stdout.

../README.md describes the protocol. Output of libraries goes to stderr, so that stdout has only answers.
"""

import json
import os
import resource
import sys
import time
import traceback


class Peer:
    """A peer for a worker to serve. `prepare` takes a case and may return facts about it; `run` runs it once; `output` returns
    the values to compare with the reference, as an array or as named numbers."""

    version = "unknown"
    notes = ""
    # Minimum number of runs in a burst.
    fewest = 3

    def __init__(self, threads):
        self.threads = threads

    def prepare(self, case, data):
        raise NotImplementedError

    def run(self):
        raise NotImplementedError

    def output(self):
        return None


def resident():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS:"))


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def burst(peer, seconds):
    """The times of runs in milliseconds. The first run, which wakes up the threads, is not counted."""
    peer.run()
    times, end = [], time.perf_counter() + seconds
    while len(times) < peer.fewest or time.perf_counter() < end:
        start = time.perf_counter()
        peer.run()
        times.append((time.perf_counter() - start) * 1e3)
    return times


def prepare(peer, request, begin):
    facts = peer.prepare(request["case"], request["data"]) or {}
    output = peer.output()
    if output is not None:
        output.astype("float32").tofile(request["output"])
    return {"facts": {"start_bytes": begin, **facts}}


def answer(peer, request, begin):
    if request["do"] == "prepare":
        return prepare(peer, request, begin)
    if request["do"] == "burst":
        return {"times_ms": burst(peer, request["seconds"]), "peak_bytes": peak()}
    raise ValueError(f"unknown request {request['do']!r}")


def serve(make, threads):
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(message):
        out.write(json.dumps(message) + "\n")
        out.flush()

    try:
        peer = make(threads)
        begin = resident()
        say({"ready": {"version": peer.version, "notes": peer.notes}})
        for line in sys.stdin:
            request = json.loads(line)
            if request["do"] == "quit":
                return
            say(answer(peer, request, begin))
    except Exception as error:
        traceback.print_exc()
        first = str(error).strip().split("\n")[0]
        say({"error": f"{type(error).__name__}: {first}"[:300]})
