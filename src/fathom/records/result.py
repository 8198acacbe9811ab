"""The rows of an executed query, and the limits it ran within."""

from dataclasses import dataclass, field
from typing import Any, Literal

from fathom.errors import ConfigError
from fathom.records.display import Displayed
from fathom.records.frames import frame

MOST_SECONDS = 1_000_000
"""Some eleven days: not every engine's clock counts much further."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one query. `None` lifts a limit; bytes are of the values as fetched.

    `steps` are those of the engine's virtual machine, where it counts them (SQLite): unlike the clock, they
    stop the same query at the same place every time. Raises `ConfigError` for a limit under which no query
    could be run (seconds must be more than none, the others may be 0), and for more than `MOST_SECONDS`.
    """

    seconds: float | None = 30.0
    rows: int | None = 10_000
    bytes: int | None = 64_000_000
    steps: int | None = None

    def __post_init__(self) -> None:
        for name in ("seconds", "rows", "bytes", "steps"):
            limit = getattr(self, name)
            if limit is not None and (limit < 0 or (name == "seconds" and not limit > 0)):
                raise ConfigError(f"A limit of {limit:g} {name} lets no query run.")
        if self.seconds is not None and self.seconds > MOST_SECONDS:
            raise ConfigError(
                f"A limit of {self.seconds:g} seconds is too long: {MOST_SECONDS:,} at the most."
            )


@dataclass(frozen=True, slots=True)
class Result(Displayed):
    """Rows of an executed query. `truncated` names the limit that cut them, or is None when all are here.

    `bytes_read` are those that the engine read for them; None where it doesn't tell.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    sql: str
    seconds: float
    truncated: Literal["rows", "bytes"] | None = None
    bytes_read: int | None = field(default=None, compare=False)

    def frame(self, library: str | None = None) -> Any:
        """The rows as a data frame of pandas, polars or pyarrow, whichever is installed; or of `library`.

        Raises `MissingExtra` where none is, and `ConfigError` for another library.
        """
        return frame(self.columns, self.rows, library)
