"""The store of answers: written once each, searched by words, saved under names, judged by people."""

import json
import re
import secrets
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from itertools import accumulate, zip_longest
from pathlib import Path
from typing import Any, Self, TypeVar

from fathom.answering.archive import archived
from fathom.answering.parameters import SavedParameter
from fathom.answering.store.file import StoreFile, sessions_since, stamp
from fathom.answering.store.filled import FilledQuestions
from fathom.answering.store.links import AnswerLinks
from fathom.answering.store.records import (
    Feedback,
    KeptAnswer,
    Origin,
    Saved,
    Standing,
    StoredQuestion,
    deflated,
)
from fathom.answering.store.schedules import Schedules
from fathom.answering.store.shared import SharedWork, digest
from fathom.answering.store.workers import WORKER
from fathom.errors import FathomError
from fathom.records import Answer, Question, Reading, Result

MOST_ROWS, MOST_BYTES = 1_000, 1_000_000
"""Of one answer: rows that are kept, and bytes that they may take once deflated."""
PAGE = 50
_ENTRY = ", ".join(f"answer.{f.name}" for f in fields(StoredQuestion))


class AnswerNotFound(FathomError):
    """There is no such answer, conversation or saved question, or it was deleted."""

    def __init__(self, what: str, id: str) -> None:  # noqa: A002, as it is called everywhere
        self.what, self.id = what, id
        super().__init__(f"There is no {what} {id!r}. It may have been deleted.")


class Store:
    """Keeps what was asked and answered. Several threads and processes may use one file.

    `shared` is what servers over one file tell each other, `filled` are saved questions with values, and
    `links` show answers to whoever has them, `schedules` say when which are sent.
    `user` is who asks, where several users who may see the same share the file; "" elsewhere.
    """

    def __init__(self, path: Path, user: str = "") -> None:
        self._file, self._user = StoreFile(path), user
        self.shared = SharedWork(self._file, user)
        self.filled = FilledQuestions(self._file)
        self.links = AnswerLinks(self._file)
        self.schedules = Schedules(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    # One question, from being asked to its answer

    def begin(
        self,
        question: Question,
        database: str,
        *,
        conversation: str = "",
        parent: str | None = None,
        origin: Origin = Origin.ASKED,
        sql: str = "",
        key: str | None = None,
    ) -> tuple[StoredQuestion, bool]:
        """Keep that a question was asked; the entry, and whether it is new.

        Without a `conversation` one begins. `sql` is the query to run, where it is known already.
        A `key` that was used before gives the entry that it made then.
        Raises `AnswerNotFound` for a conversation that isn't there.
        """
        with self._file.writing():
            if key is not None and (known := self._entries("WHERE key = ?", key)):
                return known[0], False
            return self._begun(
                question,
                id=new_id(),
                database=database,
                conversation=conversation,
                parent=parent,
                origin=origin,
                sql=sql,
                key=key,
                asked_by=self._user,
            ), True

    def keep(
        self,
        id: str,  # noqa: A002
        answer: Answer,
        database: str,
        *,
        conversation: str = "",
        origin: Origin = Origin.ASKED,
        asked_by: str,
        seconds: float,
    ) -> None:
        """Keep a question and its answer, found elsewhere, under an id that `new_id` gave.

        Raises `AnswerNotFound` for a conversation that isn't there.
        """
        question = Question(answer.question.text, evidence=answer.question.evidence)
        with self._file.writing():
            self._begun(
                question,
                id=id,
                database=database,
                conversation=conversation,
                origin=origin,
                sql="",
                asked_by=asked_by,
            )
        self.finish(id, answer, seconds=seconds)

    def _begun(self, question: Question, **of: str | None) -> StoredQuestion:
        now = stamp()
        if not of["conversation"]:
            of["conversation"] = new_id()
            self._file.rows(
                "INSERT INTO conversation VALUES (?, ?, ?)", of["conversation"], of["database"], now
            )
        elif not self._file.rows("SELECT 1 FROM conversation WHERE id = ?", of["conversation"]):
            raise AnswerNotFound("conversation", of["conversation"])
        made = {
            **of,
            "question": question.text,
            "evidence": question.evidence,
            "method": "",
            "asked_at": now,
            "worker": WORKER,
            "status": Standing.WAITING,
        }
        marks = ", ".join("?" * len(made))
        self._file.rows(f"INSERT INTO answer ({', '.join(made)}) VALUES ({marks})", *made.values())
        [entry] = self._entries("WHERE id = ?", made["id"])
        self._file.rows(
            "INSERT INTO answer_words (rowid, question) VALUES (?, ?)", entry.number, question.text
        )
        return entry

    def working(self, id: str) -> None:  # noqa: A002
        """Say that work on a question has begun."""
        with self._file.writing():
            self._file.rows(
                "UPDATE answer SET status = ?, runs = runs + 1 WHERE id = ? AND worker = ?",
                Standing.WORKING,
                id,
                WORKER,
            )

    def finish(self, id: str, answer: Answer, *, seconds: float, state: str = "") -> None:  # noqa: A002
        """Keep the answer to a question; `state` marks the data that it was found in.

        Of a long result the first rows are kept.
        """
        shown = answer.shown or answer.result
        found = {
            "status": answer.ending.value,
            "says": answer.text,
            **({"sql": answer.sql} if answer.sql else {}),
            "method": answer.method,
            "confidence": answer.confidence,
            "row_count": len(shown.rows) if shown else None,
            "content": _content(answer),
        }
        self._end(id, found, seconds, state)

    def fail(self, id: str, standing: Standing, why: str, *, seconds: float) -> None:  # noqa: A002
        """Keep that no answer came of a question, and why."""
        self._end(id, {"status": standing, "says": why}, seconds, "")

    def _end(self, id: str, found: dict[str, Any], seconds: float, state: str) -> None:  # noqa: A002
        found |= {"seconds": seconds, "state": state, "progress": ""}
        changed = ", ".join(f"{name} = ?" for name in found)
        with self._file.writing():
            # Deleted meanwhile, it stays deleted; and another server's question is that server's to finish.
            self._file.rows(
                f"UPDATE answer SET {changed} WHERE id = ? AND worker = ?", *found.values(), id, WORKER
            )
            self._file.rows(
                "UPDATE answer_words SET (says, sql) = (SELECT says, sql FROM answer WHERE id = ?) "
                "WHERE rowid = (SELECT number FROM answer WHERE id = ?)",
                id,
                id,
            )

    # Looking answers up

    def get(self, id: str) -> KeptAnswer:  # noqa: A002
        """One answer, whole. Raises `AnswerNotFound`."""
        found = self._file.rows(f"SELECT {_ENTRY}, content FROM answer WHERE id = ?", id)
        if not found:
            raise AnswerNotFound("answer", id)
        return KeptAnswer(**_typed(found[0]))

    def find(self, id: str) -> StoredQuestion | None:  # noqa: A002
        """One question without its answer; None where it isn't there."""
        return next(iter(self._entries("WHERE id = ?", id)), None)

    def conversation(self, id: str) -> Sequence[KeptAnswer]:  # noqa: A002
        """The answers of a conversation, the first one first. Raises `AnswerNotFound`."""
        found = self._file.rows(
            f"SELECT {_ENTRY}, content FROM answer WHERE conversation = ? ORDER BY number", id
        )
        if not found:
            raise AnswerNotFound("conversation", id)
        return [KeptAnswer(**_typed(row)) for row in found]

    def history(
        self,
        words: str = "",
        *,
        database: str = "",
        statuses: Iterable[str] = (),
        before: int | None = None,
        most: int = PAGE,
    ) -> Sequence[StoredQuestion]:
        """List questions, the latest first, at most `most` of them; `before` is the number to go on from.

        `words` are looked for in question, answer and SQL: all of them, at the beginning of words.
        """
        conditions, values = ["TRUE"], list[Any]()
        if looked_for := _phrase(words):
            conditions.append("number IN (SELECT rowid FROM answer_words WHERE answer_words MATCH ?)")
            values.append(looked_for)
        if database:
            conditions.append("database = ?")
            values.append(database)
        if wanted := tuple(statuses):
            conditions.append(f"status IN ({', '.join('?' * len(wanted))})")
            values.extend(wanted)
        if before is not None:
            conditions.append("number < ?")
            values.append(before)
        return self._entries(f"WHERE {' AND '.join(conditions)} ORDER BY number DESC LIMIT ?", *values, most)

    def children(self, id: str) -> Sequence[StoredQuestion]:  # noqa: A002
        """The answers that were made from one: readings chosen, SQL edited, the same asked again."""
        return self._entries("WHERE parent = ? ORDER BY number", id)

    def delete(self, id: str) -> None:  # noqa: A002
        """Forget an answer, with what was said of it. Raises `AnswerNotFound`."""
        with self._file.writing():
            number = self.get(id).number
            self._file.rows("DELETE FROM saved WHERE answer = ?", id)
            self._file.rows("DELETE FROM feedback WHERE answer = ?", id)
            self._file.rows("DELETE FROM answer_words WHERE rowid = ?", number)
            self._file.rows("DELETE FROM answer WHERE id = ?", id)

    # Saved questions and feedback

    def save(self, id: str, title: str, tag: str = "") -> Saved:  # noqa: A002
        """Save a question under a title. Raises `AnswerNotFound`."""
        with self._file.writing():
            entry = self.get(id)
            slug = self._free_slug(title)
            self._file.rows(
                "INSERT INTO saved (slug, answer, title, tag, saved_at) VALUES (?, ?, ?, ?, ?)",
                *(slug, entry.id, title, tag, stamp()),
            )
        return self.saved(slug)

    def saved(self, slug: str) -> Saved:
        """One saved question. Raises `AnswerNotFound`."""
        for found in self._saved("WHERE slug = ?", slug):
            return found
        raise AnswerNotFound("saved question", slug)

    def all_saved(self, tag: str = "") -> Sequence[Saved]:
        """The saved questions, by title; of one tag, or all."""
        return self._saved("WHERE tag = ? OR ? = '' ORDER BY title COLLATE NOCASE, slug", tag, tag)

    def renew(self, slug: str, id: str) -> None:  # noqa: A002
        """Let a saved question show another answer from here on. Raises `AnswerNotFound`."""
        with self._file.writing():
            self.saved(slug), self.get(id)
            self._file.rows("UPDATE saved SET answer = ? WHERE slug = ?", id, slug)

    def unsave(self, slug: str) -> None:
        """Forget a saved question; its answer stays. Raises `AnswerNotFound`."""
        with self._file.writing():
            self.saved(slug)
            self._file.rows("DELETE FROM saved WHERE slug = ?", slug)

    def judge(self, id: str, *, is_right: bool, reason: str = "", note: str = "") -> Feedback:  # noqa: A002
        """Keep what a person says of an answer. Raises `AnswerNotFound`."""
        given = Feedback(self.get(id).id, is_right, reason, note, datetime.now(UTC))
        with self._file.writing():
            self._file.rows(
                "INSERT INTO feedback (answer, is_right, reason, note, given_at) VALUES (?, ?, ?, ?, ?)",
                id,
                is_right,
                reason,
                note,
                stamp(given.given_at),
            )
        return given

    def feedback(self, id: str) -> Sequence[Feedback]:  # noqa: A002
        """List the feedback on an answer, the earliest first."""
        found = self._file.rows(
            "SELECT answer, is_right, reason, note, given_at FROM feedback WHERE answer = ? ORDER BY number",
            id,
        )
        return [Feedback(a, bool(r), why, note, datetime.fromisoformat(at)) for a, r, why, note, at in found]

    # Sessions of browsers

    def begin_session(self, secret: str) -> None:
        """Let a browser in that shows this secret; only its digest is kept."""
        with self._file.writing():
            self._file.rows("INSERT OR IGNORE INTO session VALUES (?, ?)", digest(secret), stamp())

    def knows_session(self, secret: str) -> bool:
        """True if a session with this secret has begun, and not longer ago than sessions last."""
        known = "SELECT 1 FROM session WHERE digest = ? AND begun_at > ?"
        return bool(self._file.rows(known, digest(secret), sessions_since()))

    def _entries(self, rest: str, *values: Any) -> Sequence[StoredQuestion]:
        found = self._file.rows(f"SELECT {_ENTRY} FROM answer {rest}", *values)
        return [StoredQuestion(**_typed(row)) for row in found]

    def _saved(self, rest: str, *values: Any) -> Sequence[Saved]:
        found = self._file.rows(
            f"SELECT slug, title, tag, saved_at, saved.sql AS template, parameters, {_ENTRY} "
            f"FROM saved JOIN answer ON answer.id = saved.answer {rest}",
            *values,
        )
        return [
            Saved(
                r["slug"],
                r["title"],
                r["tag"],
                datetime.fromisoformat(r["saved_at"]),
                StoredQuestion(**_typed(r)),
                r["template"],
                tuple(SavedParameter(**one) for one in json.loads(r["parameters"])),
            )
            for r in found
        ]

    def _free_slug(self, title: str) -> str:
        base = re.sub(r"[^a-z0-9]+", "-", title.casefold()).strip("-")[:60] or "question"
        slug, number = base, 2
        while self._file.rows("SELECT 1 FROM saved WHERE slug = ?", slug):
            slug, number = f"{base}-{number}", number + 1
        return slug


def new_id() -> str:
    """Twelve letters and digits that nobody guesses and that can be read aloud."""
    return "".join(secrets.choice("abcdefghijkmnpqrstuvwxyz23456789") for _ in range(12))


def _typed(row: sqlite3.Row) -> dict[str, Any]:
    found = {name: row[name] for name in row.keys() if name in _COLUMNS}  # noqa: SIM118, rows iterate values
    return found | {
        "origin": Origin(found["origin"]),
        "asked_at": datetime.fromisoformat(found["asked_at"]),
    }


_COLUMNS = frozenset(f.name for f in fields(KeptAnswer))


def _content(answer: Answer) -> bytes:
    """The answer as it is kept: with fewer rows where all of them would take too much room."""
    given: tuple[Answer | Reading, ...] = (answer, *answer.readings)
    rows = min(map(_fitting, given))
    while True:
        readings = tuple(_cut(r, rows) for r in answer.readings)
        kept = _cut(replace(answer, readings=readings), rows)
        if len(content := deflated(archived(kept))) <= MOST_BYTES or rows == 0:
            return content
        rows //= 2


def _fitting(given: Answer | Reading) -> int:
    """How many rows are worth deflating: text seldom shrinks to less than a fifth."""
    rows = [*zip_longest(*(r.rows[:MOST_ROWS] for r in (given.result, given.shown) if r), fillvalue=())]
    sizes = accumulate(sum(len(str(cell)) for part in row for cell in part) for row in rows)
    fitting = sum(size <= 5 * MOST_BYTES for size in sizes)
    return fitting if fitting < len(rows) else MOST_ROWS


T = TypeVar("T", Answer, Reading)


def _cut(given: T, rows: int) -> T:
    """With the first rows of its results."""
    return replace(given, result=_first(given.result, rows), shown=_first(given.shown, rows))


def _first(result: Result | None, rows: int) -> Result | None:
    """A result with its first rows; itself where there are no more."""
    return result if result is None or len(result.rows) <= rows else replace(result, rows=result.rows[:rows])


def _phrase(words: str) -> str:
    """A full-text query for all words; quotation marks keep what looks like an operator a word."""
    return " ".join(f'"{word}"*' for word in re.findall(r"\w+", words))
