"""Checks of claims that one or two queries settle: numbers, comparisons, extremes, peaks, shares, changes."""

from typing import Any

from fathom.analysis import plots
from fathom.analysis.claims import (
    ChangeClaim,
    CheckedClaim,
    ComparisonClaim,
    ExtremeClaim,
    NumberClaim,
    PeakClaim,
    ShareClaim,
    Verdict,
)
from fathom.analysis.figures import Figures
from fathom.analysis.quantities import Period
from fathom.analysis.vocabulary import period_name, shown
from fathom.records import shown_value

_DIGITS = 6
_SAME = 0.02
"""Two quantities are "about the same" within this share of the larger."""


def number(claim: NumberClaim, figures: Figures) -> CheckedClaim:
    """The stated number against the quantity."""
    value, sql = figures.value(claim.quantity)
    name = figures.vocabulary.name(claim.quantity)
    if value is None:
        return CheckedClaim(claim, "can't be checked", f"There are no rows for the {name}.", (sql,))
    told = f"The {name} is {shown_value(value)}."
    if claim.stated.money and not figures.vocabulary.is_money(claim.quantity.measure):
        return CheckedClaim(claim, "can't be checked", f"{told} Nothing says that this is money.", (sql,))
    return CheckedClaim(
        claim,
        _verdict(claim.stated.fits(value)),
        told,
        (sql,),
        {"value": value, "stated": claim.stated.value},
    )


def comparison(claim: ComparisonClaim, figures: Figures) -> CheckedClaim:
    """Both sides of a comparison, with the stated factor or share between them."""
    first, one = figures.value(claim.quantity.at(claim.first))
    second, two = figures.value(claim.quantity.at(claim.second))
    name = figures.vocabulary.name(claim.quantity)
    if first is None or second is None:
        return CheckedClaim(
            claim, "can't be checked", f"There are no rows for one side of the {name}.", (one, two)
        )
    near = abs(first - second) <= _SAME * max(abs(first), abs(second))
    holds = {"more": first > second, "less": first < second, "same": near}[claim.relation]
    high, low = max(first, second), min(first, second)
    if claim.factor is not None:
        holds = holds and low > 0 and claim.factor.fits(high / low)
    if claim.per_cent is not None:
        holds = holds and second > 0 and claim.per_cent.fits(abs(first - second) / second * 100)
    if claim.by is not None:
        holds = holds and claim.by.fits(high - low)
    sides = {shown(claim.first.value): first, shown(claim.second.value): second}
    told = "; ".join(f"{side}: {shown_value(value)}" for side, value in sides.items())
    group = figures.vocabulary.field_name(claim.first.field)
    return CheckedClaim(
        claim, _verdict(holds), f"The {name} by {group}: {told}.", (one, two), sides,
        chart=plots.bars(sides, group, name),
    )  # fmt: skip


def extreme(claim: ExtremeClaim, figures: Figures) -> CheckedClaim:
    """The first or last of all groups, or the one at a place. Who ties for it is neither first nor not."""
    groups, sql = figures.grouped(claim.quantity, claim.of.field)
    name, group = figures.vocabulary.name(claim.quantity), figures.vocabulary.field_name(claim.of.field)
    if claim.of.value not in groups or len(groups) < 2:
        return CheckedClaim(claim, "can't be checked", f"There aren't two groups to compare by {group}.")
    # Sums of decimals differ in their last digits where the amounts are the same.
    groups = {g: round(v, _DIGITS) for g, v in groups.items()}
    own, sign = groups[claim.of.value], 1 if claim.most else -1
    ordered = sorted(groups.values(), reverse=claim.most)
    at_place = ordered[min(claim.place, len(ordered)) - 1]
    leading = [shown(g) for g, v in groups.items() if v == at_place]
    word = "highest" if claim.most else "lowest"
    nth = f"number {claim.place} from the " if claim.place > 1 else ""
    told = f"The {nth}{word} {name} is {shown_value(at_place)}, of {', '.join(leading[:5])}."
    figured: dict[str, Any] = {f"{nth}{word}": at_place, shown(claim.of.value): own}
    before = sum(sign * v > sign * own for v in ordered)
    tied = ordered.count(own)
    holds = before < claim.place <= before + tied
    verdict: Verdict = "can't be checked" if holds and tied > 1 else _verdict(holds)
    return CheckedClaim(claim, verdict, told, (sql,), figured, chart=plots.bars(groups, group, name))


def peak(claim: PeakClaim, figures: Figures) -> CheckedClaim:
    """The month or year with the most or least. A first or last one that is cut short can't be the least."""
    values, whole, sql = figures.by_period(claim.quantity, claim.period.grain)
    name, own = figures.vocabulary.name(claim.quantity), values.get(claim.period)
    if own is None or len(values) < 2:
        reason = f"There is no {name} of {period_name(claim.period)} and of other times beside it."
        return CheckedClaim(claim, "can't be checked", reason, (sql,))
    choose = max if claim.most else min
    values, whole = ({p: round(v, _DIGITS) for p, v in held.items()} for held in (values, whole))
    own = values[claim.period]
    compared = [choose(values.values())] + ([choose(whole.values())] if whole else [])
    best = next(p for p, v in values.items() if v == compared[-1])
    word = "highest" if claim.most else "lowest"
    told = f"The {name} was {word} in {period_name(best)}: {shown_value(compared[-1])}."
    figured = {period_name(best): compared[-1], period_name(claim.period): own}
    tied = list(values.values()).count(own) > 1
    verdict: Verdict = "can't be checked" if own in compared and tied else _verdict(own in compared)
    return CheckedClaim(claim, verdict, told, (sql,), figured)


def share(claim: ShareClaim, figures: Figures) -> CheckedClaim:
    """The part against the whole, which has to add up from parts."""
    if isinstance(claim.of, Period):
        held = figures.dated(claim.quantity).during(claim.of)
    else:
        held = claim.quantity.at(claim.of)
    part, one = figures.value(held)
    whole, two = figures.value(claim.quantity)
    name = figures.vocabulary.name(claim.quantity)
    if not claim.quantity.measure.adds_up or not whole:
        return CheckedClaim(claim, "can't be checked", f"The {name} has no parts that add up.", (one, two))
    found = (part or 0.0) / whole * 100
    of = period_name(claim.of) if isinstance(claim.of, Period) else shown(claim.of.value)
    told = f"{of} has {shown_value(part or 0.0)} of {shown_value(whole)}, {found:.2f} %."
    figured = {"part": part or 0.0, "whole": whole, "per cent": found, "stated": claim.per_cent.value}
    return CheckedClaim(claim, _verdict(claim.per_cent.fits(found)), told, (one, two), figured)


def change(claim: ChangeClaim, figures: Figures) -> CheckedClaim:
    """The quantity of both spans; a span that the data doesn't cover can't be compared."""
    quantity = figures.dated(claim.quantity)
    before, one = figures.value(quantity.during(claim.before))
    after, two = figures.value(quantity.during(claim.after))
    name = figures.vocabulary.name(claim.quantity)
    if before is None or after is None or (quantity.measure.adds_up and not before):
        return CheckedClaim(
            claim, "can't be checked", f"There is no {name} of one of the two spans.", (one, two)
        )
    near = abs(after - before) <= _SAME * abs(before)
    holds = {"up": after > before, "down": after < before, "flat": near}[claim.direction]
    figured = {period_name(claim.before): before, period_name(claim.after): after}
    if before:
        figured["change in per cent"] = (after - before) / abs(before) * 100
    if claim.per_cent is not None:
        holds = holds and before != 0 and claim.per_cent.fits(abs(after - before) / abs(before) * 100)
    if claim.factor is not None:
        high, low = max(before, after), min(before, after)
        holds = holds and low > 0 and claim.factor.fits(high / low)
    told = "; ".join(f"{k}: {shown_value(v)}" for k, v in figured.items())
    return CheckedClaim(claim, _verdict(holds), f"The {name}: {told}.", (one, two), figured)


def _verdict(holds: bool) -> Verdict:
    return "supported" if holds else "contradicted"


RECOMPUTED: dict[type, Any] = {
    NumberClaim: number,
    ComparisonClaim: comparison,
    ExtremeClaim: extreme,
    PeakClaim: peak,
    ShareClaim: share,
    ChangeClaim: change,
}
