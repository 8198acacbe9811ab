"""The parts of a query, read from its tokens: its skeleton, the names it uses, the texts it compares."""

from dataclasses import dataclass
from functools import lru_cache

from sqlglot import tokenize
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

_KEYWORDS = frozenset(
    """
    all and any between by case cast cross desc distinct else end except exists first from full group having
    in inner intersect is join last left like limit natural not null nulls offset on or order outer over
    partition recursive right select some then union using when where with
    """.split()
)
_PASSED_OVER = frozenset({"as", "asc"})
"""They can be left out of any query without changing it."""
_SHORTEST_NAME = 3
"""Letters; shorter names are mostly aliases."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """The words of a query by kind. The skeleton is its keywords, functions and operators."""

    skeleton: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()


@lru_cache(maxsize=65_536)
def pieces(sql: str) -> Pieces:
    """A query's pieces in any dialect; none where it isn't even made of tokens."""
    try:
        found = tokenize(sql, read="sqlite")
    except SqlglotError:
        return Pieces()
    skeleton, names, texts = set(), set(), set()
    for place, token in enumerate(found):
        word = token.text.casefold()
        calls = any(t.token_type is TokenType.L_PAREN for t in found[place + 1 : place + 2])
        if token.token_type is TokenType.STRING:
            texts.add(token.text)
        elif token.token_type is TokenType.IDENTIFIER:
            names.add(token.text)
        elif word in _KEYWORDS or (calls and word.isidentifier()):
            skeleton.add(word)
        elif word.isidentifier() and word not in _PASSED_OVER:
            names.update([token.text] if len(word) >= _SHORTEST_NAME else [])
        elif not word.replace(".", "").isalnum() and word not in {"(", ")", ",", ".", ";"}:
            skeleton.update(word.split())  # some operators are two keywords in one token, as GROUP BY is
    return Pieces(frozenset(skeleton), frozenset(names), frozenset(texts))


def likeness(first: str, second: str) -> float:
    """How alike two queries are built: the Jaccard index of their skeletons, 0 to 1 (DAIL-SQL)."""
    one, other = pieces(first).skeleton, pieces(second).skeleton
    return len(one & other) / len(one | other) if one or other else 0.0
