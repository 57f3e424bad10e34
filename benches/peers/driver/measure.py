"""Measures one case at one thread count: starts workers, compares them with the reference, and times them in turns."""

import statistics
import sys

import numpy as np

from agree import check
from cli import Cli
from peers import Missing, environment
from worker import Failed, Worker


def quantile(times, q):
    return float(np.quantile(np.asarray(times), q))


def start(case, name, threads, peers, data, reference, patience):
    """The worker of a peer, ready for bursts, and facts about it; or the reason why it does not take part."""
    record = {"status": "ok"}
    worker = None
    try:
        built = peers.get(name)
        log = data.folder / f"{name}.log"
        if name == "rlx-cli":
            worker = Cli(built.command, environment(threads), threads)
        else:
            worker = Worker(name, [*built.command, "--threads", str(threads)], environment(threads) | built.more, log, patience)
        record["version"] = built.version or worker.ready["version"]
        record["notes"] = worker.ready.get("notes", "")
        output = data.folder / f"{name}.out"
        output.unlink(missing_ok=True)
        request = {"do": "prepare", "case": case.spec, "data": str(data.folder), "output": str(output)}
        record["facts"] = worker.ask(request).get("facts", {})
        if reference is not None and name != "limits":
            agreement = check(case.spec["kind"], name, np.fromfile(output, np.float32), np.fromfile(reference, np.float32))
            record["agreement"] = agreement
            if not agreement["agrees"]:
                raise Failed(f"its result does not agree: {agreement['what']} {agreement['value']:.3g}")
        return worker, record
    except (Failed, Missing) as reason:
        record.update(status="failed", reason=str(reason))
        if worker:
            worker.close()
        print(f"  {name}: {reason}", file=sys.stderr, flush=True)
        return None, record


def measure(case, threads, wanted, peers, data, options):
    """The record of the case: the bursts of each peer, or why there are none."""
    reference = data.prepare(case.spec)
    record = {"name": case.name, "threads": threads, "seconds": options.seconds, "peers": {}}
    workers, times = {}, {}
    try:
        for name in wanted:
            worker, found = start(case, name, threads, peers, data, reference, options.patience)
            record["peers"][name] = found
            if worker:
                workers[name], times[name] = worker, []
        for turn in range(options.rounds):
            # The first peer of a round finds the caches as the previous round left them, so a different peer is first
            # each time.
            order = list(workers)
            at = turn % max(len(order), 1)
            for name in order[at:] + order[:at]:
                burst(workers, times, name, record["peers"][name], options.seconds)
    finally:
        for worker in workers.values():
            worker.close()
    for name, bursts in times.items():
        if record["peers"][name]["status"] == "ok":
            summarize(record["peers"][name], bursts)
    return record


def burst(workers, times, name, found, seconds):
    if found["status"] != "ok":
        return
    worker = workers[name]
    before = {other: w.processor_seconds() for other, w in workers.items()}
    try:
        reply = worker.ask({"do": "burst", "seconds": seconds})
    except Failed as reason:
        found.update(status="failed", reason=str(reason))
        print(f"  {name}: {reason}", file=sys.stderr, flush=True)
        return
    times[name].append(reply["times_ms"])
    found["peak_bytes"] = reply.get("peak_bytes")
    used = worker.processor_seconds() - before[name]
    wall = sum(reply["times_ms"]) / 1e3
    if used:
        found.setdefault("processors", []).append(round(used / wall, 2))
    # All other workers are stopped. This stays zero, or the comparison is not fair.
    idle = sum(w.processor_seconds() - before[other] for other, w in workers.items() if other != name)
    found["others_used_seconds"] = round(found.get("others_used_seconds", 0.0) + idle, 2)


def summarize(found, bursts):
    """The median and quartiles of all runs, and the median of the best burst."""
    every = [t for one in bursts for t in one]
    found.update(
        runs=len(every),
        median_ms=statistics.median(every),
        best_ms=min(statistics.median(one) for one in bursts),
        quartiles_ms=[quantile(every, 0.25), quantile(every, 0.75)],
        bursts_ms=[statistics.median(one) for one in bursts],
    )
