"""Which rows a question names in which role, by the words around them: "from Boston", "did Ann send"."""

from dataclasses import dataclass

from fathom.offline.linking import ColumnKey, LinkedValue, Linking, Span
from fathom.offline.linking.levels import NAMED
from fathom.offline.linking.text import stem
from fathom.offline.queries.query import (
    ComparisonPredicate,
    Condition,
    Connective,
    Literal,
    TableRef,
    conjunction,
)
from fathom.offline.queries.rows import RowNames
from fathom.offline.roles.keys import SIDES, RoleKey, RolePair

_BE = frozenset("is was are were be being named called :".split()) | {"="}
_ARTICLES = frozenset(("the", "a", "an", "of"))
_DID = frozenset(("did", "does", "do", "has", "have", "had"))
_LOCATED = frozenset(("in", "at", "on", "for"))


@dataclass(frozen=True, slots=True)
class NamedRow:
    """A row of a pair's `homes` that the question names at a span, by the values there."""

    span: Span
    table: str
    condition: Condition


@dataclass(frozen=True, slots=True)
class Cast:
    """A named row in its role, at places of the question's tokens."""

    key: RoleKey
    named: NamedRow
    places: frozenset[int]


class Casting:
    """Tells for one question and one pair of keys which row it names in which role."""

    def __init__(self, linking: Linking, pair: RolePair, names: RowNames) -> None:
        self._linking, self._pair, self._names = linking, pair, names
        self._words = [t.lower for t in linking.tokens]
        self._deeds = pair.deeds

    def cast(self) -> tuple[Cast, ...]:
        """The rows that are named in a role; nothing where two have the same, or none can be told."""
        found: list[Cast] = []
        for named in self.rows():
            cast = self._cast(named)
            if cast is None:
                continue
            same = next((c for c in found if c.key == cast.key), None)
            if same is not None:
                return ()
            found.append(cast)
        return tuple(found)

    def _is_grammar(self, span: Span) -> bool:
        """True if words carry grammar alone: "the" is no airport, though one has that code."""
        return all(t.stop and t.text.islower() for t in self._linking.tokens[span.first : span.end])

    def rows(self) -> list[NamedRow]:
        """The rows of homes that the question names, in order; a first and a last name together."""
        best: dict[Span, LinkedValue] = {}
        homes = self._pair.homes
        values = [
            v for v in self._linking.values
            if v.match in {"exact", "folded"} and v.comparison == "=" and v.column.table in homes
            and not self._is_grammar(v.span)
        ]  # fmt: skip
        for value in sorted(values, key=lambda v: (-len(range(*v.span)), homes.index(v.column.table),
                                                   not self._is_name(v.column), -v.probability)):  # fmt: skip
            if not any(value.span.overlaps(s) for s in best):
                best[value.span] = value
        rows: list[NamedRow] = []
        for span, value in sorted(best.items()):
            condition = ComparisonPredicate(value.column.in_query(), "=", Literal(value.value))
            last = rows[-1] if rows else None
            between = self._words[last.span.end : span.first] if last else []
            if last and set(between) <= {","} and not _compares(last.condition, value.column):
                both = conjunction(last.condition, condition)
                assert both is not None
                rows[-1] = NamedRow(Span(last.span.first, span.end), last.table, both)
            else:
                rows.append(NamedRow(span, value.column.table, condition))
        return rows

    def _is_name(self, column: ColumnKey) -> bool:
        return column.in_query() in self._names.of_table(TableRef(column.table))

    def _cast(self, named: NamedRow) -> Cast | None:
        for way in (self._before, self._after, self._subject, self._led_to):
            cast = way(named)
            if cast is not None:
                return cast
        return None

    def _led_to(self, named: NamedRow) -> Cast | None:
        """By what comes next: "denver to boston"."""
        place = named.span.end
        to = self._words[place : place + 1] == ["to"]
        rows = self.rows() if to else []
        return (
            self._in("source", named, *named.span) if any(r.span.first == place + 1 for r in rows) else None
        )

    def _in(self, side: str | None, named: NamedRow, first: int, end: int) -> Cast | None:
        key = self._pair.on(side) if side else None
        return Cast(key, named, frozenset(range(first, end))) if key else None

    def _before(self, named: NamedRow) -> Cast | None:
        """By what stands before a row's name: "from the city of", "destination is", "leaving"."""
        place = named.span.first - 1
        while place >= 0 and (self._words[place] in _ARTICLES or self._names_home(place)):
            place -= 1
        if place < 0 or self._of_another(place):
            return None
        word, end = self._words[place], named.span.end
        if word in {"by", "for"} | _LOCATED and place:
            verb = self._words[place - 1]
            side = SIDES.get(verb)
            if word == "for":
                side = "target" if side else None
            elif word == "by":
                side = side if verb.endswith(("ed", "sent", "paid")) else None
                side = self._agent(verb) or side
            return self._in(side, named, place, end)
        while place and self._words[place] in _BE:
            place -= 1
        word = self._words[place]
        side = SIDES.get(word) or (
            "target" if stem(word) in self._deeds and not word.endswith("ed") else None
        )
        return self._in(side, named, place, end)

    def _after(self, named: NamedRow) -> Cast | None:
        """By what stands behind a row's name: "as the away team", "was the sender", "at home"."""
        place = named.span.end
        words = self._words[place : place + 4]
        for step, word in enumerate(words):
            if (side := SIDES.get(word)) in {"home", "away"} or (side and step and words[0] in _BE | {"as"}):
                end = place + step + 1
                while end < len(self._words) and self._names_home(end):
                    end += 1
                return self._in(side, named, self._opened(named.span.first), end)
            if word not in _BE | _ARTICLES | {"as", "at", "play", "played", "plays"}:
                return None
        return None

    def _opened(self, first: int) -> int:
        """Where what is said of a row begins: "with Ajax as ...", "where Ajax was ...", "did Ajax play"."""
        opens = first and self._words[first - 1] in {"with", "where", "when", "had", *_DID}
        return first - 1 if opens else first

    def _subject(self, named: NamedRow) -> Cast | None:
        """By what a row does: "did Ann send", "that Bob received"."""
        place = named.span.end
        if place >= len(self._words) or self._linking.tokens[place].stop:
            return None
        before = self._words[named.span.first - 1] if named.span.first else ""
        did = before in _DID
        role = next((i for i, w in enumerate(self._words) if SIDES.get(w) in {"home", "away"}), None)
        if did and role is not None and (key := self._pair.on(SIDES[self._words[role]])):
            places = {role, *range(named.span.first - 1, min(place + 1, len(self._words)))}
            return Cast(key, named, frozenset(places))
        side = SIDES.get(self._words[place])
        verb = self._words[place]
        keeps = self._linking.table_alignment[:, place].max(initial=0) >= NAMED
        first = named.span.first - (did or before in {"that", "which"})
        return self._in(side, named, first, place if keeps and verb else place + 1)

    def _agent(self, verb: str) -> str | None:
        """Who does what a participle says: "received by" the target, "cited by" the source."""
        side = SIDES.get(verb)
        if side == "target" and verb.endswith("ed"):
            return "target" if stem(verb) == stem("receive") else "source"
        return side

    def _names_home(self, place: int) -> bool:
        """True if a word names one of the homes, or a column of theirs, and no role."""
        if self._words[place] in SIDES or self._linking.tokens[place].stop:
            return False
        return any(self._linking.table_fit(t, place) >= NAMED for t in self._pair.homes) or any(
            a[place] >= NAMED
            for c, a in zip(self._linking.columns, self._linking.alignment, strict=True)
            if c.table in self._pair.homes
        )

    def _of_another(self, place: int) -> bool:
        """True if what stands before "from" is a row of another table: "airlines from Canada"."""
        if not place or self._words[place] != "from":
            return False
        place -= 1
        while place and self._linking.tokens[place].stop:  # "airlines that are from Canada"
            place -= 1
        own = self._linking.table_fit(self._pair.table, place)
        return bool(self._linking.table_alignment[:, place].max(initial=0) >= max(NAMED, own + 0.01))


def _compares(condition: Condition, column: ColumnKey) -> bool:
    parts = condition.parts if isinstance(condition, Connective) else (condition,)
    return any(isinstance(p, ComparisonPredicate) and p.left == column.in_query() for p in parts)
