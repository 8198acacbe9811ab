"""Saved questions in a real Chromium: their forms, boards, links and times."""

from collections.abc import Iterator
from time import monotonic, sleep

import pytest
from playwright.sync_api import Browser, expect
from tests.interfaces.web.conftest import shop
from tests.interfaces.web.live import Live, Walker, serving, walking

QUERY = "SELECT year, sum(amount) AS total FROM sale WHERE city = 'Bern' AND amount > 1 GROUP BY year"

ALLOWED = {
    "embed_in": ("https://intranet.example.org",),
    "destinations": {"anna": "mailto:anna@example.org", "team": "http://127.0.0.1:1/hook"},
}
LARGEST = "SELECT id, year, amount FROM sale WHERE city = 'Bern' ORDER BY amount DESC"
PER_CITY = "SELECT city, count(*) AS number FROM sale GROUP BY city"


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder = tmp_path_factory.mktemp("saved")
    with serving(folder, str(shop(folder)), **ALLOWED) as served:
        served.site.profile("shop", within=30)
        made = served.finished(served.post("/api/db/shop/sql", sql=QUERY, title="Sales of a city"))
        served.post(f"/api/a/{made}/save", title="Sales of a city", tag="sales")
        for title, sql in (("Per city", PER_CITY), ("Largest of a city", LARGEST)):
            made = served.finished(served.post("/api/db/shop/sql", sql=sql, title=title))
            served.post(f"/api/a/{made}/save", title=title, tag="sales")
        yield served


@pytest.fixture
def walker(opened: Browser, live: Live) -> Iterator[Walker]:
    with walking(opened, live) as one:
        yield one


def test_a_condition_becomes_a_field_and_its_value_a_part_of_the_address(walker: Walker) -> None:
    page = walker.page
    walker.go("/saved/sales-of-a-city")
    page.get_by_text("Ask for values of its conditions").click()
    page.get_by_label("Name for city is Bern").fill("City")
    page.get_by_label("Kind of city is Bern").select_option("choice")
    page.get_by_label("Name for amount over 1").fill("Least amount")
    walker.look("values defined")
    page.get_by_role("button", name="Keep").click()
    page.get_by_label("City", exact=True).select_option("Rome")
    page.get_by_role("button", name="Run").click()
    expect(page.get_by_role("cell", name="9.25")).to_be_visible()
    assert "v.City=Rome" in page.url
    walker.look("values given")
    page.reload()
    expect(page.get_by_label("City", exact=True)).to_have_value("Rome")
    page.goto(page.url.replace("Rome", "Oslo"))
    expect(page.get_by_text("It wasn't asked with these values yet.")).to_be_visible()


def test_a_board_has_one_filter_and_is_refreshed_by_request(walker: Walker, live: Live) -> None:
    for slug in ("sales-of-a-city", "largest-of-a-city"):
        found = live.api.get(f"/api/saved/{slug}").json()["places"]
        city = next(p["value"]["place"] for p in found if p["value"]["column"] == "city")
        body = {"place": [city], "name": ["City"], "kind": ["choice"]}
        assert live.api.post(f"/api/saved/{slug}/parameters", json=body).status_code == 201
    page = walker.page
    walker.go("/board?tag=sales")
    walker.look("board")
    page.get_by_label("City", exact=True).select_option("Rome")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("cell", name="9.25")).to_have_count(2)
    walker.look("board filtered")
    before = live.api.get("/api/history").json()["entries"][0]["number"]
    walker.go("/board?tag=sales")
    page.get_by_label("each time it is opened").check()
    walker.go("/board?tag=sales")
    expect(page.get_by_label("each time it is opened")).to_be_checked()
    until = monotonic() + 20
    while live.api.get("/api/history").json()["entries"][0]["number"] == before:
        assert monotonic() < until
        sleep(0.1)
    expect(page.get_by_text("this page follows")).to_have_count(0)
    after = live.api.get("/api/history").json()["entries"][0]["number"]
    page.reload()  # not twice within a minute
    sleep(0.5)
    assert live.api.get("/api/history").json()["entries"][0]["number"] == after


def test_a_link_is_made_and_opened_by_a_stranger(walker: Walker, live: Live, opened: Browser) -> None:
    page = walker.page
    id_ = live.ask("shop", "How many sales are there per city?")
    walker.go(f"/a/{id_}")
    page.get_by_text("Share", exact=True).click()
    page.get_by_label("A link for whoever has it").select_option("30 days")
    page.get_by_label("may show it").check()
    walker.look_now("link to be made")
    page.get_by_role("button", name="Make a link").click()
    walker.look("link made")
    link = page.get_by_label("Link", exact=True).input_value()
    with walking(opened, live, java_script_enabled=True) as stranger:
        stranger.page.context.clear_cookies()
        stranger.page.goto(link)
        expect(stranger.page.get_by_role("cell", name="Rome")).to_be_visible()
        expect(stranger.page.get_by_role("link")).to_have_count(0)
        stranger.look("link opened")
    walker.go(f"/a/{id_}")
    page.get_by_text("Share", exact=True).click()
    walker.look_now("links of an answer")
    page.get_by_role("button", name="End it").click()
    page.goto(link)
    expect(page.get_by_role("heading", name="No such link")).to_be_visible()
    walker.look("link ended")
    walker.faults[:] = [f for f in walker.faults if "status of 404" not in f]


def test_a_saved_question_is_sent_by_itself(walker: Walker) -> None:
    page = walker.page
    walker.go("/saved/per-city")
    page.get_by_text("Send it by mail or to a webhook").click()
    page.get_by_label("To", exact=True).select_option("team")
    page.get_by_label("Each", exact=True).select_option("week")
    page.get_by_label("Day, for weeks").select_option("Friday")
    page.get_by_label("When", exact=True).select_option("a number is over")
    page.get_by_label("Over or under").fill("1")
    page.get_by_label("The number's column").select_option("Number")
    walker.look("schedule made")
    page.get_by_role("button", name="Send it so").click()
    expect(page.get_by_text("To team, each Friday at 07:00 UTC, when Number is over 1.")).to_be_visible()
    page.get_by_role("button", name="Send now").click()
    expect(page.get_by_text("to be tried again")).to_have_count(0)
    until = monotonic() + 30
    while not page.get_by_text("wasn't reached").count():
        assert monotonic() < until
        sleep(0.3)
        page.reload()
    walker.look("schedule tried")
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_text("To team")).to_have_count(0)
