"""Findings about a quantity: sentences, each kept only where its own check supports it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from fathom.analysis.claim_reader import Reader
from fathom.analysis.claims import CheckedClaim
from fathom.analysis.figures import Figures
from fathom.analysis.meanings import Meanings
from fathom.analysis.patterns import phrasing
from fathom.analysis.quantities import Field, NotComputable, Quantity
from fathom.analysis.verdicts import check
from fathom.analysis.vocabulary import shown
from fathom.errors import QueryError
from fathom.records import shown_value
from fathom.text.words import tokens

Kind = Literal["descriptive", "diagnostic", "predictive", "prescriptive"]
_GROUPS = 3
"""Columns whose groups are compared: more make a list, no report."""
_LONGEST_SUBJECT = 8


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence, and the checks of its claims: all supported."""

    sentence: str
    checks: tuple[CheckedClaim, ...]


def kind_of(question: str) -> Kind:
    """Which kind of business question it is, by the words in `phrasing.yaml`."""
    said = f" {' '.join(t.folded for t in tokens(question))} "
    kinds: tuple[Kind, ...] = ("prescriptive", "predictive", "diagnostic")
    return next((k for k in kinds if any(f" {w} " in said for w in phrasing()["kinds"][k])), "descriptive")


def subject(question: str, figures: Figures) -> Quantity | None:
    """The quantity that a question is about: that of the longest stretch of words that names one."""
    meanings, said = Meanings(figures.vocabulary), tokens(question)
    for length in range(min(_LONGEST_SUBJECT, len(said)), 0, -1):
        for first in range(len(said) - length + 1):
            phrase = question[said[first].start : said[first + length - 1].end]
            if found := meanings.quantities(phrase):
                return found[0]
    return None


def findings(quantity: Quantity, kind: Kind, figures: Figures, reader: Reader) -> list[Finding]:
    """Give the sentences about a quantity that the data support, each read and supported by the checker."""
    found = []
    for sentence in _candidates(quantity, kind, figures):
        statement = reader.read(sentence)
        checks = tuple(check(readings, figures) for readings in statement.claims)
        if checks and not statement.unread and all(c.verdict == "supported" for c in checks):
            found.append(Finding(sentence, checks))
    return found


def _candidates(quantity: Quantity, kind: Kind, figures: Figures) -> Iterator[str]:
    vocabulary = figures.vocabulary
    name = vocabulary.name(quantity)
    value, _ = figures.value(quantity)
    if value is None:
        return
    yield f"The {name} is {shown_value(value)}."
    if quantity.period is None and kind != "diagnostic":
        yield from _over_time(quantity, kind, name, figures)
    for by in vocabulary.groups_of(quantity.measure.table)[:_GROUPS]:
        yield from _of_groups(quantity, by, kind, figures)
    if kind == "diagnostic":
        yield from _going_together(quantity, figures)


def _of_groups(quantity: Quantity, by: Field, kind: Kind, figures: Figures) -> Iterator[str]:
    vocabulary = figures.vocabulary
    name, group = vocabulary.name(quantity), vocabulary.field_name(by)
    try:
        values, _ = figures.grouped(quantity, by)
    except (NotComputable, QueryError):
        return
    if len(values) < 2:
        return
    top, most = next((shown(value), number) for value, number in values.items())
    yield f"The {group} with the highest {name} is {top}."
    whole, _ = figures.value(quantity)
    if quantity.measure.adds_up and whole:
        yield f"{top} accounts for {most / whole * 100:.1f}% of the {name}."
    if kind == "diagnostic":
        for number in _numbers_beside(quantity, figures):
            yield f"The {vocabulary.field_name(number)} differs significantly between {group} groups."


def _going_together(quantity: Quantity, figures: Figures) -> Iterator[str]:
    measured = quantity.measure.field
    for other in _numbers_beside(quantity, figures):
        if measured is not None and other != measured:
            one, two = figures.vocabulary.field_name(measured), figures.vocabulary.field_name(other)
            yield f"The {one} is positively correlated with the {two}."
            yield f"The {one} is negatively correlated with the {two}."


def _numbers_beside(quantity: Quantity, figures: Figures) -> list[Field]:
    return [f for f in figures.vocabulary.numbers if f.table == quantity.measure.table]


def _over_time(quantity: Quantity, kind: Kind, name: str, figures: Figures) -> Iterator[str]:
    try:
        series, _ = figures.series(quantity)
    except (NotComputable, QueryError):
        return
    yield f"The {name} has risen over time."
    yield f"The {name} has fallen over time."
    if kind == "descriptive":
        return
    try:
        ahead = figures.projection(quantity, 6)
    except NotComputable:
        return
    for verb in ("rise", "fall", "stay level"):
        yield f"The {name} will {verb} over the next 6 {series.unit}s."
    if series.per_year == 12:
        day = series.day(len(series))
        value = float(ahead.values[0])
        said = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}"
        yield f"The {name} will be about {said} in {day:%B} {day.year}."
