"""What to tell of what a grammar made: which date it goes by, what is added up, or counted among what."""

from fathom.offline.describing import describe_condition, shown
from fathom.offline.query import (
    Aggregate,
    Arithmetic,
    Call,
    Case,
    Column,
    Comparison,
    Expression,
    Literal,
    Query,
    Star,
    Subquery,
    comparisons,
    mentioned_tables,
)
from fathom.records import Assumption

_UNITS = {"%Y": "Years", "%Y-%m": "Months", "%Y-%m-%d": "Days"}


def stated(query: Query) -> tuple[Assumption, ...]:
    """The assumptions of a query that a grammar made; none for others."""
    return (*_of_sum(query), *_of_form(query))


def _of_sum(query: Query) -> tuple[Assumption, ...]:
    match query.select[-1:]:
        case (Aggregate("sum", argument),) if not isinstance(argument, Case):
            return (Assumption("column", f"What is added up is {shown(argument)}."),)
    return ()


def _of_form(query: Query) -> tuple[Assumption, ...]:
    for key in query.group:
        match key:
            case Call("strftime", (Literal(value=str() as form), Column() as date)) if form in _UNITS:
                return (Assumption("column", _of_period(form, date, query)),)
    match query.select[-1:]:
        case (Arithmetic("/", top, Call("nullif", (bottom, _))),):
            text = _of_ratio(_bare(top), bottom, query)
            return (Assumption("default", text),) if text else ()
        case (Aggregate("count", Star()),) if query.group:
            return (Assumption("default", "Those without any are left out."),)
    return ()


def _of_period(form: str, date: Column, query: Query) -> str:
    text = f"{_UNITS[form]} are those of {date.table.name}.{date.name}"
    if form == "%Y-%m":
        text += ", those of different years apart"
    if Comparison(date, "is not null") in comparisons(query.where):
        text += "; rows without it are left out"
    return text + "."


def _of_ratio(top: Expression, bottom: Expression, query: Query) -> str:
    tables = " with ".join(dict.fromkeys(t.name for t in mentioned_tables(query)))
    among = f"rows of {tables}" + (f" where {describe_condition(query.where)}" if query.where else "")
    match top, bottom:
        case Aggregate("sum", Case(condition=part)), Aggregate("sum", Case(condition=other)):
            one, two = describe_condition(part), describe_condition(other)
            return f"Of {among}, those where {one} over those where {two}."
        case Aggregate("sum", Case(condition=part)), Aggregate("count"):
            return f"Of all {among}, those where {describe_condition(part)}."
        case Aggregate("count"), Subquery(query=other) if query.group:
            return f"The {among} of each group, over all rows of {mentioned_tables(other)[0].name}."
        case Aggregate("count"), Subquery(query=other):
            whole = " with ".join(t.name for t in mentioned_tables(other))
            return f"All {among} over all rows of {whole}, those without any included."
    return ""


def _bare(top: Expression) -> Expression:
    """What a quotient divides, without its factor and cast."""
    match top:
        case Arithmetic("*", Call("cast", (inner, _)), _) | Call("cast", (inner, _)):
            return inner
    return top
