"""The pages of people's work in a real Chromium: nothing keeps people out, and drafts keep themselves."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser
from tests.interfaces.web.conftest import shop
from tests.interfaces.web.live import Live, browser, serving, walking

from fathom.authoring.annotation.flow import advance
from fathom.authoring.annotation.queue import next_work
from fathom.authoring.annotation.records import PersonRole, Project, Settling, WorkKind
from fathom.authoring.annotation.responses import latest, save
from fathom.authoring.annotation.store import NewItem, Reviews
from fathom.authoring.annotation.workbench import Workbench

COUNT = "SELECT city, COUNT(*) FROM sale GROUP BY city"


@pytest.fixture(scope="module")
def opened() -> Iterator[Browser]:
    with browser() as one:
        yield one


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder = tmp_path_factory.mktemp("review")
    with serving(folder, str(shop(folder))) as served:
        yield served


@pytest.fixture(scope="module")
def tokens(live: Live) -> dict[str, str]:
    """People at work in every kind of project, with a conflict and a settled item."""
    settings = live.site.settings
    with Reviews(settings.review) as reviews, Workbench(settings) as bench:
        people = {name: reviews.add_person(name, PersonRole.ANNOTATOR) for name in ("ann", "ben")}
        people["eve"] = reviews.add_person("eve", PersonRole.EXPERT)
        databases = {"shop": str(Path(live.site.databases["shop"]))}
        for kind in WorkKind:
            settled = Settling.EXPERT if kind is WorkKind.SQL else Settling.NONE
            project = Project(id=kind, kind=kind, title=f"The shop: {kind}", guideline="Be *exact*.",
                              databases=databases, settled_by=settled)  # fmt: skip
            reviews.add_project(project)
            shown: dict[str, Any] = {"A": "It went up.", "B": "It went down."}
            if kind in (WorkKind.ANSWER, WorkKind.SUSPECT):
                shown = {"answer": "It went up.", "gold": [COUNT], "findings": [{"kind": "gold_empty"}]}
            asked = [NewItem(name=f"q{i}", question=f"How many sales are there per city, {i}?",
                             database="shop", shown=shown) for i in range(4)]  # fmt: skip
            reviews.add_items(project, asked, "test")
        project = reviews.project("sql")
        for name, other in (("ann", COUNT), ("ben", "SELECT city, COUNT(*) + 1 FROM sale GROUP BY city")):
            for _ in range(3):
                given = next_work(reviews, project, people[name][0])
                assert given is not None
                same = reviews.item(given.item).name == "q0"
                said = {"sql": COUNT if same else other, "difficulty": [1, 2, 1, 3]}
                save(reviews, given, said, submit=True, active_seconds=30)
        advance(reviews, bench, project)
        return {name: token for name, (_, token) in people.items()}


def test_every_page_of_the_flow(opened: Browser, live: Live, tokens: dict[str, str]) -> None:
    with walking(opened, live) as owner:
        for name, path in (
            ("home", "/review"),
            ("project", "/review/p/sql"),
            ("figures", "/review/p/sql/figures"),
        ):
            owner.go(path)
            owner.look(f"review owner {name}")
    with walking(opened, live) as eve:
        eve.page.context.clear_cookies()
        eve.go(f"/?t={tokens['eve']}")
        eve.go("/review/p/sql")
        eve.look("review expert project")
        eve.page.locator("#conflicts ~ ol a").first.click()
        eve.look("review expert item")
    with walking(opened, live) as ann:
        ann.page.context.clear_cookies()
        ann.go(f"/?t={tokens['ann']}")
        ann.look("review annotator home")
        for kind in WorkKind:
            ann.go(f"/review/p/{kind}")
            ann.page.get_by_role("button", name="Next item").click()
            if kind is WorkKind.SQL:
                ann.page.get_by_label("The query that answers it").fill(COUNT)
                ann.page.get_by_role("button", name="Run").click()
                ann.page.get_by_role("heading", name="What it gives").wait_for()
            ann.look(f"review work {kind}")
            ann.go(f"/review/p/{kind}")
            ann.look(f"review annotator project {kind}")


def test_a_draft_keeps_itself(opened: Browser, live: Live, tokens: dict[str, str]) -> None:
    with walking(opened, live) as ben:
        ben.page.context.clear_cookies()
        ben.go(f"/?t={tokens['ben']}")
        ben.page.clock.install()
        ben.go("/review/p/sql")
        ben.page.get_by_role("button", name="Next item").click()
        ben.page.get_by_label("The query that answers it").fill("SELECT 'half of it")
        ben.page.clock.run_for(25_000)
        ben.page.get_by_text("Draft kept").wait_for()
        work = ben.page.url.partition("/review/w/")[2]
    with Reviews(live.site.settings.review) as reviews:
        kept = latest(reviews, work)
        assert kept is not None
        assert kept.body["sql"] == "SELECT 'half of it"
        assert not kept.submitted
        assert kept.active_seconds > 5
