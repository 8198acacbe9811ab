"""The meanings of codes beside those that a query shows: "B, Broken"."""

from collections.abc import Mapping

from sqlglot import exp

from fathom.answering.headings import Headings
from fathom.methods import Context

Meanings = Mapping[tuple[str, str], Mapping[str, str]]
"""The meaning of each code, by table and column."""


async def shown_meanings(sql: str, context: Context) -> Meanings:
    """Give the meanings of codes in columns that a query names, as a small table lists them."""
    folded = sql.casefold()
    coded = {
        (table, name)
        for table, profile in context.database.profile().items()
        for name, seen in profile.columns.items()
        if seen.format == "code" and name.casefold() in folded
    }
    if not coded:
        return {}
    from fathom.nl2sql.local.code_meanings import code_meanings  # noqa: PLC0415, only where codes are shown

    return {column: told for column, told in (await code_meanings(context)).items() if column in coded}


def meaning_of(item: exp.Expr, naming: Headings, meanings: Meanings) -> list[exp.Expr]:
    """Give the expression that tells what a shown code means; none for other columns."""
    source = naming.source_of(item) if isinstance(item, exp.Column) else None
    known = meanings.get((source.table, item.name)) if source is not None else None
    if not known:
        return []
    told = exp.Case()
    for code, text in known.items():
        told = told.when(item.eq(exp.Literal.string(code)), exp.Literal.string(text))
    return [exp.alias_(told, f"{item.name} meaning", quoted=True)]
