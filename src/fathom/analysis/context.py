"""The context of a sentence: the measure, subject and time that those before leave to be understood."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from fathom.analysis.claims import (
    ChangeClaim,
    Claim,
    ComparisonClaim,
    ExtremeClaim,
    NumberClaim,
    PeakClaim,
    ShareClaim,
    TrendClaim,
)
from fathom.analysis.quantities import Field, Period, Quantity, RowCondition
from fathom.analysis.query_reading import ReadQuery
from fathom.analysis.vocabulary import Vocabulary, shown
from fathom.text.words import tokens


@dataclass(frozen=True, slots=True)
class SentenceContext:
    """The things that a sentence may leave out.

    `quantities` are meant where it names none, `subjects` are the names that "it", "she" and "they" may
    stand for, and `period` is the time that "then" goes on from.
    """

    quantities: tuple[Quantity, ...] = ()
    subjects: tuple[str, ...] = ()
    period: Period | None = None
    asked: tuple[Quantity, ...] = ()
    """The quantities of the question, which hold after a sentence that nobody could read."""
    by: Field | None = None
    """The column that the question groups by: a name that stands in it is meant as it stands there."""

    @classmethod
    def of_question(cls, found: ReadQuery | None) -> "SentenceContext":
        """The context of an answer's first sentence, by the query that answers the question."""
        return cls((found.quantity,), asked=(found.quantity,), by=found.by) if found else cls()

    def after(self, claims: Sequence[Sequence[Claim]], vocabulary: Vocabulary) -> "SentenceContext":
        """The context of the sentence after one with these claims.

        After a sentence without claims nobody knows whom a pronoun stands for.
        """
        first = [readings[0] for readings in claims if readings]
        if not first:
            return SentenceContext(self.asked, asked=self.asked, by=self.by)
        named = [c for claim in first for c in _named(claim)]
        subjects = dict.fromkeys(shown(c.value) for c in named[:1])
        subjects |= {vocabulary.phrase(q.measure): None for claim in first for q in _quantity(claim)}
        times = [p for claim in first for p in _periods(claim)]
        # Every reading of the last measure, without the rows that it was narrowed to.
        meant = [
            replace(q, where=(), period=None)
            for readings in claims[-1:]
            for c in readings
            for q in _quantity(c)
        ]
        return SentenceContext(
            tuple(dict.fromkeys(meant)) or self.asked,
            tuple(subjects),
            max(times, key=lambda p: p.end) if times else None,
            self.asked,
            self.by,
        )


def _quantity(claim: Claim) -> Iterator[Quantity]:
    if isinstance(
        claim,
        NumberClaim | ComparisonClaim | ExtremeClaim | PeakClaim | ShareClaim | ChangeClaim | TrendClaim,
    ):
        yield claim.quantity


def _named(claim: Claim) -> Iterator[RowCondition]:
    """The rows that a claim is about, its subject first."""
    if isinstance(claim, ExtremeClaim | ShareClaim) and isinstance(claim.of, RowCondition):
        yield claim.of
    elif isinstance(claim, ComparisonClaim):
        yield claim.first
    elif isinstance(claim, NumberClaim | ChangeClaim):
        yield from claim.quantity.where


def fields_of(claim: Claim) -> list[Field]:
    """The columns whose values a claim names."""
    return [c.field for c in _named(claim)]


def _periods(claim: Claim) -> Iterator[Period]:
    if isinstance(claim, ChangeClaim):
        yield from (claim.before, claim.after)
    elif isinstance(claim, PeakClaim):
        yield claim.period
    elif isinstance(claim, NumberClaim) and claim.quantity.period:
        yield claim.quantity.period


def without_pronouns(sentence: str, context: SentenceContext, pronouns: Collection[str]) -> Iterator[str]:
    """The sentence as it is; where it begins with a pronoun, once for each name that this may stand for."""
    said = tokens(sentence)
    first = sentence[said[0].start : said[0].end] if said else ""
    if first.casefold() in pronouns and not first.isupper():  # IT is a department
        for subject in context.subjects:
            yield f"{subject}{sentence[said[0].end :]}"
    else:
        yield sentence
