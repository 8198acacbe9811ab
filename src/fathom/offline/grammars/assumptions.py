"""The assumptions behind a grammar's query: its date, its sum, or its count and the whole."""

from fathom.offline.finishing.description import describe_condition, shown
from fathom.offline.grammars.calendars import FORMATS
from fathom.offline.queries.query import (
    Aggregate,
    Arithmetic,
    CaseWhen,
    ColumnRef,
    ComparisonPredicate,
    Expression,
    FunctionCall,
    Literal,
    Query,
    Star,
    Subquery,
    comparisons,
    mentioned_tables,
    walk,
)
from fathom.records import Assumption

_UNITS = {
    FORMATS["year"]: "Years",
    FORMATS["month"]: "Months",
    FORMATS["day"]: "Days",
    FORMATS["week"]: "Weeks",
}


def stated(query: Query) -> tuple[Assumption, ...]:
    """The assumptions of a query that a grammar made; none for others."""
    return (*_of_sum(query), *_of_form(query))


def _of_sum(query: Query) -> tuple[Assumption, ...]:
    """State the sum or count that is shown, or that ranks or filters things."""
    ranked = (o.key for o in query.order)
    kept = (c.left for c in comparisons(query.having))
    for item in (*query.select[-1:], *ranked, *kept):
        match item.arguments[0] if isinstance(item, FunctionCall) and item.name == "coalesce" else item:
            case Aggregate("sum", argument) if not isinstance(argument, CaseWhen):
                return (Assumption("column", f"What is added up is {shown(argument)}."),)
            case Aggregate("count", Star()) if query.group and len(query.tables) == 1:
                return (Assumption("column", f"What is counted are rows of {query.tables[0].name}."),)
            case Aggregate("count", ColumnRef(table=table), distinct=False):
                return (Assumption("column", f"What is counted are rows of {table.name}."),)
    return ()


def _of_form(query: Query) -> tuple[Assumption, ...]:
    for key in query.group:
        match key:
            case FunctionCall("strftime", (Literal(value=str() as form), ColumnRef() as date)) if (
                form in _UNITS
            ):
                return (Assumption("column", _of_period(_UNITS[form], date, query)),)
            case FunctionCall("cast", (FunctionCall("strftime", (_, ColumnRef() as date)), _)):
                return (Assumption("column", _of_period("Weekdays, 0 for Sunday,", date, query)),)
            case Arithmetic() if dates := [e for e in walk(key) if isinstance(e, ColumnRef)]:
                return (Assumption("column", _of_period("Quarters", dates[0], query)),)
    match query.select[-1:]:
        case (Arithmetic("/", top, FunctionCall("nullif", (bottom, _))),):
            text = _of_ratio(_bare(top), bottom, query)
            return (Assumption("default", text),) if text else ()
        case (Aggregate("count", Star()),) if query.group:
            return (Assumption("default", "Those without any are left out."),)
    return ()


def _of_period(units: str, date: ColumnRef, query: Query) -> str:
    text = f"{units} are those of {date.table.name}.{date.name}"
    if units == "Months":
        text += ", those of different years apart"
    if ComparisonPredicate(date, "is not null") in comparisons(query.where):
        text += "; rows without it are left out"
    return text + "."


def _of_ratio(top: Expression, bottom: Expression, query: Query) -> str:
    tables = " with ".join(dict.fromkeys(t.name for t in mentioned_tables(query)))
    among = f"rows of {tables}" + (f" where {describe_condition(query.where)}" if query.where else "")
    match top, bottom:
        case Aggregate("sum", CaseWhen(condition=part)), Aggregate("sum", CaseWhen(condition=other)):
            one, two = describe_condition(part), describe_condition(other)
            return f"Of {among}, those where {one} over those where {two}."
        case Aggregate("sum", CaseWhen(condition=part)), Aggregate("count"):
            return f"Of all {among}, those where {describe_condition(part)}."
        case Aggregate("count"), Subquery(query=other) if query.group:
            return f"The {among} of each group, over all rows of {mentioned_tables(other)[0].name}."
        case Aggregate("count"), Subquery(query=other):
            whole = " with ".join(t.name for t in mentioned_tables(other))
            return f"All {among} over all rows of {whole}, those without any included."
    return ""


def _bare(top: Expression) -> Expression:
    """Give the quotient of an expression, without its factor and cast."""
    match top:
        case Arithmetic("*", FunctionCall("cast", (inner, _)), _) | FunctionCall("cast", (inner, _)):
            return inner
    return top
