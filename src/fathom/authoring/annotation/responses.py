"""Responses version by version, the results of their queries, and the comments on items."""

import json
import sqlite3
import zlib
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

from fathom.authoring.annotation.bodies import checked, drafted
from fathom.authoring.annotation.queue import has_room, renewed
from fathom.authoring.annotation.records import (
    Assignment,
    Comment,
    Execution,
    GivenResponse,
    LeaseEnded,
    ReviewRefused,
    Submission,
)
from fathom.authoring.annotation.store import Reviews, moment, stamp
from fathom.errors import InputError
from fathom.records import shown_value

SHOWN_ROWS, LONGEST_CELL = 200, 2_000
"""Rows of a result, and letters of a cell, that are kept to be shown beside another's."""
LONGEST_COMMENT = 2_000
_MOST_SECONDS = 8 * 3600.0
_COLUMNS = "r.id, r.assignment, r.version, r.submitted, r.body, r.active_seconds, r.created_at"


def save(
    reviews: Reviews,
    given: Assignment,
    body: Mapping[str, Any],
    *,
    submit: bool = False,
    active_seconds: float = 0.0,
) -> Submission:
    """Keep what somebody says so far, or for good; each time is a version of its own, the last one counts.

    What was submitted may be submitted anew while the project is open, except in an exam. `active_seconds`
    is how long they worked on it since the last version.
    Raises `InputError` for a response that lacks something, `LeaseEnded` where others have done the item
    meanwhile, and `ReviewRefused` where the question was changed since: what was written is kept as a draft.
    """
    item = reviews.item(given.item)
    project = reviews.project(item.project)
    kept = checked(project.kind, body) if submit else drafted(project.kind, body)
    with reviews.writing():
        reviews.check_open(project)
        # Read anew: another tab, or the end of the lease, may have come first.
        now = reviews.now()
        [row] = reviews.rows("SELECT submitted_at, lease_until FROM assignment WHERE id = ?", given.id)
        if submit and project.is_exam and row["submitted_at"] is not None:
            raise ReviewRefused("An exam's answers can't be changed once they are given.")
        late = (
            submit
            and row["submitted_at"] is None
            and moment(row["lease_until"]) <= now
            and not has_room(reviews, project, given, now)
        )
        is_past = reviews.item(given.item).round != given.round
        counts = submit and not late and not is_past
        saved = _add(reviews, given, kept, submitted=counts, seconds=active_seconds)
        if counts:
            reviews.rows(
                "UPDATE assignment SET submitted_at = coalesce(submitted_at, ?), skipped = 0 WHERE id = ?",
                stamp(now),
                given.id,
            )
            reviews.note("submitted", given.item, given.person, f"version {saved.version}")
        elif not late and not is_past:
            renewed(reviews, given)
    if submit and is_past:
        raise ReviewRefused("The question was changed since you got it. It will be asked anew.")
    if late:
        raise LeaseEnded
    return saved


def _add(
    reviews: Reviews, given: Assignment, body: Mapping[str, Any], *, submitted: bool, seconds: float
) -> Submission:
    [(version,)] = reviews.rows(
        "SELECT coalesce(max(version), 0) + 1 FROM response WHERE assignment = ?", given.id
    )
    now, spent = reviews.now(), min(max(seconds, 0.0), _MOST_SECONDS)
    number = reviews.insert(
        "response", assignment=given.id, version=version, submitted=submitted,
        body=json.dumps(dict(body), ensure_ascii=False), active_seconds=spent, created_at=stamp(now),
    )  # fmt: skip
    return Submission(number, given.id, version, submitted, dict(body), spent, now)


def latest(reviews: Reviews, assignment: str) -> Submission | None:
    """The last version of a piece of work; None where nothing was written."""
    found = reviews.rows(
        f"SELECT {_COLUMNS} FROM response AS r WHERE r.assignment = ? ORDER BY r.version DESC LIMIT 1",
        assignment,
    )
    return _submission(found[0]) if found else None


def submission(reviews: Reviews, id: int) -> Submission:  # noqa: A002
    """One version, by its number. Raises `InputError`."""
    for row in reviews.rows(f"SELECT {_COLUMNS} FROM response AS r WHERE r.id = ?", id):
        return _submission(row)
    raise InputError(f"there is no response {id}")


def submitted(reviews: Reviews, item: str, number: int) -> list[GivenResponse]:
    """The responses that count in a round of an item, in the order in which they first came."""
    return [found for found in _given(reviews, "a.item = ?", item) if found.round == number]


def all_submitted(reviews: Reviews, project: str) -> list[GivenResponse]:
    """The responses that count, of all items and rounds of a project."""
    return _given(reviews, "a.item IN (SELECT id FROM item WHERE project = ?)", project)


def _given(reviews: Reviews, condition: str, value: str) -> list[GivenResponse]:
    rows = reviews.rows(
        f"""
        SELECT a.item, a.round, a.person, a.sides, {_COLUMNS}
        FROM assignment AS a JOIN response AS r ON r.assignment = a.id
        WHERE {condition} AND r.submitted AND r.version = (
            SELECT max(version) FROM response AS l WHERE l.assignment = a.id AND l.submitted
        )
        ORDER BY a.submitted_at, a.id
        """,
        value,
    )
    return [
        GivenResponse(row["item"], row["round"], row["person"], row["sides"], _submission(row))
        for row in rows
    ]


def _submission(row: sqlite3.Row) -> Submission:
    return Submission(
        row["id"], row["assignment"], row["version"], bool(row["submitted"]), json.loads(row["body"]),
        row["active_seconds"], moment(row["created_at"]),
    )  # fmt: skip


# Results of queries


def keep_executions(reviews: Reviews, response: int, found: Iterable[Execution]) -> None:
    """Keep what the queries of a response gave."""
    with reviews.writing():
        for one in found:
            rows = json.dumps(
                [[_json_value(cell) for cell in row] for row in one.rows[:SHOWN_ROWS]], ensure_ascii=False
            )
            reviews.insert(
                "execution", response=response, part=one.part, copy=one.copy, sql=one.sql,
                columns=json.dumps(list(one.columns), ensure_ascii=False),
                first_rows=zlib.compress(rows.encode("utf-8", "replace")), row_count=one.row_count,
                digest=one.digest, error=one.error, seconds=one.seconds, truncated=one.truncated,
                data_state=one.data_state, created_at=stamp(reviews.now()),
            )  # fmt: skip


def executions(reviews: Reviews, response: int) -> list[Execution]:
    """The results of a response's queries in their last run, by part and copy."""
    last: dict[tuple[int, int], Execution] = {}
    for row in reviews.rows("SELECT * FROM execution WHERE response = ? ORDER BY id", response):
        last[row["part"], row["copy"]] = _execution(row)
    return [last[key] for key in sorted(last)]


def last_run(reviews: Reviews, assignment: str) -> list[Execution]:
    """The results that a person last saw: those of the last version that ran."""
    found = reviews.rows(
        "SELECT max(e.response) FROM execution AS e JOIN response AS r ON r.id = e.response "
        "WHERE r.assignment = ? AND e.copy = 0",
        assignment,
    )
    number = found[0][0]
    return [] if number is None else [e for e in executions(reviews, number) if e.copy == 0]


def _execution(row: sqlite3.Row) -> Execution:
    return Execution(
        part=row["part"],
        copy=row["copy"],
        sql=row["sql"],
        columns=tuple(json.loads(row["columns"])),
        rows=tuple(map(tuple, json.loads(zlib.decompress(row["first_rows"])))),
        row_count=row["row_count"],
        digest=row["digest"],
        error=row["error"],
        seconds=row["seconds"],
        truncated=bool(row["truncated"]),
        data_state=row["data_state"],
    )


def _json_value(cell: Any) -> Any:
    """A cell as JSON has it, what JSON has no form for as text; of a long text the beginning."""
    if isinstance(cell, str):
        return cell[:LONGEST_CELL]
    plain = cell is None or isinstance(cell, int) or (isinstance(cell, float) and isfinite(cell))
    return cell if plain else shown_value(cell)


# Comments


def comment(reviews: Reviews, given: Assignment, text: str) -> None:
    """Write something beside an item, which the others read once it is decided. Raises `InputError`."""
    add_comment(reviews, given.item, given.round, given.person, text)


def add_comment(reviews: Reviews, item: str, number: int, person: str, text: str) -> None:
    """The same for somebody who wasn't given the item, such as an expert."""
    if not (text := text.strip()) or len(text) > LONGEST_COMMENT:
        raise InputError(f"a comment has 1 to {LONGEST_COMMENT:,} letters")
    with reviews.writing():
        reviews.insert(
            "comment", item=item, round=number, person=person, text=text, created_at=stamp(reviews.now())
        )


def comments(reviews: Reviews, item: str) -> Sequence[Comment]:
    """All that was written beside an item, the first first."""
    found = reviews.rows("SELECT * FROM comment WHERE item = ? ORDER BY id", item)
    return [
        Comment(row["item"], row["round"], row["person"], row["text"], moment(row["created_at"]))
        for row in found
    ]
