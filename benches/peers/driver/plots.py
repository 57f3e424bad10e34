"""Draws plots of the results, as PNG and SVG."""

import cases
import report
from growth import growth, plt, save

# Each peer has the same color in every plot; RLX stands out.
COLORS = plt.get_cmap("tab20").colors


def color(peer):
    known = list(dict.fromkeys(name for case in cases.CASES for name in case.peers))
    ours = {"rlx": "black", "rlx-vectors": "dimgrey", "rlx-bf16": "silver"}
    return ours.get(peer) or COLORS[known.index(peer) % len(COLORS)]


def label_of(case):
    kind = case.spec["kind"]
    return case.name.removeprefix(kind + " ").replace("x", "×").replace(" bias", "\nbias")


def bars(figure_name, folder, results, chosen, value, label, line=None):
    """Groups of bars, one group per case, one panel per thread count."""
    counts = results.threads()
    figure, panels = plt.subplots(len(counts), 1, figsize=(10, 3.2 * len(counts)), squeeze=False)
    for panel, threads in zip(panels[:, 0], counts):
        names = [name for name in dict.fromkeys(n for case in chosen for n in case.peers) if name != "limits"]
        names = [name for name in names if any(value(case.name, threads, name) for case in chosen)]
        for i, name in enumerate(names):
            heights = [value(case.name, threads, name) or 0 for case in chosen]
            places = [group + (i + 0.5) / (len(names) + 1.5) for group in range(len(chosen))]
            panel.bar(places, heights, 0.9 / (len(names) + 1.5), label=name, color=color(name))
        panel.set_xticks([group + 0.45 for group in range(len(chosen))], [label_of(case) for case in chosen])
        panel.set_ylabel(label)
        panel.set_title(f"{threads} thread(s)", loc="left")
        if line is not None:
            panel.axhline(line, color="grey", linewidth=0.8)
    handles, labels = panels[0, 0].get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="lower center", ncols=6, fontsize=8, frameon=False)
    figure.tight_layout(rect=(0, 0.09, 1, 1))
    save(figure, folder, figure_name)


def plot(results, folder):
    folder.mkdir(parents=True, exist_ok=True)
    of_kind = lambda kind: [case for case in cases.CASES if case.spec["kind"] == kind]

    def over_ours(name, threads, peer):
        theirs, ours = results.median(name, threads, peer), results.ours(name, threads)
        return theirs / ours if theirs and ours else None

    def relative(name, threads, peer):
        """Times relative to RLX. Bars end at five, so that a slow peer does not hide the others."""
        value = over_ours(name, threads, peer)
        return min(value, 5.0) if value else None

    share = lambda name, threads, peer: (results.of_peak(name, threads, peer) or 0) * 100
    bars("minilm", folder, results, of_kind("minilm"), relative, "time / RLX's (cut at 5)", 1.0)
    bars("gemm", folder, results, of_kind("gemm"), share, "% of the FMA peak", 100)
    bars("train", folder, results, of_kind("train"), relative, "time / RLX's (cut at 5)", 1.0)
    plot_sections(results, folder, report.OWN)


def plot_sections(results, folder):
    """The plots of sections that are measured in separate runs."""
    compile_times(results, folder)


def compile_times(results, folder):
    """Compile time by number of nodes, compared with n log n."""
    nodes = [case for case in cases.CASES if case.spec["kind"] == "nodes"]
    lines = {}
    for case in nodes:
        found = results.of(case.name, 1, "rlx-binding")
        if found:
            lines.setdefault(case.spec["graph"], []).append((found["facts"]["nodes"], found["median_ms"]))
    growth("nodes", folder, lines, "ms to compile, one thread")
