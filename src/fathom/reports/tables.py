"""The figures of runs as Markdown, CSV and JSON."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fathom.evaluation.runs.contrast import Contrast, contrast

_RATES = ("correct_rate", "incorrect_rate", "error_rate", "coverage", "selective_accuracy",
          "unanswerable_refused", "answerable_refused")  # fmt: skip
_COLUMNS = (
    "run",
    "benchmark",
    "split",
    "grouping",
    "group",
    "metric",
    "value",
    "low",
    "high",
    "n",
    "missing",
)


def build_json(folders: Sequence[Path]) -> str:
    """Everything as one JSON object."""
    return json.dumps(contrast(folders).as_json(), ensure_ascii=False, indent=1) + "\n"


def build_csv(folders: Sequence[Path]) -> str:
    """One line a figure: run, group, metric, value, interval and N."""
    out = io.StringIO()
    writer = csv.DictWriter(out, _COLUMNS, lineterminator="\n")
    writer.writeheader()
    found = contrast(folders)
    for label, summary in found.summaries.items():
        about = {"run": label, "benchmark": summary.configuration["benchmark"],
                 "split": summary.configuration.get("split") or ""}  # fmt: skip
        writer.writerows(about | {"grouping": "all", "group": ""} | row for row in _rows(summary.all))
        for grouping, groups in summary.by.items():
            for name, figures in groups.items():
                # A leading `=` or `+` would make a spreadsheet run the text as a formula.
                group = f"'{name}" if name[:1] in "=+-@\t" else name
                writer.writerows(
                    about | {"grouping": grouping, "group": group} | row for row in _rows(figures)
                )
    return out.getvalue()


def _rows(figures: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name in _RATES:
        low, high = figures["intervals"][name]
        yield {
            "metric": name,
            "value": figures[name],
            "low": low,
            "high": high,
            "n": figures["counts"][name][1],
        }
    yield from _means(figures["partial"], "")
    yield from _means({"seconds_per_question": figures["seconds_per_question"]}, "")
    for part in ("selection", "generation", "revision", "calls"):
        yield from _means(figures[part] or {}, f"{part}.")
    yield from _means(figures.get("words") or {}, "words.")
    for module, used in figures["usage"].items():
        yield from _means(used, f"usage.{module}.")


def _means(found: Mapping[str, Any], prefix: str) -> Iterator[dict[str, Any]]:
    for name, value in found.items():
        if isinstance(value, Mapping) and "value" in value:
            low, high = value.get("interval") or (None, None)
            yield {"metric": prefix + name, "value": value["value"], "low": low, "high": high,
                   "n": value["n"], "missing": value.get("missing")}  # fmt: skip
        elif isinstance(value, Mapping):
            yield from _means(value, f"{prefix}{name}.")
        elif name == "CI":
            yield {"metric": prefix + name, "value": value, "n": found["n"]}


def build_markdown(folders: Sequence[Path]) -> str:
    """The leaderboard, the paired tests and the groups as Markdown tables."""
    found = contrast(folders)
    lines = ["# Runs", "", *_leaderboard(found)]
    if found.pairs:
        lines += ["", "## Paired tests", "", *_pairs(found)]
    if any(s.all["calls"] for s in found.summaries.values()):
        lines += ["", "## Tool calls", "", *_calls(found)]
    if any(s.all["words"] for s in found.summaries.values()):
        lines += ["", "## Answers in words", "", *_words(found)]
    for grouping in ("difficulty", "category", "database", "provider", "tool"):
        names = dict.fromkeys(n for s in found.summaries.values() for n in s.by.get(grouping, {}))
        if len(names) > 1:
            lines += ["", f"## Correct by {grouping}", "", *_by(found, grouping, list(names))]
    return "\n".join(lines) + "\n"


def _leaderboard(found: Contrast) -> list[str]:
    rows = [["run", "correct", "incorrect", "error", "coverage", "selective accuracy", "s/question", "N"]]
    ranked = sorted(found.summaries.items(), key=lambda item: -(item[1].all["correct_rate"] or 0))
    for label, summary in ranked:
        figures = summary.all
        seconds = figures["seconds_per_question"]["value"]
        rates = [_rate(figures, name) for name in _RATES[:5]]
        rows.append([label, *rates, "" if seconds is None else f"{seconds:.3g}", f"{figures['n']:,}"])
    return _table(rows)


CALLS = {
    "score": "BioTool score",
    "succeeded": "AS",
    "right_provider": "right provider",
    "right_endpoint": "right endpoint",
    "right_arguments": "right endpoint and arguments",
    "made": "calls made",
    "right_endpoint_of_made": "right endpoint, of calls made",
    "executed_of_made": "executed, of calls made",
}
"""What reports call the figures of tool calls."""


def _calls(found: Contrast) -> list[str]:
    rows = [["run", "compared as", *CALLS.values(), *(f"failed, {n}" for n in ("missing", "extra", "wrong"))]]
    for label, summary in found.summaries.items():
        if calls := summary.all["calls"]:
            shown = [*(calls[name] for name in CALLS), *calls["failed_with"].values()]
            rows.append([label, summary.configuration["comparison"], *map(_measure, shown)])
    return _table(rows)


WORDS = {"response_quality": "response quality rate (RQR)", "safety": "safety rate (SR)"}
"""What reports call the figures of answers in words."""


def _words(found: Contrast) -> list[str]:
    rows = [["run", "judge", *WORDS.values(), "unjudged"]]
    for label, summary in found.summaries.items():
        for judge, quality in (summary.all["words"] or {}).items():
            shown = (_measure(quality[name]) for name in WORDS)
            rows.append([label, judge, *shown, f"{quality['unjudged']:,}"])
    return _table(rows)


def _measure(found: Mapping[str, Any]) -> str:
    if found["value"] is None:
        return "not defined"
    low, high = found["interval"]
    return f"{100 * found['value']:.1f} % ({100 * low:.1f} to {100 * high:.1f}; N = {found['n']:,})"


def _pairs(found: Contrast) -> list[str]:
    rows = [["first", "second", "difference", "only first", "only second", "McNemar p", "N"]]
    for pair in found.pairs:
        test = pair.correct
        rows.append([pair.first, pair.second, f"{100 * test.difference:+.1f} points", str(test.only_first),
                     str(test.only_second), f"{test.p_value:.2g}", f"{test.n:,}"])  # fmt: skip
    return _table(rows)


def _by(found: Contrast, grouping: str, names: Sequence[str]) -> list[str]:
    rows = [[grouping, *found.summaries, "N"]]
    for name in names:
        cells = [s.by.get(grouping, {}).get(name) for s in found.summaries.values()]
        shown = [_rate(cell, "correct_rate") if cell else "" for cell in cells]
        rows.append([name, *shown, str(max(cell["n"] for cell in cells if cell))])
    return _table(rows)


def _rate(figures: Mapping[str, Any], name: str) -> str:
    if figures[name] is None:
        return "not defined"
    low, high = figures["intervals"][name]
    return f"{100 * figures[name]:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(_escaped(c) for c in cells) + " |"

    return [line(rows[0]), "|" + "---|" * len(rows[0]), *map(line, rows[1:])]


def _escaped(cell: str) -> str:
    """Text that stays text in Markdown, also where the renderer lets HTML through."""
    for mark, harmless in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("|", "\\|"), ("\n", " ")):
        cell = cell.replace(mark, harmless)
    return cell
