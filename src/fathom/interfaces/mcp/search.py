"""Finding what a database holds by words: tables, columns, values, terms of its packs, solved examples."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from fathom.answering import Asking
from fathom.errors import FathomError, InputError
from fathom.interfaces.mcp.replies import ToolResult, fitted
from fathom.interfaces.mcp.sources import Sources
from fathom.records import Schema, Table
from fathom.retrieval import ValueIndex
from fathom.text import without_secrets

Kind = Literal["table", "column", "value", "term", "example", "any"]
Detail = Literal["names", "summary", "full"]
Limit = Annotated[int, Field(ge=1, le=200)]
VALUES = 30


class SearchReply(ToolResult):
    """Matches, best first, of a database and its dialect. `next_cursor` goes on where they end."""

    dialect: str = ""
    matches: list[dict[str, Any]]
    total: int
    next_cursor: str = ""


def search(
    asking: Asking,
    text: str,
    *,
    kind: Kind = "any",
    detail: Detail = "names",
    limit: int = 20,
    cursor: str = "",
) -> SearchReply:
    """Give the matches of the words, from the place that `cursor` names. Raises `InputError` for an unknown
    place."""
    found = list(_found(asking, text, kind, detail))
    return _page(found, limit, cursor, asking.database.dialect)


def search_databases(sources: Sources, *, limit: int, cursor: str = "") -> SearchReply:
    """List the databases with dialect, number of tables and what their packs say of them.

    Each is opened for it. Raises `InputError` for an unknown place.
    """
    return _page([_database(sources, name) for name in sources.databases], limit, cursor)


def _database(sources: Sources, name: str) -> dict[str, Any]:
    told: dict[str, Any] = {"kind": "database", "name": name}
    try:
        asking = sources.asking(name)
        told |= {"dialect": asking.database.dialect, "tables": len(asking.database.schema.tables)}
    except FathomError as error:
        return told | {"problem": without_secrets(str(error))}
    return told | ({"about": about} if (about := asking.context.knowledge.description) else {})


def _page(found: Sequence[dict[str, Any]], limit: int, cursor: str, dialect: str = "") -> SearchReply:
    if cursor and not cursor.isdecimal():
        raise InputError("a cursor is what an earlier reply gave as next_cursor")
    start = int(cursor or 0)
    page = found[start : start + limit]
    shown = list(page[: fitted(page)])
    end = start + len(shown)
    following = str(end) if end < len(found) else ""
    return SearchReply(dialect=dialect, matches=shown, total=len(found), next_cursor=following)


def _found(asking: Asking, text: str, kind: Kind, detail: Detail) -> Iterator[dict[str, Any]]:
    words = text.casefold().split()
    schema = asking.database.schema
    if kind in ("table", "any"):
        yield from _tables(asking, schema, words, detail)
    if kind in ("column", "any") and (words or kind == "column"):
        yield from _columns(asking, schema, words, detail)
    if kind in ("term", "any") and (words or kind == "term"):
        yield from _terms(asking, words)
    if kind in ("example", "any") and (words or kind == "example"):
        for example in asking.context.knowledge.examples:
            if _holds(words, example.question):
                yield {"kind": "example", "question": example.question, "sql": example.sql}
    if kind in ("value", "any") and words:
        yield from _values(asking, text)


def _tables(asking: Asking, schema: Schema, words: list[str], detail: Detail) -> Iterator[dict[str, Any]]:
    for table in schema.tables:
        note = asking.context.knowledge.table(table.name)
        about = (note.name, note.description, *note.synonyms) if note else ()
        if not _holds(words, table.name, table.comment or "", *about):
            continue
        match: dict[str, Any] = {"kind": "table", "name": table.name}
        if detail != "names":
            match |= {"rows": table.row_count, "about": next((a for a in about if a), table.comment or "")}
        if detail == "summary":
            match["columns"] = [c.name for c in table.columns]
        elif detail == "full":
            match |= {
                "columns": [_column(asking, table, c.name) for c in table.columns],
                "joins": _joins(schema, table),
            }
        yield match


def _columns(asking: Asking, schema: Schema, words: list[str], detail: Detail) -> Iterator[dict[str, Any]]:
    for table in schema.tables:
        for column in table.columns:
            note = asking.context.knowledge.column(table.name, column.name)
            about = (note.name, note.description, *note.synonyms) if note else ()
            if _holds(words, column.name, column.comment or "", *about):
                name = f"{table.name}.{column.name}"
                whole = {} if detail == "names" else _column(asking, table, column.name)
                yield {"kind": "column", **whole, "name": name}


def _column(asking: Asking, table: Table, name: str) -> dict[str, Any]:
    column = table.column(name)
    note = asking.context.knowledge.column(table.name, name)
    described: dict[str, Any] = {"name": name, "type": column.type}
    if about := (note.description or note.name if note else "") or column.comment:
        described["about"] = about
    if note and note.values:
        described["values"] = {
            value: meaning.meaning for value, meaning in list(note.values.items())[:VALUES]
        }
    return described


def _joins(schema: Schema, table: Table) -> list[str]:
    return [
        f"{k.table}.{', '.join(k.columns)} = {k.target_table}.{', '.join(k.target_columns)}"
        for k in schema.foreign_keys
        if table.name in (k.table, k.target_table)
    ]


def _terms(asking: Asking, words: list[str]) -> Iterator[dict[str, Any]]:
    knowledge = asking.context.knowledge
    for term in knowledge.glossary:
        if _holds(words, *term.words, term.meaning):
            whole = term.model_dump(mode="json", exclude_defaults=True)
            yield {"kind": "term", **whole}
    for rule in knowledge.conventions:
        if _holds(words, rule.name, rule.rule):
            yield {"kind": "term", "term": rule.name, "meaning": rule.rule}


def _values(asking: Asking, text: str) -> Iterator[dict[str, Any]]:
    known = asking.context
    with ValueIndex.open_or_build(known.database, known.cache) as index:
        for match in index.lookup(text, limit=VALUES):
            place = f"{match.table}.{match.column}"
            yield {"kind": "value", "name": match.value, "column": place, "rows": match.count}


def _holds(words: Iterable[str], *texts: str) -> bool:
    """True if the texts hold all the words, in any case."""
    held = " ".join(texts).casefold()
    return all(word in held for word in words)
