"""A query typed in a real Chromium: names are taken by keys, faults stand at their place."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.interfaces.web.conftest import shop
from tests.interfaces.web.live import Live, Walker, serving, walking


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder = tmp_path_factory.mktemp("typed")
    with serving(folder, str(shop(folder))) as served:
        yield served


@pytest.fixture
def walker(opened: Browser, live: Live) -> Iterator[Walker]:
    with walking(opened, live) as one:
        one.go("/db/shop/sql")
        yield one


def test_names_are_offered_and_taken_by_keys(walker: Walker) -> None:
    page, box = walker.page, walker.page.get_by_label("The query; it may only read")
    names = page.get_by_role("listbox", name="Names that fit")
    box.press_sequentially("SELECT  FROM sa")
    expect(names.get_by_role("option")).to_have_text(["sale table"])
    assert box.get_attribute("aria-activedescendant") == "name-0"
    box.press("Enter")
    expect(names).to_be_hidden()
    expect(box).to_have_value("SELECT  FROM sale")
    box.press("Home")
    for _ in range(7):
        box.press("ArrowRight")
    box.press("Control+Space")
    expect(names.get_by_role("option", name="amount")).to_be_visible()
    box.press("ArrowDown")
    expect(names.get_by_role("option", selected=True)).to_have_text("city sale")
    box.press("ArrowUp")
    box.press("ArrowUp")
    box.press("ArrowDown")
    box.press("ArrowDown")
    box.press("Tab")
    expect(box).to_have_value("SELECT city FROM sale")
    expect(box).to_be_focused()
    box.press("Control+z")
    expect(box).to_have_value("SELECT  FROM sale")
    box.press_sequentially("a")
    expect(names).to_be_visible()
    walker.look_now("names offered")
    box.press("Escape")
    expect(names).to_be_hidden()
    expect(box).to_have_value("SELECT a FROM sale")
    box.press("Tab")
    expect(box).not_to_be_focused()


def test_a_name_is_taken_by_the_pointer(walker: Walker) -> None:
    page, box = walker.page, walker.page.get_by_label("The query; it may only read")
    box.press_sequentially("SELECT * FROM sale WHERE c")
    page.get_by_role("option", name="city").click()
    expect(box).to_have_value("SELECT * FROM sale WHERE city")
    expect(box).to_be_focused()


def test_a_fault_stands_at_its_place(walker: Walker) -> None:
    page, box = walker.page, walker.page.get_by_label("The query; it may only read")
    box.fill("SELECT city\nFROM sael")
    said = "Line 2, column 6: There is no table 'sael'. Did you mean 'sale'?"
    expect(page.get_by_text(said)).to_be_visible()
    expect(page.locator("mark")).to_have_text("sael")
    walker.look("fault")
    page.get_by_role("button", name="Go there").click()
    page.keyboard.type("sale")
    expect(box).to_have_value("SELECT city\nFROM sale")
    expect(page.locator("#sql-fault")).to_be_empty()
    page.get_by_role("button", name="Explain").click()
    expect(page.get_by_text("SCAN sale")).to_be_visible()
    walker.look("explained")
    page.get_by_role("button", name="Format").click()
    expect(box).to_have_value("SELECT\n  city\nFROM sale")
    box.press("Control+Enter")
    expect(page.get_by_role("cell", name="Rome").first).to_be_visible()


def test_without_the_server_it_is_a_plain_box(walker: Walker) -> None:
    page, box = walker.page, walker.page.get_by_label("The query; it may only read")
    page.route("**/api/db/**", lambda route: route.abort())
    box.press_sequentially("SELECT city FROM sale")
    expect(box).to_have_value("SELECT city FROM sale")
    expect(page.get_by_role("listbox")).to_have_count(0)
    page.wait_for_timeout(900)
    expect(page.locator("#sql-fault")).to_be_empty()
    walker.faults[:] = [f for f in walker.faults if "ERR_FAILED" not in f]


def test_the_scripts_of_all_pages_stay_small() -> None:
    import gzip

    import fathom

    folder = Path(fathom.__file__).parent / "interfaces" / "web" / "static"
    sent = {file.name: len(gzip.compress(file.read_bytes())) for file in folder.glob("*.js")}
    assert sum(sent.values()) < 30_000, sent
