"""Rehearsing a lesson: what it changes, tried on the question it comes from and on those solved before."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from enum import StrEnum

from fathom.answering.audit_log import on_behalf
from fathom.answering.pipeline import answer
from fathom.answering.preparation import WITH_LOCAL_MODEL, WITH_MODEL, WITHOUT_MODEL, Asking
from fathom.errors import InputError, QueryError
from fathom.knowledge import KnowledgePack, check
from fathom.knowledge.lessons import Lesson, LessonFile, contradicted
from fathom.knowledge.trials import try_pack
from fathom.offline.engine import OfflineEngine
from fathom.offline.engines import engine_for, forget
from fathom.offline.opinions import choose_like
from fathom.offline.ranking.result_features import QueryOutcome
from fathom.records import Answer, Ending, Question, SolvedExample
from fathom.watch import tell

MOST = 30
"""Solved questions asked again: each takes two answers of some 0.1 s, and a person waits."""
FOLDS = 5
"""Parts that the solved questions are asked in, each with what the others teach: by itself each is known."""


class Stand(StrEnum):
    """How a solved question is answered."""

    RIGHT, WRONG, OPEN = "right", "wrong", "open"


@dataclass(frozen=True, slots=True)
class Retried:
    """A solved question, and how it is answered without the lesson and with it."""

    question: str
    before: Stand
    after: Stand


@dataclass(frozen=True, slots=True)
class LessonRehearsal:
    """The effect of a lesson. `before` and `after` answer the question at hand, if there is one.

    `known` are the ids of the lessons that there were, `contradicted` those of them that say otherwise.
    """

    lesson: Lesson
    before: Answer | None
    after: Answer | None
    retried: tuple[Retried, ...]
    known: frozenset[str] = frozenset()
    contradicted: tuple[Lesson, ...] = ()

    @property
    def fixed(self) -> tuple[Retried, ...]:
        """The solved questions that are answered rightly only with the lesson."""
        return tuple(r for r in self.retried if r.after is Stand.RIGHT and r.before is not Stand.RIGHT)

    @property
    def broken(self) -> tuple[Retried, ...]:
        """The solved questions that are answered rightly only without the lesson, or wrongly only with it."""
        lost = (r for r in self.retried if r.before is Stand.RIGHT and r.after is not Stand.RIGHT)
        spoilt = (r for r in self.retried if r.before is Stand.OPEN and r.after is Stand.WRONG)
        return (*lost, *spoilt)

    @property
    def objection(self) -> str:
        """Why the lesson isn't kept unless somebody insists, in words; "" where nothing is against it."""
        if self.broken:
            many = len(self.broken)
            return f"it breaks {many} solved question{'' if many == 1 else 's'}"
        if self.contradicted:
            return f"another lesson says otherwise: {self.contradicted[0].text}"
        if self.lesson.trial and not self._changes:
            return f"it changes nothing: “{self.lesson.trial}” is answered as before"
        return ""

    @property
    def _changes(self) -> bool:
        """True if the question at hand gets another query by the lesson."""
        after = self.after and self.after.best_query
        return after is not None and after != (self.before and self.before.best_query)

    @property
    def text(self) -> str:
        """The outcome on one line."""
        return f"{len(self.fixed)} fixed, {len(self.broken)} broken of {len(self.retried)} solved questions"


async def validate(asking: Asking, lesson: Lesson) -> None:
    """Hold a lesson against the database: its names must be there, its query must run under the guard.

    Raises `InputError` with what is wrong.
    """
    if found := check(lesson.pack, asking.database.schema):
        raise InputError("; ".join(mismatch.problem for mismatch in found))
    await asyncio.to_thread(try_pack, lesson.pack, asking.database)
    for example in lesson.pack.examples:
        try:
            await asking.context.run(example.sql)
        except QueryError as error:
            raise InputError(f"the query can't be learned: {error}") from error


async def rehearse(
    asking: Asking, lesson: Lesson, question: Question | None = None, *, among: Sequence[Lesson] = ()
) -> LessonRehearsal:
    """Answer the question and those that the packs hold solved, without the lesson and with it.

    Nothing is kept; `among` are the lessons that it would stand beside. Each solved question is answered by
    what the others teach. The audit log has the question, whose answers a person sees, not the solved ones.
    Raises what `answer` raises.
    """
    knowledge = asking.context.knowledge
    solved = [e for e in knowledge.examples if e not in lesson.pack.examples][:MOST]
    before = after = None
    if question is None and lesson.trial:
        question = Question(lesson.trial)
    if question is not None:
        before = await answer(question, asking, reasons=False)
        async with _knowing(asking, knowledge.merge(lesson.pack)) as with_it:
            after = await answer(question, with_it, reasons=False)
    with on_behalf():
        retried = [r async for r in _retried(asking, lesson, solved)]
    known = frozenset(one.id for one in among)
    return LessonRehearsal(lesson, before, after, tuple(retried), known, contradicted(among, lesson))


def keep(file: LessonFile, tried: LessonRehearsal, *, anyway: bool = False) -> Lesson | None:
    """Keep a lesson that was rehearsed; the one that is kept, or None where there is an objection.

    `anyway` keeps it all the same. Raises `LessonContradicted` where something was taught since it was
    rehearsed that says otherwise, and `ConfigError` where the file can't be written.
    """
    if tried.objection and not anyway:
        return None
    return file.add(tried.lesson, known=tried.known)


async def _retried(asking: Asking, lesson: Lesson, solved: Sequence[SolvedExample]) -> AsyncIterator[Retried]:
    knowledge = asking.context.knowledge
    for fold in range(FOLDS):
        asked = solved[fold::FOLDS]
        others = tuple(e for e in knowledge.examples if e not in asked)
        without = knowledge.model_copy(update={"examples": others})
        async with _knowing(asking, without) as plain, _knowing(asking, without.merge(lesson.pack)) as taught:
            for place, example in enumerate(asked):
                tell("asking solved questions again", fold * len(solved) // FOLDS + place, len(solved))
                before, after = [await _stand(example, way) for way in (plain, taught)]
                if before is not None and after is not None:
                    yield Retried(example.question, before, after)


async def _stand(example: SolvedExample, asking: Asking) -> Stand | None:
    """How a solved question is answered; None where its own query doesn't run."""
    try:
        gold = await asking.context.run(example.sql)
    except QueryError:
        return None
    given = await answer(Question(example.question, evidence=example.evidence), asking, reasons=False)
    if given.ending is not Ending.SURE or given.result is None:
        return Stand.OPEN
    return (
        Stand.RIGHT if QueryOutcome.of(given.result).digest == QueryOutcome.of(gold).digest else Stand.WRONG
    )


@asynccontextmanager
async def _knowing(asking: Asking, knowledge: KnowledgePack) -> AsyncIterator[Asking]:
    """The same way to ask with other knowledge, let go of afterwards.

    It chooses as the known one does, so that only the knowledge differs.
    """
    other = replace(asking, context=replace(asking.context, knowledge=knowledge))
    try:
        if _begins_offline(asking):
            await asyncio.to_thread(lambda: choose_like(_engine(other), _engine(asking)))
        yield other
    finally:
        forget(asking.database, knowledge)


def _engine(asking: Asking) -> OfflineEngine:
    known = asking.context
    return engine_for(known.database, known.knowledge, known.examples, known.cache)


def _begins_offline(asking: Asking) -> bool:
    return asking.method.name in {WITHOUT_MODEL, WITH_MODEL, WITH_LOCAL_MODEL}
