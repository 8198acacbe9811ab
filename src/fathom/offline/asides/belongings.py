"""Reads what the rows asked for have or lack: "without a comment", "with no room", "who never ordered"."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from fathom.offline.extremes import may_be_missing
from fathom.offline.joins import JoinPlanner, Plan
from fathom.offline.linking import ColumnKey, Linking, TableMention
from fathom.offline.linking.text import name_stems
from fathom.offline.query import (
    Column,
    Comparison,
    Join,
    Query,
    Subquery,
    TableRef,
    mentioned_tables,
    restricted,
    rows_asked,
)
from fathom.records import Assumption, TableProfile

_JOINING = r"(?:(?:but|and|yet)\s+)?"
_WHO = rf"\b{_JOINING}(?:(?:that|which|who)\s+)?"
_ANY = r"(?:(?:an?|any|the|their|its|his|her|some|single|one|at\s+least\s+one)\s+)*"
_HAVE_NO = (
    r"(?:(?:ha(?:ve|s|d)|having)\s+(?:got\s+)?no(?=\s)|ha(?:ve|s|d)\s+(?:not|never)\s+(?:yet\s+)?(?:got|had)"
    r"|(?:do|does|did)\s+not\s+(?:yet\s+)?have|lack(?:s|ing)?)"
)
_WITH_NO = (
    r"(?:(?:came|come|comes|are|were|is|was)\s+)?"
    r"with(?:out|\s+no(?=\s)|\s+(?:an?\s+)?(?:missing|unknown|empty|blank))"
)
_NOT = (
    r"(?:(?:ha(?:ve|s|d)|were|was|are|is|do|does|did)\s+)?(?:not|never)\s+(?:yet\s+)?(?:been\s+)?(?:yet\s+)?"
)
_DONE = r"(?:ha(?:ve|s|d))\s+(?:(?:ever|already)\s+)?(?:been\s+)?"
_LACKING = re.compile(rf"{_WHO}(?:{_HAVE_NO}|{_WITH_NO})\s+{_ANY}(?=\w)", re.IGNORECASE)
_WITHOUT_DOING = re.compile(rf"{_WHO}{_NOT}(?=[a-z])", re.IGNORECASE)
_HAVING_DONE = re.compile(rf"{_WHO}{_DONE}(?=[a-z])", re.IGNORECASE)
_OBJECT = re.compile(rf"\s+(?:(?:in|for|at|by|from|on|with)\s+)?{_ANY}(?=\w)", re.IGNORECASE)
_AFTERWARDS = re.compile(
    r"\s*\b(?:yet|at\s+all|so\s+far|(?:on|in)\s+(?:the\s+)?(?:record|file)"
    r"|(?:recorded|given|listed|assigned|known|available)(?!\s+(?:by|in|to|from|for)\b))",
    re.IGNORECASE,
)
_PARTICIPLE = re.compile(r"[a-z]+(?:ed|en|wn|ld|id|nt|ut|ght)\Z")
_NAMED = 0.7
_MEANT = 0.5


@dataclass(frozen=True, slots=True)
class Empty:
    """That one of `columns`, that of the rows asked for, holds nothing; said at places of the tokens."""

    columns: tuple[ColumnKey, ...]
    places: frozenset[int]
    needed: ClassVar[bool] = True
    learned: ClassVar[bool] = False

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query of the rows without such a value."""
        tables = mentioned_tables(query)
        found = [Column(t, c.column) for c in self.columns for t in tables if t.name == c.table]
        if len(found) != 1 or query.source is not None or query.compound is not None:
            return None
        told = f"There is none where {found[0].table.name}.{found[0].name} is empty."
        return restricted(query, Comparison(found[0], "is null")), Assumption("column", told)


@dataclass(frozen=True, slots=True)
class Matched:
    """That rows of a table belong to those asked for, or none does if `denied`, said at places of the tokens.

    They are joined by way of one of the tables `via`, where they can be joined in several ways.
    """

    table: str
    denied: bool
    via: frozenset[str]
    places: frozenset[int]
    planner: JoinPlanner
    profiles: Mapping[str, TableProfile]
    needed: ClassVar[bool] = False
    learned: ClassVar[bool] = True

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query of the rows that rows of the table refer to, or don't, be it through tables between."""
        asked, other = rows_asked(query), TableRef(self.table)
        join = None if asked is None or other in mentioned_tables(query) else self._first_join(asked, other)
        if asked is None or join is None:
            return None
        own, far = (join.left, join.right) if join.left.table == asked else (join.right, join.left)
        if (own.name,) != self.planner.schema.table(asked.name).primary_key:
            return None
        gaps = self.denied and may_be_missing(far, self.profiles)
        known = Comparison(far, "is not null") if gaps else None
        inner = Query((far,), where=known, tables=() if far.table == other else (other,))
        told = f"{asked.name} are {'left out' if self.denied else 'taken'} that {other.name} refers to."
        condition = Comparison(own, "not in" if self.denied else "in", Subquery(inner))
        return restricted(query, condition), Assumption("column", told)

    def _first_join(self, asked: TableRef, other: TableRef) -> Join | None:
        """The one join that leads from the rows asked for towards the other table; None if unclear."""
        plans = self.planner.plans((asked, other))
        told = [p for p in plans if p.cost <= plans[0].cost and self._goes_by(p, asked)]
        best = told or self.planner.best((asked, other))
        first = {j for p in best for j in p.joins if asked in (j.left.table, j.right.table)}
        owned = {j for j in first if not self._is_called(j.left if j.right.table == asked else j.right)}
        clear = first if len(first) == 1 else owned
        return clear.pop() if len(clear) == 1 else None

    def _goes_by(self, plan: Plan, asked: TableRef) -> bool:
        """Whether a plan leads through one of the tables that a verb names."""
        return bool(self.via & {t.name for t in plan.tables} - {asked.name})

    def _is_called(self, key: Column) -> bool:
        """Whether a key is called as its table: a prerequisite's `prereq_id` is the thing, not who has it."""
        stems = name_stems(key.name)[:1]
        return any(t.startswith(s) for s in stems for t in name_stems(key.table.name))


Belonging = Empty | Matched


class Belongings:
    """Finds what one question says that the rows asked for have or lack."""

    def __init__(self, linking: Linking, planner: JoinPlanner, profiles: Mapping[str, TableProfile]) -> None:
        self._linking, self._planner, self._profiles = linking, planner, profiles

    def read(self, text: str) -> Iterator[Belonging]:
        """What is said, each word once."""
        taken: set[int] = set()
        for pattern, read in (
            (_LACKING, self._lacking),
            (_WITHOUT_DOING, self._without_doing),
            (_HAVING_DONE, self._having_done),
        ):
            for match in pattern.finditer(text):
                place = self._linking.place_at(match.end())
                found = None if place is None else read(text, match.start(), place)
                if found is not None and taken.isdisjoint(found.places):
                    taken |= found.places
                    yield found

    def _lacking(self, text: str, start: int, place: int) -> Belonging | None:
        return self._named(text, start, place, denied=True)

    def _without_doing(self, text: str, start: int, place: int) -> Belonging | None:
        """What wasn't done: to or with rows that the verb's object names, or what a column says when."""
        token = self._linking.tokens[place]
        if token.stop:
            return None
        if (thing := self._object(text, place)) is not None:
            return self._named(text, start, thing, self._tables_at(place), denied=True)
        if not _PARTICIPLE.match(token.lower) or self._goes_on(place + 1):
            return None
        columns = self._with_gaps(c for c in self._linking.columns if token.stem in name_stems(c.column))
        if columns:
            return Empty(columns, self._places(text, start, token.end))
        return self._of_verb(text, start, place, denied=True)

    def _having_done(self, text: str, start: int, place: int) -> Belonging | None:
        """What was done, with rows that the verb's object names or that the verb names itself."""
        token = self._linking.tokens[place]
        if token.stop or not _PARTICIPLE.match(token.lower):
            return None
        if (thing := self._object(text, place)) is not None:
            return self._named(text, start, thing, self._tables_at(place), denied=False)
        return None if self._goes_on(place + 1) else self._of_verb(text, start, place, denied=False)

    def _of_verb(self, text: str, start: int, place: int, *, denied: bool) -> Belonging | None:
        """Rows of the table that a verb names itself: "have been reviewed"."""
        done = {m.table for m in self._tables_named(place)}
        if any(t.kind == "word" and not t.stop for t in self._linking.tokens[place + 1 : place + 2]):
            return None  # it has an object, which is no table
        end = self._linking.tokens[place].end
        return (
            self._matched(done.pop(), frozenset(), text, start, end, denied=denied)
            if len(done) == 1
            else None
        )

    def _object(self, text: str, verb: int) -> int | None:
        """The place behind a verb that names a table."""
        found = _OBJECT.match(text, self._linking.tokens[verb].end)
        place = self._linking.place_at(found.end()) if found else None
        return place if place is not None and self._tables_named(place) else None

    def _named(
        self, text: str, start: int, place: int, via: frozenset[str] = frozenset(), *, denied: bool
    ) -> Belonging | None:
        """What the words from a place on name: a table, else columns that have gaps."""
        columns = [m for m in self._linking.column_mentions if m.span.first == place and m.score >= _NAMED]
        tables = self._tables_named(place)
        end = max((*(m.span.end for m in columns), *(m.span.end for m in tables)), default=place)
        if end == place or self._goes_on(end):
            return None
        until = self._linking.tokens[end - 1].end
        named = {m.table for m in tables if m.span.end == end}
        if len(named) == 1:
            return self._matched(named.pop(), via, text, start, until, denied=denied)
        gaps = self._with_gaps(m.column for m in columns if m.span.end == end)
        return Empty(gaps, self._places(text, start, until)) if gaps and denied else None

    def _matched(
        self, table: str, via: frozenset[str], text: str, start: int, end: int, *, denied: bool
    ) -> Matched:
        return Matched(table, denied, via, self._places(text, start, end), self._planner, self._profiles)

    def _tables_named(self, place: int) -> list[TableMention]:
        """The tables that words from a place on name by a word of their names: no "jobs" for departments."""
        tokens = self._linking.tokens
        return [
            m for m in self._linking.table_mentions
            if m.span.first == place and m.score >= _NAMED
            and any(tokens[i].stem in name_stems(m.table) for i in range(*m.span))
        ]  # fmt: skip

    def _tables_at(self, place: int) -> frozenset[str]:
        near = self._linking.table_alignment[:, place]
        return frozenset(t for t, a in zip(self._linking.tables, near, strict=True) if a >= _MEANT)

    def _goes_on(self, end: int) -> bool:
        """Whether what is named goes on: by more words, or by what is said of it in turn.

        Where or when ("no flights to Denver") may be said apart as well: see `left_open`.
        """
        if end >= len(self._linking.tokens):
            return False
        token = self._linking.tokens[end]
        return token.kind == "number" or token.lower in _FURTHER or (token.kind == "word" and not token.stop)

    def _with_gaps(self, columns: Collection[ColumnKey] | Iterator[ColumnKey]) -> tuple[ColumnKey, ...]:
        return tuple(dict.fromkeys(c for c in columns if self._has_gaps(c)))

    def _has_gaps(self, column: ColumnKey) -> bool:
        profile = self._profiles.get(column.table)
        known = profile.columns.get(column.column) if profile else None
        return known is not None and known.null_share > 0

    def _places(self, text: str, start: int, end: int) -> frozenset[int]:
        while after := _AFTERWARDS.match(text, end):
            end = after.end()
        return self._linking.places(start, end)


_FURTHER = frozenset("that which who whose where with by called named titled than of".split())
_PREPOSITIONS = frozenset(
    "in on at for from to about against into under over during since before after".split()
)


def left_open(found: Belonging, linking: Linking, said: Collection[int]) -> bool:
    """Whether words behind may belong to what rows have, and nothing else says what they mean.

    "Students with no courses in Biology" may be all those in Biology, or those with no such courses.
    """
    end = max(found.places) + 1
    behind = end < len(linking.tokens) and linking.tokens[end].lower in _PREPOSITIONS
    return behind and end not in said
