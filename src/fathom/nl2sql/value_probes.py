"""Cells that hold a text, whatever the column: generated queries over every column (E-SQL's conditions)."""

import asyncio

from sqlglot import exp, maybe_parse

from fathom.errors import QueryError
from fathom.methods import Context
from fathom.nl2sql.conditions import Condition, conditions
from fathom.nl2sql.quoted_names import quoted
from fathom.records import Limits

MOST_LITERALS = 20
_QUICK = Limits(seconds=2.0, rows=50, bytes=1_000_000)
_SHORT, _LONG = 50, 300


async def cells_holding(context: Context, text: str, *, most: int = 5) -> dict[tuple[str, str], list[str]]:
    """The first `most` different cells under 50 letters that hold a text, in any case, by table and column.

    Columns of long texts (300 letters on average) and those not read within two seconds are passed over.
    """
    found: dict[tuple[str, str], list[str]] = {}
    profiles = await asyncio.to_thread(context.database.profile)
    for table in context.database.schema.tables:
        for column in table.columns:
            profiled = profiles.get(table.name)
            known = profiled.columns.get(column.name) if profiled else None
            seen = [str(v) for v in known.samples[:3]] if known else []
            if seen and sum(map(len, seen)) / len(seen) >= _LONG:
                continue
            try:
                result = await context.run(_holding(context, table.name, column.name, text, most), _QUICK)
            except QueryError:
                continue
            if result.rows:
                found[table.name, column.name] = [str(row[0]) for row in result.rows]
    return found


def _holding(context: Context, table: str, column: str, text: str, most: int) -> str:
    dialect = context.database.dialect
    source = maybe_parse(context.database.identifier(table), into=exp.Table, dialect=dialect)
    cell = exp.cast(exp.column(exp.to_identifier(column, quoted=True)), "text", dialect=dialect)
    place = exp.StrPosition(this=exp.Lower(this=cell), substr=exp.Literal.string(text.lower()))
    query = (
        exp.select(cell.as_("cell")).distinct().from_(source).where(exp.GT(this=place, expression=_number(0)))
    )
    query = query.where(exp.LT(this=exp.Length(this=cell.copy()), expression=_number(_SHORT)))
    return query.order_by("1").limit(most).sql(dialect)


def _number(value: int) -> exp.Expr:
    return exp.Literal.number(value)


def literals_of(found: list[Condition]) -> list[tuple[str, str]]:
    """Each literal with its operator; those of several words also word by word, single letters left out."""
    listed = [
        (part, one.operator)
        for one in found
        for part in dict.fromkeys([one.literal, *one.literal.split()])
        if len(part) > 1
    ]
    return list(dict.fromkeys(listed))[:MOST_LITERALS]


async def possible_conditions(context: Context, sql: str, *, most: int = 5) -> list[str]:
    """Conditions that the cells allow in place of a query's own: `table.column operator value` for each cell
    that holds one of its literals."""
    dialect, kept = context.database.dialect, list[str]()
    for literal, operator in literals_of(conditions(sql, context.database.schema)):
        cells = await cells_holding(context, literal, most=most)
        for (table, column), values in cells.items():
            name = f"{quoted(table, dialect)}.{quoted(column, dialect)}"
            kept += [f"{name} {operator} {exp.Literal.string(v).sql(dialect)}" for v in values]
    return list(dict.fromkeys(kept))
