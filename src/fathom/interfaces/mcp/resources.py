"""Resources and prompts: comfort for clients that have them. The tools are enough by themselves."""

import asyncio
import json
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError

from fathom.answering import as_json
from fathom.errors import FathomError
from fathom.interfaces.mcp.replies import MOST_LETTERS
from fathom.interfaces.mcp.search import search
from fathom.interfaces.mcp.sources import Sources
from fathom.knowledge.lessons import pack_as_yaml


def add_resources(server: MCPServer, sources: Sources) -> None:
    """Schemas, tables, packs and answers, each by its address."""

    @server.resource("fathom://{database}/schema", mime_type="application/json")
    async def schema(database: str) -> str:
        """The tables of a database with their columns, as far as there is room."""
        asking = await _found(asyncio.to_thread(sources.asking, database))
        reply = await asyncio.to_thread(search, asking, "", kind="table", detail="summary", limit=10_000)
        return _json(reply.model_dump())

    @server.resource("fathom://{database}/t/{table}", mime_type="application/json")
    async def table(database: str, table: str) -> str:
        """One table: its columns with types and meanings, and its joins."""
        asking = await _found(asyncio.to_thread(sources.asking, database))
        reply = await asyncio.to_thread(search, asking, table, kind="table", detail="full", limit=200)
        named = [m for m in reply.matches if m["name"].casefold() == table.casefold()]
        if not named:
            raise ResourceNotFoundError(f"There is no table {table!r}.")
        return _json(named[0])

    @server.resource("fathom://{database}/pack", mime_type="application/yaml")
    async def pack(database: str) -> str:
        """The knowledge of experts about a database."""
        asking = await _found(asyncio.to_thread(sources.asking, database))
        return pack_as_yaml(asking.context.knowledge)[:MOST_LETTERS]

    @server.resource("fathom://answer/{id}", mime_type="application/json")
    async def answer(id: str) -> str:
        """An answer as it was given: nothing is asked again."""
        kept = await _found(asyncio.to_thread(sources.store.get, id))
        if kept.answer is None:
            raise ResourceNotFoundError(f"There is no answer to it: {kept.status}.")
        return _json(as_json(kept.answer))


async def _found(work: Any) -> Any:
    try:
        return await work
    except FathomError as error:
        raise ResourceNotFoundError(str(error)) from error


def _json(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, default=str)[:MOST_LETTERS]


def add_prompts(server: MCPServer) -> None:
    """Two ways to go about things that are more than one question."""

    @server.prompt()
    def investigate(question: str) -> str:
        """Look into a question step by step, with the evidence for each."""
        return (
            f"Look into this with Fathom: {question}\n"
            "Find with search what the database holds. Break the question into ones that a query can "
            "answer, ask each with ask, and go on with after. Where it asks back, choose only if the "
            "question says which, else ask me. Where it declines, say so. Give each figure's SQL and "
            "confidence."
        )

    @server.prompt()
    def check_claim(text: str) -> str:
        """Check a statement against the data."""
        return (
            f"Check this against the database with Fathom: {text}\n"
            "Take its figures one by one, ask for each, and compare. Say for each: right, wrong with the "
            "right figure, or not to be checked from this database; give the SQL."
        )
