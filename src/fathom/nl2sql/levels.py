"""How hard a query is, told by its joins, subqueries and set operations."""

from functools import lru_cache
from typing import Literal

from sqlglot import exp

from fathom.databases.parsing import parsed

Level = Literal["simple", "moderate", "challenging"]
LEVELS: tuple[Level, ...] = ("simple", "moderate", "challenging")


@lru_cache(maxsize=65_536)
def level(sql: str, dialect: str) -> Level:
    """Simple with none of them, moderate with one, challenging with more; simple where it can't be parsed."""
    if (tree := parsed(sql, dialect)) is None:
        return "simple"
    parts = len(list(tree.find_all(exp.Join, exp.Subquery, exp.SetOperation)))
    return LEVELS[min(len(LEVELS) - 1, parts)]
