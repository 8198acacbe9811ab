"""`fathom audit`: gold queries that are suspect, with the evidence."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.progress import Progress

from fathom.authoring.audit import KINDS, AuditFinding, write_findings
from fathom.authoring.audit import audit as find
from fathom.authoring.audit.labelled import PairSources, Trust, measure_trust, read_labelled
from fathom.authoring.audit.model_judge import ModelJudge
from fathom.authoring.audit.offline_queries import OfflineQueries
from fathom.authoring.audit.operating_point import PRECISION
from fathom.benchmarks import data_folder, load_benchmark
from fathom.benchmarks.choice import QuestionSelection
from fathom.config import read_settings
from fathom.errors import ConfigError
from fathom.evaluation.outcome import told_unjudged
from fathom.interfaces.cli.display import console, notices, plain, print_json
from fathom.interfaces.cli.options import NO_LIMIT, NO_RECORDING, Recording, Spending
from fathom.interfaces.cli.run_display import measure
from fathom.llm import opened_model

_SHOWN = 20


def audit(
    benchmark: str | None = None,
    /,
    *,
    runs: Annotated[Sequence[Path], Parameter(name=["--run", "-r"])] = (),
    out: Annotated[Sequence[Path], Parameter(name=["--out", "-o"])] = (),
    labelled: Path | None = None,
    data: Path | None = None,
    split: str | None = None,
    databases: Annotated[Sequence[str], Parameter(name=["--database", "-d"])] = (),
    schemas_alone: bool = False,
    offline: bool = False,
    model: str | None = None,
    recording: Recording = NO_RECORDING,
    spending: Spending = NO_LIMIT,
    limit: int | None = None,
    timeout: float = 30.0,
    json: bool = False,
) -> None:
    """Find gold queries that are suspect, the likeliest wrong first, with the evidence.

    Looks at what they return, at the values and joins of live data, and at the words, numbers, names and
    evidence of their questions. A language model is asked only where --model names one.

    Parameters
    ----------
    benchmark
        A registered name, a folder in a known layout, or a JSONL file.
    runs
        A run over this benchmark, to find where methods agree with each other; several times.
    out
        A file for the findings, .jsonl to settle them or .md to read; may be given several times.
    labelled
        Instead of a benchmark: pairs that people labelled right or wrong (NL2SQL-BUGs, or question, sql,
        db_id and label as JSON). Tells how far the suspicions can be trusted: accuracy, precision, recall.
        With a benchmark of the same questions, their evidence and its descriptions of databases count, too.
    data
        With labelled: the folder that the databases are below (default: FATHOM_DATA).
    split
        Which part of the benchmark.
    databases
        Only gold over this database, by the benchmark's name for it; may be given several times.
    schemas_alone
        With labelled and a benchmark: judge by the benchmark's schemas, without looking at rows. Needs no
        database.
    offline
        Also ask the offline method for its own reading of each question, and hold its result against gold's.
        Takes about a quarter of a second a question.
    model
        Also ask this language model, provider:name, whether each query answers its question, shown the schema
        and no rows. Its verdict is one suspicion beside the others; with labelled, the figures come with and
        without it. Once its budget is spent, the rest is audited without it.
    limit
        Audit only the first so many questions.
    timeout
        Seconds that each query may take.
    json
        Print the findings as one JSON array.
    """
    loaded = load_benchmark(benchmark, split) if benchmark is not None else None
    queries = OfflineQueries(read_settings().cache) if offline else None
    if labelled is None and loaded is None:
        raise ConfigError("Name a benchmark to audit, or --labelled FILE.")
    if labelled is None and (schemas_alone or data is not None):
        raise ConfigError("--data and --schemas-alone go with --labelled.")
    if schemas_alone and loaded is None:
        raise ConfigError("--schemas-alone needs the benchmark whose schemas to take: name it first.")
    with _judge(model, recording, spending) as judge:
        if labelled is not None:
            sources = PairSources(data or data_folder(), loaded, schemas_alone, queries, judge, timeout)
            _show_trust(_trust(labelled, sources, databases, limit), as_json=json)
        elif loaded is not None:
            loaded = loaded.only(QuestionSelection(tuple(databases), limit=limit))
            asked = Counter[bool]()
            with _progress(sum(1 for _ in loaded)) as advance:

                def seen(judged: bool) -> None:
                    asked[judged] += 1
                    advance()

                told = find(loaded, runs=runs, seconds=timeout, offline=queries, judge=judge, advance=seen)
                found = sorted(told, key=lambda one: one.order)
            for file in out:
                write_findings(found, file, unjudged=asked[False])
            if json:
                print_json([f.as_json() for f in found])
            else:
                _show(found, asked)


@contextmanager
def _progress(total: int) -> Iterator[Callable[[], None]]:
    """A bar on a terminal, of so many; call what it returns after each."""
    with Progress(console=notices, transient=True, disable=not notices.is_terminal) as bar:
        task = bar.add_task("auditing", total=total)
        yield lambda: bar.advance(task)


@contextmanager
def _judge(model: str | None, recording: Recording, spending: Spending) -> Iterator[ModelJudge | None]:
    """The model that judges, if any; at the end it is told what it gave no verdict on."""
    if model is None:
        yield None
        return
    budget = spending.budget("run")
    with opened_model(model, cassette=recording.cassette, replay=recording.replay, budget=budget) as opened:
        judge = ModelJudge(opened)
        yield judge
    if judge.unjudged:
        why = f": {judge.stopped}" if judge.stopped else ""
        told = f"{opened.name} gave no verdict on {judge.unjudged:,} queries{why}"
        notices.print(plain(told), style="yellow", soft_wrap=True)


def _trust(file: Path, sources: PairSources, databases: Sequence[str], limit: int | None) -> Trust:
    wanted = (p for p in read_labelled(file) if not databases or p.database in databases)
    pairs = list(islice(wanted, limit))
    with _progress(len(pairs)) as advance:
        return measure_trust(pairs, sources, advance=advance)


def _show_trust(found: Trust, *, as_json: bool) -> None:
    if as_json:
        print_json(found.as_json())
        return
    here = f"{found.wrong + found.right:,} pairs judged: {found.wrong:,} wrong, {found.right:,} right"
    away = f"; {found.unjudged:,} not judged: their databases aren't here" if found.unjudged else ""
    console.print(plain(here + away), style="bold", soft_wrap=True)
    _show_rates(found)
    if found.without_model is not None:
        console.print("Without the model:", style="bold")
        _show_rates(found.without_model)
    for kind, (wrong, right) in found.kinds.items():
        console.print(plain(f"suspected by {kind}: {wrong:,} wrong, {right:,} right"), soft_wrap=True)
    for name, rate in found.errors.items():
        console.print(plain(f"suspected of {name}: {measure(rate.as_json())}"), soft_wrap=True)


def _show_rates(found: Trust) -> None:
    for name, rate in found.rates.items():
        console.print(plain(f"{name:24} {measure(rate.as_json())}"), soft_wrap=True)
    if found.best is None:
        told = f"no threshold reaches a precision of {PRECISION:.0%}"
    else:
        accuracy, recall = measure(found.best.accuracy.as_json()), measure(found.best.recall.as_json())
        told = (
            f"at precision >= {PRECISION:.0%}: accuracy {accuracy}, recall {recall}; suspecting from "
            f"{found.best.threshold:.0%} on, which is chosen on these labels"
        )
    console.print(plain(told), soft_wrap=True)


def _show(found: list[AuditFinding], asked: Counter[bool]) -> None:
    """Print findings; `asked` counts questions by whether they could be judged."""
    counts = Counter(f.kind for f in found)
    away = told_unjudged({"database": asked[False]}) if asked[False] else ""
    suspect = f"{len({f.id for f in found}):,} with suspect gold"
    judged = f"{asked[True]:,} questions{' judged' if away else ''}, {suspect}"
    console.print("; ".join(p for p in (judged, away) if p) + ".", soft_wrap=True)
    for kind, said in KINDS.items():
        if counts[kind]:
            console.print(f"{counts[kind]:>6,}  {kind}: {said}")
    for finding in found[:_SHOWN]:
        told = f"{finding.id} {finding.kind} ({finding.suspicion:.0%} likely wrong): {finding.question}"
        console.print(plain(told), style="bold", soft_wrap=True)
        console.print(plain(f"    {finding.gold}"), soft_wrap=True)
        console.print(plain(f"    {finding.evidence}"), style="dim", soft_wrap=True)
    if len(found) > _SHOWN:
        console.print(f"{len(found) - _SHOWN:,} more; --out FILE keeps them all.", style="dim")
