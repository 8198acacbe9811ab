"""`fathom audit`: gold queries that are suspect, with the evidence."""

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.progress import Progress

from fathom.authoring.audit import KINDS, Finding, write_findings
from fathom.authoring.audit import audit as find
from fathom.benchmarks import load_benchmark
from fathom.interfaces.cli.showing import console, notices, plain, print_json

_SHOWN = 20


def audit(
    benchmark: str,
    /,
    *,
    runs: Annotated[Sequence[Path], Parameter(name=["--run", "-r"])] = (),
    out: Annotated[Sequence[Path], Parameter(name=["--out", "-o"])] = (),
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
    split
        Which part of the benchmark.
    limit
        Audit only the first so many questions.
    timeout
        Seconds that each query may take.
    json
        Print the findings as one JSON array.
    """
    loaded = load_benchmark(benchmark, split)
    total = sum(1 for _ in islice(loaded, limit))
    with Progress(console=notices, transient=True, disable=not notices.is_terminal) as bar:
        task = bar.add_task("auditing", total=total)
        found = list(find(loaded, runs=runs, limit=limit, seconds=timeout, advance=lambda: bar.advance(task)))
    for file in out:
        write_findings(found, file)
    if json:
        print_json([f.as_json() for f in found])
        return
    _show(found, total)


def _show(found: list[Finding], total: int) -> None:
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
