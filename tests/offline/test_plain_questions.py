"""Plain questions of databases that nothing was learned from: a floor under how many are answered right."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import yaml

from fathom.benchmarks import BenchmarkQuestion
from fathom.databases import connect
from fathom.evaluation.runs.exams import Exam, judge
from fathom.evaluation.runs.response import respond
from fathom.methods import Context, find_method, run_method
from fathom.records import Draft
from tests.data import needed

QUESTIONS = Path(__file__).with_name("plain_questions.yaml")
LEAST_RIGHT = 45
"""One under what is measured."""
LEAST_ANSWERED = 35
"""Of 38."""
RIGHT_OF_ANSWERED = 0.9


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[BenchmarkQuestion, Draft, bool]]:
    return list(_answered(tmp_path_factory.mktemp("cache")))


def _answered(cache: Path) -> Iterator[tuple[BenchmarkQuestion, Draft, bool]]:
    method = find_method("offline")
    for name, asked in yaml.safe_load(QUESTIONS.read_text(encoding="utf-8")).items():
        file = str(needed(*name.split("/")))
        with closing(connect(file)) as database:
            context = Context(database, cache=cache)
            for one in asked:
                text = one["question"]
                question = BenchmarkQuestion(text, text, file, tuple(one["gold"]), database_name=name)
                draft = asyncio.run(run_method(method, question.question, context))
                marks = judge(Exam(question, respond(draft), "sql_eval"))
                yield question, draft, marks.final.outcome.value == "correct"


def test_most_best_guesses_are_right(answered: list[tuple[BenchmarkQuestion, Draft, bool]]) -> None:
    wrong = [f"{q.text}: {draft.sql}" for q, draft, right in answered if not right]
    assert len(answered) - len(wrong) >= LEAST_RIGHT, "\n".join(wrong)


def test_what_is_answered_is_right(answered: list[tuple[BenchmarkQuestion, Draft, bool]]) -> None:
    sure = [right for _, draft, right in answered if draft.refusal is None]
    assert len(sure) >= LEAST_ANSWERED
    assert sum(sure) >= RIGHT_OF_ANSWERED * len(sure)


def test_no_key_is_shown_where_nobody_asked_for_it(
    answered: list[tuple[BenchmarkQuestion, Draft, bool]],
) -> None:
    asked = [q for q, _, _ in answered if q.text.startswith(("Which", "Who", "List"))]
    shown = {q.text: (draft.sql or "").split(" FROM ")[0].casefold() for q, draft, _ in answered}
    keys = [q.text for q in asked if any(w.endswith("id") for w in shown[q.text].replace(",", " ").split())]
    assert len(asked) > 10
    assert not keys
