"""Saved questions as tools: each asks its own query with the values that an assistant gives."""

import asyncio
import re
from collections.abc import Mapping
from typing import Any

from mcp.types import Tool, ToolAnnotations

from fathom.answering import answer
from fathom.answering.parameters import VALUE_LETTERS, SavedParameter
from fathom.answering.saved_queries import query_of, values_of
from fathom.answering.store import Origin, Saved
from fathom.answering.store.store import new_id
from fathom.interfaces.mcp.replies import ROWS, AskReply, ask_reply
from fathom.interfaces.mcp.sources import Sources
from fathom.records import Question, Reading

MOST_TOOLS = 20
"""Saved questions that become tools, those with values first: each costs an assistant some of its context."""
PREFIX = "saved_"
_TITLE_LETTERS = 200
_READS = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)


class SavedTools:
    """The saved questions of the databases that are served, looked up anew whenever they are listed."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def saved(self) -> dict[str, Saved]:
        """Saved questions that have a query, by the names of their tools."""
        there = self._sources.databases
        found = [s for s in self._sources.store.all_saved() if s.entry.database in there]
        found = [s for s in found if s.sql or s.entry.sql]
        found.sort(key=lambda s: not s.parameters)
        return {f"{PREFIX}{s.slug.replace('-', '_')[:50]}": s for s in found[:MOST_TOOLS]}

    def definitions(self) -> list[Tool]:
        """The tools as clients list them."""
        return [
            Tool(
                name=name,
                description=f"Saved question on {s.entry.database}: {s.title[:_TITLE_LETTERS]}",
                input_schema={"type": "object", "properties": _properties(s)},
                annotations=_READS,
            )
            for name, s in self.saved().items()
        ]

    async def ask(self, saved: Saved, arguments: Mapping[str, Any]) -> AskReply:
        """Ask a saved question with these values; its answer is kept. Raises `FathomError`."""
        names = _names(saved)
        values = values_of(saved, {names[key]: _text(value) for key, value in arguments.items()})
        asking = await asyncio.to_thread(self._sources.asking, saved.entry.database)
        sql = query_of(saved, asking.database.dialect, values)
        said = ", ".join(f"{name} {value}" for name, value in values.items())
        question = Question(f"{saved.title}: {said}" if said else saved.title)
        given = await answer(question, asking, reading=Reading("the query as it was saved", sql))
        id_, used = new_id(), given.trace.usage
        await asyncio.to_thread(
            self._sources.store.keep,
            id_,
            given,
            saved.entry.database,
            origin=Origin.EDITED,
            asked_by="mcp",
            seconds=used.own_seconds + used.database_seconds,
        )
        return ask_reply(given, ROWS, id_)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _names(saved: Saved) -> dict[str, str]:
    """The names of parameters by keys that every client takes: letters, digits and underscores."""
    found: dict[str, str] = {}
    for parameter in saved.parameters:
        key = re.sub(r"[^a-z0-9]+", "_", parameter.name.casefold()).strip("_") or "value"
        found[key if key not in found else f"{key}_{len(found) + 1}"] = parameter.name
    return found


def _properties(saved: Saved) -> dict[str, Any]:
    by_name = {p.name: p for p in saved.parameters}
    return {key: _property(by_name[name]) for key, name in _names(saved).items()}


def _property(parameter: SavedParameter) -> dict[str, Any]:
    about = f"{parameter.name}; {parameter.value[:60]} unless given"
    if parameter.kind == "number":
        return {"type": "number", "description": about}
    dated = {"format": "date"} if parameter.kind == "date" else {"maxLength": VALUE_LETTERS}
    return {"type": "string", "description": about, **dated}
