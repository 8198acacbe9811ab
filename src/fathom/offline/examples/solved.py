"""Solved questions of the same database: the nearest ones' queries, with this question's values put in."""

import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from fathom.offline.examples.exchanged_values import FRAME, Blank, Template, filled, literals, named_at
from fathom.offline.linking import ColumnKey, Floats, Linking, QuestionToken, Span
from fathom.offline.linking.text import token_stems, tokenize
from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Query,
    Unrepresentable,
    all_queries,
    mentioned_tables,
)
from fathom.records import SolvedExample

_LIKELY = 0.1
LONGEST = 8
_VALUE = "<value>"
_NUMBER = "<number>"


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
    def template(self) -> Template:
        """Its query with the values that may be exchanged."""
        return Template(self.query, self.blanks)

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
                query = parse(example.sql, planner, dialect, keep_joins=True)
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
        """True if solved questions say these words more often without comparing anything with them.

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
            for query, kept, exchanged in filled(solved.template, linking):
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
    for column, value in literals(query):
        others = names.get((column, str(value).strip(FRAME).casefold()), ())
        span = named_at(tokens, value, others)
        if span is not None and span not in spans:
            spans[span] = Blank(column, value, 0)
    ordered = sorted(spans)
    blanks = tuple(replace(spans[s], place=i) for i, s in enumerate(ordered))
    meant = frozenset(token_stems(tokens[s.first : s.end]) for s in ordered)
    plain = frozenset(_runs(tokens, ordered))
    return Solved(example, query, _words(tokens, ordered), blanks, meant, plain)


def _runs(tokens: Sequence[QuestionToken], masked: Sequence[Span]) -> Iterator[tuple[str, ...]]:
    for first in range(len(tokens)):
        for end in range(first + 1, min(first + LONGEST, len(tokens)) + 1):
            if not any(Span(first, end).overlaps(m) for m in masked):
                yield token_stems(tokens[first:end])


def _words(tokens: Sequence[QuestionToken], masked: Sequence[Span]) -> tuple[str, ...]:
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
