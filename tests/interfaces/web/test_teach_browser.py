"""The pages of teaching in a real Chromium, with a script: one way through them all, looked at on the way."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from tests.interfaces.web.conftest import HOSTILE, shop
from tests.interfaces.web.live import Walker, serving, walking
from tests.interfaces.web.test_answers import unsure

QUESTION = "Which place sells best?"
SQL = "SELECT city, SUM(amount) AS sold FROM sale GROUP BY city ORDER BY sold DESC"


@pytest.fixture
def walker(opened: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Walker]:
    folder = tmp_path_factory.mktemp("teaching")
    with serving(folder, str(shop(folder))) as live, walking(opened, live) as one:
        yield one


def test_from_an_answer_to_a_lesson_and_back(walker: Walker) -> None:
    page, live = walker.page, walker.live
    walker.go(f"/a/{live.ask('shop', QUESTION)}")
    page.locator("summary", has_text="…").click()
    page.get_by_role("link", name="Teach").click()
    for one in page.locator("summary:visible").all()[1:]:
        one.click()
    walker.look("teach")
    expect(page.locator("#example-question")).to_have_value(QUESTION)
    page.locator("#example-sql").fill("SELECT nothing FROM sale")
    page.get_by_role("button", name="Try it").first.click()
    expect(page.get_by_text("can't be learned:")).to_be_visible()
    walker.look("teach mended")
    page.locator("#example-sql").fill(SQL)
    page.get_by_role("button", name="Try it").first.click()
    expect(page.get_by_role("heading", name="In the file of lessons")).to_be_visible()
    walker.look("teach tried")
    page.get_by_role("button", name="Keep it").click()
    expect(page.get_by_text("Kept.")).to_be_visible()
    walker.look("teach kept")
    page.get_by_role("button", name="Ask the question again").click()
    expect(page.get_by_text("Answered as this question was solved before.")).to_be_visible()
    walker.go("/db/shop/teach")
    walker.look("taught")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Nothing yet.")).to_be_visible()


def test_a_reading_and_what_contradicts_it(walker: Walker) -> None:
    page, live = walker.page, walker.live
    for _ in range(2):
        walker.go(f"/db/shop/teach?answer={unsure(live.site)}")
        walker.look("teach reading")
        page.get_by_role("button", name="Try this reading").first.click()
        page.get_by_role("button", name="Keep it").click()
        expect(page.get_by_text("Kept.")).to_be_visible()
    page.go_back()
    walker.go(f"/db/shop/teach?answer={unsure(live.site)}")
    page.get_by_role("button", name="Try this reading").last.click()
    expect(page.get_by_role("button", name="Keep it all the same")).to_be_visible()
    walker.look("teach contradicted")


def test_long_and_hostile_texts_fit(walker: Walker) -> None:
    page = walker.page
    walker.go("/db/shop/teach")
    page.locator("#example-question").fill(HOSTILE.replace("\n", " ") + "w" * 300)
    page.locator("#example-sql").fill(f"SELECT '{'x' * 300}' AS {'y' * 60}")
    page.get_by_role("button", name="Try it").first.click()
    page.get_by_role("button", name="Keep it").click()
    expect(page.get_by_text("Kept.")).to_be_visible()
    walker.look("teach long")
    walker.go("/db/shop/teach")
    walker.look("taught long")
