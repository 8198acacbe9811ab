"""Evidence for linking from solved questions of the same database: the tables and columns of such words."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from fathom.offline.examples.solved import Examples
from fathom.offline.hints import Hint
from fathom.offline.linking import ColumnKey, Floats, LinkedValue, Linking, Span
from fathom.offline.queries.query import ComparisonPredicate, Literal, Query, TableRef
from fathom.offline.ranking.coverage import UsedParts, parts_of

NEAREST = 6
SHARPNESS = 6.0
TRUST = 0.85
"""How far the nearest precedents outweigh what was learned elsewhere, where they are the same question."""
NAMED = 0.9
"""How likely words are meant as a value that are exactly one and name nothing of the schema."""
UNNAMED = LIKELY = 0.4
NAMED_MORE = 0.15
"""How much more of the question must name one of two tables of the same columns to rule the other out."""
RIVAL = 0.2
TABLE_NAMED = 0.25
SURE = 0.75
"""How likely a value of one column must be for a query to have to compare it."""


class Precedents:
    """The tables and columns of solved questions, by role."""

    def __init__(self, examples: Examples) -> None:
        self._examples = examples
        self._parts: tuple[UsedParts, ...] = tuple(parts_of(s.query) for s in examples.solved)

    def apply(self, linking: Linking) -> Linking:
        """The linking with its scores drawn to what the most similar solved questions use."""
        if not self._parts:
            return linking
        passed = {v.span for v in linking.values if self._examples.passes_over(linking, v.span)}
        # A flag is named by its column's words, which solved questions say without naming a value.
        kept = (v for v in linking.values if v.match == "boolean" or v.span not in passed)
        linking = replace(linking, values=tuple(kept))
        similar = self._examples.similarities(linking)
        nearest = np.argsort(-similar, kind="stable")[:NEAREST]
        trust = TRUST * float(np.clip(2 * similar[nearest[0]], 0, 1))
        weights = np.exp(SHARPNESS * (similar[nearest] - similar[nearest[0]]))
        weights /= weights.sum()
        alike = twins(linking)
        tables = np.zeros(len(linking.tables), np.float32)
        place = {t: i for i, t in enumerate(linking.tables)}
        columns = {role: np.zeros(len(linking.columns), np.float32) for role in linking.column_scores}
        for number, weight in zip(nearest.tolist(), weights.tolist(), strict=True):
            parts = self._parts[number]
            tables[list({place[alike[t]] for t in parts.tables})] += weight
            used = {(ColumnKey(alike[c.table], c.column), role) for c, role in parts.columns}
            for column, role in used:
                columns[role][linking.index[column]] += weight
        rivals = np.array([RIVAL if alike[t] != t else 1.0 for t in linking.tables], np.float32)
        owners = rivals[[place[c.table] for c in linking.columns]]
        drawn = replace(
            linking,
            table_scores=_drawn(linking.table_scores * rivals, tables, trust),
            column_scores={
                r: _drawn(s * owners, columns[r], trust) for r, s in linking.column_scores.items()
            },
        )
        return replace(drawn, values=_values(drawn))


def sure_values(linking: Linking) -> tuple[Hint, ...]:
    """The values that a query must compare, as hints: exact, and likely in one column alone."""
    found: dict[Span, Hint] = {}
    for value in linking.values:
        if _exact(value) and value.probability >= SURE and value.comparison == "=":
            column = value.column.in_query()
            condition = ComparisonPredicate(column, "=", Literal(value.value))
            if not any(value.span.overlaps(s) for s in found):
                found[value.span] = Hint("", (value.span,), (condition,))
    return tuple(found.values())


def named(linking: Linking, table: str) -> float:
    """How much of a question names a table, in words."""
    return float(linking.table_alignment[linking.tables.index(table)].sum())


def among_twins(query: Query, linking: Linking) -> Query:
    """A solved query over the tables that this question names, where those it was over have twins."""
    names = {a: b for a, b in twins(linking).items() if a != b}
    changed: Query = _renamed(query, names) if names else query
    return changed


def _renamed(node: Any, names: Mapping[str, str]) -> Any:
    if isinstance(node, TableRef):
        return replace(node, name=names.get(node.name, node.name))
    if isinstance(node, tuple):
        return tuple(_renamed(n, names) for n in node)
    if is_dataclass(node) and not isinstance(node, type):
        return replace(node, **{f.name: _renamed(getattr(node, f.name), names) for f in fields(node)})
    return node


def twins(linking: Linking) -> dict[str, str]:
    """For each table the one of the same columns that the question names best: mostly itself."""
    own: dict[str, set[str]] = defaultdict(set)
    for column in linking.columns:
        own[column.table].add(column.column)
    alike: dict[frozenset[str], list[str]] = defaultdict(list)
    for table, columns in own.items():
        alike[frozenset(columns)].append(table)
    found: dict[str, str] = {}
    for tables in alike.values():
        best = max(tables, key=lambda t: named(linking, t))
        for table in tables:
            found[table] = best if named(linking, best) > named(linking, table) + NAMED_MORE else table
    return found


def _drawn(scores: Floats, shares: Floats, trust: float) -> Floats:
    return np.asarray((1 - trust) * scores + trust * np.clip(shares, 0, 1), np.float32)


def _values(linking: Linking) -> tuple[LinkedValue, ...]:
    """The values with those sure that are exact and name nothing else, shared out by where they may stand."""
    tables = linking.table_alignment[linking.table_scores >= LIKELY].max(axis=0, initial=0)
    best = np.max([linking.column_scores[r] for r in linking.column_scores], axis=0)
    columns = np.where((best >= LIKELY)[:, None], linking.alignment, 0)
    sums: dict[Span, float] = defaultdict(float)
    for value in linking.values:
        if _exact(value):
            sums[value.span] += _weight(value, linking)
    found = []
    for value in linking.values:
        likely = value.probability
        others = np.delete(columns, linking.index[value.column], axis=0).max(axis=0, initial=0)
        names = np.maximum(tables, others)
        here = linking.table_alignment[linking.tables.index(value.column.table)]
        content = [i for i in range(*value.span) if not linking.tokens[i].stop]
        if any(tables[i] >= TABLE_NAMED and here[i] < TABLE_NAMED for i in content):
            likely *= RIVAL  # the words name a table that is likely: no value of another
        elif _exact(value) and any(names[i] < UNNAMED for i in content):
            likely = max(likely, NAMED * _weight(value, linking) / max(sums[value.span], 1e-9))
        found.append(replace(value, probability=likely))
    return tuple(sorted(found, key=lambda v: -v.probability))


def _exact(value: LinkedValue) -> bool:
    return value.match in {"exact", "folded"} and not str(value.value).replace(".", "").isdigit()


def _weight(value: LinkedValue, linking: Linking) -> float:
    where = linking.score(value.column, "where")
    return (where + 0.01) * linking.table_score(value.column.table)
