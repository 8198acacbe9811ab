"""Records of the store, as they are read from it."""

import json
import zlib
from dataclasses import dataclass, fields
from datetime import datetime
from enum import StrEnum
from functools import cached_property
from typing import Any

from fathom.answering.archive import answer_from_json
from fathom.answering.parameters import SavedParameter
from fathom.records import Answer


class Origin(StrEnum):
    """How an answer came about: asked, a reading chosen, its SQL edited, a guess shown, or asked again."""

    ASKED, CHOSEN, EDITED, GUESSED, AGAIN = "asked", "chosen", "edited", "guessed", "again"


class Standing(StrEnum):
    """Where a question stands that has no answer yet, or never got one; else it is the answer's ending."""

    WAITING, WORKING = "waiting", "working"
    CANCELLED, FAILED, INTERRUPTED = "cancelled", "failed", "interrupted"


UNFINISHED = frozenset((Standing.WAITING, Standing.WORKING))


@dataclass(frozen=True)
class StoredQuestion:
    """One question with what became of it, without its rows. `number` grows with time.

    `says` is the answer in words, or why there is none; `row_count` is None where there is no result.
    """

    number: int
    id: str
    conversation: str
    parent: str | None
    origin: Origin
    database: str
    question: str
    evidence: str
    method: str
    asked_at: datetime
    asked_by: str
    status: str
    says: str
    sql: str
    confidence: float | None
    seconds: float | None
    row_count: int | None
    state: str

    @property
    def is_finished(self) -> bool:
        """True if nothing more will become of it."""
        return self.status not in UNFINISHED

    @property
    def entry(self) -> "StoredQuestion":
        """Itself; of a whole answer the part without it."""
        return StoredQuestion(**{f.name: getattr(self, f.name) for f in fields(StoredQuestion)})


@dataclass(frozen=True)
class KeptAnswer(StoredQuestion):
    """An entry with the whole answer, as far as there is one: the first rows, if not all."""

    content: bytes | None = None

    @cached_property
    def answer(self) -> Answer | None:
        """The answer; None while it is worked on, and where none came of it. Raises `InputError`."""
        return None if self.content is None else answer_from_json(json.loads(zlib.decompress(self.content)))


@dataclass(frozen=True)
class Saved:
    """A question to come back to, under a name, with its latest answer.

    `sql` is the query that its parameters are put into, "" where it has none.
    """

    slug: str
    title: str
    tag: str
    saved_at: datetime
    entry: StoredQuestion
    sql: str = ""
    parameters: tuple[SavedParameter, ...] = ()


@dataclass(frozen=True)
class Feedback:
    """A person's verdict on an answer. `reason` is one of a few, "" where the answer was right."""

    answer: str
    is_right: bool
    reason: str
    note: str
    given_at: datetime


def deflated(content: Any) -> bytes:
    """JSON as it is kept."""
    return zlib.compress(
        json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"), 6
    )
