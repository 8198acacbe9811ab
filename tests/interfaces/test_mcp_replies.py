"""Replies of the MCP tools: their size, pages, errors with the nearest names, and which database answers."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from tests.interfaces.mcp_client import called, definitions, failed, using

from fathom.config import Settings
from fathom.interfaces.mcp.server import make_server
from fathom.interfaces.web.site import Site, addresses

ERAS = ("auto", "legacy")
MOST_TOKENS = 2_000
TORN = "Which zebra gene has the most frequent flyer miles per gallon?"


@pytest.mark.parametrize(
    "place", ["fathom.answering.conversation.answer", "fathom.interfaces.mcp.server.explain"]
)
def test_an_unforeseen_error_is_told_in_a_line(
    place: str, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise IndexError("Joni")

    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(place, fail)
    tool, said = ("explain_sql", "sql") if place.endswith("explain") else ("ask", "question")
    text = "SELECT title FROM album" if said == "sql" else "How many albums are there?"

    async def use(client: Client) -> Any:
        return await client.call_tool(tool, {said: text})

    result = using(make_server(site), use)
    assert result.is_error
    told = result.content[0].text
    assert "Something went wrong inside Fathom (IndexError). The details are in …/" in told
    assert "Joni" not in told
    assert len(list((tmp_path / "cache" / "faults").iterdir())) == 1


def test_a_reply_is_sent_without_spaces_and_without_what_is_empty(site: Site) -> None:
    async def use(client: Client) -> Any:
        return await client.call_tool("run_sql", {"sql": "SELECT id, title FROM album ORDER BY id"})

    (sent,) = using(make_server(site), use).content
    told = json.loads(sent.text)
    assert sent.text == json.dumps(told, ensure_ascii=False, separators=(",", ":"))
    assert told.pop("seconds") >= 0
    rows = [[1, "Blue"], [2, "Kind"], [3, "Joni"]]
    assert told == {"columns": ["id", "title"], "rows": rows, "row_count": 3, "truncated": False}


def test_rows_come_a_page_at_a_time(site: Site) -> None:
    sql, offset, seen = "SELECT id FROM album ORDER BY id", 0, []
    while offset is not None:
        page = called(site, "run_sql", sql=sql, max_rows=2, offset=offset)
        seen.append([row[0] for row in page["rows"]])
        offset = page["next_offset"]
    assert seen == [[1, 2], [3]]
    assert called(site, "run_sql", sql=sql, max_rows=3)["next_offset"] is None


def test_several_databases_are_told_apart_and_one_has_to_be_named(site: Site, tmp_path: Path) -> None:
    pack = tmp_path / "pack.yaml"
    pack.write_text("description: Records that were sold\n", encoding="utf-8")
    settings = replace(site.settings, databases=site.served, packs={"shop": (pack,)})
    gone = str(tmp_path / "gone.db")
    both = Site(settings, site.rules, site.store, {"shop": "shop", "gone": gone})
    shop, other = called(both, "search")["matches"]
    about = {"dialect": "sqlite", "tables": 2, "about": "Records that were sold"}
    assert shop == {"kind": "database", "name": "shop", **about}
    assert (other["name"], "gone.db" in other["problem"]) == ("gone", True)
    assert "ame one of these as database: shop, gone" in failed(both, "run_sql", sql="SELECT 1")
    assert called(both, "search", database="shop", text="album")["dialect"] == "sqlite"

    async def resources(client: Client) -> list[str]:
        return [str(one.uri) for one in (await client.list_resources()).resources]

    assert using(make_server(both), resources) == ["fathom://shop/schema", "fathom://gone/schema"]


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("run_sql", {"sql": "SELECT titel FROM album"}, "no column 'titel'. Did you mean 'title'?"),
        ("run_sql", {"sql": "SELECT title FROM albun"}, "no table 'albun'. Did you mean 'album'?"),
        ("run_sql", {"query": "SELECT 1"}, "takes no argument 'query'"),
        ("ask", {"question": "How many albums?", "max_row": 3}, "Did you mean 'max_rows'?"),
    ],
)
def test_what_is_mistaken_is_told_with_the_nearest_there_is(
    site: Site, tool: str, arguments: dict[str, Any], told: str
) -> None:
    assert told in failed(site, tool, **arguments)


def test_numbers_may_come_as_text_and_arguments_are_described(site: Site) -> None:
    reply = called(site, "run_sql", sql="SELECT id FROM album", max_rows="2", offset="1", database=None)
    assert len(reply["rows"]) == 2
    described = {
        (tool.name, name)
        for tool in using(make_server(site), definitions)
        for name, one in tool.input_schema["properties"].items()
        if one.get("description")
    }
    assert described >= {
        ("ask", "reading"), ("ask", "after"), ("ask", "evidence"), ("search", "detail"), ("search", "cursor"),
        ("run_sql", "sql"), ("run_sql", "offset"), ("call_tool", "arguments"),
    }  # fmt: skip


def test_a_database_that_is_named_is_served_alone(tmp_path: Path) -> None:
    settings = Settings(
        tmp_path / "c.toml", tmp_path, databases={"mine": "x.db", "shop": "postgresql://h/shop"}
    )
    assert addresses(("a/b.sqlite",), settings, whole=False) == {"b": "a/b.sqlite"}
    assert [*addresses(("a/b.sqlite",), settings)] == ["b", "mine", "shop"]
