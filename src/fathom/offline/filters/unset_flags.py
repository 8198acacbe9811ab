"""Reads what a flag says the other way round: "nurses who are not registered", "inactive airlines"."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fathom.offline.checks.account import names_table
from fathom.offline.filters.question_facts import FilterReading
from fathom.offline.linking import ColumnKey, Linking, QuestionToken
from fathom.offline.linking.text import last_word, stem
from fathom.offline.linking.value_match import INFLECTED
from fathom.offline.linking.wordlists import FALSE, PHRASE_ENDS, TRUE
from fathom.offline.queries.query import (
    ColumnRef,
    ComparisonPredicate,
    Literal,
    Query,
    mentioned_tables,
    restricted,
)
from fathom.records import Assumption, TableProfile
from fathom.text.patterns import Pattern

_ARE = Pattern(
    r"\b(?:(?:that|which|who)\s+)?(?:are|is|were|was)\s+(?P<denied>not\s+|no\s+longer\s+)?"
    r"(?:(?:still|already|yet|currently|now)\s+)?(?=[a-z])",
    re.IGNORECASE,
)
_PREFIX = Pattern(r"(?:un|in|im|non-?)(?=[a-z]{3})")
_PAIRS = (
    ("open", "closed"), ("public", "private"), ("enabled", "disabled"), ("alive", "dead"),
    ("alive", "deceased"), ("visible", "hidden"), ("online", "offline"), ("present", "absent"),
)  # fmt: skip
_CONTRARY: dict[str, set[str]] = {}
for _one, _other in _PAIRS:
    _CONTRARY.setdefault(stem(_one), set()).add(stem(_other))
    _CONTRARY.setdefault(stem(_other), set()).add(stem(_one))
YesAndNo = tuple[str | int | float, str | int | float]


@dataclass(frozen=True, slots=True)
class Flagged:
    """That a flag of the rows asked for has a value, said at places of the tokens."""

    column: ColumnKey
    value: str | int | float
    places: frozenset[int]
    learned: bool = False

    @property
    def needed(self) -> bool:
        """True if nothing that is learned says so."""
        return not self.learned

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query of the rows with that flag."""
        tables = [t for t in mentioned_tables(query) if t.name == self.column.table]
        if len(tables) != 1 or query.source is not None or query.compound is not None:
            return None
        column = ColumnRef(tables[0], self.column.column)
        told = f"{self.column.table}.{self.column.column} is {self.value!r} for these."
        return restricted(query, ComparisonPredicate(column, "=", Literal(self.value))), Assumption(
            "column", told
        )


def unset_flags(reading: FilterReading) -> Iterator[Flagged]:
    """Give the filters by adjectives that deny a flag's name, or affirm a name that denies.

    What a flag is called as it stands ("active airlines") is learned first: training data hold many such, and
    hardly any other.
    """
    linking = reading.linking
    for match in _ARE.finditer(reading.text):
        at = linking.place_at(match.end())
        behind = linking.tokens[at + 1 : at + 2] if at is not None else ()
        if at is None or any(t.kind == "word" and t.lower not in PHRASE_ENDS for t in behind):
            continue
        places = linking.places(match.start(), match.end()) | {at}
        yield from _said(reading, at, places, denied=match["denied"] is not None)
    for place in range(len(linking.tokens) - 1):
        if any(m.span.first == place + 1 and names_table(linking, m) for m in linking.table_mentions):
            yield from _said(reading, place, frozenset((place,)), denied=False)


def _said(reading: FilterReading, place: int, places: frozenset[int], *, denied: bool) -> Iterator[Flagged]:
    """The one flag of a table that the question names which an adjective says, if it says it otherwise."""
    linking = reading.linking
    token = linking.tokens[place]
    if token.kind != "word" or token.stop or token.evidence or _is_value(linking, place):
        return
    named = {m.table for m in linking.table_mentions if names_table(linking, m)}
    meant = [
        (column, values, turned)
        for column in linking.columns
        if column.table in named and (values := yes_and_no(column, reading.profiles)) is not None
        if (turned := _turned(token, column)) is not None
    ]
    if len(meant) != 1:
        return
    column, (yes, no), turned = meant[0]
    learned = not (denied or turned or _PREFIX.match(last_word(column.column)))
    yield Flagged(column, yes if denied == turned else no, places, learned)


def _is_value(linking: Linking, place: int) -> bool:
    return any(v.match in INFLECTED and v.span.first <= place < v.span.end for v in linking.values)


def _turned(token: QuestionToken, column: ColumnKey) -> bool | None:
    """True if a word is the contrary of a flag's name, False if it is the name; None for other words."""
    word = last_word(column.column)
    if token.stem == stem(word):
        return False
    if token.stem in _CONTRARY.get(stem(word), ()):
        return True
    one, other = (_PREFIX.sub("", w, count=1) for w in (token.lower, word))
    contrary = (one == token.lower) != (other == word) and stem(one) == stem(other)
    return True if contrary else None


def yes_and_no(column: ColumnKey, profiles: Mapping[str, TableProfile]) -> YesAndNo | None:
    """Give the values of a flag for "yes" and for "no"; None where a column is no flag."""
    profile = profiles.get(column.table)
    seen = profile.columns.get(column.column) if profile else None
    if seen is None or seen.distinct != 2:
        return None
    held = [v for v, _ in seen.common if isinstance(v, str | int | float)]
    yes = [v for v in held if str(v).casefold() in TRUE]
    no = [v for v in held if str(v).casefold() in FALSE]
    return (yes[0], no[0]) if len(yes) == len(no) == 1 else None
