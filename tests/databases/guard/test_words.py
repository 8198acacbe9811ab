"""Every word that sqlglot gives a meaning of its own, as a name in seven places, against the real engines.

A word that is syntax to one parser and a name to the other once left the guard three times.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress

import pytest
from sqlglot.dialects import DuckDB, MySQL, Postgres, SQLite
from sqlglot.tokenizer_core import TokenType
from tests.databases import makers
from tests.databases.guard.tables import CALLED, TABLES
from tests.sampling import Sample

from fathom.databases import Database
from fathom.databases.guard.words import names_of
from fathom.errors import QueryError, QueryFailed
from fathom.records import Limits
from fathom.rights import Grant, Granted

_PARSERS = {"postgres": Postgres, "mysql": MySQL, "duckdb": DuckDB, "sqlite": SQLite}
_CALLS = {"duckdb": "range(1)", "sqlite": "json_each('[1]')"}
"""What may be called in FROM, where that isn't `concat('x')`."""
PLACES = (
    "SELECT (SELECT {w}.{f} FROM {c} {w} JOIN (SELECT 1) o ON true) FROM (SELECT 1 AS {f}) AS {w}",
    "SELECT (SELECT {w}.{f} FROM {c} {w} CROSS JOIN (SELECT 1) o) FROM (SELECT 1 AS {f}) AS {w}",
    "SELECT {w}.{f} FROM {c} {w}",
    "SELECT {w}.{f} FROM (SELECT 1 AS {f}) o, {c} {w}",
    "SELECT {w}('x')",
    "SELECT 1 FROM {w}('x') t",
    "SELECT {f} {w} FROM {w} JOIN kept ON true",
)
OF_TABLES = (
    "SELECT {f} {w} FROM {w} JOIN kept ON true",
    "SELECT * FROM {w}",
    "SELECT * FROM kept JOIN {w} ON true",
    "SELECT {w}.* FROM kept CROSS JOIN {w}",
    "SELECT * FROM kept {w} JOIN {w} o ON true",
    "SELECT (SELECT max({f}) FROM {w}) FROM kept",
    "SELECT * FROM kept, (SELECT * FROM {w} {w}) o",
)
SECRET = "what only a hidden table holds"
GRANTED = Granted("anna", (Grant(to=("anna",), databases=("*",), tables=("kept",)),))


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
    """A function of the owner's for each word, which says that it was called; SQLite keeps none."""
    said = CALLED.replace("'", "''")
    for word in words(dialect):
        match dialect:
            case "postgres":
                yield (
                    f'CREATE FUNCTION public."{word}"(text) RETURNS text LANGUAGE plpgsql VOLATILE AS'
                    f" $$ BEGIN RAISE EXCEPTION $t${CALLED}$t$; END $$"
                )
            case "mysql":
                yield (
                    f"CREATE FUNCTION `{word}`(x TEXT) RETURNS TEXT NOT DETERMINISTIC"
                    f" BEGIN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = '{said}'; RETURN x; END"
                )
            case "duckdb":
                yield f"CREATE MACRO \"{word}\"(x) AS error('{said}')"
                yield f"CREATE MACRO \"{word}\"(x) AS TABLE SELECT error('{said}') AS a"


def hidden(dialect: str) -> Iterator[str]:
    """A table for each word, that the user of the rights may not see."""
    for word in words(dialect):
        name = f"`{word}`" if dialect == "mysql" else f'"{word}"'
        yield f"CREATE TABLE {name} (marked VARCHAR(50), marked_any VARCHAR(50))"
        yield f"INSERT INTO {name} VALUES ('{SECRET}', '{SECRET}')"


def attempts(dialect: str, places: Sequence[str]) -> Iterator[str]:
    field, called = "marked_any" if dialect == "postgres" else "marked", _CALLS.get(dialect, "concat('x')")
    for word in words(dialect):
        for place in places:
            yield place.format(w=word, f=field, c=called)


@pytest.mark.parametrize("dialect", sorted(_PARSERS))
def test_no_word_makes_a_name_a_call(
    dialect: str, tmp_path_factory: pytest.TempPathFactory, sample: Sample
) -> None:
    reached = []
    with getattr(makers, f"{dialect}_databases")(tmp_path_factory.mktemp(dialect)) as make:
        server: Database = make(*TABLES[dialect], *made(dialect))
        for sql in sample.of(attempts(dialect, PLACES), 0.2, dialect):
            with suppress(QueryError):
                try:
                    server.run(sql, Limits(seconds=3))
                except QueryFailed as failed:
                    if CALLED in str(failed):
                        reached.append(sql)
    assert reached == []


@pytest.mark.parametrize("dialect", sorted(_PARSERS))
def test_no_word_hides_a_table_from_the_rights(
    dialect: str, tmp_path_factory: pytest.TempPathFactory, sample: Sample
) -> None:
    asked = reached = 0
    seen = []
    with getattr(makers, f"{dialect}_databases")(tmp_path_factory.mktemp(dialect)) as make:
        whole: Database = make(*TABLES[dialect], *hidden(dialect))
        anna = whole.restricted(GRANTED)
        for sql in sample.of(attempts(dialect, OF_TABLES), 0.2, dialect):
            asked += 1
            with suppress(QueryError):
                reached += SECRET in str(whole.run(sql, Limits(seconds=3)).rows)
            with suppress(QueryError):
                if SECRET in str(anna.run(sql, Limits(seconds=3)).rows):
                    seen.append(sql)
    assert seen == []
    assert reached > asked / 10  # else it is the statements that don't work
