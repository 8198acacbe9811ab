"""Runs: a leaderboard that is live while they run, one run, and one question of it."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from fathom.errors import InputError
from fathom.evaluation.outcome import told_unjudged
from fathom.interfaces.web.routes import OfSite, shown
from fathom.interfaces.web.run_folders import (
    ListedQuestion,
    State,
    contrast_of,
    find_run,
    find_runs,
    question_count,
    questions_of,
    record_of,
    summary_of,
)
from fathom.interfaces.web.site import QUESTION_LETTERS
from fathom.interfaces.web.streaming import sent_event
from fathom.reports.sheet import Cell, letter
from fathom.text import without_secrets

if TYPE_CHECKING:
    from fathom.evaluation.runs.contrast import Contrast
    from fathom.evaluation.runs.summary import Summary

router = APIRouter(tags=["runs"])
PAGE = 25
MOST_COMPARED = 10
RATES = ("correct_rate", "incorrect_rate", "error_rate", "coverage", "selective_accuracy")
Words = Annotated[str, Query(max_length=QUESTION_LETTERS)]


@dataclass(frozen=True, slots=True)
class RateOf:
    """A share with its 95 % Wilson interval and its counts; `value` is null where it isn't defined."""

    value: float | None
    low: float
    high: float
    hits: int
    trials: int


@dataclass(frozen=True, slots=True)
class RunLine:
    """One run in the leaderboard; `running` says that a process is at it.

    `problem` says why there are no figures. `of` is how many questions there will be, where that is known;
    `unjudged` tells of those that couldn't be judged.
    """

    name: str
    benchmark: str
    method: str
    model: str
    comparison: str
    running: bool
    done: int
    of: int | None
    unjudged: str
    rates: Mapping[str, RateOf]
    seconds: float | None
    cost_usd: float | None
    problem: str


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs, those over one benchmark together, the best first."""

    runs: Sequence[RunLine]
    benchmarks: Sequence[str]
    benchmark: str
    words: str
    found: int
    running: bool


@shown(router, "/runs", "runs.html")
def runs_page(site: OfSite, q: Words = "", benchmark: Words = "") -> Runs:
    """The leaderboard of the runs below the folder that the server was started with."""
    lines = [line_of(name, state) for name, state in find_runs(site.rules.runs).items()]
    wanted = q.casefold().split()
    fitting = [
        line for line in lines
        if (not benchmark or line.benchmark == benchmark)
        and all(w in f"{line.name} {line.method} {line.model} {line.benchmark}".casefold() for w in wanted)
    ]  # fmt: skip
    fitting.sort(key=lambda line: (line.benchmark, -(_correct(line) or -1.0), line.name))
    return Runs(
        fitting, sorted({line.benchmark for line in lines}), benchmark, q, len(lines),
        any(line.running for line in lines),
    )  # fmt: skip


def _correct(line: RunLine) -> float | None:
    rate = line.rates.get("correct_rate")
    return rate.value if rate else None


def line_of(name: str, state: State) -> RunLine:
    """The line of one run in the leaderboard; a run whose records can't be read says why."""
    found = summary_of(state)
    if isinstance(found, str):
        return RunLine(
            name, "", "", "", "", state.is_running, 0, None, "", {}, None, None, without_secrets(found)
        )
    of = found.configuration
    usage = found.all["usage"].get("total") or {}
    return RunLine(
        name,
        " ".join(p for p in (of["benchmark"], of.get("split")) if p),
        of["method"],
        of.get("model") or "",
        of["comparison"],
        state.is_running,
        found.all["asked"],
        question_count(state) or of.get("limit"),
        told_unjudged(found.all["unjudged"]),
        rates_of(found.all),
        found.all["seconds_per_question"]["value"],
        usage["cost_usd"]["value"] if usage else None,
        "",
    )


def rates_of(figures: Mapping[str, Any]) -> dict[str, RateOf]:
    """The rates of a run, or of a group of its questions."""
    return {
        name: RateOf(figures[name], *figures["intervals"][name], *figures["counts"][name]) for name in RATES
    }


@router.get("/runs/events", include_in_schema=False)
async def run_events(site: OfSite) -> StreamingResponse:
    """An event whenever a run is new or has grown."""

    seen = await run_in_threadpool(find_runs, site.rules.runs)  # before anything is sent: none is missed

    async def stream() -> AsyncIterator[str]:
        before, number = seen, 0
        while True:
            await asyncio.sleep(1)
            now = await run_in_threadpool(find_runs, site.rules.runs)
            if now != before:
                before, number = now, number + 1
                yield sent_event("changed", number, "{}")
            else:
                yield ": still here\n\n"

    return StreamingResponse(stream(), media_type="text/event-stream", headers={"x-accel-buffering": "no"})


# One run


@dataclass(frozen=True, slots=True)
class GroupLine:
    """The questions of one difficulty, category, database, provider or tool."""

    name: str
    correct: RateOf


@dataclass(frozen=True, slots=True)
class Drawn:
    """A chart as SVG, with what it says."""

    title: str
    note: str
    chart: str


@dataclass(frozen=True, slots=True)
class TableOf:
    """One table of the report, in words."""

    title: str
    note: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


_SHOWN_OTHERWISE = ("leaderboard", "tests", "charts", "groups", "overlap")
"""Chapters of the report that the pages have in their own way."""


def tables_of(one: "Contrast") -> list[TableOf]:
    """The report's tables on these runs, but for those that the pages show in their own way."""
    from fathom.reports.chapters import chapters  # noqa: PLC0415, slow to import

    if not any(s.all["asked"] for s in one.summaries.values()):
        return []
    return [
        TableOf(
            sheet.title, sheet.note, [_in_words(c) for c in sheet.head],
            [[_in_words(c) for c in row] for row in sheet.rows],
        )
        for chapter in chapters([one]) if chapter.id not in _SHOWN_OTHERWISE
        for sheet in chapter.sheets
    ]  # fmt: skip


def _in_words(cell: Cell) -> str:
    named = letter(cell.run) if cell.run is not None else ""
    return " ".join(part for part in (named, cell.text, cell.more, cell.flag) if part)


@dataclass(frozen=True, slots=True)
class RunPage:
    """One run: its figures, its charts, and those of its questions that fit, a page at a time."""

    run: RunLine
    groups: Mapping[str, Sequence[GroupLine]]
    errors: Mapping[str, int]
    charts: Sequence[Drawn]
    tables: Sequence[TableOf]
    questions: Sequence[ListedQuestion]
    found: int
    page: int
    pages: int
    words: str
    outcome: str
    database: str
    difficulty: str
    databases: Sequence[str]
    difficulties: Sequence[str]


class Wanted(BaseModel):
    """Which of a run's questions to list: words, outcome, database, difficulty, and the page from 1."""

    q: str = Field("", max_length=QUESTION_LETTERS)
    outcome: str = Field("", max_length=20)
    db: str = Field("", max_length=200)
    difficulty: str = Field("", max_length=200)
    page: int = Field(1, ge=1, le=100_000)

    def fits(self, one: ListedQuestion) -> bool:
        """True if a question is to be listed."""
        text = f"{one.id} {one.question} {one.error_class} {' '.join(one.tags)}".casefold()
        return (
            (self.outcome in ("", one.outcome) or (self.outcome == "declined" and one.declined))
            and self.db in ("", one.database)
            and self.difficulty in ("", one.difficulty)
            and all(word in text for word in self.q.casefold().split())
        )


@shown(router, "/runs/{run:path}", "run.html")
def run_page(site: OfSite, run: str, wanted: Annotated[Wanted, Query()]) -> RunPage:
    """One run in figures, and its questions: searched by words, outcome, database and difficulty."""
    state = find_run(site.rules.runs, run)
    summary = _summary(state)
    everything, alone = questions_of(state), contrast_of((state,))[0]
    fitting = [one for one in everything if wanted.fits(one)]
    return RunPage(
        run=line_of(run, state),
        groups={
            grouping: [GroupLine(n, rates_of(figures)["correct_rate"]) for n, figures in groups.items()]
            for grouping, groups in summary.by.items()
            if len(groups) > 1
        },
        errors=summary.all["error_classes"],
        charts=charts_of(alone),
        tables=tables_of(alone),
        questions=fitting[(wanted.page - 1) * PAGE : wanted.page * PAGE],
        found=len(fitting),
        page=wanted.page,
        pages=max(1, -(-len(fitting) // PAGE)),
        words=wanted.q,
        outcome=wanted.outcome,
        database=wanted.db,
        difficulty=wanted.difficulty,
        databases=sorted({one.database for one in everything}),
        difficulties=sorted({one.difficulty for one in everything if one.difficulty}),
    )


def _summary(state: State) -> "Summary":
    found = summary_of(state)
    if isinstance(found, str):
        raise InputError(without_secrets(found))
    return found


def charts_of(one: "Contrast") -> list[Drawn]:
    """The report's charts on these runs, drawn."""
    from fathom.reports.chapters.drawings import charts  # noqa: PLC0415, slow to import

    figures = charts(one) if any(s.all["asked"] for s in one.summaries.values()) else ()
    return [Drawn(f.title, f.note, f.chart) for f in figures]


@router.get("/run-report", include_in_schema=False)
def take_report(
    site: OfSite, run: Annotated[list[str], Query(min_length=1, max_length=MOST_COMPARED)]
) -> Response:
    """Runs as one HTML file that needs no network."""
    from fathom.reports.page import build_page  # noqa: PLC0415, slow to import

    folders = [find_run(site.rules.runs, name).folder for name in dict.fromkeys(run)]
    headers = {"content-disposition": 'attachment; filename="fathom-runs.html"'}
    return Response(build_page(folders), media_type="text/html", headers=headers)


# One question


@dataclass(frozen=True, slots=True)
class ClauseDifference:
    """The parts of one clause that the query lacks against gold, and the parts that it has too much."""

    clause: str
    missing: Sequence[str]
    extra: Sequence[str]


@dataclass(frozen=True, slots=True)
class RunQuestion:
    """One question of a run. `record` is all that is kept; `differs` is null for what isn't parsed."""

    run: str
    record: Mapping[str, Any]
    differs: Sequence[ClauseDifference] | None
    before: str
    after: str


@shown(router, "/run-question", "run_question.html")
def run_question(site: OfSite, run: Words, id: Words) -> RunQuestion:
    """One question of a run: gold against what was answered, with rows and steps."""
    from fathom.evaluation.difference import differences  # noqa: PLC0415, slow to import

    state = find_run(site.rules.runs, run)
    record = record_of(state, id)
    ids = [one.id for one in questions_of(state)]
    beside = dict(pairwise(ids))
    sql, gold = record.get("sql"), record.get("gold") or []
    found = differences(sql, gold[0]) if sql and gold else ()
    differs = None if found is None else [ClauseDifference(d.clause, d.missing, d.extra) for d in found]
    before = {after: one for one, after in beside.items()}
    return RunQuestion(run, record, differs, before.get(id, ""), beside.get(id, ""))
