"""`fathom audit`: gold queries that are suspect, with the evidence."""

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.progress import Progress

from fathom.authoring.audit import KINDS, AuditFinding, write_findings
from fathom.authoring.audit import audit as find
from fathom.authoring.audit.labelled import measure_trust, read_labelled
from fathom.benchmarks import load_benchmark
from fathom.errors import ConfigError
from fathom.interfaces.cli.showing import console, notices, plain, print_json
from fathom.interfaces.cli.showing_runs import measure

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
    limit: int | None = None,
    timeout: float = 30.0,
    json: bool = False,
) -> None:
    """Find gold queries that are suspect: failing, empty, unstable, cut among ties, not what was asked.

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
    data
        With labelled: the folder that the databases are below (default: FATHOM_DATA).
    split
        Which part of the benchmark.
    limit
        Audit only the first so many questions.
    timeout
        Seconds that each query may take.
    json
        Print the findings as one JSON array.
    """
    if labelled is not None:
        return _trust(labelled, data, limit, timeout, as_json=json)
    if benchmark is None:
        raise ConfigError("Name a benchmark to audit, or --labelled FILE.")
    loaded = load_benchmark(benchmark, split)
    total = sum(1 for _ in islice(loaded, limit))
    with Progress(console=notices, transient=True, disable=not notices.is_terminal) as bar:
        task = bar.add_task("auditing", total=total)
        found = list(find(loaded, runs=runs, limit=limit, seconds=timeout, advance=lambda: bar.advance(task)))
    found.sort(key=lambda one: one.order)
    for file in out:
        write_findings(found, file)
    if json:
        print_json([f.as_json() for f in found])
    else:
        _show(found, total)
    return None


def _trust(file: Path, data: Path | None, limit: int | None, seconds: float, *, as_json: bool) -> None:
    pairs = list(islice(read_labelled(file), limit))
    with Progress(console=notices, transient=True, disable=not notices.is_terminal) as bar:
        task = bar.add_task("auditing", total=len(pairs))
        found = measure_trust(pairs, data=data, seconds=seconds, advance=lambda: bar.advance(task))
    if as_json:
        print_json(found.as_json())
        return
    here = f"{found.wrong + found.right:,} pairs judged: {found.wrong:,} wrong, {found.right:,} right"
    away = f"; {found.unjudged:,} not judged: their databases aren't here" if found.unjudged else ""
    console.print(plain(here + away), style="bold", soft_wrap=True)
    for name, rate in found.rates.items():
        console.print(plain(f"{name:24} {measure(rate.as_json())}"), soft_wrap=True)
    for kind, (wrong, right) in found.kinds.items():
        console.print(plain(f"suspected by {kind}: {wrong:,} wrong, {right:,} right"), soft_wrap=True)
    for name, rate in found.errors.items():
        console.print(plain(f"suspected of {name}: {measure(rate.as_json())}"), soft_wrap=True)


def _show(found: list[AuditFinding], total: int) -> None:
    counts = Counter(f.kind for f in found)
    console.print(f"{total:,} questions, {len({f.id for f in found}):,} with suspect gold.")
    for kind, said in KINDS.items():
        if counts[kind]:
            console.print(f"{counts[kind]:>6,}  {kind}: {said}")
    for finding in found[:_SHOWN]:
        console.print(plain(f"{finding.id} {finding.kind}: {finding.question}"), style="bold", soft_wrap=True)
        console.print(plain(f"    {finding.gold}"), soft_wrap=True)
        console.print(plain(f"    {finding.evidence}"), style="dim", soft_wrap=True)
    if len(found) > _SHOWN:
        console.print(f"{len(found) - _SHOWN:,} more; --out FILE keeps them all.", style="dim")
