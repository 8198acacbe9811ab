"""Every chart of a report, each beside the table of what it draws."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from fathom.evaluation.categories import OTHER_FAMILY
from fathom.evaluation.outcome import JUDGED, PASS_AT
from fathom.evaluation.runs.contrast import Contrast
from fathom.reports.chapters.groups import by, names_of
from fathom.reports.chapters.modules import NOT_CANDIDATES
from fathom.reports.chapters.ranking import budgets, named
from fathom.reports.charts import (
    Bar,
    BarGroup,
    Line,
    LineAxis,
    Point,
    Stack,
    bars,
    lines,
    points,
    radar,
    stacks,
)
from fathom.reports.sheet import Cell, Figure, Sheet, count, heads, letter, number, rate, share, text

_MEASURES = {"tokens": "tokens a question", "calls": "model calls a question", "cost_usd": "US$ a question",
             "seconds": "seconds a question"}  # fmt: skip
_MOST_AXES = 14
_RADARS = (
    "SQL category",
    "biology category",
    "reasoning category",
    "kind of question",
    "question type",
    OTHER_FAMILY,
)


def charts(contrast: Contrast) -> list[Figure]:
    """Every chart that these runs have the figures for."""
    runs = [(contrast.numbers[label], (label, s)) for label, s in contrast.summaries.items()]
    found: Iterable[Figure | None] = (
        _difficulty(contrast, runs),
        *_radars(contrast, runs),
        *_quality_radars(runs),
        _revised(contrast, runs),
        *_pareto(contrast),
        *_budgets(contrast),
        _pass_at(contrast, runs),
        _risk_coverage(contrast, runs),
        _calibration(contrast, runs),
    )
    return [f for f in found if f is not None]


Runs = Sequence[tuple[int, tuple[str, Any]]]


def _judged(runs: Runs) -> list[int]:
    return [s.all["n"] for _, (_, s) in runs]


def _stated(runs: Runs) -> list[int]:
    """How many questions of each run have a confidence."""
    return [s.all["confidence"]["n"] for _, (_, s) in runs if s.all["confidence"]]


def _bar(number: int, label: str, figures: Mapping[str, Any] | None) -> Bar:
    if figures is None or figures["correct_rate"] is None:
        return Bar(number, letter(number), f"{label}: not defined", None, 0.0, 1.0)
    low, high = figures["intervals"]["correct_rate"]
    hits, trials = figures["counts"]["correct_rate"]
    told = f"{label}: {figures['correct_rate']:.1%} ({hits} of {trials})"
    return Bar(number, letter(number), told, figures["correct_rate"], low, high)


def _difficulty(contrast: Contrast, runs: Runs) -> Figure | None:
    names = names_of(contrast, "difficulty")
    if not names:
        return None
    groups = []
    for name in names:
        members = [(i, label, s.by.get("difficulty", {}).get(name)) for i, (label, s) in runs]
        n = max(figures["n"] for _, _, figures in members if figures)
        groups.append(BarGroup(f"{name} (N = {n:,})", [_bar(*member) for member in members]))
    return Figure(
        "By difficulty",
        "Correct rate with its 95 % interval.",
        bars(groups, label="By difficulty"),
        by(contrast, "difficulty", names),
        _judged(runs),
    )


def _radars(contrast: Contrast, runs: Runs) -> Iterator[Figure]:
    """A radar for each family of categories; of databases where there is no category."""
    drawable = [g for g in _RADARS if 3 <= len(names_of(contrast, g)) <= _MOST_AXES]
    for grouping in drawable or ["database"]:
        names = names_of(contrast, grouping)
        if not 3 <= len(names) <= _MOST_AXES:
            continue
        shapes = [
            _shape(i, label, [s.by.get(grouping, {}).get(n, {}).get("correct_rate") for n in names])
            for i, (label, s) in runs
        ]
        title = f"By {grouping}"
        sheet = by(contrast, grouping, names)
        chart = radar(names, shapes, label=title)
        yield Figure(title, "Correct rate; further out is better.", chart, sheet, _judged(runs))


def _quality_radars(runs: Runs) -> Iterator[Figure]:
    """Radars of response quality (RQR), by family and judge."""
    judged = [(i, label, judge, q) for i, (label, s) in runs for judge, q in (s.all["words"] or {}).items()]
    for grouping in _RADARS:
        for judge in dict.fromkeys(j for _, _, j, _ in judged):
            of = [(i, label, q["by"].get(grouping, {})) for i, label, j, q in judged if j == judge]
            names = list(dict.fromkeys(n for _, _, found in of for n in found))
            if not 3 <= len(names) <= _MOST_AXES:
                continue
            shapes = [
                _shape(
                    i, label, [found[n]["response_quality"]["value"] if n in found else None for n in names]
                )
                for i, label, found in of
            ]
            title = f"Response quality by {grouping}, judged by {judge}"
            rows = [
                [text(n), *(share(found[n]["response_quality"], heat=True) if n in found else text("–")
                            for _, _, found in of)]
                for n in names
            ]  # fmt: skip
            head = [text(grouping), *(Cell("", run=i) for i, _, _ in of)]
            sheet = Sheet(title, head, rows, heat="good")
            note = "Share of answers with a BioScore of 2 or more."
            asked = [q["response_quality"]["n"] for _, _, j, q in judged if j == judge]
            yield Figure(title, note, radar(names, shapes, label=title), sheet, asked)


def _shape(i: int, label: str, values: Sequence[float | None]) -> Line:
    return Line(i, label, [(float(axis), value or 0.0) for axis, value in enumerate(values)], letter(i))


def _revised(contrast: Contrast, runs: Runs) -> Figure | None:
    """Draw the queries that entered the revision module and those that left it."""
    rows, table, asked = [], [], []
    for i, (label, summary) in runs:
        if (of := summary.all["revision"]) is None:
            continue
        asked.append(of["n"])
        for end in ("before", "after"):
            parts = [(o.value[0].upper(), o.value, of[end][o.value]["value"] or 0.0) for o in JUDGED]
            rows.append(Stack(i, letter(i), end, parts))
            table.append([named(contrast, label), text(end), *(share(of[end][o.value]) for o in JUDGED)])
    if not rows:
        return None
    title = "Before and after revision"
    head = heads("run", "revision", "correct (CR)", "incorrect (IR)", "error (ER)")
    sheet = Sheet(title, head, table, lead=2)
    note = "From left to right, C: correct, I: incorrect, E: error; of the questions that the module had."
    return Figure(title, note, stacks(rows, label=title), sheet, asked)


def _pareto(contrast: Contrast) -> Iterable[Figure | None]:
    for measure, front in contrast.front.items():
        cloud = []
        for label, summary in contrast.summaries.items():
            i = contrast.numbers[label]
            mean = _mean(summary.all, measure)
            correct = summary.all["correct_rate"]
            if mean is not None and correct is not None:
                low, high = summary.all["intervals"]["correct_rate"]
                cloud.append(Point(i, letter(i), label, mean, correct, low, high, label in front))
        if len(cloud) > 1 and any(p.x for p in cloud):
            chart = points(cloud, x_label=_MEASURES[measure], y_label="correct", label=f"Pareto: {measure}")
            note = "Filled: on the Pareto front, beaten by none that is as cheap."
            rows = [
                [named(contrast, p.name), text(number(p.x)),
                 rate(contrast.summaries[p.name].all, "correct_rate"), text("yes" if p.marked else "no")]
                for p in cloud
            ]  # fmt: skip
            title = f"Correct against {_MEASURES[measure]}"
            head = heads("run", _MEASURES[measure], "correct", "on the front")
            judged = [contrast.summaries[p.name].all["n"] for p in cloud]
            yield Figure(title, note, chart, Sheet(title, head, rows), judged)


def _mean(figures: Mapping[str, Any], measure: str) -> float | None:
    if measure == "seconds":
        return _value(figures["seconds_per_question"])
    total = figures["usage"].get("total")
    if total is None:
        return None
    return _value(total[measure])


def _value(mean: Mapping[str, Any]) -> float | None:
    """A mean that is known of every question, as a place on the front takes it."""
    value: float | None = mean["value"]
    return None if mean["missing"] else value


def _budgets(contrast: Contrast) -> Iterable[Figure | None]:
    for measure, curves in contrast.budgets.items():
        drawn = [
            Line(
                contrast.numbers[label],
                label,
                [(b, r.value or 0.0) for b, r in curve],
                letter(contrast.numbers[label]),
            )
            for label, curve in curves.items()
        ]
        chart = lines(drawn, LineAxis(f"most {_MEASURES[measure]}", log=True), y_label="correct", steps=True,
                      label=f"CR@budget: {measure}")  # fmt: skip
        note = "A question over budget counts as wrong."
        sheet = budgets(contrast, measure, _MEASURES[measure])
        asked = [rate.trials for curve in curves.values() for _, rate in curve]
        yield Figure(f"CR@budget: {_MEASURES[measure]}", note, chart, sheet, asked)


def _pass_at(contrast: Contrast, runs: Runs) -> Figure | None:
    drawn, rows, asked = [], [], []
    for i, (label, summary) in runs:
        generation = summary.all["generation"]
        if generation and generation["candidates"] > 1:
            asked += [rate["n"] for rate in generation["pass_at"].values()]
            curve = [
                (float(k), r["value"]) for k, r in generation["pass_at"].items() if r["value"] is not None
            ]
            drawn.append(Line(i, label, curve, letter(i)))
            rows.append(
                [named(contrast, label), *(share(generation["pass_at"].get(str(k))) for k in PASS_AT)]
            )
    if not drawn:
        return None
    ticks = [(float(k), str(k)) for k in PASS_AT]
    chart = lines(drawn, LineAxis("k", ticks), y_label="pass@k", label="pass@k")
    sheet = Sheet("pass@k", heads("run", *(f"k = {k}" for _, k in ticks)), rows)
    note = f"Share of questions with a right query among the first k candidates. {NOT_CANDIDATES}"
    return Figure("pass@k", note, chart, sheet, asked)


def _risk_coverage(contrast: Contrast, runs: Runs) -> Figure | None:
    drawn = [
        Line(i, f"{label}: area {s.all['confidence']['risk_coverage_area']:.3f}",
             s.all["confidence"]["risk_coverage"], letter(i))
        for i, (label, s) in runs if s.all["confidence"]
    ]  # fmt: skip
    if not drawn:
        return None
    ticks = [(t / 4, f"{25 * t} %") for t in range(5)]
    chart = lines(drawn, LineAxis("coverage", ticks, (0, 1)), y_label="risk", label="Risk and coverage")
    head = heads("run", "N", *(f"coverage {t}" for _, t in ticks[1:]), "area below")
    rows = []
    for _, (label, s) in runs:
        if of := s.all["confidence"]:
            curve = of["risk_coverage"]
            at = [min((abs(c - t), risk) for c, risk in curve)[1] for t, _ in ticks[1:]]
            area = text(f"{of['risk_coverage_area']:.3f}")
            rows.append(
                [named(contrast, label), count(of["n"]), *(text(f"{100 * r:.1f} %") for r in at), area]
            )
    note = "Share wrong when only the surest answers are given; lower is better."
    sheet = Sheet("Risk at coverage", head, rows, lead=2)
    return Figure("Risk and coverage", note, chart, sheet, _stated(runs))


def _calibration(contrast: Contrast, runs: Runs) -> Figure | None:
    drawn = [
        Line(i, f"{label}: calibration error {s.all['confidence']['calibration_error']:.3f}",
             [(b["confidence"], b["value"]) for b in s.all["confidence"]["bins"]], letter(i))
        for i, (label, s) in runs if s.all["confidence"]
    ]  # fmt: skip
    if not drawn:
        return None
    ticks = [(t / 4, f"{25 * t} %") for t in range(5)]
    chart = lines(drawn, LineAxis("stated confidence", ticks, (0, 1)), y_label="correct", diagonal=True,
                  label="Calibration")  # fmt: skip
    rows = [
        [named(contrast, label), text(f"{b['confidence']:.2f}"), share(b)]
        for _, (label, s) in runs if s.all["confidence"] for b in s.all["confidence"]["bins"]
    ]  # fmt: skip
    sheet = Sheet("Calibration", heads("run", "mean stated confidence", "correct"), rows, lead=2)
    note = "Ten bins of equal mass; on the diagonal, confidence means what it says."
    return Figure("Calibration", note, chart, sheet, _stated(runs))
