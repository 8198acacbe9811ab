"""The owner's pages: what they write, who gets there, and what the server and the commands make of it."""

import json
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.command import Fathom
from tests.interfaces.web.conftest import HOST, ORIGIN, TOKEN, finished, shop

from fathom.answering.store import Store
from fathom.config import read_settings
from fathom.interfaces.web.site import Rules, Site, addresses
from fathom.interfaces.web.users import Gate
from fathom.rights import read_rights

SETTINGS = """\
# kept by Ann
data = "bench"   # where the benchmarks are

# what is asked
[databases]
# the shop
shop = "shop.db"  # SQLite
remote = 'postgresql://reader:geheim@localhost:1/sales'

# what is known
[packs]
shop = ["shop.yaml"]
"""
RIGHTS = """\
# who works here
[users.anna]
token = "sha256:{anna}"  # since May
[users.ben]

[groups]
sellers = ["anna"]  # and nobody else

# the sellers
[[grants]]
to = ["sellers"]
databases = ["shop"]
tables = ["sale"]

[grants.rows]
sale = "city = 'Rome'"  # for now

# ben alone
[[grants]]
to = ["ben"]
databases = ["shop"]
tables = ["*"]
"""
OWNER = {"authorization": f"Bearer {TOKEN}".encode()}
ANNA = {"authorization": "Bearer of-anna"}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the settings, with a shop and its pack."""
    shop(tmp_path)
    with sqlite3.connect(tmp_path / "other.db") as made:
        made.execute("CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT)")
        made.execute("INSERT INTO boat (name) VALUES ('Ida'), ('Otto')")
    made.close()
    (tmp_path / "shop.yaml").write_text("tables: {sale: {description: What was sold}}", encoding="utf-8")
    (tmp_path / "config.toml").write_text(SETTINGS, encoding="utf-8")
    (tmp_path / "config.toml").chmod(0o640)
    for name, file in (("CONFIG", "config.toml"), ("STORE", "fathom.sqlite"), ("AUDIT_LOG", "audit.jsonl")):
        monkeypatch.setenv(f"FATHOM_{name}", str(tmp_path / file))
    return tmp_path


@pytest.fixture
def running(home: Path) -> Iterator[TestClient]:
    with TestClient(gate(), base_url=ORIGIN, headers=OWNER) as client:  # type: ignore[arg-type]
        yield client


@pytest.fixture
def with_rights(home: Path) -> Path:
    file = home / "rights.toml"
    file.write_text(RIGHTS.format(anna=sha256(b"of-anna").hexdigest()), encoding="utf-8")
    settings = home / "config.toml"
    settings.write_text(f'rights = "rights.toml"\n{settings.read_text()}', encoding="utf-8")
    return file


def gate(*, administration: bool = True) -> Gate:
    settings = replace(read_settings(), rights=None)
    rules = Rules(TOKEN, frozenset({HOST}), frozenset({ORIGIN}), administration=administration)
    return Gate(Site(settings, rules, Store(settings.store), addresses((), settings)))


def propose(client: TestClient, what: str, **draft: Any) -> dict[str, Any]:
    told = client.post(f"/api/admin/{what}", json=draft)
    assert told.status_code == 200, told.text
    change: dict[str, Any] = told.json()["change"]
    return change


def write(client: TestClient, what: str, **draft: Any) -> dict[str, Any]:
    """What was shown, and then written."""
    shown = propose(client, what, **draft)
    assert not shown["written"]
    assert not shown["problems"], shown
    done = propose(client, what, **{"anyway": bool(shown["doubts"]), **draft, "seen": shown["seen"]})
    assert done["written"], done
    return shown


def logged(home: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (home / "audit.jsonl").read_text().splitlines()]


def without(text: str, *lines: str) -> list[str]:
    return [line for line in text.splitlines() if line not in lines]


def test_a_database_is_added_without_a_restart(running: TestClient, home: Path, fathom: Fathom) -> None:
    draft = {"name": "boats", "address": "other.db"}
    shown = propose(running, "database", **draft)
    assert (home / "config.toml").read_text() == SETTINGS  # nothing yet
    assert '+boats = "other.db"' in shown["difference"]
    assert shown["notes"] == ["It opens: sqlite, 1 table."]
    assert not any("geheim" in line for line in shown["difference"])
    write(running, "database", **draft)
    after = (home / "config.toml").read_text()
    assert without(after, 'boats = "other.db"') == SETTINGS.splitlines()
    assert (home / "config.toml").stat().st_mode & 0o777 == 0o640
    assert (home / "config.toml~").read_text() == SETTINGS
    asked = running.post("/api/ask/boats", json={"question": "How many boats are there?"}).json()["id"]
    assert finished(running, asked)["answer"]["answer"] == "2 boats."
    assert "2 boats." in fathom("ask", "boats", "How many boats are there?").out
    (entry,) = [one for one in logged(home) if one["status"] == "changed"]
    assert (entry["question"], entry["interface"]) == ("The database boats was added.", "browser")
    assert '+boats = "other.db"' in entry["evidence"]


def test_what_was_shown_is_written_and_nothing_else(running: TestClient, home: Path) -> None:
    seen = propose(running, "database", name="boats", address="other.db")["seen"]
    other = propose(running, "database", name="boats", address="shop.db", seen=seen)
    assert not other["written"]
    settings = home / "config.toml"
    settings.write_text(SETTINGS.replace("kept by Ann", "kept by Ben"), encoding="utf-8")
    late = propose(running, "database", name="boats", address="other.db", seen=seen)
    assert not late["written"]
    assert "boats" not in settings.read_text()
    assert propose(running, "database", name="boats", address="other.db", seen=late["seen"])["written"]
    assert "kept by Ben" in settings.read_text()


def test_what_is_refused_stays_in_the_form(running: TestClient, home: Path) -> None:
    typed = {"name": "my boats", "address": "other.db", "packs": "a.yaml"}
    told = running.post("/admin/database", data=typed)
    assert told.status_code == 422
    for value in ('value="my boats"', 'value="other.db"', "a.yaml</textarea>"):
        assert value in told.text
    assert "use letters, digits" in told.text
    assert (home / "config.toml").read_text() == SETTINGS
    for draft, said in (
        ({"name": "boats"}, "give a path or a URL"),
        ({"name": "shop", "address": "other.db"}, "there is a database 'shop' already"),
        ({"name": "boats", "address": "other.db", "packs": "/etc/hosts.yaml"}, "lies beside the settings"),
        ({"name": "boats", "address": "other.db", "packs": "../out.yaml"}, "lies beside the settings"),
        ({"name": "boats", "address": "other.db", "packs": "run.sh"}, "ends in .yaml"),
    ):
        assert said in propose(running, "database", **draft)["problems"][0]
    absent = propose(running, "database", name="boats", address="nowhere.db")
    assert "can't be opened" in absent["doubts"][0]
    again = {"name": "boats", "address": "nowhere.db", "seen": absent["seen"]}
    assert not propose(running, "database", **again)["written"]
    assert propose(running, "database", **again, anyway=True)["written"]


def test_a_password_is_kept_and_never_shown(running: TestClient, home: Path) -> None:
    page = running.get("/admin/database?name=remote").text
    assert "geheim" not in page + running.get("/admin").text
    form = running.get("/api/admin/database?name=remote").json()["form"]
    assert form["address"] == "postgresql://reader:***@localhost:1/sales"
    write(running, "database", **{**form, "name": "orders"})
    assert read_settings().databases["orders"] == "postgresql://reader:geheim@localhost:1/sales"
    elsewhere = "postgresql://reader:***@evil.example/sales"
    told = propose(running, "database", was="orders", name="orders", address=elsewhere)
    assert "write its password again" in told["problems"][0]
    new = {"was": "orders", "name": "orders", "address": "postgresql://reader:neu@localhost:1/sales"}
    shown = propose(running, "database", **new)
    assert "Only a password changes" in shown["notes"][-1]
    assert propose(running, "database", **new, anyway=True, seen=shown["seen"])["written"]
    assert "geheim" not in (home / "audit.jsonl").read_text()
    assert "neu@" not in (home / "audit.jsonl").read_text()


def test_packs_are_named_and_made(running: TestClient, home: Path) -> None:
    form = {"was": "shop", "name": "shop", "address": "shop.db", "packs": "shop.yaml\nmore/own.yaml"}
    assert "own.yaml isn't there: it is made" in write(running, "database", **form)["notes"][0]
    assert [pack.name for pack in read_settings().packs["shop"]] == ["shop.yaml", "own.yaml"]
    packs = running.get("/api/db/shop/knowledge").json()["packs"]
    assert [(pack["name"], pack["problems"]) for pack in packs] == [("shop.yaml", []), ("own.yaml", [])]
    write(running, "database", **{**form, "packs": ""})
    assert not running.get("/api/db/shop/knowledge").json()["packs"]
    assert (home / "more/own.yaml").exists()


def test_a_database_is_taken_out_and_its_comments_are_told(
    running: TestClient, home: Path, fathom: Fathom
) -> None:
    shown = write(running, "database", was="shop", name="shop", remove=True)
    assert "These comments go with it: # SQLite" in shown["notes"]
    assert running.get("/api/db/shop").status_code == 404
    assert (home / "shop.db").exists()
    assert fathom("ask", "shop", "How many sales are there?").code != 0


def test_rights_are_begun_and_a_user_comes(running: TestClient, home: Path, fathom: Fathom) -> None:
    assert running.get("/api/db", headers=ANNA).status_code == 401
    page = running.get("/api/admin/begin-rights").json()["change"]
    assert propose(running, "begin-rights", seen=page["seen"])["written"]
    assert without((home / "config.toml").read_text(), 'rights = "rights.toml"') == SETTINGS.splitlines()
    token = running.get("/api/admin/user").json()["form"]["token"]
    user = {"name": "anna", "is_new": True, "groups": "sellers", "with_token": True, "token": token}
    write(running, "user", **user)
    assert token not in (home / "rights.toml").read_text() + (home / "audit.jsonl").read_text()
    grant = {
        "to": "sellers",
        "databases": "shop",
        "tables": "sale",
        "rows": "sale: city = 'Rome'",
        "sql": True,
    }
    write(running, "grant", **grant)
    anna = {"authorization": f"Bearer {token}"}
    assert [table["name"] for table in running.get("/api/db/shop", headers=anna).json()["tables"]] == ["sale"]
    rows = running.get("/api/db/shop/t/sale", headers=anna).text
    assert "Rome" in rows
    assert "Bern" not in rows
    told = fathom("rights", home / "rights.toml", "--database", "shop", "--user", "anna").out
    assert "where (city = 'Rome')" in told


def test_a_grant_is_changed_where_it_stands(with_rights: Path, running: TestClient) -> None:
    before = with_rights.read_text()
    form = running.get("/api/admin/grant?number=1").json()["form"]
    assert propose(running, "grant", **form)["notes"][-1] == "Nothing would change."
    assert running.get("/api/db/shop").status_code == 200  # opens it
    wrong = propose(running, "grant", **{**form, "hidden": "sale: ammount"})
    assert "Did you mean 'amount'?" in wrong["doubts"][0]
    form |= {"hidden": "sale: amount", "seconds": "5", "sql": False}
    shown = write(running, "grant", **form)
    assert "anna would see of shop: sale (id, city, year)" in shown["notes"]
    added = (
        "[grants.columns.sale]",
        'deny = ["amount"]',
        "[grants.limits]",
        "seconds = 5",
        "sql = false",
        "",
    )
    assert without(with_rights.read_text(), *added) == without(before, "")
    grant = read_rights(with_rights).grants[0]
    assert (grant.columns["sale"].deny, grant.limits.seconds, grant.sql) == (("amount",), 5, False)
    assert read_rights(with_rights).grants[1].to == ("ben",)
    (sale,) = running.get("/api/db/shop", headers=ANNA).json()["tables"]
    assert sale["columns"] == ["id", "city", "year"]


def test_a_grant_goes_with_its_own_comments_alone(with_rights: Path, running: TestClient) -> None:
    shown = write(running, "grant", number=1, remove=True)
    after = with_rights.read_text()
    assert "# ben alone\n[[grants]]" in after
    assert "# the sellers" not in after
    assert "These comments go with it: # the sellers · # for now" in shown["notes"]
    assert running.get("/api/db/shop", headers=ANNA).status_code == 404


def test_a_user_is_changed_and_taken_out(with_rights: Path, running: TestClient) -> None:
    before = with_rights.read_text()
    write(running, "user", name="ben", groups="sellers, buyers")
    changed = with_rights.read_text()
    assert re.sub(r"(?m)^sellers.*\n|^buyers.*\n", "", changed) == re.sub(r"(?m)^sellers.*\n", "", before)
    assert 'sellers = ["anna", "ben"]  # and nobody else' in changed
    token = "another-token-drawn-by-chance"
    write(running, "user", name="anna", groups="sellers", with_token=True, token=token)
    assert running.get("/api/db", headers=ANNA).status_code == 401
    assert running.get("/api/db", headers={"authorization": f"Bearer {token}"}).status_code == 200
    assert "# since May" in with_rights.read_text()
    write(running, "user", name="anna", remove=True)
    assert read_rights(with_rights).users == ("ben",)
    assert read_rights(with_rights).groups["sellers"] == ("ben",)
    assert running.get("/api/db", headers={"authorization": f"Bearer {token}"}).status_code == 401
    for draft, said in (
        ({"name": "ben", "is_new": True}, "there is user 'ben' already"),
        ({"name": "carl"}, "there is no user 'carl'"),
        ({"name": "carl", "is_new": True, "with_token": True, "token": "short"}, "24 letters"),
    ):
        assert said in propose(running, "user", **draft)["problems"][0]


def test_the_file_of_rights_is_written_as_text(with_rights: Path, running: TestClient) -> None:
    text = running.get("/api/admin/rights").json()["form"]["text"]
    wrong = propose(running, "rights", text=text.replace('to = ["ben"]', 'to = ["bne"]'))
    assert "Did you mean 'ben'?" in wrong["problems"][0]
    write(running, "rights", text=text.replace("# ben alone", "# ben, alone"))
    assert "# ben, alone" in with_rights.read_text()


PATHS = ("", "/database", "/database?name=shop", "/user", "/grant", "/rights", "/begin-rights")


def test_only_the_owner_gets_there(with_rights: Path, running: TestClient) -> None:
    before = with_rights.read_text(), (with_rights.parent / "config.toml").read_text()
    body = {"name": "boats", "address": "other.db", "text": "", "remove": True, "number": 1, "is_new": True}
    for path in PATHS:
        for url in (f"/admin{path}", f"/api/admin{path}"):
            assert running.get(url, headers=ANNA).status_code == 403, url
            assert running.get(url, headers={"authorization": "Bearer nobody"}).status_code == 401, url
            assert running.post(url, json=body, headers=ANNA).status_code in (403, 405), url
    assert "/admin" not in running.get("/", headers=ANNA).text
    assert (with_rights.read_text(), (with_rights.parent / "config.toml").read_text()) == before


def test_a_page_elsewhere_changes_nothing(home: Path) -> None:
    with TestClient(gate(), base_url=ORIGIN) as client:
        client.get("/", params={"t": TOKEN})
        draft = {"name": "boats", "address": "other.db"}
        own = {"sec-fetch-site": "same-origin"}
        seen = client.post("/api/admin/database", json=draft, headers=own).json()["change"]["seen"]
        strange = {"sec-fetch-site": "cross-site"}
        for url in ("/admin/database", "/api/admin/database"):
            assert client.post(url, data={**draft, "seen": seen}, headers=strange).status_code == 403
        assert (home / "config.toml").read_text() == SETTINGS
        done = client.post(
            "/admin/database", data={**draft, "seen": seen}, headers=own, follow_redirects=False
        )
        assert (done.status_code, done.headers["location"]) == (303, "/admin")


def test_it_can_be_switched_off(home: Path) -> None:
    with TestClient(gate(administration=False), base_url=ORIGIN, headers=OWNER) as client:  # type: ignore[arg-type]
        for path in PATHS:
            assert client.get(f"/admin{path}").status_code == 403
        assert (
            client.post("/api/admin/database", json={"name": "x", "address": "other.db"}).status_code == 403
        )
        assert 'href="/admin"' not in client.get("/").text


def test_nothing_is_changed_where_the_log_cannot_be_written(running: TestClient, home: Path) -> None:
    (home / "audit.jsonl").mkdir()
    shown = propose(running, "database", name="boats", address="other.db")
    done = propose(running, "database", name="boats", address="other.db", seen=shown["seen"])
    assert "can't be read: Is a directory" in done["problems"][0]
    assert (home / "config.toml").read_text() == SETTINGS
