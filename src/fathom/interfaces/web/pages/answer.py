"""One answer: its permalink, which runs nothing, its progress, and what can be done with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Header, Request
from fastapi.responses import FileResponse, JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, Field
from starlette.background import BackgroundTask

from fathom.answering import as_json, explain
from fathom.answering.audit_log import logged_export, logging_as
from fathom.answering.documents import as_csv, as_html
from fathom.answering.markdown import answer_as_markdown
from fathom.answering.row_exports import ExportForm, write_rows
from fathom.answering.store import Feedback, KeptAnswer, Origin, StoredQuestion
from fathom.answering.store.links import AnswerLink
from fathom.answering.store.store import new_id
from fathom.errors import InputError
from fathom.interfaces.web.chart import Theme, drawn, drawn_as, drawn_as_pixels, specification
from fathom.interfaces.web.jobs import JobProgress
from fathom.interfaces.web.pages.ask import OfRequest
from fathom.interfaces.web.pages.sql import FaultShown, fault_shown
from fathom.interfaces.web.routes import FAULTS, ActionDone, OfSite, attached, done, shown
from fathom.interfaces.web.shared_jobs import SharedJobs
from fathom.interfaces.web.site import QUESTION_LETTERS, SQL_LETTERS, Site
from fathom.interfaces.web.streaming import STREAMED, streamed
from fathom.interfaces.web.work import AnswerJob, asked_again
from fathom.records import Answer, Ending, Limits, Question, Result

router = APIRouter(tags=["answers"])
EXPORTED = Limits(seconds=300, rows=None, bytes=None)
"""The limits of a query whose rows are all written to a file: a person waits for it."""
EXPORT_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "parquet": "application/vnd.apache.parquet",
}
REASONS = (
    "wrong rows", "wrong column", "wrong filter", "should have asked", "should not have answered", "other",
)  # fmt: skip
"""The possible faults of an answer."""


@dataclass(frozen=True, slots=True)
class AnswerPage:
    """One question with what became of it. `answer` is null until there is one.

    `guess` is the query thought of where the answer isn't known; `changed` says that the data may be others
    by now; `made_from` and `led_to` are the answers before and after it in its history, `before` those that
    its conversation has before it. `url` is its whole address. `fault` is what the text of a query of one's
    own shows, where it gave no rows.
    """

    entry: StoredQuestion
    answer: dict[str, Any] | None
    progress: JobProgress | None
    guess: str
    guess_explained: str
    missing: Sequence[str]
    changed: bool
    made_from: StoredQuestion | None
    led_to: Sequence[StoredQuestion]
    conversation: Sequence[StoredQuestion]
    feedback: Sequence[Feedback]
    reasons: Sequence[str]
    charts: Sequence[str]
    sql_allowed: bool
    url: str
    before: Sequence[StoredQuestion]
    key: str
    next_key: str
    fault: FaultShown | None
    links: Sequence[AnswerLink]


@shown(router, "/a/{id}", "answer.html")
def answer_page(site: OfSite, request: Request, id: str) -> AnswerPage:
    """An answer as it was given; looking at it runs nothing."""
    shared: SharedJobs = request.app.state.shared
    kept = site.store.get(id)
    given, progress = kept.answer, None if kept.is_finished else shared.progress(id)
    turns = [e.entry for e in site.store.conversation(kept.conversation)]
    guess = (given.guess or "") if given else ""
    return AnswerPage(
        entry=kept.entry,
        answer=as_json(given, trace=True) if given else None,
        progress=progress,
        guess=guess,
        guess_explained=_explained(site, kept.database, guess),
        missing=given.refusal.missing if given and given.refusal else (),
        changed=_has_changed(site, kept),
        made_from=site.store.find(kept.parent) if kept.parent else None,
        led_to=site.store.children(id),
        conversation=turns,
        feedback=site.store.feedback(id),
        reasons=REASONS,
        charts=drawn_as(given.chart) if given and given.chart else (),
        sql_allowed=site.rules.sql,
        url=f"{'https' if site.rules.secure else request.url.scheme}://{request.url.netloc}/a/{id}",
        before=[t for t in turns if t.number < kept.number and t.id != kept.parent],
        key=new_id(),
        next_key=new_id(),
        fault=_fault(site, kept),
        links=site.store.links.of(id),
    )


def _fault(site: Site, kept: KeptAnswer) -> FaultShown | None:
    """The fault of a query of one's own that gave nothing; None where its database isn't open."""
    gave_none = kept.is_finished and kept.origin is Origin.EDITED and kept.status != Ending.SURE
    asking = site.looked_at(kept.database) if gave_none else None
    return fault_shown(kept.sql, asking.database) if asking is not None else None


def _explained(site: Site, database: str, sql: str) -> str:
    asking = site.looked_at(database) if sql else None
    return explain(sql, asking.database.dialect) if asking is not None else ""


def _has_changed(site: Site, kept: KeptAnswer) -> bool:
    asking = site.looked_at(kept.database) if kept.state else None
    return asking is not None and asking.database.state() not in ("", kept.state)


# Watching it


@router.get("/a/{id}/events", include_in_schema=False)
@router.get("/api/a/{id}/events", responses=STREAMED, tags=["answers"])
async def events(
    request: Request, site: OfSite, id: str, last_event_id: Annotated[str, Header()] = ""
) -> StreamingResponse:
    """The progress of an answer as server-sent events; the last one, `over`, says that it is there."""
    site.store.get(id)
    as_data = request.url.path.startswith("/api/")
    shared: SharedJobs = request.app.state.shared
    return streamed(shared, id, f"/a/{id}", last_event_id=last_event_id, as_data=as_data)


# Taking it along


@router.get("/a/{id}/answer.json", include_in_schema=False)
def take_json(site: OfSite, id: str) -> Response:
    """The answer as a JSON file."""
    return JSONResponse(as_json(_given(site, id), trace=True), headers=attached(id, "json"))


@router.get("/a/{id}/answer.csv", include_in_schema=False)
def take_csv(site: OfSite, id: str) -> Response:
    """The rows as a CSV file, whose name tells where it holds only the first of them."""
    given = _given(site, id)
    rows = given.shown or given.result
    if rows is None:
        raise InputError("this answer has no rows")
    whole = site.store.get(id).row_count
    is_cut = rows.truncated is not None or (whole is not None and whole > len(rows.rows))
    name = f"{id}-first-{len(rows.rows)}" if is_cut else id
    return Response(as_csv(rows), media_type="text/csv; charset=utf-8", headers=attached(name, "csv"))


@router.get("/a/{id}/answer.md", include_in_schema=False)
def take_markdown(site: OfSite, id: str) -> Response:
    """The answer as Markdown."""
    text = answer_as_markdown(_given(site, id))
    return Response(text, media_type="text/markdown; charset=utf-8", headers=attached(id, "md"))


@router.get("/a/{id}/answer.html", include_in_schema=False)
def take_html(site: OfSite, id: str) -> Response:
    """The answer as one HTML file that needs no network."""
    return Response(as_html([_given(site, id)]), media_type="text/html", headers=attached(id, "html"))


class WholeExport(BaseModel):
    """The form of a file with all rows."""

    form: ExportForm = "csv"


@router.post("/a/{id}/rows", include_in_schema=False)
def take_rows(site: OfSite, begin: OfRequest, id: str, body: Annotated[WholeExport, Form()]) -> Response:
    """All rows of the answer's query as a file, asked of the data as they are now."""
    return _whole(site, begin, id, body.form)


@router.post("/api/a/{id}/rows", responses=FAULTS, name="take rows", response_class=Response)
def take_rows_of_api(site: OfSite, begin: OfRequest, id: str, body: WholeExport) -> Response:
    """All rows of the answer's query as a file, asked of the data as they are now."""
    return _whole(site, begin, id, body.form)


def _whole(site: Site, begin: OfRequest, id: str, form: ExportForm) -> Response:
    """The file is written whole before it is sent: one that a limit cut would look like all rows."""
    begin.check_pace()
    given, kept = _given(site, id), site.store.get(id)
    # Who wrote the query gets its own columns, others also the names beside keys.
    rows = given.result if kept.origin is Origin.EDITED else given.shown or given.result
    if rows is None:
        raise InputError("this answer has no rows")
    folder = TemporaryDirectory(prefix="fathom-")
    file = Path(folder.name) / f"rows.{form}"
    try:
        with logging_as("browser", client=begin.client, answer_id=id):
            count = logged_export(
                site.database(kept.database), rows.sql, EXPORTED,
                lambda stream: write_rows(_headings(rows, stream.columns), stream, file, form),
            )  # fmt: skip
    except BaseException:  # also a request that was broken off: the folder goes with whatever ended it
        folder.cleanup()
        raise
    headers = attached(f"{id}-all-{count}", form)
    sent = BackgroundTask(folder.cleanup)
    return FileResponse(file, media_type=EXPORT_TYPES[form], headers=headers, background=sent)


def _headings(rows: Result, columns: Sequence[str]) -> Sequence[str]:
    """The headings of the kept rows, while the query gives as many columns."""
    return rows.columns if len(rows.columns) == len(columns) else columns


@router.get("/a/{id}/chart.png", include_in_schema=False)
def chart_as_png(site: OfSite, id: str, mark: str = "", theme: Theme = "light") -> Response:
    """The chart as a picture of pixels."""
    given = _given(site, id)
    if given.chart is None:
        raise InputError("no chart helps to see this result")
    picture = drawn_as_pixels(given.chart, mark, theme)
    return Response(picture, media_type="image/png", headers=attached(id, "png"))


@router.get("/a/{id}/chart.svg", include_in_schema=False)
def chart_picture(site: OfSite, id: str, mark: str = "", theme: Theme = "light") -> Response:
    """The chart as a picture."""
    given = _given(site, id)
    if given.chart is None:
        raise InputError("no chart helps to see this result")
    return Response(drawn(given.chart, mark, theme), media_type="image/svg+xml")


@router.get("/a/{id}/chart.json", include_in_schema=False)
def chart_specification(site: OfSite, id: str, mark: str = "") -> Response:
    """The chart as a Vega-Lite specification."""
    given = _given(site, id)
    if given.chart is None:
        raise InputError("no chart helps to see this result")
    return JSONResponse(specification(given.chart, mark))


def _given(site: Site, id: str) -> Answer:
    given = site.store.get(id).answer
    if given is None:
        raise InputError("there is no answer to this question yet")
    return given


# Doing something with it


class Nothing(BaseModel):
    """A form with a button alone."""


class ReadingNumber(BaseModel):
    """The number of a reading, from 1."""

    reading: int = Field(ge=1, le=9)


class RewrittenQuery(BaseModel):
    """A query to run instead."""

    sql: str = Field(min_length=1, max_length=SQL_LETTERS)


class AnswerFeedback(BaseModel):
    """A person's verdict on an answer."""

    verdict: Literal["right", "wrong"]
    reason: Literal["", "wrong rows", "wrong column", "wrong filter", "should have asked",
                    "should not have answered", "other"] = ""  # fmt: skip
    note: str = Field("", max_length=QUESTION_LETTERS)


class SaveAs(BaseModel):
    """A title for a saved question, and a tag to find it with others."""

    title: str = Field("", max_length=200)
    tag: str = Field("", max_length=60)


@done(router, "/a/{id}/cancel")
async def cancel(site: OfSite, request: Request, id: str, body: Nothing) -> ActionDone:
    """Stop work on a question; the engine stops too."""
    site.store.get(id)
    request.app.state.shared.cancel(id)
    return ActionDone(f"/a/{id}", id)


@done(router, "/a/{id}/choose")
async def choose(site: OfSite, id: str, body: ReadingNumber) -> ActionDone:
    """Take one of the readings as the answer; nothing runs again."""
    kept = site.store.get(id)
    chosen = _given(site, id).choose(body.reading)
    entry, _ = _follow(site, kept, Origin.CHOSEN)
    site.store.finish(entry.id, chosen, seconds=0.0, state=kept.state)
    return ActionDone(f"/a/{entry.id}", entry.id)


@done(router, "/a/{id}/sql")
async def edit_sql(site: OfSite, begin: OfRequest, id: str, body: RewrittenQuery) -> ActionDone:
    """Run an edited query within the guard and the limits; a new answer beside the first."""
    site.rules.check_sql()
    return _rerun(site, begin, id, body.sql, Origin.EDITED)


@done(router, "/a/{id}/guess")
async def show_guess(site: OfSite, begin: OfRequest, id: str, body: Nothing) -> ActionDone:
    """Run the best guess of a question that wasn't answered; it is marked as a guess."""
    guess = _given(site, id).guess
    if not guess:
        raise InputError("there is no guess at this question")
    return _rerun(site, begin, id, guess, Origin.GUESSED)


@done(router, "/a/{id}/again")
async def ask_again(site: OfSite, begin: OfRequest, id: str, body: Nothing) -> ActionDone:
    """Ask the same question of the data as they are now."""
    begin.check()
    kept = site.store.get(id)
    asked = asked_again(site, kept)
    entry, _ = _follow(site, kept, Origin.AGAIN, asked.sql)
    return begin.start(asked, entry)


def _rerun(site: Site, begin: OfRequest, id: str, sql: str, origin: Origin) -> ActionDone:
    begin.check()
    entry, _ = _follow(site, site.store.get(id), origin, sql)
    return begin.start(AnswerJob(sql), entry)


def _follow(site: Site, kept: KeptAnswer, origin: Origin, sql: str = "") -> tuple[StoredQuestion, bool]:
    """An entry for what is made of an answer, in its conversation."""
    question = Question(kept.question, evidence=kept.evidence)
    return site.store.begin(
        question, kept.database, conversation=kept.conversation, parent=kept.id, origin=origin, sql=sql
    )


@done(router, "/a/{id}/feedback")
async def judge(site: OfSite, id: str, body: AnswerFeedback) -> ActionDone:
    """Say whether an answer is right."""
    site.store.judge(id, is_right=body.verdict == "right", reason=body.reason, note=body.note)
    return ActionDone(f"/a/{id}#feedback", id)


@done(router, "/a/{id}/save")
async def save(site: OfSite, id: str, body: SaveAs) -> ActionDone:
    """Save a question, to come back to it."""
    kept = site.store.get(id)
    saved = site.store.save(id, body.title.strip() or kept.question, body.tag.strip())
    return ActionDone(f"/saved/{saved.slug}", id)


@done(router, "/a/{id}/delete")
async def delete(site: OfSite, request: Request, id: str, body: Nothing) -> ActionDone:
    """Forget an answer."""
    request.app.state.shared.cancel(id)
    site.store.delete(id)
    return ActionDone("/history")
