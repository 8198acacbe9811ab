"""Settlement by the machine: it settles items with enough responses, or leaves them to an expert."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from statistics import fmean
from typing import Any

from fathom.authoring.annotation.bodies import labels, queries, stance
from fathom.authoring.annotation.decisions import decide, keep_comparisons
from fathom.authoring.annotation.equality import Equality, Held, classes
from fathom.authoring.annotation.records import (
    DecisionKind,
    Execution,
    GivenResponse,
    PairVerdict,
    Project,
    ReviewItem,
    Settling,
    WorkKind,
)
from fathom.authoring.annotation.responses import keep_executions, submitted
from fathom.authoring.annotation.store import Reviews
from fathom.authoring.annotation.workbench import Workbench
from fathom.errors import DatabaseError

Tell = Callable[[int, int], None]
"""Hears of progress: items settled, and how many there are."""
_MAJORITY = 2


def waiting(reviews: Reviews, project: Project) -> list[ReviewItem]:
    """The items that the machine has to look at: enough people have spoken since it did so last."""
    if project.is_exam or project.kind is WorkKind.WRITING:
        return []
    return [item for item in reviews.items(project.id) if _is_waiting(project, item)]


def _is_waiting(project: Project, item: ReviewItem) -> bool:
    needed = project.people
    if item.decision is not None:
        if item.decision.person is not None or item.decision.seen >= (item.last_response or 0):
            return False
        if item.decision.kind is DecisionKind.ANOTHER:
            needed += 1
    return item.submitted >= max(needed, 1)


def settle_all(
    reviews: Reviews, bench: Workbench, project: Project, tell: Tell = lambda *_: None
) -> Counter[DecisionKind]:
    """Settle what waits in a project, and count what came of it. Raises `UnknownName`, `ConnectionFailed`."""
    found: Counter[DecisionKind] = Counter()
    items = waiting(reviews, project)
    for number, item in enumerate(items, start=1):
        if (kind := settle(reviews, bench, item.id)) is not None:
            found[kind] += 1
        tell(number, len(items))
    return found


def settle(reviews: Reviews, bench: Workbench, id: str) -> DecisionKind | None:  # noqa: A002
    """Settle one item, if enough have spoken since it was looked at; what was decided, None for nothing.

    Raises `UnknownName`, `ConnectionFailed`.
    """
    item = reviews.item(id)
    project = reviews.project(item.project)
    if project.is_exam or not _is_waiting(project, item):
        return None
    given = submitted(reviews, item.id, item.round)
    grounds = _GROUNDS.get(project.kind, _labels_alone)(bench, project, item, given)
    kind, reason = _kind(project, item, grounds)
    agreed = {g.submission.id: g for g in given if g.submission.id in grounds.groups[0]}
    body: Mapping[str, Any] = {}
    response = None
    if kind in (DecisionKind.AGREED, DecisionKind.MAJORITY):
        response, body = grounds.body(agreed)
    elif kind is DecisionKind.MERGED:
        body = _merged_sql(given, grounds) if project.kind is WorkKind.SQL else _merged(project.kind, given)
    with reviews.writing():
        # Another process may have come first, or somebody has said something else meanwhile.
        now = reviews.item(id)
        if not _is_waiting(project, now) or now.last_response != item.last_response:
            return None
        for number, kept in grounds.executions.items():
            keep_executions(reviews, number, kept)
        keep_comparisons(reviews, item, grounds.verdicts)
        decide(reviews, item, kind, response=response, body=body, reason=reason)
    return kind


Agreed = Mapping[int, GivenResponse]
"""The responses that agree, by number."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """The grounds of a decision: the responses in classes of those that agree, the largest first.

    `problem` tells why an expert has to look although people agree; `body` gives what stands where they do,
    and whose response it is. `usable` are the responses that can count by themselves: their queries run and
    return something, or they say why there is none.
    """

    groups: Sequence[Sequence[int]]
    body: Callable[[Agreed], tuple[int | None, Mapping[str, Any]]]
    differ: str = "people disagree"
    problem: str = ""
    verdicts: Sequence[PairVerdict] = ()
    executions: Mapping[int, Sequence[Execution]] = field(default_factory=dict)
    usable: Sequence[int] = ()


def _kind(project: Project, item: ReviewItem, grounds: Grounds) -> tuple[DecisionKind, str]:
    """Give the kind of decision on an item, and its reason."""
    if project.settled_by is Settling.NONE and (project.kind is not WorkKind.SQL or grounds.usable):
        return DecisionKind.MERGED, ""
    if grounds.problem:
        return DecisionKind.CONFLICT, grounds.problem
    if len(grounds.groups) == 1:
        return DecisionKind.AGREED, ""
    if project.settled_by is Settling.THIRD:
        if item.decision is None or item.decision.kind is not DecisionKind.ANOTHER:
            return DecisionKind.ANOTHER, grounds.differ
        if len(grounds.groups[0]) >= _MAJORITY:
            return DecisionKind.MAJORITY, ""
    return DecisionKind.CONFLICT, grounds.differ


# Queries


def _sql_grounds(
    bench: Workbench, project: Project, item: ReviewItem, given: Sequence[GivenResponse]
) -> Grounds:
    """Equal results, on the database and on its changed copies; and never none."""
    stances = {g.submission.id: stance(g.submission.body) for g in given}
    numbers = list(stances)
    if set(stances.values()) == {"unanswerable"}:
        return Grounds([numbers], partial(_sql_body, bench, project, item), usable=numbers)
    equality = Equality(bench, project, item)
    held = {
        g.submission.id: equality.held(g.submission.id, queries(project.kind, g.submission.body))
        for g in given
    }
    verdicts: list[PairVerdict] = []
    for left, right in combinations(numbers, 2):
        if stances[left] != stances[right] or stances[left] == "unanswerable":
            verdicts.append(equality.of_stances(left, right, stances[left], stances[right]))
        elif stances[left] == "ambiguous":
            verdicts += equality.same_readings(held[left], held[right])
        else:
            verdicts += equality.compared(held[left], held[right])
    groups, state = classes(numbers, verdicts), equality.database.state()
    agree = len(groups[0]) > 1 or len(numbers) == 1
    return Grounds(
        groups,
        partial(_sql_body, bench, project, item),
        differ=_difference(verdicts),
        problem=_problem([held[number] for number in groups[0]]) if agree else "",
        verdicts=verdicts,
        executions={number: list(one.executions(state)) for number, one in held.items()},
        usable=[n for n, one in held.items() if stances[n] == "unanswerable" or not _problem([one])],
    )


def _difference(verdicts: Sequence[PairVerdict]) -> str:
    """In what results differ, for the expert."""
    first = next((v for v in verdicts if not v.equal), None)
    if first is None:
        return ""
    if first.kind == "error":
        return f"a query fails: {first.note}"
    if first.copy:
        return "the results are equal on the database and differ on a changed copy of it"
    return f"the results differ: {first.note or first.kind.replace('_', ' ')}"


def _problem(agreed: Sequence[Held]) -> str:
    """Why gold can't be taken from queries that agree."""
    for one in agreed:
        for first in (runs[0] for runs in one.ran):
            if first.table is None:
                return f"a query fails: {first.error}"
            if first.is_empty:
                return "the queries return nothing, or nothing but empty values"
    return ""


def _sql_body(
    bench: Workbench, project: Project, item: ReviewItem, agreed: Agreed
) -> tuple[int | None, Mapping[str, Any]]:
    """The fastest of equal queries is gold, the others are golds as well; what else was said goes with it."""
    order, times = list(agreed), list[float]()
    bodies = {number: one.submission.body for number, one in agreed.items()}
    with suppress(DatabaseError):  # a query that ran before and fails now: the first one is taken
        database = bench.database(project, item.database)
        for place in range(1, len(order)):
            mine, best = (str(bodies[n].get("sql") or "") for n in (order[place], order[0]))
            if mine and mine != best:
                faster, ratio = bench.is_faster(database, mine, best)
                times.append(round(ratio, 4))
                if faster:
                    order.insert(0, order.pop(place))
    first = bodies[order[0]]
    golds = dict.fromkeys(str(bodies[number].get("sql") or "") for number in order)
    body = {
        "golds": [sql for sql in golds if sql],
        "times_as_fast": times,
        "evidence": next((e for n in order if (e := bodies[n].get("evidence"))), ""),
        "unanswerable": first.get("unanswerable") or "",
        "readings": first.get("readings") or [],
        "difficulty": mean_difficulty(bodies.values()),
    }
    return order[0], body


def _merged_sql(given: Sequence[GivenResponse], grounds: Grounds) -> dict[str, Any]:
    """Where all queries count: each that runs is gold, those that most people agree on first."""
    bodies = {g.submission.id: g.submission.body for g in given}
    usable = [bodies[n] for group in grounds.groups for n in group if n in grounds.usable]
    golds = dict.fromkeys(sql for body in usable for sql in queries(WorkKind.SQL, body))
    evidence = dict.fromkeys(e for body in usable if (e := str(body.get("evidence") or "")))
    return {
        "golds": list(golds),
        "evidence": "; ".join(evidence),
        "unanswerable": "" if golds else str(usable[0].get("unanswerable") or ""),
        "readings": [],
        "difficulty": mean_difficulty(bodies.values()),
    }


def mean_difficulty(bodies: Iterable[Mapping[str, Any]]) -> list[float] | None:
    """The mean of people's ratings on each dimension; None where nobody rated."""
    rated = [body["difficulty"] for body in bodies if body.get("difficulty")]
    return [fmean(ratings) for ratings in zip(*rated, strict=True)] if rated else None


# Everything else


def _labels_alone(
    bench: Workbench, project: Project, item: ReviewItem, given: Sequence[GivenResponse]
) -> Grounds:
    """People agree who give the same labels, and the same text where they edited one."""
    groups: dict[str, list[int]] = {}
    for one in given:
        said: dict[str, Any] = {**labels(project.kind, one.submission.body, one.sides)}
        if said.get("decision") == "edit":
            body = one.submission.body
            said |= {"question": body["question"], "tables": sorted(body.get("tables") or ())}
        groups.setdefault(repr(sorted(said.items())), []).append(one.submission.id)
    return Grounds(sorted(groups.values(), key=len, reverse=True), partial(_first_body, project))


def _suspect_grounds(
    bench: Workbench, project: Project, item: ReviewItem, given: Sequence[GivenResponse]
) -> Grounds:
    """The same verdict, and where a better gold was written, equal results."""
    grounds = _labels_alone(bench, project, item, given)
    written = [g for g in given if queries(project.kind, g.submission.body)]
    if len(grounds.groups) > 1 or not written:
        return grounds
    equality = Equality(bench, project, item)
    held = {g.submission.id: equality.held(g.submission.id, [g.submission.body["sql"]]) for g in written}
    verdicts = [v for left, right in combinations(held.values(), 2) for v in equality.compared(left, right)]
    groups = classes(list(held), verdicts) if len(held) > 1 else grounds.groups
    return replace(
        grounds,
        groups=groups,
        differ=_difference(verdicts),
        problem=_problem(list(held.values())),
        verdicts=verdicts,
        executions={n: list(one.executions(equality.database.state())) for n, one in held.items()},
    )


def _first_body(project: Project, agreed: Agreed) -> tuple[int | None, Mapping[str, Any]]:
    number, one = next(iter(agreed.items()))
    written = next((g for g in agreed.values() if g.submission.body.get("sql")), one)
    return number, {**_named(project.kind, written)}


def _named(kind: WorkKind, one: GivenResponse) -> dict[str, Any]:
    """A response by itself: with the answer that was preferred named, wherever it stood."""
    return {**one.submission.body, **labels(kind, one.submission.body, one.sides)}


def _merged(kind: WorkKind, given: Sequence[GivenResponse]) -> dict[str, Any]:
    """Where all responses count: the mean of scores, and how often each label was given."""
    said = [labels(kind, g.submission.body, g.sides) for g in given]
    found: dict[str, Any] = {}
    for name in dict.fromkeys(name for one in said for name in one):
        values = [one[name] for one in said if name in one]
        numbers = [v for v in values if isinstance(v, int | float)]
        found[name] = fmean(numbers) if len(numbers) == len(values) else dict(Counter(map(str, values)))
    if kind is WorkKind.DIFFICULTY:
        found["difficulty"] = mean_difficulty(g.submission.body for g in given)
    return found


_GROUNDS = {WorkKind.SQL: _sql_grounds, WorkKind.SUSPECT: _suspect_grounds}
