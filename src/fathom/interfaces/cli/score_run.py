"""What `fathom score` does, without Cyclopts and Rich: each takes longer than a thousand questions."""

import json as json_format
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fathom.errors import ConfigError
from fathom.evaluation.scoring import Score, score_files

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager

_VALUES: dict[str, Callable[[str], Any]] = {
    "--split": str,
    "--comparison": str,
    "--as": str,
    "--details": Path,
    "--timeout": float,
    "--workers": int,
    "--executor": str,
}
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
    json: bool = False,
) -> int:
    """Score and print; the exit code."""
    if keep_distinct and comparison not in (None, "spider"):
        raise ConfigError("--keep-distinct belongs to the comparison spider.")
    if keep_distinct:
        comparison = "spider-keep-distinct"
    with ExitStack() as stack:
        found = score_files(
            benchmark,
            predictions,
            split=split,
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
        value = content[0] if len(content) == 1 else {"scores": content}
        print(json_format.dumps(value, indent=2))
    else:
        for one in found:
            print(_told(one))
    for one in found:
        for problem in one.problems:
            print(f"Note: {one.predictions}: {problem}", file=sys.stderr)
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
    rate = "-" if one.correct_rate is None else f"{100 * one.correct_rate:.2f} %"
    split = f" ({one.split})" if one.split else ""
    lines = [
        f"{one.predictions}: {rate} correct, {one.correct} of {one.n}; "
        f"95 % interval {100 * low:.2f} to {100 * high:.2f}",
        f"  benchmark   {one.benchmark}{split}, comparison {one.comparison}",
        f"  outcomes    {one.correct} correct, {one.incorrect} incorrect, {one.error} error",
    ]
    if one.errors:
        lines.append("  errors      " + _counts(one.errors))
    if one.gold_failed:
        lines.append(f"  gold        {one.gold_failed} can't be judged: their gold query or database failed")
    if one.vacuous:
        lines.append(f"  vacuous     {one.vacuous} of the correct ones agree only in being empty")
    wrong = {k: v for k, v in one.verdicts.items() if k not in ("exact", "error")}
    if len(wrong) > 1 or set(wrong) - {"different"}:
        lines.append("  verdicts    " + _counts(one.verdicts))
    if one.ves is not None:
        lines.append(
            f"  efficiency  VES {one.ves:.2f} %, R-VES {one.r_ves:.2f} %, over all {one.n} questions"
        )
    groups = {k: v for k, v in one.by_difficulty.items() if k}
    if groups:
        lines.append("  difficulty  " + ", ".join(f"{k} {c}/{n}" for k, (n, c) in sorted(groups.items())))
    if one.pass_at.get(20, 0) > one.correct:
        lines.append("  pass@k      " + ", ".join(f"{k}: {c}" for k, c in one.pass_at.items()))
    lines += [f"  note        {count} x {text}" for text, count in one.notes.most_common(3)]
    return "\n".join([*lines, f"  took        {one.seconds:.2f} s"])


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items(), key=lambda kv: -kv[1]))
