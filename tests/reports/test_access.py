"""The page under axe-core, in light and dark, wide and narrow: nothing may keep people from reading it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, ViewportSize

from fathom.reports.report_files import write_report
from tests.interfaces.web.live import browser
from tests.reports.stored import judge, make_run


@pytest.fixture(scope="module")
def opened() -> Iterator[Browser]:
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of two runs with every chapter that records and judges can give."""
    folder = tmp_path_factory.mktemp("report")
    runs = [make_run(folder / name, seed=seed, method=name) for name, seed in (("first", 1), ("second", 2))]
    for run in runs:
        judge(run)
    judge(runs[0], "ann", person=True)
    write_report(runs, folder / "r.html")
    return folder / "r.html"


@pytest.mark.share(1 / 4)
@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(
    opened: Browser, page_file: Path, scheme: Literal["light", "dark"], width: int
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    # The page's own policy lets no other script run; axe has to.
    size: ViewportSize = {"width": width, "height": 900}
    context = opened.new_context(color_scheme=scheme, viewport=size, bypass_csp=True)
    page = context.new_page()
    page.goto(page_file.as_uri())
    page.evaluate("document.querySelectorAll('figure details').forEach((one) => { one.open = true; })")
    for summary in page.query_selector_all(".question > summary")[:3]:
        summary.click()
    page.wait_for_selector(".answer pre")
    found = Axe().run(page).response["violations"]
    context.close()
    assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found] == []


def test_every_chart_has_its_table_and_every_table_its_caption(opened: Browser, page_file: Path) -> None:
    page = opened.new_page()
    page.goto(page_file.as_uri())
    figures = page.query_selector_all("figure")
    assert len(figures) >= 10
    assert all(f.query_selector("table caption") and f.query_selector_all("tbody tr") for f in figures)
    tables = page.query_selector_all("main table")
    assert all(t.query_selector("caption") and t.query_selector("th[scope]") for t in tables)
    page.close()


def test_outcomes_are_told_in_signs_and_words(opened: Browser, page_file: Path) -> None:
    page = opened.new_page()
    page.goto(page_file.as_uri())
    told = {one.inner_text() for one in page.query_selector_all(".question .o")}
    assert {"✓", "✗", "!"} <= {text.split()[0][-1] for text in told}
    page.select_option("#class", "BIRD: database content")
    assert page.inner_text("#told").startswith("16 questions")
    page.select_option("#class", "BiomedSQL: incorrect threshold")
    assert page.inner_text("#told").startswith("16 questions")
    page.click(".question > summary")
    page.wait_for_selector(".answer pre")
    assert "BiomedSQL: incorrect threshold" in page.inner_text(".answer")
    page.close()
