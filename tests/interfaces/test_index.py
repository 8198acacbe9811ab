import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.command import Fathom


def test_indexes_once_and_again(
    fathom: Fathom, genes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache"))
    for _ in range(2):
        assert "3 different values in 1 columns" in fathom("index", genes).out
    assert json.loads(fathom("index", genes, "--rebuild", "--json").out)["values"] == 3


def test_a_table_with_an_odd_name_is_indexed(
    fathom: Fathom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "odd.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute('CREATE TABLE "[/bold] x" (word TEXT)')
        connection.execute("INSERT INTO \"[/bold] x\" VALUES ('heart')")
        connection.commit()
    assert "1 different values in 1 columns" in fathom("index", file).out


def test_what_examples_teach_is_learned_ahead(
    fathom: Fathom, genes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache"))
    genes_of = "SELECT symbol FROM gene WHERE chromosome = {}"
    home_of = "SELECT chromosome FROM gene WHERE symbol = '{}'"
    asked = {
        "where is {}": home_of,
        "on which chromosome does {} lie": home_of,
        "tell me the place of {}": home_of,
        "name the genes of chromosome {}": genes_of,
        "which ones lie on {}": genes_of,
        "list what chromosome {} holds": genes_of,
    }
    values = {home_of: ("APOE", "BIN1", "SNCA"), genes_of: (19, 2, 4)}
    examples = [
        {"question": f"{please}{text.format(v)}", "sql": sql.format(v)}
        for text, sql in asked.items()
        for v in values[sql]
        for please in ("", "please ")
    ]
    pack = tmp_path / "pack.json"
    pack.write_text(json.dumps({"name": "lookups", "examples": examples}))
    done = fathom("index", genes, "--pack", pack)
    assert f"{len(examples)} solved examples are learned from." in done.out
    assert list((tmp_path / "cache" / "rehearsals").iterdir())
    assert json.loads(fathom("index", genes, "--json").out)["examples"] == 0


def test_a_cache_that_cannot_be_written_is_said(
    fathom: Fathom, genes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("FATHOM_CACHE", str(blocked))
    done = fathom("index", genes)
    assert done.code == 1
    assert "FATHOM_CACHE" in done.err
