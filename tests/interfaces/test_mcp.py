"""The tools as clients see them: in this process, over pipes and over HTTP, in both eras of the protocol."""

import asyncio
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters, types
from tests.interfaces.mcp_client import called, definitions, failed, make_shop, using

from fathom.answering.audit_log import AuditLog
from fathom.answering.store import Store
from fathom.databases.sqlite import SQLite
from fathom.interfaces.mcp.replies import CELL_LETTERS, MOST_LETTERS
from fathom.interfaces.mcp.server import make_server
from fathom.interfaces.web.assistants import load
from fathom.interfaces.web.site import Site

ERAS = ("auto", "legacy")
MOST_TOKENS = 2_000
TORN = "Which zebra gene has the most frequent flyer miles per gallon?"


def test_there_are_five_tools_and_a_sixth_on_request(site: Site) -> None:
    names = [t.name for t in using(make_server(site), definitions)]
    assert names == ["ask", "search", "run_sql", "explain_sql", "call_tool"]
    assert [t.name for t in using(make_server(site, teaching=True), definitions)] == [*names, "teach"]


def test_files_of_a_stated_folder_are_asked_by_their_paths_alone(site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    (folder / "sales").mkdir(parents=True)
    (folder / "planets.csv").write_text("name,moons\nEarth,1\nMars,2\n", encoding="utf-8")
    (folder / "sales" / "a.csv").write_text("x,y\n1,2\n", encoding="utf-8")
    (folder / "sales" / "b.jsonl").write_text('{"z": 1}\n', encoding="utf-8")
    (folder / "notes.txt").write_text("no rows", encoding="utf-8")
    (tmp_path / "outside.csv").write_text("x,y\n1,2\n", encoding="utf-8")
    (folder / "link.csv").symlink_to(tmp_path / "outside.csv")
    rules = replace(site.rules, folder=folder, uploads=False)
    with_files = Site(site.settings, rules, Store(site.settings.store), site.served)
    named = {"shop", "planets.csv", "sales/", "sales/a.csv", "sales/b.jsonl"}
    assert set(with_files.databases) == named
    try:
        reply = called(with_files, "ask", question="How many planets are there?", database="planets.csv")
        assert reply["rows"] == [[2]]
        both = called(with_files, "search", database="sales/", text="")
        assert {m["name"] for m in both["matches"] if m["kind"] == "table"} == {"a", "b"}
        for path in ("../outside.csv", "link.csv", "notes.txt", str(tmp_path / "outside.csv")):
            assert "There is no database" in failed(with_files, "run_sql", sql="SELECT 1", database=path)
    finally:
        with_files.close()


def test_all_definitions_together_are_small(site: Site) -> None:
    tools = using(make_server(site, teaching=True), definitions)
    letters = sum(len(t.model_dump_json(exclude_none=True, by_alias=True)) for t in tools)
    assert letters / 4 <= MOST_TOKENS
    assert all(t.description and t.output_schema for t in tools)
    assert {t.name for t in tools if t.annotations and t.annotations.read_only_hint} == {
        "ask", "search", "run_sql", "explain_sql", "call_tool",
    }  # fmt: skip


def test_ask_answers_with_evidence_and_goes_on(site: Site) -> None:
    first = called(site, "ask", question="How many albums are there?")
    assert (first["status"], first["rows"]) == ("answered", [[3]])
    assert "COUNT" in first["sql"]
    assert first["confidence"] > 0.5
    then = called(site, "ask", question="only those by Joni", after=first["answer_id"])
    assert then["rows"] == [[1]]
    kept = site.store.get(then["answer_id"])
    assert kept.conversation == site.store.get(first["answer_id"]).conversation


def test_what_is_not_known_is_declined(site: Site) -> None:
    given = called(site, "ask", question="What will the weather be tomorrow?")
    assert given["status"] == "declined"
    assert given["missing"] == ["weather", "tomorrow"]
    assert given["sql"] is None


AMBIGUOUS = "albums by Joni"


def test_without_a_person_to_ask_the_readings_are_given(site: Site) -> None:
    given = called(site, "ask", question=AMBIGUOUS)
    if given["status"] == "asks_back":
        assert [r["number"] for r in given["readings"]] == list(range(1, len(given["readings"]) + 1))
        assert not given["rows"]
        chosen = called(site, "ask", question=AMBIGUOUS, reading=1)
        assert chosen["status"] == "answered"


@pytest.mark.parametrize("mode", ERAS)
def test_progress_is_told(site: Site, mode: Any) -> None:
    heard: list[str | None] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message)

    async def use(client: Client) -> Any:
        return await client.call_tool(
            "ask", {"question": "How many albums are there?"}, progress_callback=hear
        )

    using(make_server(site), use, mode=mode)
    assert any(heard)


def test_search_finds_by_words_and_goes_on(site: Site) -> None:
    found = called(site, "search", text="album")
    assert found["matches"][0] == {"kind": "table", "name": "album"}
    assert {"kind": "value", "name": "Blue", "column": "album.title", "rows": 1} in called(
        site, "search", text="Blue", kind="value"
    )["matches"]
    full = called(site, "search", text="album", kind="table", detail="full")["matches"][0]
    assert [c["name"] for c in full["columns"]] == ["id", "title", "artist", "price"]
    page = called(site, "search", kind="column", limit=2)
    assert len(page["matches"]) == 2
    more = called(site, "search", kind="column", limit=2, cursor=page["next_cursor"])
    assert more["matches"] != page["matches"]
    assert "cursor" in failed(site, "search", kind="column", cursor="x")


def test_sql_runs_under_the_guard(site: Site) -> None:
    assert called(site, "run_sql", sql="SELECT title FROM album ORDER BY 1")["rows"][0] == ["Blue"]
    refused = called(site, "run_sql", sql="DELETE FROM album")
    assert refused["rule"]
    assert "delete rows" in refused["refused"]
    assert called(site, "run_sql", sql="SELECT 1", dry_run=True)["rows"] == []
    assert "no such" in failed(site, "run_sql", sql="SELECT nowhere FROM album").casefold()
    assert site.database("shop").run("SELECT COUNT(*) FROM album").rows == ((3,),)


def test_sql_is_explained_and_not_run(site: Site) -> None:
    found = called(site, "explain_sql", sql="WITH a AS (SELECT * FROM album) SELECT COUNT(*) FROM a")
    assert found["allowed"]
    assert found["tables"] == ["album"]
    assert "Counts" in found["explanation"]
    assert not called(site, "explain_sql", sql="DROP TABLE album")["allowed"]


def test_an_unknown_database_suggests_the_nearest(site: Site) -> None:
    assert "Did you mean 'shop'" in failed(site, "ask", question="How many?", database="shp")


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("run_sql", {"sql": "SELECT * FROM long", "max_rows": 500}),
        ("run_sql", {"sql": "SELECT replace(hex(zeroblob(4000)), '00', 'ab') FROM long", "max_rows": 500}),
        ("search", {"kind": "column", "detail": "full", "limit": 200}),
        ("search", {"kind": "table", "detail": "full", "limit": 200}),
    ],
)
def test_no_reply_is_longer_than_an_assistant_can_read(
    site: Site, tmp_path: Path, tool: str, arguments: dict[str, Any]
) -> None:
    wide = Site(
        site.settings, site.rules, site.store, {"wide": str(make_shop(tmp_path / "wide.db", tables=2_300))}
    )

    async def use(client: Client) -> Any:
        return await client.call_tool(tool, arguments)

    result = using(make_server(wide), use)
    assert not result.is_error
    assert len(json.dumps(result.structured_content, ensure_ascii=False)) <= MOST_LETTERS
    assert len(result.content[0].text) <= MOST_LETTERS
    rows = result.structured_content.get("rows", [])
    assert all(len(c) <= CELL_LETTERS for row in rows for c in row if isinstance(c, str))
    if tool == "run_sql":
        assert result.structured_content["truncated"]
    wide.database("wide").close()


def test_schema_tables_packs_and_answers_can_be_read(site: Site) -> None:
    async def use(client: Client) -> list[str]:
        asked = await client.call_tool("ask", {"question": "How many albums are there?"})
        id_ = asked.structured_content["answer_id"]
        texts = []
        for uri in ("shop/schema", "shop/t/album", "shop/pack", f"answer/{id_}"):
            read = await client.read_resource(f"fathom://{uri}")
            texts.append(read.contents[0].text)  # type: ignore[union-attr]
        with pytest.raises(Exception, match="no answer"):
            await client.read_resource("fathom://answer/none")
        return texts

    schema, table, _, answer = using(make_server(site), use)
    assert "album" in schema
    assert json.loads(table)["columns"][1]["name"] == "title"
    assert json.loads(answer)["ending"] == "sure"


def test_prompts_lead_through_the_tools(site: Site) -> None:
    async def use(client: Client) -> list[str]:
        found = [await client.get_prompt("investigate", {"question": "Why?"})]
        found.append(await client.get_prompt("check_claim", {"text": "All is well."}))
        return [p.messages[0].content.text for p in found]  # type: ignore[union-attr]

    first, second = using(make_server(site), use)
    assert "Why?" in first
    assert "All is well." in second


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("agreed", [True, False])
def test_teaching_needs_a_person_who_agrees(site: Site, mode: Any, agreed: bool) -> None:
    async def answer(context: Any, asked: types.ElicitRequestParams) -> types.ElicitResult:
        assert "How many records?" in asked.message
        return types.ElicitResult(action="accept", content={"agreed": agreed})

    async def use(client: Client) -> Any:
        lesson = {"question": "How many records?", "sql": "SELECT COUNT(*) FROM album"}
        return (await client.call_tool("teach", lesson)).structured_content

    given = using(make_server(site, teaching=True), use, mode=mode, elicitation_callback=answer)
    assert given["kept"] is agreed
    known = [e.question for e in site.asking("shop").context.knowledge.examples]
    assert known == (["How many records?"] if agreed else [])


def test_over_pipes(tmp_path: Path) -> None:
    make_shop(tmp_path / "shop.db")
    code = "from fathom.interfaces.cli import main; main()"
    variables = {
        "FATHOM_CACHE": str(tmp_path / "cache"),
        "FATHOM_STORE": str(tmp_path / "store.sqlite"),
        "FATHOM_CONFIG": str(tmp_path / "config.toml"),
    }
    server = StdioServerParameters(
        command=sys.executable, args=["-c", code, "mcp", str(tmp_path / "shop.db")], env=variables
    )

    async def work() -> Any:
        async with Client(server) as client:
            return await client.call_tool("ask", {"question": "How many albums are there?"})

    assert asyncio.run(work()).structured_content["rows"] == [[3]]


def test_a_dry_run_says_what_a_query_would_read(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {"sql": "SELECT title FROM album", "dry_run": True}
    assert called(site, "run_sql", **asked)["note"] == "it may run; nothing was run"
    monkeypatch.setattr(SQLite, "tells_size", True)
    monkeypatch.setattr(SQLite, "estimate", lambda *_: 4_200_000)
    assert "it would read about 4.2 MB" in called(site, "run_sql", **asked)["note"]


def test_where_no_sql_is_taken_none_is_judged_run_or_taught(tmp_path: Path, site: Site) -> None:
    closed = replace(site, rules=replace(site.rules, sql=False, teaching=True))
    asked: list[str] = []

    async def answer(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"agreed": True})

    async def use(client: Client) -> Any:
        given = []
        for tool, arguments in (
            ("run_sql", {"sql": "SELECT title FROM album"}),
            ("run_sql", {"sql": "SELECT title FROM album", "dry_run": True}),
            ("explain_sql", {"sql": "SELECT title FROM album"}),
            ("teach", {"question": "How many records?", "sql": "SELECT COUNT(*) FROM album"}),
            ("ask", {"question": "How many albums are there?"}),
        ):
            given.append(await client.call_tool(tool, arguments))
        return given

    *refused, answered = using(load(closed), use, elicitation_callback=answer)
    assert all(r.is_error and "switched off" in r.content[0].text for r in refused)
    assert answered.structured_content["rows"] == [[3]]
    assert not asked
    assert not site.lessons(site.database("shop")).lessons


def test_what_contradicts_a_lesson_is_not_taught(site: Site) -> None:
    async def answer(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"agreed": True})

    async def use(client: Client) -> Any:
        lesson = {"question": "How many records?", "sql": "SELECT COUNT(*) FROM album"}
        first = (await client.call_tool("teach", lesson)).structured_content
        second = await client.call_tool("teach", lesson | {"sql": "SELECT COUNT(id) FROM album"})
        return first, second.structured_content

    first, second = using(make_server(site, teaching=True), use, elicitation_callback=answer)
    assert (first["kept"], second["kept"]) == (True, False)
    assert "another lesson says otherwise" in second["outcome"]
    assert [one.id for one in site.lessons(site.database("shop")).lessons] == [first["lesson_id"]]


def test_what_assistants_ask_is_logged_as_theirs(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FATHOM_AUDIT_LOG", str(tmp_path / "audit.jsonl"))
    asked = called(site, "ask", question="How many albums are there?")
    called(site, "run_sql", sql="SELECT title FROM album")
    called(site, "run_sql", sql="DELETE FROM album")
    entries = list(AuditLog(tmp_path / "audit.jsonl").entries())
    assert [(e.interface, e.status) for e in entries] == [
        ("mcp", "sure"),
        ("mcp", "done"),
        ("mcp", "QueryRefused"),
    ]
    assert all(e.client.startswith("mcp ") for e in entries)
    assert entries[0].answer_id == asked["answer_id"]
    assert site.store.get(entries[0].answer_id).answer is not None
