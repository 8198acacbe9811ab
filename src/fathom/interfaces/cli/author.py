"""`fathom author`: make a benchmark; a command for each kind of maker, the same options for all."""

import asyncio
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from fathom.authoring.maker import Maker, make
from fathom.authoring.publication import REJECTED
from fathom.errors import InputError
from fathom.interfaces.cli.display import console, notices, plain
from fathom.interfaces.cli.options import NO_LIMIT, NO_RECORDING, USUAL, DatabaseName, Recording, Spending
from fathom.nl2sql.schema_text import Style

author = App(
    name="author",
    help="Make a benchmark; repeat the command to continue where it was interrupted.",
    help_format="plaintext",
    default_parameter=USUAL,
)


REASONS = 3
"""Reasons for rejecting that are shown; `rejected.jsonl` has all."""


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Making:
    """The options that every maker takes."""

    out: Annotated[Path, Parameter(name=["--out", "-o"])]
    """The folder; each step has a file there, with what it kept and what it rejected and why."""

    step: Sequence[str] = ()
    """Do only this step; may be given several times. Without it, all are done that are not done yet."""

    reviewed_only: bool = False
    """Publish only what people decided to keep."""


def run(maker: Maker, making: Making) -> Mapping[str, Any] | None:
    """Do the steps, with progress, and show the figures, which are given where something was published."""
    with StepProgress() as shown:
        found = asyncio.run(make(maker, making.out, making.step, tell=shown.tell))
    if found:
        _show(found)
        _show_rejected(making.out)
        console.print(plain(f"In {making.out}; README.md there tells how it was made."), soft_wrap=True)
    return found


def _show_rejected(folder: Path) -> None:
    """The reasons for which most was rejected, so that a small or empty set explains itself."""
    file = folder / REJECTED
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    reasons = Counter(str(json.loads(line)["rejected"]) for line in lines)
    for reason, count in reasons.most_common(REASONS):
        console.print(plain(f"rejected, {count:,}: {reason}"), soft_wrap=True)


class StepProgress:
    """Progress: a bar for each step on a terminal, else a line for each step that is done."""

    def __enter__(self) -> "StepProgress":
        columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
        self._bars = Progress(*columns, TimeRemainingColumn(), console=notices)
        self._tasks: dict[str, TaskID] = {}
        if notices.is_terminal:
            self._bars.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: BaseException | TracebackType | None) -> None:
        self._bars.stop()

    def tell(self, step: str, done: int, total: int) -> None:
        """Show how far a step is."""
        if notices.is_terminal:
            if step not in self._tasks:
                self._tasks[step] = self._bars.add_task(step, total=total)
            self._bars.update(self._tasks[step], completed=done, total=total)
        elif done >= total:
            notices.print(plain(f"{step}: {done:,} of {total:,}"))


def _show(figures: Any) -> None:
    for name, value in figures.items():
        if isinstance(value, dict):
            told = ", ".join(f"{k} {v:,}" if isinstance(v, int) else f"{k} {v}" for k, v in value.items())
            console.print(plain(f"{name.replace('_', ' ')}: {told}"), soft_wrap=True)
        else:
            console.print(plain(f"{name.replace('_', ' ')}: {value:,}"), soft_wrap=True)


@author.command(name="biotool")
def biotool(
    *,
    making: Making,
    endpoint: Sequence[str] = (),
    count: int = 10,
    seeds: Path | None = None,
    seed: int = 0,
    model: str | None = None,
    recording: Recording = NO_RECORDING,
    spending: Spending = NO_LIMIT,
) -> None:
    """Make questions for calls of NCBI, UniProt and Ensembl.

    The steps: sample draws candidate calls, run calls them, filter leaves out what says nothing or is nearly
    another, ask has a model write two questions for each call, judge has it judge whether the call answers
    them, review puts them before people in review.jsonl, publish writes questions, splits and statistics.

    Parameters
    ----------
    endpoint
        Only for this endpoint; may be given several times.
    count
        Candidate calls an endpoint.
    seeds
        A YAML file of values by kind (symbol, region, ...) or ENDPOINT.PARAMETER, to draw arguments from.
    seed
        Of the drawing.
    model
        The language model that writes and judges.
    """
    from fathom.authoring.biotool import MakingPlan, biotool_maker  # noqa: PLC0415, others need none of it
    from fathom.authoring.biotool.sampling import read_seeds  # noqa: PLC0415
    from fathom.llm import opened_model  # noqa: PLC0415

    tape, replay, budget = recording.cassette, recording.replay, spending.budget("run")
    with opened_model(model, cassette=tape, replay=replay, budget=budget) as opened:
        plan = MakingPlan(
            names=tuple(endpoint),
            count=count,
            seeds=read_seeds(seeds) if seeds else None,
            seed=seed,
            model=opened,
            reviewed_only=making.reviewed_only,
        )
        with biotool_maker(plan) as maker:
            run(maker, making)


@author.command(name="templates")
def templates(
    file: str,
    /,
    *,
    database: DatabaseName,
    making: Making,
    count: int = 69_000,
    seed: int = 0,
    sample: int = 546,
    evidence: Literal["given", "none"] = "none",
    workers: int = 0,
    executor: str | None = None,
) -> int:
    """Make triples of question, query and answer from templates: BiomedSQL's, or your own file's.

    The steps: check holds each template against its query, review puts templates before people in
    review.jsonl, expand fills the slots, deduplicate drops repeated questions, execute runs every query and
    words its answer, publish writes questions, results, splits by template, a sample and statistics.

    Exits with 1 where a template was rejected; the triples of the others are there.

    Parameters
    ----------
    file
        A YAML file of templates, or one that ships: biomed.
    count
        About how many triples; as evenly spread over the templates as their slots allow.
    seed
        Of the drawing.
    sample
        How many questions sample.jsonl holds.
    evidence
        given, or none: questions don't come with what their templates take for granted, so that
        a benchmark can test whether a method knows it.
    workers
        Processes that run the queries; 0: one for each core.
    executor
        dask://host:port runs the queries on a Dask cluster.
    """
    from fathom.authoring.templates import (  # noqa: PLC0415, others need none of it
        TemplatePlan,
        read_templates,
        template_maker,
    )
    from fathom.evaluation.scoring.clusters import connect_cluster  # noqa: PLC0415

    plan = TemplatePlan(
        templates=read_templates(file),
        database=database,
        count=count,
        seed=seed,
        sample=sample,
        workers=workers,
        reviewed_only=making.reviewed_only,
        evidence=evidence == "given",
    )
    with ExitStack() as opened:
        cluster = opened.enter_context(connect_cluster(executor)) if executor else None
        found = run(opened.enter_context(template_maker(plan, cluster)), making)
    rejected = (found or {}).get("templates_rejected", {})
    if rejected:
        told = f"{len(rejected):,} of {len(plan.templates.templates):,} templates gave nothing"
        notices.print(plain(f"{told}: {', '.join(rejected)}"), style="yellow", soft_wrap=True)
    return int(bool(rejected))


@author.command(name="business")
def business(
    *databases: str,
    making: Making,
    model: str | None = None,
    second_model: str | None = None,
    add: Sequence[str] = (),
    most_added: int = 60,
    licence: str = "",
    seed: int = 0,
    recording: Recording = NO_RECORDING,
    spending: Spending = NO_LIMIT,
) -> None:
    """Make business questions of databases: nine in each of four categories, as BI-Bench's were made.

    The steps: generate has a model write questions, or a grammar over what the database holds; check drops
    names of columns, repetitions and reasons asked of descriptive questions; answerability keeps what can be
    answered; tables names the smallest set; completeness has it checked; review puts questions before people
    in review.jsonl; publish writes questions and statistics.

    Parameters
    ----------
    databases
        Paths, URLs, names from the settings, or demo:shop.
    model
        The language model that writes; without one the grammar does, and each question has its query.
    second_model
        The one that checks; best another one.
    add
        A benchmark whose questions with SQL are added; may be given several times.
    most_added
        How many questions of each.
    licence
        Of the databases, for the data card.
    seed
        Of the grammar's choices.
    """
    from fathom.authoring.business import BusinessPlan, business_maker  # noqa: PLC0415
    from fathom.llm import opened_model  # noqa: PLC0415

    if not databases and not add:
        raise InputError("Name a database: fathom author business shop.sqlite -o FOLDER")
    tape, replay, budget = recording.cassette, recording.replay, spending.budget("run")
    with ExitStack() as opened:
        models = [
            opened.enter_context(opened_model(name, cassette=tape, replay=replay, budget=budget))
            if name or (place == 0 and tape)
            else None
            for place, name in enumerate((model, second_model))
        ]
        plan = BusinessPlan(
            databases=databases,
            model=models[0],
            second=models[1],
            seed=seed,
            add=tuple(add),
            most_added=most_added,
            licence=licence,
            reviewed_only=making.reviewed_only,
        )
        run(opened.enter_context(business_maker(plan)), making)


@author.command(name="knowledge-base")
def knowledge_base(
    file: Path, /, *, rows: int = 200_000, tables: int = 10, seed: int = 7, from_parquet: Path | None = None
) -> None:
    """Make the sample biomedical knowledge base of any size, or BiomedSQL's own, as a file.

    Parameters
    ----------
    file
        The new file; .sqlite or .db makes it SQLite.
    rows
        About how many rows the ten published tables have; 104000000 is the published size.
    tables
        10, or 20 with ten more that make it harder to select the right ones.
    seed
        Of everything in it.
    from_parquet
        Take the ten tables from the published Parquet files in this folder, into DuckDB, in place of made
        rows.
    """
    from fathom.benchmarks.biomed import build, build_published  # noqa: PLC0415

    with StepProgress() as shown:
        progress = lambda table, done, total: shown.tell("tables" if from_parquet else "rows", done, total)  # noqa: E731
        made = (
            build_published(from_parquet, file, progress=progress)
            if from_parquet
            else build(file, rows=rows, seed=seed, table_count=tables, progress=progress)
        )
    console.print(plain(f"{made}: {made.stat().st_size / 1e6:,.0f} MB"), soft_wrap=True)


@author.command(name="training")
def training(
    benchmark: str,
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    split: str | None = None,
    style: Style = "create",
    samples: int = 0,
    fraction: float = 1.0,
    tested: float = 0.1,
    seed: int = 0,
) -> None:
    """Write training files for text-to-SQL from a benchmark: chat and Alpaca, split by database.

    Parameters
    ----------
    benchmark
        A registered name, a folder in a known layout, or a JSONL file.
    out
        The folder for train and test files and about.json.
    split
        Which part of the benchmark; where it has a training split, that one is learned from.
    style
        How the schema is written.
    samples
        Values of each column that are shown, in the styles that show any.
    fraction
        Of the training questions; a smaller fraction's are among a greater one's.
    tested
        Share of the databases, one at least, or of one database's questions, kept for testing.
    seed
        Of split and fraction.
    """
    from fathom.authoring.training_files import TrainingPlan, write_sql_training  # noqa: PLC0415

    plan = TrainingPlan(benchmark, split, style, samples, fraction, tested, seed)
    about = write_sql_training(plan, out)
    counts = ", ".join(f"{count:,} for {name}" for name, count in about["examples"].items())
    console.print(plain(f"{counts}, in {out}, as chat and Alpaca."), soft_wrap=True)
    if about["left_out"]:
        notices.print(plain(f"{len(about['left_out']):,} were left out; about.json says why."))
