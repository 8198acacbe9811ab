"""How follow-ups stand to the answer before, and what each rule reads of them."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from random import Random

import pytest
from bench.questions.made_followups import MadeFollowUp, dropped, made_follow_ups
from tests.offline.asked_databases import asked_database

from fathom.answering import Conversation, prepare
from fathom.databases import Database, connect
from fathom.offline.engine import OfflineEngine
from fathom.offline.followups import FollowedUp, follow, standing
from fathom.offline.followups.rules import RULES, FollowUpRule

FRENCH = "SELECT name FROM singer WHERE country = 'France'"


@pytest.fixture(scope="module")
def singers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with asked_database("follow_ups", "singers", tmp_path_factory.mktemp("singers")) as database:
        yield database


@pytest.fixture(scope="module")
def engine(singers: Database) -> OfflineEngine:
    return OfflineEngine(singers)


@pytest.mark.parametrize("text", ["", "?", "...", "and?"])
def test_a_text_without_words_edits_nothing(text: str, engine: OfflineEngine) -> None:
    assert follow(text, FRENCH, engine) == FollowedUp()


def test_a_query_that_can_not_be_read_is_left_alone(engine: OfflineEngine) -> None:
    followed = follow("and from Sweden?", "SELECT name FROM nowhere", engine)
    assert followed == FollowedUp(editable=False)


@pytest.mark.parametrize("rule", RULES, ids=lambda r: r.name)
def test_each_rule_reads_its_example(rule: FollowUpRule, engine: OfflineEngine) -> None:
    assert follow(rule.example, rule.before, engine).sql == rule.after
    others = tuple(r for r in RULES if r is not rule)
    assert follow(rule.example, rule.before, engine, others).sql != rule.after, (
        "another rule reads it as well"
    )


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("and in 2015?", "follows"),
        ("what about Germany?", "follows"),
        ("who is the oldest of them?", "follows"),
        ("how many are there?", "follows"),
        ("by country instead", "rather follows"),
        ("which one has the most?", "follows"),
        ("which has the most?", "rather follows"),
        ("show the prices too", "rather follows"),
        ("Which singers are from France?", "may follow"),
        ("How many artists are there in the database?", "may follow"),
        ("List all customers with their emails", "may follow"),
        ("", "whole"),
        ("and " * 13, "whole"),
    ],
)
def test_how_a_text_stands_to_the_answer_before(text: str, stands: str) -> None:
    assert standing(text) == stands


def test_a_conversation_tells_what_it_took_a_follow_up_for(singers: Database) -> None:
    talk = Conversation(prepare(singers))
    first = talk.ask("List the names of all singers from France.")
    assert first.refusal is None
    then = talk.ask("and from Sweden?")
    assert then.result is not None
    assert then.result.rows == (("Bo Ek",),)
    assert then.assumptions[0].text.startswith("I took this as: ")
    assert "Sweden" in then.assumptions[0].text
    counted = talk.ask("how many are there?")
    assert counted.result is not None
    assert counted.result.rows == ((1,),)


THIS_YEAR = "SELECT COUNT(*) FROM sale WHERE sold_on >= DATE('now', 'start of year')"
TOP = (
    "SELECT T1.name FROM province AS T1 JOIN sale AS T2 ON T1.id = T2.province_id GROUP BY T1.id, T1.name"
    " ORDER BY SUM(T2.amount) DESC LIMIT 3"
)


@pytest.fixture(scope="module")
def sales(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OfflineEngine]:
    file = tmp_path_factory.mktemp("sales") / "sales.sqlite"
    with closing(sqlite3.connect(file)) as made:
        made.executescript(
            "CREATE TABLE province (id INTEGER PRIMARY KEY, name TEXT);"
            "CREATE TABLE sale (id INTEGER PRIMARY KEY, province_id INTEGER REFERENCES province (id),"
            " sold_on DATE, status TEXT, seats INTEGER, amount REAL);"
            "INSERT INTO province VALUES (1, 'Alba'), (2, 'Brio'), (3, 'Cima'), (4, 'Duna');"
            "INSERT INTO sale VALUES (1, 1, '2024-01-15', 'paid', 1, 10),"
            " (2, 2, '2024-02-15', 'open', 2, 20), (3, 3, '2025-03-15', 'paid', 3, 30.5),"
            " (4, 4, '2025-04-15', 'open', 4, 40);"
        )
    with connect(str(file)) as database:
        yield OfflineEngine(database)


@pytest.mark.parametrize(
    ("before", "text", "rows"),
    [
        (TOP, "what is their total?", ((90.5,),)),
        (TOP, "how much is that in total?", ((90.5,),)),
        (TOP, "what do they come to together?", ((90.5,),)),
        (TOP, "what is their average?", ((90.5 / 3,),)),
        (TOP, "and their total seats?", ((9,),)),
        (TOP.replace("SUM", "AVG"), "what is their total?", None),
        ("SELECT amount FROM sale ORDER BY amount LIMIT 2", "what is the total?", ((30,),)),
        ("SELECT SUM(amount) FROM sale WHERE status = 'paid'", "show the total seats instead", ((4,),)),
    ],
)
def test_a_calculation_is_of_what_was_shown(
    before: str, text: str, rows: tuple[tuple[float, ...], ...] | None, sales: OfflineEngine
) -> None:
    followed = follow(text, before, sales)
    found = None if followed.sql is None else sales.database.run(followed.sql).rows
    assert found == rows


@pytest.mark.parametrize(
    ("text", "holds", "told"),
    [
        (
            "only the paid ones",
            "sold_on >= DATE('now', 'start of year') AND status = 'paid'",
            "at least the start of this year",
        ),
        (
            "and last month?",
            "sold_on >= DATE('now', 'start of month', '-1 months')",
            "1 month before the start of this month",
        ),
        ("and last quarter?", " % 3)) || ' months', '-3 months')", "before the start of this quarter"),
        ("and this week?", "DATE('now', 'weekday 0', '-6 days')", "at least the start of this week"),
        ("and today?", "DATE('now') AND sold_on < DATE('now', '+1 days')", "below 1 day after today"),
    ],
)
def test_days_counted_from_today_are_followed_and_told(
    text: str, holds: str, told: str, sales: OfflineEngine
) -> None:
    followed = follow(text, THIS_YEAR, sales)
    assert followed.sql is not None
    assert holds in followed.sql
    assert told in followed.told


def test_the_year_before_this_one(sales: OfflineEngine) -> None:
    before = f"{THIS_YEAR} AND sold_on < DATE('now', 'start of year', '+1 years')"
    year = datetime.now(UTC).year
    followed = follow("and the year before?", before, sales)
    assert followed.sql is not None
    assert followed.sql.endswith(f"sold_on >= '{year - 1}-01-01' AND sold_on < '{year}-01-01'")


def test_no_follow_up_fails_or_drops_a_condition(sales: OfflineEngine, engine: OfflineEngine) -> None:
    draw = Random(2026)
    for asked in (sales, engine):
        every = list(made_follow_ups(asked.database))
        for made in draw.sample(every, min(70, len(every))):
            assert not dropped(made, asked), made


def test_a_dropped_condition_is_seen(engine: OfflineEngine) -> None:
    assert dropped(MadeFollowUp(FRENCH, "all of them"), engine) == ("country",)
