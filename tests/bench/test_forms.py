"""Questions about values in forms: none of a sample of the made tables is answered surely and wrongly."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from bench.made_forms import FORMS, MadeQuestion, written

from fathom.answering import ask
from fathom.databases import connect
from fathom.records import Answer, Question, Refusal, Result

MAY_DECLINE = {"dates that may be either", "codes"}
"""Forms of which a sample may have no right answer."""


@pytest.mark.share(0.4)
@pytest.mark.parametrize("form", FORMS)
def test_no_answer_is_surely_wrong(form: str, tmp_path: Path) -> None:
    made = FORMS[form](Random(f"{form} 1"))
    engine = next(e for e in ("duckdb", "sqlite") if e in made.engines)
    fates = Counter[str]()
    with written(made, engine, tmp_path, "") as url, connect(url) as database:
        for question in made.questions[:5]:
            given = ask(question.text, database)
            fate = question.fate(given)
            fates[fate] += 1
            assert fate != "wrong", f"{question.text} {given.sql} {question.gold}"
    assert fates["right"] or form in MAY_DECLINE


def _answered(*rows: tuple[object, ...]) -> Answer:
    question = Question("Which?", "Which?")
    return Answer(question, "", result=Result(columns=("a",), rows=rows, sql="", seconds=0.0))


def test_another_number_of_rows_or_value_is_wrong() -> None:
    question = MadeQuestion("Which?", ([["a"], ["b"]],))
    assert question.fate(_answered(("b",), ("a",))) == "right"
    assert question.fate(_answered(("a",))) == "wrong"
    assert question.fate(_answered(("a",), ("c",))) == "wrong"
    assert question.fate(replace(_answered(), refusal=Refusal("unknown"))) == "declined"


def test_what_has_no_gold_is_to_be_declined() -> None:
    assert MadeQuestion("Which?").fate(_answered(("a",))) == "wrong"
    assert MadeQuestion("Which?").fate(replace(_answered(), refusal=Refusal("unknown"))) == "right"
