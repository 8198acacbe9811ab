"""Groups by a period of a date ("sales by year", "in which month ..."), made of likely plain queries.

Training data keep years in columns of their own, so that no sketch is learned. `strftime` is SQLite's; the
renderer translates it for the other engines.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fathom.forms.which_date import event_words
from fathom.offline.checks.account import LEFT_OVER, Accounts, denies_alike, tables_named_first
from fathom.offline.finishing.extremes import may_be_missing
from fathom.offline.grammars.amounts import said_of_money
from fathom.offline.grammars.calendars import period_of
from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.linking.levels import NAMED
from fathom.offline.linking.row_names import EACH
from fathom.offline.linking.text import name_stems, stem
from fathom.offline.linking.wordlists import DATE_VERBS, WEEKDAYS, WHICH
from fathom.offline.proposals.proposals import Proposal
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    ColumnRef,
    ComparisonPredicate,
    Literal,
    OrderKey,
    Query,
    Star,
    TableRef,
    Unrepresentable,
    conjunction,
    conjuncts,
    mentioned_tables,
)
from fathom.offline.queries.to_sql import joined
from fathom.records.profile import TableProfile
from fathom.records.schema import DATED as DATE_KINDS
from fathom.records.schema import NUMERIC

_UNITS = ("year", "month", "day")
_ADVERBS = {
    "yearly": "year", "annual": "year", "annually": "year", "monthly": "month", "daily": "day",
    "quarter": "quarter", "quarterly": "quarter", "week": "week", "weekly": "week", "weekday": "weekday",
}  # fmt: skip
PERIOD_WORDS = frozenset((*_UNITS, *(f"{u}s" for u in _UNITS), *_ADVERBS, *(f"{a}s" for a in _ADVERBS)))
PERIOD_UNITS = {u + s: u for u in _UNITS for s in ("", "s")} | _ADVERBS
"""Units by their own words and those of the adverbs."""
_OF_THE_WEEK = (("of", "the", "week"), ("of", "week"))
_BY = EACH | {"by"}
_DATE_STEMS = frozenset(map(stem, ("date", "datetime", "time", "timestamp", "day", "at", "on", "of")))
_SAME = 4
"""Letters that the stems of a verb and of its noun share: "admit" and "admission"."""
_BEGINNINGS = frozenset(
    map(stem, "start begin open depart departure create issue report raise submit from".split())
)


def _dated() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    events = {words: words for words in event_words().values()}
    for verbs, named in (*DATE_VERBS.items(), *events.items()):
        for verb in verbs:
            key = "-".join(map(stem, verb.split("-")))
            found[key] = found.get(key, frozenset()) | frozenset(map(stem, named))
    return found


DATED = _dated()
"""The stems of words that dates are called by, by the stems of verbs that mean the same."""
_ISO = "%Y-%m-%d"
OTHER_DATE = 0.5


@dataclass(frozen=True, slots=True)
class PeriodGrouping:
    """A group by period: the unit, the places of its words, and True if the question asks which one is
    extreme.

    Rows of the tables in `named` have a column that goes by the unit's name.
    """

    unit: str
    places: tuple[int, ...]
    which: bool
    named: frozenset[str]


def asked_period(linking: Linking) -> PeriodGrouping | None:
    """The period that a question groups by, if it does."""
    for place, token in enumerate(linking.tokens):
        word = token.lower.removesuffix("s")
        unit = word if word in _UNITS else _ADVERBS.get(word)
        if unit is None or token.evidence:
            continue
        before = [t.lower for t in linking.tokens[max(place - 2, 0) : place]]
        near = set(before[-1:]) if place and linking.tokens[place - 1].stop else set(before)
        which = bool(near & WHICH) and bool(linking.superlatives)
        adverb = (word not in _UNITS and word.endswith("ly")) or word == "annual"
        if not (adverb or near & _BY or which):
            continue
        close = linking.alignment[:, place] >= NAMED
        named = frozenset(c.table for c, is_close in zip(linking.columns, close, strict=True) if is_close)
        after = tuple(t.lower for t in linking.tokens[place + 1 : place + 4])
        week = next((w for w in _OF_THE_WEEK if unit == "day" and after[: len(w)] == w), ())
        places = tuple(range(place, place + 1 + len(week)))
        return PeriodGrouping("weekday" if week else unit, places, which and not near & _BY, named)
    return None


def periods(
    linking: Linking,
    likely: Sequence[Proposal],
    planner: JoinPlanner,
    profiles: Mapping[str, TableProfile],
    accounts: Accounts,
) -> Iterator[Proposal]:
    """Likely queries grouped by the period that the question asks for, where it asks for one."""
    asked = asked_period(linking)
    if asked is None:
        return
    dates = Dates(linking, planner, profiles)
    for base in likely:
        tables = mentioned_tables(base.query)
        if asked.named & {t.name for t in tables}:
            continue
        near = dates.near(tables)
        for rank, key in enumerate(near):
            column = key.in_query()
            query = _by(base.query, column, asked, linking)
            if query is None:
                continue
            if may_be_missing(column, profiles):  # what has no such date belongs to no period
                query = replace(
                    query, where=conjunction(query.where, ComparisonPredicate(column, "is not null"))
                )
            money = said_of_money(linking) if base.source == "total" else ()
            left = accounts.left_over(query, (*asked.places, *money))
            score = base.score - OTHER_DATE * rank - LEFT_OVER * len(left)
            settled = (
                not left
                and not _grouped_again(asked, linking)
                and key == dates.meant(near)
                and denies_alike(query, linking)
                and (base.source == "total" or _counts_once(query, linking, planner))
                and (base.source == "total" or not any(n.comparison == "between" for n in linking.numbers))
            )
            if settled or not asked.named:  # else the column of that name is likelier meant than a date
                yield replace(base, query=query, score=score, source="period", settled=settled)


class Dates:
    """The columns of dates in a database, and which of them a question is about."""

    def __init__(self, linking: Linking, planner: JoinPlanner, profiles: Mapping[str, TableProfile]) -> None:
        self._linking, self._planner, self._profiles = linking, planner, profiles
        self._all = self._dated()

    @property
    def numbered(self) -> frozenset[str]:
        """The tables that have a column for the year."""
        return frozenset(c.table for c in self._linking.columns if "year" in name_stems(c.column))

    def _dated(self) -> frozenset[ColumnKey]:
        """The columns of dates; those of text only where they begin with the year, as engines read them."""
        found = set()
        for table in self._planner.schema.tables:
            seen = self._profiles[table.name].columns if table.name in self._profiles else {}
            for column in table.columns:
                pattern = seen[column.name].pattern if column.name in seen else None
                is_date = column.kind in DATE_KINDS
                if (pattern or "").startswith(_ISO) or (is_date and not pattern):
                    found.add(ColumnKey(table.name, column.name))
        return frozenset(found)

    def of(self, table: str) -> list[ColumnKey]:
        """The dates of one table."""
        return [c for c in self._linking.columns if c.table == table and c in self._all]

    def named_days(self, tables: tuple[TableRef, ...]) -> dict[ColumnRef, tuple[str, ...]]:
        """The columns of some tables that hold days of the week by name, each with these, Sunday first."""
        found: dict[ColumnRef, tuple[str, ...]] = {}
        for table in tables:
            profile = self._profiles.get(table.name)
            for seen in profile.columns.values() if profile else ():
                held = {str(v).strip().casefold(): str(v) for v, _ in seen.common if isinstance(v, str)}
                if held and held.keys() <= set(WEEKDAYS):
                    found[ColumnRef(table, seen.column)] = tuple(
                        held.get(d, d.capitalize()) for d in WEEKDAYS
                    )
        return found

    def tables_of(self, query: Query) -> frozenset[str]:
        """The tables that a query looks at, be it to join others alone; none where nothing joins them."""
        try:
            return frozenset(t.name for t in joined(query, self._planner)[0])
        except Unrepresentable:
            return frozenset()

    def named(self, verb: str, dates: Iterable[ColumnKey]) -> list[ColumnKey]:
        """Those of some dates that are called by a verb, by its stem, else by words of the same event."""
        known, meant = list(dates), DATED.get(verb, frozenset())
        said = [c for c in known if verb in name_stems(c.column)]
        return said or [c for c in known if not meant.isdisjoint(name_stems(c.column))]

    @property
    def all_of_them(self) -> frozenset[ColumnKey]:
        """All columns of dates."""
        return self._all

    def may_lack(self, key: ColumnKey) -> bool:
        """True if some rows have no such date."""
        return may_be_missing(key.in_query(), self._profiles)

    def near(self, tables: tuple[TableRef, ...]) -> list[ColumnKey]:
        """The dates of some tables, likeliest first; where they have none, of those that they refer to."""
        own = [c for c in self._linking.columns if c in self._all and TableRef(c.table) in tables]
        own = own or self.told_of(tables)
        return sorted(own, key=lambda c: (-self._said(c), not self._is_own(c), -self._score(c)))

    def told_of(self, tables: tuple[TableRef, ...]) -> list[ColumnKey]:
        """The dates of the tables that the rows of some refer to: when who ordered joined."""
        facts = [t for t in tables if self._planner.one_each(t, tables)][:1]
        near = {e.right for t in facts for e in self._planner.neighbours(t.name)} - {t.name for t in tables}
        return [
            c
            for c in self._linking.columns
            if c in self._all
            and c.table in near
            and all(self._planner.one_each(t, (*tables, TableRef(c.table))) for t in facts)
        ]

    def _clear(self, key: ColumnKey, near: list[ColumnKey]) -> bool:
        """True if no other date is meant as likely: the only one, the one named, or its row's own."""
        others = [c for c in near if c != key]
        if any(self._said(c) >= self._said(key) > 0 for c in others):
            return False
        return not others or self._said(key) > 0 or (self._is_own(key) and not any(map(self._is_own, others)))

    def meant(self, near: list[ColumnKey]) -> ColumnKey | None:
        """The date that is meant, of some: the clear one, else the one with which their rows begin.

        None where another table has the date that is said: who was "admitted in 2021" wasn't born then.
        """
        if not any(map(self._said, near)) and any(self._said(c) for c in self._all - set(near)):
            return None
        if near and self._clear(near[0], near):
            return near[0]
        table = near[:1] and near[0].table
        begins = [c for c in near if c.table == table and not _BEGINNINGS.isdisjoint(name_stems(c.column))]
        return begins[0] if len(begins) == 1 and not any(map(self._said, near)) else None

    @property
    def stems(self) -> frozenset[str]:
        """The stems of the words that dates are called by: what is said when things happen, "joined"."""
        own = frozenset(s for c in self._all for s in name_stems(c.column)) - _DATE_STEMS
        return own | {verb for verb, named in DATED.items() if not own.isdisjoint(named)}

    def _score(self, key: ColumnKey) -> float:
        return max(self._linking.score(key, "group"), self._linking.score(key, "select"))

    def _said(self, key: ColumnKey) -> int:
        """How many words of the question are in the column's name, its table's and those of dates aside."""
        words = set(name_stems(key.column)).difference(name_stems(key.table), _DATE_STEMS)
        return sum(t.stem in words for t in self._linking.tokens if not t.evidence)

    def _is_own(self, key: ColumnKey) -> bool:
        """True if a date is called after its table alone: `order_date`, `admitted_at` of an admission."""
        own = name_stems(key.table)
        others = {*name_stems(key.column)} - _DATE_STEMS
        return all(any(_same_word(word, o) for o in own) for word in others)


def _same_word(one: str, other: str) -> bool:
    """True if two stems are those of a verb and of what is done, as far as their beginnings tell."""
    return one == other or (len(one) >= _SAME and one[:_SAME] == other[:_SAME])


def _grouped_again(asked: PeriodGrouping, linking: Linking) -> bool:
    """True if the question speaks of each of something else as well: "loans per member each year"."""
    each = [i for i, t in enumerate(linking.tokens) if t.lower in EACH]
    return any(not asked.places[0] - 2 <= i < asked.places[0] for i in each)


def _counts_once(query: Query, linking: Linking, planner: JoinPlanner) -> bool:
    """True if a query's aggregate is what the question asks for, over rows that no join repeats."""
    shown = (*query.select, *(o.key for o in query.order))
    total = next((e for e in shown if isinstance(e, Aggregate)), None)
    if total is None or total.distinct:
        return False
    asked = {q.aggregate for q in linking.quantities} - ({"max", "min"} if query.limit else set())
    tables = mentioned_tables(query)
    if isinstance(total.argument, ColumnRef):
        counted = {total.argument.table}
        fits = asked == {total.function} != {"count"} and _named_best(total.argument, linking, planner)
    else:
        counted = {TableRef(m.table) for m in tables_named_first(linking)}
        rows = isinstance(total.argument, Star)
        fits = rows and asked <= {"count", "sum"} and asked != {"sum"}
    return fits and any(c in tables and planner.one_each(c, tables) for c in counted)


def _named_best(column: ColumnRef, linking: Linking, planner: JoinPlanner) -> bool:
    """True if the question names no other number as well as this one, by the words of column and table."""
    asked = {t.stem for t in linking.tokens if not t.evidence}
    named = {
        (t.name, c.name): len(asked.intersection((*name_stems(c.name), *name_stems(t.name))))
        for t in planner.schema.tables
        for c in t.columns
        if c.kind in NUMERIC and c.name not in t.primary_key
    }
    own = named.pop((column.table.name, column.name), 0)
    return all(own > other for other in named.values())


def in_one_year(query: Query, column: ColumnRef) -> bool:
    """True if a query takes the rows of one year of a date alone."""
    bounds = {
        c.operator: c.right.value for c in conjuncts(query.where)
        if isinstance(c, ComparisonPredicate) and c.left == column and isinstance(c.right, Literal)
    }  # fmt: skip
    first, until = str(bounds.get(">=", "")), str(bounds.get("<", ""))
    if first[:4].isdigit() and "" < until[:10] <= f"{int(first[:4]) + 1}-01-01":
        return True
    return any(
        c.left == column and c.operator == "like" and isinstance(c.right, Literal)
        and re.fullmatch(r"\d{4}%", str(c.right.value))
        for c in conjuncts(query.where) if isinstance(c, ComparisonPredicate)
    )  # fmt: skip


def _by(query: Query, column: ColumnRef, asked: PeriodGrouping, linking: Linking) -> Query | None:
    """The query grouped by the period of a date; None where it has no place for that."""
    if query.compound is not None or query.source is not None:
        return None
    part = period_of(asked.unit, column, in_one_year=in_one_year(query, column))
    if query.group == (column,):
        select = tuple(part if item == column else item for item in query.select)
        return replace(query, select=select, group=(part,))
    match query:
        case Query(select=(Aggregate() as total,), group=(), having=None, order=(), limit=None):
            if not asked.which:
                return replace(query, select=(part, total), group=(part,))
            order = (OrderKey(total, linking.superlatives[0].direction == "desc"),)
            return replace(query, select=(part,), group=(part,), order=order, limit=1)
    return None
