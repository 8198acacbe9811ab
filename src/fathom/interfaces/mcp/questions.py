"""The tool `ask`: a question to its answer, asking back where the client's person can be asked."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context, Elicit, ElicitationResult, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field, create_model

from fathom.answering import Conversation
from fathom.answering.store import Origin
from fathom.answering.store.store import new_id
from fathom.errors import FathomError
from fathom.interfaces.mcp.replies import ROWS, AskReply, Rows, ask_reply
from fathom.interfaces.mcp.sources import Sources, asked_by, only
from fathom.records import Answer, Ending
from fathom.text import without_secrets
from fathom.watch import Event

QUESTION_LETTERS = 2_000
_REMEMBERED = 32
"""Answers that wait for a choice: the person may take a while, other requests come between."""

Text = Annotated[str, Field(max_length=QUESTION_LETTERS)]
Asked = tuple[str, str, str, str]


class ChosenReading(BaseModel):
    """The number of a reading; 0 for none of them."""

    reading: int = 0


class Questions:
    """Answers questions for the tool. One question is answered once, however often a client comes back."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._open: OrderedDict[Asked, tuple[Answer, str]] = OrderedDict()

    def tool(self) -> Callable[..., Any]:
        """The function that becomes the tool, with its arguments as a client sees them."""

        async def which_reading(
            *, question: str, database: str, evidence: str, after: str, reading: int | None, ctx: Context
        ) -> ChosenReading | Elicit[Any]:
            given, _ = await self._answer(question, database, evidence, after, ctx)
            if reading is not None or given.ending is not Ending.UNSURE or not _can_be_asked(ctx):
                return ChosenReading(reading=reading or 0)
            return Elicit(_asked_back(given), _form(len(given.readings)))

        async def ask(
            *,
            question: Text,
            ctx: Context,
            choice: Annotated[ElicitationResult[ChosenReading], Resolve(which_reading)],
            database: str = "",
            evidence: Annotated[str, Field(max_length=QUESTION_LETTERS, description="What words mean")] = "",
            reading: Annotated[int | None, Field(description="Number of one asked back")] = None,
            after: Annotated[str, Field(description="answer_id that a follow-up goes on from")] = "",
            max_rows: Rows = ROWS,
        ) -> AskReply:
            """Answer a question about a database, with SQL, rows and confidence.

            Asks back with readings where unsure: call again with reading. database may be left out where
            there is one.
            """
            given, id_ = await self._answer(question, database, evidence, after, ctx)
            self._open.pop((question, database, evidence, after), None)
            chosen = int(choice.data.reading) if choice.action == "accept" else 0
            if chosen and given.readings:
                given = given.choose(chosen)
            name = only(self._sources, database)
            await asyncio.to_thread(self._keep, id_, name, given, after, chosen)
            return ask_reply(given, max_rows, id_)

        return ask

    async def _answer(
        self, question: str, database: str, evidence: str, after: str, ctx: Context
    ) -> tuple[Answer, str]:
        """The answer, and the id that it will be kept by."""
        asked, id_ = (question, database, evidence, after), new_id()
        try:
            with asked_by(ctx, id_):
                return await self._known_or_found(asked, id_, ctx)
        except FathomError as error:
            raise ToolError(str(error)) from error

    async def _known_or_found(self, asked: Asked, id_: str, ctx: Context) -> tuple[Answer, str]:
        question, database, evidence, after = asked
        if asked not in self._open:
            name = only(self._sources, database)
            asking = await asyncio.to_thread(self._sources.asking, name)
            before = await asyncio.to_thread(self._before, after)
            talk = Conversation(asking.watched(_teller(ctx)), before)
            given = await talk.answer(question, evidence=evidence)
            if given.refusal is not None and given.refusal.fault:
                raise ToolError(without_secrets(given.refusal.reason))
            self._open[asked] = given, id_
            while len(self._open) > _REMEMBERED:
                self._open.popitem(last=False)
        return self._open[asked]

    def _before(self, after: str) -> list[Answer]:
        if not after:
            return []
        known = self._sources.store.get(after).answer
        return [known] if known else []

    def _keep(self, id_: str, database: str, given: Answer, after: str, chosen: int) -> None:
        store = self._sources.store
        used = given.trace.usage
        store.keep(
            id_,
            given,
            database,
            conversation=store.get(after).conversation if after else "",
            origin=Origin.CHOSEN if chosen else Origin.ASKED,
            asked_by="mcp",
            seconds=used.own_seconds + used.database_seconds + used.model_seconds,
        )


def _can_be_asked(ctx: Context) -> bool:
    able = ctx.client_capabilities
    return able is not None and able.elicitation is not None


def _asked_back(given: Answer) -> str:
    ways = "\n".join(f"{number}. {r.text}" for number, r in enumerate(given.readings, 1))
    return f"I'm not sure what “{given.question.text}” means. Which is it?\n{ways}"


def _form(count: int) -> type[BaseModel]:
    numbers = tuple(str(n) for n in range(count + 1))
    field: Any = (Literal[numbers], Field(description="The number of a reading, or 0 for none of them."))
    return create_model("ChosenReading", reading=field)


def _teller(ctx: Context) -> Callable[[Event], None]:
    """Tells the client how far the answer is, from whichever thread works on it."""
    loop = asyncio.get_running_loop()
    told = 0

    def tell(event: Event) -> None:
        nonlocal told
        if event.state != "ended":
            told += 1
            work = ctx.report_progress(told, None, event.text or event.step)
            asyncio.run_coroutine_threadsafe(work, loop)

    return tell
