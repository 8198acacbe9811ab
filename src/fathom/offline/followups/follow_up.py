"""From a follow-up and the query before it to the edited query, or to the words that nothing accounts for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from itertools import combinations
from pathlib import Path

from fathom.databases import Database
from fathom.knowledge import KnowledgePack
from fathom.offline.engine import OfflineEngine
from fathom.offline.engines import engine_for
from fathom.offline.finishing.description import describe
from fathom.offline.followups.calculations import counted
from fathom.offline.followups.follow_up_words import Edit, FollowUpReading
from fathom.offline.followups.rules import RULES, FollowUpRule
from fathom.offline.followups.wordlists import (
    ASKING,
    BARE_COUNTS,
    MARKS,
    MAY_STAND_ALONE,
    OPENINGS,
    POINTING,
    POINTING_WITHIN,
)
from fathom.offline.knowledge import apply_conventions
from fathom.offline.linking.cues import superlative_direction
from fathom.offline.linking.text import tokenize
from fathom.offline.linking.wordlists import BE
from fathom.offline.queries.from_sql import parse
from fathom.offline.queries.query import (
    ColumnRef,
    Query,
    Unrepresentable,
    columns,
    mentioned_tables,
)
from fathom.records import Assumption, Question

MOST_WORDS = 12
"""Longer texts are questions of their own: of 86 follow-ups that people wrote the longest has nine."""
MOST_EDITS = 3
MOST_FOR_ENDS = 7
"""Up to so many words "which has the most" and the like may ask for one of what was shown; longer ones name
their own rows."""
_EACH_EDIT = 0.5
"""How much likelier each further edit has to be: one reading of all words is better than two of halves."""


class FollowUpStanding(StrEnum):
    """How a text stands to the answer before, by its words alone.

    What `FOLLOWS` says nothing without it. What `RATHER_FOLLOWS` is read as going on from it where it can be,
    and what `MAY_FOLLOW` where it isn't answered by itself. What is `WHOLE` never is.
    """

    FOLLOWS = "follows"
    RATHER_FOLLOWS = "rather follows"
    MAY_FOLLOW = "may follow"
    WHOLE = "whole"


@dataclass(frozen=True)
class FollowedUp:
    """The outcome of a follow-up: the edited query as SQL and in a few words, or the words left over.

    `assumptions` are what conventions of a pack added. Without SQL and without words nothing was read. What
    isn't `editable` is a query of a form that edits don't know.
    """

    sql: str | None = None
    told: str = ""
    unread: tuple[str, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    editable: bool = True


def standing(text: str) -> FollowUpStanding:
    """How a text stands to the answer before."""
    words = _words(text)
    if not words or len(words) > MOST_WORDS:
        return FollowUpStanding.WHOLE
    opening = next((o for o in OPENINGS if words[: len(o)] == o), None)
    if _points_back(words) or words in BARE_COUNTS or (opening and opening not in MAY_STAND_ALONE):
        return FollowUpStanding.FOLLOWS
    asks = not ASKING.isdisjoint(words)
    marked = bool(MARKS & {*words} or words[-2:] == ("as", "well"))
    if not asks and (opening or marked):
        return FollowUpStanding.RATHER_FOLLOWS
    if asks and len(words) <= MOST_FOR_ENDS and any(superlative_direction(t) for t in tokenize(text)):
        return FollowUpStanding.RATHER_FOLLOWS
    return FollowUpStanding.MAY_FOLLOW


def _points_back(words: tuple[str, ...]) -> bool:
    """True if words point to what was shown: not "there" in "are there", nor "their" in a longer question."""
    near = len(words) <= MOST_FOR_ENDS - 2
    for place, word in enumerate(words):
        there_is = word == "there" and place > 0 and words[place - 1] in BE
        if word in POINTING and not there_is and (near or word not in POINTING_WITHIN):
            return True
    return False


def _words(text: str) -> tuple[str, ...]:
    return tuple(t.lower.replace("\u2019", "'") for t in tokenize(text) if t.kind != "sign")


def edit_follow_up(
    text: str, sql: str, database: Database, knowledge: KnowledgePack, cache: Path | None
) -> FollowedUp:
    """The query `sql` before edited as a follow-up says."""
    if len(_words(text)) > MOST_WORDS:
        return FollowedUp()
    return follow(text, sql, engine_for(database, knowledge, cache=cache))


def follow(text: str, sql: str, engine: OfflineEngine, rules: Sequence[FollowUpRule] = RULES) -> FollowedUp:
    """The query before edited as a follow-up says by these rules, or the words that nothing accounts for."""
    bare = " ".join(text.split()).strip("?.! ")
    if not bare:
        return FollowedUp()
    dialect = engine.database.dialect
    try:
        # Edits know columns, not the expressions that read them by their forms; `sql_of` writes these again.
        asked = engine.forms.as_asked(sql)
        before = _without_house_rules(parse(asked, engine.planner, dialect), engine.knowledge)
    except Unrepresentable:
        return FollowedUp(editable=False)
    linking = engine.link(Question(bare))
    reading = FollowUpReading(linking, before, engine.schema, engine.planner, engine.names, engine.knowledge)
    query, unread = _edited(reading, rules)
    if query is None:
        return FollowedUp(unread=tuple(linking.tokens[i].text for i in sorted(unread)))
    try:
        whole, assumptions = apply_conventions(query, bare, engine.knowledge, engine.planner)
        return FollowedUp(engine.sql_of(whole), describe(query, engine.planner), assumptions=assumptions)
    except Unrepresentable:
        return FollowedUp()


def _without_house_rules(query: Query, pack: KnowledgePack) -> Query:
    """The query without what conventions add to every list, which the edited one gets again."""
    tables = {t.name.casefold() for t in mentioned_tables(query)}
    for convention in pack.conventions:
        when, adds = convention.when, convention.adds
        if when.query != "rows" or not tables & {t.casefold() for t in when.tables}:
            continue
        if adds.limit is not None and query.limit == adds.limit and not query.order:
            query = replace(query, limit=None)
        kept = tuple(e for e in query.select if not (isinstance(e, ColumnRef) and e.name in adds.select))
        if kept and kept != query.select:
            lost = tuple(c.table for c in columns(query) if c.name in adds.select)
            query = replace(query, select=kept, tables=tuple(dict.fromkeys((*query.tables, *lost))))
    return query


def _edited(reading: FollowUpReading, rules: Sequence[FollowUpRule]) -> tuple[Query | None, frozenset[int]]:
    """The query edited in the likeliest way that accounts for all content words; else the words left over."""
    query = reading.query
    found = list(_edits(reading, rules))
    content = reading.content - reading.known
    best: tuple[float, Query] | None = None
    fewest = content
    for chosen in _packings(found):
        covered = frozenset[int]().union(*(e.places for e in chosen))
        left = content - covered
        if len(left) < len(fewest):
            fewest = left
        weight = sum(e.weight for e in chosen) - _EACH_EDIT * (len(chosen) - 1)
        if left or (best is not None and weight <= best[0]):
            continue
        changed = _changed(query, chosen)
        if changed is not None and _undone(query, chosen, changed):
            continue
        if changed is not None and _by_tables(changed) != _by_tables(query):
            best = (weight, changed)
    return (best[1], frozenset()) if best else (None, fewest)


def _undone(query: Query, chosen: Sequence[Edit], changed: Query) -> bool:
    """Tell whether another edit takes back what one of them did, whose words would be lost.

    One whose whole change the others make as well is only said twice: "count them by country".
    """
    return len(chosen) > 1 and any(
        _changed(query, [e for e in chosen if e is not one]) == changed
        and (by_itself := one.change(query)) is not None
        and not _parts(by_itself) - _parts(query) <= _parts(changed)
        for one in chosen
    )


def _parts(query: Query) -> frozenset[tuple[str, object]]:
    """The parts of a query: each thing selected, each condition, the limit."""
    held = ((f.name, getattr(query, f.name)) for f in fields(query) if f.name not in ("tables", "joins"))
    return frozenset((n, v) for n, value in held for v in (value if isinstance(value, tuple) else (value,)))


def _by_tables(query: Query) -> tuple[Query, frozenset[str]]:
    """A query so that it equals another one over the same tables, wherever these are mentioned."""
    return replace(query, tables=()), frozenset(t.name for t in mentioned_tables(query))


def _edits(reading: FollowUpReading, rules: Sequence[FollowUpRule]) -> Iterator[Edit]:
    """The edits that rules read; of queries put together of others only the number of rows can be asked."""
    query = reading.query
    if query.source is not None or query.compound is not None:
        yield from counted(reading)
        return
    for rule in rules:
        yield from rule.reads(reading)


def _packings(edits: Sequence[Edit]) -> Iterator[tuple[Edit, ...]]:
    """Sets of edits that share no word, and of which no two change the same."""
    for size in range(1, MOST_EDITS + 1):
        for chosen in combinations(edits, size):
            if all(a.fits(b) for a, b in combinations(chosen, 2)):
                yield chosen


def _changed(query: Query, chosen: Sequence[Edit]) -> Query | None:
    edited: Query | None = query
    for edit in sorted(chosen, key=lambda e: e.stage):
        edited = edit.change(edited) if edited is not None else None
    return edited
