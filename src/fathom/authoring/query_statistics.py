"""How gold queries are spread: by length, joins and keywords, as BIRD's third and fourth figures have it."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from sqlglot import exp, tokenize
from sqlglot.errors import SqlglotError

from fathom.records import Schema

KEYWORD_CLASSES: Mapping[str, frozenset[str]] = {
    "main body": frozenset("SELECT FROM WHERE AND OR NOT IN EXISTS IS NULL IIF CASE WHEN".split()),
    "join": frozenset("JOIN ON AS".split()),
    "clause": frozenset("BETWEEN LIKE LIMIT ORDER ASC DESC GROUP HAVING UNION ALL EXCEPT PARTITION".split()),
    "aggregation": frozenset("AVG COUNT MAX MIN ROUND SUM".split()),
    "scalar": frozenset("ABS LENGTH STRFTIME JULIANDAY NOW CAST SUBSTR SUBSTRING INSTR".split()),
    "comparison": frozenset(("=", ">", "<", ">=", "<=", "!=", "<>")),
    "computing": frozenset(("-", "+", "*", "/")),
}
"""The seven classes of BIRD (Li et al. 2023, B.12)."""
_WIDTHS = {"tokens of a query": 20, "keywords of a query": 5}
_MOST_JOINS = 4
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`")
"""Texts and quoted names: no keyword stands in them."""


def tokens_of(sql: str) -> list[str]:
    """The tokens of a query in capitals; its words where it can't be told apart."""
    try:
        return [t.text.upper() for t in tokenize(sql)]
    except SqlglotError:
        return sql.upper().split()


def spreads(golds: Sequence[str], trees: Sequence[exp.Expr]) -> dict[str, dict[str, int]]:
    """How many queries have how many tokens, keywords and joins, and a keyword of each class."""
    written = [_parts(tokens_of(_QUOTED.sub("quoted", sql))) for sql in golds]
    known = frozenset().union(*KEYWORD_CLASSES.values())
    lengths = {
        "tokens of a query": [len(tokens_of(sql)) for sql in golds],
        "keywords of a query": [sum(w in known for w in words) for words in written],
    }
    joins = Counter(min(len(list(t.find_all(exp.Join))), _MOST_JOINS) for t in trees)
    classes = {
        name: sum(any(w in kinds for w in words) for words in written)
        for name, kinds in KEYWORD_CLASSES.items()
    }
    return {
        **{name: _binned(found, _WIDTHS[name]) for name, found in lengths.items()},
        "joins of a query": {_at_most(n): joins[n] for n in sorted(joins)},
        "class of keywords": {name: n for name, n in classes.items() if n},
    }


def _parts(tokens: Iterable[str]) -> list[str]:
    """Single words: ORDER BY is one token."""
    return [part for token in tokens for part in (token.split() or [token])]


def _at_most(joins: int) -> str:
    return f"{joins} or more" if joins == _MOST_JOINS else str(joins)


def _binned(values: Sequence[int], width: int) -> dict[str, int]:
    found = Counter(v // width for v in values)
    return {f"{b * width} to {b * width + width - 1}": found[b] for b in sorted(found)}


def grams_of_queries(golds: Sequence[str]) -> dict[str, int]:
    """How many different tokens, and pairs of tokens that follow each other, the queries have."""
    written = [tokens_of(sql) for sql in golds]
    return {
        "different 1-grams of queries": len({w for words in written for w in words}),
        "different 2-grams of queries": len({pair for words in written for pair in pairwise(words)}),
    }


def column_types(schemas: Iterable[Schema]) -> dict[str, int]:
    """How many columns there are of each type."""
    found = Counter(c.kind for s in schemas for t in s.tables for c in t.columns)
    return dict(found.most_common())
