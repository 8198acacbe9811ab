"""What pages do by their script: runs are followed, rows are sorted by value."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from filelock import FileLock
from playwright.sync_api import Browser, Page, expect
from tests.interfaces.web.conftest import shop
from tests.interfaces.web.live import Live, Walker, serving, walking
from tests.reports.stored import make_run


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder = tmp_path_factory.mktemp("live")
    make_run(folder / "runs" / "going", seed=1, count=5)
    with closing(sqlite3.connect(folder / "sizes.db")) as made, made:
        for rows in (1_200, 5, 30):
            made.execute(f"CREATE TABLE of_{rows} (n)")
            made.executemany(f"INSERT INTO of_{rows} VALUES (?)", ((n,) for n in range(rows)))
    named = (str(shop(folder)), str(folder / "sizes.db"))
    with serving(folder, *named, runs=folder / "runs") as served:
        yield served


@pytest.fixture(scope="module")
def walker(opened: Browser, live: Live) -> Iterator[Walker]:
    with walking(opened, live) as one:
        yield one


def test_the_page_of_runs_follows_a_run(walker: Walker, live: Live, tmp_path: Path) -> None:
    folder, page = live.site.rules.runs / "going", walker.page
    with FileLock(folder / "run.lock"):
        walker.go("/runs")
        expect(page.get_by_text("A run is going on")).to_be_visible()
        make_run(tmp_path / "more", seed=1, count=8)
        shutil.copy(tmp_path / "more" / "records.jsonl", folder / "records.jsonl")
        expect(page.get_by_role("row", name="going")).to_contain_text("8 running")
    expect(page.get_by_text("A run is going on")).to_have_count(0)


def column(page: Page, number: int = 1) -> list[str]:
    """A column of the rows, from above."""
    return page.locator(f"table.sortable tbody td:nth-child({number})").all_inner_texts()


def test_numbers_that_are_shown_with_commas_are_sorted_as_numbers(walker: Walker) -> None:
    walker.go("/db/sizes")
    head = walker.page.get_by_role("button", name="Rows")
    for order in (["5", "30", "1,200"], ["1,200", "30", "5"]):
        head.click()
        assert column(walker.page, 2) == order


@pytest.mark.parametrize(
    ("values", "up", "down"),
    [
        (
            "3, NULL, 1, NULL, 2, -5, 10",
            ["-5", "1", "2", "3", "10", "not known", "not known"],
            ["10", "3", "2", "1", "-5", "not known", "not known"],
        ),
        ("NULL, 3, -10, 0.5", ["-10", "0.5", "3", "not known"], ["3", "0.5", "-10", "not known"]),
        ("'b', NULL, 'a10', 'a9'", ["a9", "a10", "b", "not known"], ["b", "a10", "a9", "not known"]),
    ],
    ids=["with some not known", "first not known", "texts"],
)
def test_rows_are_sorted_by_value(
    walker: Walker, live: Live, values: str, up: list[str], down: list[str]
) -> None:
    sql = " UNION ALL ".join(f"SELECT {value} AS v" for value in values.split(", "))
    walker.go(f"/a/{live.finished(live.post('/api/db/shop/sql', sql=sql, title='Values'))}")
    head = walker.page.locator("table.sortable").get_by_role("button", name="v")
    for order in (up, down, up):
        head.click()
        assert column(walker.page) == order
