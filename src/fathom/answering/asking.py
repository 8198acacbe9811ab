"""From a question to an answer: run a method, then say what came out and what it rests on."""

from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from fathom import registry
from fathom.answering.assumptions import inferred_joins
from fathom.answering.chart import chart_for
from fathom.answering.explain import explain
from fathom.answering.waiting import wait
from fathom.answering.words import in_words
from fathom.config import Settings, read_settings
from fathom.databases import Database, connect
from fathom.errors import ConfigError, ModelNeeded, QueryError
from fathom.knowledge import KnowledgePack, load_packs
from fathom.methods import Context, Method, find_method, run_method
from fathom.records import (
    Answer,
    Assumption,
    Draft,
    Limits,
    Question,
    Reading,
    Refusal,
    Result,
    SolvedExample,
    Trace,
)

if TYPE_CHECKING:
    from fathom.llm import Embedder, Model

WITHOUT_MODEL, WITH_MODEL = "offline", "adaptive"
"""The methods to ask by where none is named; the second tries the first before it asks the model."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How to ask one database: which method, what is known beforehand, within which limits."""

    database: Database
    method: Method
    context: Context


def prepare(
    database: Database,
    *,
    method: str | Method | None = None,
    packs: Iterable[str | Path | KnowledgePack] = (),
    examples: Iterable[SolvedExample] = (),
    limits: Limits | None = None,
    confidence: float | None = None,
    model: "Model | None" = None,
    embeddings: "Embedder | None" = None,
    settings: Settings | None = None,
) -> Asking:
    """Get ready to ask one database several questions, by `offline` or, with a `model`, by `adaptive`.

    The packs that the settings name for the database, or that come with a demo, are always there; `packs` go
    on top of them. Below `confidence` (0 to 1) a question is declined, where the method's own bar is another.
    What a model said of one question may serve the next, unless it is recorded. Raises `UnknownName` for a
    method that isn't registered, `ModelNeeded` for one that asks a model where none is given, `ConfigError`
    for a `confidence` out of range or a method without such a bar, and `InputError` for a pack that can't be
    read.
    """
    chosen = _method(method or (WITHOUT_MODEL if model is None else WITH_MODEL), confidence)
    if chosen.asks_model and model is None:
        raise ModelNeeded
    settings = settings or read_settings()
    context = Context(
        database,
        _knowledge([*_own_packs(database, settings), *packs]),
        tuple(examples),
        limits if limits is not None else Limits(),
        settings.cache,
        model,
        embeddings,
        remembers=model is not None and not model.recorded,
    )
    return Asking(database, chosen, context)


def _method(named: str | Method, confidence: float | None) -> Method:
    chosen = find_method(named) if isinstance(named, str) else named
    if not isinstance(chosen, Method):
        raise ConfigError(f"{named!r} is no method made of steps; fathom evaluate can measure it.")
    if confidence is None:
        return chosen
    if not 0 <= confidence <= 1:
        raise ConfigError(f"A confidence is from 0 to 1, not {confidence:g}.")
    return chosen.using(confidence=confidence)


def learn(asking: Asking) -> int:
    """Learn from solved examples ahead of the first question; how many of them can be learned from.

    What is learned is kept in the cache, for as long as examples, pack and schema stay the same.
    """
    from fathom.offline.engine import engine_for  # noqa: PLC0415, only where it is asked for
    from fathom.offline.solved.rehearsing import reranker_for  # noqa: PLC0415

    known = asking.context
    if not (known.knowledge.examples or known.examples):
        return 0
    engine = engine_for(known.database, known.knowledge, known.examples, known.cache)
    reranker_for(engine)
    return len(engine.examples)


def ask(
    question: str | Question,
    database: str | Path | Database,
    *,
    method: str | Method | None = None,
    evidence: str = "",
    packs: Iterable[str | Path | KnowledgePack] = (),
    examples: Iterable[SolvedExample] = (),
    reading: Reading | None = None,
    limits: Limits | None = None,
    confidence: float | None = None,
    model: "str | Model | None" = None,
    embeddings: "str | Embedder | None" = None,
) -> Answer:
    """Answer one question from a database, or refuse with a reason, or ask back.

    Without a `method` it is `offline`, or `adaptive` where there is a model, which tries `offline` first.
    `reading` is the choice among the readings of an earlier answer that asked back; below `confidence`
    (0 to 1) a question is declined, where the method's own bar is another; `model` is the language
    model of methods that ask one, as `provider:name` or opened; `embeddings` is likewise the model that tells
    them what is near in meaning, where words and spelling tell it otherwise. Raises `ConnectionFailed`,
    `UnknownName`, `InputError` or `ModelError` for what can't be used; a query that fails is a refusal.
    """
    asked = _question(question, evidence)
    from fathom.llm import opened_embedder, opened_model  # noqa: PLC0415, slow to import

    with (
        _opened(database) as opened,
        opened_model(model) as asked_model,
        opened_embedder(embeddings) as embedder,
    ):
        asking = prepare(
            opened,
            method=method,
            packs=packs,
            examples=examples,
            limits=limits,
            confidence=confidence,
            model=asked_model,
            embeddings=embedder,
        )
        return wait(answer(asked, asking, reading=reading))


def _opened(database: str | Path | Database) -> AbstractContextManager[Database]:
    """A database that is closed afterwards, unless it was open before."""
    return nullcontext(database) if isinstance(database, Database) else connect(database)


async def answer(question: Question, asking: Asking, *, reading: Reading | None = None) -> Answer:
    """The asynchronous form of `ask`, for a database that is prepared."""
    if not any(letter.isalnum() for letter in question.text):
        return _refuse(Draft(question), asking, Refusal("There are no words in the question."))
    if reading is not None:
        draft = Draft(question, sql=reading.sql)
    else:
        draft = await run_method(asking.method, question, asking.context)
    if draft.readings:
        return _ask_back(draft, asking)
    if draft.refusal is not None or draft.sql is None:
        return _refuse(draft, asking, draft.refusal or Refusal("No query was found for this question."))
    try:
        result = draft.result or await asking.context.run(draft.sql)
    except QueryError as error:
        return _refuse(draft, asking, Refusal(f"The query for it can't be used: {error}"))
    dialect = asking.database.dialect
    given = Answer(
        question,
        in_words(result, dialect, _called(asking.context.knowledge)),
        sql=draft.sql,
        explanation=explain(draft.sql, dialect),
        assumptions=(*draft.assumptions, *inferred_joins(draft.sql, asking.database.schema)),
        result=result,
        chart=chart_for(result, question.text),
        confidence=draft.confidence,
        method=asking.method.name,
        trace=draft.trace,
    )
    model = asking.context.model
    return given if model is None else await _in_its_words(given, result, model, draft.findings.get("answer"))


async def _in_its_words(given: Answer, result: Result, model: "Model", said: str | None) -> Answer:
    """The answer in a model's words, as far as the result holds them; else as written from the result."""
    from fathom.answering.wording import word_answer  # noqa: PLC0415, only where a model is asked

    found = await word_answer(given.question, result, model, said)
    noted = (Assumption("default", found.note, model.name),) if found.note else ()
    return replace(
        given,
        text=found.text or given.text,
        assumptions=(*given.assumptions, *noted),
        trace=Trace((*given.trace.steps, found.step)),
    )


def _called(knowledge: KnowledgePack) -> dict[str, str]:
    """What the tables are called by those who know them."""
    return {table.casefold(): note.name for table, note in knowledge.tables.items() if note.name}


def _ask_back(draft: Draft, asking: Asking) -> Answer:
    ways = [f"({i}) {reading.text}" for i, reading in enumerate(draft.readings, 1)]
    return Answer(
        draft.question,
        f"Did you mean {', or '.join(ways)}?",
        readings=draft.readings,
        confidence=draft.confidence,
        method=asking.method.name,
        trace=draft.trace,
    )


def _refuse(draft: Draft, asking: Asking, refusal: Refusal) -> Answer:
    return Answer(
        draft.question,
        f"I don't know. {refusal.reason}",
        refusal=refusal,
        confidence=draft.confidence,
        method=asking.method.name,
        trace=draft.trace,
    )


def _question(question: str | Question, evidence: str) -> Question:
    if isinstance(question, str):
        return Question(question, evidence=evidence)
    return replace(question, evidence=evidence) if evidence else question


def _own_packs(database: Database, settings: Settings) -> Iterable[Path]:
    """What is known about a database beforehand, by the name that it was opened by."""
    kind, is_demo, name = database.known_as.partition("demo:")
    if is_demo and not kind and name in registry.names("packs"):
        return [registry.load("packs", name)]
    return settings.packs.get(database.known_as, ())


def _knowledge(packs: Iterable[str | Path | KnowledgePack]) -> KnowledgePack:
    merged = KnowledgePack()
    for pack in packs:
        merged = merged.merge(pack if isinstance(pack, KnowledgePack) else load_packs(pack))
    return merged
