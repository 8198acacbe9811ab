"""Description files as sql-eval ships them: columns in `table_metadata`, a `glossary` as lines of text."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fathom.errors import InputError, InputErrors
from fathom.knowledge.pack import KnowledgePack
from fathom.knowledge.parts import ColumnNote, Convention, JoinHint, TableNote, Term
from fathom.knowledge.sql import columns_of, valid_sql
from fathom.knowledge.values import value_meanings
from fathom.text.patterns import Pattern

_DEFINITION = Pattern(
    r"(?P<term>[^=()`]{2,60}?)\s*(?:\((?P<other>[^()]{2,80})\)[^=()]{0,40})?\s*=\s*(?P<sql>.+)"
)
_FROM = Pattern(r"\s+from\s+(?:the\s+)?`?(?P<table>\w+)`?\s+table\b.*", re.IGNORECASE)
_JOIN = Pattern(r"can be joined (?:to|with)", re.IGNORECASE)
_NAME = Pattern(r"`([\w.]+)`|\b(\w+\.\w+|\w+)\b")


def read(content: Mapping[str, Any], file: Path) -> KnowledgePack:
    """The pack in a description file. Lines of the glossary that define nothing become advice."""
    tables, problems = {}, []
    for table, columns in content["table_metadata"].items():
        try:
            tables[table] = TableNote(columns={c["column_name"]: _column(c) for c in columns})
        except (KeyError, TypeError):
            problems.append(
                InputError(
                    "must be a list of columns with 'column_name' and 'column_description'",
                    file=file,
                    field=f"table_metadata.{table}",
                )
            )
    if problems:
        raise InputErrors(problems)
    said = list(_lines(str(content.get("glossary") or "")))
    joins = tuple(j for line in said for j in _joins(line, tables))
    terms = tuple(t for line in said if not _JOIN.search(line) for t in _term(line, tables))
    defined = {t.meaning for t in terms}
    rules = [line for line in said if line not in defined and not (_JOIN.search(line) and joins)]
    return KnowledgePack(
        name=file.stem,
        tables=tables,
        joins=joins,
        glossary=terms,
        conventions=tuple(Convention(name=_short(r), rule=r, source=file.name) for r in rules),
        sources=(str(file),),
    )


def _column(given: Mapping[str, Any]) -> ColumnNote:
    description = str(given.get("column_description") or "")
    return ColumnNote(description=description, values=value_meanings(description))


def _lines(glossary: str) -> Iterator[str]:
    """The points of the glossary; an indented line belongs to the point above it."""
    point = ""
    for line in glossary.splitlines():
        if line.startswith((" ", "\t")) and point:
            point += " " + line.strip(" \t-")
        else:
            if point:
                yield point
            point = line.strip().removeprefix("-").strip()
    if point:
        yield point


def _term(line: str, tables: Mapping[str, TableNote]) -> Iterator[Term]:
    if not (found := _DEFINITION.fullmatch(line)):
        return
    sql = found["sql"].strip(" .`")
    used: tuple[str, ...] = ()
    if table := _FROM.search(sql):
        sql, used = sql[: table.start()], (table["table"],) if table["table"] in tables else ()
    try:
        columns = {c.split(".")[-1].casefold() for c in columns_of(valid_sql(sql))}
    except ValueError:
        return
    # An expression over other terms ("Total Sales - Total Payments") is not SQL that runs.
    known = {c.casefold() for t in tables.values() for c in t.columns}
    other = (found["other"],) if found["other"] else ()
    runs = bool(columns) and columns <= known
    yield Term(
        term=found["term"].strip(),
        synonyms=other,
        meaning=line,
        tables=used,
        expression=sql if runs else None,
    )


def _joins(line: str, tables: Mapping[str, TableNote]) -> Iterator[JoinHint]:
    if not (found := _JOIN.search(line)):
        return
    left, right = (_names(part) for part in (line[: found.start()], line[found.end() :]))
    columns_left, columns_right = _columns(left, tables), _columns(right, tables)
    tables_left = [n for n in left if n in tables] or [t for t, _ in columns_left]
    tables_right = [n for n in right if n in tables] or [t for t, _ in columns_right]
    for a in dict.fromkeys(tables_left):
        for b in dict.fromkeys(tables_right):
            ca = next((c for t, c in columns_left or columns_right if t == a), None)
            cb = next((c for t, c in columns_right if t == b), None)
            if a != b and ca and cb:
                yield JoinHint(table=a, columns=(ca,), target_table=b, target_columns=(cb,), note=line)


def _names(text: str) -> list[str]:
    return [a or b for a, b in _NAME.findall(text)]


def _columns(names: Iterable[str], tables: Mapping[str, TableNote]) -> list[tuple[str, str]]:
    """Each (table, column) that one of the names can mean."""
    found = []
    for name in names:
        table, _, column = name.rpartition(".")
        found += [(t, column) for t, n in tables.items() if table in ("", t) and n.column(column)]
    return found


def _short(rule: str) -> str:
    return rule if len(rule) <= 60 else rule[:57].rstrip() + "..."
