"""Features for the learned score of a column paired with a value: one row for each pair."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from fathom.offline.linking.reading import TokenMatches
from fathom.offline.linking.records import Floats, LinkedValue, Span
from fathom.offline.linking.values import pair_dates, pair_numbers

_MATCHES = ("exact", "folded", "stem", "typo", "partial", "quoted", "boolean", "code", "number", "date")
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=", "between", "like")
_LEADS = (
    ("in", "at", "on"),
    ("from", "of", "by", "for"),
    ("is", "are", "was", "be", "equals", "equal"),
    ("named", "called", "name", "titled", "title"),
    ("the", "a", "an"),
    ("and", "or", ","),
    ("than", "least", "most", "between", "above", "below", "over", "under", "after", "before"),
)
_NUMBER_COLUMNS = 12  # columns each number is tried with


def value_pairs(reading: TokenMatches, where: Floats) -> tuple[LinkedValue, ...]:
    """All pairs of a column and a value worth scoring; `where` are the columns' scores as filters."""
    numbered = pair_numbers(reading.tokens, reading.numbers, reading.words)
    quoted = [v for v in reading.held if v.match == "quoted"]
    certain = [v for v in reading.held if v.match != "quoted"]
    kept: list[LinkedValue] = list(certain)
    dated = pair_dates(reading.tokens, reading.dates, reading.words)
    for group in (numbered, quoted, dated):
        by_span: dict[Span, list[LinkedValue]] = {}
        for value in group:
            by_span.setdefault(value.span, []).append(value)
        for values in by_span.values():
            values.sort(key=lambda v: -where[reading.words.index[v.column]])
            kept += values[:_NUMBER_COLUMNS]
    return tuple(kept)


def value_features(
    reading: TokenMatches, pairs: Sequence[LinkedValue], columns: Floats, tables: Floats
) -> Floats:
    """One row for each pair (pairs x features), given the learned scores of columns by role and of tables."""
    if not pairs:
        return np.zeros((0, _SIZE), np.float32)
    words, tokens = reading.words, reading.tokens
    spans = Counter(p.span for p in pairs)
    exact = Counter(p.span for p in pairs if p.match in {"exact", "folded"})
    best_where: dict[Span, float] = {}
    named = np.maximum(reading.columns.letters.max(axis=0), reading.tables.letters.max(axis=0))
    for pair in pairs:
        score = float(columns[words.index[pair.column], 2])
        best_where[pair.span] = max(best_where.get(pair.span, 0.0), score)
    longer = _longer(pairs)
    rows = []
    for pair in pairs:
        place = words.index[pair.column]
        first, end = pair.span
        before = [t.lower for t in tokens[max(0, first - 2) : first]]
        limit = next((n for n in reading.numbers if n.span == pair.span), None)
        rows.append(
            [
                *(float(pair.match == m) for m in _MATCHES),
                *(float(pair.comparison == c) for c in _COMPARISONS),
                *(float(bool(before) and before[-1] in lead) for lead in _LEADS),
                pair.score,
                pair.coverage,
                np.log1p(pair.rows),
                end - first,
                len(pair.text),
                float(pair.text[:1].isupper()),
                float(str(pair.value)[:1].isupper()),
                float(tokens[first].quoted),
                float(tokens[first].evidence),
                float(all(t.stop for t in tokens[first:end])),
                spans[pair.span],
                exact[pair.span],
                longer[pair.span],
                float(named[first:end].mean()),
                float(first) / len(tokens),
                best_where[pair.span] - float(columns[place, 2]),
                _distance(reading.columns.alignment[place], pair.span),
                _distance(reading.tables.alignment[words.owner[place]], pair.span),
                limit.limit if limit else -1,
                float(limit.year) if limit else -1,
                float(limit.ordinal) if limit else -1,
                _spelled_out(limit.value) if limit else -1,
                reading.columns.covered[place],
                reading.columns.meant[place],
                tables[words.owner[place]],
                *columns[place],
                *words.traits[place],
                len(reading.numbers),
                len(tokens),
            ]
        )
    return np.array(rows, np.float32)


_SIZE = len(_MATCHES) + len(_COMPARISONS) + len(_LEADS) + 25 + 5 + 17 + 2


def _spelled_out(value: float) -> float:
    return float(np.log10(1 + abs(value)))


def _longer(pairs: Sequence[LinkedValue]) -> dict[Span, int]:
    """For each span how many tokens longer the longest good match is that contains it."""
    good = {p.span for p in pairs if p.match in {"exact", "folded", "stem", "quoted"}}
    spans = {p.span for p in pairs}
    return {
        s: max(
            ((g.end - g.first) - (s.end - s.first) for g in good if s.within(g)),
            default=0,
        )
        for s in spans
    }


def _distance(alignment: Floats, span: Span) -> float:
    """Signed tokens from the nearest mention of a name to the value: positive where the name comes first."""
    places = np.flatnonzero(alignment >= 0.3)
    places = places[(places < span.first) | (places >= span.end)]
    if not len(places):
        return 30.0
    gaps = np.where(places < span.first, span.first - places, span.end - 1 - places)
    return float(gaps[np.abs(gaps).argmin()])
