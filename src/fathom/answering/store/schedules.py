"""Schedules of saved questions, and their sendings: each due time is claimed before it is worked on.

A sending is a row from the moment that it is due, so a process that ends loses none. It is claimed in a
transaction, and a claim of a process that has ended is taken over. Only between "sending" and what came of
it nobody knows whether it arrived: a webhook is then sent again under the same key, which its receiver knows;
a mail isn't, and is reported as unknown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from fathom.answering.due_times import Every, next_due
from fathom.answering.store.file import StoreFile, stamp
from fathom.answering.store.workers import WORKER, Workers

Needs = Literal["always", "rows", "over", "under"]
OPEN = ("due", "claimed", "sending")
MOST_ATTEMPTS = 5
KEPT_SENDINGS = 20
"""Of each schedule, with what became of them."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """When a saved question is asked, and where its answer goes if it meets what it `needs`."""

    number: int
    saved: str
    destination: str
    every: Every
    minute: int
    weekday: int
    needs: Needs
    heading: str
    bound: float
    next_at: datetime


@dataclass(frozen=True, slots=True)
class Sending:
    """One due time of a schedule. `answer` is the one that is sent, `why` tells what went wrong last."""

    key: str
    schedule: int
    due_at: datetime
    state: str
    attempt: int
    answer: str
    why: str


class Schedules:
    """The part of the store about schedules. Safe to use from threads."""

    def __init__(self, file: StoreFile) -> None:
        self._file = file

    def add(
        self,
        saved: str,
        destination: str,
        *,
        every: Every,
        minute: int,
        weekday: int = 0,
        needs: Needs = "always",
        heading: str = "",
        bound: float = 0.0,
    ) -> None:
        """Let a saved question be asked and sent from the next due time on."""
        first = next_due(every, minute, weekday, datetime.now(UTC))
        with self._file.writing():
            self._file.rows(
                "INSERT INTO schedule "
                "(saved, destination, every, minute, weekday, needs, heading, bound, next_at) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                *(saved, destination, every, minute, weekday, needs, heading, bound, stamp(first)),
            )

    def of(self, saved: str) -> Sequence[Schedule]:
        """The schedules of a saved question."""
        return [
            _schedule(r)
            for r in self._file.rows("SELECT * FROM schedule WHERE saved = ? ORDER BY number", saved)
        ]

    def get(self, number: int) -> Schedule | None:
        """One schedule; None where it was removed."""
        return next(
            iter(map(_schedule, self._file.rows("SELECT * FROM schedule WHERE number = ?", number))), None
        )

    def remove(self, saved: str, number: int) -> None:
        """Let a saved question be sent so no more."""
        with self._file.writing():
            self._file.rows("DELETE FROM schedule WHERE saved = ? AND number = ?", saved, number)

    def sendings(self, number: int, most: int = 3) -> Sequence[Sending]:
        """The latest sendings of a schedule."""
        found = self._file.rows(
            "SELECT * FROM sending WHERE schedule = ? ORDER BY due_at DESC LIMIT ?", number, most
        )
        return [_sending(row) for row in found]

    def be_due(self, saved: str, number: int) -> None:
        """Let a schedule be due now."""
        with self._file.writing():
            self._file.rows(
                "UPDATE schedule SET next_at = ? WHERE saved = ? AND number = ?", stamp(), saved, number
            )

    # Working them off

    def make_due(self, now: datetime) -> None:
        """Make a sending of each schedule whose time has come; of several missed times it is one."""
        with self._file.writing():
            for row in self._file.rows("SELECT * FROM schedule WHERE next_at <= ?", stamp(now)):
                due = row["next_at"]
                self._file.rows(
                    "INSERT OR IGNORE INTO sending (key, schedule, due_at, state) VALUES (?, ?, ?, 'due')",
                    *(f"{row['number']}-{due}", row["number"], due),
                )
                then = next_due(row["every"], row["minute"], row["weekday"], now)
                self._file.rows(
                    "UPDATE schedule SET next_at = ? WHERE number = ?", stamp(then), row["number"]
                )
                self._file.rows(
                    "DELETE FROM sending WHERE schedule = ? AND ended_at <> '' AND key NOT IN "
                    "(SELECT key FROM sending WHERE schedule = ? ORDER BY due_at DESC LIMIT ?)",
                    *(row["number"], row["number"], KEPT_SENDINGS),
                )

    def claim(self, now: datetime) -> Sending | None:
        """Take the next sending that is due, or that a process which has ended left; None where none is.

        One that was being sent when its process ended keeps that state.
        """
        workers = Workers(self._file.path)
        marks = ", ".join("?" * len(OPEN))
        with self._file.writing():
            for row in self._file.rows(
                f"SELECT * FROM sending WHERE state IN ({marks}) AND not_before <= ? ORDER BY due_at, key",
                *OPEN,
                stamp(now),
            ):
                if row["state"] != "due" and (row["worker"] == WORKER or workers.lives(row["worker"])):
                    continue
                state = "claimed" if row["state"] == "due" else row["state"]
                self._file.rows(
                    "UPDATE sending SET worker = ?, state = ? WHERE key = ?", WORKER, state, row["key"]
                )
                return _sending({**dict(row), "state": state})
        return None

    def answered(self, key: str, answer: str) -> None:
        """Note the answer that a sending of ours is about."""
        self._change(key, answer=answer)

    def begin_sending(self, key: str) -> bool:
        """Note that a sending of ours is handed over from here on; False where it isn't ours any more."""
        return self._change(key, state="sending")

    def end(self, key: str, state: str, why: str = "") -> None:
        """Note what became of a sending of ours: sent, quiet, failed or unknown."""
        self._change(key, state=state, why=why, ended_at=stamp())

    def put_off(self, sending: Sending, why: str, *, anew: bool = False) -> None:
        """Try a sending of ours again later, or no more after some attempts; `anew` with another answer."""
        attempt = sending.attempt + 1
        if attempt >= MOST_ATTEMPTS:
            self.end(sending.key, "failed", why)
            return
        then = datetime.now(UTC) + timedelta(seconds=30 * 4 ** (attempt - 1))
        change = {"state": "due", "why": why, "attempt": attempt, "not_before": stamp(then)}
        self._change(sending.key, **change, **({"answer": ""} if anew else {}))

    def _change(self, key: str, **to: Any) -> bool:
        changed = ", ".join(f"{name} = ?" for name in to)
        with self._file.writing():
            found = self._file.rows(
                f"UPDATE sending SET {changed} WHERE key = ? AND worker = ? RETURNING key",
                *to.values(),
                key,
                WORKER,
            )
        return bool(found)


def _schedule(row: Any) -> Schedule:
    return Schedule(
        row["number"], row["saved"], row["destination"], row["every"], row["minute"], row["weekday"],
        row["needs"], row["heading"], row["bound"], datetime.fromisoformat(row["next_at"]),
    )  # fmt: skip


def _sending(row: Any) -> Sending:
    return Sending(
        row["key"], row["schedule"], datetime.fromisoformat(row["due_at"]), row["state"], row["attempt"],
        row["answer"], row["why"],
    )  # fmt: skip
