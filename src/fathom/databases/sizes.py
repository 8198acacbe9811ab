"""How much a query reads, in words."""

from fathom.databases.database import Database
from fathom.errors import ConnectionFailed, QueryRefused


def size_in_words(size: int) -> str:
    """A number of bytes for people: 1.2 GB."""
    amount = float(size)
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if amount < 1000 or unit == "TB":
            break
        amount /= 1000
    return f"{amount:,.0f} {unit}" if unit == "bytes" else f"{amount:,.1f} {unit}"


def estimate_in_words(database: Database, size: int | None) -> str:
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
        f"it would read {size_in_words(size)}, and a query may read {size_in_words(budget)} "
        f"({name} in the database's URL).",
        sql=sql,
    )
