"""Solved questions of the same database: the nearest ones' queries, with this question's values put in."""

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from fathom.offline.joins import JoinPlanner
from fathom.offline.linking import ColumnKey, Floats, Linking, Span, Token
from fathom.offline.linking.numbers import find_numbers
from fathom.offline.linking.text import token_stems, tokenize
from fathom.offline.parsing import parse
from fathom.offline.query import (
    Column,
    Comparison,
    Items,
    Literal,
    Query,
    Unrepresentable,
    all_queries,
    mentioned_tables,
    part_names,
    walk,
)
from fathom.records import SolvedExample

_LIKELY = 0.1
_FRAME = "%;,| ("
LONGEST = 4
_VALUE = "<value>"
_NUMBER = "<number>"
Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Blank:
    """A value of a solved query that its question names: with which column, and the how-manieth so named."""

    column: ColumnKey | None
    value: Value
    place: int


@dataclass(frozen=True, slots=True)
class Template:
    """A query whose values may be exchanged where `blanks` say so."""

    query: Query
    blanks: tuple[Blank, ...]


@dataclass(frozen=True)
class Solved:
    """A solved question: its query, its words with values masked, and the values that may be exchanged.

    `meant` are the words of such values, `plain` the runs of other words, up to `LONGEST` of them.
    """

    example: SolvedExample
    query: Query
    words: tuple[str, ...]
    blanks: tuple[Blank, ...]
    meant: frozenset[tuple[str, ...]] = frozenset()
    plain: frozenset[tuple[str, ...]] = frozenset()

    @property
    def number(self) -> int:
        """A number to draw by: the same in every run, whatever the others are and in whatever order."""
        return int.from_bytes(hashlib.sha256(self.example.question.encode()).digest()[:8])


@dataclass(frozen=True, slots=True)
class Recalled:
    """The query of a solved question with this question's values; `similarity` of the two, from 0 to 1.

    `kept` counts the values that the solved question names and this one doesn't.
    """

    query: Query
    similarity: float
    example: SolvedExample
    kept: int


class Examples:
    """The solved questions of one database, compiled for recall, without those whose SQL can't be read.

    `meanings` are (column, phrase, stored value): other names by which questions may have named values.
    """

    def __init__(
        self,
        examples: Iterable[SolvedExample],
        planner: JoinPlanner,
        dialect: str = "sqlite",
        meanings: Iterable[tuple[ColumnKey, str, str]] = (),
    ) -> None:
        names: dict[tuple[ColumnKey | None, str], list[str]] = defaultdict(list)
        for column, phrase, stored in meanings:
            names[column, stored.casefold()].append(phrase)
        self.dialect = dialect
        self.solved: list[Solved] = []
        for example in examples:
            try:
                query = parse(example.sql, planner, dialect)
            except Unrepresentable:
                continue
            self.solved.append(_compile(example, query, names))
        self._said: dict[tuple[str, ...], list[frozenset[str]]] = defaultdict(list)
        self._meant: Counter[tuple[str, ...]] = Counter()
        for solved in self.solved:
            tables = frozenset(t.name for q in all_queries(solved.query) for t in mentioned_tables(q))
            for words in solved.plain:
                self._said[words].append(tables)
            self._meant.update(solved.meant)
        self._weights = _rarity([s.words for s in self.solved])
        self._norms = [self._norm(s.words) for s in self.solved]
        self._holders: dict[str, list[int]] = {}
        for place, solved in enumerate(self.solved):
            for word in set(solved.words):
                self._holders.setdefault(word, []).append(place)

    def __len__(self) -> int:
        return len(self.solved)

    def passes_over(self, linking: Linking, span: Span) -> bool:
        """Whether solved questions say these words more often without comparing anything with them.

        "In the usa" restricts nothing in a database of the USA, though a column holds that value. Only
        queries over a table that holds it could have compared it: where "for Parkinson's disease" chooses a
        table of its own, that says nothing of the tables in which it is a value.
        """
        stems = token_stems(linking.tokens[span.first : span.end])
        holders = {v.column.table for v in linking.values if v.span == span}
        said = sum(not holders.isdisjoint(tables) for tables in self._said.get(stems, ()))
        return said > self._meant[stems]

    def _norm(self, words: Sequence[str]) -> float:
        return math.sqrt(math.fsum(self._weights.get(w, self._unseen) ** 2 for w in set(words))) or 1.0

    @property
    def _unseen(self) -> float:
        return math.log(len(self.solved) + 1) if self.solved else 1.0

    def similarities(self, linking: Linking) -> Floats:
        """The similarity of each solved question with this one: cosine of rarity-weighted words and pairs."""
        words, _ = masked_words(linking)
        scores = np.zeros(len(self.solved), np.float32)
        for word in dict.fromkeys(words):  # in an order that stays the same, as sums do then
            weight = self._weights.get(word, 0.0)
            scores[self._holders.get(word, [])] += weight * weight
        return np.asarray(scores / (np.array(self._norms, np.float32) * self._norm(words)), np.float32)

    def _cosine(self, solved: Solved, words: Sequence[str]) -> float:
        """The similarity with a question whose values are masked where this solved one's were put in."""
        shared = math.fsum(self._weights[w] ** 2 for w in set(words) & set(solved.words))
        return shared / (self._norm(solved.words) * self._norm(words))

    def recall(self, linking: Linking, most: int = 10) -> list[Recalled]:
        """Queries of the nearest solved questions with this question's values, nearest first, none twice."""
        if not self.solved:
            return []
        scores = self.similarities(linking)
        found: dict[Query, Recalled] = {}
        for place in np.argsort(-scores, kind="stable")[: 4 * most].tolist():
            solved = self.solved[place]
            for query, kept, exchanged in filled(solved, linking):
                if query not in found:
                    alike = max(float(scores[place]), self._cosine(solved, _words(linking.tokens, exchanged)))
                    found[query] = Recalled(query, alike, solved.example, kept)
            if len(found) >= most:
                break
        return list(found.values())[:most]


def _rarity(texts: Sequence[Sequence[str]]) -> dict[str, float]:
    uses = Counter(w for t in texts for w in set(t))
    return {w: math.log((len(texts) + 1) / n) for w, n in uses.items()}


def _compile(
    example: SolvedExample, query: Query, names: Mapping[tuple[ColumnKey | None, str], Sequence[str]]
) -> Solved:
    tokens = tokenize(example.question)
    spans: dict[Span, Blank] = {}
    for column, value in _literals(query):
        others = names.get((column, str(value).strip(_FRAME).casefold()), ())
        span = _named(tokens, value, others)
        if span is not None and span not in spans:
            spans[span] = Blank(column, value, 0)
    ordered = sorted(spans)
    blanks = tuple(replace(spans[s], place=i) for i, s in enumerate(ordered))
    meant = frozenset(token_stems(tokens[s.first : s.end]) for s in ordered)
    plain = frozenset(_runs(tokens, ordered))
    return Solved(example, query, _words(tokens, ordered), blanks, meant, plain)


def _runs(tokens: Sequence[Token], masked: Sequence[Span]) -> Iterator[tuple[str, ...]]:
    for first in range(len(tokens)):
        for end in range(first + 1, min(first + LONGEST, len(tokens)) + 1):
            if not any(Span(first, end).overlaps(m) for m in masked):
                yield token_stems(tokens[first:end])


def _named(tokens: Sequence[Token], value: Value, others: Sequence[str] = ()) -> Span | None:
    """Where a question names a value, itself or by one of its other names."""
    if isinstance(value, int | float):
        return next((n.span for n in find_numbers(tokens) if n.value == value), None)
    words = [(i, t.stem) for i, t in enumerate(tokens) if t.kind != "sign"]
    for phrase in (str(value), *others):
        wanted = list(token_stems(tokenize(phrase)))
        for start in range(len(words) - len(wanted) + 1):
            if wanted and [w for _, w in words[start : start + len(wanted)]] == wanted:
                return Span(words[start][0], words[start + len(wanted) - 1][0] + 1)
    return None


def _words(tokens: Sequence[Token], masked: Sequence[Span]) -> tuple[str, ...]:
    """Stems and pairs of neighbours, with spans of values as one word each."""
    starts = {s.first: s for s in masked}
    words = ["<start>"]
    place = 0
    while place < len(tokens):
        token = tokens[place]
        if span := starts.get(place):
            words.append(_NUMBER if token.kind == "number" else _VALUE)
            place = span.end
            continue
        if not token.evidence and token.kind != "sign":
            words.append(token.stem)
        place += 1
    return tuple(_counted((*words, *(f"{a} {b}" for a, b in pairwise(words)))))


def _counted(words: Iterable[str]) -> Iterator[str]:
    """The words, each by which time it is said: "states that border states that border" says more."""
    said: Counter[str] = Counter()
    for word in words:
        said[word] += 1
        yield word if said[word] == 1 else f"{word}#{said[word]}"


def masked_words(linking: Linking) -> tuple[tuple[str, ...], frozenset[ColumnKey]]:
    """The question's words with its likely values masked, and the columns that hold those as they stand."""
    taken: list[Span] = []
    for value in linking.values:
        likely = value.probability >= _LIKELY or value.score >= 0.98
        if (
            likely
            and value.match not in {"boolean", "code"}
            and not any(value.span.overlaps(t) for t in taken)
        ):
            taken.append(value.span)
    homes = (v.column for v in linking.values if v.span in taken and v.match in {"exact", "folded"})
    return _words(linking.tokens, taken), frozenset(homes)


def filled(solved: "Solved | Template", linking: Linking) -> Iterable[tuple[Query, int, Sequence[Span]]]:
    """The solved query with this question's values, how many of its own it kept, where the others are."""
    used: list[Span] = []
    chosen: dict[tuple[ColumnKey | None, Value], Value] = {}
    kept = 0
    whole = whole_values(linking)
    for blank in solved.blanks:
        found = _replacement(blank, linking, used, whole)
        if found is None:
            kept += 1
            if not _mentions(linking, blank.value):
                return
        else:
            value, span = found
            chosen[blank.column, blank.value] = value
            used.append(span)
    yield _exchanged(solved.query, lambda c, v: chosen.get((c, v), v)), kept, sorted(used)


def whole_values(linking: Linking) -> tuple[Span, ...]:
    """Words that are exactly a stored value, none inside longer ones that are: surely meant as one."""
    exact = {v.span for v in linking.values if v.match in {"exact", "folded"} and v.comparison != "like"}
    return tuple(
        sorted(s for s in exact if not any(s != o and s.overlaps(o) and _inside(s, o) for o in exact))
    )


def values_left_out(linking: Linking, queries: Iterable[Query]) -> list[int]:
    """How many of the values that a question surely names each query doesn't hold."""
    wanted = [
        {f" {_plain(v.value)} " for v in linking.values if v.span == span} for span in whole_values(linking)
    ]
    if not wanted:
        return [0 for _ in queries]
    held = (" ".join(f" {_plain(v)} " for _, v in _literals(q)) for q in queries)
    return [sum(not any(w in text for w in words) for words in wanted) for text in held]


def _plain(value: Value) -> str:
    return " ".join(t.lower for t in tokenize(str(value)))


def _inside(one: Span, other: Span) -> bool:
    return other.first <= one.first and one.end <= other.end


def _replacement(
    blank: Blank, linking: Linking, used: Sequence[Span], whole: Sequence[Span]
) -> tuple[Value, Span] | None:
    if isinstance(blank.value, int | float) and not isinstance(blank.value, bool):
        for number in linking.numbers:
            if not any(number.span.overlaps(u) for u in used):
                return number.value, number.span
        return None
    wanted = str(blank.value)
    for value in linking.values:
        free = not any(value.span.overlaps(u) for u in used)
        # "south dakota" is no misspelt "south bend", where some column holds it as it stands.
        free = free and (value.span in whole or not any(value.span.overlaps(w) for w in whole))
        if value.column == blank.column and free and value.match != "number":
            text = str(value.value)
            # Solved queries may spell values otherwise than the cells do, or frame them: keep their habit.
            core = wanted.strip(_FRAME)
            before, _, after = wanted.partition(core) if core else ("", "", "")
            return before + (text.lower() if core.islower() else text) + after, value.span
    return None


def _mentions(linking: Linking, value: Value) -> bool:
    return _named(linking.tokens, value) is not None


def _literals(node: Any, column: ColumnKey | None = None) -> Iterable[tuple[ColumnKey | None, Value]]:
    """The constants of a query with the columns they are compared with, and its limits."""
    if isinstance(node, Literal):
        yield column, node.value
    elif isinstance(node, Comparison):
        key = _key(node)
        yield from _literals(node.left, key)
        yield from _literals(node.right, key)
    elif isinstance(node, tuple):
        for item in node:
            yield from _literals(item, column)
    else:
        if isinstance(node, Query) and node.limit is not None and node.limit > 1:
            yield None, node.limit
        for name in part_names(type(node)):
            yield from _literals(getattr(node, name), column if isinstance(node, Items) else None)


def _key(comparison: Comparison) -> ColumnKey | None:
    """The one column on the left: by itself, or in LOWER(column) and the like."""
    named = {e for e in walk(comparison.left) if isinstance(e, Column)}
    left = named.pop() if len(named) == 1 else None
    return ColumnKey.of(left) if left is not None else None


_Node = TypeVar("_Node")


def _exchanged(
    node: _Node, value: Callable[[ColumnKey | None, Value], Value], column: ColumnKey | None = None
) -> _Node:
    """A query with its constants replaced; what doesn't change stays the same object."""
    given: Any = node
    changed: Any = node
    if isinstance(given, Literal):
        other = value(column, given.value)
        changed = given if other is given.value else Literal(other)
    elif type(given) is tuple:
        parts = tuple(_exchanged(i, value, column) for i in given)
        changed = given if all(a is b for a, b in zip(parts, given, strict=True)) else parts
    elif names := part_names(type(given)):
        inner = _key(given) if isinstance(given, Comparison) else column if isinstance(given, Items) else None
        changes = {}
        for name in names:
            old = getattr(given, name)
            new = _exchanged(old, value, inner)
            if new is not old:
                changes[name] = new
        if isinstance(given, Query) and given.limit is not None and given.limit > 1:
            limit = value(None, given.limit)
            changes["limit"] = limit if isinstance(limit, int) else given.limit
        changed = replace(given, **changes) if changes else given
    result: _Node = changed
    return result
