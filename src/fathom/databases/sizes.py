"""How much a query reads, in words; who wants to know it beforehand, and who mustn't."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from fathom.context_values import holding
from fathom.databases.engine import Engine
from fathom.databases.statements import is_query
from fathom.errors import ConnectionFailed, QueryError, QueryRefused
from fathom.watch import is_watched, tell

if TYPE_CHECKING:
    from fathom.databases.database import Database

_WORTH_TELLING = 1_000_000_000  # bytes
_hidden: ContextVar[bool] = ContextVar("sizes_hidden", default=False)


def hiding_sizes() -> AbstractContextManager[None]:
    """Tell nobody the size of the queries inside: it would tell of rows that are hidden."""
    return holding(_hidden, True)


def tell_size(size: int) -> None:
    """Tell who watches how much a query reads, if that is much."""
    if size >= _WORTH_TELLING and not _hidden.get():
        tell(f"the query reads {size_in_words(size)}")


def mind_size(engine: Engine, sql: str, size_of: Callable[[str], int | None]) -> None:
    """Tell how much a query reads before it runs, where its engine has a budget or somebody watches.

    Raises `QueryRefused` for more than the budget.
    """
    budget = engine.budget
    if not engine.tells_size or engine.sizes_itself or not is_query(sql, engine.dialect):
        return
    if budget is None and not is_watched():
        return
    try:
        size = size_of(sql)
    except QueryError:
        if budget is None:  # what is wrong with the query is told when it runs
            return
        raise
    if size is None:
        return
    if budget is not None and size > budget:
        raise over_budget(size, budget, "maximum_bytes", sql)
    tell_size(size)


def size_in_words(size: int) -> str:
    """A number of bytes for people: 1.2 GB."""
    amount = float(size)
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if amount < 1000 or unit == "TB":
            break
        amount /= 1000
    return f"{amount:,.0f} {unit}" if unit == "bytes" else f"{amount:,.1f} {unit}"


def estimate_in_words(database: "Database", size: int | None) -> str:
    """A sentence on what a query would read, from what `Database.estimate` gave."""
    if size is not None:
        return f"The query would read about {size_in_words(size)}."
    if database.tells_size:
        return "What the query would read can't be told before it runs."
    return f"{database.dialect} doesn't tell what a query reads before it runs."


def asked_bytes(found: object, name: str, url: str) -> int | None:
    """A number of bytes found in a URL, under a name. Raises `ConnectionFailed` for what is none."""
    if found is None:
        return None
    if not str(found).isdecimal():
        raise ConnectionFailed(f"{url}: {name} is a number of bytes, such as 10000000000.")
    return int(str(found))


def over_budget(size: int, budget: int, name: str, sql: str) -> QueryRefused:
    """The refusal of a query that would read more than the URL lets it, under a name."""
    return QueryRefused(
        "cost",
        f"it would read {'more' if _hidden.get() else size_in_words(size)}, and a query may read "
        f"{size_in_words(budget)} "
        f"({name} in the database's URL).",
        sql=sql,
    )
