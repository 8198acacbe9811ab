import json
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fathom.answering import ask
from fathom.answering.archive import VERSION, answer_from_json, archived
from fathom.databases import Database
from fathom.errors import InputError
from fathom.records import Answer, Interval, Question, Result


def through_json(answer: Answer) -> Answer:
    return answer_from_json(json.loads(json.dumps(archived(answer))))


def holding(*cells: Any) -> Answer:
    result = Result(tuple(f"c{i}" for i in range(len(cells))), (cells,), "SELECT 1", 0.5)
    return Answer(Question("Which?"), "These.", sql="SELECT 1", result=result)


def test_answers_of_every_ending_come_back_as_they_were(shop: Database) -> None:
    for question in ("How many sales are there?", "How many sales are there per city?", "Will it rain?"):
        answer = ask(question, shop)
        assert through_json(answer) == answer
        assert answer.trace.steps


def test_cells_keep_their_types() -> None:
    cells = (
        None, True, 7, 2**70, 0.1, float("inf"), Decimal("1.10"), "text", b"\x00\xff", date(2020, 2, 29),
        datetime(2020, 2, 29, 12, 30, tzinfo=UTC), time(12, 30), timedelta(days=1, seconds=1),
        UUID(int=5), Interval("1 mon"), [1, [date(2020, 1, 1)]], (1, 2),
        {"a": Decimal(1)}, {1: "one"}, {"$type": "date"},
    )  # fmt: skip
    result = through_json(holding(*cells)).result
    assert result is not None
    assert result.rows == (cells,)
    assert [type(c) for c in result.rows[0]] == [type(c) for c in cells]


_text = st.text('aé"\\<$ \x00\U0001f9ec', max_size=5)
_cells = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _text
    | st.decimals(allow_nan=False) | st.binary(max_size=5) | st.dates() | st.datetimes(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_text, inner, max_size=3),
    max_leaves=5,
)  # fmt: skip


@given(st.lists(_cells, min_size=1, max_size=5))
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_any_cells_come_back(cells: list[Any]) -> None:
    answer = holding(*cells)
    assert through_json(answer) == answer


def test_what_has_no_form_becomes_text() -> None:
    result = through_json(holding(complex(1, 2))).result
    assert result is not None
    assert result.rows == (("(1+2j)",),)


def test_a_field_that_is_not_there_yet_is_its_default() -> None:
    content = archived(replace(holding(1), method="offline"))
    del content["answer"]["method"]
    assert answer_from_json(content).method == ""


@pytest.mark.parametrize(
    "content",
    [None, {}, [], {"version": 1}, {"version": 1, "answer": {}}, {"version": "x", "answer": {}},
     {"version": 1, "answer": {"question": {"$type": "nonsense", "value": 1}}}],
)  # fmt: skip
def test_anything_else_is_refused(content: Any) -> None:
    with pytest.raises(InputError, match="no answer that Fathom wrote"):
        answer_from_json(content)


def test_a_later_version_is_named() -> None:
    with pytest.raises(InputError, match="upgrade"):
        answer_from_json({**archived(holding(1)), "version": VERSION + 1})
