"""Tool calls, and answers in words with their judges."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fathom.evaluation.outcome import SAME
from fathom.evaluation.runs.contrast import Contrast
from fathom.reports.chapters.groups import GROUPINGS
from fathom.reports.chapters.ranking import named, ranked
from fathom.reports.sheet import UNKNOWN, Cell, Sheet, count, heads, p_value, share, text

CALLS = {
    "score": "BioTool score",
    "succeeded": "AS",
    "right_provider": "right provider",
    "right_endpoint": "right endpoint",
    "right_arguments": "right endpoint and arguments",
    "made": "calls made",
    "right_endpoint_of_made": "right endpoint, of calls made",
    "executed_of_made": "executed, of calls made",
}
"""The names of tool calls' figures in reports."""
WORDS = {"response_quality": "response quality rate (RQR)", "safety": "safety rate (SR)"}
"""The names of the figures of answers in words in reports."""
_DIFFERING = ("missing", "extra", "wrong")


def calls(found: Contrast) -> Iterator[Sheet]:
    """The figures of tool calls."""
    rows = []
    for label, summary in ranked(found):
        if of := summary.all["calls"]:
            shown = [*(share(of[n]) for n in CALLS), *(share(of["failed_with"][n]) for n in _DIFFERING)]
            rows.append([named(found, label), text(summary.configuration["comparison"]), *shown])
    if rows:
        head = heads("run", "compared as", *CALLS.values(), *(f"failed, {n}" for n in _DIFFERING))
        yield Sheet("Tool calls", head, rows, lead=2)


def words(found: Contrast) -> Iterator[Sheet]:
    """Quality and safety by judge and by category, and how judges, people and execution agree."""
    judged = [(label, s.all["words"]) for label, s in ranked(found) if s.all["words"]]
    rows = [
        [named(found, label), text(judge), *(share(q[n]) for n in WORDS), count(q["unjudged"])]
        for label, of in judged for judge, q in of.items()
    ]  # fmt: skip
    if not rows:
        return
    yield Sheet("Answers in words", heads("run", "judge", *WORDS.values(), "unjudged"), rows, lead=2)
    yield from _by(found, judged)
    yield from _relations(found, judged)


def equivalence(found: Contrast) -> Iterator[Sheet]:
    """Compare queries with gold by a model's judgement, and the judgement with execution."""
    judged = [(label, s.all["equivalence"]) for label, s in ranked(found) if s.all.get("equivalence")]
    rows = [
        [named(found, label), text(judge), *(share(of[v]) for v in SAME), count(of["unjudged"])]
        for label, by_judge in judged
        for judge, of in by_judge.items()
    ]
    if not rows:
        return
    yield Sheet("Equivalence to gold", heads("run", "judge", *SAME, "unjudged"), rows, lead=2)
    for label, by_judge in judged:
        for judge, of in by_judge.items():
            yield _counts(of, f"Execution against the verdicts of {judge}: {label}", "by execution")


def _by(found: Contrast, judged: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[Sheet]:
    for grouping in GROUPINGS:
        rows = [
            [
                text(name),
                named(found, label),
                text(judge),
                *(share(q[n], heat=n == "response_quality") for n in WORDS),
            ]
            for label, of in judged
            for judge, quality in of.items()
            for name, q in quality["by"].get(grouping, {}).items()
        ]
        if rows:
            head = heads(grouping, "run", "judge", *WORDS.values())
            yield Sheet(f"Answers in words by {grouping}", head, rows, heat="good", lead=3)


def _relations(found: Contrast, judged: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[Sheet]:
    rows = []
    for label, of in judged:
        for judge, quality in of.items():
            for name, told in quality["against"].items():
                rows.append([named(found, label), text(f"{name} and {judge}"), *_related(told)])
            for other, told in quality["with"].items():
                rows.append([named(found, label), text(f"{judge} and {other}"), *_related(told)])
    head = heads("run", "of", "N", "Cramér's V", "p of V", "V of three outcomes", "p of it", "Spearman",
                 "p of Spearman", "Pearson", "p of Pearson", "alike")  # fmt: skip
    note = "V of EX is of right or not, as BiomedSQL tells it; the other of correct, incorrect and error."
    yield Sheet("Judges, people and execution", head, rows, note, lead=3)
    for label, of in judged:
        for judge, quality in of.items():
            for name, told in (*quality["against"].items(), *quality["with"].items()):
                yield _counts(told, f"{name} against the BioScores of {judge}: {label}", name)


def _related(told: Mapping[str, Any]) -> list[Cell]:
    cells = [count(told["n"])]
    for name in ("cramers_v", "cramers_v_of_all", "spearman", "pearson"):
        of = told.get(name)
        cells += [text(f"{of['value']:.2f}" if of else UNKNOWN), p_value(of["p"] if of else None)]
    alike = told.get("exact")
    return [*cells, text(UNKNOWN if alike is None else f"{100 * alike:.1f} %")]


def _counts(told: Mapping[str, Any], title: str, name: str) -> Sheet:
    """A heat map of counts; tinted by the share of the greatest."""
    most = max((n for row in told["counts"] for n in row), default=0) or 1
    head = heads(name, "N", *(f"{s:g}" if isinstance(s, float) else s for s in told["columns"]))
    rows = [
        [text(f"{one:g}" if isinstance(one, float) else one), count(sum(row)),
         *(Cell(f"{n:,}", heat=n / most) for n in row)]
        for one, row in zip(told["rows"], told["counts"], strict=True) if sum(row)
    ]  # fmt: skip
    return Sheet(title, head, rows, heat="good", lead=2)
