"""What a person gets."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from fathom.records.question import Question
from fathom.records.result import Result
from fathom.records.trace import Trace


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something the answer rests on that the question didn't say: shown to the person, word by word."""

    kind: Literal["convention", "join", "value", "column", "default", "example"]
    text: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why there is no answer. `missing` holds the words of the question that nothing accounts for.

    `unrelated` says that these are all its words for things, so that no query is worth showing as a guess.
    """

    reason: str
    missing: tuple[str, ...] = ()
    unrelated: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read an ambiguous question: in words for the person, and the SQL it comes to."""

    text: str
    sql: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A Vega-Lite specification with its data inside: data, never code."""

    specification: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question with its evidence, or a refusal, or a question back (`readings`).

    Exactly one of three holds: `refusal` is set; `readings` has two or more and waits for a choice;
    or `text`, `sql` and `result` are set. `confidence` is calibrated, from 0 to 1.
    """

    question: Question
    text: str
    sql: str | None = None
    explanation: str = ""
    assumptions: tuple[Assumption, ...] = ()
    result: Result | None = None
    chart: Chart | None = None
    confidence: float | None = None
    refusal: Refusal | None = None
    readings: tuple[Reading, ...] = ()
    method: str = ""
    trace: Trace = field(default_factory=Trace)
