"""Why questions went wrong: errors by class, failures by class, overlap, and what no run solves."""

from collections.abc import Iterator, Mapping
from typing import Any

from fathom.evaluation.runs.contrast import Contrast
from fathom.reports.chapters.ranking import named, ranked
from fathom.reports.sheet import Cell, Sheet, count, heads, share, text


def failures(found: Contrast) -> Iterator[Sheet]:
    """Errors and failures by class."""
    runs = [(label, s.all) for label, s in ranked(found)]
    final = {label: (f["error_classes"], f["n"]) for label, f in runs}
    first = {label: (f["generation"]["error_classes"], f["n"]) for label, f in runs if f["generation"]}
    yield from _errors(found, final, "Errors of the final query, by class")
    yield from _errors(found, first, "Errors of the first candidate, by class")
    taxonomies = dict.fromkeys(t for d in found.details.values() for t in d.failures)
    for taxonomy in taxonomies:
        yield _classes(found, taxonomy, [label for label, _ in runs])


def _errors(
    found: Contrast, classes: Mapping[str, tuple[Mapping[str, int], int]], title: str
) -> Iterator[Sheet]:
    kinds = sorted({k for of, _ in classes.values() for k in of})
    rows = [
        [named(found, label), count(n), *(count(of.get(k, 0)) for k in kinds)]
        for label, (of, n) in classes.items()
    ]
    if kinds:
        yield Sheet(title, heads("run", "N", *(k.replace("_", " ") for k in kinds)), rows, lead=2)


def _classes(found: Contrast, taxonomy: str, labels: list[str]) -> Sheet:
    """One class a failure, with the ids of a few examples."""
    rows = []
    names: list[str] = []
    for label in labels:
        if (of := found.details[label].failures.get(taxonomy)) is None:
            continue
        names = list(of.counts)
        cells = [
            Cell(f"{n:,}", "; ".join(p for p in (f"{n / of.n:.1%}", _told(of.examples.get(name, ()))) if p))
            for name, n in of.counts.items()
        ]
        rows.append([named(found, label), count(of.n), *cells])
    note = ("Each failure has the first class that holds, from left to right; the share is of all failures, "
            "and ids of examples follow.")  # fmt: skip
    return Sheet(f"Failures by {taxonomy}'s classes", heads("run", "failures", *names), rows, note, lead=2)


def _told(ids: tuple[str, ...]) -> str:
    return f"such as {', '.join(ids)}" if ids else ""


def overlap(found: Contrast) -> Iterator[Sheet]:
    """Common failures of each two runs, and how many questions so many runs solve."""
    names = sorted(found.summaries, key=lambda label: found.numbers[label])
    if len(names) < 2:
        return
    known: dict[tuple[str, str], Any] = {
        **found.overlap,
        **{(b, a): r for (a, b), r in found.overlap.items()},
    }
    rows = [
        [named(found, a), *(text("") if a == b else share(known[a, b].as_json(), heat=True) for b in names)]
        for a in names
    ]
    head = [Cell("run"), *(Cell("", run=found.numbers[n]) for n in names)]
    note = ("Questions that both got wrong, as a share of the smaller number of failures on what both were "
            "asked. A high share means that the two fail alike.")  # fmt: skip
    yield Sheet("Overlap of failures", head, rows, note, heat="bad")
    solved = [
        [text(level), count(sum(counts)), *(count(n) for n in counts)]
        for level, counts in found.solved.items()
    ]
    told = [str(m) for m in range(len(names) + 1)]
    note = "fathom export RUNS --unsolved -o FILE writes those that no run solves."
    head = heads("difficulty", "N", *told)
    yield Sheet("Questions solved by exactly so many runs", head, solved, note, lead=2)
