"""Bodies of responses by kind of work: the fields that a response must hold, and the labels that it gives."""

from collections.abc import Hashable, Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from fathom.authoring.annotation.records import WorkKind
from fathom.errors import InputError
from fathom.evaluation.answers.relation import SCORES

DIMENSIONS = ("question", "knowledge", "data", "sql")
"""The dimensions of difficulty (Li et al. 2023): understanding the question, knowledge and reasoning needed,
complexity of the data, complexity of the query."""
QUALITIES = ("factual_correctness", "answerability", "relevance", "presentation")
"""The qualities on which an answer in words is rated."""
LETTERS = 100_000

Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=LETTERS)]
Short = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000)]
Degree = Literal[1, 2, 3]


def _in_order(given: Any) -> Any:
    """Ratings by the names of their dimensions in the order of those; none where all are left out."""
    if isinstance(given, Mapping):
        if unknown := [name for name in given if name not in DIMENSIONS]:
            raise ValueError(f"{unknown[0]!r} is no dimension; there is: {', '.join(DIMENSIONS)}")
        given = [given.get(name) for name in DIMENSIONS]
        if not any(given):
            return None
    if given is None:
        return None
    if (
        not isinstance(given, list | tuple)
        or len(given) != len(DIMENSIONS)
        or any(one not in (1, 2, 3) for one in given)
    ):
        raise ValueError(f"rate each from 1 to 3: {', '.join(DIMENSIONS)}")
    return given


Ratings = Annotated[tuple[Degree, Degree, Degree, Degree] | None, BeforeValidator(_in_order)]
Score = Annotated[float, Field(ge=0, le=1)]


class Body(BaseModel):
    """The fields that every response may hold; `scratch` is a query that its author looked something up
    with."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    note: Short = ""
    scratch: Text = ""


class QueryReading(BaseModel):
    """One of the things that an ambiguous question may mean, and the query for it."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    reading: Annotated[Short, Field(min_length=1)]
    sql: Annotated[Text, Field(min_length=1)]


class SqlBody(Body):
    """A query; or why the question can't be answered; or the readings of one that is ambiguous.

    `evidence` is what the question takes for granted, in the annotator's words.
    """

    sql: Text = ""
    evidence: Short = ""
    unanswerable: Short = ""
    readings: tuple[QueryReading, ...] = ()
    difficulty: Ratings = None

    @model_validator(mode="after")
    def _one_of_three(self) -> "SqlBody":
        given = [bool(self.sql), bool(self.unanswerable), bool(self.readings)]
        if sum(given) != 1:
            raise ValueError("give a query, or say why there is none, or the readings: one of the three")
        if len(self.readings) == 1:
            raise ValueError("an ambiguous question has two readings or more")
        return self


class DifficultyBody(Body):
    """Four ratings from 1 to 3, by the names of `DIMENSIONS` or in their order."""

    difficulty: Ratings

    @model_validator(mode="after")
    def _rated(self) -> "DifficultyBody":
        if self.difficulty is None:
            raise ValueError(f"rate each from 1 to 3: {', '.join(DIMENSIONS)}")
        return self


class QuestionBody(Body):
    """A decision on a generated question: keep it, edit it or drop it."""

    decision: Literal["keep", "edit", "drop"]
    question: Short = ""
    tables: tuple[Short, ...] = ()

    @model_validator(mode="after")
    def _told(self) -> "QuestionBody":
        if self.decision == "edit" and not self.question:
            raise ValueError("an edited question needs its new text")
        if self.decision == "drop" and not self.note:
            raise ValueError("say in the note why it is dropped")
        return self


class AnswerBody(Body):
    """Scores of an answer in words: from 0 to 1 on four dimensions, and a BioScore; any may be left out."""

    factual_correctness: Score | None = None
    answerability: Score | None = None
    relevance: Score | None = None
    presentation: Score | None = None
    bioscore: float | None = None

    @model_validator(mode="after")
    def _allowed(self) -> "AnswerBody":
        steps = (self.answerability, self.relevance, self.presentation)
        if any(score not in (None, 0, 0.5, 1) for score in steps):
            raise ValueError("answerability, relevance and presentation are 0, 0.5 or 1")
        if self.bioscore is not None and self.bioscore not in SCORES:
            told = ", ".join(f"{s:g}" for s in SCORES)
            raise ValueError(f"{self.bioscore:g} is no BioScore; there is: {told}")
        if self.bioscore is None and all(getattr(self, name) is None for name in QUALITIES):
            raise ValueError("give one score at least")
        return self


class PreferenceBody(Body):
    """Which of two answers is better, as they were shown."""

    verdict: Literal["left", "right", "both_good", "both_bad"]


class SuspectBody(Body):
    """A verdict on suspect gold: who is at fault; `sql` is the query that should be gold instead."""

    decision: Literal["gold_right", "gold_wrong", "question_wrong", "ambiguous"]
    sql: Text = ""

    @model_validator(mode="after")
    def _told(self) -> "SuspectBody":
        if self.decision != "gold_right" and not self.note:
            raise ValueError("say in the note what is wrong")
        return self


class WritingBody(Body):
    """A question that somebody wrote for an exam."""

    question: Annotated[Short, Field(min_length=1)]
    evidence: Short = ""


BODIES: Mapping[WorkKind, type[Body]] = {
    WorkKind.SQL: SqlBody,
    WorkKind.DIFFICULTY: DifficultyBody,
    WorkKind.QUESTION: QuestionBody,
    WorkKind.ANSWER: AnswerBody,
    WorkKind.PREFERENCE: PreferenceBody,
    WorkKind.SUSPECT: SuspectBody,
    WorkKind.WRITING: WritingBody,
}


def checked(kind: WorkKind, body: Mapping[str, Any]) -> dict[str, Any]:
    """A response that may be submitted, with what it leaves out filled in. Raises `InputError`."""
    try:
        return BODIES[kind].model_validate(dict(body)).model_dump(mode="json")
    except ValidationError as error:
        raise InputError("; ".join(_told(one) for one in error.errors())) from None


def _told(problem: Any) -> str:
    where = ".".join(str(part) for part in problem["loc"])
    text = str(problem["msg"]).removeprefix("Value error, ")
    return f"{where}: {text}" if where else text


def drafted(kind: WorkKind, body: Mapping[str, Any]) -> dict[str, Any]:
    """Check the fields of an unfinished response. Raises `InputError` for a field that doesn't exist."""
    fields = BODIES[kind].model_fields
    if unknown := [name for name in body if name not in fields]:
        raise InputError(f"{unknown[0]!r} is no part of it; there is: {', '.join(fields)}")
    if sum(len(str(value)) for value in body.values()) > 2 * LETTERS:
        raise InputError(f"more than {2 * LETTERS:,} letters are not kept")
    return dict(body)


def queries(kind: WorkKind, body: Mapping[str, Any]) -> tuple[str, ...]:
    """The queries of a response: one, or one for each reading; none where it says that there is none."""
    if kind not in (WorkKind.SQL, WorkKind.SUSPECT):
        return ()
    readings = [str(reading.get("sql", "")) for reading in body.get("readings") or ()]
    return tuple(sql for sql in readings or [str(body.get("sql") or "")] if sql.strip())


def previewed(kind: WorkKind, body: Mapping[str, Any]) -> tuple[str, ...]:
    """The queries to run while somebody works: their own, else what they look something up with."""
    looked_up = str(body.get("scratch") or "")
    return queries(kind, body) or ((looked_up,) if looked_up.strip() else ())


def stance(body: Mapping[str, Any]) -> str:
    """The verdict of an annotator of SQL on the question: answerable, ambiguous or unanswerable."""
    if body.get("unanswerable"):
        return "unanswerable"
    return "ambiguous" if body.get("readings") else "answerable"


def labels(kind: WorkKind, body: Mapping[str, Any], sides: str = "AB") -> dict[str, Hashable]:
    """Give a response's labels by question asked: the categories on which agreement is measured.

    `sides` tells which of two answers was on the left, so that labels name the answers themselves.
    """
    found: dict[str, Hashable] = {}
    if kind is WorkKind.SQL:
        found["answerable"] = (
            "unanswerable"
            if body.get("unanswerable")
            else "ambiguous"
            if body.get("readings")
            else "answerable"
        )
    elif kind is WorkKind.PREFERENCE:
        verdict = str(body["verdict"])
        found["preference"] = {"left": sides[0], "right": sides[1]}.get(verdict, verdict)
    elif kind is WorkKind.ANSWER:
        found |= {name: body[name] for name in (*QUALITIES, "bioscore") if body.get(name) is not None}
    elif kind in (WorkKind.QUESTION, WorkKind.SUSPECT):
        found["decision"] = str(body["decision"])
    ratings = body.get("difficulty")
    if kind in (WorkKind.SQL, WorkKind.DIFFICULTY) and ratings:
        found |= {f"difficulty {name}": int(r) for name, r in zip(DIMENSIONS, ratings, strict=True)}
    return found


ORDINAL = frozenset((*(f"difficulty {name}" for name in DIMENSIONS), *QUALITIES, "bioscore"))
"""The labels on a scale: a small difference is a small disagreement."""
