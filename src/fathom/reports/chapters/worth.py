"""The price of a further point, the gain of a costlier run, and the order of methods over benchmarks."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from fathom.evaluation.metrics import spearman
from fathom.evaluation.runs.contrast import Contrast
from fathom.evaluation.runs.summary import Summary
from fathom.reports.chapters.ranking import named, ranked
from fathom.reports.sheet import UNKNOWN, Cell, Sheet, count, heads, number, p_value, points, signed, text

SPENT = {"cost_usd": "US$", "tokens": "tokens", "calls": "model calls", "seconds": "seconds"}
"""The costs of a question, by the measure's name."""
_LEAST = 3
"""Runs of the same methods that an order is told of."""


def worth(found: Contrast) -> Iterator[Sheet]:
    """The price of a point between neighbours on each front, and the gain over the leanest run."""
    if rows := [row for measure in SPENT for row in _prices(found, measure)]:
        note = ("Between neighbours on the Pareto front; a question's means. A point is one per cent of the "
                "questions more that are right.")  # fmt: skip
        head = heads("from", "to", "N", "measure", "points more", "more a question", "a further point")
        yield Sheet("What a further point costs", head, rows, note, lead=4)
    if rows := list(_gains(found)):
        note = "Over the run with the fewest tokens a question; RQR where the same judge has judged both."
        head = heads("run", "over", "N", "EX", "JAC", "RQR", "times the tokens")
        yield Sheet("What more tokens bring", head, rows, note, lead=3).folded()


def spent(summary: Summary, measure: str) -> float | None:
    """The mean of a measure a question; None where it isn't known of every question."""
    figures = summary.all
    total = figures["usage"].get("total")
    found = figures["seconds_per_question"] if measure == "seconds" else total and total[measure]
    return None if not found or found["missing"] or found["value"] is None else float(found["value"])


def _prices(found: Contrast, measure: str) -> Iterator[list[Cell]]:
    known = [(label, cost) for label in found.front.get(measure, ())
             if (cost := spent(found.summaries[label], measure)) is not None]  # fmt: skip
    for (lean, less), (dear, more) in pairwise(sorted(known, key=lambda one: one[1])):
        gain = _rate(found, dear) - _rate(found, lean)
        if gain > 0 and more > less:
            yield [
                named(found, lean), named(found, dear), count(found.summaries[dear].all["n"]),
                text(SPENT[measure]), points(gain),
                text(number(more - less)), text(number((more - less) / (100 * gain))),
            ]  # fmt: skip


def _rate(found: Contrast, label: str) -> float:
    return float(found.summaries[label].all["correct_rate"] or 0.0)


def _gains(found: Contrast) -> Iterator[list[Cell]]:
    known = [(label, used) for label, s in ranked(found) if (used := spent(s, "tokens"))]
    if len(known) < 2:
        return
    base, least = min(known, key=lambda one: one[1])
    for label, used in known:
        if label != base:
            ours, theirs = found.summaries[label].all, found.summaries[base].all
            yield [
                named(found, label), named(found, base), count(ours["n"]),
                points(_rate(found, label) - _rate(found, base)),
                _more(ours["partial"]["jaccard"], theirs["partial"]["jaccard"]), _quality(ours, theirs),
                text(f"{used / least:.2f}"),
            ]  # fmt: skip


def _more(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> Cell:
    if ours["value"] is None or theirs["value"] is None:
        return text(UNKNOWN)
    return text(f"{signed(100 * (ours['value'] - theirs['value']))} points")


def _quality(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> Cell:
    judges = [j for j in ours["words"] or {} if j in (theirs["words"] or {})]
    if not judges:
        return text(UNKNOWN)
    return _more(*(of["words"][judges[0]]["response_quality"] for of in (ours, theirs)))


def order_elsewhere(found: Sequence[Contrast]) -> Iterator[Sheet]:
    """Compare the order of the same methods over each two benchmarks."""
    rates = [{s.configuration["method"]: s.all["correct_rate"] for _, s in ranked(one)} for one in found]
    rows = []
    for i, one in enumerate(found):
        for j, other in enumerate(found[:i]):
            both = [m for m in rates[i] if m in rates[j] and None not in (rates[i][m], rates[j][m])]
            told = spearman([rates[j][m] for m in both], [rates[i][m] for m in both])
            if len(both) >= _LEAST and told is not None:
                rows.append([text(other.benchmark), text(one.benchmark), count(len(both)),
                             text(f"{told.value:.2f}"), p_value(told.p)])  # fmt: skip
    if rows:
        head = heads("benchmark", "another", "N", "Spearman", "p")
        note = "The rank correlation of the correct rates of the N methods that both have."
        yield Sheet("Whether the order of methods holds", head, rows, note, lead=3)
