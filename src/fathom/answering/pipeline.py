"""From a question to an answer: run a method, then say what came out and what it rests on."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from fathom.answering.alike_tables import alike_tables, asked_of_each
from fathom.answering.assumptions import files_read, inferred_joins, rows_seen
from fathom.answering.audit_log import logged_answer
from fathom.answering.chart import chart_for
from fathom.answering.explain import calculated, counted, explain
from fathom.answering.headings import capital, empty_tables, noun_for
from fathom.answering.likely_readings import likely_readings, told_apart
from fathom.answering.other_than_questions import instead_of_question, why_not_read
from fathom.answering.preparation import WITH_LOCAL_MODEL, Asking, AskOptions, prepared
from fathom.answering.reasons import outside_of, with_reasons
from fathom.answering.recall import recalled
from fathom.answering.restatement import restated
from fathom.answering.shown_rows import ForPeople, for_people
from fathom.answering.sync import wait
from fathom.answering.value_forms import as_asked, remarks_on_forms, unclear_day
from fathom.answering.words import About, in_words
from fathom.databases import Database
from fathom.databases.form_reading import read_by_forms
from fathom.errors import (
    ConnectionFailed,
    Misread,
    QueryError,
    RightsError,
)
from fathom.knowledge import KnowledgePack
from fathom.methods import run_method
from fathom.records import (
    MOST_READINGS,
    Answer,
    Assumption,
    Draft,
    Question,
    Reading,
    Refusal,
    Result,
    Schema,
    Trace,
)
from fathom.records.shared_fields import shared_fields
from fathom.watch import watching

if TYPE_CHECKING:
    from fathom.llm import Model


def ask(
    question: str | Question,
    database: str | Path | Database,
    *,
    evidence: str = "",
    reading: Reading | None = None,
    **options: Unpack[AskOptions],
) -> Answer:
    """Answer one question from a database, or give up to three readings of it, or say what is missing.

    `reading` is one of an earlier answer to the same question, to be run again (`Answer.choose` runs
    nothing). The options are those of `AskOptions`: `method`, `packs`, `examples`, `limits`, `confidence`,
    `model` and `embeddings`. Without a `method` it is `offline`, with a model `adaptive` or `local`; below
    `confidence` (0 to 1) an answer isn't sure; a model is named as `provider:name`, or opened. Raises
    `ConnectionFailed`, `UnknownName`, `InputError`, `QuestionTooLong` or `ModelError` for what can't be used;
    a query that fails is a refusal.
    """
    asked = _question(question, evidence)
    with prepared(database, **options) as asking:
        return wait(answer(asked, asking, reading=reading))


async def answer(
    question: Question, asking: Asking, *, reading: Reading | None = None, reasons: bool = True
) -> Answer:
    """The asynchronous form of `ask`, for a database that is prepared.

    Without `reasons` it doesn't look for why a question is declined, and what to ask instead, which takes up
    to two seconds. Where the settings name an audit log, the answer is in it before anybody has it.
    """
    work = _answer(question, asking, reading=reading, reasons=reasons)
    return await logged_answer(work, question.text, asking.database, asking.model_name)


async def _answer(question: Question, asking: Asking, *, reading: Reading | None, reasons: bool) -> Answer:
    if (ready := await _without_asking(question, asking, reading, reasons=reasons)) is not None:
        return ready
    if reading is not None:
        draft = Draft(question, sql=reading.sql)
    else:
        draft = _of_one_table(await run_method(asking.method, question, asking.context), asking)
    if draft.refusal is not None or draft.readings or draft.sql is None:
        return await _not_sure(draft, asking, reasons=reasons)
    try:
        # The query was chosen by another question: "and in 2015?" alone doesn't say what is counted.
        asked, told = question.text if reading is None else "", asking.context.knowledge.formats
        sql = await asyncio.to_thread(read_by_forms, draft.sql, asking.database, asked, told)
        result = draft.result if sql == draft.sql else None
        given = await _sure(draft, sql, asking, result, asked)
    except (QueryError, Misread) as error:
        return _refuse(draft, asking, _unusable(error))
    return await _worded(given, asking, draft.findings.get("answer"))


async def _without_asking(
    question: Question, asking: Asking, reading: Reading | None, *, reasons: bool
) -> Answer | None:
    """The answer that takes no method: a refusal, a solved question's, advice; None where there is none."""
    if (refusal := await _not_to_ask(question, asking)) is not None:
        return _refuse(Draft(question), asking, refusal)
    if reading is not None:
        return None
    if (known := await _known(question, asking)) is not None:
        return known
    advice = instead_of_question(question.text, asking.database.schema)
    if advice is None:
        return None
    advice = await _with_questions(Draft(question), advice, asking) if reasons else advice
    return replace(_refuse(Draft(question), asking, advice), text=advice.reason)


async def _not_sure(draft: Draft, asking: Asking, *, reasons: bool) -> Answer:
    """Readings to choose among, or the reason why there are none."""
    if not asking.method.asks_model and (unread := why_not_read(draft.question.text)) is not None:
        return _refuse(draft, asking, unread)
    refusal = draft.refusal or _why_none(draft)
    if reasons and draft.refusal is not None:
        refusal = await _with_questions(draft, refusal, asking)
    if draft.readings and not refusal.outside:
        return await _unsure(draft, refusal, asking)
    return _refuse(draft, asking, refusal)


async def _with_questions(draft: Draft, refusal: Refusal, asking: Asking) -> Refusal:
    """The refusal with its causes in the data, and with questions that have an answer."""
    with watching(asking.context.watch, "look for what to ask instead"):
        return await with_reasons(draft, refusal, asking.method, asking.context)


def _of_one_table(draft: Draft, asking: Asking) -> Draft:
    """The draft; where its query reads one of several tables that are alike, one that asks which of them."""
    schema = asking.database.schema
    if draft.sql is None or draft.refusal is not None or draft.readings:
        return draft
    alike = alike_tables(draft.sql, draft.question.text, schema)
    if not alike:
        return draft
    readings, why = asked_of_each(draft.sql, alike, schema)
    return replace(draft, readings=readings, refusal=why)


async def _not_to_ask(question: Question, asking: Asking) -> Refusal | None:
    """The reason why nothing can be asked: no words, or a database that has gone since it was opened."""
    if not any(letter.isalnum() for letter in question.text):
        return Refusal("There are no words in the question.")
    try:
        await asyncio.to_thread(asking.database.refresh)
    except (ConnectionFailed, RightsError) as error:
        return Refusal(str(error))
    if unclear := await asyncio.to_thread(unclear_day, question.text, asking.context):
        return Refusal(unclear)
    return None


async def _known(question: Question, asking: Asking) -> Answer | None:
    """The answer to a question that was solved in the same words; None for others, and where it fails."""
    draft = recalled(question, asking.context)
    if draft is None or draft.sql is None:
        return None
    try:
        return await _worded(await _sure(draft, draft.sql, asking, None, question.text), asking, None)
    except QueryError:  # such as of a table that has gone since
        return None


async def _worded(given: Answer, asking: Asking, said: str | None) -> Answer:
    """The answer in the model's words, where there is a model; `said` are words that it gave already.

    Small models of one's own machine aren't asked for words: that takes as long as the query, and tells less.
    """
    model = asking.context.model
    if model is None or asking.method.name == WITH_LOCAL_MODEL:
        return given
    with watching(asking.context.watch, "say it in words"):
        return await _in_its_words(given, model, said)


async def _sure(draft: Draft, sql: str, asking: Asking, known: Result | None, asked: str = "") -> Answer:
    """The answer that a query gives; `known` is its result, if it ran already. Raises `QueryError`.

    `asked` is the question, where the answer may take its words for what it asks for.
    """
    with watching(asking.context.watch, "run the query"):
        result = known or await asking.context.run(sql)
        people = await for_people(sql, result, asking.context)
    dialect = asking.database.dialect
    said = as_asked(sql, asking.context)
    return Answer(
        draft.question,
        in_words(people.rows, _about(said, people, asking, draft.question.text, asked)),
        sql=sql,
        explanation=explain(said, dialect),
        assumptions=(
            *draft.assumptions,
            *inferred_joins(sql, asking.database.schema),
            *rows_seen(sql, asking.database),
            *files_read(sql, asking.database),
            *remarks_on_forms(sql, asking.context),
        ),
        result=result,
        shown=people.rows,
        # A reading may leave words of the question out: its chart says what it shows instead.
        chart=chart_for(people.rows, draft.question.text if asked else capital(_restated(said, asking))),
        confidence=draft.confidence,
        method=asking.method.name,
        trace=draft.trace,
    )


def _restated(sql: str, asking: Asking) -> str:
    return restated(sql, asking.database, asking.context.knowledge, _flags(asking.database.schema))


def _finds_nothing(rows: Result) -> bool:
    return not any(cell for row in rows.rows for cell in row)


def _about(sql: str, people: ForPeople, asking: Asking, question: str, asked: str) -> About:
    """Collect the facts about a query's rows, and about the tables that it reads."""
    schema, knowledge = asking.database.schema, asking.context.knowledge
    dialect = asking.database.dialect
    return About(
        counted(sql, dialect, _called(knowledge), _flags(schema)),
        noun_for(sql, dialect, schema, knowledge),
        people.ranking,
        people.ties,
        outside_of(sql, question, asking.database) if _finds_nothing(people.rows) else "",
        empty_tables(sql, dialect, schema),
        asked,
        calculated(people.rows.sql, dialect),
        noun_for(sql, dialect, schema, knowledge, each=True),
    )


def _flags(schema: Schema) -> frozenset[str]:
    """The columns that are true or false in every table that has them, by folded names."""
    kinds = [(column.name.casefold(), column.kind) for table in schema.tables for column in table.columns]
    return frozenset(n for n, kind in kinds if kind == "boolean") - {n for n, k in kinds if k != "boolean"}


def _unusable(error: QueryError | Misread) -> Refusal:
    return Refusal(error.reason if isinstance(error, Misread) else f"The query for it can't be used: {error}")


def _why_none(draft: Draft) -> Refusal:
    several = "The question can be read in more than one way."
    return Refusal(several if draft.readings else "No query was found for this question.")


async def _unsure(draft: Draft, refusal: Refusal, asking: Asking) -> Answer:
    """Up to three readings, each with all that its answer needs; those that can't be run are left out."""
    readings: list[Reading] = []
    told = asking.context.knowledge.formats
    misread: Misread | None = None
    for reading in likely_readings(draft.readings, asking.database.schema, draft.question.text)[
        :MOST_READINGS
    ]:
        try:
            sql = await asyncio.to_thread(read_by_forms, reading.sql, asking.database, told=told)
            if any(known.sql == sql for known in readings):
                continue
            given = await _sure(draft, sql, asking, reading.result if sql == reading.sql else None)
        except Misread as found:
            misread = misread or found
            continue
        except QueryError:
            continue
        assumptions = tuple(dict.fromkeys((*given.assumptions, *reading.assumptions)))
        kept = shared_fields(given, Reading, but=("text", "sql", "confidence", "assumptions"))
        text = reading.text or _restated(as_asked(sql, asking.context), asking)
        readings.append(
            replace(reading, **kept, text=text, sql=sql, answer=given.text, assumptions=assumptions)
        )
    readings[:] = told_apart(readings, asking.database.dialect)
    if not readings:
        return _refuse(draft, asking, refusal if misread is None else _unusable(misread))
    return Answer(
        draft.question,
        " ".join(["I'm not sure.", *([refusal.reason] if refusal.missing else []), _did_you_mean(readings)]),
        confidence=draft.confidence,
        refusal=refusal,
        readings=tuple(readings),
        method=asking.method.name,
        trace=draft.trace,
    )


def _did_you_mean(readings: Sequence[Reading]) -> str:
    if len(readings) == 1:
        return f"Did you mean this: {readings[0].text}?"
    *ways, last = (f"({i}) {reading.text}" for i, reading in enumerate(readings, 1))
    return f"Did you mean {', '.join(ways)}, or {last}?"


async def _in_its_words(given: Answer, model: "Model", said: str | None) -> Answer:
    """The answer in a model's words, as far as the result holds them; else as written from the result."""
    from fathom.answering.model_words import word_answer  # noqa: PLC0415, only where a model is asked

    if given.result is None:
        return given
    found = await word_answer(given.question, given.result, model, said)
    noted = (Assumption("default", found.note, model.name),) if found.note else ()
    return replace(
        given,
        text=found.text or given.text,
        assumptions=(*given.assumptions, *noted),
        trace=Trace((*given.trace.steps, found.step)),
    )


def _called(knowledge: KnowledgePack) -> dict[str, str]:
    """The names of tables in the knowledge pack, by table in small letters."""
    return {table.casefold(): note.name for table, note in knowledge.tables.items() if note.name}


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
