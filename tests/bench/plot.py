"""Draws a result file: both distributions, one curve per engine, as a PNG.

usage: python -m tests.bench.plot RESULT.json OUT.png (needs matplotlib; the peers' environment has
it)
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

COLOURS = {"ours": "#c1272d", "peer": "#0000a7", "llguidance": "#008176"}
TITLES = {"ttfm_ns": "Time to first mask", "tbm_ns": "Time between masks"}
MAX_POINTS = 4000


def main(result_path: str, out_path: str) -> None:
    """Survival curves on two logarithmic axes: how many steps take longer than x."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    result = json.loads(Path(result_path).read_text(encoding="utf-8"))
    figure, axes = plt.subplots(1, 2, figsize=(12, 4.5), layout="constrained")
    for axis, (key, title) in zip(axes, TITLES.items(), strict=True):
        for engine, values in result["samples"][key].items():
            ordered = sorted(values, reverse=True)
            if not ordered:
                continue
            step = max(1, len(ordered) // MAX_POINTS)
            # Keep the whole tail: it is what a batch waits for.
            keep = [i for i in range(len(ordered)) if i < MAX_POINTS // 4 or i % step == 0]
            xs = [ordered[i] / 1e3 for i in keep]
            ys = [(i + 1) / len(ordered) for i in keep]
            axis.plot(xs, ys, label=engine, color=COLOURS.get(engine), linewidth=1.8)
        axis.set(
            xscale="log",
            yscale="log",
            title=title,
            xlabel="microseconds",
            ylabel="share that takes longer",
        )
        axis.grid(visible=True, which="both", alpha=0.2)
        axis.legend()
    figure.suptitle(
        f"{result['workload']}: {result['schemas']} cases, tokenizer {result['tokenizer']}, "
        f"mode {result['mode']}"
    )
    figure.savefig(out_path, dpi=130)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
