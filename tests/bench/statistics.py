"""From raw result lines to the figures of the table: percentiles, ratios, verdict counts."""

from __future__ import annotations

from collections import Counter
from typing import Any

POINTS: tuple[tuple[str, float], ...] = (
    ("p10", 0.10),
    ("p50", 0.50),
    ("p90", 0.90),
    ("p99", 0.99),
    ("p99.9", 0.999),
    ("max", 1.0),
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
    "peak_rss_mb",
    "setup_ms",
)
NAMES = (*(name for name, _ in POINTS), "mean")


def percentiles(values_ns: list[int]) -> dict[str, float]:
    """Nearest-rank percentiles and the mean, in microseconds; empty for no values."""
    if not values_ns:
        return {}
    ordered = sorted(values_ns)
    last = len(ordered) - 1
    result = {
        name: ordered[min(last, max(0, -(-int(share * 1000 * len(ordered)) // 1000) - 1))] / 1e3
        for name, share in POINTS
    }
    result["mean"] = sum(ordered) / len(ordered) / 1e3
    return {name: round(value, 2) for name, value in result.items()}


def summarise(rows: list[dict[str, Any]], setups: list[dict[str, Any]]) -> dict[str, Any]:
    """One engine's figures. A schema that timed out counts with the time limit in TTFM."""
    verdicts: Counter[str] = Counter()
    ttfm: list[int] = []
    tbm: list[int] = []
    wholly_right = slow_compiles = 0
    status: Counter[str] = Counter()
    for row in rows:
        status[row["status"]] += 1
        if "ttfm_ns" in row:
            ttfm.append(row["ttfm_ns"])
            slow_compiles += row["ttfm_ns"] > 10**9
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
            result[name] = round(ours[key][name] / min(theirs), 3)
    return result


def render(summaries: dict[str, dict[str, Any]]) -> str:
    """The printed table."""
    lines: list[str] = []
    for key, title in (("ttfm_us", "time to first mask, us"), ("tbm_us", "time between masks, us")):
        lines.append(f"{title:<28}" + "".join(f"{name:>14}" for name in NAMES))
        for engine, summary in summaries.items():
            cells = "".join(f"{summary[key].get(name, float('nan')):>14,.1f}" for name in NAMES)
            lines.append(f"  {engine:<26}{cells}")
        others = [summary for engine, summary in summaries.items() if engine != "ours"]
        if "ours" in summaries and others:
            found = ratios(summaries["ours"], others, key)
            lines.append(
                f"  {'ours / better peer':<26}"
                + "".join(f"{found.get(n, float('nan')):>12.3f}" for n in NAMES)
            )
        lines.append("")
    lines.append(f"{'':<28}" + "".join(f"{engine:>14}" for engine in summaries))
    for name in COUNTS:
        cells = "".join(f"{summary[name]!s:>14}" for summary in summaries.values())
        lines.append(f"{name.replace('_', ' '):<28}{cells}")
    return "\n".join(lines)
