"""One column held against another of the same row: "the average difference between price and cost",
"by how much is a round trip dearer than a one-way ticket", "by what percentage did stocks move between open
and close".

The question is asked of the first column alone, which is then replaced by what is calculated of both.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product

import numpy as np

from fathom.offline.combined.groups import grouped
from fathom.offline.combined.records import Combined, Composition, Form, change, difference
from fathom.offline.grammars.groups import by_whole_words
from fathom.offline.grammars.ratios import quotient
from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.queries.query import ColumnRef, Query, columns, comparisons, rebuilt, walk
from fathom.offline.queries.rows import RowNames
from fathom.records import Assumption
from fathom.text.identifiers import identifier_words
from fathom.text.patterns import Pattern

_I = re.IGNORECASE
_ARTICLE = r"(?:(?:the|an?|its|their|his|her)\s+)?"
_NUMBER_OF = r"(?:(?:total\s+)?number\s+of\s+(?:the\s+)?)?"
_BETWEEN = Pattern(rf"(?:difference|gap|spread|margin)\s+between\s+{_ARTICLE}(?=\w)", _I)
_RATIO = Pattern(rf"\bratio\s+(?:of|between)\s+(?:the\s+)?{_NUMBER_OF}(?=\w)", _I)
_DEARER = Pattern(
    rf"(?:by\s+)?how\s+much\s+(?P<adjective>(?:more|less)\s+\w+\s+|\w+er\s+)?(?:is|are|was|were)\s+{_ARTICLE}(?=\w)",
    _I,
)
_MOVED = Pattern(
    r"(?:by\s+)?(?:how\s+much|what\s+(?P<share>percentage|per\s?cent|percent|%))\s+(?:did|does|do|has|have)\s+"
    r"(?P<things>.+?)\s+(?P<way>move|change|rise|grow|increase|gain|fall|drop|decline|lose)[a-z]*\s+"
    rf"(?:between|from)\s+{_ARTICLE}(?=\w)",
    _I,
)
_AND = Pattern(rf"\s+and\s+{_ARTICLE}(?=\w)", _I)
_OVER = Pattern(rf"\s+(?:and|to|versus|vs\.?)\s+{_ARTICLE}{_NUMBER_OF}(?=\w)", _I)
_TO = Pattern(rf"\s+(?:and|to)\s+{_ARTICLE}(?=\w)", _I)
_THAN = Pattern(rf"\s+(?:(?:more|less)\s+\w+\s+|\w+er\s+)?than\s+{_ARTICLE}(?=\w)", _I)
_LESS = Pattern(r"\b(?:less|lower|cheaper|smaller|shorter|lighter|fewer)\b", _I)
_IS_THE = Pattern(r"^(what\s+)is\s+the", _I)
_ON_AVERAGE = Pattern(r"(?:,\s*)?\bon\s+average\b", _I)
_LINKS = frozenset("and than to the a an of for by per each".split())
_LEFT = Pattern(r"\s+[a-z]+(?=\s*(?:[?,.]|$|\b(?:on|for|in|of|per|by|at)\s))", _I)
_VARY = Pattern(r"^\s+(?:vary|varies|differ|differs)\b", _I)
_TOLD: dict[Form, str] = {difference: "less", change: "compared in per cent with", quotient: "over"}
_ROWS = 0.5
_MEANT = 0.25
_ALIKE = 0.05


def gaps(text: str, linking: Linking, names: RowNames) -> Iterator[Composition]:
    """The question asked of one of two columns that it holds against each other."""
    reader = _Reader(text, linking, names)
    if found := _BETWEEN.search(text):
        for one, two, end in reader.pairs(found.end(), _AND):
            head = text[: found.start()]
            for ahead in dict.fromkeys((head, _IS_THE.sub(r"\1are the", head))):  # "units in stock"
                asked = f"{ahead}{_called(one)}{text[end:]}"
                yield Composition((asked,), partial(_calculated, one, two, difference, False))
    elif found := _RATIO.search(text):
        for one, two, end in reader.pairs(found.end(), _OVER):
            tail = grouped(f"it{_VARY.sub('', text[end:]).rstrip(' ?.')}")
            if tail.text == "it":
                asked = f"What is the {_called(one)}{tail.group and ' '}{tail.group}?"
                yield Composition((asked,), partial(_calculated, one, two, quotient, False), needed=False)
    elif found := _DEARER.match(text):
        for one, two, end in reader.pairs(found.end(), _THAN):
            rest, averaged = _ON_AVERAGE.subn("", text[end:])
            less = bool(_LESS.search(text[:end]))
            of = "average " if averaged else ""
            asked = f"What is the {of}{_called(one)}{rest}"
            yield Composition(
                (asked,), partial(_calculated, *((two, one) if less else (one, two)), difference, less)
            )
    elif found := _MOVED.match(text):
        for one, two, end in reader.pairs(found.end(), _TO):
            rest, averaged = _ON_AVERAGE.subn("", text[end:])
            of = "average " if averaged else ""
            asked = f"What is the {of}{_called(two)} of {found['things']}{rest}"
            form = change if found["share"] else difference
            yield Composition((asked,), partial(_calculated, two, one, form, False))


def _called(column: ColumnKey) -> str:
    return " ".join(identifier_words(column.column))


class _Reader:
    """Finds two columns of one table that words of a question name."""

    def __init__(self, text: str, linking: Linking, names: RowNames) -> None:
        self._text, self._linking = text, linking
        self._near = by_whole_words(linking)
        self._amounts = np.array([names.measures(c) for c in linking.columns], bool)

    def pairs(self, start: int, link: Pattern) -> Iterator[tuple[ColumnKey, ColumnKey, int]]:
        """The columns named from a character on and behind what links them, and where their words end."""
        one = self._named(start)
        linked = link.match(self._text, one[1]) if one else None
        two = self._named(linked.end()) if linked else None
        if one is None or two is None:
            return
        made = [(a, b) for a, b in product(one[0], two[0]) if a.table == b.table and a != b]
        made.sort(key=lambda p: -self._linking.table_score(p[0].table))
        for a, b in made[:1]:
            left = _LEFT.match(self._text, two[1])  # "than a one-way ticket"
            yield a, b, left.end() if left and link is _THAN else two[1]

    def _named(self, start: int) -> tuple[list[ColumnKey], int] | None:
        """The columns of amounts that the words from a character on name, and where these end."""
        linking = self._linking
        place = first = linking.place_at(start)
        if first is None or place is None:
            return None
        while place < len(linking.tokens) and (self._means(place).any() or self._owns(place, first)):
            place += 1
            hyphen = linking.tokens[place : place + 1] and linking.tokens[place].text == "-"
            place += bool(hyphen and place + 1 < len(linking.tokens))  # "one-way"
        if place == first:
            return None
        near = self._near[:, first:place].sum(axis=1) * self._amounts
        best = [c for c, n in zip(linking.columns, near, strict=True) if n >= near.max() - _ALIKE]
        return best, linking.tokens[place - 1].end

    def _owns(self, place: int, first: int) -> bool:
        """True if a word names but the rows that a number behind others is of: "enrolled | students"."""
        rows = self._linking.table_alignment[:, place].max(initial=0) >= _ROWS
        return place > first and bool(rows) and bool(self._means(place - 1).any())

    def _means(self, place: int) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        token = self._linking.tokens[place]
        if token.kind == "sign" or token.lower in _LINKS:
            return np.zeros(len(self._amounts), bool)
        found: np.ndarray[tuple[int], np.dtype[np.bool_]] = (self._near[:, place] >= _MEANT) & self._amounts
        return found


def _calculated(
    one: ColumnKey, two: ColumnKey, form: Form, turned: bool, queries: Sequence[Query]
) -> Combined | None:
    """The query of one column with what is calculated of it and another in its place."""
    (query,) = queries
    asked = (two if turned else one).in_query()
    conditions = {e for c in comparisons(query.where) for e in walk(c.left)}
    if asked not in columns(query) or asked in conditions or asked in query.group or query.compound:
        return None
    here, other = (ColumnRef(asked.table, c.column) for c in (one, two))
    number = form(here, other)
    found = rebuilt(query, lambda node: number if node == asked else node)
    told = f"It is {one.column} {_TOLD[form]} {two.column}."
    return found, Assumption("column", told)
