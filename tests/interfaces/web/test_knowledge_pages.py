from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from tests.interfaces.web.conftest import ORIGIN, TOKEN, made_site

from fathom.interfaces.web.app import make_app

PACK = """# An expert's file; this line has to stay.
tables:
  sale: {description: What was sold, synonyms: [receipt]}
examples:
  - {question: How many sales were there in Bern?, sql: SELECT COUNT(*) FROM sale WHERE city = 'Bern'}
"""


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    file = tmp_path / "sales.yaml"
    file.write_text(PACK, encoding="utf-8")
    file.chmod(0o640)
    return file


@pytest.fixture
def expert(tmp_path: Path, pack: Path) -> Iterator[TestClient]:
    """A browser at a shop whose settings name a pack."""
    site = made_site(tmp_path, packs={"shop": (pack,)})
    with TestClient(make_app(site), base_url=ORIGIN) as opened:
        opened.get("/", params={"t": TOKEN})
        opened.headers["sec-fetch-site"] = "same-origin"
        yield opened


PAGE = "/db/shop/knowledge/1"


def draft(client: TestClient, text: str, **more: object) -> dict[str, object]:
    return {"text": text, "opened_as": client.get(f"/api{PAGE}").json()["opened_as"], **more}


def test_what_is_known_is_shown(expert: TestClient) -> None:
    page = expert.get("/db/shop/knowledge").text
    assert "What was sold" in page
    assert "How many sales were there in Bern?" in page
    assert "sales.yaml" in page
    assert str(Path.cwd()) not in page
    assert "receipt" in expert.get("/db/shop/t/sale").text
    assert "Sound" in expert.get(PAGE).text


def test_without_a_pack_the_page_says_how_to_write_one(client: TestClient) -> None:
    page = client.get("/db/shop/knowledge").text
    assert "[packs]" in page
    assert client.get(PAGE).status_code == 400


def test_a_pack_is_edited_and_used_at_once(expert: TestClient, pack: Path) -> None:
    text = PACK.replace("What was sold", "Each thing sold").replace("\n", "\r\n")  # as forms send it
    led = expert.post(PAGE, data=draft(expert, text, save="true"), follow_redirects=False)
    assert led.status_code == 303
    assert pack.read_text(encoding="utf-8") == PACK.replace("What was sold", "Each thing sold")
    assert pack.with_name("sales.yaml~").read_text(encoding="utf-8") == PACK
    assert pack.stat().st_mode & 0o777 == 0o640
    assert "Each thing sold" in expert.get("/db/shop/t/sale").text
    assert "Saved" in expert.get(led.headers["location"]).text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tables: [", "line "),
        ("tabels: {}", "did you mean"),
        ("glossary:\n  - {meaning: of nothing}", "needed, and missing"),
        ("</textarea><script>alert(1)</script>", "a pack is a mapping"),
    ],
)
def test_what_is_no_pack_is_not_saved_and_not_lost(
    expert: TestClient, pack: Path, text: str, told: str
) -> None:
    page = expert.post(PAGE, data=draft(expert, text, save="true"))
    assert page.status_code == 422
    assert told.casefold() in page.text.casefold()
    assert "<script>alert" not in page.text
    assert text.splitlines()[0].replace("<", "&lt;").replace(">", "&gt;") in page.text
    assert pack.read_text(encoding="utf-8") == PACK
    assert list(pack.parent.glob("*~")) == []


def test_names_that_the_database_lacks_are_told_and_kept_only_on_purpose(
    expert: TestClient, pack: Path
) -> None:
    text = PACK + "  - {question: How many shops?, sql: SELECT COUNT(*) FROM shops}\n"
    told = expert.post(f"/api{PAGE}", json=draft(expert, text, save=True)).json()
    assert not told["saved"]
    assert "shops" in told["missing"][0]["problem"]
    assert pack.read_text(encoding="utf-8") == PACK
    kept = expert.post(f"/api{PAGE}", json=draft(expert, text, save=True, anyway=True)).json()
    assert kept["saved"]
    assert pack.read_text(encoding="utf-8") == text


def test_checking_alone_writes_nothing(expert: TestClient, pack: Path) -> None:
    assert expert.post(PAGE, data=draft(expert, PACK + "# more\n", save="false")).status_code == 200
    assert pack.read_text(encoding="utf-8") == PACK


def test_two_who_edit_at_once_do_not_undo_each_other(expert: TestClient, pack: Path) -> None:
    mine = draft(expert, PACK + "# mine\n", save="true")
    pack.write_text(PACK + "# theirs\n", encoding="utf-8")
    page = expert.post(PAGE, data=mine)
    assert page.status_code == 422
    assert "has changed since" in page.text
    assert "# mine" in page.text
    assert pack.read_text(encoding="utf-8").endswith("# theirs\n")
