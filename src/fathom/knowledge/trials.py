"""Conditions, formulas and formats of a pack, tried on the database that they are about."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlglot import exp, parse_one

from fathom.databases import Database
from fathom.errors import InputError, InputErrors, QueryError, QueryTimedOut
from fathom.forms.formats import date_of, pattern_of
from fathom.knowledge.lines import Document, read_toml, read_yaml
from fathom.knowledge.pack import KnowledgePack
from fathom.knowledge.sql import columns_of
from fathom.records import Limits

_SECONDS = 5.0
_MOST_UNFIT = 0.1
"""Share of values that may have another form than a pack says: slips and placeholders."""


def try_pack(pack: KnowledgePack, database: Database) -> None:
    """Try each condition and formula in a query without rows over each of its tables, and formats on values.

    What names columns that the tables lack isn't tried: `check` tells of it. Nor is a pack where rights hide
    some of the columns. Raises `InputErrors` with the file, the line and the reason of each that fails.
    """
    if database.granted is not None:
        return
    problems = [
        _problem(pack, f"{where}: the database can't use {sql}: {error}", sql)
        for where, table, sql in _pieces(pack, database)
        if (error := _refused(pack, database, table, sql)) is not None
    ]
    problems += _unfit_formats(pack, database)
    if problems:
        raise InputErrors(list({str(p): p for p in problems}.values()))


def _unfit_formats(pack: KnowledgePack, database: Database) -> Iterator[InputError]:
    """Give the formats of dates that most values of their column don't have."""
    for (table, column), told in pack.formats.items():
        seen = database.profile().get(database.schema.table(table).name) if table in database.schema else None
        found = (
            next((c for name, c in seen.columns.items() if name.casefold() == column), None) if seen else None
        )
        pattern = pattern_of(told)
        if found is None or not pattern:
            continue
        none = {text for text, _ in found.placeholders}
        values = [
            v for v in (*found.samples, *(v for v, _ in found.common)) if v is not None and v not in none
        ]
        unfit = [v for v in values if date_of(v, pattern) is None]
        if len(unfit) > _MOST_UNFIT * len(values):
            where = f"column {found.table}.{found.column}"
            yield _problem(pack, f"{where}: {unfit[0]!r} isn't written as {told}", told)


def _pieces(pack: KnowledgePack, database: Database) -> Iterator[tuple[str, str, str]]:
    for term in pack.glossary:
        for sql in filter(None, (term.condition, term.expression)):
            for table in _tables(term.tables, sql, database):
                yield f"term {term.term!r}", table, sql
    for convention in pack.conventions:
        for sql in convention.adds.conditions:
            for table in _tables(convention.when.tables, sql, database):
                yield f"convention {convention.name!r}", table, sql


def _tables(named: tuple[str, ...], sql: str, database: Database) -> Iterator[str]:
    """The tables that have all the columns of an expression: of those that are named, else the first."""
    wanted = [c.casefold().rpartition(".") for c in columns_of(sql)]
    folded = {n.casefold() for n in named}
    for table in database.schema.tables:
        own = {c.name.casefold() for c in table.columns}
        fits = all(of in {"", table.name.casefold()} and name in own for of, _, name in wanted)
        if fits and (not named or table.name.casefold() in folded):
            yield table.name
            if not named:
                return


def _refused(pack: KnowledgePack, database: Database, table: str, sql: str) -> QueryError | None:
    own = parse_one(sql, read=pack.dialect or "sqlite").transform(_today).sql(database.dialect)
    refused: QueryError | None = None
    for piece in (sql, own):  # as the engine spells it, or as all do
        try:
            database.run(
                f"SELECT ({piece}) FROM {database.identifier(table)} LIMIT 1",
                Limits(seconds=_SECONDS, rows=1),
            )
        except QueryTimedOut:
            return None
        except QueryError as error:
            refused = refused or error
        else:
            return None
    return refused


def _today(node: exp.Expr) -> exp.Expr:
    """SQLite's name of the current day as that of all engines, which methods put for it too."""
    now = node.this if isinstance(node, exp.Date) and not node.expressions else None
    is_today = isinstance(now, exp.Literal) and now.name.casefold() == "now" and not node.args.get("zone")
    return exp.CurrentDate() if is_today else node


def _problem(pack: KnowledgePack, fault: str, said: str) -> InputError:
    for source in pack.sources:
        if (line := _line(Path(source), said)) is not None:
            return InputError(fault, file=source, line=line)
    return InputError(fault, file=", ".join(pack.sources) or None)


def _line(file: Path, sql: str) -> int | None:
    document = _document(file)
    return None if document is None else next(_lines(document.content, (), sql, document), None)


def _document(file: Path) -> Document | None:
    try:
        text = file.read_text(encoding="utf-8-sig")
        return read_toml(text, file) if file.suffix.lower() == ".toml" else read_yaml(text, file)
    except (OSError, UnicodeDecodeError, InputError):
        return None


def _lines(content: Any, path: tuple[str | int, ...], sql: str, document: Document) -> Iterator[int]:
    if isinstance(content, str) and content.strip() == sql and (line := document.line(path)) is not None:
        yield line
    parts = content if isinstance(content, dict) else {}
    if isinstance(content, list):
        parts = dict(enumerate(content))
    for key, part in parts.items():
        yield from _lines(part, (*path, key), sql, document)
