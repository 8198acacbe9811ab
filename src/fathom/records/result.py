"""The rows of an executed query, and the limits it ran within."""

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Limits:
    """What one query may take. `None` lifts a limit; bytes are of the values as fetched."""

    seconds: float | None = 30.0
    rows: int | None = 10_000
    bytes: int | None = 64_000_000


@dataclass(frozen=True, slots=True)
class Result:
    """Rows of an executed query. `truncated` names the limit that cut them, or is None when all are here."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    sql: str
    seconds: float
    truncated: Literal["rows", "bytes"] | None = None
