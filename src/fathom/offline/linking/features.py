"""Features for the learned scores of tables and columns: one row of numbers for each."""

from collections.abc import Iterable, Sequence

import numpy as np

from fathom.offline.linking.reading import TokenMatches
from fathom.offline.linking.records import Floats, QuestionToken, Span

_OPENERS = {
    "whose", "where", "with", "that", "who", "have", "has", "having", "which", "in", "for", "from", "when",
    "without", "by", "than", "are", "is", "do", "does", "did", "were", "was",
}  # fmt: skip
_BREAKS = {"whose", "where", "with", "that", "who", "have", "has", "having", "without", "in", "from", "for"}
_GROUPING = {"each", "per", "every", "by", "respective", "different"}
_SORTING = {"order", "ordered", "sort", "sorted", "ascending", "descending", "alphabetical", "ranked"}
_KINDS = ("how many", "how much", "who", "when", "where", "which", "what", "list", "show", "find", "name")


def question_features(reading: TokenMatches) -> Floats:
    """Numbers about the question as a whole."""
    tokens = [t for t in reading.tokens if not t.evidence]
    words = [t.lower for t in tokens]
    text = " ".join(words)
    starts = [float(text.startswith(k) or f" {k} " in text[:30]) for k in _KINDS]
    asked = {q.aggregate for q in reading.quantities}
    return np.array(
        [
            len(tokens),
            sum(t.evidence for t in reading.tokens),
            *starts,
            *(float(a in asked) for a in ("count", "sum", "avg", "min", "max")),
            len(reading.numbers),
            len(reading.dates),
            len(reading.superlatives),
            len(reading.negations),
            len(reading.quotes),
            sum(w in _GROUPING for w in words),
            sum(w in _SORTING for w in words),
            sum(w in {"and", ",", "or"} for w in words),
            max((v.score for v in reading.held if v.match in {"exact", "folded"}), default=0),
            len(reading.words.tables),
            len(reading.words.columns),
        ],
        np.float32,
    )


def table_features(reading: TokenMatches) -> Floats:
    """One row for each table (tables x features)."""
    words = reading.words
    names, columns = reading.tables, reading.columns
    owned = words.of_table
    alignment = names.alignment
    per_column = np.stack([columns.covered, columns.meant, columns.exact * (columns.covered > 0.99)])
    held = np.zeros((len(words.columns), 3), np.float32)
    for value in reading.held:
        place = words.index[value.column]
        kind = 0 if value.match in {"exact", "folded", "stem"} else 1 if value.match != "quoted" else 2
        held[place, kind] = max(held[place, kind], value.score)
    best = [np.where(owned > 0, row[None, :], 0).max(axis=1, initial=0) for row in (*per_column, *held.T)]
    keys = {(k.table, k.target_table) for k in words.schema.foreign_keys}
    degree = [sum(t in pair for pair in keys) for t in words.tables]
    shared = _shares(alignment)
    context = _context(reading, alignment)
    own = np.stack(
        [
            names.covered,
            names.exact,
            names.meant,
            names.kin,
            names.head,
            alignment.max(axis=1, initial=0),
            shared,
            _rank(names.covered),
            _rank(names.meant),
            *best,
            _rank(best[1]),
            _rank(best[3]),
            np.array(degree, np.float32),
            owned.sum(axis=1),
            np.array([len(w) for w in words.table_names.words], np.float32),
            np.array([_rows(t.row_count) for t in words.schema.tables], np.float32),
        ],
        axis=1,
    )
    neighbours = np.zeros_like(own[:, :6])
    numbered = {t: i for i, t in enumerate(words.tables)}
    for one, other in keys:
        a, b = numbered.get(one), numbered.get(other)
        if a is not None and b is not None:
            neighbours[a] = np.maximum(neighbours[a], own[b, :6])
            neighbours[b] = np.maximum(neighbours[b], own[a, :6])
    return _with_question(reading, np.concatenate([own, context, neighbours], axis=1))


def column_features(reading: TokenMatches, table_scores: Floats) -> Floats:
    """One row for each column (columns x features), given the scores of tables."""
    words, names = reading.words, reading.columns
    owner = np.array(words.owner, np.intp)
    tables = reading.tables
    alignment = names.alignment
    competition = np.stack([names.covered, names.meant], axis=1)
    namesakes = words.same_name
    rivals = np.where(namesakes > 0, table_scores[owner][None, :], 0)
    with_table = np.minimum(alignment, 1) * (1 - 0.5 * tables.alignment[owner])
    own = np.stack(
        [
            names.covered,
            names.exact,
            names.meant,
            names.kin,
            names.related.max(axis=1, initial=0),
            _rank(names.kin),
            names.head,
            names.letters.max(axis=1, initial=0),
            names.meaning.max(axis=1, initial=0),
            names.notes.max(axis=1, initial=0),
            names.notes.sum(axis=1),
            _shares(alignment),
            _shares(with_table),
            with_table.max(axis=1, initial=0),
            _rank(competition[:, 0]),
            _rank(competition[:, 1]),
            *(_rank_inside(competition[:, i], owner) for i in (0, 1)),
            table_scores[owner],
            rivals.max(axis=1) - table_scores[owner],
            tables.covered[owner],
            tables.head[owner],
            _best_sibling(names.covered, owner),
            _best_sibling(names.meant, owner),
            _closeness(alignment, tables.alignment[owner]),
            _rank(table_scores)[owner],
        ],
        axis=1,
    )
    attached = attachments(reading.tokens, alignment, tables.alignment)[:, owner, np.arange(len(owner))]
    parts = [own, words.traits, _held(reading), _context(reading, alignment), attached.T]
    return _with_question(reading, np.concatenate(parts, axis=1))


def attachments(tokens: Sequence[QuestionToken], columns: Floats, tables: Floats) -> Floats:
    """Which table's column the words around a column's mention speak of (ways x tables x columns).

    The ways: the table named next ("name of the singer"), just before ("singer name"), last before ("each
    singer ... its name"), and any other than this one named next.
    """
    found = np.zeros((4, len(tables), len(columns)), np.float32)
    if not columns.size or not tables.size:
        return found
    best = columns.argmax(axis=1)
    named = columns.max(axis=1) >= _NAMED
    is_table = tables >= _NAMED
    passed = columns.max(axis=0) >= _NAMED
    for column in np.flatnonzero(named).tolist():
        place = int(best[column])
        following = _following(tokens, place, is_table, passed)
        if following is not None:
            found[0, :, column] = is_table[:, following]
            found[3, :, column] = ~is_table[:, following]
        near = is_table[:, max(0, place - 2) : place]
        found[1, :, column] = near.any(axis=1)
        earlier = np.flatnonzero(is_table[:, :place].any(axis=0))
        if len(earlier):
            found[2, :, column] = is_table[:, earlier[-1]]
    return found


def _following(
    tokens: Sequence[QuestionToken],
    place: int,
    is_table: np.ndarray[tuple[int, int], np.dtype[np.bool_]],
    passed: np.ndarray[tuple[int], np.dtype[np.bool_]],
) -> int | None:
    """The next token that names a table, past function words and other columns only."""
    for after in range(place + 1, min(place + 9, len(tokens))):
        if is_table[:, after].any():
            return after
        if not (tokens[after].stop or passed[after]):
            return None
    return None


_NAMED = 0.3


def _with_question(reading: TokenMatches, rows: Floats) -> Floats:
    whole = question_features(reading)
    return np.concatenate([rows, np.broadcast_to(whole, (len(rows), len(whole)))], axis=1, dtype=np.float32)


def _rows(count: int | None) -> float:
    return float(np.log10(1 + count)) if count is not None else -1.0


def _shares(alignment: Floats) -> Floats:
    """For each name the sum over tokens of its part in what the token mentions, ties split."""
    best = alignment.max(axis=0, initial=0)
    winners = np.asarray((alignment >= best - 1e-6) & (best > 0.2), np.float32)
    return np.asarray((winners / np.maximum(winners.sum(axis=0), 1) * alignment).sum(axis=1), np.float32)


def _rank(scores: Floats) -> Floats:
    """How many others score higher."""
    return np.asarray((scores[None, :] > scores[:, None] + 1e-6).sum(axis=1), np.float32)


def _rank_inside(scores: Floats, owner: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Floats:
    """How many of the same table score higher."""
    higher = (scores[None, :] > scores[:, None] + 1e-6) & (owner[None, :] == owner[:, None])
    return np.asarray(higher.sum(axis=1), np.float32)


def _best_sibling(scores: Floats, owner: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Floats:
    """The best score among the other columns of the table."""
    same = (owner[None, :] == owner[:, None]) & ~np.eye(len(scores), dtype=bool)
    return np.asarray(np.where(same, scores[None, :], 0).max(axis=1, initial=0), np.float32)


def _closeness(columns: Floats, tables: Floats) -> Floats:
    """How near the token that names the column is to one that names its table: 1 / (1 + tokens between)."""
    if not columns.shape[1]:
        return np.zeros(len(columns), np.float32)
    place = columns.argmax(axis=1)
    distance = np.abs(np.arange(columns.shape[1])[None, :] - place[:, None])
    near = np.where(tables >= 0.5, 1 / (1 + distance), 0)
    return np.asarray(near.max(axis=1) * (columns.max(axis=1) > 0.2), np.float32)


def _held(reading: TokenMatches) -> Floats:
    """Compute each column's features from the question's values: best score by kind of match, words,
    rivals."""
    words = reading.words
    rows = np.zeros((len(words.columns), 9), np.float32)
    holders: dict[Span, int] = {}
    for value in reading.held:
        holders[value.span] = holders.get(value.span, 0) + 1
    for value in reading.held:
        row = rows[words.index[value.column]]
        kind = {"exact": 0, "folded": 0, "stem": 0, "typo": 1, "partial": 1, "code": 2, "boolean": 3}.get(
            value.match, 4
        )
        row[kind] = max(row[kind], value.score)
        if kind <= 1 and value.score * value.coverage >= row[5]:
            row[5] = value.score * value.coverage
            row[6] = value.span.end - value.span.first
            row[7] = holders[value.span]
            row[8] = float(reading.tokens[value.span.first].text[:1].isupper())
    return rows


def _context(reading: TokenMatches, alignment: Floats) -> Floats:
    """Where each name is mentioned: the words around the token that mentions it best."""
    tokens = reading.tokens
    if not tokens:
        return np.zeros((len(alignment), _CONTEXT), np.float32)
    surroundings = _surroundings(reading)
    best = alignment.argmax(axis=1)
    found = surroundings[best]
    found[alignment.max(axis=1) < 0.2] = -1
    return np.asarray(found, np.float32)


_CONTEXT = 17


def _surroundings(reading: TokenMatches) -> Floats:
    """One row for each token about the words around it."""
    tokens = reading.tokens
    words = [t.lower for t in tokens]
    held = _marked(len(tokens), (v.span for v in reading.held if v.score >= 0.8 and v.match != "quoted"))
    numbers = _marked(len(tokens), (n.span for n in reading.numbers))
    superlative = _marked(len(tokens), (Span(i, i + 1) for i in reading.superlatives))
    quantity = _marked(len(tokens), (q.span for q in reading.quantities))
    breaks = np.cumsum([w in _BREAKS for w in words])
    asked = _content(tokens)
    rows = np.zeros((len(tokens), _CONTEXT), np.float32)
    for place in range(len(tokens)):
        before, after = words[max(0, place - 3) : place], words[place + 1 : place + 4]
        rows[place] = [
            place / len(tokens),
            min(breaks[place], 5),
            asked[place],
            float(bool(before) and before[-1] in _GROUPING),
            sum(w in _GROUPING for w in before),
            sum(w in _SORTING for w in words[max(0, place - 6) : place]),
            superlative[place],
            superlative[max(0, place - 3) : place].sum(),
            superlative[place + 1 : place + 3].sum(),
            quantity[max(0, place - 3) : place + 1].sum(),
            numbers[place + 1 : place + 6].sum(),
            held[place + 1 : place + 6].sum(),
            held[place],
            held[max(0, place - 3) : place].sum(),
            float(bool(after) and after[0] in _OPENERS),
            float(any(w in {"and", ",", "or"} for w in (*before[-1:], *after[:1]))),
            float(tokens[place].evidence),
        ]
    return rows


def _marked(size: int, spans: Iterable[Span]) -> Floats:
    marks = np.zeros(size, np.float32)
    for span in spans:
        marks[span.first : span.end] = 1
    return marks


def _content(tokens: Sequence[QuestionToken]) -> list[int]:
    """For each token how many content words come before it, at most 12."""
    count, found = 0, []
    for token in tokens:
        found.append(min(count, 12))
        count += not token.stop
    return found
