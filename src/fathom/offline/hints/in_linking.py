"""Hints put into a linking: what a phrase was said to mean outweighs what was learned."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import get_args

import numpy as np

from fathom.offline.hints.records import Hint
from fathom.offline.linking import ColumnKey, Comparison, Floats, LinkedValue, Linking, Role, Span
from fathom.offline.linking.records import Direction, SuperlativeMention
from fathom.offline.queries.query import ColumnRef, Items, Literal
from fathom.offline.queries.query import ComparisonPredicate as Condition

CERTAIN = 0.98
SHOWN = 0.8
RIVAL = 0.15
_OPERATORS = frozenset(get_args(Comparison))


def apply_hints(linking: Linking, hints: Sequence[Hint]) -> Linking:
    """The linking with the hints in it. Values and names that rival a hint for its words lose most weight."""
    if not hints:
        return linking
    scores = {role: s.copy() for role, s in linking.column_scores.items()}
    alignment, tables = linking.alignment.copy(), linking.table_scores.copy()
    explained = linking.explained.copy()
    told: list[LinkedValue] = []
    for hint in hints:
        used = [ColumnKey.of(c) for c in hint.every_column]
        for span in hint.spans:
            explained[span.first : span.end] = 1
        for column in used:
            row = linking.index[column]
            tables[linking.tables.index(column.table)] = max(linking.table_score(column.table), 0.95)
            for span in hint.spans:
                alignment[row, span.first : span.end] = 1
        told += _values(hint, linking)
        _weigh(hint, used, scores, linking, alignment)
    taken = [span for h in hints if h.conditions for span in _whole(h.spans, linking)]
    values = [_rivalled(v, told, taken) for v in linking.values]
    return replace(
        linking,
        alignment=alignment,
        table_scores=tables,
        column_scores=scores,
        explained=explained,
        values=tuple(sorted((*told, *(v for v in values if v is not None)), key=lambda v: -v.probability)),
        numbers=tuple(n for n in linking.numbers if not any(n.span.overlaps(s) for s in taken)),
        dates=tuple(d for d in linking.dates if not any(d.span.overlaps(s) for s in taken)),
        superlatives=(*_superlatives(hints), *linking.superlatives),
        told=any(h.source == "evidence" for h in hints),
    )


def _weigh(
    hint: Hint, used: Sequence[ColumnKey], scores: dict[Role, Floats], linking: Linking, alignment: Floats
) -> None:
    """Raise the scores of the columns a hint names, lower those of others that its words name."""
    shown = {ColumnKey.of(c) for c in hint.columns}
    for column in used:
        row = linking.index[column]
        role: Role = "select" if column in shown else "where" if hint.conditions else "aggregate"
        if role == "aggregate" and hint.extreme is not None:
            role = "order"
        scores[role][row] = max(float(scores[role][row]), SHOWN if role == "select" else CERTAIN)
    if shown:
        words = [p for span in hint.spans for p in range(*span)]
        if words:
            rivals = alignment[:, words].max(axis=1) >= 0.4
            rivals[[linking.index[c] for c in used]] = False
            scores["select"] = np.where(rivals, RIVAL * scores["select"], scores["select"]).astype(np.float32)


def _values(hint: Hint, linking: Linking) -> Iterator[LinkedValue]:
    for span, condition in product(_whole(hint.spans, linking)[-1:], hint.conditions):
        match condition:
            case Condition(
                ColumnRef() as column, operator, Literal(value=(str() | int() | float()) as value)
            ):
                if operator in _OPERATORS and not isinstance(value, bool):
                    yield _mention(column, value, operator, span, linking)
            case Condition(
                ColumnRef() as column, "between", Items(items=(Literal(value=low), Literal(value=high)))
            ):
                if isinstance(low, int | float) and isinstance(high, int | float):
                    yield replace(_mention(column, low, "between", span, linking), upper=high)


def _mention(
    column: ColumnRef, value: str | float, operator: str, span: Span, linking: Linking
) -> LinkedValue:
    comparison: Comparison = operator  # type: ignore[assignment]  # checked against _OPERATORS
    given = value.strip("%") if isinstance(value, str) and operator == "like" else value
    return LinkedValue(
        ColumnKey.of(column), given, linking.text(span), span, 1.0, "exact", comparison, probability=CERTAIN
    )


def _whole(spans: Sequence[Span], linking: Linking) -> tuple[Span, ...]:
    """One span over all, or all of them where other words that mean something stand between them."""
    if not spans:
        return ()
    between = range(spans[0].first, spans[-1].end)
    own = {place for span in spans for place in range(*span)}
    if any(
        linking.tokens[place].kind == "word" and not linking.tokens[place].stop for place in {*between} - own
    ):
        return tuple(spans)
    return (Span(spans[0].first, spans[-1].end),)


def _rivalled(value: LinkedValue, told: Iterable[LinkedValue], taken: Iterable[Span]) -> LinkedValue | None:
    """A value as it stands beside what was told: gone where it is the same, weak where it takes its words."""
    if any((value.column, str(value.value)) == (other.column, str(other.value)) for other in told):
        return None
    if any(value.span.overlaps(span) for span in taken):
        return replace(value, probability=RIVAL * value.probability)
    return value


def _superlatives(hints: Iterable[Hint]) -> Iterator[SuperlativeMention]:
    for hint in hints:
        match hint.extreme:
            case (ColumnRef() as column, largest) if hint.spans:
                span = Span(hint.spans[0].first, hint.spans[-1].end)
                direction: Direction = "desc" if largest else "asc"
                yield SuperlativeMention(span, direction, 1, ((ColumnKey.of(column), direction, 1.0),))
