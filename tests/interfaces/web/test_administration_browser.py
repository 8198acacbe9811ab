"""The owner's pages in a real Chromium: looked at in every state, and used from end to end."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from tests.interfaces.web.conftest import shop
from tests.interfaces.web.live import Live, Walker, serving, walking


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder = tmp_path_factory.mktemp("owner")
    shop(folder)
    with serving(folder, "demo:biomed", administration=True) as served:
        yield served


@pytest.fixture(scope="module")
def walker(opened: Browser, live: Live) -> Iterator[Walker]:
    with walking(opened, live) as one:
        yield one


def looked_at(walker: Walker, name: str) -> None:
    walker.look(name)
    # Chromium itself notes a page that answers 422.
    faults = [fault for fault in walker.faults if "status of 422" not in fault]
    walker.faults.clear()
    assert not faults, "\n".join(faults)


def test_an_owner_adds_a_database_and_a_user_who_sees_a_part(walker: Walker, live: Live) -> None:
    page, folder = walker.page, live.site.settings.file.parent
    walker.go("/")
    page.get_by_role("link", name="Admin").click()
    looked_at(walker, "administration")
    page.get_by_role("link", name="Add a database").click()
    looked_at(walker, "add a database")
    page.get_by_label("Name", exact=True).fill("my shop")
    page.get_by_label("Where it is").fill("shop.db")
    page.get_by_role("button", name="Show what would change").click()
    expect(page.get_by_role("alert")).to_contain_text("use letters, digits")
    expect(page.get_by_label("Where it is")).to_have_value("shop.db")
    looked_at(walker, "a database that is refused")
    page.get_by_label("Name", exact=True).fill("sales")
    page.get_by_label("Packs").fill("sales.yaml")
    page.get_by_role("button", name="Show what would change").click()
    expect(page.get_by_text('+sales = "shop.db"').first).to_be_visible()
    assert not (folder / "config.toml").exists()
    looked_at(walker, "what would change")
    page.get_by_role("button", name="Write it").click()
    expect(page.get_by_role("cell", name="sales.yaml")).to_be_visible()
    page.get_by_role("link", name="Begin a file of rights").click()
    looked_at(walker, "begin a file of rights")
    page.get_by_role("button", name="Write it").click()
    page.get_by_role("link", name="Add a user").click()
    looked_at(walker, "add a user")
    page.get_by_label("Name", exact=True).fill("anna")
    token = page.get_by_label("Token", exact=True).input_value()
    page.get_by_role("button", name="Show what would change").click()
    page.get_by_role("button", name="Write it").click()
    page.get_by_role("link", name="Add a grant").click()
    looked_at(walker, "add a grant")
    page.get_by_label("To", exact=True).fill("anna")
    page.get_by_label("Databases", exact=True).fill("sales")
    page.get_by_label("Tables", exact=True).fill("sale")
    page.get_by_label("Only these rows").fill("sale: city = 'Rome'")
    page.get_by_role("button", name="Show what would change").click()
    looked_at(walker, "what a grant would change")
    page.get_by_role("button", name="Write it").click()
    expect(page.get_by_role("link", name="To anna")).to_be_visible()
    looked_at(walker, "administration with users")
    page.get_by_role("link", name="The file as text").click()
    looked_at(walker, "the file of rights")
    told = live.api.get("/api/db", headers={"authorization": f"Bearer {token}"}).json()
    assert [one["name"] for one in told["databases"]] == ["sales"]


def test_a_file_that_cannot_be_used_is_told(walker: Walker, live: Live) -> None:
    file: Path = live.site.settings.file
    before = file.read_text(encoding="utf-8")
    file.write_text("[databases", encoding="utf-8")
    walker.go("/admin")
    expect(walker.page.get_by_text("A file has changed and isn't used as it is now")).to_be_visible()
    looked_at(walker, "a file that can't be used")
    file.write_text(before, encoding="utf-8")
    walker.go("/admin")
    expect(walker.page.get_by_text("isn't used as it is now")).to_have_count(0)
