"""The rows of an executed query, and the limits it ran within."""

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Limits:
    """What one query may take. `None` lifts a limit; bytes are of the values as fetched.

    `steps` are those of the engine's virtual machine, where it counts them (SQLite): unlike the clock, they
    stop the same query at the same place every time.
    """

    seconds: float | None = 30.0
    rows: int | None = 10_000
    bytes: int | None = 64_000_000
    steps: int | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """Rows of an executed query. `truncated` names the limit that cut them, or is None when all are here."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    sql: str
    seconds: float
    truncated: Literal["rows", "bytes"] | None = None
