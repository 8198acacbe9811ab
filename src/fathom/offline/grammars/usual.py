"""Averages said apart from what they are of: "how many pages they have on average", "how long usually"."""

from fathom.offline.grammars.groups import ThingNaming
from fathom.offline.grammars.measures import MeasureSource, MeasureWords
from fathom.offline.linking import Linking, Span
from fathom.offline.linking.levels import NAMED
from fathom.offline.linking.wordlists import USUALLY
from fathom.offline.queries.query import TableRef
from fathom.offline.queries.rows import RowNames

_MANY = frozenset(("many", "much"))
_OF_TABLE = 0.05
_MEANT = 0.6
"""Score from which a column is what "how long" asks for."""


class Usual:
    """The words of one question that ask for averages and name nothing: "on average", "usually"."""

    def __init__(self, linking: Linking) -> None:
        self._linking = linking
        words = [t.lower for t in linking.tokens]
        self.spans = tuple(
            Span(place, place + len(said))
            for place in range(len(words))
            for said in USUALLY
            if tuple(words[place : place + len(said)]) == said
        )

    def at(self, place: int) -> Span | None:
        """The words that begin at a place."""
        return next((s for s in self.spans if s.first == place), None)

    def holds(self, span: Span) -> bool:
        """True if words are some of them."""
        return any(s.overlaps(span) for s in self.spans)

    def leads_to(self, span: Span) -> int:
        """The place of what follows some of them, a comma aside: "on average, | how many"."""
        place = span.end
        while place < len(self._linking.tokens) and self._linking.tokens[place].kind == "sign":
            place += 1
        return place

    def said_of(self, words: Span) -> Span | None:
        """Those that are said of a quantity: behind it, no other between, or right ahead of it."""
        starts = {q.span.first for q in self._linking.quantities if not self.holds(q.span)}
        starts |= {i for i, t in enumerate(self._linking.tokens) if t.lower == "how"}
        for span in self.spans:
            between = range(words.end, span.first)
            behind = words.end <= span.first and not any(s in between for s in starts)
            if behind or self.leads_to(span) == words.first:
                return span
        return None

    def how(self, place: int, names: RowNames) -> MeasureWords | None:
        """The average of what "how" and an adjective ask for: "how long are the tracks on average"."""
        tokens, words = self._linking.tokens, Span(place, place + 2)
        if tokens[place].lower != "how" or place + 1 >= len(tokens):
            return None
        asked, usual = tokens[place + 1], self.said_of(words)
        if asked.stop or asked.lower in _MANY or asked.kind != "word" or usual is None:
            return None
        fits = {c: self._linking.score(c, "select") for c in self._linking.columns if names.measures(c)}
        best = max(fits.values(), default=0.0)
        meant = (c for c, fit in fits.items() if fit >= max(best, _MEANT))
        sources = tuple(
            MeasureSource(c.in_query(), TableRef(c.table), 1.0 + self._near(c.table)) for c in meant
        )
        also = frozenset((*range(*words), *range(*usual)))
        return MeasureWords("avg", sources, words, also=also) if sources else None

    def extreme(self, place: int, naming: ThingNaming) -> MeasureWords | None:
        """The average by which a superlative ranks: "the longest tracks on average" are those of an album."""
        found = next((s for s in self._linking.superlatives if s.span.first == place and s.columns), None)
        named = naming.phrase(place + 1) if found else None
        if found is None or named is None or (usual := self.said_of(Span(place, named.end))) is None:
            return None
        column, direction, _ = found.columns[0]
        its_own = self._linking.table_fit(column.table, named.end - 1) >= NAMED
        if not naming.names.measures(column) or not its_own:
            return None
        source = MeasureSource(column.in_query(), TableRef(column.table), 1.0)
        also = frozenset(range(*usual))
        return MeasureWords("avg", (source,), Span(place, named.end), most=direction, also=also)

    def _near(self, table: str) -> float:
        """The bonus of a column whose table the question names, on how well it fits."""
        named = self._linking.table_alignment[self._linking.tables.index(table)]
        return _OF_TABLE * float(named.max(initial=0))
