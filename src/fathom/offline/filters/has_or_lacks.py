"""Reads what the rows asked for have or lack: "without a comment", "with no room", "who never ordered"."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from fathom.offline.checks.account import names_table
from fathom.offline.filters.extra_columns import shown_with_theirs
from fathom.offline.filters.parts_of_rows import Empty, Matched
from fathom.offline.filters.question_facts import FilterReading
from fathom.offline.linking import ColumnKey, Linking, TableMention
from fathom.offline.linking.levels import NAMED, SURELY_NAMED
from fathom.offline.linking.text import name_stems, stem
from fathom.offline.linking.wordlists import ANYTHING, DEED_TABLES
from fathom.text.identifiers import identifier_words
from fathom.text.patterns import Pattern

# Parts of the patterns, each with what it reads.
# "customers | but | without orders"
_JOINING = r"(?:(?:but|and|yet)\s+)?"
# "customers | but who | never ordered"
_WHO = rf"\b{_JOINING}(?:(?:that|which|who)\s+)?"
# "without | at least one | review"
_ANY = r"(?:(?:an?|any|the|their|its|his|her|some|single|one|at\s+least\s+one)\s+)*"
# "have no", "has never had", "do not have", "lacking"
_HAVE_NO = (
    r"(?:(?:ha(?:ve|s|d)|having)\s+(?:got\s+)?no(?=\s)|ha(?:ve|s|d)\s+(?:not|never)\s+(?:yet\s+)?(?:got|had)"
    r"|(?:do|does|did)\s+not\s+(?:yet\s+)?have|lack(?:s|ing)?)"
)
# "without", "with no", "with a missing", "for which there is no"
_WITH_NO = (
    r"(?:(?:came|come|comes|are|were|is|was)\s+)?"
    r"with(?:out|\s+no(?=\s)|\s+(?:an?\s+)?(?:missing|unknown|empty|blank))"
    r"|(?:for|of)\s+(?:which|whom)\s+(?:we|you|there)\s+(?:have|is|are)\s+no(?=\s)"
    r"|(?:that|which|who)\s+we\s+have\s+no(?=\s)"
)
# "placed no", "wrote no"
_DID_NO = (
    r"(?:ha(?:ve|s|d)\s+)?(?:[a-z]+ed|made|taken|written|took|wrote|got|sold|bought|gave|left|paid|won|had|held"
    r"|sent|ran|lent|met)\s+no(?=\s)"
)
# "have not yet been", "never"
_NOT = (
    r"(?:(?:ha(?:ve|s|d)|were|was|are|is|do|does|did)\s+)?(?:not|never)\s+(?:yet\s+)?(?:been\s+)?(?:yet\s+)?"
)
# "have already been"
_DONE = r"(?:ha(?:ve|s|d))\s+(?:(?:ever|already)\s+)?(?:been\s+)?"

# The patterns. Most end before the word that names what is had or done, where a | stands.
# "orders without a | shipping date", "sections that have no | room"
_LACKING = Pattern(rf"{_WHO}(?:{_HAVE_NO}|{_WITH_NO})\s+{_ANY}(?=\w)", re.IGNORECASE)
# "students who took no | courses"
_DOING_NO = Pattern(rf"{_WHO}{_DID_NO}\s+{_ANY}(?=\w)", re.IGNORECASE)
# "customers whose email we do not know", "members whose phone is missing"
_UNKNOWN = Pattern(
    rf"\b{_JOINING}whose\s+(?P<what>[a-z][\w\s-]*?)\s+(?:(?:we|you|they|I)\s+do\s+not\s+(?:yet\s+)?(?:know|have)"
    r"|(?:is|are|was|were)\s+(?:unknown|missing|empty|blank|not\s+(?:yet\s+)?(?:known|recorded|given|set|stated|listed"
    r"|available|there|on\s+(?:record|file))))\b",
    re.IGNORECASE,
)
# "employees with a | manager"
_HAVING = Pattern(rf"{_WHO}(?:have|has|had|having|with)\s+(?:an?|any|some|their)\s+(?=\w)", re.IGNORECASE)
# "papers that nobody has | cited"
_NOBODY = Pattern(
    rf"\b{_JOINING}(?:(?:that|which|whom)\s+)?(?:(?:has|have|had)\s+)?(?:nobody|no\s+one|noone)\s+(?:else\s+)?(?:has\s+|have\s+"
    r"|had\s+)?(?:ever\s+|yet\s+)?(?=[a-z])",
    re.IGNORECASE,
)
# "customers who never | ordered", "orders that have not been | shipped"
_WITHOUT_DOING = Pattern(rf"{_WHO}{_NOT}(?=[a-z])", re.IGNORECASE)
# "books that have been | borrowed"
_HAVING_DONE = Pattern(rf"{_WHO}{_DONE}(?=[a-z])", re.IGNORECASE)
# behind a verb: "never enrolled | in any | course"
_OBJECT = Pattern(rf"\s+(?:(?:in|for|at|by|from|on|with)\s+)?{_ANY}(?=\w)", re.IGNORECASE)
# "customers who have not | given us a | phone number"
_GIVEN = Pattern(
    rf"(?:given|give|gave|provide|provided|supply|supplied|leave|left|tell|told|enter|entered|specify|specified|state|stated)"
    rf"\s+(?:(?:us|you|me|them)\s+)?{_ANY}(?=\w)",
    re.IGNORECASE,
)
# "no orders | so far", "no email | on record"
_AFTERWARDS = Pattern(
    r"\s*\b(?:yet|at\s+all|so\s+far|(?:on|in)\s+(?:the\s+)?(?:record|file)"
    r"|(?:recorded|given|listed|assigned|known|available)(?!\s+(?:by|in|to|from|for)\b))",
    re.IGNORECASE,
)
_PARTICIPLE = Pattern(r"[a-z]*(?:ed|en|wn|ld|id|nt|ut|ght|let)\Z")
"""Ends like a participle: "reviewed", "written", "sold"."""
DEEDS = {verb: frozenset(map(stem, kept)) for verbs, kept in DEED_TABLES.items() for verb in verbs}
"""The stems of tables that keep what a verb says: leases of what was "let"."""
_RELATED = 0.2
"""How far a word must mean a column to say that it is empty: "whose e-mail is unknown" names no more."""
_AS_WELL = 0.01
"""How much less than the best a column may be meant and is still one of those: what rounding makes."""
_OF_WHAT = frozenset(("address", "number", "date", "details", "information"))
_OWNING = frozenset(("'", "’"))
_FURTHER = frozenset("that which who whose where with by called named titled than of".split())
_PREPOSITIONS = frozenset(
    "in on at for from to about against into under over during since before after".split()
)
_AFTER_PART = frozenset("and but or that which who in from made".split())


Belonging = Empty | Matched


def has_or_lacks(reading: FilterReading) -> Iterator[Belonging]:
    """Give the things that rows have or lack, but for columns to show: "with their phones"."""
    shown = shown_with_theirs(reading)
    yield from (b for b in _Belongings(reading).read() if shown.isdisjoint(b.places))


@dataclass(frozen=True, slots=True)
class _Start:
    """Where a pattern begins, and the place of the word behind it, which names what is had or done."""

    character: int
    place: int


class _Belongings:
    """Finds what one question says that the rows asked for have or lack.

    `_taken` are the places of words that have been read so far. What is named ends before such words, so the
    order in which the patterns are tried matters: what rows lack comes before what they have.
    """

    def __init__(self, reading: FilterReading) -> None:
        self._text, self._linking = reading.text, reading.linking
        self._planner, self._profiles = reading.planner, reading.profiles
        self._taken: frozenset[int] = frozenset()

    def read(self) -> Iterator[Belonging]:
        """Give the things that rows have or lack, each word once."""
        for pattern, read in (
            (_LACKING, self._lacking),
            (_WITHOUT_DOING, self._without_doing),
            (_DOING_NO, self._lacking),
            (_NOBODY, self._done_by_nobody),
            (_HAVING_DONE, self._having_done),
            (_HAVING, self._having),
        ):
            for match in pattern.finditer(self._text):
                place = self._linking.place_at(match.end())
                found = None if place is None else read(_Start(match.start(), place))
                if found is not None and self._taken.isdisjoint(found.places):
                    self._taken |= found.places
                    yield found
        for match in _UNKNOWN.finditer(self._text):
            gaps = self._called(match["what"], match.start("what"))
            places = self._places(match.start(), match.end())
            if gaps and self._taken.isdisjoint(places):
                yield Empty(gaps, places)

    def _lacking(self, start: _Start) -> Belonging | None:
        return self._named(start, denied=True)

    def _having(self, start: _Start) -> Belonging | None:
        """Read a thing that rows have: a cell that isn't empty, or a row of another table."""
        return self._named(start, denied=False) if self._ends_part(start.place) else None

    def _ends_part(self, place: int) -> bool:
        """True if what is named from a place on ends there: not "with a rating of 5"."""
        columns = (m.span for m in self._linking.column_mentions if m.score >= SURELY_NAMED)
        tables = (m.span for m in self._linking.table_mentions if m.score >= SURELY_NAMED)
        end = max((s.end for s in (*columns, *tables) if s.first == place), default=place)
        end = self._behind(end)
        return end > place and (end in self._taken or self._ends(end))

    def _ends(self, place: int) -> bool:
        """True if a part of the question ends before a place."""
        after = self._linking.tokens[place : place + 1]
        return all((t.kind == "sign" and t.text not in _OWNING) or t.lower in _AFTER_PART for t in after)

    def _done_by(self, place: int) -> tuple[ColumnKey, ...]:
        """The columns with gaps that a participle names: those called so, else by another form of it."""
        token = self._linking.tokens[place]
        fit = self._with_gaps(c for c in self._linking.columns if token.stem in name_stems(c.column))
        return tuple(c for c in fit if token.lower in identifier_words(c.column)) or fit

    def _done_by_nobody(self, start: _Start) -> Belonging | None:
        """Read a deed that nobody did to the rows asked for: "papers that nobody has cited"."""
        place = start.place
        token = self._linking.tokens[place]
        if token.stop or not _PARTICIPLE.match(token.lower) or self._goes_on(place + 1):
            return None
        return self._of_verb(start, denied=True)

    def _called(self, words: str, start: int) -> tuple[ColumnKey, ...]:
        """The columns with gaps that some words name, to the last of them."""
        places = self._linking.places(start, start + len(words))
        if not places or any(self._linking.tokens[i].lower in _PREPOSITIONS for i in places):
            return ()
        near = self._linking.alignment[:, max(places)]
        best = near.max(initial=0)
        fits = (
            c for c, a in zip(self._linking.columns, near, strict=True) if a >= max(best - _AS_WELL, _RELATED)
        )
        return self._with_gaps(fits)

    def _without_doing(self, start: _Start) -> Belonging | None:
        """Read a deed that wasn't done: to or with rows that the verb's object names, or by a column's
        date."""
        place = start.place
        token = self._linking.tokens[place]
        if token.stop and token.lower not in DEEDS:
            return None
        if (thing := self._object(place)) is not None:
            return self._named(replace(start, place=thing), self._tables_at(place), denied=True)
        if given := _GIVEN.match(self._text, token.start):
            what = self._linking.place_at(given.end())
            return None if what is None else self._named(replace(start, place=what), denied=True)
        if not _PARTICIPLE.match(token.lower) or self._goes_on(place + 1):
            return None
        columns = self._done_by(place)
        if columns:
            return Empty(columns, self._places(start.character, token.end))
        return self._of_verb(start, denied=True)

    def _having_done(self, start: _Start) -> Belonging | None:
        """Read a deed that was done, with rows that the verb's object names or that the verb names itself."""
        place = start.place
        token = self._linking.tokens[place]
        if token.stop or not _PARTICIPLE.match(token.lower):
            return None
        if (thing := self._object(place)) is not None:
            return self._named(replace(start, place=thing), self._tables_at(place), denied=False)
        if self._goes_on(place + 1):
            return None
        dated = self._done_by(place)
        if dated:
            return Empty(dated, self._places(start.character, token.end), filled=True)
        return self._of_verb(start, denied=False)

    def _of_verb(self, start: _Start, *, denied: bool) -> Belonging | None:
        """Rows of the table that a verb names itself: "have been reviewed"."""
        place = start.place
        kept = self._kept_of(place) if denied or self._ends(place + 1) else set()
        done = {m.table for m in self._tables_named(place)} or kept
        end = self._linking.tokens[place].end
        for token in self._linking.tokens[place + 1 : place + 2]:
            if token.lower in ANYTHING:
                end = token.end
            elif token.kind == "word" and not token.stop:
                return None  # it has an object, which is no table
        keys = self._keys_called(self._linking.tokens[place].lower)
        if len(keys) == 1:
            found = self._matched(keys[0].table, frozenset(), start, end, denied=denied)
            return replace(found, key=keys[0].column)
        return self._matched(done.pop(), frozenset(), start, end, denied=denied) if len(done) == 1 else None

    def _kept_of(self, place: int) -> set[str]:
        """The tables that keep what a verb says: leases of what was let."""
        kept = DEEDS.get(self._linking.tokens[place].lower, frozenset())
        return {t for t in self._linking.tables if not kept.isdisjoint(name_stems(t)[-1:])}

    def _keys_called(self, done: str) -> list[ColumnKey]:
        """The keys that say what is done to the rows they refer to: `cited_paper`."""
        keys = ((k.table, k.columns[0], k.target_table) for k in self._planner.schema.foreign_keys)
        return [
            ColumnKey(table, column)
            for table, column, target in keys
            if identifier_words(column)[:1] == (done,)
            and not set(name_stems(target)).isdisjoint(name_stems(column))
        ]

    def _object(self, verb: int) -> int | None:
        """The place behind a verb that names a table."""
        found = _OBJECT.match(self._text, self._linking.tokens[verb].end)
        place = self._linking.place_at(found.end()) if found else None
        return place if place is not None and self._tables_named(place) else None

    def _named(self, start: _Start, via: frozenset[str] = frozenset(), *, denied: bool) -> Belonging | None:
        """Find the table, or else the columns with gaps, that the words from a place on name."""
        place = start.place
        columns = [
            m for m in self._linking.column_mentions if m.span.first == place and m.score >= SURELY_NAMED
        ]
        tables = self._tables_named(place)
        end = max((*(m.span.end for m in columns), *(m.span.end for m in tables)), default=place)
        if end == place:
            return None
        longest, end = end, self._behind(end)
        if self._goes_on(end):
            return None
        until = self._linking.tokens[end - 1].end
        named = {m.table for m in tables if m.span.end == longest}
        if len(named) == 1:
            return self._matched(named.pop(), via, start, until, denied=denied)
        gaps = self._with_gaps(m.column for m in columns if m.span.end == longest)
        return Empty(gaps, self._places(start.character, until), filled=not denied) if gaps else None

    def _matched(self, table: str, via: frozenset[str], start: _Start, end: int, *, denied: bool) -> Matched:
        places = self._places(start.character, end)
        verbs = {self._linking.tokens[i].stem for i in places} - {*name_stems(table)}
        named = frozenset(t for t in via if not verbs.isdisjoint(name_stems(t)))
        return Matched(
            table, denied, named or via, places, self._planner, self._profiles, by_name=bool(named)
        )

    def _tables_named(self, place: int) -> list[TableMention]:
        """The tables that words from a place on name by a word of their names: no "jobs" for departments."""
        tokens = self._linking.tokens
        return [
            m for m in self._linking.table_mentions
            if m.span.first == place and (m.score >= SURELY_NAMED or names_table(self._linking, m))
            and any(tokens[i].stem in name_stems(m.table) for i in range(*m.span))
        ]  # fmt: skip

    def _tables_at(self, place: int) -> frozenset[str]:
        near = self._linking.table_alignment[:, place]
        return frozenset(t for t, a in zip(self._linking.tables, near, strict=True) if a >= NAMED)

    def _behind(self, end: int) -> int:
        """Where words end that say no more of what is named: "email address"."""
        while end < len(self._linking.tokens) and self._linking.tokens[end].lower in _OF_WHAT:
            end += 1
        return end

    def _goes_on(self, end: int) -> bool:
        """True if what is named goes on: by more words, or by what is said of it in turn.

        Where or when ("no flights to Denver") may be said apart as well: see `left_open`.
        """
        if end >= len(self._linking.tokens) or end in self._taken:
            return False
        if self._linking.tokens[end].lower in ANYTHING:
            return self._goes_on(end + 1)
        token = self._linking.tokens[end]
        more = token.kind == "word" and not token.stop and token.lower not in _PREPOSITIONS
        return token.kind == "number" or token.lower in _FURTHER or more

    def _with_gaps(self, columns: Collection[ColumnKey] | Iterator[ColumnKey]) -> tuple[ColumnKey, ...]:
        return tuple(dict.fromkeys(c for c in columns if self._has_gaps(c)))

    def _has_gaps(self, column: ColumnKey) -> bool:
        profile = self._profiles.get(column.table)
        known = profile.columns.get(column.column) if profile else None
        return known is not None and known.null_share > 0

    def _places(self, start: int, end: int) -> frozenset[int]:
        while after := _AFTERWARDS.match(self._text, end):
            end = after.end()
        return self._linking.places(start, end)


def left_open(places: Collection[int], linking: Linking, read: Collection[int]) -> bool:
    """True if words behind these places may belong to what rows have, and are not `read` as something else.

    "Students with no courses in Biology" may be all those in Biology, or those with no such courses.
    """
    end = max(places) + 1
    behind = end < len(linking.tokens) and linking.tokens[end].lower in _PREPOSITIONS
    return behind and end not in read
