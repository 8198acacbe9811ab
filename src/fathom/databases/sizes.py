"""How much a query reads, in words."""

from fathom.databases.database import Database


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
