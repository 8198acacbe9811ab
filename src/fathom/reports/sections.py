"""The parts of the page: which charts and tables there are, from the figures of the runs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from fathom.evaluation.runs.contrast import Contrast
from fathom.reports.charts import Bar, Group, Line, Point, bars, lines, points, radar, whisker

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MEASURES = {"tokens": "tokens a question", "calls": "model calls a question", "cost_usd": "US$ a question",
             "seconds": "seconds a question"}  # fmt: skip
_MOST_AXES = 14
_LEVELS = ("easy", "simple", "medium", "moderate", "hard", "challenging", "extra")


@dataclass(frozen=True, slots=True)
class Figure:
    """One chart with its title and what it says; `note` tells how to read it."""

    title: str
    note: str
    chart: Markup


@dataclass(frozen=True, slots=True)
class RunLine:
    """One run in the leaderboard."""

    number: int
    letter: str
    label: str
    figures: Mapping[str, Any]
    mark: Markup
    comparison: str


def letter(number: int) -> str:
    """The letter of a run: A, B, ..., Z, AA, ..."""
    return LETTERS[number] if number < len(LETTERS) else letter(number // 26 - 1) + LETTERS[number % 26]


def leaderboard(contrast: Contrast) -> list[RunLine]:
    """The runs, best first; the letters follow the order in which they were named."""
    found = []
    for number, (label, summary) in enumerate(contrast.summaries.items()):
        figures = summary.all
        low, high = figures["intervals"]["correct_rate"]
        mark = whisker(figures["correct_rate"] or 0.0, low, high, run=number)
        comparison = summary.configuration["comparison"]
        found.append(RunLine(number, letter(number), label, figures, mark, comparison))
    return sorted(found, key=lambda run: -(run.figures["correct_rate"] or 0.0))


def charts(contrast: Contrast) -> list[Figure]:
    """Every chart that these runs have the figures for."""
    runs = list(enumerate(contrast.summaries.items()))
    found: Iterable[Figure | None] = (
        _difficulty(runs),
        _radar(runs),
        *_pareto(contrast),
        *_budgets(contrast),
        _pass_at(runs),
        _risk_coverage(runs),
        _calibration(runs),
    )
    return [f for f in found if f is not None]


Runs = Sequence[tuple[int, tuple[str, Any]]]


def _bar(number: int, label: str, figures: Mapping[str, Any] | None) -> Bar:
    if figures is None or figures["correct_rate"] is None:
        return Bar(number, letter(number), f"{label}: not defined", None, 0.0, 1.0)
    low, high = figures["intervals"]["correct_rate"]
    hits, trials = figures["counts"]["correct_rate"]
    told = f"{label}: {figures['correct_rate']:.1%} ({hits} of {trials})"
    return Bar(number, letter(number), told, figures["correct_rate"], low, high)


def _names(runs: Runs, grouping: str) -> list[str]:
    return list(dict.fromkeys(name for _, (_, s) in runs for name in s.by.get(grouping, {})))


def _difficulty(runs: Runs) -> Figure | None:
    known = _names(runs, "difficulty")
    names = sorted(known, key=lambda n: _LEVELS.index(n) if n in _LEVELS else len(_LEVELS))
    if not names:
        return None
    groups = []
    for name in names:
        members = [(i, label, s.by.get("difficulty", {}).get(name)) for i, (label, s) in runs]
        n = max(figures["n"] for _, _, figures in members if figures)
        groups.append(Group(f"{name} (N = {n:,})", [_bar(*member) for member in members]))
    return Figure(
        "By difficulty", "Correct rate with its 95 % interval.", bars(groups, label="By difficulty")
    )


def _radar(runs: Runs) -> Figure | None:
    names = _names(runs, "category")
    grouping = "category"
    if len(names) < 3:
        grouping = "database"
        names = _names(runs, "database")
    if not 3 <= len(names) <= _MOST_AXES:
        return None
    shapes = [
        Line(i, label, [(a, s.by.get(grouping, {}).get(n, {}).get("correct_rate") or 0.0)
                        for a, n in enumerate(names)])
        for i, (label, s) in runs
    ]  # fmt: skip
    return Figure(
        f"By {grouping}", "Correct rate; further out is better.", radar(names, shapes, label=f"By {grouping}")
    )


def _pareto(contrast: Contrast) -> Iterable[Figure | None]:
    for measure, front in contrast.front.items():
        cloud = []
        for i, (label, summary) in enumerate(contrast.summaries.items()):
            mean = _mean(summary.all, measure)
            rate = summary.all["correct_rate"]
            if mean is not None and rate is not None:
                low, high = summary.all["intervals"]["correct_rate"]
                cloud.append(Point(i, letter(i), label, mean, rate, low, high, label in front))
        if len(cloud) > 1 and any(p.x for p in cloud):
            chart = points(cloud, x_label=_MEASURES[measure], y_label="correct", label=f"Pareto: {measure}")
            note = "Filled: on the Pareto front, beaten by none that is as cheap."
            yield Figure(f"Correct against {_MEASURES[measure]}", note, chart)


def _mean(figures: Mapping[str, Any], measure: str) -> float | None:
    if measure == "seconds":
        return _value(figures["seconds_per_question"])
    total = figures["usage"].get("total")
    if total is None:
        return None
    if measure == "tokens":
        parts = _value(total["prompt_tokens"]), _value(total["completion_tokens"])
        return None if None in parts else sum(p or 0.0 for p in parts)
    return None if total[measure]["missing"] else _value(total[measure])


def _value(mean: Mapping[str, Any]) -> float | None:
    value: float | None = mean["value"]
    return value


def _budgets(contrast: Contrast) -> Iterable[Figure | None]:
    numbers = {label: i for i, label in enumerate(contrast.summaries)}
    for measure, curves in contrast.budgets.items():
        drawn = [
            Line(numbers[label], label, [(b, rate.value or 0.0) for b, rate in curve])
            for label, curve in curves.items()
        ]
        chart = lines(drawn, x_label=f"most {_MEASURES[measure]}", y_label="correct", log=True, steps=True,
                      label=f"CR@budget: {measure}")  # fmt: skip
        note = "A question over budget counts as wrong."
        yield Figure(f"CR@budget: {_MEASURES[measure]}", note, chart)


def _pass_at(runs: Runs) -> Figure | None:
    drawn = []
    for i, (label, summary) in runs:
        generation = summary.all["generation"]
        if generation and generation["candidates"] > 1:
            curve = [
                (float(k), r["value"]) for k, r in generation["pass_at"].items() if r["value"] is not None
            ]
            drawn.append(Line(i, label, curve))
    if not drawn:
        return None
    ticks = [(float(k), str(k)) for k in (1, 5, 10, 15, 20)]
    chart = lines(drawn, x_label="k", y_label="pass@k", ticks=ticks, label="pass@k")
    return Figure("pass@k", "Share of questions with a right query among the first k candidates.", chart)


def _risk_coverage(runs: Runs) -> Figure | None:
    drawn = [
        Line(i, f"{label}: area {s.all['confidence']['risk_coverage_area']:.3f}",
             s.all["confidence"]["risk_coverage"])
        for i, (label, s) in runs if s.all["confidence"]
    ]  # fmt: skip
    if not drawn:
        return None
    ticks = [(t / 4, f"{25 * t} %") for t in range(5)]
    chart = lines(
        drawn, x_label="coverage", y_label="risk", ticks=ticks, x_range=(0, 1), label="Risk and coverage"
    )
    return Figure(
        "Risk and coverage", "Share wrong when only the surest answers are given; lower is better.", chart
    )


def _calibration(runs: Runs) -> Figure | None:
    drawn = [
        Line(i, f"{label}: calibration error {s.all['confidence']['calibration_error']:.3f}",
             [(b["confidence"], b["value"]) for b in s.all["confidence"]["bins"]])
        for i, (label, s) in runs if s.all["confidence"]
    ]  # fmt: skip
    if not drawn:
        return None
    ticks = [(t / 4, f"{25 * t} %") for t in range(5)]
    chart = lines(drawn, x_label="stated confidence", y_label="correct", ticks=ticks, x_range=(0, 1),
                  diagonal=True, label="Calibration")  # fmt: skip
    return Figure(
        "Calibration", "Ten bins of equal mass; on the diagonal, confidence means what it says.", chart
    )


def overlap_table(contrast: Contrast) -> list[list[Any]]:
    """Rows of the heat map: for each pair of runs the share of common failures, None on the diagonal."""
    names = list(contrast.summaries)
    known = {**contrast.overlap, **{(b, a): r for (a, b), r in contrast.overlap.items()}}
    return [[None if a == b else known[a, b] for b in names] for a in names]
