"""The tables of papers: a line a run and no more than their columns, the best of each marked."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from fathom.evaluation.categories import in_order
from fathom.evaluation.runs.contrast import Contrast
from fathom.evaluation.runs.summary import Summary
from fathom.reports.chapters.ranking import named, ranked
from fathom.reports.sheet import UNKNOWN, Cell, Sheet, count, heads, number

Value = float | None
Column = tuple[str, Callable[[Value], str], bool]
"""Its heading, how a value is written, and whether the most is the best."""
_MARKED = "Bold: the best, underlined: the second best, whatever the paired tests say of the difference."


def paper_tables(found: Contrast) -> Iterator[Sheet]:
    """The tables for which the runs have figures."""
    for make in (_biomedsql, _nl2sqlbench, _bird):
        sheet = make(found)
        if sheet is not None and len(sheet.head) > sheet.lead:
            yield sheet


def _percent(value: Value) -> str:
    return UNKNOWN if value is None else f"{100 * value:.1f}"


def _plain(value: Value) -> str:
    return UNKNOWN if value is None else number(value)


def _hundredths(value: Value) -> str:
    return UNKNOWN if value is None else f"{value:.2f}"


def _ranked_rows(
    lines: Sequence[tuple[Sequence[Cell], Sequence[Value]]], columns: Sequence[Column]
) -> list[list[Cell]]:
    """Rows with the best of each column marked, and of three or more the second best; equal ones share it."""
    cells = [
        [Cell(write(v)) for v, (_, write, _) in zip(values, columns, strict=True)] for _, values in lines
    ]
    for place, (_, write, most) in enumerate(columns):
        # As written: figures that look alike in the table share the mark.
        known = {write(v): v for _, values in lines if (v := values[place]) is not None}
        order = sorted(known, key=lambda shown: known[shown] or 0.0, reverse=most)
        marks = dict(zip(order[: 2 if len(lines) > 2 else 1], (1, 2), strict=False)) if len(order) > 1 else {}
        for row in cells:
            row[place] = replace(row[place], rank=marks.get(row[place].text, 0))
    return [[*lead, *row] for (lead, _), row in zip(lines, cells, strict=True)]


def _value(found: Mapping[str, Any] | None) -> Value:
    return found["value"] if found else None


def _used(summary: Summary, measure: str) -> Value:
    return _value((summary.all["usage"].get("total") or {}).get(measure))


def _biomedsql(found: Contrast) -> Sheet | None:
    """Tables 3, 4, 5 and 8: queries and answers in words beside their tokens, a line a run and judge."""
    runs = ranked(found)
    judged = any(s.all["words"] for _, s in runs)
    if not judged and all(s.configuration["comparison"] != "biomedsql" for _, s in runs):
        return None
    columns: list[Column] = [
        ("EX", _percent, True), ("JAC", _percent, True), ("RQR", _percent, True), ("SR", _percent, True),
        ("SER", _percent, False), ("tokens", _plain, False), ("seconds", _plain, False),
    ]  # fmt: skip
    lines: list[tuple[list[Cell], list[Value]]] = []
    for label, s in runs:
        for judge, quality in (s.all["words"] or {"": None}).items():
            told = [_value(quality and quality[n]) for n in ("response_quality", "safety")]
            spent = [_used(s, "tokens"), s.all["seconds_per_question"]["value"]]
            lead = [named(found, label), count(s.all["n"]), Cell(judge or UNKNOWN)]
            rates = s.all["correct_rate"], s.all["partial"]["jaccard"]["value"]
            lines.append((lead, [*rates, *told, s.all["error_rate"], *spent]))
    note = f"In per cent; tokens and seconds are a question's means. {_MARKED}"
    head = heads("run", "N", "judge", *(name for name, _, _ in columns))
    return Sheet("As in BiomedSQL", head, _ranked_rows(lines, columns), note, lead=3).folded()


def _nl2sqlbench(found: Contrast) -> Sheet | None:
    """Tables 9 and 10: end to end, with what it takes."""
    runs = [(label, s) for label, s in ranked(found) if (_used(s, "tokens") or 0) > 0]
    if not runs:
        return None
    columns: list[Column] = [
        ("CR", _percent, True), ("tokens", _plain, False), ("calls", _plain, False), ("US$", _plain, False)
    ]  # fmt: skip
    lines = [
        ([named(found, label), count(s.all["n"])],
         [s.all["correct_rate"], *(_used(s, m) for m in ("tokens", "calls", "cost_usd"))])
        for label, s in runs
    ]  # fmt: skip
    note = f"CR in per cent; the others are a question's means. {_MARKED}"
    head = heads("run", "N", *(name for name, _, _ in columns))
    return Sheet("As in NL2SQLBench", head, _ranked_rows(lines, columns), note, lead=2).folded()


def _bird(found: Contrast) -> Sheet | None:
    """Table 4: EX and VES by difficulty."""
    runs = ranked(found)
    every = dict.fromkeys(n for _, s in runs for n in s.by.get("difficulty", {}))
    levels = in_order("difficulty", every)
    if all(s.configuration["comparison"] != "bird" for _, s in runs) or not levels:
        return None
    exact: list[Column] = [(f"EX, {level}", _percent, True) for level in (*levels, "all")]
    speed: list[Column] = [(f"VES, {level}", _hundredths, True) for level in (*levels, "all")]
    lines = []
    for label, s in runs:
        groups, fast = s.by.get("difficulty", {}), s.all["speed"] or {}
        by_level = fast.get("by_difficulty", {})
        lines.append((
            [named(found, label), count(s.all["n"])],
            [*(groups.get(n, {}).get("correct_rate") for n in levels), s.all["correct_rate"],
             *(_value(by_level.get(n, {}).get("ves")) for n in levels), _value(fast.get("ves")),
             _value(fast.get("r_ves"))],
        ))  # fmt: skip
    columns = [*exact, *speed, ("R-VES", _hundredths, True)]
    note = f"In per cent. VES and R-VES of runs that `fathom ves` has timed. {_MARKED}"
    head = heads("run", "N", *(name for name, _, _ in columns))
    return Sheet("As in BIRD", head, _ranked_rows(lines, columns), note, lead=2).folded()
