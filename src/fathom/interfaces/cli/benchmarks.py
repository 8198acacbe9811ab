"""`fathom benchmarks`: what is there, and whether its gold holds."""

import sys
from collections import Counter
from pathlib import Path
from typing import Literal

from fathom.benchmarks import Benchmark, load_benchmark
from fathom.benchmarks.checking import GoldFault, check_gold, list_benchmarks
from fathom.errors import ConfigError
from fathom.interfaces.cli.showing import console, plain, print_json

_MEANS = {
    "database": "the database can't be used",
    "fails": "the query fails",
    "empty": "returns nothing",
    "all null": "returns only NULL",
    "many rows": "returns very many rows",
    "repeats": "returns one row again and again",
}


def benchmarks(
    action: Literal["list", "check", "describe"] = "list",
    name: str | None = None,
    /,
    *,
    split: str | None = None,
    data: Path | None = None,
    limit: int | None = None,
    seconds: float = 30.0,
    json: bool = False,
) -> int:
    """List the benchmarks and what each needs, check the gold of one, or describe one in figures.

    Parameters
    ----------
    action
        list (default); check with a name: reports the gold queries that fail, return nothing, or look
        wrong, with exit code 1 where any fails; or describe with a name: how many questions, of which kinds,
        how long, over which data.
    name
        What to check or describe: a name, biotool:FILE, a folder in a known layout, or a JSONL file.
    split
        Which split to check.
    data
        The folder that holds published benchmarks (default: FATHOM_DATA, or `data` in the settings).
    limit
        Check only the first questions.
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
    if json:
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
