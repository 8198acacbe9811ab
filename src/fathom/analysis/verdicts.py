"""From a claim to a verdict, by recomputing it."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from fathom.analysis.claims import CheckedClaim, Claim, NumberClaim, RecommendationClaim
from fathom.analysis.figures import Figures
from fathom.analysis.quantities import Measure, NotComputable
from fathom.analysis.recomputed import RECOMPUTED
from fathom.analysis.tested import TESTED
from fathom.errors import QueryError

_CHECKS = {**RECOMPUTED, **TESTED}


def check(readings: Claim | Sequence[Claim], figures: Figures) -> CheckedClaim:
    """Recompute a claim, or one that can be read in several ways.

    Of several readings it is supported where one of them is, and contradicted only where all are: who writes
    "orders from Germany" may mean where they go, or whose they are. Readings that no query can be written for
    count for nothing beside others. A claim that the data can't settle, or
    whose query fails, can't be checked. Raises `MissingExtra` for a forecast without statsmodels.
    """
    ways = readings if isinstance(readings, Sequence) else [readings]
    found = [figures.once(claim, partial(_one, claim, figures)) for claim in ways]
    computed = [c for c in found if c.queries or c.premises] or found
    supported = next((c for c in computed if c.verdict == "supported"), None)
    undecided = next((c for c in computed if c.verdict == "can't be checked"), None)
    return supported or undecided or computed[0]


def measure_of_figure(claim: NumberClaim, figures: Figures) -> Measure | None:
    """Another measure of the same rows that has the stated figure, or of those that belong to them."""
    quantity, vocabulary = claim.quantity, figures.vocabulary
    reach = vocabulary.queries.reachable
    conditions = [c.field.table for c in quantity.where]
    learned = [m for held in vocabulary.learned.values() for m in held]
    near = [
        t.name
        for t in vocabulary.database.schema.tables
        if all(reach(t.name, c) is not None for c in conditions)
    ]
    among = near if conditions else [quantity.measure.table]
    # A total of prices is what was paid, though people average them as a rule.
    totals = [Measure("sum", f.table, f.column) for f in vocabulary.numbers if f.table in among]
    measures = (*learned, *(m for table in among for m in vocabulary.measures(table)), *totals)
    for measure in dict.fromkeys(measures):
        if measure.table not in near or measure == quantity.measure:
            continue
        dated = vocabulary.dates_of(measure.table)
        other = replace(quantity, measure=measure, dated=dated[0] if dated else None)
        try:
            value, _ = figures.value(other)
        except (NotComputable, QueryError):
            continue
        if value is not None and claim.stated.fits(value):
            return measure
    return None


def _one(claim: Claim, figures: Figures) -> CheckedClaim:
    if isinstance(claim, RecommendationClaim):
        return _recommended(claim, figures)
    try:
        found: CheckedClaim = _CHECKS[type(claim)](claim, figures)
    except (NotComputable, QueryError) as error:
        return CheckedClaim(claim, "can't be checked", str(error))
    return found


def _recommended(claim: RecommendationClaim, figures: Figures) -> CheckedClaim:
    """Each premise, and nothing of the conclusion: that is for people."""
    premises = tuple(check(readings, figures) for readings in claim.premises)
    verdicts = {p.verdict for p in premises}
    left = "What follows from it is for people to judge."
    if "contradicted" in verdicts:
        false = next(p for p in premises if p.verdict == "contradicted")
        return CheckedClaim(
            claim, "contradicted", f"A premise doesn't hold. {false.reason}", premises=premises
        )
    if not premises or claim.unread or "can't be checked" in verdicts:
        reason = (
            "It gives no premise that can be checked."
            if not premises
            else "Not every premise can be checked."
        )
        return CheckedClaim(claim, "can't be checked", f"{reason} {left}", premises=premises)
    return CheckedClaim(claim, "supported", f"Each premise holds. {left}", premises=premises)
