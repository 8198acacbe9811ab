import numpy as np
import pytest
from training.lessons import plain, uses

from fathom.offline.linking import ColumnKey
from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.joins import JoinPlanner
from fathom.records import Column, Schema, Table

pytest.importorskip("lightgbm")

FILM = Table("film", (Column("title", "TEXT", "text"), Column("year", "INTEGER", "integer")), ("title",))
PLANNER = JoinPlanner(Schema("sqlite", (FILM,)))
TITLE, YEAR = ColumnKey("film", "title"), ColumnKey("film", "year")


@pytest.mark.parametrize(
    ("sql", "columns", "values"),
    [
        (
            "SELECT title FROM film WHERE year > 1999",
            {(TITLE, "select"), (YEAR, "where")},
            {(YEAR, "1999", ">")},
        ),
        ("SELECT max(year) FROM film", {(YEAR, "aggregate")}, set()),
        ("SELECT year FROM film GROUP BY year ORDER BY count(*)", {(YEAR, "select"), (YEAR, "group")}, set()),
        (
            "SELECT title FROM film WHERE year = (SELECT min(year) FROM film)",
            {(TITLE, "select"), (YEAR, "where"), (YEAR, "aggregate")},
            set(),
        ),
    ],
)
def test_what_a_query_uses(sql: str, columns: set[object], values: set[object]) -> None:
    found = uses(parse(sql, PLANNER))
    assert found.tables == {"film"}
    assert found.columns == columns
    assert found.values == values


@pytest.mark.parametrize(("one", "other"), [("2.0", 2), (" Paris", "paris"), (1.5, "1.50")])
def test_values_alike(one: object, other: object) -> None:
    assert plain(one) == plain(other)


def test_the_calibration_rises_and_the_threshold_keeps_its_promise() -> None:
    from training.ranker import fit_confidence, threshold_for

    random = np.random.default_rng(0)
    rows = random.normal(size=(900, 4)).astype(np.float32)
    right = [bool(x) for x in random.random(900) < 1 / (1 + np.exp(-3 * rows[:, 0]))]
    databases = [f"d{i % 30}" for i in range(900)]
    fitted = fit_confidence(list(rows), right, databases)
    assert all((np.diff(w.values) >= 0).all() for w in (fitted.full, *fitted.without))
    threshold = threshold_for(fitted.sure, right, 0.9)
    kept = np.array(right)[fitted.sure >= threshold]
    assert kept.mean() >= 0.88
    assert 0.2 < len(kept) / 900 < 0.8
