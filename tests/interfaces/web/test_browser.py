"""The pages in a real Chromium: nothing that keeps people out, no fault in the console, no policy broken."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.biotools.conftest import quick
from tests.interfaces.web.conftest import ODD, TOKEN, shop
from tests.interfaces.web.live import PICTURES, Live, Walker, serving, walking
from tests.interfaces.web.test_answers import ENDLESS, unsure
from tests.reports.stored import make_run

from fathom.answering.store import Standing
from fathom.biotools.client import Client
from fathom.biotools.loopback import Loopback
from fathom.databases.sqlite import SQLite
from fathom.records import Question

CHART = "How many drugs are there per molecular type?"


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder = tmp_path_factory.mktemp("live")
    for number, name in enumerate(("first", "second"), start=1):
        make_run(folder / "runs" / name, seed=2 * number - 1)
    with Loopback() as server, Client(quick(folder / "kept", server)) as tools:
        named = ("demo:biomed", str(shop(folder)))
        with serving(folder, *named, is_demo=True, tools=tools, runs=folder / "runs") as served:
            yield served


@pytest.fixture(scope="module")
def answers(live: Live) -> dict[str, str]:
    """An answer in every state, by the name of the state."""
    site, made = live.site, {}
    made["sure"] = live.ask("biomed", CHART)
    made["one number"] = live.ask("biomed", "How many drugs have been withdrawn?")
    made["unsure"] = unsure(site)
    made["unknown"] = live.ask("biomed", "What will the weather be tomorrow?")
    failed, _ = site.store.begin(Question("Which drugs cure everything?"), "biomed")
    site.store.fail(failed.id, Standing.FAILED, "The database could not be opened.", seconds=0.2)
    made["failed"] = failed.id
    conversation = live.api.get(f"/api/a/{made['sure']}").json()["entry"]["conversation"]
    made["follow-up"] = live.ask("biomed", "only those approved", conversation=conversation)
    made["conversation"] = conversation
    first = live.ask("shop", "How many sales are there per city?")
    made["edited"] = live.finished(live.post(f"/api/a/{first}/sql", sql=f"SELECT * FROM sale, {ODD}"))
    made["refused"] = live.finished(live.post(f"/api/a/{first}/sql", sql="DROP TABLE sale"))
    made["wide"] = live.finished(
        live.post(f"/api/a/{made['sure']}/sql", sql="SELECT * FROM DrugTargets_UsesAndDosages LIMIT 30")
    )
    made["asking"] = live.post(f"/api/a/{first}/sql", sql=ENDLESS)
    live.post(f"/api/a/{made['sure']}/save", title="Drugs per type", tag="overview")
    live.post(f"/api/a/{made['one number']}/save", title="Withdrawn", tag="overview")
    live.post(f"/api/a/{made['sure']}/feedback", verdict="right")
    return made


PAGES: dict[str, str] = {
    "home": "/",
    "ask": "/ask/biomed",
    "ask filled": "/ask/biomed?q=How+many+drugs+are+there%3F",
    **{
        state: f"/a/{{{state}}}"
        for state in (
            "asking", "sure", "one number", "unsure", "unknown", "failed", "follow-up", "edited", "refused",
            "wide",
        )
    },
    "sure opened": "/a/{sure}",
    "sure chart": "/a/{sure}",
    "conversation": "/c/{conversation}",
    "history": "/history",
    "history found": "/history?q=drugs&status=sure",
    "history without a find": "/history?q=zebra",
    "saved": "/saved",
    "saved question": "/saved/drugs-per-type",
    "board": "/board?tag=overview",
    "databases": "/db",
    "database": "/db/biomed",
    "database without joins": "/db/shop?q=zebra",
    "table": "/db/biomed/t/DrugTargets_UsesAndDosages",
    "write SQL": "/db/biomed/sql",
    "knowledge": "/db/biomed/knowledge",
    "nothing known": "/db/shop/knowledge",
    "pack": "/db/biomed/knowledge/1",
    "tools": "/tools",
    "tool": "/tools/get_ld_region?species=goat",
    "tool called": "/tools/get_ld_region?species=goat",
    "tool called wrongly": "/tools/get_ld_region",
    "tools asked": "/tools",
    "runs": "/runs",
    "run": "/runs/first",
    "run question": "/run-question?run=first&id=1",
    "compare": "/compare?run=first&run=second",
    "compare nothing": "/compare",
    "help": "/help",
}  # fmt: skip


def _wait_for_a_step(page: Page) -> None:
    expect(page.locator("#job li").first).to_be_visible()


def _open_all(page: Page) -> None:
    """Whatever can be opened, so that it is looked at too."""
    page.evaluate("document.querySelectorAll('details:not(.menu)').forEach((one) => { one.open = true; })")
    for menu in ("Save", "Share", "More", "No", "Export"):  # each closes the one before
        page.locator("summary", has_text=menu if menu != "More" else "…").first.click()
        expect(page.locator(".panel:visible")).to_have_count(1)
    expect(page.get_by_label("The query; it may only read")).to_be_visible()


def _see_chart(page: Page) -> None:
    expect(page.get_by_role("img", name="Chart").locator("path").first).to_be_visible()


def _call(page: Page) -> None:
    page.get_by_label("region").fill("chr29:707,234-757,234")
    page.get_by_label("population_name").fill("NextGen goats")
    page.get_by_role("button", name="Call").click()
    expect(page.get_by_role("heading", name="What it gave")).to_be_visible()


def _call_wrongly(page: Page) -> None:
    page.get_by_label("species").fill("gaot")
    page.get_by_label("region").fill("chr29")
    page.get_by_label("population_name").fill("no such")
    page.get_by_role("button", name="Call").click()
    expect(page.get_by_text("Nothing was sent")).to_be_visible()


def _ask_tools(page: Page) -> None:
    page.get_by_label("A question to them").fill(
        "Which phenotypes are associated with the gene BRCA2 in human?"
    )
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_role("heading", name="Calls")).to_be_visible()


FIRST: dict[str, Callable[[Page], None]] = {
    "tool called": _call, "tool called wrongly": _call_wrongly, "tools asked": _ask_tools,
    "asking": _wait_for_a_step, "sure opened": _open_all, "sure chart": _see_chart
}  # fmt: skip
"""What is done on a page before it is looked at."""


@pytest.fixture(scope="module")
def walker(opened: Browser, live: Live) -> Iterator[Walker]:
    with walking(opened, live) as one:
        yield one


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_no_fault_in_light_dark_and_narrow(
    walker: Walker, answers: dict[str, str], name: str
) -> None:
    walker.go(PAGES[name].format(**answers))
    if name in FIRST:
        FIRST[name](walker.page)
    walker.look(name)
    faults, walker.faults[:] = list(walker.faults), []
    assert not faults, "\n".join(faults)


def test_the_size_of_a_query_is_told_before_it_runs(walker: Walker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SQLite, "tells_size", True)
    monkeypatch.setattr(SQLite, "estimate", lambda *_: 12_345_678_900)
    walker.go("/db/shop/sql")
    query = walker.page.get_by_label("The query; it may only read")
    query.fill("SELECT city FROM sale")
    walker.page.get_by_role("button", name="Explain").click()
    expect(walker.page.get_by_text("The query would read about 12.3 GB.")).to_be_visible()
    expect(query).to_have_value("SELECT city FROM sale")
    walker.look("query explained")
    faults, walker.faults[:] = list(walker.faults), []
    assert not faults, "\n".join(faults)
    walker.page.get_by_role("button", name="Run").click()
    expect(walker.page.get_by_role("cell", name="Rome").first).to_be_visible()


def test_what_is_not_there_and_who_is_not_let_in(walker: Walker, live: Live, opened: Browser) -> None:
    walker.go("/a/nothing")
    walker.look("not found")
    # Chromium itself notes a page that answers 404.
    walker.faults[:] = [f for f in walker.faults if "status of 404" not in f]
    with walking(opened, live) as stranger:
        stranger.page.context.clear_cookies()
        stranger.go("/history")
        stranger.look("not let in")
        stranger.faults[:] = [f for f in stranger.faults if "status of 401" not in f]
        stranger.page.get_by_label("Token").fill(TOKEN)
        stranger.page.get_by_role("button", name="Log in").click()
        expect(stranger.page.get_by_role("heading", name="Ask your data")).to_be_visible()


README_PICTURE = Path("docs/images/answer.png")


def test_the_picture_in_the_readme_is_an_answer_of_the_sample(
    opened: Browser, live: Live, answers: dict[str, str], tmp_path: Path
) -> None:
    with walking(opened, live) as walker:
        walker.page.set_viewport_size({"width": 960, "height": 560})
        walker.go(f"/a/{answers['sure']}")
        _see_chart(walker.page)
        taken = README_PICTURE if PICTURES else tmp_path / "answer.png"
        walker.page.screenshot(path=taken)
    # The letters of another machine are other pixels; what must hold is that the page is still of this kind.
    assert 0.3 < taken.stat().st_size / README_PICTURE.stat().st_size < 3
    assert README_PICTURE.stat().st_size < 150_000
    for page in ("README.md", "docs/browser.md"):
        assert "images/answer.png" in Path(page).read_text(encoding="utf-8")
