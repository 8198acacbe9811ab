import asyncio
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from fathom.databases import Database, connect
from fathom.llm import ScriptedModel
from fathom.methods import Context, find_method
from fathom.nl2sql.selections import everything, from_items, select, united, with_keys
from fathom.records import Draft, Question, Selection


@pytest.fixture
def dotted(tmp_path: Path) -> Iterator[Database]:
    """A database whose names hold dots."""
    with sqlite3.connect(tmp_path / "dotted.db") as made:
        made.execute('CREATE TABLE player (id INTEGER PRIMARY KEY, "a.b" TEXT, b TEXT, "no." INTEGER)')
        made.execute('CREATE TABLE "v1.team" (id INTEGER PRIMARY KEY, "full.name" TEXT)')
    made.close()
    with connect(tmp_path / "dotted.db") as opened:
        yield opened


@pytest.mark.parametrize(
    ("items", "tables"),
    [
        (["player.a.b"], {"player": ("a.b",)}),
        (["player.`a.b`"], {"player": ("a.b",)}),
        (['"player"."no."'], {"player": ("no.",)}),
        (["player.b"], {"player": ("b",)}),
        (["v1.team.full.name", "V1.TEAM.ID"], {"v1.team": ("id", "full.name")}),
        (["v1.team"], {"v1.team": ()}),
        (["nowhere.a.b", "player.c.d"], {}),
    ],
)
def test_names_may_hold_dots(dotted: Database, items: list[str], tables: dict[str, tuple[str, ...]]) -> None:
    assert dict(from_items(dotted.schema, items).tables) == tables


def test_selections_keep_columns_with_dots_and_add_none(dotted: Database) -> None:
    schema = dotted.schema
    one = Selection({"player": ("a.b",)})
    assert united(schema, one, one) == one
    assert dict(with_keys(schema, one).tables) == {"player": ("id", "a.b")}
    assert united(schema, everything(schema)) == everything(schema)
    assert dict(select(schema, {"player": ["player.b"]}).tables) == {"player": ("b",)}


@pytest.mark.parametrize("method", ["rsl-sql", "opensearch-sql"])
def test_columns_with_dots_are_lost_only_when_switched_on(
    method: str, dotted: Database, tmp_path: Path
) -> None:
    columns = ["player.`a.b`", "player.b"]
    said = json.dumps({"tables": ["player"], "columns": columns, "values": [], "select": ["b"]})
    for name, kept in ((method, {"a.b", "b"}), (f"{method}+loses_dotted_names", {"b"})):
        step = find_method(name).steps[0]
        context = Context(dotted, cache=tmp_path / "cache", model=ScriptedModel.of(rules={"": said}))
        draft = asyncio.run(step.function(Draft(Question("Which players?")), context, **step.settings))
        assert draft.selection is not None
        assert set(draft.selection.tables["player"]) - {"id"} == kept
