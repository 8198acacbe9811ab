"""A double of Snowflake's client, for what the emulator can't do: limits, cancelling and foreign keys."""

import threading
from itertools import count
from typing import Any

from snowflake.connector.errors import ProgrammingError

Rows = list[tuple[Any, ...]]


class Account:
    """What the client would connect to: answers as Snowflake's manual says, and remembers what it was told.

    `answers` gives the rows by a part of the statement. A session works at a query of `numbers` until it is
    cancelled; a `silent` account doesn't answer who cancels. `sent` has each statement with its session.
    """

    def __init__(self) -> None:
        self.sent: list[tuple[int, str]] = []
        self.answers: dict[str, Rows] = {"CURRENT_ROLE": [("READER",)]}
        self.silent = False
        self.cancelled = threading.Event()
        self._opened = count(1_065_153_872_298)

    def connect(self, **_: Any) -> "Connection":
        return Connection(self, next(self._opened))

    def answer(self, session: int, sql: str) -> Rows:
        self.sent.append((session, sql))
        if "FROM numbers" in sql:
            self.cancelled.wait(30)
            raise ProgrammingError(msg="SQL execution canceled", errno=604)
        if "CANCEL" in sql:
            if self.silent:
                self.cancelled.wait(10)
            self.cancelled.set()
        return next((rows for part, rows in self.answers.items() if part in sql), [])


class Connection:
    """A connection of the client's, as far as Fathom uses it."""

    def __init__(self, account: Account, session: int) -> None:
        self.account, self.session_id = account, session

    def cursor(self) -> "Cursor":
        return Cursor(self)

    def close(self) -> None:
        """Nothing is held."""


class Cursor:
    """A cursor of the client's; it learns the id of a query when the query has ended."""

    sfqid: str | None = None
    description: tuple[tuple[str, ...], ...] = ()

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._rows: Rows = []

    def execute(self, sql: str) -> None:
        self._rows = list(self._connection.account.answer(self._connection.session_id, sql))
        self.description = tuple((f"C{i}",) for i, _ in enumerate(self._rows[0] if self._rows else ("",)))

    def fetchmany(self, count: int) -> Rows:
        rows, self._rows = self._rows[:count], self._rows[count:]
        return rows

    def close(self) -> None:
        """Nothing is held."""

    def __enter__(self) -> "Cursor":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
