"""Files that people put on a page: each is a database, of who put it there alone."""

import re
import stat
from http import HTTPStatus
from io import BytesIO
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from tests.interfaces.web.conftest import HOST, ORIGIN, TOKEN, made_site

from fathom.databases.row_files.sources import KINDS
from fathom.interfaces.web import uploads
from fathom.interfaces.web.app import make_app
from fathom.interfaces.web.site import Site
from fathom.interfaces.web.uploads import Uploads, file_name

PLANETS = b"name,moons\nEarth,1\nbad\nMars,2\n"
HEADERS = {"origin": ORIGIN}


def put(
    client: TestClient, name: str, content: bytes, path: str = "/api/files"
) -> tuple[int, dict[str, str]]:
    told = client.post(path, files={"file": (name, content)}, headers=HEADERS)
    return told.status_code, told.json()


def test_a_file_is_asked_and_removed(client: TestClient, site: Site, tmp_path: Path) -> None:
    form = client.get("/").text
    assert 'action="/files" enctype="multipart/form-data"' in form
    assert set(re.findall(r"\.\w+", re.findall(r'accept="([^"]+)"', form)[0])) == set(KINDS)
    led = client.post(
        "/files", files={"file": ("My planets.csv", PLANETS)}, headers=HEADERS, follow_redirects=False
    )
    assert (led.status_code, led.headers["location"]) == (HTTPStatus.SEE_OTHER, "/ask/My_planets.csv")
    page = client.get("/api/db/My_planets.csv").json()
    assert [(t["name"], t["rows"]) for t in page["tables"]] == [("My_planets", 2)]
    assert page["remarks"] == ["My_planets.csv: 1 line that doesn't fit the others: left out (line 3)"]
    (kept,) = tmp_path.glob("uploads/*")
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    assert site.database("My_planets.csv").schema.table("My_planets").row_count == 2
    assert put(client, "My planets.csv", b"name,moons\nEarth,1\n")[0] == HTTPStatus.CREATED
    assert client.get("/api/db/My_planets.csv").json()["tables"][0]["rows"] == 1
    assert client.post("/api/files/My_planets.csv/remove", headers=HEADERS).status_code == HTTPStatus.CREATED
    assert client.get("/db/My_planets.csv").status_code == HTTPStatus.NOT_FOUND
    assert client.post("/api/files/shop/remove", headers=HEADERS).status_code == HTTPStatus.NOT_FOUND
    assert not [*tmp_path.glob("uploads/*"), *tmp_path.glob("cache/files/*.duckdb")]


def test_what_cannot_be_read_leaves_all_as_it_was(client: TestClient, tmp_path: Path) -> None:
    assert put(client, "p.json", b'[{"x": 1}]')[0] == HTTPStatus.CREATED
    status, told = put(client, "p.json", b"[{")
    assert status == HTTPStatus.BAD_REQUEST
    assert "be read: " in str(told)
    assert str(tmp_path) not in str(told)
    assert client.get("/api/db/p.json").json()["tables"][0]["rows"] == 1
    assert put(client, "q.xlsx", b"PK")[0] == HTTPStatus.BAD_REQUEST
    assert [p.name for p in tmp_path.glob("uploads/*")] == ["p.json"]


@pytest.mark.parametrize(
    ("called", "name"),
    [
        ("people.csv", "people.csv"),
        ("C:\\Users\\ann\\Umsätze 2024.XLSX", "Umsätze_2024.xlsx"),
        ("../../etc/cron.d/x.csv", "x.csv"),
        ("..csv", "rows.csv"),
        (".csv", None),
        ("....csv", "rows.csv"),
        ("a<script>.tsv", "a_script.tsv"),
        ("x" * 300 + ".json", "x" * 80 + ".json"),
        ("shop.sqlite", None),
        ("", None),
    ],
)
def test_a_name_is_never_a_path(called: str, name: str | None, tmp_path: Path) -> None:
    if name is None:
        with pytest.raises(Exception, match="is no file of rows"):
            file_name(called)
        return
    assert file_name(called) == name
    kept = Uploads(tmp_path, tmp_path / "cache")
    assert kept.keep(called, BytesIO(PLANETS), lambda _: None) == name
    assert [Path(p).parent for p in kept.databases().values()] == [tmp_path / "uploads"]


def test_there_are_limits(client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_BYTES", 100)
    assert put(client, "a.csv", PLANETS)[0] == HTTPStatus.CREATED
    status, told = put(client, "b.csv", PLANETS * 10)
    assert status == HTTPStatus.BAD_REQUEST
    assert "aren't taken here" in str(told)
    monkeypatch.setattr(uploads, "MOST_FILES", 1)
    assert "remove one" in str(put(client, "b.csv", PLANETS)[1])
    assert put(client, "a.csv", PLANETS)[0] == HTTPStatus.CREATED
    assert [p.name for p in tmp_path.glob("uploads/*")] == ["a.csv"]
    huge = client.post("/api/files", content=b"", headers={**HEADERS, "content-length": str(10**9)})
    assert huge.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE


def test_who_is_not_let_in_puts_nothing_there(site: Site, tmp_path: Path) -> None:
    with TestClient(make_app(site), base_url=ORIGIN) as stranger:
        assert (
            stranger.post("/api/files", files={"file": ("a.csv", PLANETS)}, headers=HEADERS).status_code
            >= 400
        )
    folder = tmp_path / "other"
    folder.mkdir()
    with TestClient(make_app(made_site(folder)), base_url=f"http://{HOST}") as other:
        other.get(f"/?t={TOKEN}")
        evil = {"origin": "https://evil.example"}
        told = other.post("/api/files", files={"file": ("a.csv", PLANETS)}, headers=evil)
        assert told.status_code == HTTPStatus.FORBIDDEN
    assert not [*tmp_path.glob("other/uploads/*")]


def test_files_can_be_switched_off(tmp_path: Path) -> None:
    site = made_site(tmp_path, uploads=False)
    with TestClient(make_app(site), base_url=ORIGIN) as client:
        client.get(f"/?t={TOKEN}")
        assert "/files" not in client.get("/").text
        assert "--no-files" in str(put(client, "a.csv", PLANETS)[1])
