"""The claims that can be recomputed, by kind, and what came out when one was.

A claim holds names of the schema and values; the words that it was read from stay beside it (`Statement`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from fathom.analysis.quantities import Field, Measure, Period, Quantity, RowCondition
from fathom.records import Chart

Direction = Literal["up", "down", "flat"]
Verdict = Literal["supported", "contradicted", "can't be checked"]


@dataclass(frozen=True, slots=True)
class Stated:
    """A number as it was printed: two values that print alike can't be told apart; `money` with a currency.

    `unit` is what one of its last printed digit is worth ("1.2 million": 100,000). A `hedge` says that it is
    about so much, more than that, or less.
    """

    value: float
    unit: float = 1.0
    hedge: Literal["", "about", "over", "at least", "under", "at most"] = ""
    money: bool = False

    def fits(self, actual: float) -> bool:
        """True if an actual value may be told so."""
        near = 0.5 * self.unit * (1 + 1e-9) + 1e-9 * abs(actual)
        if self.hedge == "about":
            return abs(actual - self.value) <= max(near, _ABOUT * abs(actual))
        if self.hedge in {"over", "at least"}:
            reached = actual > self.value or (actual == self.value and self.hedge == "at least")
            return reached and actual <= max(self.value / (1 - _OVER), self.value + self.unit)
        if self.hedge in {"under", "at most"}:
            kept = actual < self.value or (actual == self.value and self.hedge == "at most")
            return kept and actual >= min(self.value / (1 + _OVER), self.value - self.unit)
        return abs(actual - self.value) <= near


_ABOUT = 0.05
"""Who says "about" gives two digits that can be trusted."""
_OVER = 0.25
""" "Over 100" is said of 120, and misleads where it is 1,000. "More than two" is said up to three."""


@dataclass(frozen=True, slots=True)
class NumberClaim:
    """A quantity has a value."""

    quantity: Quantity
    stated: Stated


@dataclass(frozen=True, slots=True)
class ComparisonClaim:
    """A quantity is more, less or the same for `first` than for `second`, by a factor, share or number if
    stated."""

    quantity: Quantity
    first: RowCondition
    second: RowCondition
    relation: Literal["more", "less", "same"]
    factor: Stated | None = None
    per_cent: Stated | None = None
    by: Stated | None = None


@dataclass(frozen=True, slots=True)
class ExtremeClaim:
    """A value of a column has the most or the least of a quantity, or comes at a later place."""

    quantity: Quantity
    of: RowCondition
    most: bool = True
    place: int = 1


@dataclass(frozen=True, slots=True)
class PeakClaim:
    """A quantity was at its highest or lowest in a month or year."""

    quantity: Quantity
    period: Period
    most: bool = True


@dataclass(frozen=True, slots=True)
class ShareClaim:
    """A part of a quantity, in per cent of the whole: of the rows with a value, or of those of a span."""

    quantity: Quantity
    of: RowCondition | Period
    per_cent: Stated


@dataclass(frozen=True, slots=True)
class ChangeClaim:
    """A quantity rose or fell from one span to another, by so many per cent or so many times if stated."""

    quantity: Quantity
    before: Period
    after: Period
    direction: Direction
    per_cent: Stated | None = None
    factor: Stated | None = None


@dataclass(frozen=True, slots=True)
class TrendClaim:
    """A quantity rises, falls, or stays level over all the time there is, or since a month or year."""

    quantity: Quantity
    direction: Direction
    since: Period | None = None


@dataclass(frozen=True, slots=True)
class AssociationClaim:
    """Two columns of numbers go together, or don't: `sign` 1, -1, 0 for none, None for either way."""

    first: Field
    second: Field
    sign: Literal[1, -1, 0] | None = None
    where: tuple[RowCondition, ...] = ()


@dataclass(frozen=True, slots=True)
class CoMovementClaim:
    """Two quantities go together over time, at once or one after the other."""

    first: Quantity
    second: Quantity
    sign: Literal[1, -1, 0] | None = None


@dataclass(frozen=True, slots=True)
class DifferenceClaim:
    """The numbers of a column differ between the values of another, or don't; or two columns of names are
    bound up with each other. `caused` says that one does something to the other."""

    measure: Measure
    by: Field
    differs: bool = True
    where: tuple[RowCondition, ...] = ()
    caused: bool = False


@dataclass(frozen=True, slots=True)
class ForecastClaim:
    """A quantity will have a value in a month to come, or will rise or fall over the next months."""

    quantity: Quantity
    period: Period | None = None
    stated: Stated | None = None
    direction: Direction | None = None
    months: int = 0


@dataclass(frozen=True, slots=True)
class RecommendationClaim:
    """A recommendation with its reasons: the reasons can be checked, the conclusion is for people."""

    advice: str
    premises: tuple[tuple["Claim", ...], ...] = ()
    unread: tuple[str, ...] = ()
    """Reasons that no rule could read."""


Claim = (
    NumberClaim
    | ComparisonClaim
    | ExtremeClaim
    | PeakClaim
    | ShareClaim
    | ChangeClaim
    | TrendClaim
    | AssociationClaim
    | CoMovementClaim
    | DifferenceClaim
    | ForecastClaim
    | RecommendationClaim
)
KINDS: Mapping[type, str] = {
    NumberClaim: "number",
    ComparisonClaim: "comparison",
    ExtremeClaim: "comparison",
    PeakClaim: "comparison",
    ShareClaim: "share",
    ChangeClaim: "trend",
    TrendClaim: "trend",
    AssociationClaim: "association",
    CoMovementClaim: "association",
    DifferenceClaim: "group difference",
    ForecastClaim: "forecast",
    RecommendationClaim: "recommendation",
}
"""The name of each kind of claim, as people read it."""


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """A claim recomputed: the verdict and why, the queries, the figures by name, the test, and a plot."""

    claim: Claim
    verdict: Verdict
    reason: str
    queries: tuple[str, ...] = ()
    figures: Mapping[str, Any] = field(default_factory=dict)
    test: str = ""
    chart: Chart | None = None
    premises: tuple["CheckedClaim", ...] = ()

    @property
    def kind(self) -> str:
        """The name of the claim's kind, as people read it."""
        return KINDS[type(self.claim)]

    def as_json(self) -> dict[str, Any]:
        """The check as JSON values."""
        told: dict[str, Any] = {
            "kind": self.kind,
            "verdict": self.verdict,
            "reason": self.reason,
            "queries": list(self.queries),
            "figures": dict(self.figures),
            "test": self.test,
        }
        if self.premises:
            told["premises"] = [p.as_json() for p in self.premises]
        if self.chart:
            told["plot"] = dict(self.chart.specification)
        return told
