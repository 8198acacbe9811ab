from typing import Any

import pytest

from fathom.answering.chart import chart_for
from fathom.records import Result


def result(columns: str, *rows: tuple[Any, ...]) -> Result:
    return Result(tuple(columns.split()), rows, "", 0.0)


CASES: list[tuple[Result, str | None]] = [
    (result("country n", ("A", 3), ("B", 9)), "bar"),
    (result("year n", *((2000 + i, i) for i in range(9))), "line"),
    (result("day n", ("2020-01-01", 1), ("2020-01-02", 5)), "line"),
    (result("height weight", *((i, 2 * i) for i in range(9))), "point"),
    (result("year country n", *((2000 + i, c, i) for i in range(4) for c in "ab")), "line"),
    (result("n", (1,), (2,)), None),
    (result("name n", ("A", 3)), None),
    (result("name city", ("A", "B"), ("C", "D")), None),
    (result("name n", *((str(i), i) for i in range(100))), None),
]


@pytest.mark.parametrize(("found", "mark"), CASES)
def test_chooses_the_chart(found: Result, mark: str | None) -> None:
    chart = chart_for(found)
    assert (chart and chart.specification["mark"]["type"]) == mark


def test_names_and_cells_stay_data() -> None:
    chart = chart_for(result("a['x'].b n", ("datum.c0; alert(1)", 1), ("</script>", 2)), "expr: 1")
    assert chart is not None
    fields = [axis["field"] for axis in chart.specification["encoding"].values()]
    assert sorted(fields) == ["c0", "c1"]
    assert chart.specification["data"]["values"][0] == {"c0": "datum.c0; alert(1)", "c1": 1}


def axes(found: Result) -> dict[str, Any]:
    chart = chart_for(found)
    assert chart is not None
    return dict(chart.specification["encoding"])


def test_the_longest_bar_comes_first() -> None:
    assert axes(result("c n", ("A", 1), ("B", 9), ("C", 3)))["y"]["sort"] == "-x"


def test_months_stand_in_the_order_of_the_calendar() -> None:
    found = axes(result("month n", ("May", 4), ("April", 9), ("January", 1)))
    assert found["x"]["sort"] == ["January", "April", "May"]
    weekdays = axes(result("day n", ("Sun", 4), ("Mon", 9), ("Wed", 1)))
    assert weekdays["x"]["sort"] == ["Mon", "Wed", "Sun"]


@pytest.mark.parametrize("cells", [("2021-10", "2021-9"), ("2021-Q3", "2021-Q1"), ("2021-01", None)])
def test_only_periods_make_a_line(cells: tuple[str | None, str | None]) -> None:
    chart = chart_for(result("period n", *((c, 1) for c in cells)))
    assert chart is not None
    assert chart.specification["mark"]["type"] == ("bar" if "2021-9" in cells else "line")


def test_keys_beside_names_are_not_drawn() -> None:
    rows = (("Ann", "Lee", 3), ("Bo", "Ray", 4))
    found = Result(
        ("Person ID", "First name", "Last name", "Number of orders"),
        tuple((i, *row) for i, row in enumerate(rows)),
        "",
        0.0,
    )
    chart = chart_for(found)
    assert chart is not None
    assert chart.specification["data"]["values"] == [{"c0": "Ann Lee", "c1": 3}, {"c0": "Bo Ray", "c1": 4}]
    assert axes(found)["x"]["title"] == "Number of orders"
