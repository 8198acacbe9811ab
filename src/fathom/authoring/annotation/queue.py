"""Who does what: items given out one at a time, in an order of each one's own, for as long as a lease."""

import hashlib
import sqlite3
from collections.abc import Iterator
from datetime import datetime, timedelta

from fathom.answering.store.store import new_id
from fathom.authoring.annotation.records import (
    Assignment,
    DecisionKind,
    NotInReview,
    Person,
    PersonRole,
    Project,
    ReviewRefused,
)
from fathom.authoring.annotation.store import Reviews, moment, stamp

LEASE = timedelta(minutes=30)
"""For how long an item is kept for somebody who doesn't do anything with it."""
_ASSIGNMENT = "id, item, round, person, sides, offered_at, lease_until, submitted_at, skipped"


def next_work(reviews: Reviews, project: Project, person: Person) -> Assignment | None:
    """Give the next work of a person: an assignment already begun, else an item with few responses; None if
    there is none.

    Items with the fewest responses come first, then those of the highest priority, then in an order drawn
    for this person, so that two people's pages can't be laid side by side.
    Raises `ReviewRefused` where they may do nothing here, such as before they passed the exam.
    """
    with reviews.writing():
        check_may_work(reviews, project, person)
        now = reviews.now()
        begun = _begun(reviews, project, person, now)
        if begun is not None:
            return renewed(reviews, begun)
        found = _candidates(reviews, project, person, now)
        if not found:
            return None
        best = min(found, key=lambda row: (row["taken"], -row["priority"], _draw(project, person, row["id"])))
        return _given(reviews, project, person, best)


def take_work(
    reviews: Reviews, project: Project, person: Person, count: int, lease: timedelta = LEASE
) -> list[Assignment]:
    """So many items at once, as for a file: what was begun first, then new ones; each for as long as said.

    Raises `ReviewRefused` as `next_work` does.
    """
    found: dict[str, Assignment] = {}
    with reviews.writing():
        check_may_work(reviews, project, person)
        now = reviews.now()
        for given in _all_begun(reviews, project, person, now):
            found[given.id] = renewed(reviews, given, lease)
        rows = _candidates(reviews, project, person, now)
        rows.sort(key=lambda r: (r["taken"], -r["priority"], _draw(project, person, r["id"])))
        for row in rows[: max(0, count - len(found))]:
            given = renewed(reviews, _given(reviews, project, person, row), lease)
            found[given.id] = given
    return list(found.values())[:count]


def check_may_work(reviews: Reviews, project: Project, person: Person) -> None:
    """Raises `ReviewRefused` where a person may not work in a project, with what they can do about it."""
    reviews.check_open(project)
    if person.has_left:
        raise ReviewRefused(f"{person.name} doesn't take part any more.")
    if person.role is PersonRole.OWNER or person.role is not project.done_by:
        doers = "experts" if project.done_by is PersonRole.EXPERT else "annotators"
        raise ReviewRefused(f"The work in {project.title} is done by {doers}; you are an {person.role}.")
    if project.exam is not None and not has_passed(reviews, project.exam, person):
        exam = reviews.project(project.exam)
        raise ReviewRefused(f"Pass the exam {exam.title!r} ({exam.id}) first.")


def has_passed(reviews: Reviews, exam: str, person: Person) -> bool:
    """True if somebody has passed an exam, or was let pass."""
    return bool(
        reviews.rows("SELECT 1 FROM exam_result WHERE project = ? AND person = ? AND passed", exam, person.id)
    )


def assignment(reviews: Reviews, id: str, person: Person) -> Assignment:  # noqa: A002
    """A piece of work of this person. Raises `NotInReview` for any other, also another's."""
    for row in reviews.rows(f"SELECT {_ASSIGNMENT} FROM assignment WHERE id = ?", id):
        if row["person"] == person.id:
            return _assignment(row)
    raise NotInReview("piece of work", id)


def assignments(reviews: Reviews, project: Project, person: Person) -> list[Assignment]:
    """All that somebody was given in a project, the latest first."""
    named = ", ".join(f"a.{name.strip()}" for name in _ASSIGNMENT.split(","))
    found = reviews.rows(
        f"SELECT {named} FROM assignment AS a JOIN item ON item.id = a.item "
        "WHERE item.project = ? AND a.person = ? ORDER BY a.offered_at DESC",
        project.id,
        person.id,
    )
    return [_assignment(row) for row in found]


def renewed(reviews: Reviews, given: Assignment, lease: timedelta = LEASE) -> Assignment:
    """The same work, kept for its person from now on for as long as a lease, and no less than it was."""
    until = stamp(max(reviews.now() + lease, given.lease_until))
    with reviews.writing():
        found = reviews.rows(
            f"UPDATE assignment SET lease_until = ?, skipped = 0 WHERE id = ? RETURNING {_ASSIGNMENT}",
            until,
            given.id,
        )
    return _assignment(found[0])


def skip(reviews: Reviews, given: Assignment) -> None:
    """Give an item back undone; what was written stays, and it isn't offered to the same person again.

    Raises `ReviewRefused` for one that is done.
    """
    if given.submitted_at is not None:
        raise ReviewRefused("What is done can't be skipped; it can still be changed.")
    with reviews.writing():
        reviews.rows("UPDATE assignment SET skipped = 1 WHERE id = ?", given.id)
        reviews.note("skipped", given.item, given.person)


def has_room(reviews: Reviews, project: Project, given: Assignment, now: datetime) -> bool:
    """True if an item whose lease has ended still needs this person's response."""
    needed = _needed(reviews, project, given.item, given.round)
    return needed is None or _taken(reviews, given, now) < needed


def _taken(reviews: Reviews, given: Assignment, now: datetime) -> int:
    """How many others have done the item, or have it now."""
    [(taken,)] = reviews.rows(
        "SELECT count(*) FROM assignment WHERE item = ? AND round = ? AND id <> ? "
        "AND (submitted_at IS NOT NULL OR (NOT skipped AND lease_until > ?))",
        given.item,
        given.round,
        given.id,
        stamp(now),
    )
    return int(taken)


def _needed(reviews: Reviews, project: Project, item: str, number: int) -> int | None:
    """How many responses an item needs; None for one from everybody."""
    if not project.people:
        return None
    [(more,)] = reviews.rows(
        "SELECT count(*) FROM decision WHERE item = ? AND round = ? AND kind = ?",
        item,
        number,
        DecisionKind.ANOTHER,
    )
    return project.people + int(more)


def _begun(reviews: Reviews, project: Project, person: Person, now: datetime) -> Assignment | None:
    """The latest assignment that a person has begun and not finished, and that is still wanted."""
    return next(_all_begun(reviews, project, person, now), None)


def _all_begun(reviews: Reviews, project: Project, person: Person, now: datetime) -> Iterator[Assignment]:
    for given in assignments(reviews, project, person):
        if given.submitted_at is None and not given.skipped:
            item = reviews.item(given.item)
            ended = item.is_settled or item.is_conflict or item.round != given.round
            if not ended and (given.lease_until > now or has_room(reviews, project, given, now)):
                yield given


def _candidates(reviews: Reviews, project: Project, person: Person, now: datetime) -> list[sqlite3.Row]:
    """The items that somebody may be given, with how many others have each."""
    return list(
        reviews.rows(
            """
            SELECT i.id, i.round, i.priority, (
                SELECT count(*) FROM assignment AS a WHERE a.item = i.id AND a.round = i.round
                AND (a.submitted_at IS NOT NULL OR (NOT a.skipped AND a.lease_until > ?1))
            ) AS taken
            FROM item_now AS i LEFT JOIN decision AS d ON d.id = i.decision
            WHERE i.project = ?2 AND (d.kind IS NULL OR d.kind = 'another')
            AND NOT EXISTS (
                SELECT 1 FROM assignment AS a WHERE a.item = i.id AND a.round = i.round AND a.person = ?3
            )
            AND (?4 = 0 OR taken < ?4 + (
                SELECT count(*) FROM decision AS m
                WHERE m.item = i.id AND m.round = i.round AND m.kind = 'another'
            ))
            """,
            stamp(now),
            project.id,
            person.id,
            project.people,
        )
    )


def _given(reviews: Reviews, project: Project, person: Person, row: sqlite3.Row) -> Assignment:
    now = reviews.now()
    sides = "AB" if _draw(project, person, f"{row['id']} sides") % 2 else "BA"
    made = Assignment(new_id(), row["id"], row["round"], person.id, sides, now, now + LEASE, None, False)
    reviews.insert(
        "assignment", id=made.id, item=made.item, round=made.round, person=person.id, sides=sides,
        offered_at=stamp(now), lease_until=stamp(made.lease_until),
    )  # fmt: skip
    reviews.note("offered", made.item, person.id)
    return made


def _draw(project: Project, person: Person, what: str) -> int:
    """A number drawn for a person and a thing: the same whenever it is asked for."""
    text = f"{project.seed} {person.id} {what}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest())


def _assignment(row: sqlite3.Row) -> Assignment:
    submitted = row["submitted_at"]
    return Assignment(
        row["id"], row["item"], row["round"], row["person"], row["sides"], moment(row["offered_at"]),
        moment(row["lease_until"]), moment(submitted) if submitted else None, bool(row["skipped"]),
    )  # fmt: skip
