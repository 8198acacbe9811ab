"""Names of tables and columns that go on from what is typed at a place of a query."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlglot import Token, TokenType, exp, tokenize
from sqlglot.errors import SqlglotError

from fathom.databases.reserved_words import is_reserved
from fathom.records import Schema, Table

MOST_NAMES = 40
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FOLDED = {"postgres": str.lower, "snowflake": str.upper}
"""How dialects read a bare name; the others keep its letters, or don't mind them."""
_BEFORE_TABLES = frozenset((TokenType.FROM, TokenType.JOIN))
_NAMES = frozenset((TokenType.VAR, TokenType.IDENTIFIER))


@dataclass(frozen=True, slots=True)
class CompletedName:
    """A name as SQL writes it; `about` says what it is, such as the table of a column."""

    text: str
    about: str


@dataclass(frozen=True, slots=True)
class Completions:
    """The names for the word that begins at `start` and ends at the place that was asked for."""

    start: int
    names: Sequence[CompletedName]


def completions(sql: str, at: int, schema: Schema) -> Completions:
    """The names that may stand at a place of a query, the nearest first.

    Behind `alias.` those of its table; behind FROM and JOIN tables; elsewhere columns of the tables that the
    query names, then tables.
    """
    before = _tokens(sql[:at], schema.dialect)
    if before is None:
        return Completions(at, ())
    word = before[-1] if before and before[-1].end + 1 == at and _is_word(before[-1]) else None
    start = at if word is None else word.start
    rest = before[: len(before) - (word is not None)]
    named = _named(_tokens(sql, schema.dialect) or before, schema)
    if rest and rest[-1].token_type == TokenType.DOT:
        qualifier = rest[-2].text if len(rest) > 1 else ""
        found = _behind(qualifier, named, schema)
    else:
        after_from = bool(rest) and rest[-1].token_type in _BEFORE_TABLES
        found = _anywhere(named, schema, only_tables=after_from)
    return Completions(start, _fitting(found, sql[start:at], schema))


def _tokens(sql: str, dialect: str) -> list[Token] | None:
    try:
        return tokenize(sql, dialect=dialect)
    except (SqlglotError, RecursionError):  # such as an open quotation mark
        return None


def _is_word(token: Token) -> bool:
    return token.token_type != TokenType.STRING and bool(_PLAIN.fullmatch(token.text))


def _named(tokens: Sequence[Token], schema: Schema) -> dict[str, Table]:
    """The tables that a query names, by their folded names and aliases, wherever they stand."""
    short = {t.name.rpartition(".")[2].casefold(): t for t in schema.tables}
    found: dict[str, Table] = {}
    for place, token in enumerate(tokens):
        table = short.get(token.text.casefold()) if token.token_type != TokenType.STRING else None
        if table is None or not _begins_item(tokens, place):
            continue
        after = [t for t in tokens[place + 1 : place + 3] if t.token_type != TokenType.ALIAS]
        alias = after[0].text if after and after[0].token_type in _NAMES else token.text
        found[alias.casefold()] = table
    return found


def _begins_item(tokens: Sequence[Token], place: int) -> bool:
    """True if a word stands where FROM and JOIN have their tables, perhaps behind its schema."""
    while place >= 2 and tokens[place - 1].token_type == TokenType.DOT:
        place -= 2
    return place > 0 and tokens[place - 1].token_type in _BEFORE_TABLES | {TokenType.COMMA}


def _behind(qualifier: str, named: Mapping[str, Table], schema: Schema) -> Iterator[tuple[str, str]]:
    """The columns of a table or its alias; the tables of a schema."""
    table = named.get(qualifier.casefold())
    if table is None and qualifier in schema:
        table = schema.table(qualifier)
    if table is not None:
        yield from ((c.name, c.type) for c in table.columns)
        return
    inside = f"{qualifier.casefold()}."
    for one in schema.tables:
        if qualifier and one.name.casefold().startswith(inside):
            yield one.name[len(inside) :], "table"


def _anywhere(named: Mapping[str, Table], schema: Schema, *, only_tables: bool) -> Iterator[tuple[str, str]]:
    if not only_tables:
        for alias, table in named.items():
            yield from ((c.name, table.name) for c in table.columns)
            if alias != table.name.casefold():
                yield alias, table.name
    yield from ((t.name, "view" if t.is_view else "table") for t in schema.tables)


def _fitting(found: Iterable[tuple[str, str]], typed: str, schema: Schema) -> list[CompletedName]:
    """Those that begin with what was typed, then those that hold it; none that is typed out already."""
    folded, first, then = typed.casefold(), dict[str, str](), dict[str, str]()
    for name, about in found:
        if name.casefold() == folded:
            continue
        if name.casefold().startswith(folded):
            first.setdefault(name, about)
        elif len(folded) > 1 and folded in name.casefold():
            then.setdefault(name, about)
    names = [*first.items(), *((n, a) for n, a in then.items() if n not in first)]
    return [CompletedName(_written(name, schema), about) for name, about in names[:MOST_NAMES]]


def _written(name: str, schema: Schema) -> str:
    """A name as SQL has it: in quotes only where it needs them."""
    parts = name.split(".") if name in schema else [name]
    return ".".join(_part(part, schema.dialect) for part in parts)


def _part(name: str, dialect: str) -> str:
    fold = _FOLDED.get(dialect, str)
    if _PLAIN.fullmatch(name) and not is_reserved(name) and fold(name) == name:
        return name
    return exp.to_identifier(name, quoted=True).sql(dialect=dialect)
