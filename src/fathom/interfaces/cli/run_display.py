"""How runs look on a terminal: figures with their interval and N, never without."""

import shlex
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from rich.table import Table

from fathom.evaluation.outcome import told_unjudged
from fathom.evaluation.runs.asker import INTERNAL
from fathom.evaluation.runs.contrast import Contrast, Moved, RunPair
from fathom.evaluation.runs.folder import RECORDS
from fathom.evaluation.runs.repeats import repeats_of
from fathom.evaluation.runs.run import Run, RunStopped
from fathom.evaluation.runs.summary import Summary
from fathom.interfaces.cli import INTERRUPTED
from fathom.interfaces.cli.display import bare_table, console, notices, plain, print_json
from fathom.reports.chapters.answers import CALLS, WORDS
from fathom.reports.chapters.ranking import AMBIGUITY, by_database

SHOWN_MOVES = 20
NAMES = {"json_mode": "JSON mode", "n": "several replies in one request", "stop_sequences": "stop words"}
"""How parameters that a model doesn't take are told, where their names don't speak."""


def rate(figures: Mapping[str, Any], name: str) -> str:
    """A rate with its interval, and its counts."""
    hits, trials = figures["counts"][name]
    return measure(
        {"value": figures[name], "interval": figures["intervals"][name], "hits": hits, "n": trials}
    )


def _stacked(figures: Mapping[str, Any], name: str) -> str:
    """The same on three lines, so that several stand side by side in 80 columns."""
    hits, trials = figures["counts"][name]
    if figures[name] is None:
        return "not defined\n\nN = 0"
    low, high = figures["intervals"][name]
    return f"{figures[name]:.1%}\n{low:.0%} to {high:.0%}\n{hits:,} of {trials:,}"


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
    console.print(_figures(figures))
    for told in _warnings(figures):
        console.print(plain(told), style="yellow")
    for grouping in ("difficulty", "category", "provider", "tool"):
        if grouping in summary.by and figures["n"]:
            _print_groups(grouping, summary.by[grouping])
    told = f"The run is in {summary.folder}; every table of it: {_report_of(summary.folder)}"
    console.print(plain(told), style="dim", soft_wrap=True)


def _report_of(*folders: str) -> str:
    """The command that prints all that is known of runs."""
    return shlex.join(["fathom", "report", *folders, "--print"])


def _warnings(figures: Mapping[str, Any]) -> Iterator[str]:
    """Warn the reader of the rates: of questions not judged, and of errors that are no answers."""
    if figures["unjudged"]:
        told = told_unjudged(figures["unjudged"])
        yield f"{told}. Rates are of the other {figures['n']:,}." if figures["n"] else f"{told}."
    if cut := figures["replies"]["cut"]:
        told = f"On {cut:,} of {figures['asked']:,} questions a reply was cut at the most tokens it may have"
        yield f"{told}: --reply-tokens allows more."
    for name, count in figures["replies"]["not_taken"].items():
        told = f"The model didn't take {NAMES.get(name, name)}"
        yield f"{told}: on {count:,} of {figures['asked']:,} questions replies came without it."
    if faults := figures["error_classes"].get(INTERNAL):
        yield (
            f"{faults:,} of the errors happened inside the program that answers or judges, and say nothing "
            f"about answers. {RECORDS} holds each traceback; the same command asks these questions again."
        )


def _figures(figures: Mapping[str, Any]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    for label, name in (("correct", "correct_rate"), ("incorrect", "incorrect_rate"), ("error", "error_rate"),
                        ("coverage", "coverage"), ("selective accuracy", "selective_accuracy"),
                        ("unanswerable refused", "unanswerable_refused"),
                        ("declined, right one among the readings shown", "right_among_shown"),
                        ("unanswerable, readings shown", "unanswerable_shown")):  # fmt: skip
        if figures["counts"][name][1]:
            table.add_row(label, rate(figures, name))
        if name == "correct_rate" and figures["clustered"]:
            table.add_row("correct, databases resampled", by_database(figures["clustered"]).plain)
    if figures["seconds_median"] is not None:
        table.add_row(
            "seconds a question", f"median {figures['seconds_median']:.3g}, p95 {figures['seconds_p95']:.3g}"
        )
    if calls := figures["calls"]:
        for name, label in CALLS.items():
            table.add_row(label, measure(calls[name]))
        for name, found in calls["failed_with"].items():
            table.add_row(f"failed, arguments {name}", measure(found))
    for name, label in AMBIGUITY.items():
        if figures["ambiguity"]:
            table.add_row(label, measure(figures["ambiguity"][name]))
    for judge, words in (figures["words"] or {}).items():
        for name, label in WORDS.items():
            table.add_row(plain(f"{label}, judged by {judge}"), measure(words[name]))
    for kind, count in figures["error_classes"].items():
        table.add_row(f"error: {kind}", f"{count:,}")
    return table


def _print_groups(grouping: str, groups: Mapping[str, Mapping[str, Any]]) -> None:
    table = bare_table()
    for head in (grouping, "correct", "coverage", "selective accuracy"):
        table.add_column(head)
    for name, figures in groups.items():
        table.add_row(
            plain(name), *(rate(figures, r) for r in ("correct_rate", "coverage", "selective_accuracy"))
        )
    console.print(table)


def print_repeats(found: Contrast) -> None:
    """Print the figures of repeated runs: mean, standard deviation, each value."""
    for one in repeats_of(found.summaries.values()):
        told = f"{one.name} on {found.benchmark}, {one.runs} runs of {one.n:,} questions"
        console.print(plain(told), style="bold")
        for name, spread in one.spreads.items():
            values = ", ".join(f"{v:.1%}" for v in spread.values)
            told = f"{name.replace('_', ' '):15} {spread.mean:.1%} ± {spread.deviation:.1%} ({values})"
            console.print(told, soft_wrap=True)
    print_places(found)


def print_places(found: Contrast) -> None:
    """Say where runs are, and how to see the rest."""
    folders = [str(folder) for folder in found.folders.values()]
    told = f"The runs are in {', '.join(folders)}; every table of them: {_report_of(*folders)}"
    console.print(plain(told), style="dim", soft_wrap=True)


def print_figures(contrast: Contrast, *, titled: bool = False) -> None:
    """Runs over one benchmark side by side; `titled` says which one."""
    if titled:
        console.print(plain(f"\n{contrast.benchmark}"), style="bold")
    table = bare_table()
    table.add_column("run", overflow="fold", ratio=1)
    for head in ("correct", "error", "coverage", "selective\naccuracy", "s/question"):
        table.add_column(head, no_wrap=True)
    for label, summary in contrast.summaries.items():
        figures = summary.all
        rates = [
            _stacked(figures, r) for r in ("correct_rate", "error_rate", "coverage", "selective_accuracy")
        ]
        seconds = figures["seconds_per_question"]["value"]
        table.add_row(plain(label), *rates, "" if seconds is None else f"{seconds:.3g}")
    console.print(table)


def print_contrast(
    contrast: Contrast, moves: Mapping[tuple[str, str], list[Moved]], *, titled: bool = False
) -> None:
    """Runs over one benchmark side by side, their paired tests, and what moved; `titled` says which one."""
    print_figures(contrast, titled=titled)
    for pair in contrast.pairs:
        test = pair.correct
        told = (
            f"{pair.first} against {pair.second}: {test.difference:+.1%} on {test.n:,} questions "
            f"({test.only_first:,} only the first, {test.only_second:,} only the second; "
            f"exact McNemar p = {test.p_value:.2g}{_corrected(pair, len(contrast.pairs))})"
        )
        console.print(plain(told))
        _print_moves(moves.get((pair.first, pair.second), []))


def _corrected(pair: RunPair, pairs: int) -> str:
    """The p's that mind how many pairs are tested, and that questions of one database are alike."""
    told = f", corrected for {pairs} pairs of runs (Holm) {pair.holm:.2g}" if pairs > 1 else ""
    if (found := pair.clustered) is not None:
        told += f", clustered by {found.clusters} databases {found.p_value:.2g}"
    return told


def _print_moves(moves: list[Moved]) -> None:
    if not moves:
        return
    table = bare_table()
    for head in ("question", "first", "second", "why"):
        table.add_column(head, overflow="fold")
    for move in moves[:SHOWN_MOVES]:
        table.add_row(plain(f"{move.id}: {move.question}"), move.before, move.after, plain(move.why))
    console.print(table)
    if len(moves) > SHOWN_MOVES:
        console.print(
            f"{len(moves):,} questions moved, {SHOWN_MOVES} shown; --json has them all.", style="dim"
        )
