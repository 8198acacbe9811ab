"""One question of the web app from the store to its answer: opened, asked in its conversation, stoppable."""

import asyncio
from dataclasses import dataclass

from fathom.answering import Asking, Conversation, answer
from fathom.answering.audit_log import logging_as
from fathom.answering.store import Origin, StoredQuestion
from fathom.errors import FathomError
from fathom.interfaces.web.site import Site
from fathom.records import Answer, Question, Reading
from fathom.watch import Watch, watching


@dataclass(frozen=True, slots=True)
class AnswerJob:
    """How a question is to be answered: by the method, or by a query that a person wrote or chose.

    `client` is the program that asked, as it names itself.
    """

    sql: str = ""
    client: str = ""


def asked_again(site: Site, entry: StoredQuestion) -> AnswerJob:
    """How to answer a question once more: by the same query where a person wrote or chose one."""
    first = _first(site, entry)
    return AnswerJob(first.sql if first.origin in (Origin.EDITED, Origin.GUESSED, Origin.CHOSEN) else "")


def _first(site: Site, entry: StoredQuestion) -> StoredQuestion:
    """The entry that another asks again, if it does."""
    while entry.origin is Origin.AGAIN and entry.parent and (before := site.store.find(entry.parent)):
        entry = before
    return entry


async def work_on(site: Site, asked: AnswerJob, entry: StoredQuestion, watch: Watch) -> tuple[Answer, str]:
    """The answer to a question that the store holds, and the mark of the data. Raises `FathomError`."""
    with watching(watch, "open the database"):
        asking = await asyncio.to_thread(site.asking, entry.database)
        state = await asyncio.to_thread(asking.database.state)
    with logging_as("browser", client=asked.client, answer_id=entry.id):
        return await _answered(site, asked, entry, asking.watched(watch)), state


async def _answered(site: Site, asked: AnswerJob, entry: StoredQuestion, watched: Asking) -> Answer:
    if asked.sql:
        question = Question(entry.question, evidence=entry.evidence)
        return await answer(question, watched, reading=Reading("the query as it was edited", asked.sql))
    # Kept answers instead of a conversation in memory: it goes on after a restart, and in another process.
    earlier = await asyncio.to_thread(_before, site, entry)
    given = await Conversation(watched, earlier).answer(entry.question, evidence=entry.evidence)
    if given.refusal is not None and given.refusal.fault:
        raise FathomError(given.refusal.reason)  # told as a failure, and not kept as what is known
    return given


def _before(site: Site, entry: StoredQuestion) -> list[Answer]:
    first, found = _first(site, entry), []
    for kept in site.store.conversation(entry.conversation):
        if kept.id == first.id:
            break
        if (known := kept.answer) is not None:
            found.append(known)
    return found
