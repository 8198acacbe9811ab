"""Why a wrong query is wrong: one class a failure, told by comparing its parse with gold's.

BiomedSQL's five classes and BIRD's four (Koretsky et al. 2025, Li et al. 2023), each in an order of
precedence: the first class that holds is the failure's, for what comes later often follows from it. Both
papers had people label; a failure that none of the rules explains is `other`, which neither paper has.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from sqlglot import exp

from fathom.errors import ErrorClass
from fathom.evaluation.difference import differences
from fathom.evaluation.parsing import parsed

OTHER = "other"
NO_QUERY = "no query"
BIOMEDSQL = (
    "syntax",
    "incorrect tables",
    "missing threshold",
    "incorrect threshold",
    "incorrect aggregation",
)
BIRD = ("syntax", "evidence", "database content", "schema linking")
TAXONOMIES: Mapping[str, tuple[str, ...]] = {
    "BiomedSQL": (NO_QUERY, *BIOMEDSQL, OTHER),
    "BIRD": (NO_QUERY, *BIRD, OTHER),
}
"""The classes of each taxonomy in its order of precedence."""

_ORDERED = (exp.LT, exp.LTE, exp.GT, exp.GTE)
_TURNED = {"LT": "GT", "GT": "LT", "LTE": "GTE", "GTE": "LTE"}


@dataclass(frozen=True)
class Failure:
    """A wrong query beside gold; `error_class` is empty where it ran."""

    sql: str
    gold: str
    error_class: str = ""
    evidence: str = ""

    @cached_property
    def clauses(self) -> set[str]:
        """The clauses in which the two differ."""
        return {d.clause for d in differences(self.sql, self.gold) or ()}

    @cached_property
    def shape(self) -> "ParsedShape | None":
        """The parsed shape of the query; None where it can't be parsed."""
        return shape_of(self.sql)

    @cached_property
    def gold_shape(self) -> "ParsedShape | None":
        """The same of gold."""
        return shape_of(self.gold)


@dataclass(frozen=True, slots=True)
class ParsedShape:
    """The parts of a query, names folded. `thresholds` maps a column to the numbers that it is compared
    with."""

    tables: Counter[str]
    columns: frozenset[str]
    literals: frozenset[str]
    thresholds: Mapping[str, frozenset[tuple[str, float]]]
    aggregation: Counter[str]
    called: frozenset[str]


@lru_cache(maxsize=20_000)
def shape_of(sql: str) -> ParsedShape | None:
    """Read a query's parts; None where no dialect parses it."""
    tree = parsed(sql)
    if tree is None:
        return None
    made = {cte.alias.casefold() for cte in tree.find_all(exp.CTE)}
    tables = (t.name.casefold() for t in tree.find_all(exp.Table))
    thresholds: dict[str, set[tuple[str, float]]] = {}
    for column, compared in _thresholds(tree):
        thresholds.setdefault(column, set()).add(compared)
    return ParsedShape(
        Counter(t for t in tables if t and t not in made),
        frozenset(c.name.casefold() for c in tree.find_all(exp.Column)),
        frozenset(literal.name.casefold() for literal in tree.find_all(exp.Literal)),
        {column: frozenset(found) for column, found in thresholds.items()},
        Counter(_aggregation(tree)),
        frozenset(f.name.casefold() for f in tree.find_all(exp.Anonymous)),
    )


def _thresholds(tree: exp.Expr) -> Iterator[tuple[str, tuple[str, float]]]:
    """Columns held against a number, whichever side the number stands on."""
    for node in tree.find_all(*_ORDERED, exp.EQ, exp.Between):
        if isinstance(node, exp.Between):
            bounds = (("GTE", node.args["low"]), ("LTE", node.args["high"]))
            sides = [(node.this, sign, bound) for sign, bound in bounds]
        else:
            sign = type(node).__name__
            left, right = node.this, node.expression
            sides = [(left, sign, right), (right, _TURNED.get(sign, sign), left)]
        for side, sign, bound in sides:
            number, column = _number(bound), side.find(exp.Column)
            if number is not None and column is not None:
                yield column.name.casefold(), (sign, number)


def _number(node: exp.Expr) -> float | None:
    negative = isinstance(node, exp.Neg)
    inner = node.this if negative else node
    if not isinstance(inner, exp.Literal) or not inner.is_number:
        return None
    return -float(inner.name) if negative else float(inner.name)


def _aggregation(tree: exp.Expr) -> Iterator[str]:
    for call in tree.find_all(exp.AggFunc):
        yield type(call).__name__
    for group in tree.find_all(exp.Group):
        for part in group.expressions:
            yield f"by {part.name.casefold()}"
    for _ in tree.find_all(exp.Distinct):
        yield "distinct"


def failure_class(failure: Failure, taxonomy: str) -> str:
    """The one class of a failure in a taxonomy of `TAXONOMIES`."""
    if not failure.sql.strip():
        return NO_QUERY
    return next((name for name, holds in _RULES[taxonomy] if holds(failure)), OTHER)


def _breaks(failure: Failure) -> bool:
    """It can't be run for its form: not for a name that isn't there, nor for the time it takes."""
    others = ("", ErrorClass.NO_SUCH_NAME, ErrorClass.TIMEOUT)
    return failure.shape is None or failure.error_class not in others


def _fails(failure: Failure) -> bool:
    return failure.shape is None or failure.error_class not in ("", ErrorClass.NO_SUCH_NAME)


def _other_tables(failure: Failure) -> bool:
    """Other tables, one read more or less often, or joined otherwise."""
    mine, gold = failure.shape, failure.gold_shape
    if failure.error_class == ErrorClass.NO_SUCH_NAME:
        return True
    return (
        mine is not None and gold is not None and (mine.tables != gold.tables or "joins" in failure.clauses)
    )


def _lacks_threshold(failure: Failure) -> bool:
    mine, gold = failure.shape, failure.gold_shape
    return mine is not None and gold is not None and bool(gold.thresholds.keys() - mine.thresholds.keys())


def _other_threshold(failure: Failure) -> bool:
    mine, gold = failure.shape, failure.gold_shape
    return mine is not None and gold is not None and dict(mine.thresholds) != dict(gold.thresholds)


def _other_aggregation(failure: Failure) -> bool:
    mine, gold = failure.shape, failure.gold_shape
    return mine is not None and gold is not None and mine.aggregation != gold.aggregation


def _misreads_evidence(failure: Failure) -> bool:
    """A formula of the evidence copied as a function, or a value lacks that it gave and gold has."""
    mine, gold = failure.shape, failure.gold_shape
    if mine is None or gold is None or not failure.evidence:
        return False
    evidence = failure.evidence.casefold()
    copied = {f for f in mine.called - gold.called if f"{f}(" in evidence.replace(" ", "")}
    lacking = {v for v in gold.literals - mine.literals if v and f"'{v}'" in evidence}
    given = {c for c in gold.thresholds if mine.thresholds.get(c) != gold.thresholds[c] and c in evidence}
    return bool(copied or lacking or given)


def _misses_content(failure: Failure) -> bool:
    """A name that the database lacks, or with the same columns another value or another way to join."""
    mine, gold = failure.shape, failure.gold_shape
    if failure.error_class == ErrorClass.NO_SUCH_NAME:
        return True
    if (
        mine is None
        or gold is None
        or not gold.columns <= mine.columns
        or set(mine.tables) != set(gold.tables)
    ):
        return False
    return mine.literals != gold.literals or "joins" in failure.clauses


def _links_wrongly(failure: Failure) -> bool:
    mine, gold = failure.shape, failure.gold_shape
    if mine is None or gold is None:
        return False
    return set(mine.tables) != set(gold.tables) or mine.columns != gold.columns


_RULES: Mapping[str, tuple[tuple[str, Callable[[Failure], bool]], ...]] = {
    "BiomedSQL": tuple(
        zip(
            BIOMEDSQL,
            (_fails, _other_tables, _lacks_threshold, _other_threshold, _other_aggregation),
            strict=True,
        )
    ),
    "BIRD": tuple(zip(BIRD, (_breaks, _misreads_evidence, _misses_content, _links_wrongly), strict=True)),
}
