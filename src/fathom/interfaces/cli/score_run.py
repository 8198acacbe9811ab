"""The work of `fathom score`, without Cyclopts and Rich: each takes longer than a thousand questions."""

import json as json_format
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fathom.benchmarks.choice import QuestionSelection, read_ids
from fathom.errors import ConfigError
from fathom.evaluation.categories import by_level
from fathom.evaluation.outcome import told_unjudged
from fathom.evaluation.scoring import Score, score_files
from fathom.text import visible

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager

    from fathom.benchmarks import Benchmark

_VALUES: dict[str, Callable[[str], Any]] = {
    "--split": str,
    "--comparison": str,
    "--as": str,
    "--details": Path,
    "--timeout": float,
    "--workers": int,
    "--executor": str,
    "--sample": int,
    "--seed": int,
    "--limit": int,
    "--settled": Path,
}
_LISTS = ("--database", "--ids")
_FLAGS = ("--json", "--keep-distinct", "--ves")


def plain_arguments(arguments: list[str]) -> dict[str, Any] | None:
    """The arguments by name, where they are plain: `--name value`, flags, and at least two others.

    None for everything else, help and mistakes too: the real parser takes over.
    """
    found: dict[str, Any] = {}
    others: list[str] = []
    waiting = iter(arguments)
    for word in waiting:
        name = word.lstrip("-").replace("-", "_")
        if word in _FLAGS:
            found[name] = True
        elif word in _VALUES:
            value = next(waiting, "-")
            if value.startswith("-"):
                return None
            try:
                found["comparison" if name == "as" else name] = _VALUES[word](value)
            except ValueError:
                return None
        elif word in _LISTS:
            value = next(waiting, "-")
            if value.startswith("-"):
                return None
            found.setdefault(name, []).append(value)
        elif word.startswith("-"):
            return None
        else:
            others.append(word)
    if len(others) < 2:
        return None
    return found | {"benchmark": others[0], "predictions": [Path(file) for file in others[1:]]}


def run_score(
    benchmark: str,
    predictions: list[Path],
    *,
    split: str | None = None,
    comparison: str | None = None,
    keep_distinct: bool = False,
    details: Path | None = None,
    timeout: float = 30.0,
    workers: int | None = None,
    executor: str | None = None,
    ves: bool = False,
    database: Sequence[str] = (),
    ids: Sequence[str] = (),
    sample: int | None = None,
    seed: int = 0,
    limit: int | None = None,
    settled: Path | None = None,
    json: bool = False,
) -> int:
    """Score and print; the exit code."""
    if keep_distinct and comparison not in (None, "spider"):
        raise ConfigError("--keep-distinct belongs to the comparison spider.")
    if keep_distinct:
        comparison = "spider-keep-distinct"
    asked: str | Benchmark = benchmark
    told, without = None, tuple[str, ...]()
    if settled is not None:
        from fathom.benchmarks import load_benchmark  # noqa: PLC0415
        from fathom.benchmarks.settled import with_settled  # noqa: PLC0415

        asked, told = with_settled(load_benchmark(benchmark, split), settled)
        without = told.left_out
    with ExitStack() as stack:
        found = score_files(
            asked,
            predictions,
            split=split,
            choice=QuestionSelection(database, tuple(read_ids(ids)), sample, seed, limit, without),
            comparison=comparison,
            details=_details(details, predictions),
            timeout=timeout,
            workers=workers,
            executor=stack.enter_context(_connected(executor)) if executor else None,
            ves=ves,
            watch=_watch if sys.stderr.isatty() else None,
        )
    if sys.stderr.isatty():
        sys.stderr.write("\r\033[K")
    if json:
        content = [one.as_json() for one in found]
        if told is not None:
            gold = {"corrected": list(told.corrected), "left_out": list(told.left_out)}
            content = [one | {"settled": gold} for one in content]
        value = content[0] if len(content) == 1 else {"scores": content}
        print(json_format.dumps(value, indent=2))
    else:
        for one in found:
            print(visible(_told(one)))
            if told is not None:
                print(visible(f"  settled     {told}"))
    for one in found:
        for problem in one.problems:
            print(visible(f"Note: {one.predictions}: {problem}"), file=sys.stderr)
    return int(any("details" in problem for one in found for problem in one.problems))


def _connected(address: str) -> "AbstractContextManager[Executor]":
    from fathom.evaluation.scoring.clusters import connect_cluster  # noqa: PLC0415

    return connect_cluster(address)


def _details(details: Path | None, predictions: list[Path]) -> list[Path] | None:
    if details is None or len(predictions) == 1:
        return None if details is None else [details]
    details.mkdir(parents=True, exist_ok=True)
    names = [f"{number:02d}-{file.stem}.jsonl" for number, file in enumerate(predictions, start=1)]
    return [details / name for name in names]


def _watch(done: int) -> None:
    if not done % 50:
        sys.stderr.write(f"\r{done} questions ...")
        sys.stderr.flush()


def _told(one: Score) -> str:
    """The summary as people read it; every share beside its counts."""
    low, high = one.interval
    split = f" ({one.split})" if one.split else ""
    unjudged = told_unjudged(one.unjudged)
    if one.correct_rate is None:
        head = "nothing judged"
    else:
        judged = f"{one.n} judged" if unjudged else f"{one.n}"
        head = (
            f"{100 * one.correct_rate:.2f} % correct, {one.correct} of {judged}; "
            f"95 % interval {100 * low:.2f} to {100 * high:.2f}"
        )
    lines = [
        f"{one.predictions}: {head}" + (f"; {unjudged}" if unjudged else ""),
        f"  benchmark   {one.benchmark}{split}, comparison {one.comparison}",
        f"  outcomes    {one.correct} correct, {one.incorrect} incorrect, {one.error} error",
    ]
    if one.translated:
        lines.append(f"  dialect     gold and predictions alike were translated from {one.translated}")
    if one.errors:
        lines.append("  errors      " + _counts(one.errors))
    if one.vacuous:
        lines.append(f"  vacuous     {one.vacuous} of the correct ones agree only in being empty")
    wrong = {k: v for k, v in one.verdicts.items() if k not in ("exact", "error")}
    if len(wrong) > 1 or set(wrong) - {"different"}:
        lines.append("  verdicts    " + _counts(one.verdicts))
    if one.ves is not None:
        lines.append(
            f"  efficiency  VES {one.ves:.2f} %, R-VES {one.r_ves:.2f} %, over all {one.n} questions judged"
        )
    groups = {k: v for k, v in one.by_difficulty.items() if k}
    if groups:
        levels = (f"{k} {groups[k][1]}/{groups[k][0]}" for k in by_level(groups))
        lines.append("  difficulty  " + ", ".join(levels))
    if one.pass_at.get(20, 0) > one.correct:
        lines.append("  pass@k      " + ", ".join(f"{k}: {c}" for k, c in one.pass_at.items()))
    lines += [f"  note        {count} x {text}" for text, count in one.notes.most_common(3)]
    return "\n".join([*lines, f"  took        {one.seconds:.2f} s"])


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items(), key=lambda kv: -kv[1]))
