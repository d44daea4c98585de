"""Plots of build/peers/results.json: seconds a circuit against qubits, a line for each simulator.

plots.py [--folder docs/plots] [--format svg|png]   writes gradient_qcnn.svg and forward_qcnn.svg
"""

import argparse
import math
import os

import environments
import results

# Colours of Okabe and Ito, told apart by every kind of colour vision; markers differ too.
STYLES = {
    "wavetrain": ("Wavetrain", "#000000", "o"),
    "jax": ("JAX", "#e69f00", "s"),
    "qsim": ("qsim", "#56b4e9", "D"),
    "tfq": ("TensorFlow Quantum", "#d55e00", "^"),
    "lightning": ("Lightning", "#0072b2", "v"),
    "mindquantum": ("MindQuantum", "#009e73", "P"),
    "qulacs": ("Qulacs (double)", "#cc79a7", "X"),
    "aer": ("Qiskit Aer", "#7f7f7f", "h"),
}
FONT_SIZE = 10


def lines(store, what):
    """{peer: [(qubits, seconds a circuit)]} of the full QCNN."""
    found = {}
    for entry in store.entries:
        work = results.Work(*entry["work"])
        if (work.what, work.circuit) == (what, "qcnn") and entry["peer"] in STYLES:
            found.setdefault(entry["peer"], []).append((work.qubits, results.seconds(entry)))
    return {peer: sorted(points) for peer, points in found.items()}


def spread(wanted, distance):
    """Places at least `distance` apart, in the order of `wanted` and as near to it as may be."""
    groups = []  # (sum of the wanted places, count): neighbours that touch, around their mean
    for place in sorted(wanted):
        groups.append([place, 1])
        while len(groups) > 1:
            (first, count), (second, more) = groups[-2:]
            low = first / count + (count - 1) * distance / 2
            high = second / more - (more - 1) * distance / 2
            if low + distance <= high:
                break
            groups[-2:] = [[first + second, count + more]]
    places = []
    for total, count in groups:
        start = total / count - (count - 1) * distance / 2
        places += [start + i * distance for i in range(count)]
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    return [places[order.index(i)] for i in range(len(wanted))]


def draw(found, title, path):
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"font.size": FONT_SIZE, "svg.hashsalt": "wavetrain"})
    from matplotlib import pyplot
    from matplotlib.ticker import EngFormatter

    figure, axes = pyplot.subplots(figsize=(8, 5))
    last = max(points[-1][0] for points in found.values())
    labels = []
    for peer, (name, colour, marker) in STYLES.items():
        if peer not in found:
            continue
        qubits, seconds = zip(*found[peer])
        ours = peer == "wavetrain"
        style = {"linewidth": 2.5 if ours else 1.5, "markersize": 7 if ours else 6}
        axes.plot(qubits, seconds, color=colour, marker=marker, **style)
        labels.append((name, colour, found[peer]))
    axes.set_yscale("log")
    axes.set_title(title, fontsize=FONT_SIZE, loc="left")
    axes.set_xlabel("qubits", fontsize=FONT_SIZE)
    axes.set_ylabel("time a circuit, one core", fontsize=FONT_SIZE)
    axes.yaxis.set_major_formatter(EngFormatter(unit="s"))
    axes.set_xticks(sorted({qubits for points in found.values() for qubits, _ in points}))
    axes.tick_params(labelsize=FONT_SIZE)
    axes.grid(True, which="major", color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    # Names stand at the ends of their lines, moved apart where they would overlap; that of a line
    # which ends early, among the others, at its beginning.
    low, high = (math.log10(limit) for limit in axes.get_ylim())
    at_end = [label for label in labels if label[2][-1][0] == last]
    distance = 1.5 * FONT_SIZE / 72 / (5 * 0.77) * (high - low)
    places = spread([math.log10(points[-1][1]) for _, _, points in at_end], distance)
    for (name, colour, points), place in zip(at_end, places):
        axes.annotate(
            name,
            xy=points[-1],
            xytext=(last + 0.9, 10**place),
            va="center",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 1.2, "shrinkB": 4},
        )
    for name, _, points in (label for label in labels if label not in at_end):
        axes.annotate(name, points[0], (0, 8), textcoords="offset points", ha="center")
    figure.savefig(path, bbox_inches="tight", dpi=120, facecolor="white", **_metadata(path))
    pyplot.close(figure)


def _metadata(path):
    """Without the date: the same results make the same file."""
    return {"metadata": {"Date": None}} if path.endswith(".svg") else {}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", default=os.path.join(environments.FOLDER, "plots"))
    parser.add_argument("--format", choices=("svg", "png"), default="svg")
    options = parser.parse_args()
    environments.enter("simulators")
    store = results.Store(os.path.join(environments.FOLDER, "results.json"))
    os.makedirs(options.folder, exist_ok=True)
    for what, words in (("gradient", "Gradient in all weights"), ("forward", "Expectation")):
        path = os.path.join(options.folder, f"{what}_qcnn.{options.format}")
        draw(lines(store, what), f"{words} of the full QCNN", path)
        print(path)


if __name__ == "__main__":
    main()
