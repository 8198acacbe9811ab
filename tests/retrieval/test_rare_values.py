"""Values that a sample misses are found in the database where a text names them exactly."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import fathom
from fathom.databases import Database
from fathom.errors import QueryTimedOut
from fathom.records import Limits, Result
from fathom.retrieval import ValueIndex, index_files
from fathom.retrieval.rare_values import REMEMBERED_SECONDS, NamedPhrase, RareValues, named_phrases
from fathom.rights import Granted
from fathom.rights.grants import Grant
from tests.databases import makers

PATIENTS = 6_000
ODD = ("O'Brien", "back\\slash x", 'the "big" one', "x' OR '1'='1")


def _rows() -> Iterator[str]:
    for start in range(1, PATIENTS + 1, 1_000):
        values = ", ".join(
            f"({i}, '{('Ulm', 'Bern')[i % 2]}', 'P{7 * i}')" for i in range(start, start + 1_000)
        )
        yield f"INSERT INTO visit VALUES {values}"


@pytest.fixture(params=["sqlite", "duckdb", "postgres", "mysql"])
def visits(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Database]:
    monkeypatch.setattr(index_files, "DEAR_ROWS", 100)
    monkeypatch.setattr(index_files, "DEAR_ROWS_AWAY", 100)
    monkeypatch.setattr(index_files, "SAMPLED_ROWS", 2_000)
    odd = [text.replace("'", "''") for text in ODD]
    if request.param == "mysql":
        odd = [text.replace("\\", "\\\\") for text in odd]
    with getattr(makers, f"{request.param}_databases")(tmp_path) as make:
        yield make(
            "CREATE TABLE visit (id INTEGER PRIMARY KEY, city VARCHAR(20), patient VARCHAR(40))",
            *_rows(),
            *(f"INSERT INTO visit VALUES ({PATIENTS + i}, 'Ulm', '{o}')" for i, o in enumerate(odd, 1)),
        )


def sent(database: Database, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queries that the database runs from here on."""
    found: list[str] = []
    original = database.run

    def run(sql: str, limits: Limits, *, trusted: bool) -> Result:
        found.append(sql)
        return original(sql, limits, trusted=trusted)

    monkeypatch.setattr(database, "run", run)
    return found


def test_what_is_named_exactly_is_found_wherever_it_stands(
    visits: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ValueIndex.open_or_build(visits, None) as index:
        assert {c.column: c.values < PATIENTS for c in index.columns} == {"city": True, "patient": True}
        asked = sent(visits, monkeypatch)
        wanted = [f"P{7 * i}" for i in range(1, PATIENTS, 500)]
        for value in wanted:
            (mention,) = [m for m in index.mentions(f"visits of {value} in Ulm") if m.text == value]
            assert (mention.matches[0].column, mention.matches[0].kind) == ("patient", "exact")
        assert 0 < len(asked) <= len(wanted)  # none for what the sample has, and none for the city
        before = len(asked)
        index.mentions(f"visits of {wanted[-1]}")
        assert len(asked) == before
        assert not [m for m in index.mentions("visits of P1") if m.text == "P1" and m.matches[0].score == 1]
        assert not [m for m in index.mentions("visits of p7 on the 10th in January") if m.text == "January"]


def test_texts_with_quotes_and_backslashes_are_texts(visits: Database) -> None:
    with ValueIndex.open_or_build(visits, None) as index:
        for value in ODD[:2]:
            assert [m.value for m in index.lookup(f"“{value}”")][:1] == [value]
        assert all(m.value in ODD for m in index.lookup("“nobody' OR '1'='1”"))


def test_a_database_that_is_too_slow_tells_nothing_and_stops_nobody(
    visits: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(sql: str, limits: Limits, *, trusted: bool) -> Result:
        assert limits.seconds is not None
        assert limits.seconds <= 2
        raise QueryTimedOut(limits.seconds, sql=sql)

    with ValueIndex.open_or_build(visits, None) as index:
        monkeypatch.setattr(visits, "run", slow)
        assert not [m for m in index.mentions("visits of Zebedee Quill") if m.matches[0].score == 1]


def test_where_reading_is_paid_for_only_what_is_quoted_is_looked_for(
    visits: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Database, "at_once", 4)
    with ValueIndex.open_or_build(visits, None) as index:
        asked = sent(visits, monkeypatch)
        index.mentions("visits of Zebedee Quill")
        assert asked == []
        index.mentions("visits of “Zebedee Quill”")
        assert len(asked) == 1


def test_hidden_rows_are_not_looked_into(visits: Database) -> None:
    grant = Grant(("ann",), ("*",), ("*",), rows={"visit": "city = 'Ulm'"})
    with ValueIndex.open_or_build(visits.restricted(Granted("ann", (grant,))), None) as index:
        found = {i: bool(index.lookup(f"“P{7 * i}”")) for i in range(1_001, 1_021)}
    assert found == {i: i % 2 == 0 for i in found}


@pytest.mark.parametrize(("seconds", "asked_anew"), [(-1.0, False), (1.0, True)])
def test_absence_is_remembered_for_a_while(
    visits: Database, monkeypatch: pytest.MonkeyPatch, seconds: float, asked_anew: bool
) -> None:
    now = [1_000.0]
    rare = RareValues(visits, {"visit": ["city", "patient"]}, clock=lambda: now[0])
    phrase = NamedPhrase("P7777777", 0, 8)
    asked = sent(visits, monkeypatch)
    assert list(rare.look_up([phrase])) == []
    now[0] += REMEMBERED_SECONDS + seconds
    assert list(rare.look_up([phrase])) == []
    assert len(asked) == 1 + asked_anew


def test_a_question_about_a_value_that_no_sample_has_is_answered(visits: Database) -> None:
    answer = fathom.ask(f"How many visits has the patient P{7 * 5_981}?", visits)
    assert answer.result is not None, answer.text
    assert answer.result.rows == ((1,),)


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("How many visits did patient P123 have?", ["P123"]),
        ("Cost of \"P77\" and 'anna b' in Oslo", ["P77", "anna b", "Oslo"]),
        ("Which visits has Anna Petit in January 2020?", ["Anna Petit"]),
        ("O'Brien's visits on the 10th at 3pm", ["O'Brien"]),
        ("Show ENSG00000139618.2, please. The Zambrokwist one.", ["ENSG00000139618.2", "Zambrokwist"]),
        ("how many visits were there", []),
        ("'' \"\"", []),
    ],
)
def test_phrases_that_look_like_values(text: str, phrases: list[str]) -> None:
    found = named_phrases(text)
    assert [p.text for p in found] == phrases
    assert [text[p.start : p.end] for p in found] == phrases
