"""Answers to diagnostic, predictive and prescriptive questions, each sentence with its check; or why none."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from typing import Any

from fathom.analysis.business_questions import BusinessQuestion
from fathom.analysis.claims import (
    AssociationClaim,
    ChangeClaim,
    Claim,
    DifferenceClaim,
    ExtremeClaim,
    ForecastClaim,
    NumberClaim,
    RecommendationClaim,
    Stated,
    TrendClaim,
)
from fathom.analysis.figures import Figures
from fathom.analysis.findings import Finding
from fathom.analysis.forecasts import seasonal_naive
from fathom.analysis.quantities import Field, Measure, NotComputable, Period, Quantity, RowCondition
from fathom.analysis.series import EDGE_DAYS, month_after
from fathom.analysis.statistics import ALPHA
from fathom.analysis.verdicts import check
from fathom.analysis.vocabulary import WORDS, period_name, shown, stems_of
from fathom.errors import QueryError
from fathom.records import shown_value

_GROUPS = 3
_FEWEST_GROUPS = 3
"""Of two groups a recommendation says no more than which of them is larger."""
_FEWEST_ROWS = 2
"""Rows that a group has to have on average: where each has one, the measure only counts the groups."""
_LEAST_PART = 0.1
"""A group that brings less of a change than this explains nothing of it."""
_FILLED = 0.5
"""Months that have rows, of all between the first and the last; of fewer a forecast says nothing."""
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class BusinessAnswer:
    """The findings that answer a question, or the reason why nothing does."""

    findings: tuple[Finding, ...] = ()
    missing: str = ""


def answer_business_question(asked: BusinessQuestion, figures: Figures) -> BusinessAnswer:
    """Answer a question of one of the three kinds by what the data supports."""
    if asked.left:
        word = asked.left[0]
        missing = f"“{word}” names no measure and no group here; the question may turn on it."
        return BusinessAnswer(missing=missing)
    try:
        ways = {"diagnostic": _diagnosis, "predictive": _prediction, "prescriptive": _advice}
        found = tuple(ways[asked.kind](asked, figures))
    except (NotComputable, QueryError) as reason:
        return BusinessAnswer(missing=str(reason))
    return BusinessAnswer(found)


def _measured(asked: BusinessQuestion, example: str) -> Quantity:
    if asked.quantity is None:
        raise NotComputable(f"It names no measure that the data has, such as {example}.")
    return asked.quantity


def _example(figures: Figures) -> str:
    vocabulary = figures.vocabulary
    found = next((f for f in vocabulary.numbers if vocabulary.adds_up(f)), None)
    measure = Measure("sum", found.table, found.column) if found else None
    return f"the {vocabulary.measure_name(measure)}" if measure else "a total"


def _diagnosis(asked: BusinessQuestion, figures: Figures) -> Iterator[Finding]:
    quantity = _measured(asked, _example(figures))
    times = asked.periods
    if (
        len(times) == 1
        and asked.group is None
        and quantity.measure.adds_up
        and times[0].grain in {"month", "year"}
    ):
        length = 1 if times[0].grain == "month" else 12
        times = (Period(month_after(times[0].start, -length), times[0].start), *times)
    if len(times) == 2:
        yield from _change(replace(quantity, period=None), times[0], times[1], figures)
    elif not times:
        yield from _differences(quantity, asked.group, figures)
    else:
        raise NotComputable("It names more times than two to compare.")


def _change(quantity: Quantity, before: Period, after: Period, figures: Figures) -> Iterator[Finding]:
    """The change between two times, and the groups that brought most of it."""
    quantity = figures.dated(quantity)
    if partly := [p for p in (before, after) if not _covered(quantity, p, figures)]:
        first, last = _edges(quantity, figures)
        raise NotComputable(
            f"The two can't be compared: the data goes from {_day(first)} to {_day(last)}, and covers only a "
            f"part of {period_name(partly[0])}."
        )
    one, two = (figures.value(quantity.during(p))[0] or 0.0 for p in (before, after))
    moved = _moved(quantity, (before, one), (after, two), figures)
    if round(two - one, _DIGITS) == 0:
        yield moved
        return
    drivers = (
        list(islice(_drivers(quantity, before, after, figures), _GROUPS)) if quantity.measure.adds_up else []
    )
    if not drivers:
        raise NotComputable(f"{moved.sentence} No group of rows accounts for the change.")
    yield moved
    yield from drivers


def _drivers(quantity: Quantity, before: Period, after: Period, figures: Figures) -> Iterator[Finding]:
    """Of each column of groups the one that moved most, where it moved as the whole did."""
    one, two = (figures.value(quantity.during(p))[0] or 0.0 for p in (before, after))
    people = {(p.table, c) for p in figures.vocabulary.people for c in (p.column, p.last)}
    groups = figures.vocabulary.groups_of(quantity.measure.table)
    for by in (g for g in groups if (g.table, g.column) not in people):
        was, now = (figures.grouped(quantity.during(p), by)[0] for p in (before, after))
        moved = {g: now.get(g, 0.0) - was.get(g, 0.0) for g in {**was, **now}}
        sign = 1 if two > one else -1
        ordered = sorted(moved.items(), key=lambda pair: -sign * round(pair[1], _DIGITS))
        if len(ordered) < 2 or round(ordered[0][1] - ordered[1][1], _DIGITS) == 0:
            continue
        group, difference = ordered[0]
        if sign * difference < _LEAST_PART * abs(two - one) or group not in was or group not in now:
            continue
        of = quantity.at(RowCondition(by, group))
        yield _moved(of, (before, was[group]), (after, now[group]), figures)


def _moved(
    quantity: Quantity, before: tuple[Period, float], after: tuple[Period, float], figures: Figures
) -> Finding:
    name = figures.vocabulary.name(quantity)
    (one, was), (two, now) = before, after
    verb, direction = ("rose", "up") if now > was else ("fell", "down")
    if round(now - was, _DIGITS) == 0:
        told = f"The {name} was the same in {period_name(one)} and in {period_name(two)}: {shown_value(was)}."
        return _finding(told, NumberClaim(quantity.during(two), _as_shown(now)), figures)
    was_then, is_now = (
        f"{shown_value(was)} in {period_name(one)}",
        f"{shown_value(now)} in {period_name(two)}",
    )
    told = f"The {name} {verb} from {was_then} to {is_now}."
    claim: Any = ChangeClaim(quantity, one, two, direction)  # type: ignore[arg-type]
    return _finding(told, claim, figures)


def _differences(quantity: Quantity, group: Field | None, figures: Figures) -> Iterator[Finding]:
    """The groups between which a column of numbers differs, and the columns that go together with it."""
    vocabulary, measured = figures.vocabulary, quantity.measure.field
    if measured is None or measured not in vocabulary.numbers:
        raise NotComputable(
            "A count or a sum has no spread to explain. Name two times to compare, or a column of numbers."
        )
    column, found = vocabulary.field_name(measured), False
    fields = [group] if group else vocabulary.groups_of(measured.table)[:_GROUPS]
    for by in (f for f in fields if f != measured):
        told = vocabulary.field_name(by)
        claim = DifferenceClaim(Measure("avg", measured.table, measured.column), by, where=quantity.where)
        result = check(claim, figures)
        if result.verdict == "supported":
            found = True
            yield Finding(f"The {column} differs significantly between {told} groups.", (result,))
            yield from _ends(Measure("avg", measured.table, measured.column), by, figures)
        elif group and result.verdict == "contradicted":
            found = True
            same = replace(claim, differs=False)
            yield _finding(f"The {column} does not differ between {told} groups.", same, figures)
    for other in (
        [f for f in vocabulary.numbers if f.table == measured.table and f != measured]
        if group is None
        else []
    ):
        for sign, way in ((1, "positively"), (-1, "negatively")):
            result = check(AssociationClaim(measured, other, sign), figures)  # type: ignore[arg-type]
            if result.verdict == "supported":
                found = True
                yield Finding(
                    f"The {column} is {way} correlated with the {vocabulary.field_name(other)}.", (result,)
                )
    if not found:
        raise NotComputable(f"Nothing in the data tells rows with a high {column} from others.")


def _ends(measure: Measure, by: Field, figures: Figures) -> Iterator[Finding]:
    """The group with the highest average and that with the lowest, each where it stands alone."""
    groups = figures.grouped(Quantity(measure), by)[0]
    name, told = figures.vocabulary.measure_name(measure), figures.vocabulary.field_name(by)
    for word, most in (("highest", True), ("lowest", False)):
        if top := _alone(groups, most):
            sentence = f"The {told} with the {word} {name} is {shown(top)}."
            yield _finding(sentence, ExtremeClaim(Quantity(measure), RowCondition(by, top), most), figures)


def _prediction(asked: BusinessQuestion, figures: Figures) -> Iterator[Finding]:
    quantity = figures.dated(replace(_measured(asked, _example(figures)), period=None))
    name = figures.vocabulary.name(quantity)
    series, _ = figures.series(quantity)
    _, last = _edges(quantity, figures)
    if float((series.values != 0).mean()) < _FILLED:
        raise NotComputable(f"There is too little to forecast from: most {series.unit}s have no {name}.")
    period = asked.periods[-1] if asked.periods else _ahead(asked, last)
    if period.start <= last:
        raise NotComputable(
            f"{period_name(period)} is in the data already, which ends on {_day(last)}; ask for what it was."
        )
    if series.per_year != 12:
        raise NotComputable("The data is known by year alone, too little for a forecast that was tested.")
    whole = period.grain == "month" or quantity.measure.adds_up
    if not whole:
        raise NotComputable("An average is forecast by month; ask for a month.")
    first = series.place(period.start) - len(series)
    steps = series.place(month_after(period.end, -1)) - len(series) + 1
    if 2 * steps > len(series):
        raise NotComputable(
            f"{period_name(period)} ends {steps} months after the {len(series)} months of data: too far."
        )
    if figures.trend(quantity)[0].p < ALPHA:
        value = float(figures.projection(quantity, steps).values[first:steps].sum())
    else:  # what neither rises nor falls will be what it was
        value = float(seasonal_naive(series.values, steps, series.per_year)[first:steps].sum())
    stated = _as_told(value)
    sentence = f"The {name} will be about {_number(value)} in {period_name(period)}."
    result = check(ForecastClaim(quantity, period, stated), figures)
    if result.verdict == "supported":
        yield Finding(sentence, (result,))
    else:
        level = check(TrendClaim(quantity, "flat"), figures)
        if level.verdict != "supported":
            raise NotComputable(
                f"No forecast of the {name} holds up: on the past it errs as much as saying nothing changes."
            )
        yield Finding(f"The {name} has been stable over time.", (level,))
    year = Period(month_after(period.start, -12), month_after(period.end, -12))
    if _covered(quantity, year, figures):
        was = figures.value(quantity.during(year))[0] or 0.0
        told = f"The {name} in {period_name(year)} was {shown_value(was)}."
        yield _finding(told, NumberClaim(quantity.during(year), _as_shown(was)), figures)


def _ahead(asked: BusinessQuestion, last: date) -> Period:
    """The time asked for, from the end of the data on: the next whole month, quarter or year after it."""
    if asked.ahead is None:
        raise NotComputable("It doesn't say for when; ask for a month, a year, or the next of them.")
    following = month_after(date(last.year, last.month, 1), 1)
    months = asked.ahead.months
    if asked.ahead.whole:
        while (following.month - 1) % months:
            following = month_after(following, 1)
    return Period(following, month_after(following, months))


def _advice(asked: BusinessQuestion, figures: Figures) -> Iterator[Finding]:
    vocabulary = figures.vocabulary
    quantity = _measured(asked, _example(figures))
    by = asked.group
    if by is None:
        raise NotComputable("It doesn't say what to choose among: name a column of names, such as a country.")
    if not asked.goal:
        raise NotComputable("It doesn't say whether more or less is wanted.")
    name, told = vocabulary.name(quantity), vocabulary.field_name(by)
    groups, rows = _with_rows(quantity, by, figures)
    if len(groups) < _FEWEST_GROUPS:
        raise NotComputable(f"There are fewer than {_FEWEST_GROUPS} to choose among by {told}.")
    if quantity.measure.function == "count" and sum(rows.values()) < _FEWEST_ROWS * len(rows):
        raise NotComputable(f"Nearly every {told} has one row: their number says nothing about them.")
    # Where costs are to fall, one chooses the lowest, and begins to save at the highest.
    most = not asked.choosing if _is_cost(quantity, figures) else asked.goal == "more"
    top = _alone(groups, most)
    word = "highest" if most else "lowest"
    if top is None:
        raise NotComputable(f"Several {told} groups tie for the {word} {name}, so the data prefers none.")
    claim = ExtremeClaim(quantity, RowCondition(by, top), most)
    advice = f"Consider {told} {shown(top)} first"
    because = f"{advice} because {shown(top)} has the {word} {name}."
    yield _finding(because, RecommendationClaim(advice, ((claim,),)), figures)
    of = quantity.at(RowCondition(by, top))
    value = groups[top]
    yield _finding(
        f"The {vocabulary.name(of)} is {shown_value(value)}.", NumberClaim(of, _as_shown(value)), figures
    )
    rest = {g: v for g, v in groups.items() if g != top}
    if second := _alone(rest, most):
        place = ExtremeClaim(quantity, RowCondition(by, second), most, 2)
        yield _finding(f"The {told} with the second {word} {name} is {shown(second)}.", place, figures)


def _is_cost(quantity: Quantity, figures: Figures) -> bool:
    """True of what is to be cut where it is highest: costs, not sales."""
    return bool(set(WORDS["burdens"]) & set(stems_of(figures.vocabulary.measure_name(quantity.measure))))


def _with_rows(
    quantity: Quantity, by: Field, figures: Figures
) -> tuple[Mapping[Any, float], Mapping[Any, int]]:
    sql = figures.vocabulary.queries.grouped(quantity, by)
    found = [row for row in figures.run(sql).rows if row[1] is not None]
    return {r[0]: float(r[1]) for r in found}, {r[0]: int(r[2]) for r in found}


def _alone(groups: Mapping[Any, float], most: bool) -> Any | None:
    """The group with the most or least, None where several tie for it."""
    rounded = {g: round(v, _DIGITS) for g, v in groups.items()}
    end = (max if most else min)(rounded.values())
    at_end = [g for g, v in rounded.items() if v == end]
    return at_end[0] if len(at_end) == 1 else None


def _edges(quantity: Quantity, figures: Figures) -> tuple[date, date]:
    first, last = figures.run(figures.vocabulary.queries.span(quantity)).rows[0]
    if first is None or last is None:
        raise NotComputable("There are no rows.")
    return date.fromisoformat(str(first)[:10]), date.fromisoformat(str(last)[:10])


def _covered(quantity: Quantity, period: Period, figures: Figures) -> bool:
    """True if the data covers a time whole, but for a few days at its edges."""
    first, last = _edges(quantity, figures)
    return (first - period.start).days <= EDGE_DAYS and (period.end - last).days <= EDGE_DAYS + 1


def _finding(sentence: str, claim: Claim, figures: Figures) -> Finding:
    """A sentence with its check. Raises `NotComputable` where that doesn't support it."""
    result = check(claim, figures)
    if result.verdict != "supported":
        raise NotComputable(f"The data doesn't settle it. {result.reason}")
    return Finding(sentence, (result,))


def _as_shown(value: float) -> Stated:
    return Stated(value, 0.01)


def _as_told(value: float) -> Stated:
    return Stated(
        round(value) if abs(value) >= 100 else round(value, 2), 1.0 if abs(value) >= 100 else 0.01, "about"
    )


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}"


def _day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"
