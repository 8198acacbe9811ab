"""Cards for each kind of value in a notebook."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from fathom.answering import Conversation
from fathom.answering.forms import as_json, cell_as_json, result_as_json
from fathom.answering.pictures import LOOK, picture_of
from fathom.databases import Database
from fathom.evaluation.outcome import told_unjudged
from fathom.evaluation.runs.run import Run
from fathom.evaluation.runs.summary import Summary
from fathom.evaluation.scoring import Score
from fathom.interfaces.notebook.card import Card, CardTable, Code, Folded, Part, Picture, Points, Says
from fathom.records import Answer, Chart, Ending, Reading, Result, Schema, Table, shown_rows

MOST_ROWS = 20
"""Rows shown of a result: a notebook is read; `frame()` has them all."""
MOST_KEPT = 1_000
"""Rows that the JSON beside a result keeps: it is stored in the notebook's file."""
_INK, _GRID, _MARK = "#010203", "#808080", "#1f8f96"
"""The colours of a chart's letters, which stands for the notebook's own, of its grid and of what it draws."""
_RATES = {
    "correct_rate": "correct",
    "incorrect_rate": "incorrect",
    "error_rate": "error",
    "coverage": "coverage",
    "selective_accuracy": "selective accuracy",
    "unanswerable_refused": "unanswerable refused",
}
_GROUPS = ("difficulty", "category", "provider", "tool")


def card_of(value: Any) -> Card:
    """The card of a value. Raises `TypeError` for a kind that has none."""
    for kind, make in _MAKERS.items():
        if isinstance(value, kind):
            return make(value)
    raise TypeError(f"{type(value).__name__} has no form for notebooks.")


def _answer(answer: Answer) -> Card:
    chart = answer.chart.specification if answer.chart else None
    return Card(answer.question.text, list(_of_answer(answer)), _kept(answer), chart)


def _kept(answer: Answer) -> dict[str, Any]:
    """The answer as JSON, with at most `MOST_KEPT` rows of each result."""
    content = as_json(answer)
    for part in (content, *content["readings"]):
        for name in ("result", "shown"):
            if part[name]:
                part[name]["rows"] = part[name]["rows"][:MOST_KEPT]
    return content


def _of_answer(answer: Answer) -> Iterator[Part]:
    yield Says(answer.text, strong=True)
    if answer.ending is Ending.UNSURE:
        for number, reading in enumerate(answer.readings, 1):
            title = f"{number}. {reading.text}{_sure(reading.confidence)}"
            yield Folded(title, [Says(reading.answer), *_evidence(reading)])
        yield Says("Take one: answer.choose(1)", dim=True)
        return
    if answer.refusal and answer.refusal.instead:
        yield Says("What can be asked instead:")
        yield Points(answer.refusal.instead)
    if answer.ending is Ending.SURE:
        yield from _evidence(answer)
        yield Says(f"By the method {answer.method}{_sure(answer.confidence)}.", dim=True)


def _sure(confidence: float | None) -> str:
    return "" if confidence is None else f" (confidence {confidence:.0%})"


def _evidence(given: Answer | Reading) -> Iterator[Part]:
    if given.assumptions:
        yield Points([f"Assumed: {a.text}" for a in given.assumptions])
    rows = given.shown or given.result
    if rows is not None and rows.columns:
        yield _grid_of(rows)
    if given.chart is not None and (svg := _picture(given.chart)):
        yield Picture(svg)
    if given.sql:
        explained = [Says(given.explanation, dim=True)] if given.explanation else []
        yield Folded("SQL", [Code(given.sql), *explained])


def _picture(chart: Chart) -> str:
    """A chart in the app's colour, its letters in the notebook's own, light or dark; "" without a library."""
    axis = {**LOOK["axis"], **{f"{part}Color": _INK for part in ("label", "title", "domain", "tick")}}
    config = {
        "background": None,
        "title": {"color": _INK},
        "view": {"stroke": None},
        "axis": {**axis, "gridColor": _GRID, "gridOpacity": 0.35},
        "axisQuantitative": {"tickCount": 6},
        "legend": {"labelColor": _INK, "titleColor": _INK},
        "mark": {"color": _MARK},
    }
    own = chart.specification.get("config", {})
    drawn = picture_of(replace(chart, specification={**chart.specification, "config": {**config, **own}}))
    return drawn.replace(f'"{_INK}"', '"currentColor"')


def _grid_of(result: Result) -> CardTable:
    rows = result.rows[:MOST_ROWS]
    numeric = {
        place
        for place in range(len(result.columns))
        if any(isinstance(r[place], int | float) and not isinstance(r[place], bool) for r in rows)
    }
    count = len(result.rows)
    told = [f"the first {MOST_ROWS} of {count:,} rows"] if count > MOST_ROWS else []
    if result.truncated:
        told.append("the limits cut the rows, there are more")
    return CardTable(result.columns, shown_rows(result.columns, rows), frozenset(numeric), "; ".join(told))


def _result(result: Result) -> Card:
    content = result_as_json(result)
    content["rows"] = content["rows"][:MOST_KEPT]
    count = len(result.rows)
    title = f"{count:,} row{'' if count == 1 else 's'} in {result.seconds:.2f} s"
    return Card(title, [_grid_of(result), Folded("SQL", [Code(result.sql)])], content)


def _reading(reading: Reading) -> Card:
    title = f"{reading.text}{_sure(reading.confidence)}"
    chart = reading.chart.specification if reading.chart else None
    return Card(title, [Says(reading.answer, strong=True), *_evidence(reading)], chart=chart)


def _conversation(talk: Conversation) -> Card:
    name = talk.asking.database.name
    parts = [Folded(a.question.text, list(_of_answer(a)), open=True) for a in talk.answers]
    if not parts:
        return Card(f"Questions to {name}", [Says('Nothing was asked yet: talk.ask("How many ...?")')], [])
    return Card(f"Questions to {name}", parts, [_kept(a) for a in talk.answers])


def _database(database: Database) -> Card:
    schema = database.schema
    title = f"{database.name} ({database.dialect})"
    return Card(title, list(_tables(schema)), {"name": database.name, **_schema_as_json(schema)})


def _schema(schema: Schema) -> Card:
    title = f"{len(schema.tables):,} table{'' if len(schema.tables) == 1 else 's'} ({schema.dialect})"
    return Card(title, list(_tables(schema)), _schema_as_json(schema))


def _schema_as_json(schema: Schema) -> dict[str, Any]:
    return {
        "dialect": schema.dialect,
        "tables": [
            {
                "name": t.name,
                "rows": t.row_count,
                "primary_key": list(t.primary_key),
                "columns": [asdict(c) for c in t.columns],
            }
            for t in schema.tables
        ],
        "foreign_keys": [asdict(key) for key in schema.foreign_keys],
    }


def _tables(schema: Schema) -> Iterator[Part]:
    if not schema.tables:
        yield Says("There are no tables.")
        return
    rows = [(t.name, _count(t), str(len(t.columns)), t.comment or "") for t in schema.tables]
    yield CardTable(("table", "rows", "columns", "what it holds"), rows, frozenset((1, 2)))
    for table in schema.tables:
        columns = [(c.name, c.type, c.comment or "") for c in table.columns]
        yield Folded(f"{table.name}: columns", [CardTable(("column", "type", "what it holds"), columns)])
    if schema.foreign_keys:
        joins = [
            f"{k.table} ({', '.join(k.columns)}) → {k.target_table} ({', '.join(k.target_columns)})"
            f"{', inferred' if k.inferred else ''}"
            for k in schema.foreign_keys
        ]
        yield Folded("Joins", [Points(joins)])


def _count(table: Table) -> str:
    if table.row_count is None:
        return "–"
    return f"{'about ' if table.rows_estimated else ''}{table.row_count:,}"


def _run(run: Run) -> Card:
    return _summary(run.summary())


def _summary(summary: Summary) -> Card:
    of = summary.configuration
    where = " ".join(p for p in (of["benchmark"], of.get("split")) if p)
    figures = summary.all
    rows = [(label, *_rate(figures, name)) for name, label in _RATES.items() if figures["counts"][name][1]]
    parts: list[Part] = [CardTable(("figure", "value", "95 % interval", "counted"), rows, frozenset((1,)))]
    if figures["unjudged"]:
        parts.append(Says(told_unjudged(figures["unjudged"])))
    for grouping in _GROUPS:
        if grouping in summary.by:
            groups = [(name, *_rate(found, "correct_rate")) for name, found in summary.by[grouping].items()]
            head = (grouping, "correct", "95 % interval", "counted")
            parts.append(Folded(f"By {grouping}", [CardTable(head, groups, frozenset((1,)))], open=True))
    parts.append(Says(f"Kept in {summary.folder}", dim=True))
    title = f"{summary.name} on {where}, compared as {of['comparison']}"
    return Card(title, parts, json.loads(json.dumps(summary.as_json(), default=cell_as_json)))


def _rate(figures: Mapping[str, Any], name: str) -> tuple[str, str, str]:
    hits, trials = figures["counts"][name]
    if figures[name] is None:
        return "not defined", "", "N = 0"
    low, high = figures["intervals"][name]
    return f"{figures[name]:.1%}", f"{low:.1%} to {high:.1%}", f"{hits:,} of {trials:,}"


def _score(score: Score) -> Card:
    low, high = score.interval
    rate = "not defined (N = 0)" if score.correct_rate is None else f"{score.correct_rate:.1%} correct"
    rows = [(name, f"{getattr(score, name):,}") for name in ("correct", "incorrect", "error", "missing")]
    parts: list[Part] = [
        Says(rate, strong=True),
        *([Says(told_unjudged(score.unjudged))] if score.unjudged else []),
        Says(f"95 % interval {low:.1%} to {high:.1%}; {score.correct:,} of {score.n:,}", dim=True),
        CardTable(("outcome", "questions"), rows, frozenset((1,))),
    ]
    if score.by_difficulty and any(score.by_difficulty):
        parts.append(Folded("By difficulty", [_counted(score.by_difficulty)], open=True))
    if score.problems:
        parts.append(Points(score.problems))
    where = " ".join(p for p in (score.benchmark, score.split) if p)
    return Card(f"{score.predictions} on {where}, compared as {score.comparison}", parts, score.as_json())


def _counted(groups: Mapping[str, Sequence[int]]) -> CardTable:
    rows = [(name, f"{right / n:.1%}", f"{right:,} of {n:,}") for name, (n, right) in groups.items() if n]
    return CardTable(("difficulty", "correct", "counted"), rows, frozenset((1,)))


_MAKERS: Mapping[type, Callable[[Any], Card]] = {
    Answer: _answer,
    Reading: _reading,
    Result: _result,
    Conversation: _conversation,
    Database: _database,
    Schema: _schema,
    Run: _run,
    Summary: _summary,
    Score: _score,
}
