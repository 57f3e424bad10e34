"""Reads the JSON file of results for tables and plots."""

import json

import cases

# Peers that are RLX, and entries that are not peers.
OURS = ("rlx", "rlx-cli", "rlx-binding")
NO_PEER = (*OURS, "rlx-vectors", "rlx-bf16", "limits")


class Results:
    def __init__(self, path):
        loaded = json.loads(path.read_text())
        self.meta, self.records = loaded["meta"], loaded["cases"]
        self.cases = {case.name: case for case in cases.CASES}
        self.records = [record for record in self.records if record["name"] in self.cases]
        order = list(self.cases)
        self.records.sort(key=lambda record: (order.index(record["name"]), record["threads"]))

    def threads(self):
        return sorted({record["threads"] for record in self.records})

    def whole(self):
        """Whether every case, except for those of language models, was measured at every thread count with all of its peers."""
        return all(self.cases[name].llm for name, _, _ in self.left_out())

    def left_out(self):
        """The peers that were not run, for each case and thread count."""
        asked = {(r["name"], r["threads"]): r["peers"] for r in self.records}
        wanted = [(name, threads, case.peers) for name, case in self.cases.items() for threads in (1, 2)]
        missing = [(*key, [peer for peer in peers if peer not in asked.get(tuple(key), ())]) for *key, peers in wanted]
        return [(name, threads, peers) for name, threads, peers in missing if peers]

    def has_all(self, kinds):
        """Whether every case of these kinds was measured at every thread count with all of its peers."""
        found = {case.name for case in cases.CASES if case.spec["kind"] in kinds}
        return not any(name in found for name, _, _ in self.left_out())

    def record(self, name, threads):
        found = [r for r in self.records if (r["name"], r["threads"]) == (name, threads)]
        return found[0] if found else None

    def of(self, name, threads, peer):
        """The figures of a peer that was timed."""
        record = self.record(name, threads)
        found = record["peers"].get(peer) if record else None
        return found if found and found["status"] == "ok" and "median_ms" in found else None

    def median(self, name, threads, peer):
        found = self.of(name, threads, peer)
        return found["median_ms"] if found else None

    def ours(self, name, threads):
        return next((m for m in (self.median(name, threads, peer) for peer in OURS) if m), None)

    def peers(self, name, threads):
        """The times of all other peers, fastest first."""
        record = self.record(name, threads)
        timed = [(self.median(name, threads, peer), peer) for peer in (record["peers"] if record else []) if peer not in NO_PEER]
        return sorted((time, peer) for time, peer in timed if time)

    def ratio(self, name, threads, peer=None):
        """RLX's time, by default or in another configuration, divided by the fastest peer's."""
        ours = self.median(name, threads, peer) if peer else self.ours(name, threads)
        theirs = self.peers(name, threads)
        return ours / theirs[0][0] if ours and theirs else None

    def peak(self, name, threads):
        """GFLOP/s of the FMA peak, measured alternately with the case."""
        found = self.of(name, threads, "limits")
        return found["facts"]["gflop"] / found["median_ms"] * 1e3 if found and "gflop" in found["facts"] else None

    def gflops(self, name, threads, peer):
        time, work = self.median(name, threads, peer), self.cases[name].gflop
        return work / time * 1e3 if time and work else None

    def of_peak(self, name, threads, peer="rlx"):
        peak, speed = self.peak(name, threads), self.gflops(name, threads, peer)
        return speed / peak if peak and speed else None

    def memory(self, name, threads, peer):
        """The peak memory above that at the start, in bytes."""
        found = self.of(name, threads, peer)
        if not found or not found.get("peak_bytes"):
            return None
        return found["peak_bytes"] - (found["facts"].get("start_bytes") or 0)

    def misses(self, case, threads):
        """How the goal is missed; empty if it is met, None if it is not known."""
        ours = self.ours(case.name, threads)
        if ours is None:
            return None
        missed, known = [], False
        for limit, value, text in (
            (case.ratio, self.ratio(case.name, threads), "{:.2f}× the fastest"),
            (case.most_ms, ours, "{:.3g} ms"),
        ):
            if limit is not None and value is not None:
                known = True
                if value > limit:
                    missed.append(text.format(value))
        share = self.of_peak(case.name, threads)
        if case.of_peak is not None and share is not None:
            known = True
            if share < case.of_peak:
                missed.append(f"{share:.0%} of peak".replace("%", " %"))
        if case.name == "train":
            mine = self.memory("train", threads, "rlx")
            others = [self.memory("train", threads, peer) for _, peer in self.peers("train", threads)]
            if mine and any(other and other < mine for other in others):
                missed.append(f"{mine / 2**20:.0f} MiB")
        if case.name == "start":
            found = self.of("start", threads, "rlx-cli")
            share = found["peak_bytes"] / found["facts"]["weights_bytes"]
            if share > 1.3:
                missed.append(f"{share:.2f}× the weights in memory")
        return missed if known else None
