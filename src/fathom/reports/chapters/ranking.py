"""Runs ranked, tested in pairs, and repeated."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fathom.evaluation.metrics import Clustered
from fathom.evaluation.outcome import UNJUDGED_BECAUSE
from fathom.evaluation.runs.contrast import Contrast, RunPair
from fathom.evaluation.runs.repeats import RATES, SCORE, Spread, repeats_of
from fathom.evaluation.runs.summary import Summary
from fathom.reports.charts import whisker
from fathom.reports.sheet import (
    UNKNOWN,
    Cell,
    Sheet,
    count,
    dollars,
    heads,
    mean,
    number,
    p_value,
    points,
    rate,
    share,
    signed,
    text,
)

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
    head = heads("run", *counted, "correct (EX, CR)", "", *(["databases resampled"] if clustered else []),
                 "coverage", "selective accuracy", "incorrect (IR)", "error (ER, SER)", "soft F1",
                 "Jaccard (JAC)", "seconds", "US$")  # fmt: skip
    rows = [_line(found, label, s.all, unjudged=unjudged, clustered=clustered) for label, s in runs]
    return Sheet("Leaderboard", head, rows, lead=1 + len(counted)).folded()


def _line(
    found: Contrast, label: str, figures: Mapping[str, Any], *, unjudged: bool, clustered: bool
) -> list[Cell]:
    low, high = figures["intervals"]["correct_rate"]
    drawn = whisker(figures["correct_rate"] or 0.0, low, high, run=found.numbers[label])
    rates = [rate(figures, r) for r in ("coverage", "selective_accuracy", "incorrect_rate", "error_rate")]
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
        dollars(figures["usage"].get("total")),
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
        points(test.difference),
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


@dataclass(frozen=True, slots=True)
class _Gap:
    """Runs of which one has a `setting` at a `value`, or any, and the other none; `more` gains the gap.

    `takes` says that the setting takes something away, as `--evidence none` does: its run is then the base.
    """

    title: str
    setting: str
    value: str
    base: str
    more: str
    takes: bool = False


_GAPS = (
    _Gap("Evidence", "evidence", "none", "without evidence", "with evidence", takes=True),
    _Gap("Gold schema", "schema", "gold", "with the whole schema", "with the gold schema"),
    _Gap("Another database", "on", "", "on its own database", "on the other database"),
)


def gaps(found: Contrast) -> Iterator[Sheet]:
    """Measure the worth of evidence, or of the gold schema, from runs that differ in nothing else."""
    for gap in _GAPS:
        rows = [_gap(found, pair, base) for pair, base in _based(found, gap)]
        head = heads("run", "N", gap.base, "run", gap.more, "gap", "relative", "McNemar p")
        note = (f"Runs that differ in --{gap.setting} alone. The gap is the rate {gap.more} less that "
                f"{gap.base}.")  # fmt: skip
        if rows:
            yield Sheet(f"{gap.title}: the gap", head, rows, note, lead=2)
        timed = [_speed_gap(found, pair, base) for pair, base in _based(found, gap) if _timed(found, pair)]
        if timed:
            head = heads("run", "N", gap.base, "run", gap.more, "gap", "relative")
            yield Sheet(f"{gap.title}: the gap in VES", head, timed, note, lead=2)


def _based(found: Contrast, gap: _Gap) -> Iterator[tuple[RunPair, str]]:
    """The pairs that differ in this alone, each with the run that the other's gain is counted from."""
    for pair in found.pairs:
        if (base := _base(found, gap, pair)) is not None:
            yield pair, base


def _timed(found: Contrast, pair: RunPair) -> bool:
    return all(found.summaries[label].all["speed"] for label in (pair.first, pair.second))


def _speed_gap(found: Contrast, pair: RunPair, base: str) -> list[Cell]:
    more = pair.second if base == pair.first else pair.first
    speeds = [found.summaries[label].all["speed"]["ves"] for label in (base, more)]
    before, after = (one["value"] or 0.0 for one in speeds)
    relative = f"{signed(100 * (after - before) / before)} %" if before else UNKNOWN
    return [
        named(found, base), count(pair.correct.n), mean(speeds[0]),
        named(found, more), mean(speeds[1]), text(signed(after - before)), text(relative),
    ]  # fmt: skip


def _base(found: Contrast, gap: _Gap, pair: RunPair) -> str | None:
    """The run of a pair that the other's gain is counted from; None where they don't differ in this alone."""
    for special, plain in ((pair.first, pair.second), (pair.second, pair.first)):
        if _differ_in(found, special, plain, gap):
            return special if gap.takes else plain
    return None


def _differ_in(found: Contrast, special: str, plain: str, gap: _Gap) -> bool:
    """True if the first run has the setting and the second hasn't, and they are alike otherwise."""
    first, second = (
        dict(found.summaries[label].configuration) | {"limit": None} for label in (special, plain)
    )
    ours, theirs = dict(first.pop("settings") or {}), dict(second.pop("settings") or {})
    value = ours.pop(gap.setting, None)
    has = value is not None and value == (gap.value or value) and gap.setting not in theirs
    return has and first == second and ours == theirs


def _gap(found: Contrast, pair: RunPair, base: str) -> list[Cell]:
    more = pair.second if base == pair.first else pair.first
    difference = pair.correct.difference * (1 if more == pair.first else -1)
    rates = found.summaries[base].all, found.summaries[more].all
    before = rates[0]["correct_rate"]
    return [
        named(found, base), count(pair.correct.n), rate(rates[0], "correct_rate"),
        named(found, more), rate(rates[1], "correct_rate"), points(difference),
        text(f"{signed(100 * difference / before)} %" if before else UNKNOWN), p_value(pair.correct.p_value),
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
