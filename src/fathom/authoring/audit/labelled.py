"""How far the audit's suspicions can be trusted: pairs of question and query that people labelled."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fathom.authoring.audit.checks import check_gold
from fathom.benchmarks import BenchmarkQuestion, data_folder
from fathom.benchmarks.layouts.layout import sqlite_file
from fathom.benchmarks.reading import Record, records
from fathom.databases import Database, connect
from fathom.errors import FathomError
from fathom.evaluation.metrics import Rate


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """A question with a query that people called right or wrong; `errors` are the kinds of what is wrong."""

    id: str
    question: str
    database: str
    sql: str
    right: bool
    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trust:
    """Suspicions against labels. `kinds` counts, by kind of finding, pairs suspected: (wrong, right).

    `errors` maps a kind of error to the share of the pairs with it that are suspected. `unjudged` pairs are
    about databases that aren't here.
    """

    wrong_suspected: int
    right_suspected: int
    wrong: int
    right: int
    kinds: dict[str, tuple[int, int]]
    errors: dict[str, Rate]
    unjudged: int

    @property
    def rates(self) -> dict[str, Rate]:
        """Accuracy; precision and recall of wrong (NP, NR), and of right ones (PP, PR)."""
        suspected = self.wrong_suspected + self.right_suspected
        passed_right = self.right - self.right_suspected
        n = self.wrong + self.right
        return {
            "accuracy": Rate(self.wrong_suspected + passed_right, n),
            "precision (NP)": Rate(self.wrong_suspected, suspected),
            "recall (NR)": Rate(self.wrong_suspected, self.wrong),
            "precision of right (PP)": Rate(passed_right, n - suspected),
            "recall of right (PR)": Rate(passed_right, self.right),
        }

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "n": self.wrong + self.right,
            "unjudged": self.unjudged,
            "rates": {name: rate.as_json() for name, rate in self.rates.items()},
            "kinds": {k: {"wrong": w, "right": r} for k, (w, r) in self.kinds.items()},
            "errors": {name: rate.as_json() for name, rate in self.errors.items()},
        }


def read_labelled(file: Path) -> Iterator[LabelledPair]:
    """The pairs of a JSON array or JSONL: `question`, `sql`, `db_id` and `label`, true for a right query.

    `error_types` may list what is wrong, as NL2SQL-BUGs does. Raises `InputError` by file, line and field.
    """
    for number, record in enumerate(records(file), start=1):
        label = record.content.get("label")
        if not isinstance(label, bool):
            raise record.wrong("must be true (right) or false (wrong)", "label")
        yield LabelledPair(
            record.optional("id", "question_id") or str(number),
            record.text("question"),
            record.text("db_id", "database"),
            record.text("sql", "SQL", "query"),
            label,
            tuple(dict.fromkeys(_errors(record))),
        )


def _errors(record: Record) -> Iterator[str]:
    listed = record.content.get("error_types")
    for one in listed if isinstance(listed, list) else ():
        if isinstance(one, dict) and isinstance(one.get("error_type"), str):
            yield one["error_type"]


def measure_trust(
    pairs: Sequence[LabelledPair],
    *,
    data: Path | None = None,
    seconds: float = 30.0,
    advance: Callable[[], None] = lambda: None,
) -> Trust:
    """Audit every pair whose database is found below the data folder, and hold suspicions against labels.

    A pair is suspected where any check finds something. No check sees a label.
    """
    folder = data or data_folder()
    roots = sorted({*folder.glob("*_databases"), *folder.glob("*/*_databases"), folder})
    databases: dict[str, Database | None] = {}
    counts: Counter[tuple[bool, bool]] = Counter()
    kinds: dict[str, Counter[bool]] = {}
    errors: dict[str, Counter[bool]] = {}
    unjudged = 0
    try:
        for pair in pairs:
            if pair.database not in databases:
                databases[pair.database] = _open(sqlite_file(pair.database, *roots))
            database = databases[pair.database]
            if database is None:
                unjudged += 1
            else:
                question = BenchmarkQuestion(pair.id, pair.question, "", (pair.sql,))
                found = {kind for kind, _, _ in check_gold(question, pair.sql, database, seconds)}
                counts[pair.right, bool(found)] += 1
                for kind in found:
                    kinds.setdefault(kind, Counter())[pair.right] += 1
                for error in pair.errors:
                    errors.setdefault(error, Counter())[bool(found)] += 1
            advance()
    finally:
        for opened in databases.values():
            if opened is not None:
                opened.close()
    return Trust(
        wrong_suspected=counts[False, True],
        right_suspected=counts[True, True],
        wrong=counts[False, True] + counts[False, False],
        right=counts[True, True] + counts[True, False],
        kinds={kind: (of[False], of[True]) for kind, of in sorted(kinds.items())},
        errors={name: Rate(of[True], of.total()) for name, of in sorted(errors.items())},
        unjudged=unjudged,
    )


def _open(url: str) -> Database | None:
    if not Path(url).is_file():
        return None
    try:
        return connect(url)
    except FathomError:
        return None
