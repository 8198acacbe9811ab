"""How well a query and a question account for each other, beyond translation."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fathom.offline.linking import ROLES, ColumnKey, Floats, Linking, Role, Span
from fathom.offline.queries.query import (
    Aggregate,
    ColumnRef,
    Expression,
    Literal,
    Query,
    all_queries,
    compared_with,
    comparisons,
    mentioned_tables,
    walk,
)

_SCALAR = 1e-3


@dataclass(frozen=True)
class UsedParts:
    """The parts that one query uses: columns by role, tables, and compared values as (column, value,
    operator)."""

    columns: tuple[tuple[ColumnKey, Role], ...]
    tables: tuple[str, ...]
    values: tuple[tuple[ColumnKey | None, object, str], ...]


def parts_of(query: Query) -> UsedParts:
    """Give the parts that a query uses, each once."""
    columns: dict[tuple[ColumnKey, Role], None] = {}
    tables: dict[str, None] = {}
    values: dict[tuple[ColumnKey | None, object, str], None] = {}
    for part in all_queries(query):
        tables |= dict.fromkeys(t.name for t in mentioned_tables(part))
        for expression, role in _placed(part):
            columns |= dict.fromkeys(_columns(expression, role))
        for condition in (part.where, part.having):
            for comparison in comparisons(condition):
                left = comparison.left
                key = ColumnKey.of(left) if isinstance(left, ColumnRef) else None
                for item in compared_with(comparison):
                    if isinstance(item, Literal):
                        values[key, item.value, comparison.operator] = None
        if part.limit is not None and part.limit != 1:
            values[None, part.limit, "limit"] = None
    return UsedParts(tuple(columns), tuple(tables), tuple(values))


def _placed(query: Query) -> Iterator[tuple[Expression, Role]]:
    for item in query.select:
        yield item, "select"
    for condition in (query.where, query.having):
        for comparison in comparisons(condition):
            yield comparison.left, "where"
            if comparison.right is not None:
                yield comparison.right, "where"
    for key in query.group:
        yield key, "group"
    for ordering in query.order:
        yield ordering.key, "order"


def _columns(expression: Expression, role: Role) -> Iterator[tuple[ColumnKey, Role]]:
    aggregated: set[ColumnRef] = set()
    for part in walk(expression):
        if isinstance(part, Aggregate):
            aggregated |= {c for c in walk(part.argument) if isinstance(c, ColumnRef)}
        elif isinstance(part, ColumnRef):
            yield ColumnKey.of(part), "aggregate" if part in aggregated else role


@dataclass(frozen=True)
class Coverage:
    """How the linking judges one query: `features` in the order of `COVERAGE`, `explained` by token."""

    features: tuple[float, ...]
    explained: Floats


COVERAGE = (
    *("explained", "unexplained", "unexplained_strong", "columns_sum", "columns_worst", "columns_wrong"),
    *("columns_unused", "columns_unused_best", "tables_sum", "tables_worst", "tables_unused"),
    *("values_sum", "values_worst", "values_unknown", "values_unused", "numbers_unused", "operators_differ"),
    *("select_sum", "select_worst", "select_order", "select_missing", "superlatives", "implied", "aligned"),
)


def _without(scores: Floats, places: Collection[int]) -> Floats:
    """The scores with those at some places set to 0."""
    rest = scores.copy()
    rest[list(places)] = 0
    return rest


class CoverageJudge:
    """Judges the queries of one question."""

    def __init__(self, linking: Linking) -> None:
        self.linking = linking
        self._tables = {t: i for i, t in enumerate(linking.tables)}
        self._scores = np.stack([linking.column_scores[r] for r in ROLES], axis=1)
        self._any = self._scores.max(axis=1, initial=0)
        self._content = np.array([not t.stop and not t.evidence for t in linking.tokens], bool)
        cues = np.zeros(len(linking.tokens), np.float32)
        for span in (*(q.span for q in linking.quantities), *(s.span for s in linking.superlatives)):
            cues[span.first : span.end] = 1
        self._cues = cues
        self._spans: dict[Span, float] = {}
        for value in linking.values:
            if value.match != "number":
                self._spans[value.span] = max(self._spans.get(value.span, 0.0), value.probability)

    def judge(self, parts: UsedParts) -> Coverage:
        """How the linking judges a query's parts."""
        linking = self.linking
        columns = [(linking.index[c], ROLES.index(r)) for c, r in parts.columns if c in linking.index]
        tables = [self._tables[t] for t in parts.tables if t in self._tables]
        explained = self._cues.copy()
        rows = [i for i, _ in columns]
        if rows:
            explained = np.maximum(explained, linking.alignment[rows].max(axis=0))
        if tables:
            explained = np.maximum(explained, linking.table_alignment[tables].max(axis=0))
        value_features, spans = self._values(parts)
        for span in spans:
            explained[span.first : span.end] = 1
        missing = 1 - explained[self._content]
        strong = linking.explained[self._content] * missing
        features = (
            float(explained[self._content].mean()) if self._content.any() else 1.0,
            float((missing > 0.7).sum()),
            float(strong.sum()),
            *self._column_features(columns),
            *self._table_features(tables),
            *value_features,
            *self._select_features(parts),
            *self._order_features(parts, columns),
        )
        return Coverage(features, explained)

    def _column_features(self, columns: list[tuple[int, int]]) -> tuple[float, ...]:
        used = [float(self._scores[i, r]) for i, r in columns]
        logs = [float(np.log(max(p, _SCALAR))) for p in used]
        unused = _without(self._any, {i for i, _ in columns})
        return (
            sum(logs),
            min(logs, default=0.0),
            sum(p < 0.1 for p in used),
            float(unused[unused > 0.3].sum()),
            float(unused.max(initial=0)),
        )

    def _table_features(self, tables: list[int]) -> tuple[float, ...]:
        scores = self.linking.table_scores
        used = [float(scores[i]) for i in tables]
        logs = [float(np.log(max(p, _SCALAR))) for p in used]
        unused = _without(scores, set(tables))
        return sum(logs), min(logs, default=0.0), float(unused[unused > 0.3].sum())

    def _values(self, parts: UsedParts) -> tuple[tuple[float, ...], list[Span]]:
        linking = self.linking
        spans: list[Span] = []
        logs: list[float] = []
        unknown = differ = 0
        for column, value, operator in parts.values:
            best, span, said = self.mention(column, value)
            if span is None:
                unknown += 1
                continue
            spans.append(span)
            if column is not None:
                logs.append(float(np.log(max(best, _SCALAR))))
                differ += said is not None and said != operator
        unused = sum(p for s, p in self._spans.items() if not any(s.overlaps(u) for u in spans))
        numbers = sum(not any(n.span.overlaps(u) for u in spans) for n in linking.numbers)
        return (sum(logs), min(logs, default=0.0), unknown, unused, numbers, differ), spans

    def mention(self, column: ColumnKey | None, value: object) -> tuple[float, Span | None, str | None]:
        """The likeliest words for a value: probability, where, and the comparison they ask for."""
        text = str(value).strip("%").casefold()
        best: tuple[float, Span | None, str | None] = (0.0, None, None)
        for mention in self.linking.values:
            same = mention.column == column and str(mention.value).casefold() == text
            if same and (mention.probability > best[0] or best[1] is None):
                best = (mention.probability, mention.span, mention.comparison)
        if best[1] is None:
            for number in self.linking.numbers:
                if value in (number.value, number.upper):
                    return 0.1, number.span, number.comparison
            for date in self.linking.dates:
                if date.first is not None and text[:4] == date.first[:4]:
                    return 0.1, date.span, date.comparison
        return best

    def _select_features(self, parts: UsedParts) -> tuple[float, ...]:
        shown = [self.linking.index[c] for c, r in parts.columns if r == "select" and c in self.linking.index]
        scores = self.linking.column_scores["select"]
        logs = [float(np.log(max(float(scores[i]), _SCALAR))) for i in shown]
        places = [int(self.linking.alignment[i].argmax()) for i in shown]
        turned = sum(a > b for a, b in pairwise(places))
        missing = _without(scores, set(shown))
        return sum(logs), min(logs, default=0.0), float(turned), float(missing[missing > 0.4].sum())

    def _order_features(self, parts: UsedParts, columns: list[tuple[int, int]]) -> tuple[float, ...]:
        linking = self.linking
        ordered = {c for c, r in parts.columns if r in {"order", "aggregate"}}
        implied = [score for s in linking.superlatives for column, _, score in s.columns if column in ordered]
        where = [float(linking.alignment[i].max(initial=0)) for i, _ in columns]
        return (
            float(len(linking.superlatives)),
            max(implied, default=0.0),
            float(np.mean(where)) if where else 0.0,
        )
