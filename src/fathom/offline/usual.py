"""Averages said apart from what they are of: "how many pages they have on average", "how long usually"."""

from fathom.offline.linking import Linking, Span
from fathom.offline.linking.wordlists import USUALLY
from fathom.offline.query import Column
from fathom.offline.rows import RowNames

_MANY = frozenset(("many", "much"))
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
        """Whether words are some of them."""
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

    def adjective(self, place: int, names: RowNames) -> tuple[Column, ...]:
        """The columns that "how" and an adjective ask for: `milliseconds` for "how long"; best alone."""
        tokens = self._linking.tokens
        if tokens[place].lower != "how" or place + 1 >= len(tokens):
            return ()
        asked = tokens[place + 1]
        if asked.stop or asked.lower in _MANY or asked.kind != "word":
            return ()
        fits = {c: self._linking.score(c, "select") for c in self._linking.columns if names.measures(c)}
        best = max(fits.values(), default=0.0)
        return tuple(c.in_query() for c, fit in fits.items() if fit >= max(best, _MEANT))
