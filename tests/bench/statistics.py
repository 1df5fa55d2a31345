"""From raw result lines to the figures of the table: percentiles, ratios, verdict counts."""

from __future__ import annotations

from collections import Counter
from typing import Any

# Name and share in hundredths of a percent.
POINTS: tuple[tuple[str, int], ...] = (
    ("p10", 1000),
    ("p50", 5000),
    ("p90", 9000),
    ("p99", 9900),
    ("p99.9", 9990),
    ("p99.99", 9999),
    ("max", 10000),
)
COUNTS = (
    "version",
    "schemas",
    "compile_errors",
    "crashed_or_timed_out",
    "walk_errors",
    "over_1_s",
    "instances",
    "false_accepts",
    "false_rejects",
    "right_in_schema_order_only",
    "wholly_right",
    "mask_accept_disagreements",
    "tokens",
    "compiled_kb",
    "peak_rss_mb",
    "setup_ms",
)
NAMES = (*(name for name, _ in POINTS), "mean")
SHORT = ("p50", "p99", "max", "mean")
KEYS = (("ttfm_us", "time to first mask, us"), ("tbm_us", "time between masks, us"))


def percentiles(values_ns: list[int]) -> dict[str, float]:
    """Nearest-rank percentiles and the mean, in microseconds; empty for no values."""
    if not values_ns:
        return {}
    ordered = sorted(values_ns)
    result = {
        name: ordered[max(0, -(-share * len(ordered) // 10000) - 1)] / 1e3 for name, share in POINTS
    }
    result["mean"] = sum(ordered) / len(ordered) / 1e3
    return {name: round(value, 2) for name, value in result.items()}


def summarise(rows: list[dict[str, Any]], setups: list[dict[str, Any]]) -> dict[str, Any]:
    """One engine's figures. A case that timed out counts with the time limit in TTFM."""
    verdicts: Counter[str] = Counter()
    ttfm: list[int] = []
    tbm: list[int] = []
    sizes: list[int] = []
    wholly_right = slow_compiles = 0
    status: Counter[str] = Counter()
    for row in rows:
        status[row["status"]] += 1
        if "ttfm_ns" in row:
            ttfm.append(row["ttfm_ns"])
            slow_compiles += row["ttfm_ns"] > 10**9
        if row.get("compiled_bytes") is not None:
            sizes.append(row["compiled_bytes"])
        tbm += row.get("tbm_ns", [])
        own = row.get("verdicts", [])
        verdicts.update(own)
        wholly_right += row["status"] == "ok" and all(
            verdict.startswith("right") for verdict in own
        )
    return {
        "schemas": len(rows),
        "ttfm_us": percentiles(ttfm),
        "tbm_us": percentiles(tbm),
        # Of batches alone: the part of a step that fills, and the first time of all rows.
        "fill_us": percentiles([ns for row in rows for ns in row.get("fill_ns", [])]),
        "first_fill_us": percentiles(
            [row["first_mask_ns"] for row in rows if "fill_ns" in row and "first_mask_ns" in row]
        ),
        "tokens": len(tbm),
        "compile_errors": status["refused"],
        "crashed_or_timed_out": status["crashed"] + status["timed out"],
        "walk_errors": status["failed"],
        "over_1_s": slow_compiles,
        "false_accepts": verdicts["false accept"],
        "false_rejects": verdicts["false reject"],
        "right_in_schema_order_only": verdicts["right in schema order"],
        "instances": sum(verdicts.values()),
        "wholly_right": wholly_right,
        "mask_accept_disagreements": sum(row.get("disagreements", 0) for row in rows),
        # The middle one, after its instances were walked.
        "compiled_kb": round(sorted(sizes)[len(sizes) // 2] / 1024, 1) if sizes else None,
        "peak_rss_mb": round(max((row.get("peak_rss_kb", 0) for row in rows), default=0) / 1024, 1),
        "setup_ms": round(min((s["setup_ns"] for s in setups), default=0) / 1e6, 1),
        "version": setups[-1]["version"] if setups else None,
    }


def ratios(ours: dict[str, Any], others: list[dict[str, Any]], key: str) -> dict[str, float]:
    """Ours divided by the better of the others, at each point."""
    result = {}
    for name in NAMES:
        theirs = [other[key][name] for other in others if name in other[key]]
        if name in ours[key] and theirs and min(theirs) > 0:
            result[name] = round(ours[key][name] / min(theirs), 4)
    return result


def fair_ratios(rows: dict[str, list[dict[str, Any]]]) -> dict[str, dict[str, float]]:
    """Ours divided by the better of the others at each point, over the cases that were given to
    every engine with any: cases that an engine has no form for are left out of both sides.
    """
    rows = {engine: own for engine, own in rows.items() if own}
    if "ours" not in rows or len(rows) < 2:
        return {}
    common = set.intersection(*({row["id"] for row in own} for own in rows.values()))
    summaries = {
        engine: summarise([row for row in own if row["id"] in common], [])
        for engine, own in rows.items()
    }
    others = [summary for engine, summary in summaries.items() if engine != "ours"]
    return {key: ratios(summaries["ours"], others, key) for key, _ in KEYS}


def by_group(rows: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """Summaries and ratios of each group of cases, in the order of the cases."""
    names = dict.fromkeys(row["group"] for own in rows.values() for row in own)
    result = {}
    for name in names:
        part = {
            engine: [row for row in own if row["group"] == name] for engine, own in rows.items()
        }
        result[name] = {
            "summaries": {engine: summarise(own, []) for engine, own in part.items() if own},
            "ratios": fair_ratios(part),
            "answers": {engine: own[0] for engine, own in part.items() if len(own) == 1},
        }
    for group in result.values():
        for engine, row in group["answers"].items():
            group["answers"][engine] = answer_of(row)
    return result


def answer_of(row: dict[str, Any]) -> dict[str, Any]:
    """What became of a single case: how, and after how long."""
    took = row.get("ttfm_ns", row.get("refused_ns"))
    return {
        "status": row["status"],
        "ms": None if took is None else round(took / 1e6, 3),
        "error": row.get("error"),
        "verdicts": row.get("verdicts", []),
    }


def render(
    summaries: dict[str, dict[str, Any]], found: dict[str, dict[str, float]], groups: dict[str, Any]
) -> str:
    """The printed table: all cases, the groups in short, and what is counted."""
    lines: list[str] = []
    for key, title in KEYS:
        lines.append(f"{title:<28}" + "".join(f"{name:>14}" for name in NAMES))
        for engine, summary in summaries.items():
            cells = "".join(f"{summary[key].get(name, float('nan')):>14,.1f}" for name in NAMES)
            lines.append(f"  {engine:<26}{cells}")
        if found:
            lines.append(
                f"  {'ours / better peer':<26}"
                + "".join(f"{found[key].get(n, float('nan')):>14.3f}" for n in NAMES)
            )
        lines.append("")
    if len(groups) > 1:
        lines += render_groups(groups)
    lines.append(f"{'':<28}" + "".join(f"{engine:>14}" for engine in summaries))
    for name in COUNTS:
        cells = "".join(f"{summary[name]!s:>14}" for summary in summaries.values())
        lines.append(f"{name.replace('_', ' '):<28}{cells}")
    return "\n".join(lines)


def render_groups(groups: dict[str, Any]) -> list[str]:
    """A line per group and engine; of a group that is one case, why it has no figures."""
    heads = "".join(f"{'TTFM ' + name:>14}" for name in SHORT)
    lines = [f"{'groups, us':<40}" + heads + "".join(f"{'TBM ' + name:>14}" for name in SHORT)]
    for name, group in groups.items():
        for engine, summary in group["summaries"].items():
            answer = group["answers"].get(engine)
            if answer and answer["status"] != "ok":
                text = f"{answer['status']} after {answer['ms']} ms: {answer['error']}"
                lines.append(f"{name + ': ' + engine:<40}    {text}"[:150])
                continue
            cells = "".join(
                f"{summary[key].get(point, float('nan')):>14,.1f}"
                for key, _ in KEYS
                for point in SHORT
            )
            lines.append(f"{name + ': ' + engine:<40}{cells}")
        if any(group["ratios"].values()):
            cells = "".join(
                f"{group['ratios'][key].get(point, float('nan')):>14.3f}"
                for key, _ in KEYS
                for point in SHORT
            )
            lines.append(f"{'':<8}{'ours / better peer':<32}{cells}")
    return [*lines, ""]
