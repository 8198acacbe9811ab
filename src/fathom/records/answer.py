"""The answer that a person gets."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal

from fathom.errors import InputError
from fathom.records.display import Displayed
from fathom.records.question import Question
from fathom.records.result import Result
from fathom.records.shared_fields import shared_fields
from fathom.records.trace import Trace

MOST_READINGS = 3
"""More than three ways to read a question nobody compares."""


class Ending(StrEnum):
    """How an answer ends: with an answer, with readings to choose among, or with what is missing."""

    SURE = "sure"
    UNSURE = "unsure"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something the answer rests on that the question didn't say: shown to the person, word by word."""

    kind: Literal["convention", "join", "value", "column", "default", "example", "choice", "rights", "file"]
    text: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why there is no answer. `missing` holds the words of the question that nothing accounts for.

    `unrelated` says that these are all its words for things, so that no query is worth showing as a guess.
    `instead` are questions that were tried and are answered for sure; `outside` says that the question is
    about a time which the data don't reach, so that no reading would find anything. `fault` says that
    answering failed by an error of Fathom's own, not for lack of knowledge.
    """

    reason: str
    missing: tuple[str, ...] = ()
    unrelated: bool = False
    instead: tuple[str, ...] = ()
    outside: bool = False
    fault: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """A Vega-Lite specification with its data inside: data, never code."""

    specification: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reading(Displayed):
    """One way to read a question that isn't answered for sure.

    `text` are words to choose it by. A method may give its `sql` alone, and leave the text empty: the answer
    puts it into words, and adds all that it needs under the names that `Answer` has; `answer` is its text.
    """

    text: str
    sql: str
    confidence: float | None = None
    answer: str = ""
    explanation: str = ""
    assumptions: tuple[Assumption, ...] = ()
    result: Result | None = None
    shown: Result | None = None
    chart: Chart | None = None


@dataclass(frozen=True, slots=True)
class Answer(Displayed):
    """The answer to a question with its evidence, or up to three readings to choose among, or why not.

    `ending` says which. Where it is sure, `sql` and `result` are set, and `refusal` otherwise; `readings` are
    there where it is unsure. `shown` are the rows for people: those of `result` with what ranked them and
    with names beside keys, by a query of their own (`shown.sql`) where that adds anything. `confidence` is
    calibrated, from 0 to 1. `whole` is the question that a short one goes on from, such as "and in 2015?"; ""
    where the question was whole.
    """

    question: Question
    text: str
    sql: str | None = None
    explanation: str = ""
    assumptions: tuple[Assumption, ...] = ()
    result: Result | None = None
    shown: Result | None = None
    chart: Chart | None = None
    confidence: float | None = None
    refusal: Refusal | None = None
    readings: tuple[Reading, ...] = ()
    method: str = ""
    trace: Trace = field(default_factory=Trace)
    whole: str = ""

    @property
    def ending(self) -> Ending:
        """Which of the three endings this is."""
        if self.readings:
            return Ending.UNSURE
        return Ending.SURE if self.refusal is None else Ending.UNKNOWN

    @property
    def best_query(self) -> str | None:
        """The query that came out best, whether or not it was sure enough to answer with."""
        written = (step.found.get("sql") for step in reversed(self.trace.steps))
        return self.sql or next((str(sql) for sql in written if sql), None)

    @property
    def guess(self) -> str | None:
        """The best query of an answer that isn't known, where it is worth showing; None for others."""
        refusal = self.refusal
        if self.ending is not Ending.UNKNOWN or refusal is None or refusal.unrelated or refusal.outside:
            return None
        return self.best_query

    def frame(self, library: str | None = None) -> Any:
        """The rows as a data frame of pandas, polars or pyarrow, whichever is installed; or of `library`.

        They are those that are shown, under the names that are shown; `result.frame()` has the query's own.
        Raises `InputError` where there is no answer, and `MissingExtra`.
        """
        rows = self.shown or self.result
        if rows is None:
            raise InputError(f"there are no rows: {self.text}")
        return rows.frame(library)

    def choose(self, number: int) -> "Answer":
        """The answer that one of the readings gives, counted from 1.

        Nothing is run again. Raises `InputError` where there is no such reading.
        """
        if not 1 <= number <= len(self.readings):
            there = f"There are {len(self.readings)}." if self.readings else "There are none to choose among."
            raise InputError(f"there is no reading {number}. {there}")
        chosen = self.readings[number - 1]
        told = Assumption("choice", f"Read as chosen: {chosen.text}.")
        kept = shared_fields(chosen, Answer, but=("text", "assumptions"))
        left_out = (
            Assumption("default", f"“{word}” is left out: nothing in the database matches it.")
            for word in (self.refusal.missing if self.refusal else ())
        )
        assumptions = (told, *left_out, *chosen.assumptions)
        return replace(self, **kept, text=chosen.answer, assumptions=assumptions, refusal=None, readings=())
