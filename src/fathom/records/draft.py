"""An answer in the making: what the steps of a method pass along."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fathom.records.answer import Assumption, Reading, Refusal
from fathom.records.question import Question
from fathom.records.result import Result
from fathom.records.trace import Trace


@dataclass(frozen=True, slots=True)
class Selection:
    """The columns judged relevant, by table; a table with no columns named is selected whole."""

    tables: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One SQL query proposed. `score` orders candidates of one question, higher is better."""

    sql: str
    score: float | None = None
    result: Result | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """The state of the work. `sql` is the best guess even where `refusal` says that it isn't good enough.

    `findings` is what the steps of one method tell each other (keywords, hints, linked values), as JSON
    values by name. `notes` is what the step at work wants to stand in the trace, likewise; the runner moves
    it there.
    """

    question: Question
    selection: Selection | None = None
    candidates: tuple[Candidate, ...] = ()
    sql: str | None = None
    result: Result | None = None
    confidence: float | None = None
    refusal: Refusal | None = None
    readings: tuple[Reading, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    findings: Mapping[str, Any] = field(default_factory=dict)
    notes: Mapping[str, Any] = field(default_factory=dict)
    trace: Trace = field(default_factory=Trace)

    def with_findings(self, **found: Any) -> "Draft":
        """The draft with more findings, the newer ones on top."""
        return replace(self, findings={**self.findings, **found})
