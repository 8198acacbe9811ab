"""Words of a question that restrict its rows and that a query passes over, whatever else speaks for it.

What was learned lets one word pass where all others fit: in training questions such a word hardly ever leaves
a row out. People ask for "unpaid orders" and "albums before 1962" of databases that don't know which these
are, and all orders are no answer.
"""

from collections.abc import Collection, Iterator

from fathom.offline.checks.account import ACCOUNTED, DENYING, Accounts
from fathom.offline.checks.counted_things import counted_head
from fathom.offline.checks.leaves_out import ANY_ROWS
from fathom.offline.checks.light_words import names_something, restricts_ahead
from fathom.offline.linking import Linking, Span
from fathom.offline.linking.levels import WHOLLY_NAMED
from fathom.offline.queries.query import (
    CaseWhen,
    ColumnRef,
    ComparisonPredicate,
    Literal,
    Query,
    all_comparisons,
    all_expressions,
    all_queries,
    comparisons,
    mentioned_tables,
)

_GROUPING = frozenset(("by", "per"))
_AIMING = frozenset("for about against from to without".split())
"""Words ahead of what rows are to have to do with: "drugs for headaches", "tracks about gardening"."""
_DETERMINERS = frozenset("the a an our any all each every".split())
_NO_DENIAL = frozenset(
    "more less fewer later earlier longer shorter greater higher lower older younger only of .".split()
)
"""Words behind a word for a denial that make it deny nothing: "no more than ten", "the no. of students"."""
_DENYING = DENYING | {"is null"}
_DENYING_NAMES = ("un", "non", "not_", "no_")
_UNSET = frozenset(("0", "n", "no", "f", "false", "none"))
_MOST_AHEAD = 3
"""Words that may stand between a modifier and what it modifies: "unpaid foreign track length"."""


def passed_over(query: Query, linking: Linking, said: Collection[int] = ()) -> tuple[int, ...]:
    """The places of modifiers, groups, numbers and dates that no part of a query stands for.

    `said` are places that the query's form stands for. Words of evidence are told otherwise.
    """
    left = Accounts(linking).passed_over(query, said)
    named = _named(linking)
    groups = (i for i in left if i and linking.tokens[i - 1].lower in _GROUPING and i + 1 not in named)
    found = (_modifiers(linking, left, named), _numbers(linking, left), _aims(linking, left), groups)
    return tuple(sorted({place for places in (*found, _counted(query, linking, left)) for place in places}))


def aims_passed_over(query: Query, linking: Linking, said: Collection[int] = ()) -> tuple[int, ...]:
    """The places of what rows have to do with, "for headaches", that no part of a query stands for."""
    return tuple(_aims(linking, Accounts(linking).passed_over(query, said)))


def _modifiers(linking: Linking, left: Collection[int], named: Collection[int]) -> Iterator[int]:
    """Words right ahead of what names a thing: "unpaid orders", "unpaid track length"."""
    spans = (*(s.span for s in linking.superlatives), *(n.span for n in linking.numbers))
    ranked = {i for span in spans for i in range(*span)}
    for place in left:
        token = linking.tokens[place]
        known = place in named or place in ranked or token.lower in ANY_ROWS
        if token.kind != "word" or known or not restricts_ahead(token.text):
            continue
        ahead = place + 1
        while ahead < min(place + _MOST_AHEAD, len(linking.tokens)) and ahead in left and ahead not in named:
            ahead += 1
        if ahead in named:
            yield place


def _aims(linking: Linking, left: Collection[int]) -> Iterator[int]:
    for place in left:
        ahead = place - 1
        while ahead > 0 and linking.tokens[ahead].lower in _DETERMINERS:
            ahead -= 1
        token = linking.tokens[place]
        aimed = ahead >= 0 and linking.tokens[ahead].lower in _AIMING
        if aimed and token.kind == "word" and names_something(token.text):
            yield place


def _counted(query: Query, linking: Linking, left: Collection[int]) -> Iterator[int]:
    """The noun that a question counts, where no table is called so: "how many seats are there in room 12".

    Rows that are counted may stand for what a column of theirs is called after: variants, by their column.
    """
    head = counted_head(linking)
    if head is None or head not in left or not names_something(linking.tokens[head].text):
        return
    read = {table.name for table in mentioned_tables(query)}
    called = (linking.alignment[i, head] for i, c in enumerate(linking.columns) if c.table in read)
    tables = (linking.table_fit(table, head) for table in linking.tables)
    if max(called, default=0.0) < ACCOUNTED and max(tables, default=0.0) < WHOLLY_NAMED:
        yield head


def _numbers(linking: Linking, left: Collection[int]) -> Iterator[int]:
    """Numbers, and months and days beside them."""
    dates = {i for d in linking.dates for i in range(*d.span)}
    for place in left:
        if linking.tokens[place].kind == "number" or place in dates:
            yield place


def _named(linking: Linking) -> frozenset[int]:
    """The places of words that name columns, or tables if only in part: "game type" of video games."""
    tables = (m.span for m in linking.table_mentions if m.named)
    spans = (*tables, *(m.span for m in linking.column_mentions if m.named))
    whole = {i for span in spans for i in range(*span)}
    in_part = (
        i for i in range(len(linking.tokens)) if linking.table_alignment[:, i].max(initial=0) >= ACCOUNTED
    )
    return frozenset(whole.union(in_part))


def denials_passed_over(query: Query, linking: Linking) -> tuple[int, ...]:
    """The places of words that deny something, where a query denies fewer things than its question does."""
    said = [n.first for n in linking.negations if not _denies_nothing(linking, n)]
    said += [i for i, token in enumerate(linking.tokens) if token.lower == "outside"]
    return tuple(said) if len(said) > _denials(query) else ()


def _denies_nothing(linking: Linking, negation: Span) -> bool:
    after = linking.tokens[negation.end].lower if negation.end < len(linking.tokens) else ""
    return after in _NO_DENIAL or linking.tokens[negation.first].lower == "neither"  # its "nor" denies


def _denials(query: Query) -> int:
    """How many things a query denies, those in its CASEs among them."""
    inside = (e.condition for q in all_queries(query) for e in all_expressions(q) if isinstance(e, CaseWhen))
    compared = (*all_comparisons(query), *(c for condition in inside for c in comparisons(condition)))
    excepted = (q.compound.operator == "except" for q in all_queries(query) if q.compound is not None)
    return sum(map(_denies, compared)) + sum(excepted)


def _denies(one: ComparisonPredicate) -> bool:
    if one.operator == "=" and isinstance(one.right, Literal) and isinstance(one.left, ColumnRef):
        named = one.left.name.casefold().startswith(_DENYING_NAMES)  # `unusable = 1`
        return named or str(one.right.value).casefold() in _UNSET
    return one.operator in _DENYING
