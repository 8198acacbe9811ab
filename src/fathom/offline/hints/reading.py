"""From evidence to hints: its statements read over the schema and placed in the question."""

from collections.abc import Iterator, Mapping, Sequence

from fathom.knowledge import KnowledgePack
from fathom.offline.hints.evidence import Piece, head, pieces, quoted, unquoted
from fathom.offline.hints.fragments import Fragment, read_fragment
from fathom.offline.hints.names import Names
from fathom.offline.hints.records import Hint, Hints
from fathom.offline.linking import ColumnKey, Span, Token
from fathom.offline.linking.text import tokenize
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import Column, Comparison, Condition, Expression, Literal
from fathom.retrieval import ValueIndex


class EvidenceReader:
    """Reads the evidence of questions to one database."""

    def __init__(self, planner: JoinPlanner, pack: KnowledgePack, index: ValueIndex | None) -> None:
        self.planner, self.names, self._index = planner, Names(planner.schema, pack), index

    def read(self, evidence: str, question: Sequence[Token], likely: Mapping[str, float]) -> Hints:
        """The hints in an evidence. `likely` weighs tables for names that several have."""
        found: list[Hint] = []
        words: list[str] = []
        for piece in pieces(evidence):
            fragment = self._fragment(piece, likely)
            if fragment is None:
                words.append(piece.text)
                continue
            spans = place(piece.phrase or piece.text, question)
            stored = tuple(
                self._as_stored(c) if isinstance(c, Comparison) else c for c in fragment.conditions
            )
            for conditions, shown in _apart(Fragment(stored, fragment.expressions)):
                found.append(Hint(piece.phrase, spans, conditions, shown, piece.text))
        return Hints(tuple(found), "; ".join(words))

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

    def _named(self, text: str, likely: Mapping[str, float]) -> Column | None:
        """The column that a text names: "publisher name", "the title"."""
        owner, _, bare = text.removeprefix("the ").rpartition(".")
        chosen = self.names.choose([(owner, bare)], likely) if bare else None
        if not chosen:
            return None
        key = chosen[owner, bare]
        return key.in_query()

    def _value_of(self, column: Column, piece: Piece) -> Fragment | None:
        """The condition in '"Iran" is the country_name': the phrase is a value of the column."""
        values = quoted(piece.phrase) or ((piece.phrase,) if piece.named else ())
        for value in values:
            stored = self._stored(ColumnKey.of(column), value)
            if stored is not None or (piece.named and quoted(piece.phrase)):
                return Fragment((Comparison(column, "=", Literal(stored or value)),))
        return None

    def _as_stored(self, condition: Comparison) -> Comparison:
        """The condition with its value spelt as the cells spell it."""
        match condition:
            case Comparison(Column() as column, ("=" | "!=") as operator, Literal(value=str() as value)):
                stored = self._stored(ColumnKey.of(column), value)
                return Comparison(column, operator, Literal(stored)) if stored is not None else condition
        return condition

    def _stored(self, column: ColumnKey, value: str) -> str | None:
        """The value that a column holds, differing in case and signs alone."""
        for match in self._index.lookup(value) if self._index is not None else ():
            same = (match.table, match.column) == tuple(column) and match.kind in {"exact", "folded"}
            if same and match.value.casefold() == value.casefold():
                return match.value
        return None


def _apart(fragment: Fragment) -> Iterator[tuple[tuple[Condition, ...], tuple[Expression, ...]]]:
    """Conditions, plain columns and every other expression of a fragment by themselves."""
    if fragment.conditions:
        yield fragment.conditions, ()
    if plain := tuple(e for e in fragment.expressions if isinstance(e, Column)):
        yield (), plain
    for expression in fragment.expressions:
        if not isinstance(expression, Column):
            yield (), (expression,)


def place(phrase: str, question: Sequence[Token]) -> tuple[Span, ...]:
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


def _runs(places: Sequence[int], question: Sequence[Token]) -> tuple[Span, ...]:
    """Runs of tokens; words of grammar between two places belong to the run."""
    runs: list[Span] = []
    for place_ in places:
        if runs and all(t.stop for t in question[runs[-1].end : place_]):
            runs[-1] = Span(runs[-1].first, place_ + 1)
        else:
            runs.append(Span(place_, place_ + 1))
    return tuple(runs)
