"""Every kind of claim, true and false, over a shop whose truths are known (cases.yaml)."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest
import yaml

from fathom.analysis import CheckedClaim, Figures, Reader, Vocabulary, check
from fathom.databases import connect

_CASES = yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text(encoding="utf-8"))
CASES = [(kind, case) for kind, cases in _CASES.items() for case in cases]


def checked(text: str, reader: Reader, figures: Figures) -> list[CheckedClaim]:
    statement = reader.read(text)
    return [check(readings, figures) for readings in statement.claims]


@pytest.mark.parametrize(("kind", "case"), CASES, ids=[c["text"] for _, c in CASES])
def test_a_sentence_is_read_and_recomputed(
    kind: str, case: dict[str, Any], reader: Reader, figures: Figures
) -> None:
    found = checked(case["text"], reader, figures)

    if kind == "none":
        assert found == []
        return
    assert [(c.kind, c.verdict) for c in found] == [(kind, case["verdict"])]
    if case["verdict"] != "can't be checked":
        evidence = found[0].premises[0] if kind == "recommendation" else found[0]
        assert evidence.queries
        assert evidence.figures


def test_parts_that_no_rule_reads_are_kept(reader: Reader) -> None:
    statement = reader.read("There are 100 customers, and everybody smiles.")

    assert len(statement.claims) == 1
    assert statement.unread == ("everybody smiles",)


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ("There were 1,023 orders in 2023 and 930 in 2022.", ["supported", "contradicted"]),
        ("Norway and Spain each have 50 customers.", ["supported", "contradicted"]),
        ("Norway has the most customers, with 50.", ["supported", "supported"]),
        ("Norway has 50 customers, more than Spain.", ["supported", "supported"]),
        ("Spain has 30 customers, more than Norway.", ["supported", "contradicted"]),
        ("With 50 customers, Norway is our largest country.", ["supported", "supported"]),
        ("Norway (60 customers) has the most orders.", ["supported", "contradicted"]),
        ("Orders rose from 457 in 2019 to 1,023 in 2023.", ["supported", "supported", "supported"]),
        ("Half of all customers (44%) live in Norway.", ["supported", "contradicted"]),
    ],
)
def test_one_sentence_may_claim_several_things(
    text: str, verdicts: list[str], reader: Reader, figures: Figures
) -> None:
    assert [c.verdict for c in checked(text, reader, figures)] == verdicts


def test_rows_may_stand_for_their_amounts(tmp_path: Path) -> None:
    """ "Payments totalled 30" is no lie where there are two of them."""
    file = tmp_path / "till.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE payments (id INTEGER PRIMARY KEY, amount REAL)")
        connection.executemany("INSERT INTO payments (amount) VALUES (?)", [(1.5 * n,) for n in range(1, 5)])
    connection.close()
    with connect(file) as database:
        figures = Figures(Vocabulary(database))
        reader = Reader(figures.vocabulary)

        told = [
            checked(t, reader, figures)[0].verdict
            for t in (
                "Payments totalled 15.",
                "Payments totalled 4.",
                "Payments totalled 11.",
                "There are 15 payments.",
            )
        ]

    assert told == ["supported", "supported", "contradicted", "contradicted"]


def test_nobody_counts_the_names_in_a_list(tmp_path: Path) -> None:
    """There is one gold medal in a list of medals, and there are many on necks."""
    file = tmp_path / "medals.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE medals (id INTEGER PRIMARY KEY, medal_name TEXT)")
        connection.executemany(
            "INSERT INTO medals (medal_name) VALUES (?)", [("Gold",), ("Silver",), ("Bronze",)]
        )
    connection.close()
    with connect(file) as database:
        figures = Figures(Vocabulary(database))
        reader = Reader(figures.vocabulary)

        assert checked("There are 300 Gold medals.", reader, figures) == []
        assert checked("There are 3 medals.", reader, figures)[0].verdict == "supported"


def test_a_check_shows_its_test_and_its_plot(reader: Reader, figures: Figures) -> None:
    (rising,) = checked("The number of orders has risen over time.", reader, figures)
    (together,) = checked("Freight is positively correlated with weight.", reader, figures)

    assert "Mann-Kendall" in rising.test
    assert rising.chart is not None
    values = rising.chart.specification["data"]["values"]
    assert (values[0], len(values)) == ({"month": "2019-01-01", "value": 30.0, "kind": "recorded"}, 60)
    told = together.as_json()
    assert told["figures"]["Spearman"] == pytest.approx(0.97, abs=0.01)
    assert told["plot"]["mark"]["type"] == "point"


def test_a_quoted_value_is_a_literal(reader: Reader, figures: Figures) -> None:
    """Names from the data that look like SQL stay text."""
    from fathom.analysis import Field, Measure, Quantity, RowCondition

    wild = RowCondition(Field("customers", "country"), "x' OR '1'='1")
    value, sql = figures.value(Quantity(Measure("count", "customers"), (wild,)))

    assert value == 0
    assert "'x'' OR ''1''=''1'" in sql
