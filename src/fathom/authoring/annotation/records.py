"""Records of people's work: projects, people, items, assignments, responses and decisions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from fathom.errors import FathomError


class WorkKind(StrEnum):
    """The kinds of work on an item."""

    SQL = "sql"
    """Write the query that answers a question."""
    DIFFICULTY = "difficulty"
    """Rate how hard a question is, on four dimensions."""
    QUESTION = "question"
    """Accept, edit or reject a question that was made."""
    ANSWER = "answer"
    """Rate an answer in words."""
    PREFERENCE = "preference"
    """Say which of two answers is better."""
    SUSPECT = "suspect"
    """Settle whether a gold query is wrong."""
    WRITING = "writing"
    """Write a question about a database, for an exam."""


class PersonRole(StrEnum):
    """The roles of people: an expert settles what annotators disagree on, an owner sees all."""

    ANNOTATOR = "annotator"
    EXPERT = "expert"
    OWNER = "owner"


class Settling(StrEnum):
    """Who settles an item on which people disagree: an expert, one more annotator, or nobody."""

    EXPERT = "expert"
    THIRD = "third"
    NONE = "none"


class DecisionKind(StrEnum):
    """The kinds of decisions about an item."""

    AGREED = "agreed"
    """People agree."""
    MERGED = "merged"
    """They needn't: every response counts."""
    ANOTHER = "another"
    """One more person is asked."""
    CONFLICT = "conflict"
    """An expert has to decide."""
    MAJORITY = "majority"
    """Two of three agree."""
    CHOSEN = "chosen"
    """An expert chose, or wrote something better."""
    DROPPED = "dropped"
    """The item is left out."""
    CHANGED = "changed"
    """The question was changed, and is asked anew from everybody."""
    REOPENED = "reopened"
    """An earlier decision is to be made again, by an expert."""

    @property
    def is_final(self) -> bool:
        """True if nothing is left to do about the item."""
        return self in _FINAL


_FINAL = tuple(DecisionKind(name) for name in ("agreed", "merged", "majority", "chosen", "dropped"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """Items of one kind of work, with the rules that hold for all of them.

    `people` is how many responses an item needs, 0 for one from everybody; `databases` maps names to
    addresses. `pass_mark` makes it an exam: so many items right let pass; `exam` is the exam to be passed
    first, and `votes` the project in which experts vote on what is written here.
    """

    id: str
    kind: WorkKind
    title: str = ""
    guideline: str = ""
    people: int = 2
    done_by: PersonRole = PersonRole.ANNOTATOR
    settled_by: Settling = Settling.EXPERT
    comparison: str = "semantic"
    databases: Mapping[str, str] = field(default_factory=dict)
    exam: str | None = None
    pass_mark: int | None = None
    votes: str | None = None
    seed: int = 0
    created_at: datetime | None = None
    closed: bool = False

    @property
    def is_exam(self) -> bool:
        """True if what is done here is held against gold, or against experts' votes."""
        return self.pass_mark is not None


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who works here, by name. One who only came with an import has no token to log in with."""

    id: str
    name: str
    role: PersonRole
    created_at: datetime
    has_left: bool = False

    @property
    def decides(self) -> bool:
        """True if they may settle what others disagree on."""
        return self.role is not PersonRole.ANNOTATOR


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One item as it stands: its question in the current `round`, how many responses it has, what was
    decided last. `shown` is what annotators see beside the question, `withheld` what they don't.
    """

    id: str
    project: str
    number: int
    name: str
    database: str
    origin: str
    priority: float
    shown: Mapping[str, Any]
    withheld: Mapping[str, Any]
    round: int
    question: str
    evidence: str
    submitted: int
    last_response: int | None
    decision: "Decision | None" = None

    @property
    def is_settled(self) -> bool:
        """True if nothing is left to do about it."""
        return self.decision is not None and self.decision.kind.is_final

    @property
    def is_conflict(self) -> bool:
        """True if it waits for an expert."""
        return self.decision is not None and self.decision.kind in (
            DecisionKind.CONFLICT,
            DecisionKind.REOPENED,
        )

    @property
    def state(self) -> str:
        """One word for lists: open, conflict, settled or dropped."""
        if self.decision is not None and self.decision.kind is DecisionKind.DROPPED:
            return "dropped"
        return "settled" if self.is_settled else "conflict" if self.is_conflict else "open"


@dataclass(frozen=True, slots=True)
class Assignment:
    """An item that one person was given in one round, theirs alone until `lease_until`."""

    id: str
    item: str
    round: int
    person: str
    sides: str
    offered_at: datetime
    lease_until: datetime
    submitted_at: datetime | None
    skipped: bool


@dataclass(frozen=True, slots=True)
class Submission:
    """A person's response to an item, in one of its versions; a draft unless `submitted`."""

    id: int
    assignment: str
    version: int
    submitted: bool
    body: Mapping[str, Any]
    active_seconds: float
    created_at: datetime


@dataclass(frozen=True, slots=True)
class GivenResponse:
    """A submitted response with who gave it, about which item and round."""

    item: str
    round: int
    person: str
    sides: str
    submission: Submission


@dataclass(frozen=True, slots=True)
class Execution:
    """The result of a response's query: on the database (`copy` 0) or on a changed copy of it.

    `part` numbers the queries of one response. `rows` are the first ones, as JSON values; `row_count` is
    None where the query failed with `error`.
    """

    part: int
    copy: int
    sql: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    row_count: int | None
    digest: str
    error: str
    seconds: float
    truncated: bool
    data_state: str


@dataclass(frozen=True, slots=True)
class PairVerdict:
    """How two responses compare, on the database or a changed copy; without a right one, with gold."""

    left: int
    right: int | None
    copy: int
    comparison: str
    equal: bool
    kind: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision about an item, by a person or, without one, by the machine.

    `body` is what stands from here on; `seen` the last response that it knew of.
    """

    id: int
    item: str
    round: int
    kind: DecisionKind
    person: str | None
    response: int | None
    body: Mapping[str, Any]
    reason: str
    seen: int
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Comment:
    """A person's note on an item, for the others to read once it is decided."""

    item: str
    round: int
    person: str
    text: str
    created_at: datetime


class ReviewRefused(FathomError):
    """Something that this person may not do, or not now; says why."""


class NotInReview(FathomError):
    """There is no such project, item or piece of work, or not for this person: it doesn't tell which."""

    def __init__(self, what: str, id: str) -> None:  # noqa: A002
        self.what, self.id = what, id
        super().__init__(f"There is no {what} {id!r}.")


class LeaseEnded(ReviewRefused):
    """An item was kept for too long, and others have done it meanwhile; what was said is kept."""

    def __init__(self) -> None:
        super().__init__(
            "This item was yours for a while, and enough others have done it since. What you wrote is kept, "
            "but doesn't count. Go on with the next one."
        )
