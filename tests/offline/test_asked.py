"""Asks the questions in `asked/*.yaml`, and holds the answers against what is expected of them.

A file is about one subject. Each question has its line there, under a heading that tells what it shows:

    about: What rows have or lack.
    databases:
      school: |
        CREATE TABLE student (student_id INTEGER PRIMARY KEY, name TEXT, city TEXT);
        INSERT INTO student VALUES (1, 'Ann', 'Oslo'), (2, 'Bob', NULL);
    school:
      rows that have or lack something:
        students without a city: [[Bob]]
        How many students have a city?: {rows: [[1]], told: [student.city]}
      what is nowhere is declined:
        declined:
        - students without a dog

A database is its SQL, or the name of one that `rule_databases.py` knows (`chinook`). In place of its SQL may
stand `{sql: ..., like: OTHER}`, which adds to another one, and `{sql: ..., engines: [sqlite, mysql]}`.
`{3 days ago}` is a day, in SQL as in rows. Questions under `no database` need none; those under `a, b` are
asked of both databases.

Of a question can be expected (a list of rows alone means `rows`):

| word | it says |
|---|---|
| `rows`, `rows in order` | the rows of the answer: in any order, or in this one; numbers to four places |
| `first column`, `first column in order` | their first column |
| `rows or declined` | the rows, unless it is declined |
| `guess` | the rows of the best query, whether it is sure or not |
| `same as` | another question, whose query is the same |
| `answered` | that there is an answer, whatever its rows |
| `declined` | that there is none; a list names words that are missing |
| `told`, `not told` | pieces of what was assumed |
| `by`, `not by` | the source of the query in the trace |
| `confidence` | how sure the answer is at least |
| `sql`, `not sql` | pieces of the query |
| `plain` | the question without small talk |
| `said` | the question in words that the weights know |
| `in full` | the question with names in full |
| `barred`, `passed` | a query that checks speak against, or don't; `{CHECK: QUERY}` for one check |
| `completed` | `{by: RULE, from: QUERY, to: QUERY}`: what a rule makes of a query; without `to`, it stays |
| `followed`, `followed in order` | the rows of the query that a follow-up makes of the one it is `after` |
| `unread` | words for which a follow-up makes nothing of that query |

`evidence` beside them goes with the question, and `after` is the query of the answer before it. Where a
heading says the same of all its questions, the word stands once above them, as `declined` does here. Without
more to say, they are a list: those under `plain`, `said` or `in full` stay as they are.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from typing import Any

import pytest

import fathom
from fathom.databases import Database
from fathom.knowledge import KnowledgePack
from fathom.offline.checks.rules import CHECKS, DENIALS_LEFT, FORMS_LEFT, WORDS_LEFT
from fathom.offline.engine import OfflineEngine
from fathom.offline.engines import engine_for
from fathom.offline.finishing.finished_query import FinishedQuery
from fathom.offline.finishing.rules import FINISHING
from fathom.offline.followups import follow
from fathom.offline.paraphrase.small_talk import to_the_point
from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.to_sql import render
from fathom.records import Answer, Ending, Question, Result
from tests.offline.asked_databases import opened
from tests.offline.asked_files import EXPECTED, Case, Given, cases

Queries = dict[str, str | list[str]] | str | list[str]
EMPTY = KnowledgePack()
CASES = cases()


@dataclass(frozen=True)
class Asked:
    """A question that is asked when somebody looks at its answer."""

    question: Question
    database: Database
    after: str = ""

    @cached_property
    def answer(self) -> Answer:
        return fathom.ask(self.question, self.database)

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        return rows_of(self.answer.result, self.answer.text)

    @property
    def told(self) -> str:
        return "\n".join(a.text for a in self.answer.assumptions)

    @property
    def sql(self) -> str:
        return self.answer.best_query or ""

    @property
    def sources(self) -> set[str]:
        return {step.found.get("source", "") for step in self.answer.trace.steps}

    @property
    def engine(self) -> OfflineEngine:
        return engine_for(self.database, EMPTY)

    def speaks(self, check: str, sql: str) -> list[str]:
        """The checks that speak against a query: one by its name, or any of those that bar a candidate."""
        checked = self.engine.checked(parse(sql, self.engine.planner), self.engine.link(self.question))
        barring = [c for c in CHECKS if c not in (*FORMS_LEFT, *WORDS_LEFT, DENIALS_LEFT)]
        asked = [c for c in CHECKS if c.name == check] if check else barring
        assert asked, f"no check is called {check!r}"
        return [c.name for c in asked if c.reads(checked)]


def rows_of(result: Result | None, otherwise: str = "") -> list[tuple[Any, ...]]:
    assert result is not None, otherwise
    return [tuple(map(cell_of, row)) for row in result.rows]


def cell_of(cell: Any) -> Any:
    """A cell as all engines give it: averages of MySQL have four places, and some days begin at midnight."""
    if isinstance(cell, float | Decimal):
        return round(float(cell), 4)
    if isinstance(cell, date):
        return str(cell.date() if isinstance(cell, datetime) and not any(cell.timetuple()[3:6]) else cell)
    return cell


def in_order(rows: list[Any]) -> list[tuple[Any, ...]]:
    return [tuple(map(cell_of, row)) for row in rows]


def any_order(rows: list[Any]) -> Counter[tuple[Any, ...]]:
    return Counter(in_order(rows))


def column(cells: list[Any]) -> list[tuple[Any, ...]]:
    return [(cell,) for cell in cells]


def has_rows(asked: Asked, rows: list[Any]) -> None:
    assert any_order(asked.rows) == any_order(rows), asked.sql


def has_rows_in_order(asked: Asked, rows: list[Any]) -> None:
    assert asked.rows == in_order(rows), asked.sql


def has_first_column(asked: Asked, cells: list[Any]) -> None:
    assert any_order([row[:1] for row in asked.rows]) == any_order(column(cells)), asked.sql


def has_first_column_in_order(asked: Asked, cells: list[Any]) -> None:
    assert [row[:1] for row in asked.rows] == in_order(column(cells)), asked.sql


def has_rows_or_is_declined(asked: Asked, rows: list[Any]) -> None:
    if asked.answer.refusal is None:
        has_rows(asked, rows)


def is_guessed(asked: Asked, rows: list[Any]) -> None:
    assert any_order(rows_of(asked.database.run(asked.sql))) == any_order(rows), asked.sql


def is_answered(asked: Asked, _: bool) -> None:
    assert asked.answer.ending is Ending.SURE, asked.answer.text


def is_declined(asked: Asked, words: list[str] | bool) -> None:
    refusal = asked.answer.refusal
    assert refusal is not None, asked.sql
    assert asked.answer.ending is not Ending.SURE
    assert isinstance(words, bool) or {*words} <= {*refusal.missing}


def is_told(asked: Asked, pieces: list[str]) -> None:
    assert [p for p in pieces if p not in asked.told] == [], asked.told


def is_not_told(asked: Asked, pieces: list[str]) -> None:
    assert [p for p in pieces if p in asked.told] == [], asked.told


def is_asked_as(asked: Asked, other: str) -> None:
    assert asked.sql, asked.answer.text
    assert asked.sql == Asked(Question(other), asked.database).sql


def is_by(asked: Asked, source: str) -> None:
    assert source in asked.sources, asked.sql


def is_not_by(asked: Asked, source: str) -> None:
    assert source not in asked.sources, asked.sql


def is_confident(asked: Asked, least: float) -> None:
    assert (asked.answer.confidence or 0.0) >= least


def has_sql(asked: Asked, pieces: list[str]) -> None:
    assert [p for p in pieces if p not in asked.sql] == [], asked.sql


def has_no_sql(asked: Asked, pieces: list[str]) -> None:
    assert [p for p in pieces if p in asked.sql] == [], asked.sql


def is_said(asked: Asked, said: str) -> None:
    assert asked.engine.in_idiom(asked.question).text == said


def is_said_in_full(asked: Asked, said: str) -> None:
    meant, told = asked.engine.in_full(asked.question)
    assert meant.text == said
    assert said != asked.question.text or not told


def is_barred(asked: Asked, queries: Queries) -> None:
    for check, sql in by_check(queries):
        assert asked.speaks(check, sql), sql


def is_passed(asked: Asked, queries: Queries) -> None:
    for check, sql in by_check(queries):
        assert asked.speaks(check, sql) == [], sql


def by_check(queries: Queries) -> list[tuple[str, str]]:
    """Each query with the check that it is for, "" for all of them."""
    listed = queries if isinstance(queries, dict) else {"": queries}
    return [
        (check, sql) for check, some in listed.items() for sql in ([some] if isinstance(some, str) else some)
    ]


def is_completed(asked: Asked, change: dict[str, str]) -> None:
    [rule] = [r for r in FINISHING if r.name == change["by"]]
    reading = asked.engine.finish_reading(asked.question, asked.engine.in_idiom(asked.question))
    before = FinishedQuery(parse(change["from"], reading.planner))
    after = rule.reads(before, reading)
    if "to" in change:
        assert render(after.query, reading.planner) == change["to"]
    else:
        assert after == before


def is_followed(asked: Asked, rows: list[Any]) -> None:
    assert Counter(followed(asked)) == any_order(rows)


def is_followed_in_order(asked: Asked, rows: list[Any]) -> None:
    assert followed(asked) == in_order(rows)


def followed(asked: Asked) -> list[tuple[Any, ...]]:
    edited = follow(asked.question.text, asked.after, asked.engine)
    assert edited.sql is not None, edited.unread
    return rows_of(asked.database.run(edited.sql))


def is_unread(asked: Asked, words: list[str]) -> None:
    edited = follow(asked.question.text, asked.after, asked.engine)
    assert edited.sql is None
    assert {*words} <= {*edited.unread}


LOOKS: dict[str, Callable[[Asked, Any], None]] = {
    "rows": has_rows,
    "rows in order": has_rows_in_order,
    "first column": has_first_column,
    "first column in order": has_first_column_in_order,
    "rows or declined": has_rows_or_is_declined,
    "guess": is_guessed,
    "same as": is_asked_as,
    "answered": is_answered,
    "declined": is_declined,
    "told": is_told,
    "not told": is_not_told,
    "by": is_by,
    "not by": is_not_by,
    "confidence": is_confident,
    "sql": has_sql,
    "not sql": has_no_sql,
    "said": is_said,
    "in full": is_said_in_full,
    "barred": is_barred,
    "passed": is_passed,
    "completed": is_completed,
    "followed": is_followed,
    "followed in order": is_followed_in_order,
    "unread": is_unread,
}


@pytest.fixture(scope="module")
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """The database of a case, which those that follow share."""
    given: Given = request.param
    folder = tmp_path_factory.mktemp("asked")
    with opened(given, folder) as database:
        yield database


PLAIN = [c for c in CASES if c.given is None]
ASKED = [c for c in CASES if c.given is not None]


@pytest.mark.parametrize("case", PLAIN, ids=lambda c: c.name)
def test_what_needs_no_database(case: Case) -> None:
    assert {*case.expected} == {"plain"}
    assert to_the_point(case.question) == case.expected["plain"]


@pytest.mark.share(1 / 4, kind=lambda given: given["case"].subject)
@pytest.mark.parametrize(
    ("database", "case"), [(c.given, c) for c in ASKED], ids=[c.name for c in ASKED],
    indirect=["database"], scope="module",
)  # fmt: skip
def test_what_a_database_is_asked(database: Database, case: Case) -> None:
    expected = dict(case.expected)
    question = Question(case.question, evidence=expected.pop("evidence", ""))
    asked = Asked(question, database, expected.pop("after", ""))
    for word, value in expected.items():
        LOOKS[word](asked, value)


def test_every_word_that_may_be_written_is_looked_at() -> None:
    assert {*LOOKS, "plain"} == {*EXPECTED}
