"""`fathom benchmarks`: what is there, and whether its gold holds."""

import sys
from collections import Counter
from pathlib import Path
from typing import Literal

from fathom.benchmarks import Benchmark, load_benchmark
from fathom.benchmarks.gold_checks import GoldFault, check_gold, list_benchmarks
from fathom.errors import ConfigError
from fathom.interfaces.cli.display import console, plain, print_json

_MEANS = {
    "database": "the database can't be used",
    "fails": "the query fails",
    "empty": "returns nothing",
    "all null": "returns only NULL",
    "many rows": "returns very many rows",
    "repeats": "returns one row again and again",
}


def benchmarks(
    action: Literal["list", "check", "describe", "align"] = "list",
    name: str | None = None,
    /,
    *,
    split: str | None = None,
    data: Path | None = None,
    limit: int | None = None,
    seconds: float = 30.0,
    json: bool = False,
) -> int:
    """List the benchmarks and what each needs, check one's gold, describe one, or align it with its evidence.

    Parameters
    ----------
    action
        list (default); check with a name: reports the gold queries that fail, return nothing, or look
        wrong, with exit code 1 where any fails; describe with a name: how many questions, of which kinds,
        how long, over which data; or align with a name: where a question, its evidence and its gold query
        disagree, by their words, columns, values, comparisons and formulas.
    name
        What to check, describe or align: a name, biotool:FILE, a folder in a known layout, or a JSONL file.
    split
        Which split to take.
    data
        The folder that holds published benchmarks (default: FATHOM_DATA, or `data` in the settings).
    limit
        Check or align only the first questions.
    seconds
        Seconds that each query may take.
    json
        Print one JSON object.
    """
    if action == "list":
        _list(data, as_json=json)
        return 0
    if name is None:
        raise ConfigError(f"Say what to {action}: fathom benchmarks {action} NAME")
    loaded = load_benchmark(name, split, data)
    if action == "describe":
        _describe(loaded, as_json=json)
        return 0
    if action == "align":
        _align(loaded, limit, as_json=json)
        return 0
    return _check(loaded, limit, seconds, as_json=json)


def _check(loaded: Benchmark, limit: int | None, seconds: float, *, as_json: bool) -> int:
    faults: list[GoldFault] = []
    count = 0
    for count, fault in enumerate(check_gold(loaded, seconds=seconds, limit=limit), start=1):
        if fault:
            faults.append(fault)
        if sys.stderr.isatty() and not count % 20:
            sys.stderr.write(f"\r{count} gold queries ...")
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")
    kinds = Counter(fault.fault for fault in faults)
    if as_json:
        items = [{"id": f.id, "fault": f.fault, "detail": f.detail, "sql": f.sql} for f in faults]
        content = {"benchmark": loaded.name, "split": loaded.split, "digest": loaded.digest}
        print_json(content | {"checked": count, "faults": dict(kinds), "items": items})
    else:
        for fault in faults:
            console.print(plain(f"{fault.id}: {_MEANS[fault.fault]}: {fault.detail}"), soft_wrap=True)
            console.print(plain(f"    {' '.join(fault.sql.split())}"), style="dim", soft_wrap=True)
        told = ", ".join(f"{number} {_MEANS[kind]}" for kind, number in kinds.most_common())
        name = f"{loaded.name} {loaded.split}".strip()
        if count:
            console.print(f"{count} gold queries of {name}: {told or 'nothing is wrong'}")
        else:
            console.print(f"{name} has no gold queries to check.")
    return int(any(fault.is_certain for fault in faults))


def _describe(loaded: Benchmark, *, as_json: bool) -> None:
    from fathom.authoring.description import MOST_NAMED, describe  # noqa: PLC0415, lists need none of it

    found = describe(loaded)
    if as_json:
        print_json(found)
        return
    console.print(plain(f"{found['benchmark']} {found['split']}".strip()), style="bold")
    for name, count in found["counts"].items():
        if count:
            console.print(f"  {name}: {count:,}")
    for name, mean in found["means"].items():
        console.print(f"  {name}: {mean:,.1f}" if mean % 1 else f"  {name}: {mean:,.0f}")
    for grouping, groups in found["by"].items():
        console.print(plain(f"\n{grouping}"), style="bold")
        most = max(groups.values())
        width = min(40, max(len(name) for name in groups))
        for name, count in list(groups.items())[:MOST_NAMED]:
            share = count / found["counts"]["questions"]
            bar = "█" * max(1, round(24 * count / most))
            console.print(plain(f"  {name[:width]:<{width}} {count:>7,} {share:>6.1%} {bar}"), soft_wrap=True)
        if len(groups) > MOST_NAMED:
            console.print(f"  {len(groups) - MOST_NAMED:,} more; --json has them all.", style="dim")


def _align(loaded: Benchmark, limit: int | None, *, as_json: bool) -> None:
    from fathom.authoring.audit.alignment import (  # noqa: PLC0415, lists need none of it
        ALIGNMENT_KINDS,
        align,
        alignment_counts,
    )

    found = list(align(loaded, limit=limit))
    counts = alignment_counts(found)
    apart = [one for one in found if one is not None and one.disagree]
    if as_json:
        content = {"benchmark": loaded.name, "split": loaded.split, "digest": loaded.digest}
        print_json(content | counts | {"items": [one.as_json() for one in apart]})
        return
    for one in apart:
        console.print(plain(f"{one.question.id}: {one.question.text}"), style="bold", soft_wrap=True)
        console.print(plain(f"    {' '.join(one.question.gold[0].split())}"), style="dim", soft_wrap=True)
        for kind, told, _ in one.disagree:
            console.print(plain(f"    {kind}: {told}"), soft_wrap=True)
    console.print(
        f"{counts['questions']:,} questions, {counts['with_evidence']:,} with evidence: "
        f"{counts['agree']:,} agree with it, {counts['disagree']:,} don't."
    )
    for kind, number in counts["kinds"].items():
        console.print(f"{number:>6,}  {kind}: {ALIGNMENT_KINDS[kind]}")


def _list(data: Path | None, *, as_json: bool) -> None:
    found = list_benchmarks(data)
    if as_json:
        items = [
            {"name": b.name, "about": b.about, "comparison": b.comparison, "splits": b.splits,
             "is_there": b.is_there, "needs": "" if b.is_there else b.needs}
            for b in found
        ]  # fmt: skip
        print_json({"benchmarks": items})
        return
    for benchmark in found:
        console.print(plain(f"{benchmark.name}: {benchmark.about}"), style="bold", soft_wrap=True)
        there = f"splits: {', '.join(benchmark.splits)}" if benchmark.is_there else f"needs {benchmark.needs}"
        console.print(plain(f"    {there}; comparison {benchmark.comparison}"), soft_wrap=True)
    if not any(b.is_there for b in found):
        console.print("\nNone is there. Set FATHOM_DATA to the folder that holds them.")
