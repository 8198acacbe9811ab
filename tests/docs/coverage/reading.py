"""Reads what the coverage page's commands wrote, and works figures out by other code than ours."""

import json
import math
import re
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from tests.data import DATA
from tests.evaluation import restated
from tests.evaluation.authorizer import authorized_reads

Check = Callable[[str], None]
"""Takes what a command printed and wrote; fails where a figure in it isn't what the raw data say."""


class RowChecks(dict[str, Check]):
    """The checks of a paper's rows, by the part of the paper."""

    def of(self, *parts: str) -> Callable[[Check], Check]:
        """Register a check for these rows."""

        def registered(check: Check) -> Check:
            assert not set(parts) & self.keys()
            self.update(dict.fromkeys(parts, check))
            return check

        return registered


def lines(file: str | Path) -> list[dict[str, Any]]:
    """The records of a JSONL file."""
    return [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]


def records(run: str) -> list[dict[str, Any]]:
    """The judged records of a run, by the order of its file."""
    return [r for r in lines(Path("runs", run, "records.jsonl")) if r["outcome"] != "unjudged"]


def table(shown: str, title: str) -> list[dict[str, str]]:
    """The rows of a Markdown table under a heading, by column, without the marks of ranks."""
    found = re.search(rf"^### {re.escape(title)}$\n(.*?)(?=^#|\Z)", shown, re.MULTILINE | re.DOTALL)
    assert found, f"no table {title!r}"
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in found[1].splitlines() if line.startswith("|")]
    assert len(rows) > 2, f"nothing in the table {title!r}"
    head, _, *body = [[cell.strip().strip("*_") for cell in row] for row in rows]
    return [dict(zip(head, row, strict=True)) for row in body]


def row(shown: str, title: str, run: str, /, **where: str) -> dict[str, str]:
    """The one row of a table whose run's name holds a text, and whose other columns are as given."""
    found = [
        r
        for r in table(shown, title)
        if run in r["run"].split(": ", 1)[-1] and all(r[k] == v for k, v in where.items())
    ]
    assert len(found) == 1, (title, run, where, found)
    return found[0]


def is_share(cell: str, hits: int, of: int) -> None:
    """Fail unless a cell tells this share: its per cent, and both counts where it shows them."""
    if not of:
        assert cell.startswith(("not defined", "–")), cell
        return
    assert cell.startswith(f"{100 * hits / of:.1f} %"), (cell, hits, of)
    assert re.search(rf"\b{hits:,} of {of:,}\b", cell), (cell, hits, of)


def is_mean(cell: str, values: Iterable[float], *, percent: bool = False) -> None:
    """Fail unless a cell tells the mean of these values, and how many they are."""
    known = list(values)
    if not known:
        assert cell.startswith(("not defined", "–")), cell
        return
    mean = math.fsum(known) / len(known) * (100 if percent else 1)
    told = re.match(r"(-?[\d,]+(?:\.\d+)?)", cell)
    assert told, cell
    # Printed to a tenth of a per cent, or to three digits.
    assert abs(float(told[1].replace(",", "")) - mean) <= (0.0501 if percent else 0.00501 * abs(mean)), (
        cell,
        mean,
    )
    assert "N = " not in cell or f"N = {len(known):,}" in cell, (cell, len(known))


def groups(pattern: str, text: str) -> tuple[str, ...]:
    """The groups of a pattern in a text, line by line."""
    found = re.search(pattern, text, re.MULTILINE)
    assert found, (pattern, text[:1500])
    return tuple(found.groups())


def number(cell: str) -> float:
    """The number that a cell begins with."""
    found = re.match(r"[+-]?[\d,]+(?:\.\d+)?", cell)
    assert found, cell
    return float(found[0].replace(",", ""))


def mcnemar(only_first: int, only_second: int) -> float:
    """The exact p of McNemar's test."""
    n, least = only_first + only_second, min(only_first, only_second)
    return min(1.0, 2 * sum(math.comb(n, k) for k in range(least + 1)) / 2**n) if n else 1.0


def is_p(cell: str, p: float) -> None:
    """Fail unless a cell tells this p-value, to two digits."""
    assert math.isclose(float(cell.lstrip("<")), p, rel_tol=0.06), (cell, p)


# BIRD's one database that is at hand

FINANCIAL = str(DATA / "bird" / "dev_databases" / "financial" / "financial.sqlite")


@cache
def bird() -> Mapping[str, Mapping[str, Any]]:
    """BIRD's questions as published, by id."""
    told = json.loads((DATA / "bird" / "dev.json").read_text(encoding="utf-8"))
    return {str(q["question_id"]): q for q in told}


@cache
def predicted(file: str) -> Mapping[str, str]:
    """The queries of a file of predictions, by the place of their question in BIRD."""
    text = Path("predictions", file).read_text(encoding="utf-8")
    if file.endswith(".json"):
        return {k: v.split("\t----- bird -----")[0] for k, v in json.loads(text).items()}
    return {str(i): line.split("\t----- bird -----")[0] for i, line in enumerate(text.splitlines())}


@cache
def outcome(sql: str | None, gold: str, path: str = FINANCIAL) -> str:
    """A query's outcome by BIRD's rule, run here: correct, incorrect or error."""
    if not sql or restated.run_once(path, sql) is None:
        return "error"
    return "correct" if restated.bird(path, sql, gold, restated.run_once) else "incorrect"


def final(record: Mapping[str, Any]) -> str:
    """The outcome of a record's query over the financial database, worked out anew."""
    return outcome(record["sql"], record["gold"][0])


def first(record: Mapping[str, Any]) -> str:
    """The outcome of its first candidate."""
    return outcome(record["candidates"][0]["sql"] if record["candidates"] else None, record["gold"][0])


def before(record: Mapping[str, Any]) -> str:
    """The outcome of the query that entered revision."""
    return outcome(record["before_revision"]["sql"], record["gold"][0])


def is_rates(cells: Mapping[str, str], names: Sequence[str], outcomes: Sequence[str]) -> None:
    """Fail unless three cells tell the shares of correct, incorrect and error."""
    for name, kind in zip(names, ("correct", "incorrect", "error"), strict=True):
        is_share(cells[name], outcomes.count(kind), len(outcomes))


@cache
def read_by(sql: str) -> tuple[frozenset[str], frozenset[str]]:
    """The tables and columns that SQLite's compiler reads for a query."""
    with closing(sqlite3.connect(f"file:{FINANCIAL}?mode=ro", uri=True)) as opened:
        found = authorized_reads(opened, sql)
    assert found
    return frozenset(found[0]), frozenset(found[1])


@cache
def _columns(table: str) -> tuple[str, ...]:
    """All columns of a table, which is what a selection without columns means."""
    with closing(sqlite3.connect(f"file:{FINANCIAL}?mode=ro", uri=True)) as opened:
        return tuple(c for (c,) in opened.execute("SELECT name FROM pragma_table_info(?)", (table,)))


def selection_scores(record: Mapping[str, Any]) -> dict[str, float]:
    """Precision, recall and F1 of a record's selection, of tables and of columns."""
    chosen = record["selection"]
    tables = {t.casefold() for t in chosen}
    columns = {f"{t}.{c}".casefold() for t, names in chosen.items() for c in names or _columns(t)}
    told: dict[str, float] = {}
    for what, ours, theirs in zip(
        ("table", "column"), (tables, columns), read_by(record["gold"][0]), strict=True
    ):
        common = len(ours & theirs)
        precision, recall = common / len(ours) if ours else 0.0, common / len(theirs) if theirs else 1.0
        both = precision + recall
        f1 = 2 * precision * recall / both if both else 0.0
        told |= {f"{what} precision": precision, f"{what} recall": recall, f"{what} F1": f1}
    return told


def used(record: Mapping[str, Any], measure: str, module: str = "") -> float:
    """What a record's steps spent, of one module or of all, summed from its trace."""
    steps = [s for s in record["trace"] if module in ("", s["module"])]
    if measure == "tokens":
        return used(record, "prompt_tokens", module) + used(record, "completion_tokens", module)
    return math.fsum((s.get("usage") or {}).get(measure) or 0 for s in steps)
