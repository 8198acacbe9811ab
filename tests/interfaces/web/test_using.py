"""What people do in a real Chromium: with a script and without, by keys, on paper, with the server away."""

import re
from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.interfaces.web.conftest import shop
from tests.interfaces.web.live import Live, Walker, serving, walking
from tests.interfaces.web.test_answers import ENDLESS, unsure

from fathom.databases.database import Database

PER_CITY = "How many sales are there per city?"


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder = tmp_path_factory.mktemp("used")
    with serving(folder, str(shop(folder))) as served:
        served.ask("shop", PER_CITY)  # what is made once of a database is made
        yield served


@pytest.fixture
def walker(opened: Browser, live: Live) -> Iterator[Walker]:
    with walking(opened, live) as one:
        yield one


def _ask(page: Page, question: str) -> None:
    page.get_by_label("A question to").fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()


def _endless(live: Live) -> str:
    first = live.ask("shop", PER_CITY)
    return live.post(f"/api/a/{first}/sql", sql=ENDLESS)


def test_a_question_is_followed_to_its_answer_on_one_page(walker: Walker) -> None:
    page = walker.page
    walker.go("/ask/shop")
    _ask(page, PER_CITY)
    expect(page.get_by_role("heading", name="Rows 2")).to_be_visible()
    address = page.url
    page.wait_for_load_state()
    expect(page.get_by_role("heading", name=PER_CITY)).to_be_focused()
    page.get_by_label("Follow up on shop").fill("only those of 2015")
    page.get_by_label("Follow up on shop").press("Enter")
    expect(page.get_by_role("heading", name="only those of 2015")).to_be_visible()
    assert page.url != address
    page.get_by_text("1 earlier question").click()
    expect(page.get_by_role("link", name=PER_CITY)).to_be_visible()


def test_what_is_opened_while_an_answer_is_made_stays_open(
    walker: Walker, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = walker.page
    walker.go("/ask/shop")
    _ask(page, PER_CITY)
    expect(page.get_by_role("heading", name="Rows 2")).to_be_visible()
    go_on, state = Event(), Database.state

    def slow(database: Database) -> str:
        assert go_on.wait(60)
        return state(database)

    monkeypatch.setattr(Database, "state", slow)
    page.get_by_label("Follow up on shop").fill("only those of 2015")
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_text("1 earlier question").click()
    expect(page.locator("#job")).to_be_attached()
    expect(page.get_by_role("link", name=PER_CITY)).to_be_visible()
    go_on.set()
    expect(page.get_by_role("cell", name="Bern")).to_be_visible()
    expect(page.get_by_role("link", name=PER_CITY)).to_be_visible()


def test_without_a_script_everything_works_too(opened: Browser, live: Live) -> None:
    with walking(opened, live, java_script_enabled=False) as walker:
        page = walker.page
        walker.go("/ask/shop")
        _ask(page, PER_CITY)
        expect(page.get_by_role("cell", name="Rome")).to_be_visible()
        for heading in ("Rows 2", "Chart"):
            expect(page.get_by_role("heading", name=heading, exact=True)).to_be_visible()
        expect(page.get_by_role("img", name=re.compile("Chart of the rows"))).to_be_visible()
        page.get_by_text("SQL", exact=True).last.click()
        page.get_by_text("Edit and run").click()
        page.get_by_label("The query; it may only read").fill("DELETE FROM sale")
        page.get_by_role("button", name="Run").click()
        expect(page.get_by_text("it would delete rows")).to_be_visible()
        expect(page.get_by_label("Your query")).to_have_value("DELETE FROM sale")


def test_a_page_that_is_left_and_come_back_to_asks_nothing_again(walker: Walker, live: Live) -> None:
    page, before = walker.page, len(live.site.store.history())
    endless = _endless(live)
    walker.go(f"/a/{endless}")
    expect(page.get_by_text("run the query")).to_be_visible()
    walker.go("/history")
    page.go_back()
    page.reload()
    expect(page.get_by_text("run the query")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("Cancelled before there was an answer.")).to_be_visible()
    assert len(live.site.store.history()) == before + 2


def test_what_is_cancelled_or_interrupted_says_so(walker: Walker, live: Live) -> None:
    endless = _endless(live)
    live.api.post(f"/api/a/{endless}/cancel", json={})
    live.finished(endless)
    walker.go(f"/a/{endless}")
    expect(walker.page.get_by_label("Your query")).to_have_value(ENDLESS)
    walker.look("cancelled")


def test_keys(walker: Walker, live: Live) -> None:
    page, keyboard = walker.page, walker.page.keyboard
    walker.go(f"/a/{live.ask('shop', PER_CITY)}")
    keyboard.press("e")
    expect(page.get_by_label("The query; it may only read")).to_be_focused()
    keyboard.type("/?gh")  # letters, while one types
    expect(page.get_by_label("The query; it may only read")).to_have_value(re.compile(r"^/\?gh"))
    walker.go(f"/a/{unsure(live.site)}")
    keyboard.press("2")
    expect(page.get_by_role("radio").nth(1)).to_be_checked()
    keyboard.press("Enter")
    expect(page.get_by_text("A reading that was chosen")).to_be_visible()
    keyboard.press("g")
    keyboard.press("h")
    expect(page.get_by_role("heading", name="History")).to_be_visible()
    keyboard.press("/")
    expect(page.get_by_label("Words of question, answer or SQL")).to_be_focused()
    page.get_by_role("heading", name="History").click()
    keyboard.press("j")
    keyboard.press("j")
    expect(page.locator("[data-list] > li > a").nth(1)).to_be_focused()
    keyboard.press("?")
    page.get_by_label("Use these keys").uncheck()
    page.get_by_role("heading", name="Help").click()
    keyboard.press("g")
    keyboard.press("h")
    expect(page.get_by_role("heading", name="Help")).to_be_visible()


def test_rows_are_sorted(walker: Walker, live: Live) -> None:
    page, first = walker.page, live.ask("shop", PER_CITY)
    id_ = live.finished(live.post(f"/api/a/{first}/sql", sql="SELECT city, amount FROM sale"))
    walker.go(f"/a/{id_}")
    page.get_by_role("button", name="Amount").click()
    assert page.locator("td.n").all_inner_texts() == ["7.00", "9.25", "10.50", "20.00"]
    page.get_by_role("button", name="Amount").click()
    assert page.locator("td.n").first.inner_text() == "20.00"
    expect(page.get_by_role("columnheader", name="Amount")).to_have_attribute("aria-sort", "descending")


def test_a_chart_is_drawn_otherwise_and_stands_on_paper(walker: Walker, live: Live) -> None:
    page = walker.page
    walker.go(f"/a/{live.ask('shop', PER_CITY)}")
    drawn = page.get_by_role("img", name="Chart: ")
    expect(drawn).to_be_visible()
    page.get_by_role("link", name="points").click()
    expect(page.get_by_role("link", name="points")).to_have_attribute("aria-current", "")
    expect(drawn).to_have_count(1)
    page.emulate_media(media="print", color_scheme="dark")
    expect(drawn).to_be_hidden()
    picture = page.locator("picture img")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.currentSrc").endswith("/chart.svg")  # not the dark one
    for shown in ("cell", "columnheader"):
        expect(page.get_by_role(shown).first).to_be_visible()
    expect(page.get_by_text("Export", exact=True)).to_be_hidden()


def test_while_the_server_is_away_the_page_says_so_and_goes_on(walker: Walker, live: Live) -> None:
    page, endless = walker.page, _endless(live)
    page.route("**/events", lambda route: route.abort())
    walker.go(f"/a/{endless}")
    job = page.locator("#job")
    expect(job).to_have_class("job offline")
    assert "can't be reached" in job.evaluate("job => getComputedStyle(job, '::after').content")
    page.unroute("**/events")
    expect(job).to_have_class("job", timeout=20_000)
    live.api.post(f"/api/a/{endless}/cancel", json={})
    expect(page.get_by_text("Cancelled before there was an answer.")).to_be_visible()
    walker.faults[:] = [f for f in walker.faults if "ERR_FAILED" not in f]


def test_where_there_is_nothing_pages_say_how_to_begin(opened: Browser, tmp_path: Path) -> None:
    with serving(tmp_path, runs=tmp_path / "runs") as empty, walking(opened, empty) as walker:
        told = {
            "/": "fathom serve --demo", "/history": "Nothing was asked yet", "/db": "There is no database",
            "/saved": "Nothing is saved", "/board": "Nothing is saved", "/runs": "fathom evaluate",
        }  # fmt: skip
        for path, words in told.items():
            walker.go(path)
            expect(walker.page.get_by_text(words).first).to_be_visible()
            walker.look(f"empty{path.replace('/', ' ')}")
