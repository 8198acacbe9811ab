"""Teaching: what people know about a database, tried side by side before it is kept, undone at will."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel

from fathom.answering import as_json
from fathom.answering.preparation import learn
from fathom.answering.store import UNFINISHED, AnswerNotFound, Standing
from fathom.errors import FathomError, InputError
from fathom.interfaces.web.jobs import Busy, JobProgress
from fathom.interfaces.web.pages.answer import Nothing
from fathom.interfaces.web.routes import ActionDone, OfSite, done, shown
from fathom.interfaces.web.site import Site
from fathom.interfaces.web.streaming import STREAMED, streamed
from fathom.interfaces.web.teachings import Teaching
from fathom.interfaces.web.trials import FINISHED, LessonTrial, TrialOutcome, Trials
from fathom.knowledge.lessons import Lesson, pack_as_yaml, pack_of
from fathom.records import Answer, Question, Schema
from fathom.text import without_secrets
from fathom.watch import Watch, watching

router = APIRouter(tags=["teaching"])
PLACES = 500
"""Tables and columns that are suggested while one types: more slow a page down."""
ROWS = 50
"""Of each answer that is shown side by side."""


@dataclass(frozen=True, slots=True)
class LessonLine:
    """One lesson in a list; `answer` is the id of the answer that it was taught from."""

    id: str
    kind: str
    text: str
    taught: datetime
    by: str
    answer: str


@dataclass(frozen=True, slots=True)
class ReadingChoice:
    """A reading of the answer at hand, to be taught as what the question means."""

    text: str
    sql: str


@dataclass(frozen=True, slots=True)
class TeachPage:
    """Forms to teach a database something, filled from an answer where there is one; and what was taught."""

    database: str
    teaching: Teaching
    readings: Sequence[ReadingChoice]
    places: Sequence[str]
    lessons: Sequence[LessonLine]
    sql_allowed: bool


@dataclass(frozen=True, slots=True)
class TrialPage:
    """One lesson that is tried. `status` is waiting, working, finished, failed, cancelled or interrupted.

    `before` and `after` answer the question at hand without the lesson and with it. `difference` are the
    lines that keeping it adds to the file of lessons; `overruled` is what it overrules, and `contradicted`
    lessons that say otherwise; `fixed` and `broken` are solved questions, of `solved`. `kept` is the id of
    the lesson once it is kept, and `undone` says that it is kept no more.
    """

    id: str
    database: str
    teaching: Teaching
    lesson: str
    status: str
    why: str
    progress: JobProgress | None
    seconds: float
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    difference: Sequence[str]
    overruled: Sequence[str]
    contradicted: Sequence[LessonLine]
    fixed: Sequence[str]
    broken: Sequence[str]
    solved: int
    outcome: str
    kept: str
    undone: bool
    places: Sequence[str]
    sql_allowed: bool


@shown(router, "/db/{database}/teach", "teach.html")
def teach_page(site: OfSite, database: str, answer: str = "", kind: str = "", word: str = "") -> TeachPage:
    """Show a database's lessons, and forms to teach more; `answer` fills them from that answer."""
    opened = site.asking(database).database
    filled = Teaching(word=word[:200])
    readings: Sequence[ReadingChoice] = ()
    if answer:
        kept = site.store.get(answer)
        if kept.database != database:
            raise AnswerNotFound("answer", answer)
        given = kept.answer
        sql, missing = (given.sql or "", _missing(given)) if given else ("", "")
        filled = Teaching(question=kept.question, sql=sql, word=filled.word or missing, answer=answer)
        readings = [ReadingChoice(r.text, r.sql) for r in given.readings] if given else ()
    if kind in ("synonym", "value", "convention"):
        filled = Teaching.model_validate({**filled.model_dump(), "kind": kind})
    lessons = [_line(lesson) for lesson in reversed(site.lessons(opened).lessons)]
    return TeachPage(database, filled, readings, _places(opened.schema), lessons, site.rules.sql)


def _missing(given: Answer) -> str:
    return " ".join(given.refusal.missing)[:200] if given.refusal else ""


def _places(schema: Schema) -> list[str]:
    tables = (t.name for t in schema.tables)
    columns = (f"{t.name}.{c.name}" for t in schema.tables for c in t.columns)
    return [*islice(tables, PLACES // 2), *islice(columns, PLACES // 2)]


def _line(lesson: Lesson) -> LessonLine:
    return LessonLine(lesson.id, lesson.kind.value, lesson.text, lesson.taught, lesson.by, lesson.answer)


@router.get("/db/{database}/lessons.yaml", include_in_schema=False)
def take_lessons(site: OfSite, database: str) -> Response:
    """Give the lessons as a knowledge pack, to paste into an expert's file."""
    lessons = site.lessons(site.database(database))
    text = pack_as_yaml(pack_of(lessons.lessons, lessons.file))
    attached = {"content-disposition": 'attachment; filename="lessons.yaml"'}
    return Response(text, media_type="application/yaml; charset=utf-8", headers=attached)


# Trying


@done(router, "/db/{database}/teach")
async def try_lesson(site: OfSite, request: Request, database: str, body: Teaching) -> ActionDone:
    """Try a lesson, on its own question and on those solved before; its page tells what it would change."""
    trials: Trials = request.app.state.trials
    await asyncio.to_thread(site.asking, database)
    trial = LessonTrial(database, body, None)
    try:
        given = site.store.get(body.answer).answer if body.answer else None
        if body.is_by_hand(given):
            site.rules.check_sql()
        trial.lesson = body.lesson()
    except FathomError as error:  # what was typed stays on the page, to be mended
        trial.status, trial.why = Standing.FAILED, without_secrets(str(error))
    url = f"/db/{database}/teach/{trial.id}"
    if trial.lesson is not None:
        if not trials.jobs.has_room():
            raise Busy
        lesson = trial.lesson
        trials.add(trial)
        trials.jobs.start(trial.id, lambda watch: _try(site, database, lesson, body, watch))
    else:
        trials.add(trial)
    return ActionDone(url, trial.id)


async def _try(
    site: Site, database: str, lesson: Lesson, teaching: Teaching, watch: Watch
) -> tuple[TrialOutcome, str]:
    from fathom.answering.rehearsal import rehearse, validate  # noqa: PLC0415, slow to import

    asking = (await asyncio.to_thread(site.asking, database)).watched(watch)
    file, knowledge = site.lessons(asking.database), asking.context.knowledge
    lessons = await asyncio.to_thread(lambda: file.lessons)
    with watching(watch, "hold it against the database"):
        await validate(asking, lesson)
    question = Question(teaching.question.strip()) if teaching.question.strip() else None
    with watching(watch, "ask with it and without it"):
        rehearsal = await rehearse(asking, lesson, question, among=lessons)
    conflicts = knowledge.merge(lesson.pack).conflicts[len(knowledge.conflicts) :]
    tried = TrialOutcome(
        rehearsal,
        tuple(f"{c.key}: was {c.earlier}, would be {c.later}" for c in conflicts),
        file.difference(lesson),
    )
    return tried, ""


@shown(router, "/db/{database}/teach/{id}", "trial.html")
def trial_page(site: OfSite, request: Request, database: str, id: str) -> TrialPage:
    """Show a lesson's effect: the answer before and after, the file, and the questions solved before."""
    trials: Trials = request.app.state.trials
    trial = trials.get(id, database)
    opened = site.database(database)
    tried = trial.tried
    rehearsal = tried.rehearsal if tried else None
    kept = {one.id for one in site.lessons(opened).lessons} if trial.kept else set()
    return TrialPage(
        id=trial.id,
        database=database,
        teaching=trial.teaching,
        lesson=trial.lesson.text if trial.lesson else "",
        status=trial.status,
        why=trial.why,
        progress=trials.jobs.progress(id) if trial.status in UNFINISHED else None,
        seconds=trial.seconds,
        before=_answer(rehearsal.before) if rehearsal else None,
        after=_answer(rehearsal.after) if rehearsal else None,
        difference=tried.difference if tried else (),
        overruled=tried.overruled if tried else (),
        contradicted=[_line(one) for one in rehearsal.contradicted] if rehearsal else (),
        fixed=[r.question for r in rehearsal.fixed] if rehearsal else (),
        broken=[r.question for r in rehearsal.broken] if rehearsal else (),
        solved=len(rehearsal.retried) if rehearsal else 0,
        outcome=rehearsal.text if rehearsal else "",
        kept=trial.kept,
        undone=bool(trial.kept) and trial.kept not in kept,
        places=_places(opened.schema),
        sql_allowed=site.rules.sql,
    )


def _answer(given: Answer | None) -> dict[str, Any] | None:
    """An answer as it is shown beside another: with its first rows."""
    if given is None:
        return None
    result = given.shown or given.result
    first = None if result is None else replace(result, rows=result.rows[:ROWS])
    return as_json(replace(given, result=first, shown=None, readings=(), chart=None))


@router.get("/db/{database}/teach/{id}/events", include_in_schema=False)
@router.get("/api/db/{database}/teach/{id}/events", responses=STREAMED)
async def trial_events(
    request: Request, database: str, id: str, last_event_id: Annotated[str, Header()] = ""
) -> StreamingResponse:
    """The progress of a trial as server-sent events; the last one, `over`, says that it is finished."""
    trials: Trials = request.app.state.trials
    trials.get(id, database)
    as_data = request.url.path.startswith("/api/")
    url = f"/db/{database}/teach/{id}"
    return streamed(trials.jobs, id, url, last_event_id=last_event_id, as_data=as_data)


class Keep(BaseModel):
    """The choice to keep a lesson although it breaks questions solved before, or contradicts another
    lesson."""

    anyway: bool = False


@done(router, "/db/{database}/teach/{id}/keep")
async def keep_lesson(site: OfSite, request: Request, database: str, id: str, body: Keep) -> ActionDone:
    """Keep a lesson that was tried: in the file of lessons, never in the expert's."""
    from fathom.answering.rehearsal import keep  # noqa: PLC0415, slow to import

    trials: Trials = request.app.state.trials
    trial = trials.get(id, database)
    if trial.tried is None or trial.lesson is None or trial.status != FINISHED:
        raise InputError("this lesson wasn't tried yet")
    if not trial.kept:
        file = site.lessons(await asyncio.to_thread(site.database, database))
        rehearsal = trial.tried.rehearsal
        kept = await asyncio.to_thread(keep, file, rehearsal, anyway=body.anyway)
        if kept is None:
            raise InputError(f"this lesson isn't kept by itself: {rehearsal.objection}")
        trial.kept = kept.id
        _learn_ahead(request, site, database)
    return ActionDone(f"/db/{database}/teach/{id}", trial.kept)


@done(router, "/db/{database}/teach/{id}/cancel")
async def cancel_trial(request: Request, database: str, id: str, body: Nothing) -> ActionDone:
    """Stop trying a lesson; nothing of it is kept."""
    trials: Trials = request.app.state.trials
    trials.get(id, database)
    trials.jobs.cancel(id)
    return ActionDone(f"/db/{database}/teach/{id}")


@done(router, "/db/{database}/lessons/{lesson}/undo")
async def undo_lesson(
    site: OfSite, request: Request, database: str, lesson: str, body: Nothing
) -> ActionDone:
    """Take back what was taught; answers that were given stay as they are."""
    file = site.lessons(await asyncio.to_thread(site.database, database))
    await asyncio.to_thread(file.remove, lesson)
    _learn_ahead(request, site, database)
    return ActionDone(f"/db/{database}/teach")


def _learn_ahead(request: Request, site: Site, database: str) -> None:
    """Learn from all that was taught now, so that the next question needn't wait for it."""

    def work() -> None:
        with suppress(FathomError):  # whoever asks next is told
            learn(site.asking(database))

    request.app.state.learning = asyncio.create_task(asyncio.to_thread(work))  # held, or it may be dropped
