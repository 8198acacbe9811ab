"""Decisions about items: the machine decides where people agree, experts where they don't.

Decisions are added, never changed: what counts is the last one, and those before stay to be read.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from fathom.authoring.annotation.bodies import checked, labels, queries
from fathom.authoring.annotation.equality import Equality, Held
from fathom.authoring.annotation.records import (
    DecisionKind,
    PairVerdict,
    Person,
    Project,
    ReviewItem,
    ReviewRefused,
    WorkKind,
)
from fathom.authoring.annotation.responses import submitted
from fathom.authoring.annotation.store import Reviews, stamp
from fathom.authoring.annotation.workbench import Workbench
from fathom.errors import InputError


def keep_comparisons(reviews: Reviews, item: ReviewItem, found: Iterable[PairVerdict]) -> None:
    """Keep how responses compare."""
    with reviews.writing():
        for one in found:
            reviews.insert(
                "comparison", item=item.id, round=item.round, left_response=one.left,
                right_response=one.right, copy=one.copy, comparison=one.comparison, equal=one.equal,
                kind=one.kind, note=one.note, created_at=stamp(reviews.now()),
            )  # fmt: skip


def comparisons(reviews: Reviews, item: str) -> list[tuple[int, PairVerdict]]:
    """How the responses to an item compare, with the round, the first first."""
    found = reviews.rows("SELECT * FROM comparison WHERE item = ? ORDER BY id", item)
    return [
        (
            row["round"],
            PairVerdict(
                row["left_response"], row["right_response"], row["copy"], row["comparison"],
                bool(row["equal"]), row["kind"], row["note"],
            ),
        )
        for row in found
    ]  # fmt: skip


def decide(
    reviews: Reviews,
    item: ReviewItem,
    kind: DecisionKind,
    *,
    person: Person | None = None,
    response: int | None = None,
    body: Mapping[str, Any] | None = None,
    reason: str = "",
) -> None:
    """Keep a decision about an item, by a person or, without one, by the machine."""
    with reviews.writing():
        reviews.insert(
            "decision", item=item.id, round=item.round, kind=kind, person=person.id if person else None,
            response=response, body=json.dumps(dict(body or {}), ensure_ascii=False), reason=reason,
            seen=item.last_response or 0, created_at=stamp(reviews.now()),
        )  # fmt: skip
        reviews.note(f"decided: {kind}", item.id, person.id if person else None, reason[:500])


@dataclass(frozen=True, slots=True)
class Ruling:
    """A ruling of an expert or owner on one item, with its reason; each ruling is added to those before.

    Each raises `ReviewRefused` for who may not decide or has worked on the item, and `InputError` without a
    reason.
    """

    reviews: Reviews
    item: ReviewItem
    expert: Person
    reason: str

    def choose(self, bench: Workbench, response: int) -> None:
        """Take what one person said. Raises `InputError` for a query that can't be gold."""
        self._check()
        given = {one.submission.id: one for one in submitted(self.reviews, self.item.id, self.item.round)}
        if response not in given:
            raise InputError("that is no response to this item")
        kind, chosen = self.reviews.project(self.item.project).kind, given[response]
        body = {**chosen.submission.body, **labels(kind, chosen.submission.body, chosen.sides)}
        self._choose(bench, body, response)

    def write(self, bench: Workbench, body: Mapping[str, Any]) -> None:
        """Say something else than either: another query, or the readings of an ambiguous question.

        Raises `InputError` for a response that lacks something, and for a query that can't be gold.
        """
        self._check()
        self._choose(bench, checked(self.reviews.project(self.item.project).kind, body))

    def _choose(self, bench: Workbench, body: dict[str, Any], response: int | None = None) -> None:
        project = self.reviews.project(self.item.project)
        gold = Equality(bench, project, self.item).held(None, queries(project.kind, body))
        for first in (runs[0] for runs in gold.ran):
            if first.table is None:
                raise InputError(f"the query fails: {first.error}")
            if first.is_empty:
                raise InputError("the query returns nothing, or only empty values: no gold does")
        verdicts = []
        if project.kind is WorkKind.SQL:
            body["golds"] = [body["sql"]] if body.get("sql") else []
            verdicts = self._against(bench, project, gold) if response is None else []
        with self.reviews.writing():
            keep_comparisons(self.reviews, self.item, verdicts)
            self._decide(DecisionKind.CHOSEN, body, response)

    def _against(self, bench: Workbench, project: Project, gold: Held) -> list[PairVerdict]:
        """How each response compares with what an expert wrote, so that figures tell who was right."""
        equality = Equality(bench, project, self.item)
        found = []
        for one in submitted(self.reviews, self.item.id, self.item.round):
            mine = equality.held(one.submission.id, queries(project.kind, one.submission.body))
            if len(mine.ran) == len(gold.ran) == 1:
                found += equality.compared(mine, gold)
            else:
                found += equality.same_readings(mine, gold)
        return found

    def drop(self) -> None:
        """Leave the item out."""
        self._check()
        self._decide(DecisionKind.DROPPED)

    def reopen(self) -> None:
        """Have the decision made again, by an expert. Raises `ReviewRefused` where there is none."""
        self._check()
        if not self.item.is_settled:
            raise ReviewRefused("Nothing was decided about this item, so there is nothing to reopen.")
        self._decide(DecisionKind.REOPENED)

    def change_question(self, question: str, evidence: str) -> None:
        """Change the question; everybody starts over. Raises `InputError` for no change."""
        self._check()
        question, evidence = question.strip(), evidence.strip()
        if not question:
            raise InputError("the question is empty; to leave the item out, drop it")
        if (question, evidence) == (self.item.question, self.item.evidence):
            raise InputError("the question is the same as before")
        with self.reviews.writing():
            self._decide(DecisionKind.CHANGED)
            self.reviews.insert(
                "round", item=self.item.id, number=self.item.round + 1, question=question,
                evidence=evidence, made_by=self.expert.id, reason=self.reason,
                created_at=stamp(self.reviews.now()),
            )  # fmt: skip

    def _decide(
        self, kind: DecisionKind, body: Mapping[str, Any] | None = None, response: int | None = None
    ) -> None:
        decide(
            self.reviews, self.item, kind, person=self.expert, response=response, body=body,
            reason=self.reason.strip(),
        )  # fmt: skip

    def _check(self) -> None:
        if not self.expert.decides:
            raise ReviewRefused("Only an expert or owner decides.")
        given = submitted(self.reviews, self.item.id, self.item.round)
        if any(one.person == self.expert.id for one in given):
            raise ReviewRefused("You have worked on this item yourself: somebody else decides it.")
        if not self.reason.strip():
            raise InputError("say why: a decision needs a reason")
