"""Every word that sqlglot gives a meaning of its own, as a name in seven places, against the real server.

A word that is syntax to one parser and a name to the other once left the guard three times.
"""

from collections.abc import Iterator
from contextlib import suppress

import pytest
from sqlglot.dialects import MySQL, Postgres
from sqlglot.tokenizer_core import TokenType
from tests.databases import makers
from tests.databases.guard.tables import CALLED, TABLES

from fathom.databases import Database
from fathom.databases.guard.words import names_of
from fathom.errors import QueryError, QueryFailed
from fathom.records import Limits

_PARSERS = {"postgres": Postgres, "mysql": MySQL}
PLACES = (
    "SELECT (SELECT {w}.{f} FROM concat('x') {w} JOIN (SELECT 1) o ON true) FROM (SELECT 1 AS {f}) AS {w}",
    "SELECT (SELECT {w}.{f} FROM concat('x') {w} CROSS JOIN (SELECT 1) o) FROM (SELECT 1 AS {f}) AS {w}",
    "SELECT {w}.{f} FROM concat('x') {w}",
    "SELECT {w}.{f} FROM (SELECT 1 AS {f}) o, concat('x') {w}",
    "SELECT {w}('x')",
    "SELECT 1 FROM {w}('x') t",
    "SELECT {f} {w} FROM {w} JOIN kept ON true",
)


def words(dialect: str) -> list[str]:
    """The words of joins, hints, tables and aliases that the dialect's parser knows."""
    parser = _PARSERS[dialect].Parser
    kinds = {
        *(*parser.JOIN_METHODS, *parser.JOIN_SIDES, *parser.JOIN_KINDS, *parser.JOIN_HINTS),
        *(parser.ID_VAR_TOKENS - parser.TABLE_ALIAS_TOKENS),
        *(*parser.NO_PAREN_FUNCTIONS, *parser.FUNCTION_PARSERS, *parser.NO_PAREN_FUNCTION_PARSERS),
        *(*parser.QUERY_MODIFIER_PARSERS, *parser.RANGE_PARSERS, *parser.RESERVED_TOKENS),
    }
    found = {k.name if isinstance(k, TokenType) else str(k) for k in kinds}
    more = {
        "semi",
        "anti",
        "asof",
        "positional",
        "straight_join",
        "global",
        "any",
        "lateral",
        "qualify",
        "first",
    }
    found |= names_of(dialect).not_calls
    return sorted({w.lower() for w in found | more if w.isidentifier()})


def made(dialect: str) -> Iterator[str]:
    """A function of the owner's for each word, which says that it was called."""
    for word in words(dialect):
        if dialect == "postgres":
            yield (
                f'CREATE FUNCTION public."{word}"(text) RETURNS text LANGUAGE plpgsql VOLATILE AS'
                f" $$ BEGIN RAISE EXCEPTION $t${CALLED}$t$; END $$"
            )
        else:
            said = CALLED.replace("'", "''")
            yield (
                f"CREATE FUNCTION `{word}`(x TEXT) RETURNS TEXT NOT DETERMINISTIC"
                f" BEGIN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = '{said}'; RETURN x; END"
            )


def attempts(dialect: str) -> Iterator[str]:
    for word in words(dialect):
        for place in PLACES:
            yield place.format(w=word, f="marked_any" if dialect == "postgres" else "marked")


@pytest.mark.parametrize("dialect", sorted(_PARSERS))
def test_no_word_makes_a_name_a_call(dialect: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    reached = []
    with getattr(makers, f"{dialect}_databases")(tmp_path_factory.mktemp(dialect)) as make:
        server: Database = make(*TABLES[dialect], *made(dialect))
        for sql in attempts(dialect):
            with suppress(QueryError):
                try:
                    server.run(sql, Limits(seconds=3))
                except QueryFailed as failed:
                    if CALLED in str(failed):
                        reached.append(sql)
    assert reached == []
