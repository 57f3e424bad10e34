"""Plots times that grow with the number of nodes: `growth.py LINES.json FOLDER NAME LABEL` draws the lines in a file."""

import json
import math
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

matplotlib.rcParams.update({"svg.hashsalt": "rlx", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False})


def save(figure, folder, name):
    for kind in ("png", "svg"):
        # Without a date, so that equal results make equal files.
        metadata = {"Date": None} if kind == "svg" else {}
        figure.savefig(folder / f"{name}.{kind}", dpi=110, metadata=metadata)
    plt.close(figure)


def growth(name, folder, lines, label):
    """Lines of (nodes, time) by name, on logarithmic axes, compared with n log n; one comparison per line if there are few."""
    lines = {graph: points for graph, points in lines.items() if points}
    few = len(lines) <= 4
    figure, panel = plt.subplots(figsize=(7, 4) if few else (9, 7))
    colors = plt.get_cmap("tab20").colors
    for i, (graph, points) in enumerate(lines.items()):
        color, style = (None, "-") if few else (colors[i % len(colors)], "-" if i < len(colors) else ":")
        line = panel.loglog(*zip(*points), marker="o", markersize=4, label=graph, color=color, linestyle=style)[0]
        if few:
            n_log_n(panel, points[0], points, line.get_color(), f"{graph}: n log n")
    if lines and not few:
        # One line with that slope, through the middle of all lines.
        longest = max(lines.values(), key=lambda points: points[-1][0])
        times = sorted(points[0][1] for points in lines.values())
        n_log_n(panel, (longest[0][0], times[len(times) // 2]), longest, "black", "n log n")
    panel.set_xlabel("nodes")
    panel.set_ylabel(label)
    panel.legend(frameon=False, **({} if few else {"fontsize": 7, "loc": "center left", "bbox_to_anchor": (1, 0.5)}))
    figure.tight_layout()
    save(figure, folder, name)


def n_log_n(panel, start, points, color, label):
    n, t = start
    times = [t * m * math.log(m) / (n * math.log(n)) for m, _ in points]
    panel.loglog([m for m, _ in points], times, color=color, linewidth=0.8, linestyle="--", label=label)


if __name__ == "__main__":
    lines, folder, name, label = sys.argv[1:]
    growth(name, pathlib.Path(folder), json.loads(pathlib.Path(lines).read_text()), label)
