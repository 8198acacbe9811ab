"""Correct rates by difficulty, database, category and type, runs beside each other."""

from collections.abc import Iterator

from fathom.evaluation.categories import in_order
from fathom.evaluation.runs.contrast import Contrast
from fathom.reports.sheet import UNKNOWN, Cell, Sheet, count, heads, rate, text

GROUPINGS = ("difficulty", "question type", "evidence kind", "SQL category", "biology category",
             "reasoning category", "kind of question", "category", "provider", "tool",
             "database")  # fmt: skip


def names_of(found: Contrast, grouping: str) -> list[str]:
    """The groups that any run has, in the order to show them."""
    every = dict.fromkeys(n for s in found.summaries.values() for n in s.by.get(grouping, {}))
    return in_order(grouping, every)


def grouped(found: Contrast) -> Iterator[Sheet]:
    """One heat map a grouping: its groups against the runs."""
    for grouping in GROUPINGS:
        names = names_of(found, grouping)
        if len(names) > 1 or (names and grouping not in ("database", "difficulty")):
            yield by(found, grouping, names)


def by(found: Contrast, grouping: str, names: list[str], *, title: str = "") -> Sheet:
    """Correct rates of groups; a run that has none of a group's questions shows “–”."""
    labels = sorted(found.summaries, key=lambda label: found.numbers[label])
    rows = []
    for name in names:
        cells = [found.summaries[label].by.get(grouping, {}).get(name) for label in labels]
        shown = [rate(c, "correct_rate", heat=True) if c else text(UNKNOWN) for c in cells]
        rows.append([text(name), count(max(c["n"] for c in cells if c)), *shown])
    head = [*heads(grouping, "N"), *(Cell("", run=found.numbers[label]) for label in labels)]
    note = "Share correct; the N of a group is that of the run that has most of it."
    return Sheet(title or f"Correct by {grouping}", head, rows, note, heat="good", lead=2)
