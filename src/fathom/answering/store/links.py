"""Links that show one answer to whoever has them, until they end."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from fathom.answering.store.file import StoreFile, stamp


@dataclass(frozen=True, slots=True)
class AnswerLink:
    """A link to one answer, without its secret. `embeds` says that pages of other sites may show it."""

    number: int
    begun_at: datetime
    ends_at: datetime
    embeds: bool


class AnswerLinks:
    """The part of the store about links. Safe to use from threads."""

    def __init__(self, file: StoreFile) -> None:
        self._file = file

    def begin(self, answer: str, lasting: timedelta, *, embeds: bool = False) -> tuple[str, AnswerLink]:
        """Make a link to an answer that is there: its secret, which is shown once, and the link."""
        secret, now = secrets.token_urlsafe(32), datetime.now(UTC)
        with self._file.writing():
            self._file.rows("DELETE FROM link WHERE ends_at <= ?", stamp(now))
            [row] = self._file.rows(
                "INSERT INTO link (digest, answer, begun_at, ends_at, embeds) VALUES (?, ?, ?, ?, ?) "
                "RETURNING number",
                *(_digest(secret), answer, stamp(now), stamp(now + lasting), embeds),
            )
        return secret, AnswerLink(row["number"], now, now + lasting, embeds)

    def answer(self, secret: str, *, embedded: bool = False) -> str:
        """The id of the answer that a link shows; "" where there is none, or it has ended.

        `embedded` asks for one that other sites may show.
        """
        found = self._file.rows(
            "SELECT answer FROM link WHERE digest = ? AND ends_at > ? AND embeds >= ?",
            *(_digest(secret), stamp(), embedded),
        )
        return str(found[0]["answer"]) if found else ""

    def of(self, answer: str) -> Sequence[AnswerLink]:
        """The links to an answer that haven't ended, the first one first."""
        found = self._file.rows(
            "SELECT number, begun_at, ends_at, embeds FROM link WHERE answer = ? AND ends_at > ? "
            "ORDER BY number",
            *(answer, stamp()),
        )
        return [
            AnswerLink(n, datetime.fromisoformat(begun), datetime.fromisoformat(ends), bool(embeds))
            for n, begun, ends, embeds in found
        ]

    def end(self, answer: str, number: int) -> None:
        """Let a link to an answer show nothing from here on."""
        with self._file.writing():
            self._file.rows("DELETE FROM link WHERE answer = ? AND number = ?", answer, number)


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "replace")).hexdigest()
