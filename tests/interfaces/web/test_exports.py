"""All rows of an answer as a file, whole, and asked of the data as they are now."""

import csv
import io
import sqlite3
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from tests.interfaces.web.conftest import Asked, finished

MANY = 5_000


@pytest.fixture
def many(client: TestClient, tmp_path: Path) -> str:
    """An answer of more rows than are kept."""
    writer = sqlite3.connect(tmp_path / "shop.db")
    rows = ((f"c{n}", 2016, n / 4) for n in range(MANY))
    writer.executemany("INSERT INTO sale (city, year, amount) VALUES (?, ?, ?)", rows)
    writer.commit()
    writer.close()
    sql = "SELECT city, amount FROM sale WHERE year = 2016 ORDER BY id"
    done = client.post("/api/db/shop/sql", json={"sql": sql}).json()
    assert len(finished(client, done["id"])["answer"]["result"]["rows"]) == 1_000
    made: str = done["id"]
    return made


def test_all_rows_are_in_the_file_that_says_so(client: TestClient, many: str) -> None:
    assert f'action="/a/{many}/rows"' in client.get(f"/a/{many}").text
    taken = client.post(f"/a/{many}/rows", data={"form": "csv"})
    assert taken.headers["content-disposition"] == f'attachment; filename="fathom-{many}-all-{MANY}.csv"'
    head, *rows = csv.reader(io.StringIO(taken.text))
    assert head == ["city", "amount"]
    assert rows == [[f"c{n}", str(n / 4)] for n in range(MANY)]


@pytest.mark.parametrize(("form", "begins"), [("xlsx", b"PK"), ("parquet", b"PAR1"), ("csv", b"")])
def test_programs_take_rows_too(client: TestClient, many: str, form: str, begins: bytes) -> None:
    taken = client.post(f"/api/a/{many}/rows", json={"form": form})
    assert taken.content.startswith(begins)
    assert f"-all-{MANY}.{form}" in taken.headers["content-disposition"]


def test_no_file_is_sent_where_the_query_fails_by_now(client: TestClient, many: str, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "shop.db") as writer:
        writer.execute("ALTER TABLE sale RENAME TO sold")
    writer.close()
    refused = client.post(f"/api/a/{many}/rows", json={"form": "csv"})
    assert refused.status_code == 400
    assert "sale" in refused.json()["error"]["message"]
    assert client.post(f"/api/a/{many}/rows", json={"form": "docx"}).status_code == 422


def test_an_answer_without_rows_has_no_file(client: TestClient, asked: Asked) -> None:
    id_ = asked("What will the weather be tomorrow?")["entry"]["id"]
    assert client.post(f"/api/a/{id_}/rows", json={}).status_code == 400
