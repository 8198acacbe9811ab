"""Questions of our own: their databases are always the same, their gold finds rows, fates are counted."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import yaml
from bench.few_examples import own_lessons
from bench.figures import DATA
from bench.questions.asking import Asked, file_of, tell
from bench.questions.small import SMALL, make
from tests.data import needed

from bench import (
    analysis,
    business,
    everyday,
    first_questions,
    followups,
    newcomers,
    periods_and_shares,
    plain,
    readings,
    reporting,
    second_round,
)

LISTS = (analysis, business, everyday, first_questions, periods_and_shares, plain, reporting, second_round)
FILES = [m.QUESTIONS for m in LISTS]


@pytest.mark.parametrize("name", sorted(SMALL))
def test_a_small_database_is_the_same_every_time(name: str, tmp_path: Path) -> None:
    dumps = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        folder.mkdir()
        with closing(sqlite3.connect(make(name, folder))) as connection:
            assert not connection.execute("PRAGMA foreign_key_check").fetchall()
            dumps.append(list(connection.iterdump()))
    assert dumps[0] == dumps[1]


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_gold_on_our_own_databases_finds_rows(file: Path, tmp_path: Path) -> None:
    cases = yaml.safe_load(file.read_text(encoding="utf-8"))
    for name in SMALL & cases.keys():
        with closing(sqlite3.connect(make(name, tmp_path))) as connection:
            for questions in (v for v in cases[name].values() if isinstance(v, list)):
                for one in questions:
                    for gold in one["gold"]:
                        assert any(any(row) for row in connection.execute(gold)), (name, one["question"])


def test_what_newcomers_ask_has_gold_that_runs_and_what_nothing_answers() -> None:
    cases = yaml.safe_load(newcomers.QUESTIONS.read_text(encoding="utf-8"))
    assert {c["split"] for c in cases.values()} == {"develop", "measure"}
    for name, case in cases.items():
        file = needed(*file_of(name, Path()).relative_to(DATA).parts)
        assert all(isinstance(one, str) for one in case["unanswerable"])
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
            for one in case["questions"]:
                assert all(connection.execute(gold).fetchone() for gold in one["gold"]), one["question"]


def test_what_became_of_questions_is_counted() -> None:
    asked = [
        Asked("shop", "questions", right=right, declined=declined)
        for right, declined in ((True, False), (True, True), (False, False), (False, True))
    ]
    guesses, answered, of_those = tell("all", asked, 0.5)
    assert (guesses.value, answered.value) == ("50.0% (2/4)", "50.0% (2/4)")
    assert (of_those.value, of_those.mark, of_those.ok) == ("50.0% (1/2)", "50%", True)
    assert [f.ok for f in tell("all", asked, 0.6)][-1] is False
    assert [f.ok for f in tell("all", asked[3:], 0.6)][-1] is None


def test_every_file_of_questions_gives_those_that_can_be_asked_alone(tmp_path: Path) -> None:
    needed("samples", "chinook.sqlite")
    lessons = list(own_lessons(tmp_path))
    assert {lesson.split for lesson in lessons} == {"develop", "measure"}
    assert all(question.gold for lesson in lessons for question in lesson.asked)
    assert sum(len(lesson.asked) for lesson in lessons) > 400


def test_follow_ups_are_not_asked_alone_for_readings(tmp_path: Path) -> None:
    asked = yaml.safe_load(followups.QUESTIONS.read_text(encoding="utf-8"))
    assert list(readings.questions_of("chinook", asked["chinook"], tmp_path)) == []
    asked = yaml.safe_load(plain.QUESTIONS.read_text(encoding="utf-8"))
    name, case = next(iter(asked.items()))
    assert all(q.answerable and q.gold for q in readings.questions_of(name, case, tmp_path))
    told = {"split": "develop", "questions": ["Who are you?"]}
    assert [q.answerable for q in readings.questions_of(name, told, tmp_path)] == [False]
