"""Questions, and questions that were solved before."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from fathom.errors import QuestionTooLong

LONGEST_QUESTION = 4_000
"""Characters; the longest published question has 1,120, and time to read one grows with its length."""
LONGEST_EVIDENCE = 20_000


@dataclass(frozen=True, slots=True)
class Question:
    """A person's question to one database. `evidence` is outside knowledge given with this question."""

    text: str
    id: str = ""
    database: str = ""
    evidence: str = ""

    def check_length(self) -> None:
        """Raises `QuestionTooLong`."""
        for what, text, limit in (
            ("question", self.text, LONGEST_QUESTION),
            ("evidence", self.evidence, LONGEST_EVIDENCE),
        ):
            if len(text) > limit:
                raise QuestionTooLong(what, len(text), limit)


@dataclass(frozen=True, slots=True)
class SolvedExample:
    """A question with the SQL that answers it, to learn from; from a knowledge pack or a training split.

    `database` is the one that it asks, by its benchmark's name for it, where that is known.
    """

    question: str
    sql: str
    evidence: str = ""
    source: str = ""
    database: str = ""


def query_digest(sql: str) -> str:
    """A digest of a query that capitals, blanks and a semicolon at its end don't change."""
    text = " ".join(sql.casefold().rstrip("; \n\t").split())
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


@dataclass(frozen=True, slots=True)
class SolvedCall:
    """A question and the call that answers it, to learn from; `step` is 2 or more after other calls."""

    question: str
    endpoint: str
    arguments: Mapping[str, Any]
    step: int = 1
