"""Pictures of an evaluation."""

from collections.abc import Mapping
from typing import Final

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import StrMethodFormatter

#: Points that one bar of a histogram spans.
BAR: Final = 5
#: Colours that stay apart for colour-blind eyes and in print, taken in turn.
COLOURS: Final = ("#808080", "#e69f00", "#009e73", "#0072b2", "#cc79a7", "#d55e00", "#56b4e9")


def distributions(scores: Mapping[str, np.ndarray], title: str) -> Figure:
    """Histograms of each agent's (N,) scores, one over the other, with the means marked.

    The first bar holds the games at 0 points alone. Where it is too tall for the picture it is cut off and
    its height is written beside it.
    """
    top = max(int(sample.max()) for sample in scores.values())
    edges = np.arange(0.5 - BAR, max(top, 1) + BAR, BAR)
    bars = {agent: 100 * np.histogram(sample, edges)[0] / len(sample) for agent, sample in scores.items()}
    height = 1.15 * (max(percent[1:].max() for percent in bars.values()) or 100.0)

    figure = Figure(figsize=(9, 4), layout="constrained")
    axes = figure.subplots()
    cut_off = 0
    for number, (agent, sample) in enumerate(scores.items()):
        colour = COLOURS[number % len(COLOURS)]
        mean, percent = float(sample.mean()), bars[agent]
        axes.stairs(percent, edges, fill=True, color=colour, alpha=0.22)
        axes.stairs(percent, edges, color=colour, linewidth=1.3, label=f"{agent}, {mean:.1f}")
        at_mean = min(percent[np.searchsorted(edges, mean) - 1], height)
        axes.vlines(mean, 0, at_mean, color=colour, linewidth=1.3, linestyle=(0, (3, 1.5)))
        axes.plot(mean, at_mean, marker="o", markersize=6, color=colour, markeredgecolor="white", zorder=3)
        if percent[0] > height:
            axes.text(
                edges[1] + 2, (0.95 - 0.06 * cut_off) * height, f"{percent[0]:.0f} % at 0", color=colour
            )
            cut_off += 1
    axes.set_xlim(edges[0], edges[-1])
    axes.set_ylim(0, height)
    axes.set_xlabel("score (points)")
    axes.set_ylabel(f"games per {BAR} points")
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g} %"))
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(title, loc="left")
    figure.legend(title="agent, mean", alignment="left", frameon=False, loc="outside right upper")
    return figure
