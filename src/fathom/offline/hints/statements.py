"""From evidence to hints: its statements read over the schema and placed in the question."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from fathom.knowledge import KnowledgePack
from fathom.offline.hints.evidence import Piece, head, pieces, quoted, unquoted
from fathom.offline.hints.fragments import Fragment, read_fragment
from fathom.offline.hints.names import ReadableNames
from fathom.offline.hints.records import Hint, Hints
from fathom.offline.linking import ColumnKey, QuestionToken, Span
from fathom.offline.linking.text import tokenize
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    ColumnRef,
    ComparisonPredicate,
    Condition,
    Expression,
    Literal,
    rebuilt,
)
from fathom.records import Question
from fathom.retrieval import ValueIndex
from fathom.retrieval.typos import similarity
from fathom.text.patterns import Pattern

_WORD = Pattern(r"[^\W_]+")
REMEMBERED = 64
"""Values that are kept as they were found: evidence is read twice, before its words are linked and after."""
_LONG = 4
"""Letters from which a word may be misspelt; of shorter ones each stands for itself."""


class EvidenceReader:
    """Reads the evidence of questions to one database."""

    def __init__(self, planner: JoinPlanner, pack: KnowledgePack, index: ValueIndex | None) -> None:
        self.planner, self.names, self._index = planner, ReadableNames(planner.schema, pack), index
        self._stored = lru_cache(REMEMBERED)(self._look_up)

    def read(self, evidence: str, question: Sequence[QuestionToken], likely: Mapping[str, float]) -> Hints:
        """The hints in an evidence. `likely` weighs tables for names that several have."""
        found: list[Hint] = []
        for piece in pieces(evidence):
            fragment = self._fragment(piece, likely)
            if fragment is None:
                continue
            spans = place(piece.phrase or piece.text, question)
            stored = rebuilt(fragment.conditions, self._as_stored)
            shown = rebuilt(fragment.expressions, self._as_stored)
            text = piece.text + "".join(
                _otherwise(a, b) for a, b in zip(fragment.conditions, stored, strict=True)
            )
            for conditions, expressions in _apart(Fragment(stored, shown)):
                found.append(Hint(piece.phrase, spans, conditions, expressions, text))
        return Hints(tuple(found))

    def words(self, question: Question) -> str:
        """Give the parts of the evidence that aren't read as SQL and share a word with the question."""
        said = {t.stem for t in tokenize(question.text) if not t.stop}
        unread = (p.text for p in pieces(question.evidence) if self._fragment(p, {}) is None)
        return "; ".join(t for t in unread if said.intersection(w.stem for w in tokenize(t)))

    def _fragment(self, piece: Piece, likely: Mapping[str, float]) -> Fragment | None:
        if piece.equation and self.names.columns(unquoted(piece.phrase)):
            return self._parsed(piece.text, likely)
        for name in (unquoted(piece.meaning), None, head(piece.meaning)):
            fragment = self._parsed(piece.meaning, likely) if name is None else None
            column = self._named(name, likely) if name is not None else None
            if column is not None:
                return self._value_of(column, piece) or Fragment(expressions=(column,))
            if fragment is not None:
                return fragment
        return None

    def _parsed(self, text: str, likely: Mapping[str, float]) -> Fragment | None:
        return read_fragment(text, self.names, self.planner, likely)

    def _named(self, text: str, likely: Mapping[str, float]) -> ColumnRef | None:
        """The column that a text names: "publisher name", "the title"."""
        owner, _, bare = text.removeprefix("the ").rpartition(".")
        chosen = self.names.choose([(owner, bare)], likely) if bare else None
        if not chosen:
            return None
        key = chosen[owner, bare]
        return key.in_query()

    def _value_of(self, column: ColumnRef, piece: Piece) -> Fragment | None:
        """The condition in '"Iran" is the country_name': the phrase is a value of the column."""
        values = quoted(piece.phrase) or ((piece.phrase,) if piece.named else ())
        for value in values:
            if self._stored(ColumnKey.of(column), value) is not None or (
                piece.named and quoted(piece.phrase)
            ):
                return Fragment((ComparisonPredicate(column, "=", Literal(value)),))
        return None

    def _as_stored(self, part: Any) -> Any:
        """A part of a query, the value of a condition spelt as the cells spell it."""
        match part:
            case ComparisonPredicate(
                ColumnRef() as column, ("=" | "!=") as operator, Literal(value=str() as value)
            ):
                stored = self._stored(ColumnKey.of(column), value)
                return ComparisonPredicate(column, operator, Literal(stored)) if stored is not None else part
        return part

    def _look_up(self, column: ColumnKey, value: str) -> str | None:
        """The value that a column holds: in another case, else the one that is spelt nearly like it."""
        found = self._index.lookup(value) if self._index is not None else ()
        held = [m.value for m in found if (m.table, m.column) == tuple(column)]
        alike = [v for v in held if v.casefold() == value.casefold()]
        alike = alike or [v for v in held if _nearly(v, value)]
        return alike[0] if alike else None


def _nearly(one: str, other: str) -> bool:
    """True if two texts are the same word by word, but for signs and slips within longer words."""
    words = [_WORD.findall(text.casefold()) for text in (one, other)]
    if "".join(words[0]) == "".join(words[1]):
        return True
    return len(words[0]) == len(words[1]) and all(map(_slipped, *words))


def _slipped(word: str, other: str) -> bool:
    """True if two words are the same, or long and a slip apart."""
    letters = word.isalpha() and other.isalpha() and min(len(word), len(other)) >= _LONG
    return word == other or (letters and similarity(word, other) > 0)


def _otherwise(said: Condition, stored: Condition) -> str:
    """Give the remark on a value that the cells spell otherwise."""
    match said, stored:
        case ComparisonPredicate(right=Literal(value=str() as before)), ComparisonPredicate(
            right=Literal(value=str() as after)
        ):
            return f" ({before!r} is stored as {after!r})" if before.casefold() != after.casefold() else ""
    return ""


def _apart(fragment: Fragment) -> Iterator[tuple[tuple[Condition, ...], tuple[Expression, ...]]]:
    """Conditions, plain columns and every other expression of a fragment by themselves."""
    if fragment.conditions:
        yield fragment.conditions, ()
    if plain := tuple(e for e in fragment.expressions if isinstance(e, ColumnRef)):
        yield (), plain
    for expression in fragment.expressions:
        if not isinstance(expression, ColumnRef):
            yield (), (expression,)


def place(phrase: str, question: Sequence[QuestionToken]) -> tuple[Span, ...]:
    """Where the words of a phrase stand closest together in a question, as runs of tokens."""
    words = [t for t in tokenize(phrase) if t.kind != "sign"]
    content = [t for t in words if not t.stop] or words
    wanted = {t.stem for t in content}
    places = [i for i, t in enumerate(question) if not t.evidence and t.stem in wanted]
    best: tuple[int, int, tuple[int, ...]] = (0, 0, ())
    for first in places:
        window = tuple(p for p in places if first <= p < first + len(words) + 3)
        seen: dict[str, int] = {}
        for p in window:
            seen.setdefault(question[p].stem, p)
        chosen = tuple(sorted(seen.values()))
        best = max(best, (len(chosen), -(chosen[-1] - chosen[0]), chosen), key=lambda b: b[:2])
    return _runs(best[2], question)


def _runs(places: Sequence[int], question: Sequence[QuestionToken]) -> tuple[Span, ...]:
    """Runs of tokens; words of grammar between two places belong to the run."""
    runs: list[Span] = []
    for place_ in places:
        if runs and all(t.stop for t in question[runs[-1].end : place_]):
            runs[-1] = Span(runs[-1].first, place_ + 1)
        else:
            runs.append(Span(place_, place_ + 1))
    return tuple(runs)
