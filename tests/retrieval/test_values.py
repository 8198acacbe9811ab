from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fathom.retrieval import ValueIndex, ValueMatch

DATA: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("values.yaml").read_text(encoding="utf-8"))


def _values() -> Iterator[tuple[str, str, str, int]]:
    for place, values in DATA["values"].items():
        table, column = place.split(".")
        yield from ((table, column, v, 1) for v in values)


@pytest.fixture(scope="module")
def index() -> Iterator[ValueIndex]:
    with ValueIndex.build(_values()) as built:
        yield built


@pytest.mark.parametrize("case", DATA["cases"], ids=lambda c: f"{c['phrase']}-{c['value']}")
def test_a_phrase_finds_the_value_it_names(index: ValueIndex, case: dict[str, str]) -> None:
    found = index.lookup(case["phrase"])
    if case["kind"] == "none":
        assert case["value"] not in [m.value for m in found]
    else:
        assert found, "nothing found"
        assert (found[0].value, found[0].kind) == (case["value"], case["kind"])


@pytest.mark.parametrize("case", [c for c in DATA["cases"] if c["kind"] != "none"], ids=lambda c: c["phrase"])
def test_a_question_mentions_the_value(index: ValueIndex, case: dict[str, str]) -> None:
    question = f"How many rows mention {case['phrase']} ?"
    mentions = index.mentions(question)
    assert case["value"] in [m.value for mention in mentions for m in mention.matches]
    for mention in mentions:
        assert question[mention.start : mention.end] == mention.text
        assert mention.matches


def test_overlapping_mentions_are_kept_longest_first(index: ValueIndex) -> None:
    texts = [m.text for m in index.mentions("mayors of New York City since 1990")]
    assert texts[:2] == ["New York City", "New York"]


def test_the_places_of_a_mention_count_characters_of_the_original_question(index: ValueIndex) -> None:
    (mention,) = index.mentions("ﬁlms with Jürgen Müller?")
    assert (mention.text, mention.start, mention.first, mention.last) == ("Jürgen Müller", 10, 2, 4)


def test_function_words_name_values_only_as_written(index: ValueIndex) -> None:
    assert [m.value for m in index.lookup("a grade")] == ["A"]
    assert index.mentions("is it a film?")[0].matches[0].score < 0.5
    assert index.mentions("films with grade A")[0].matches[0].score == 1.0


def test_a_value_in_several_columns_is_found_in_all_of_them_most_frequent_first() -> None:
    values = [("a", "x", "Paris", 2), ("b", "y", "Paris", 7), ("c", "z", "Paris", 1)]
    with ValueIndex.build(values) as index:
        assert [(m.table, m.count) for m in index.lookup("paris")] == [("b", 7), ("a", 2), ("c", 1)]
        assert len(index.lookup("paris", limit=2)) == 2


def test_prose_is_left_out_and_said_so() -> None:
    with ValueIndex.build([("a", "x", "word " * 100, 1), ("a", "x", "short", 1)]) as index:
        assert not index.lookup("word")
        assert [(c.values, c.left_out) for c in index.columns] == [(1, 1)]


def test_an_empty_index_finds_nothing() -> None:
    with ValueIndex.build([]) as index:
        assert index.columns == ()
        assert index.lookup("anything at all") == []
        assert index.mentions("") == []


def test_a_question_of_any_length_is_read(index: ValueIndex) -> None:
    assert any(m.text == "Obama" for m in index.mentions("Obama " + "and so on " * 100_000))
    assert index.mentions("x" * 100_000) == []


def test_threads_share_an_index(index: ValueIndex) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(index.lookup, ["obama", "sao paulo"] * 50))
    assert {f[0].value for f in found} == {"Barack Obama", "São Paulo"}


@given(st.text(max_size=60))
def test_any_text_can_be_looked_up(index: ValueIndex, text: str) -> None:
    index.lookup(text)
    for mention in index.mentions(text):
        assert text[mention.start : mention.end] == mention.text


@given(
    st.sampled_from(
        ['"', "'", "*", "NEAR(", " AND ", " OR ", "NOT ", "^", ":", "-", "obama", "{", "x:"]
    ).flatmap(lambda a: st.text("\"'*()^:-+{}ANDORNEARobama ", max_size=40).map(lambda b: a + b))
)
def test_full_text_syntax_means_nothing(index: ValueIndex, text: str) -> None:
    index.mentions(text)


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=30), max_size=8, unique=True))
def test_every_value_finds_itself(values: list[str]) -> None:
    with ValueIndex.build([("t", "c", v, 1) for v in values]) as index:
        for value in values:
            if any(c.isalnum() for c in value):
                assert value in [m.value for m in index.lookup(value, limit=50)]


def test_the_values_of_one_column_crowd_out_no_others() -> None:
    many = [("log", "note", f"river {n}", 1) for n in range(300)]
    few = [("place", "name", "River Road", 1), ("place", "name", "Rivers", 1), ("place", "city", "Oslo", 1)]
    with ValueIndex.build([*many, *few]) as built:
        found = built.by_column("river road", each=3)
        assert [(m.column, m.value) for m in found if m.table == "place"] == [
            ("name", "River Road"),
            ("name", "Rivers"),
        ]
        assert len([m for m in found if m.table == "log"]) == 3
        assert found[0] == ValueMatch("place", "name", "River Road", 1, "folded", 1.0)
        only = built.by_column("river road", each=3, columns={("log", "note")})
        assert {m.table for m in only} == {"log"}


def test_a_column_finds_misspelt_values_and_nothing_without_a_word_in_common(index: ValueIndex) -> None:
    with ValueIndex.build([("drug", "name", "Donepezil", 2), ("drug", "code", "+", 1)]) as built:
        assert [m.value for m in built.by_column("donepzil")] == ["Donepezil"]
        assert built.by_column("nothing like it") == []
        assert built.by_column("") == []
        assert [(m.value, m.kind) for m in built.by_column("+")] == []
    assert all(0 <= m.score <= 1 for m in index.by_column('a "quoted" OR b*'))
