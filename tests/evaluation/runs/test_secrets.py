"""A database's password is in nothing that a run leaves; what it leaves, its owner alone may read."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.command import Fathom
from tests.databases.makers import postgres_url

from fathom.evaluation.runs.options import RunOptions
from fathom.evaluation.runs.run import evaluate
from fathom.records import Question

SCHEMA = "fathom_test_secrets"
PASSWORD, PASSPHRASE = "s3cret/w0rd", "an0ther-secret"
"""The test server trusts everybody on this machine: it takes any password."""


@pytest.fixture
def address() -> Iterator[str]:
    """A database on the test server, by a URL with two secrets."""
    plain = postgres_url().set(drivername="postgresql", password=None)
    with psycopg.connect(plain.render_as_string(hide_password=False), autocommit=True) as admin:
        admin.execute(f"DROP DATABASE IF EXISTS {SCHEMA}")
        admin.execute(f"CREATE DATABASE {SCHEMA}")
        mine = plain.set(database=SCHEMA).render_as_string(hide_password=False)
        with psycopg.connect(mine, autocommit=True) as made:
            made.execute("CREATE TABLE gene (id int PRIMARY KEY, name text)")
            made.execute("INSERT INTO gene SELECT i, 'gene ' || i FROM generate_series(1, 50) i")
        yield mine.replace("@", f":{PASSWORD}@", 1) + f"?sslpassword={PASSPHRASE}"
        admin.execute(f"DROP DATABASE {SCHEMA} WITH (FORCE)")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for everything, the cache too, where new files are everybody's to read by default."""
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache"))
    before = os.umask(0o022)
    yield tmp_path
    os.umask(before)


def _benchmark(folder: Path, address: str) -> Path:
    asked = {
        "q1": "How many genes are there?",
        "q2": "What is gene 7 called?",
        "q3": "Which genes are there?",
    }
    gold = {"q1": "SELECT count(*) FROM gene", "q2": "SELECT name FROM gene WHERE id = 7",
            "q3": "SELECT nme FROM gene"}  # fmt: skip
    lines = [
        json.dumps({"id": i, "question": text, "database": address, "gold": [gold[i]]})
        for i, text in asked.items()
    ]
    given = folder / "given"
    given.mkdir()
    (given / "genes.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return given / "genes.jsonl"


def _left(folder: Path) -> list[Path]:
    return [f for f in sorted(folder.rglob("*")) if f.is_file() and f.parent.name != "given"]


def test_no_password_in_anything_that_a_run_leaves(folder: Path, address: str, fathom: Fathom) -> None:
    benchmark, out = _benchmark(folder, address), folder / "run"
    printed = [fathom("evaluate", benchmark, "--out", out)]
    for kind in ("html", "md", "csv", "json"):
        printed.append(fathom("report", out, "--out", folder / f"report.{kind}"))
    printed.append(fathom("evaluate", benchmark, "--out", out, "--json"))
    for form in ("bird", "nl2sqlbench", "jsonl"):
        printed.append(fathom("export", out, "--as", form, "--out", folder / f"exported.{form}"))
    predictions = folder / "exported.jsonl"
    printed.append(fathom("score", benchmark, predictions, "--details", folder / "details.jsonl"))
    printed.append(fathom("audit", benchmark, "--run", out, "--out", folder / "audit.jsonl"))
    printed.append(fathom("inspect", address))
    printed.append(fathom("ask", address, "How many genes are there?", "--json", "--explain"))
    assert [done.code for done in printed] == [0] * len(printed)
    printed.append(fathom("sql", address, "SELECT nme FROM gene"))
    printed.append(fathom("sql", address.replace(SCHEMA, "no_such"), "SELECT 1"))

    def stumble(question: Question) -> str:
        raise ConnectionError(f"can't reach {question.database}")

    evaluate(benchmark, stumble, RunOptions(out=folder / "fallen"))
    assert "ConnectionError" in (folder / "fallen" / "records.jsonl").read_text(encoding="utf-8")
    told = {f"output {i}": done.out + done.err for i, done in enumerate(printed)}
    told |= {str(f): f.read_bytes().decode("utf-8", "replace") for f in _left(folder)}
    assert len(told) > len(printed) + 10
    for where, text in told.items():
        assert PASSWORD not in text, where
        assert PASSPHRASE not in text, where


def test_cache_and_runs_are_their_owners_alone(folder: Path, address: str, fathom: Fathom) -> None:
    assert fathom("evaluate", _benchmark(folder, address), "--out", folder / "runs" / "one").code == 0
    assert fathom("ask", address, "How many genes are there?").code == 0
    places = [p for root in ("cache", "runs") for p in (folder / root, *(folder / root).rglob("*"))]
    kept = [p for p in places if p.is_file() and p.suffix != ".lock"]
    assert {"run.json", "records.jsonl"} < {p.name for p in kept}
    assert any(p.suffix == ".sqlite" for p in kept)  # the index of values
    assert [str(p) for p in kept if p.stat().st_mode & 0o077] == []
    assert [str(p) for p in places if p.is_dir() and p.stat().st_mode & 0o077] == []
