"""The guard has decided on every kind of node that sqlglot may make of a text, by its name."""

from collections.abc import Iterator

import pytest
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError

from fathom.databases.guard import check
from fathom.databases.guard.tree import check_kind
from fathom.databases.guard.words import Refused, allowed_kinds, kinds
from fathom.errors import QueryRefused

DIALECTS = ("sqlite", "duckdb", "postgres", "mysql", "trino", "spark", "bigquery", "snowflake", "databricks")
FORMS = (
    "SELECT {}",
    *(f"SELECT {{}}({a})" for a in ("", "a", "'x', 1", "a, b, c", "*", "DISTINCT a", "SELECT 1", "a AS int")),
    "SELECT * FROM {}(a, b) AS t",
    "SELECT {}(a) OVER ()",
)


def _kinds_below(kind: type[exp.Expr]) -> Iterator[type[exp.Expr]]:
    for below in kind.__subclasses__():
        if below.__module__.startswith("sqlglot"):
            yield below
            yield from _kinds_below(below)


KINDS = {kind.__name__: kind for kind in _kinds_below(exp.Expr)}


def test_every_kind_is_decided_on_once() -> None:
    decided = kinds()
    undecided = KINDS.keys() - decided.allowed - decided.refused.keys()
    assert not undecided, "decide on these in guard/names/kinds.toml: what a query may be made of is allowed"
    assert decided.allowed & decided.refused.keys() <= decided.only.keys()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_guard_does_as_was_decided(dialect: str) -> None:
    """Each kind alone in a query: what isn't allowed by name is refused by the rule of its list."""
    decided = kinds()
    for name, kind in KINDS.items():
        rule = _rule_for(kind, dialect)
        if name in allowed_kinds(dialect):
            assert rule is None, name
        elif name in decided.refused:
            assert rule == decided.refused[name][0], name
        else:
            assert name in decided.only, name
            assert rule == "statement", name


def test_an_unknown_kind_is_refused() -> None:
    class Unheard(exp.Func):
        """What a newer sqlglot may have."""

    for dialect in (*DIALECTS, "bigquery"):
        assert _rule_for(Unheard, dialect) == "statement"


def _rule_for(kind: type[exp.Expr], dialect: str) -> str | None:
    """The rule that refuses a node of this kind; None where none does."""
    try:
        check_kind(kind, dialect)
    except Refused as refused:
        return refused.rule
    return None


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_the_parser_makes_of_its_own_words_is_decided_on(dialect: str) -> None:
    """Every word that the dialect's parser knows as a function, in every form: what passes is allowed."""
    known = Dialect.get_or_raise(dialect).parser_class
    words = {
        *known.FUNCTIONS,
        *known.FUNCTION_PARSERS,
        *known.NO_PAREN_FUNCTION_PARSERS,
        *(str(token.value) for token in known.NO_PAREN_FUNCTIONS),
    }
    passed = 0
    for word in sorted(words):
        for sql in (form.format(word) for form in FORMS):
            try:
                tree = check(sql, dialect)
            except QueryRefused:
                continue
            passed += 1
            assert {type(n).__name__ for n in tree.walk()} <= allowed_kinds(dialect), sql
    assert passed > 300


@pytest.mark.parametrize("dialect", DIALECTS)
def test_operators_and_words_of_the_dialect_are_decided_on(dialect: str) -> None:
    """Every word and sign that the tokenizer knows, before, after and between values."""
    known = Dialect.get_or_raise(dialect).tokenizer_class
    seen: set[str] = set()
    for sign in sorted({*known.KEYWORDS, *known.SINGLE_TOKENS}):
        for form in (
            "SELECT a {} b FROM t",
            "SELECT {} a FROM t",
            "SELECT a {} FROM t",
            "SELECT a FROM t {} b",
        ):
            sql = form.format(sign)
            seen |= _parsed(sql, dialect)
            try:
                tree = check(sql, dialect)
            except QueryRefused:
                continue
            assert {type(n).__name__ for n in tree.walk()} <= allowed_kinds(dialect), sql
    assert seen <= kinds().allowed | kinds().refused.keys()
    assert len(seen) > 60


def _parsed(sql: str, dialect: str) -> set[str]:
    try:
        trees = Dialect.get_or_raise(dialect).parse(sql)
    except (SqlglotError, TypeError, AttributeError):  # it stumbles over some of these itself
        return set()
    return {type(node).__name__ for tree in trees if tree is not None for node in tree.walk()}
