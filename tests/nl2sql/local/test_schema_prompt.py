"""What a small model is shown of a schema: all of it where it is small, the same for every question."""

import asyncio
from pathlib import Path

from tests.nl2sql.conftest import genes
from tests.nl2sql.local.messy import hospital

from fathom.databases import connect
from fathom.methods import Context
from fathom.nl2sql.local.schema_prompt import CHARACTERS_A_TOKEN, MOST_TOKENS, shown_schema
from fathom.records import Draft, Question, Selection


def shown(context: Context, question: str, *tables: str) -> tuple[str, Selection]:
    selection = Selection(dict.fromkeys(tables, ()))
    return asyncio.run(shown_schema(Draft(Question(question), selection=selection), context))


def test_a_small_schema_is_shown_whole_and_the_same_to_every_question(tmp_path: Path) -> None:
    with genes(tmp_path) as database:
        context = Context(database, cache=tmp_path / "cache")
        text, selection = shown(context, "How many genes?", "gene")
        assert text == shown(context, "Which drugs inhibit?", "drug", "target")[0]
    assert set(selection.tables) == {"gene", "drug", "target"}
    assert "gene_id INTEGER REFERENCES gene(id)" in text
    assert "`action` TEXT /* 'inhibitor' */" in text
    assert "`trade name` TEXT" in text


def test_a_large_schema_is_narrowed_to_what_was_linked(tmp_path: Path) -> None:
    file = tmp_path / "wide.db"
    import sqlite3

    with sqlite3.connect(file) as made:
        for i in range(60):
            columns = ", ".join(f"measurement_{i}_{j} REAL" for j in range(12))
            made.execute(f"CREATE TABLE station_{i} (id INTEGER PRIMARY KEY, {columns})")
    made.close()
    with connect(file) as database:
        context = Context(database, cache=tmp_path / "cache")
        text, selection = shown(context, "the highest measurement 7 3", "station_7")
    assert "station_7" in selection.tables
    assert 1 <= len(selection.tables) < 20
    assert len(text) <= MOST_TOKENS * CHARACTERS_A_TOKEN


def test_cells_stay_inside_their_marks(tmp_path: Path) -> None:
    with genes(tmp_path) as database:
        pass
    import sqlite3

    with sqlite3.connect(tmp_path / "genes.db") as made:
        made.execute("UPDATE target SET action = 'a */ DROP'")
    made.close()
    with connect(tmp_path / "genes.db") as database:
        text, _ = shown(Context(database, cache=tmp_path / "cache"), "How many genes?", "gene")
    assert "/* 'a * / DROP' */" in text


def test_columns_are_shown_as_what_their_values_mean(tmp_path: Path) -> None:
    with hospital(tmp_path) as database:
        text, _ = shown(Context(database, cache=tmp_path / "cache"), "stays", "stay")
    assert "came DATE /* '2024-01-01' */" in text
    assert "went DATE /* '20" in text
    assert "  st TEXT /* 'A' is Admitted, 'D' is Discharged */" in text
    assert "fee REAL /* in £ */" in text
    assert 'found TEXT /* a list, as \'["flu"' in text
    assert "ward with no stay => SELECT title FROM ward WHERE id NOT IN" in text
