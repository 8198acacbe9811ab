"""Runs ranked, tested in pairs, and repeated."""

from collections.abc import Iterator, Mapping
from typing import Any

from fathom.evaluation.metrics import Clustered
from fathom.evaluation.outcome import UNJUDGED_BECAUSE
from fathom.evaluation.runs.contrast import Contrast, RunPair
from fathom.evaluation.runs.repeats import RATES, SCORE, Spread, repeats_of
from fathom.evaluation.runs.summary import Summary
from fathom.reports.charts import whisker
from fathom.reports.sheet import Cell, Sheet, count, heads, mean, number, p_value, rate, share, text

_TESTED = ("correct", "only the first", "only the second", "McNemar p", "Holm p", "clustered p", "seconds",
           "tokens")  # fmt: skip


AMBIGUITY = {
    "asked_back": "ambiguous: asked back",
    "asked_back_otherwise": "not ambiguous: asked back",
    "readings_found": "ambiguous: readings given",
    "all_readings": "ambiguous: all readings given",
    "some_reading": "ambiguous: some reading given",
}
"""The names of ambiguous questions' figures in reports."""


def ambiguity(found: Contrast) -> Iterator[Sheet]:
    """How runs do on questions whose readings are marked."""
    marked = [(label, of) for label, s in ranked(found) if (of := s.all["ambiguity"])]
    if marked:
        rows = [[named(found, label), *(share(of[name]) for name in AMBIGUITY)] for label, of in marked]
        note = "A reading is given as the answer, or among those to choose from where a method asks back."
        yield Sheet("Ambiguous questions", heads("run", *AMBIGUITY.values()), rows, note)


def named(found: Contrast, label: str) -> Cell:
    """The cell that names a run."""
    return Cell(label, run=found.numbers[label])


def ranked(found: Contrast) -> list[tuple[str, Summary]]:
    """The runs with their labels, best first."""
    return sorted(found.summaries.items(), key=lambda item: -(item[1].all["correct_rate"] or 0.0))


def leaderboard(found: Contrast) -> Sheet:
    """The headline of each run, best first."""
    runs = ranked(found)
    unjudged = any(s.all["unjudged"] for _, s in runs)
    clustered = any(s.all["clustered"] for _, s in runs)
    counted = ["N judged", "not judged"] if unjudged else ["N"]
    head = heads("run", *counted, "correct", "", *(["clustered interval"] if clustered else []), "incorrect",
                 "error", "coverage", "selective accuracy", "soft F1", "Jaccard", "seconds",
                 "US$")  # fmt: skip
    rows = [_line(found, label, s.all, unjudged=unjudged, clustered=clustered) for label, s in runs]
    return Sheet("Leaderboard", head, rows, lead=1 + len(counted))


def _line(
    found: Contrast, label: str, figures: Mapping[str, Any], *, unjudged: bool, clustered: bool
) -> list[Cell]:
    low, high = figures["intervals"]["correct_rate"]
    drawn = whisker(figures["correct_rate"] or 0.0, low, high, run=found.numbers[label])
    rates = [rate(figures, r) for r in ("incorrect_rate", "error_rate", "coverage", "selective_accuracy")]
    return [
        named(found, label),
        count(figures["n"]),
        *([_unjudged(figures["unjudged"])] if unjudged else []),
        rate(figures, "correct_rate"),
        Cell("", mark=drawn),
        *([by_database(figures["clustered"])] if clustered else []),
        *rates,
        share(figures["partial"]["soft_f1"]),
        share(figures["partial"]["jaccard"]),
        mean(figures["seconds_per_question"]),
        mean(figures["usage"]["total"]["cost_usd"] if "total" in figures["usage"] else None),
    ]


def by_database(of: Mapping[str, Any] | None) -> Cell:
    """The interval with databases resampled."""
    if of is None:
        return Cell("–")
    low, high = of["interval"]
    told = f"{of['databases']:,} databases" + (f"; {of['wider']:.1f} times as wide" if of["wider"] else "")
    return Cell(f"{100 * low:.1f} to {100 * high:.1f}", told)


def _unjudged(because: Mapping[str, int]) -> Cell:
    """How many questions couldn't be judged, and why."""
    told = "; ".join(f"{n:,}: {UNJUDGED_BECAUSE.get(name, name)}" for name, n in because.items())
    return Cell(f"{sum(because.values()):,}", told)


def paired(found: Contrast) -> Sheet | None:
    """The paired tests; None for a run alone."""
    if not found.pairs:
        return None
    count_of = len(found.pairs)
    told = (
        "one pair of runs, so nothing to correct"
        if count_of == 1
        else f"corrected for {count_of} pairs of runs"
    )
    note = (f"Holm p: McNemar's p, {told}. Clustered: databases are resampled, then questions, for questions "
            "about one database aren't independent; “–” over one database.")  # fmt: skip
    rows = [_pair(found, p) for p in found.pairs]
    return Sheet("Paired tests", heads("first", "second", "N", *_TESTED), rows, note, lead=3)


def _pair(found: Contrast, pair: RunPair) -> list[Cell]:
    test = pair.correct
    means = [
        text("–") if m is None else Cell(f"{m.difference:+.3g}", f"{m.low:+.3g} to {m.high:+.3g}")
        for m in (pair.seconds, pair.tokens)
    ]
    return [
        named(found, pair.first),
        named(found, pair.second),
        count(test.n),
        text(f"{100 * test.difference:+.1f} points"),
        count(test.only_first),
        count(test.only_second),
        p_value(test.p_value),
        p_value(pair.holm),
        _clustered(pair.clustered),
        *means,
    ]


def _clustered(found: Clustered | None) -> Cell:
    if found is None:
        return Cell("–")
    points = f"{100 * found.low:+.1f} to {100 * found.high:+.1f} points; {found.clusters:,} databases"
    return Cell(f"{found.p_value:.2g}", points)


def repeats(found: Contrast) -> Sheet | None:
    """Runs that differ in their seed alone, as mean and standard deviation; None without."""
    repeated = list(repeats_of(found.summaries.values()))
    shown = [n for n in (*RATES, SCORE) if any(n in one.spreads for one in repeated)]
    rows = [
        [text(one.name), count(one.runs), count(one.n), *(_spread(one.spreads.get(n)) for n in shown)]
        for one in repeated
    ]
    head = heads("method", "runs", "N a run", *(_REPEATED[n] for n in shown))
    note = "Runs that differ in nothing but their seed: the mean of their figures ± the standard deviation."
    return Sheet("Repeats", head, rows, note, lead=3) if rows else None


_REPEATED = {
    "correct_rate": "correct",
    "incorrect_rate": "incorrect",
    "error_rate": "error",
    SCORE: "BioTool score",
}


def _spread(found: Spread | None) -> Cell:
    if found is None:
        return text("–")
    shown = ", ".join(f"{100 * v:.1f}" for v in found.values)
    return Cell(f"{100 * found.mean:.1f} ± {100 * found.deviation:.1f} %", shown)


_GAPS = {
    "evidence": ("Evidence", "none", "without evidence", "with evidence"),
    "schema": ("Gold schema", "gold", "with the gold schema", "with the whole schema"),
}


def gaps(found: Contrast) -> Iterator[Sheet]:
    """Measure the worth of evidence, or of the gold schema, from runs that differ in nothing else."""
    for setting, (title, given, with_it, without) in _GAPS.items():
        rows = [_gap(found, pair, pair.first, pair.second)
                for pair in found.pairs if _differ_in(found, pair, setting, given)]  # fmt: skip
        rows += [_gap(found, pair, pair.second, pair.first)
                 for pair in found.pairs if _differ_in(found, _turned(pair), setting, given)]  # fmt: skip
        head = heads("run", "N", with_it, "run", without, "gap", "relative", "McNemar p")
        if rows:
            yield Sheet(f"{title}: the gap", head, rows, f"Runs that differ in --{setting} alone.", lead=2)


def _turned(pair: RunPair) -> RunPair:
    return RunPair(pair.second, pair.first, pair.correct, pair.seconds, pair.tokens)


def _differ_in(found: Contrast, pair: RunPair, setting: str, given: str) -> bool:
    """True if the first of a pair has a setting and the second hasn't, and they are alike otherwise."""
    first, second = (
        dict(found.summaries[label].configuration) | {"limit": None} for label in (pair.first, pair.second)
    )
    ours, theirs = dict(first.pop("settings") or {}), dict(second.pop("settings") or {})
    return first == second and ours.pop(setting, None) == given and setting not in theirs and ours == theirs


def _gap(found: Contrast, pair: RunPair, special: str, plain: str) -> list[Cell]:
    ours, theirs = found.summaries[special].all, found.summaries[plain].all
    test = pair.correct
    difference = test.difference if special == pair.first else -test.difference
    base = theirs["correct_rate"]
    relative = f"{100 * difference / base:+.1f} %" if base else "–"
    return [
        named(found, special), count(test.n), rate(ours, "correct_rate"),
        named(found, plain), rate(theirs, "correct_rate"),
        text(f"{100 * difference:+.1f} points"), text(relative), p_value(test.p_value),
    ]  # fmt: skip


def budgets(found: Contrast, measure: str, told: str) -> Sheet:
    """The numbers behind a CR@budget curve, at a handful of budgets."""
    curves = found.budgets[measure]
    steps = [b for b, _ in next(iter(curves.values()))]
    chosen = sorted({steps[round(i * (len(steps) - 1) / 7)] for i in range(8)})
    rows = [
        [named(found, label), *(share(r.as_json()) for b, r in curve if b in chosen)]
        for label, curve in curves.items()
    ]
    return Sheet(f"Correct at most {told}", heads("run", *(number(b) for b in chosen)), rows)
