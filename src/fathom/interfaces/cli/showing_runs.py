"""How runs look on a terminal: figures with their interval and N, never without."""

import shlex
import sys
from collections.abc import Mapping
from typing import Any

from rich import box
from rich.table import Table

from fathom.evaluation.runs.contrast import Contrast, Moved
from fathom.evaluation.runs.running import Run, RunStopped
from fathom.evaluation.runs.summary import Summary
from fathom.interfaces.cli import INTERRUPTED
from fathom.interfaces.cli.showing import console, notices, plain, print_json
from fathom.reports.tables import CALLS, WORDS

SHOWN_MOVES = 20


def rate(figures: Mapping[str, Any], name: str) -> str:
    """A rate with its interval, and its counts."""
    hits, trials = figures["counts"][name]
    return measure(
        {"value": figures[name], "interval": figures["intervals"][name], "hits": hits, "n": trials}
    )


def show_run(run: Run, *, json: bool) -> None:
    """A finished run's figures, in words or as one JSON object."""
    summary = run.summary()
    if json:
        print_json(summary.as_json())
    else:
        print_summary(summary)


def told_stopped(stopped: RunStopped) -> int:
    """Say how to go on; the exit code."""
    again = shlex.join(["fathom", *sys.argv[1:]])
    kept = f"Stopped after {stopped.done:,} of {stopped.total:,} questions, kept in {stopped.folder}."
    notices.print(kept, markup=False)
    notices.print(f"To go on: {again}", markup=False, soft_wrap=True)
    return INTERRUPTED


def measure(found: Mapping[str, Any]) -> str:
    """A rate or mean of a summary's parts, with its interval and N."""
    if found["value"] is None:
        return "not defined (N = 0)"
    low, high = found["interval"]
    counted = f"{found['hits']:,} of {found['n']:,}" if "hits" in found else f"N = {found['n']:,}"
    return f"{found['value']:.1%} ({low:.1%} to {high:.1%}; {counted})"


def print_summary(summary: Summary) -> None:
    """One run: the headline, then its figures by difficulty and category."""
    figures = summary.all
    configuration = summary.configuration
    where = " ".join(p for p in (configuration["benchmark"], configuration.get("split")) if p)
    console.print(
        plain(f"{summary.name} on {where}, compared as {configuration['comparison']}"), style="bold"
    )
    table = Table(box=None, show_header=False, pad_edge=False)
    for label, name in (("correct", "correct_rate"), ("incorrect", "incorrect_rate"), ("error", "error_rate"),
                        ("coverage", "coverage"), ("selective accuracy", "selective_accuracy"),
                        ("unanswerable refused", "unanswerable_refused")):  # fmt: skip
        if figures["counts"][name][1]:
            table.add_row(label, rate(figures, name))
    if figures["seconds_median"] is not None:
        table.add_row(
            "seconds a question", f"median {figures['seconds_median']:.3g}, p95 {figures['seconds_p95']:.3g}"
        )
    if calls := figures["calls"]:
        for name, label in CALLS.items():
            table.add_row(label, measure(calls[name]))
        for name, found in calls["failed_with"].items():
            table.add_row(f"failed, arguments {name}", measure(found))
    for judge, words in (figures["words"] or {}).items():
        for name, label in WORDS.items():
            table.add_row(plain(f"{label}, judged by {judge}"), measure(words[name]))
    for kind, count in figures["error_classes"].items():
        table.add_row(f"error: {kind}", f"{count:,}")
    console.print(table)
    for grouping in ("difficulty", "category", "provider", "tool"):
        if grouping in summary.by:
            _print_groups(grouping, summary.by[grouping])
    console.print(plain(f"The run is in {summary.folder}"), style="dim")


def _print_groups(grouping: str, groups: Mapping[str, Mapping[str, Any]]) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in (grouping, "correct", "coverage", "selective accuracy"):
        table.add_column(head)
    for name, figures in groups.items():
        table.add_row(
            plain(name), *(rate(figures, r) for r in ("correct_rate", "coverage", "selective_accuracy"))
        )
    console.print(table)


def print_contrast(contrast: Contrast, moves: Mapping[tuple[str, str], list[Moved]]) -> None:
    """Runs side by side, their paired tests, and what moved."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in ("run", "correct", "error", "coverage", "selective accuracy", "s/question"):
        table.add_column(head)
    for label, summary in contrast.summaries.items():
        figures = summary.all
        rates = [rate(figures, r) for r in ("correct_rate", "error_rate", "coverage", "selective_accuracy")]
        seconds = figures["seconds_per_question"]["value"]
        table.add_row(plain(label), *rates, "" if seconds is None else f"{seconds:.3g}")
    console.print(table)
    for pair in contrast.pairs:
        test = pair.correct
        told = (
            f"{pair.first} against {pair.second}: {test.difference:+.1%} on {test.n:,} questions "
            f"({test.only_first:,} only the first, {test.only_second:,} only the second; "
            f"exact McNemar p = {test.p_value:.2g})"
        )
        console.print(plain(told))
        _print_moves(moves.get((pair.first, pair.second), []))


def _print_moves(moves: list[Moved]) -> None:
    if not moves:
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for head in ("question", "first", "second", "why"):
        table.add_column(head, overflow="fold")
    for move in moves[:SHOWN_MOVES]:
        table.add_row(plain(f"{move.id}: {move.question}"), move.before, move.after, plain(move.why))
    console.print(table)
    if len(moves) > SHOWN_MOVES:
        console.print(
            f"{len(moves):,} questions moved, {SHOWN_MOVES} shown; --json has them all.", style="dim"
        )
