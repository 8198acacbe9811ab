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


def test_bars_keep_the_order_of_the_query() -> None:
    sorted_bars = chart_for(result("c n", ("A", 9), ("B", 3)))
    unsorted = chart_for(result("c n", ("A", 1), ("B", 9), ("C", 3)))
    assert sorted_bars is not None
    assert unsorted is not None
    assert sorted_bars.specification["encoding"]["y"]["sort"] is None
    assert unsorted.specification["encoding"]["y"]["sort"] == "-x"
