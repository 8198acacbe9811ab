"""A running server goes by what the settings and the rights say by now."""

import sqlite3
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from tests.interfaces.web.conftest import HOST, ORIGIN, TOKEN, finished, shop

from fathom.answering.store import Store
from fathom.config import read_settings
from fathom.interfaces.web.site import Rules, Site, addresses
from fathom.interfaces.web.users import Gate

WHOLE = {"authorization": f"Bearer {TOKEN}".encode()}


@pytest.fixture
def settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "config.toml"
    shop(tmp_path)
    file.write_text('[databases]\nshop = "shop.db"\n', encoding="utf-8")
    monkeypatch.setenv("FATHOM_CONFIG", str(file))
    monkeypatch.setenv("FATHOM_STORE", str(tmp_path / "fathom.sqlite"))
    return file


@pytest.fixture
def running(settings_file: Path) -> Iterator[TestClient]:
    settings = read_settings()
    rules = Rules(TOKEN, frozenset({HOST}), frozenset({ORIGIN}))
    site = Site(settings, rules, Store(settings.store), addresses((), settings))
    with TestClient(Gate(site), base_url=ORIGIN, headers=WHOLE) as client:  # type: ignore[arg-type]
        yield client


def names(client: TestClient) -> list[str]:
    return [one["name"] for one in client.get("/api/db").json()["databases"]]


def counted(client: TestClient, database: str, question: str) -> str:
    asked = client.post(f"/api/ask/{database}", json={"question": question})
    assert asked.status_code == 201, asked.text
    said: str = finished(client, asked.json()["id"])["answer"]["answer"]
    return said


def test_databases_of_the_settings_come_move_and_go(running: TestClient, settings_file: Path) -> None:
    assert counted(running, "shop", "How many sales are there?") == "4 sales."
    other = settings_file.with_name("other.db")
    with sqlite3.connect(other) as made:
        made.execute("CREATE TABLE sale (id INTEGER PRIMARY KEY, city TEXT)")
        made.execute("INSERT INTO sale (city) VALUES ('Oslo')")
    made.close()
    settings_file.write_text('[databases]\nshop = "shop.db"\nother = "other.db"\n', encoding="utf-8")
    assert names(running) == ["shop", "other"]
    assert counted(running, "other", "How many sales are there?") == "1 sale."
    settings_file.write_text('[databases]\nshop = "other.db"\n', encoding="utf-8")
    assert names(running) == ["shop"]
    assert counted(running, "shop", "How many sales are there?") == "1 sale."


def test_a_pack_that_the_settings_name_is_used_at_once(running: TestClient, settings_file: Path) -> None:
    assert "glossary" in running.get("/api/db/shop/knowledge").json()["known"]
    assert not running.get("/api/db/shop/knowledge").json()["known"]["tables"]
    settings_file.with_name("shop.yaml").write_text("tables: {sale: {description: What was sold}}")
    settings_file.write_text(settings_file.read_text() + '[packs]\nshop = "shop.yaml"\n', encoding="utf-8")
    known = running.get("/api/db/shop/knowledge").json()["known"]
    assert known["tables"]["sale"]["description"] == "What was sold"


def test_settings_that_cannot_be_read_change_nothing(running: TestClient, settings_file: Path) -> None:
    settings_file.write_text("[databases", encoding="utf-8")
    assert names(running) == ["shop"]
    settings_file.unlink()
    assert names(running) == ["shop"]
    settings_file.write_text('[databases]\nsales = "shop.db"\n', encoding="utf-8")
    assert names(running) == ["sales"]


def test_rights_that_the_settings_name_let_users_in(running: TestClient, settings_file: Path) -> None:
    anna = {"authorization": "Bearer of-anna"}
    assert running.get("/api/db", headers=anna).status_code == 401
    digest = sha256(b"of-anna").hexdigest()
    settings_file.with_name("rights.toml").write_text(
        f'[users.anna]\ntoken = "sha256:{digest}"\n'
        '[[grants]]\nto = ["anna"]\ndatabases = ["shop"]\ntables = ["sale"]\n',
        encoding="utf-8",
    )
    settings_file.write_text('rights = "rights.toml"\n' + settings_file.read_text(), encoding="utf-8")
    told = running.get("/api/db/shop", headers=anna)
    assert [table["name"] for table in told.json()["tables"]] == ["sale"]
    assert len(running.get("/api/db/shop").json()["tables"]) == 2  # the server's token still lets in to all


def test_rights_that_the_settings_name_no_more_hold_until_the_server_ends(
    running: TestClient, settings_file: Path
) -> None:
    anna = {"authorization": "Bearer of-anna"}
    digest = sha256(b"of-anna").hexdigest()
    settings_file.with_name("rights.toml").write_text(f'[users.anna]\ntoken = "sha256:{digest}"\n', "utf-8")
    plain = settings_file.read_text()
    settings_file.write_text(f'rights = "rights.toml"\n{plain}', encoding="utf-8")
    assert running.get("/api/db", headers=anna).json()["databases"] == []
    settings_file.write_text(plain, encoding="utf-8")
    assert running.get("/api/db", headers=anna).json()["databases"] == []
