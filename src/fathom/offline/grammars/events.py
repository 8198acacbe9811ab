"""Rows by what happened to them, all or the first or last: "who joined", "which pump was sold last"."""

from collections.abc import Iterator, Mapping, Sequence

from fathom.offline.checks.account import named_values
from fathom.offline.grammars.periods import Dates
from fathom.offline.grammars.question_facts import GrammarReading
from fathom.offline.linking import ColumnKey, Linking, QuestionToken
from fathom.offline.linking.text import last_word
from fathom.offline.linking.wordlists import BE, FIRST, LAST, PERSONS_ASKED, WHICH
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.queries.query import (
    ColumnRef,
    ComparisonPredicate,
    OrderKey,
    Query,
    TableRef,
    conjunction,
    mentioned_tables,
)
from fathom.offline.queries.rows import CODES, RowNames
from fathom.records.profile import ColumnProfile, TableProfile


def events(reading: GrammarReading) -> Iterator[Proposal]:
    """The names of the rows whose one date is that of the event which the question's verb names.

    Of all who did it where the question asks who, else of the first or last.
    """
    linking, names, dates, planner = reading.linking, reading.names, reading.dates, reading.planner
    tokens = linking.tokens
    words = [t.lower for t in tokens]
    if not words or linking.negations or linking.quantities or any(t.evidence for t in tokens):
        return
    who = words[0] in PERSONS_ASKED
    verb = max((i for i, t in enumerate(tokens) if i and _may_date(t, dates)), default=0)
    ahead = [m for m in linking.table_mentions if m.span.end <= verb]
    rows = {m.table for m in ahead if m.span.end == max(o.span.end for o in ahead)}
    if not verb or not (who or (words[0] in WHICH and rows)):
        return
    end = _end_behind(tokens, verb)
    key = _date_of(tokens[verb].stem, dates, rows or None)
    if key is None or (end is None and not who):
        return
    column = key.in_query()
    done = end is None and words[verb - 1] in BE  # not a state of all: "who was hired"
    held = ComparisonPredicate(column, "is not null")
    where = conjunction(*named_values(linking), *([held] if dates.may_lack(key) or done else []))
    shown = names.called(TableRef(key.table)) or _codes(linking, names, reading.profiles, key.table)
    if end is None:
        query = Query(shown, where=where)
    else:
        query = Query(shown, where=where, order=(OrderKey(column, words[end] in LAST),), limit=1)
    said = frozenset((verb,) if end is None else (verb, end))
    one_way = len(planner.plans(mentioned_tables(query))) == 1
    if shown and one_way and reading.accounts.accounts_for(query, said):
        yield Proposal(query, source="first", settled=True, said=said)


def _end_behind(tokens: Sequence[QuestionToken], verb: int) -> int | None:
    """The place of the word for the first or last right behind a verb, where no noun follows it."""
    place = verb + 1
    while place < len(tokens) and tokens[place].stop:
        place += 1
    after = tokens[place + 1 : place + 2]
    alone = not after or after[0].stop or after[0].kind == "sign"
    return place if place < len(tokens) and tokens[place].lower in FIRST | LAST and alone else None


def _codes(
    linking: Linking, names: RowNames, profiles: Mapping[str, TableProfile], table: str
) -> tuple[ColumnRef, ...]:
    """The columns of keys, codes, and texts that all differ, by which people know rows that have no name."""
    seen = profiles[table].columns if table in profiles else {}
    keys = set(names.key_of(TableRef(table)))
    own = [c for c in linking.columns if c.table == table and not names.is_reference(c)]
    known = [c.in_query() for c in own if last_word(c.column) in CODES or _tells(seen.get(c.column))]
    return (*keys, *(c for c in known if c not in keys))


def _tells(seen: ColumnProfile | None) -> bool:
    texts = seen is not None and all(isinstance(v, str) for v in seen.samples)
    return seen is not None and texts and seen.exact and seen.distinct == seen.rows_seen > 1


def _may_date(token: QuestionToken, dates: Dates) -> bool:
    return token.stem in dates.stems and token.lower not in FIRST | LAST


def _date_of(verb: str, dates: Dates, tables: set[str] | None) -> ColumnKey | None:
    """The one date that a verb names, of some tables or of all."""
    known = sorted(c for c in dates.all_of_them if tables is None or c.table in tables)
    named = dates.named(verb, known)
    return named[0] if len(named) == 1 else None
