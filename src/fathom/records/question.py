"""Questions, and questions that were solved before."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Question:
    """What a person asks of one database. `evidence` is outside knowledge given with this question."""

    text: str
    id: str = ""
    database: str = ""
    evidence: str = ""


@dataclass(frozen=True, slots=True)
class SolvedExample:
    """A question with the SQL that answers it, to learn from; from a knowledge pack or a training split."""

    question: str
    sql: str
    evidence: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class SolvedCall:
    """A question and the call that answers it, to learn from; `step` is 2 or more after other calls."""

    question: str
    endpoint: str
    arguments: Mapping[str, Any]
    step: int = 1
