"""A language model's proposals of how else to write a query; `rewrite` tries them like any other form."""

from dataclasses import dataclass

from sqlglot import exp

from fathom.databases import Database
from fathom.databases.parsing import parsed
from fathom.llm import Model
from fathom.llm.prompts import load
from fathom.records import Schema, Table

MOST = 4


@dataclass(frozen=True)
class _Proposals:
    """The forms of a reply."""

    queries: list[str]


async def propose(model: Model, database: Database, sql: str, *, most: int = MOST) -> list[str]:
    """Up to `most` other forms of a query, untested: whatever the model says is only text.

    Raises `ModelError`.
    """
    prompt = load(__package__, "rewrite").render(
        query=sql, schema=_described(sql, database.schema), dialect=database.dialect, most=most
    )
    found = await model.typed(prompt, _Proposals)
    return [text for query in found.queries if (text := query.strip())][:most]


def _described(sql: str, schema: Schema) -> str:
    """The tables that a query names, or all of them where it can't be parsed."""
    tree = parsed(sql, schema.dialect)
    named = {t.name.casefold() for t in tree.find_all(exp.Table)} if tree is not None else set()
    tables = [t for t in schema.tables if t.name.rpartition(".")[2].casefold() in named] or schema.tables
    keys = [
        f"{k.table} ({', '.join(k.columns)}) refers to {k.target_table} ({', '.join(k.target_columns)})"
        for k in schema.foreign_keys
        if not k.inferred and k.table in {t.name for t in tables}
    ]
    return "\n".join([*map(_line, tables), *keys])


def _line(table: Table) -> str:
    columns = ", ".join(f"{c.name} {c.type}{'' if c.nullable else ' not null'}" for c in table.columns)
    unique = [key for key in (table.primary_key, *table.unique) if key]
    told = "".join(f"; unique: {', '.join(key)}" for key in unique)
    count = "" if table.row_count is None else f"; {table.row_count:,} rows"
    return f"{table.name} ({columns}){told}{count}"
