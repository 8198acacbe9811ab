"""Says apart what restricts a question: "orders [placed in the last 30 days]", "flights [to Denver]".

Training data hold no times that are counted from today, and hardly a table with two keys to the same one.
What is left of the question is a plain one, which is what the weights have learned; its query is restricted.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from fathom.offline.checks.faults import contradicts_itself
from fathom.offline.filters.above_average import Averages
from fathom.offline.filters.alternatives import Alternatives
from fathom.offline.filters.bought_or_sold import Traded
from fathom.offline.filters.compared_columns import ColumnComparisons
from fathom.offline.filters.earliest import earliest
from fathom.offline.filters.extra_columns import Tellings
from fathom.offline.filters.flagged_features import having
from fathom.offline.filters.has_or_lacks import Belongings, left_open
from fathom.offline.filters.lateness import lateness
from fathom.offline.filters.number_bounds import measured
from fathom.offline.filters.states import states
from fathom.offline.filters.stock import stocked
from fathom.offline.filters.texts import holding
from fathom.offline.filters.times import Timed, said_times
from fathom.offline.filters.under_way import under_way
from fathom.offline.filters.unset_flags import flagged
from fathom.offline.grammars.ages import aged
from fathom.offline.grammars.amounts import Amounts, asked_money
from fathom.offline.grammars.asked_numbers import asked_units
from fathom.offline.grammars.durations import lasting
from fathom.offline.grammars.periods import Dates
from fathom.offline.grammars.sold import trade_verbs
from fathom.offline.linking import Linking
from fathom.offline.linking.text import stem
from fathom.offline.linking.wordlists import LIGHT, ROLE_VERBS
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    ComparisonPredicate,
    Expression,
    Literal,
    Query,
    conjuncts,
    mentioned_tables,
)
from fathom.offline.queries.rows import RowNames
from fathom.offline.roles import in_roles
from fathom.records import Assumption, Question, TableProfile
from fathom.text.patterns import Pattern

_AUXILIARIES = frozenset("that which who were was are is have has had been being be".split())

_WHICH = frozenset(("which", "what"))
_VERBS = frozenset("have has had do does did were was are is never not lack".split())
_ALTERNATIVES = frozenset(("and", "or", "not", "except"))
_RELATIVE = frozenset(("that", "which", "who", "whose", "whom", "where", "with"))
_DID = frozenset(("did", "does", "do"))
_BEFORE_SIGN = Pattern(r"\s+([,.?!])")
_NAMED = 0.5


class Restriction(Protocol):
    """A part of a question that restricts the rest."""

    @property
    def places(self) -> frozenset[int]:
        """The tokens of the question that say it."""
        ...

    @property
    def needed(self) -> bool:
        """True if no other reading of these words is known."""
        ...

    @property
    def learned(self) -> bool:
        """True if training data hold many such, so that the learned choice goes first where it is sure."""
        ...

    def applied(self, query: Query) -> tuple[Query, Assumption] | None:
        """The query so restricted, and what to tell of it; None where it isn't clear what is restricted."""
        ...


@dataclass(frozen=True, slots=True)
class Aside:
    """A question without its restrictions, and these; not `clear` where more than they may restrict it."""

    question: Question
    restrictions: tuple[Restriction, ...]
    clear: bool = True

    @property
    def needed(self) -> bool:
        """True if a query that doesn't hold the restrictions can't be right."""
        return any(r.needed for r in self.restrictions)

    @property
    def learned(self) -> bool:
        """True if the learned choice for the whole question goes first where it is sure."""
        return all(r.learned for r in self.restrictions)

    def put_back(self, query: Query) -> tuple[Query, tuple[Assumption, ...]] | None:
        """The query of the question under all restrictions; None where one has no place in it."""
        told = []
        if not self.clear or _chooses_and_tells(query):
            return None
        for restriction in self.restrictions:
            found = restriction.applied(query)
            if found is None:
                return None
            query = found[0]
            told.append(found[1])
        joined = {c.table for j in query.joins for c in (j.left, j.right)}
        if len({*told}) < len(told) or (joined and not joined.issuperset(mentioned_tables(query))):
            return None  # a date is in one time alone, and joins that are chosen lead nowhere else
        if _is_empty(query) or contradicts_itself(query):
            return None  # each of two things may be said of another row
        return query, tuple(told)


def _is_empty(query: Query) -> bool:
    """True if a column would have to be above one number and below a lower one."""
    bounds: dict[tuple[Expression, str], list[float]] = {}
    for c in conjuncts(query.where):
        if (
            isinstance(c, ComparisonPredicate)
            and isinstance(c.right, Literal)
            and isinstance(c.right.value, int | float)
        ):
            bounds.setdefault((c.left, c.operator[:1]), []).append(float(c.right.value))
    return any(
        min(bounds.get((column, "<"), [lower[0]])) < max(lower)
        for (column, sign), lower in bounds.items()
        if sign == ">"
    )


def _chooses_and_tells(query: Query) -> bool:
    """True if groups are chosen by a number and one is shown: what is said apart may be of either."""
    return query.having is not None and any(isinstance(e, Aggregate) for e in query.select)


def said_apart(
    question: Question,
    linking: Linking,
    planner: JoinPlanner,
    names: RowNames,
    profiles: Mapping[str, TableProfile],
    *,
    amounts: Amounts,
) -> Aside | None:
    """The question with its restrictions said apart; None where it has none, or nothing would be left."""
    dates = Dates(linking, planner, profiles)
    roles = in_roles(linking, planner, names)
    # Sums have their years themselves.
    summed = asked_money(linking, averaged=True) is not None or bool(asked_units(linking, names, amounts))
    running: tuple[Restriction, ...] = (
        *under_way(question.text, linking, dates, profiles),
        *earliest(question.text, linking, dates, planner, profiles),
    )
    taken = {i for r in running for i in r.places}
    verbs = trade_verbs(linking, amounts.lines, names)
    sold = tuple(Traded(linking, planner, profiles, amounts.lines, verbs).read(question.text))
    tellings = tuple(Tellings(linking, planner, names, profiles).read())
    taken_up = {i for r in sold for i in r.places} | {i for t in tellings for i in t.places if t.theirs}
    kept = tuple(t for one in amounts.lines for t in (one.table.name, *sorted(one.heads)))
    had = Belongings(linking, planner, profiles).read(question.text)
    owned = (*sold, *(b for b in had if taken_up.isdisjoint(b.places)))
    lacked = {i for b in owned for i in b.places}
    compared = tuple(measured(linking))
    times = (
        t
        for t in said_times(question.text, linking, dates, lacked, traded=verbs, kept=kept)
        if taken.isdisjoint({*t.places} - lacked)
    )
    others: tuple[Restriction, ...] = (
        *Alternatives(linking, planner).read(question.text),
        *running,
        *holding(question.text, linking, names),
        *having(question.text, linking, profiles),
        *compared,
        *Averages(linking, names).read(question.text),
        *ColumnComparisons(linking, names, dates).read(),
        *lateness(linking, dates),
        *stocked(question.text, linking, names),
        *(t for t in times if t.needed or not summed),
        *lasting(question.text, linking, dates),
        *aged(question.text, linking, dates),
        *((roles,) if roles else ()),
        *(t for t in tellings if t.theirs or not any(t.places & b.places for b in (*owned, *compared))),
    )
    adjectives: tuple[Restriction, ...] = (
        *states(question.text, linking, dates, profiles),
        *flagged(question.text, linking, profiles),
    )
    said = {i for r in others for i in r.places}
    found = (*(b for b in owned if not left_open(b, linking, said)), *others)
    found = (*found, *(a for a in adjectives if not any(a.places & r.places for r in found)))
    if len(found) > 1:  # years that nothing is said of are read with the rest
        found = tuple(r for r in found if not (isinstance(r, Timed) and r.learned))
    if not found:
        return None
    gone = {i for r in found if r not in adjectives for i in r.places}
    moved = frozenset(map(stem, ROLE_VERBS)) if roles else frozenset()
    gone |= _verbs_before(linking, gone, dates.stems | moved)
    gone |= {i for r in found for i in r.places}
    joint = {i for i, t in enumerate(linking.tokens) if t.lower == "and" and {i - 1, i + 1} <= gone}
    text = _without(question.text, linking, gone | joint)
    text = _as_phrase(text, linking, gone)
    told = gone | joint
    beside = {j for i in gone for j in (i - 1, i + 1) if 0 <= j < len(linking.tokens)} - told
    clear = _ALTERNATIVES.isdisjoint(linking.tokens[i].lower for i in beside)
    return Aside(replace(question, text=text), found, clear) if text else None


def _as_phrase(text: str, linking: Linking, gone: Collection[int]) -> str:
    """A text whose verb is gone, as a phrase: "which sections" of "which sections have no room"."""
    words = [t.lower for t in linking.tokens]
    first = min(gone)
    asks = words[0] in _WHICH and words[first] in _VERBS and not _VERBS & {*words[:first]}
    return text.partition(" ")[2] or text if asks else text


def _verbs_before(linking: Linking, gone: Collection[int], dates: Collection[str]) -> set[int]:
    """The words before a time that only say of what it is: "that were placed", "who joined", "opened"."""
    tokens = linking.tokens
    found: set[int] = set()
    if any(t.lower in _DID for t in tokens):
        return found
    for place in sorted(gone):
        first = place
        while first > 1 and tokens[first - 1].lower in _RELATIVE:
            first -= 1
        found |= set(range(first, place))
        while first and (at := _verb_before(linking, first, dates)) is not None:
            first = at
        if first == place and tokens[place - 1].lower not in {"was", "were"}:
            continue
        while first and tokens[first - 1].lower in _AUXILIARIES:
            first -= 1
        if first:  # else nothing is asked for
            found |= set(range(first, place))
    return found


def _verb_before(linking: Linking, place: int, dates: Collection[str]) -> int | None:
    """Where the verb before a place stands that says of what a time is, also "predicted to | graduate"."""
    if _says_when(linking, place - 1, dates):
        return place - 1
    led = place > 1 and linking.tokens[place - 1].lower == "to" and _says_when(linking, place - 2, dates)
    return place - 2 if led else None


def _says_when(linking: Linking, place: int, dates: Collection[str]) -> bool:
    token = linking.tokens[place]
    table = linking.table_alignment[:, place].max(initial=0) >= _NAMED
    light = token.stem in dates or token.lower in LIGHT
    return token.kind == "word" and light and (not table or token.lower in ROLE_VERBS)


def _without(text: str, linking: Linking, gone: Collection[int]) -> str:
    """A text without some of its tokens."""
    kept = [t for i, t in enumerate(linking.tokens) if i not in gone and not t.evidence]
    if not any(not t.stop for t in kept):
        return ""
    pieces, end = [], 0
    for place, token in enumerate(linking.tokens):
        if place in gone and not token.evidence:
            pieces.append(text[end : token.start])
            end = token.end
    pieces.append(text[end:])
    return _BEFORE_SIGN.sub(r"\1", " ".join("".join(pieces).split())).strip(" ,")
