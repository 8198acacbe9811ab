"""Where a query does what no word of the question asks for, or leaves out what one does."""

from collections.abc import Sequence

import numpy as np

from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.linking.columns import key_columns, schema_columns
from fathom.offline.linking.features import attachments
from fathom.offline.linking.row_names import EACH, grouping_columns
from fathom.offline.queries.query import (
    Aggregate,
    ColumnRef,
    Connective,
    Expression,
    Query,
    Star,
    all_queries,
    comparisons,
    expressions,
)
from fathom.records import Schema
from fathom.records.schema import NUMERIC, TIMED

CUES = (
    *("functions_extra", "functions_missing", "direction_right", "direction_wrong", "negation_extra"),
    *("negation_missing", "distinct_extra", "distinct_missing", "group_extra", "group_missing"),
    *("order_extra", "order_missing", "or_extra", "or_missing", "shown_twice", "shown_unnamed"),
    *("attached_next", "attached_near", "attached_other", "count_extra", "count_missing"),
    *("ranks_by_text", "ranks_by_named", "measure_counted", "measure_shown", "sums_keys"),
)
_DISTINCT = {"distinct", "different", "unique"}
_MEASURED = NUMERIC | TIMED
_NAMED = 0.3
_SORTED = {"order", "ordered", "sort", "sorted", "alphabetical", "alphabetically", "ascending", "descending"}


class CueJudge:
    """Compares the queries of one question with its cues."""

    def __init__(self, linking: Linking, schema: Schema) -> None:
        self.linking = linking
        self._numeric = {key for key, column in schema_columns(schema) if column.kind in _MEASURED}
        self._keys = key_columns(schema)
        self._measures = self._asked_measures()
        words = [t.lower for t in linking.tokens if not t.quoted and not t.evidence]
        self._functions = {q.aggregate for q in linking.quantities}
        self._distinct = any(w in _DISTINCT for w in words)
        self._each = any(w in EACH for w in words) or bool(grouping_columns(linking))
        self._sorted = any(w in _SORTED for w in words)
        self._either = any(w in {"or", "either"} for w in words)
        self._ranks = bool(linking.superlatives)
        self._denied = len(linking.negations) > 0 or any(v.comparison == "!=" for v in linking.values[:3])
        self._attached = attachments(linking.tokens, linking.alignment, linking.table_alignment)
        self._tables = {t: i for i, t in enumerate(linking.tables)}
        self._implied = {
            column: direction for s in linking.superlatives for column, direction, _ in s.columns
        }

    def features(self, query: Query) -> tuple[float, ...]:
        """The features of a query in the order of `CUES`."""
        parts = list(all_queries(query))
        held = [e for p in parts for e in expressions(p)]
        functions = [e for e in held if isinstance(e, Aggregate)]
        return (
            *self._aggregates(parts, functions),
            *self._directions(parts, functions),
            *self._structure(parts),
            *self._shown(query),
            *self._attachment(held),
            *self._counts(functions),
            *self._ranked(query, parts, functions),
        )

    def _asked_measures(self) -> set[ColumnKey]:
        """Numeric columns that the word after "how many" or "how" names, as in "how many people"."""
        linking = self.linking
        places = [q.span.end for q in linking.quantities if q.aggregate == "count"]
        places += [
            i + 1
            for i, t in enumerate(linking.tokens[:-1])
            if t.lower == "how" and not linking.tokens[i + 1].stop
        ]
        named = set()
        for place in places:
            if place < len(linking.tokens):
                strong = np.flatnonzero(linking.alignment[:, place] >= _NAMED)
                named |= {linking.columns[i] for i in strong.tolist()}
        return {c for c in named if c in self._numeric and c not in self._keys}

    def _ranked(
        self, query: Query, parts: Sequence[Query], functions: Sequence[Aggregate]
    ) -> tuple[float, ...]:
        """Compute features of the ranking, by text or by the number that a superlative implies, and of
        measures."""
        by_text = by_named = 0
        for part in parts:
            for ordering in part.order:
                if isinstance(ordering.key, ColumnRef) and part.limit is not None:
                    key = ColumnKey.of(ordering.key)
                    by_text += key not in self._numeric
                    by_named += key in self._implied
        shown = {ColumnKey.of(e) for e in query.select if isinstance(e, ColumnRef)} & self._measures
        counts = any(isinstance(e, Aggregate) and e.function == "count" for e in query.select)
        sums = sum(
            ColumnKey.of(f.argument) in self._keys
            for f in functions
            if f.function in {"sum", "avg"} and isinstance(f.argument, ColumnRef)
        )
        return (
            float(by_text),
            float(by_named),
            float(bool(self._measures) and counts),
            float(len(shown)),
            float(sums),
        )

    def _aggregates(self, parts: Sequence[Query], functions: Sequence[Aggregate]) -> tuple[float, float]:
        used = {f.function for f in functions} - {"count"}
        asked = self._functions - {"count"}
        missing = asked if not any(p.order for p in parts) else asked - {"min", "max"}
        return float(len(used - asked)), float(len(missing - used))

    def _directions(self, parts: Sequence[Query], functions: Sequence[Aggregate]) -> tuple[float, float]:
        """How many orderings and extremes go the way the superlatives say, and how many the other way."""
        said = [s.direction for s in self.linking.superlatives]
        right = wrong = 0
        if not said:
            return 0.0, 0.0
        for part in parts:
            for ordering in part.order:
                key = ordering.key
                wanted = said[0] if len(set(said)) == 1 else None
                if isinstance(key, ColumnRef):
                    wanted = self._implied.get(ColumnKey.of(key), wanted)
                if wanted is not None:
                    agrees = ordering.descending == (wanted == "desc")
                    right, wrong = right + agrees, wrong + (not agrees)
        for function in functions:
            if function.function in {"min", "max"}:
                agrees = ("desc" if function.function == "max" else "asc") in said
                right, wrong = right + agrees, wrong + (not agrees)
        return float(right), float(wrong)

    def _structure(self, parts: Sequence[Query]) -> tuple[float, ...]:
        conditions = [c for p in parts for clause in (p.where, p.having) for c in comparisons(clause)]
        compounds = [p.compound.operator for p in parts if p.compound is not None]
        denies = "except" in compounds or any(
            c.operator == "!=" or c.operator.startswith(("not", "is null")) for c in conditions
        )
        either = "union" in compounds or any(
            isinstance(c, Connective) and c.kind == "or" for p in parts for c in (p.where, p.having)
        )
        either = either or any(c.operator == "in" for c in conditions)
        distinct = any(p.distinct for p in parts)
        grouped = any(p.group for p in parts)
        ordered = any(p.order for p in parts)
        rank = self._ranks or self._sorted
        return (
            float(denies and not self._denied),
            float(self._denied and not denies),
            float(distinct and not self._distinct),
            float(self._distinct and not distinct),
            float(grouped and not self._each),
            float(self._each and not grouped),
            float(ordered and not rank),
            float(rank and not ordered),
            float(either and not self._either),
            float(self._either and not either),
        )

    def _shown(self, query: Query) -> tuple[float, float]:
        """How far shown columns share their words, and how many have none."""
        linking = self.linking
        places = [
            linking.index[key]
            for e in query.select
            if isinstance(e, ColumnRef) and (key := ColumnKey.of(e)) in linking.index
        ]
        if not places:
            return 0.0, 0.0
        rows = linking.alignment[places]
        twice = float((rows.sum(axis=0) - rows.max(axis=0)).sum()) if len(places) > 1 else 0.0
        return twice, float((rows.max(axis=1) < 0.25).sum())

    def _attachment(self, held: Sequence[Expression]) -> tuple[float, float, float]:
        """How the columns used fit the tables that the words around them speak of."""
        rows = []
        for expression in held:
            if isinstance(expression, ColumnRef):
                key = ColumnKey.of(expression)
                table, column = self._tables.get(key.table), self.linking.index.get(key)
                if table is not None and column is not None:
                    rows.append(self._attached[[0, 1, 3], table, column])
        if not rows:
            return 0.0, 0.0, 0.0
        totals = np.sum(rows, axis=0)
        return float(totals[0]), float(totals[1]), float(totals[2])

    def _counts(self, functions: Sequence[Aggregate]) -> tuple[float, float]:
        counted = any(f.function == "count" and isinstance(f.argument, Star | ColumnRef) for f in functions)
        asked = "count" in self._functions
        return float(counted and not asked), float(asked and not counted)
