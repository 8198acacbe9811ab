"""Checks for a part of the question that a query leaves out and learned weights may overlook."""

from collections.abc import Collection
from itertools import pairwise

from fathom.offline.checks.counted_things import counted_head
from fathom.offline.grammars.conditions import within
from fathom.offline.grammars.groups import BY, PASSED
from fathom.offline.grammars.measures import asked_quantities
from fathom.offline.grammars.ratios import asks_ratio
from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.linking.levels import NAMED, WHOLLY_NAMED
from fathom.offline.linking.text import stem
from fathom.offline.linking.value_match import CODED, INFLECTED
from fathom.offline.linking.wordlists import (
    BE,
    DIFFERENT,
    LIGHT,
    LISTING,
    NO_PERSON,
    OPENINGS,
    PHRASE_ENDS,
    POSSESSIVES,
    RELATIVES,
)
from fathom.offline.queries.query import (
    Aggregate,
    Arithmetic,
    CaseWhen,
    ColumnRef,
    Literal,
    Query,
    Star,
    Subquery,
    all_expressions,
    all_queries,
    compared_with,
    comparisons,
    expressions,
    mentioned_tables,
)
from fathom.offline.queries.rows import RowNames, asks_for_key, fixed_columns
from fathom.text.identifiers import identifier_words

_THEIRS = frozenset(("their", "its", "same", "own", "his", "her"))
_CALCULATED = frozenset(("average", "avg", "mean", "total"))
_KEYS = ("id", "code", "no", "number", "key")
_SHARES = (["share"], ["percentage"], ["percent"], ["proportion"], ["fraction"])
_REACH = 5
_LIST = 3
"""Words of which the names of things in a list have fewer."""

_ENDS = frozenset(".?!:;")
_ARTICLES = frozenset(("the", "a", "an", "our", "all"))
_LEADING = frozenset("the a an our all many of in for by at on with which what".split())
ANY_ROWS = frozenset(
    """
    distinct different unique corresponding respective associated related available existing various possible
    individual single other certain specific particular same following given actual total overall entire whole
    common popular
""".split()
)
"""Adjectives that leave no row out."""
_MEANT = 0.3
_LISTING = frozenset(("and", "or", ",", "&"))
_HELD = 0.5
_RESTRICTING = frozenset("from in at by named called".split())
_SORTED = frozenset(map(stem, ("sorted", "ordered", "ranked", "arranged", "grouped")))
_OF_DATA = frozenset(
    "record records database data file files table list total general system order detail store".split()
)
"""Words for what holds the rows: "all products in the store" are all products."""


def names_left(query: Query, linking: Linking, missing: Collection[str]) -> tuple[int, ...]:
    """The places of words that restrict rows and that nothing accounts for: "in the physics department".

    Training questions hardly name what isn't there; people do, and to list all rows then is no answer.
    """
    tokens = linking.tokens
    places = [i for i, t in enumerate(tokens) if i and t.text in missing and not t.evidence and not t.stop]
    whole = query.where is None and query.having is None and query.limit is None and query.compound is None
    return tuple(
        i
        for i in places
        if _is_name(linking, i)
        or _is_listed(linking, i)
        or _qualifies(linking, i)
        or _is_told(linking, i, missing)
        or (whole and _restricts(linking, i))
    )


def _is_name(linking: Linking, place: int) -> bool:
    before = linking.tokens[place - 1].lower
    return linking.tokens[place].text[:1].isupper() and before not in _ENDS


def _is_listed(linking: Linking, place: int) -> bool:
    """True if a word stands in a list behind a value: "from Porto and Berlin"."""
    listed = {v.span.end for v in linking.values if v.probability >= _HELD and v.match in CODED}
    return place - 1 in listed and linking.tokens[place - 1].lower in _LISTING


def _is_told(linking: Linking, place: int, missing: Collection[str]) -> bool:
    """True if a word alone says what is to be told of rows: "rooms with their colours"."""
    behind = linking.tokens[place + 1 : place + 2]
    goes_on = any(t.kind == "word" and not t.stop and t.text not in missing for t in behind)
    return linking.tokens[place - 1].lower in POSSESSIVES and not goes_on


def _qualifies(linking: Linking, place: int) -> bool:
    """True if a word says which of a table's rows: "the major cities", "our active users"."""
    token = linking.tokens[place]
    named = any(m.span.first == place + 1 and m.whole for m in linking.table_mentions)
    led = linking.tokens[place - 1].lower in _LEADING
    return named and led and token.kind == "word" and token.lower not in ANY_ROWS


def _restricts(linking: Linking, place: int) -> bool:
    """True if a word follows one that restricts, as in "from berlin", and isn't one for the data as such."""
    before = place - 1
    while before > 0 and linking.tokens[before].lower in _ARTICLES:
        before -= 1
    token = linking.tokens[place]
    if before and linking.tokens[before - 1].stem in _SORTED:
        return False
    return linking.tokens[before].lower in _RESTRICTING and token.lower not in _OF_DATA | ANY_ROWS


def shows_something_else(query: Query, linking: Linking, rows: RowNames) -> bool:
    """True if a question asks for certain rows ("which drug ...") and a query shows no name of such rows.

    "Who" asks for no place, no time, no number and no key. Plain columns alone are looked at: what counts or
    calculates may say it otherwise.
    """
    named = [] if asks_for_key(linking) else [c.in_query() for c in linking.called]
    names = {c.name.casefold() for c in named if c in rows.of_table(c.table)}
    columns = [e for e in query.select if isinstance(e, ColumnRef)]
    shown = {c.name.casefold() for c in columns}
    if len(shown) != len(query.select):
        return False
    who = linking.tokens[0].lower == "who" and not any(_may_be_person(c, rows) for c in columns)
    return (bool(names) and not names & shown) or who


def _may_be_person(column: ColumnRef, rows: RowNames) -> bool:
    """True if a column may hold who it is: no place, time, number or key."""
    words = identifier_words(column.name)
    number = rows.measures(ColumnKey.of(column)) or rows.is_reference(ColumnKey.of(column))
    return not number and words[-1:] != ("id",) and not NO_PERSON.intersection(words)


def leaves_out_what_is_so(query: Query, linking: Linking) -> bool:
    """True if rows are asked for that are something ("users that are logged in"), and a query takes all rows.

    Weights that know the word for a column's let it pass.
    """
    bare = Query(query.select, distinct=query.distinct, order=query.order, tables=query.tables)
    tables = mentioned_tables(query)
    plain = all(isinstance(e, ColumnRef) or e == Aggregate("count", Star()) for e in query.select)
    if query != bare or len(tables) != 1 or not plain:
        return False
    tokens = linking.tokens
    for place in range(1, len(tokens) - 1):
        word = tokens[place + 1]
        led = tokens[place - 1].lower in RELATIVES or linking.names_wholly(tables[0].name, place - 1)
        content = word.kind == "word" and not word.stop and not word.evidence
        if tokens[place].lower in BE and led and content and word.lower not in LIGHT | ANY_ROWS:
            return True
    return False


def shows_what_is_given(query: Query, linking: Linking) -> bool:
    """True if all that a query shows is what it holds to one value: that programmers are programmers."""
    return bool(query.select) and fixed_columns(query).issuperset(query.select) and not linking.negations


def divides_nothing(query: Query, linking: Linking) -> bool:
    """True if a question asks for a share of rows, and a query divides nothing, as where it has `shares`."""
    words = [t.lower for t in linking.tokens[:3]]
    asked = words[:1] == ["what"] and words[1:2] in _SHARES and words[2:] == ["of"]
    if not asked and asks_ratio(linking) is None:
        return False
    held = {*all_expressions(query)}
    return not any(isinstance(e, Arithmetic) and e.operator == "/" for e in held)


def groups_by_less(query: Query, linking: Linking) -> bool:
    """True if a question asks for each of two things ("by major and gender") and a query groups by one."""
    if not query.group or len(query.group) > 1:
        return False
    tokens = linking.tokens
    words = [t.lower for t in tokens if not t.evidence]
    for place, word in enumerate(words):
        if word not in BY or not any(q.span.end <= place for q in linking.quantities):
            continue
        rest = words[place + 1 :]
        size = next((i for i, w in enumerate(rest) if w == "and"), len(rest))
        if not 0 < size <= _LIST or any(w in PHRASE_ENDS - PASSED for w in rest[:size]):
            continue
        after = rest[size + 1 :]
        end = next((i for i, w in enumerate(after) if not w.isalnum() or w in PHRASE_ENDS), len(after))
        if 0 < end < _LIST and not any(t.stop for t in tokens[place + size + 2 : place + size + 2 + end]):
            return True
    return False


def leaves_out_years(query: Query, linking: Linking) -> bool:
    """True if a question says in which year, and nothing of a query holds that year."""
    years = {str(n.value) for n in linking.numbers if n.year and not n.upper and within(linking, n.span)}
    held = " ".join(str(e.value) for e in all_expressions(query) if isinstance(e, Literal))
    return any(year not in held for year in years)


def leaves_out_values(query: Query, linking: Linking, said: Collection[int] = ()) -> bool:
    """True if a word can mean nothing but a value, and a query compares with none that it may be.

    "The average rent of houses" isn't that of all properties. The words at places that are `said` by the form
    of the query mean no value: "who spent the most money" asks for no song of that name.
    """
    held = {
        str(item.value).casefold()
        for q in all_queries(query)
        for condition in (
            q.where,
            q.having,
            *(e.condition for e in expressions(q) if isinstance(e, CaseWhen)),
        )
        for c in comparisons(condition)
        for item in compared_with(c)
        if isinstance(item, Literal)
    }
    used = [
        v.span for v in linking.values if str(v.value).casefold().strip("%") in {h.strip("%") for h in held}
    ]
    shaping = (linking.numbers, linking.superlatives, linking.quantities, linking.dates)
    other = [m.span for mentions in shaping for m in mentions]
    for value in linking.values:  # "the first flight" needs no fare of that class
        places = range(*value.span)
        named = max(
            (max(float(a[:, i].max(initial=0)) for a in (linking.alignment, linking.table_alignment)))
            for i in places
        )
        words = all(linking.tokens[i].kind == "word" and not linking.tokens[i].stop for i in places)
        shaped = any(value.span.overlaps(s) for s in other) or set(said).issuperset(places)
        told = not shaped and value.match in INFLECTED and value.coverage >= 1 and words and named < _MEANT
        if told and not any(value.span.overlaps(u) for u in used):
            return True
    return False


def calculates_nothing(query: Query, linking: Linking) -> bool:
    """True if a question asks for a total or an average, and a query neither calculates nor shows one."""
    held = {*all_expressions(query)}
    if any(isinstance(e, Aggregate) for e in held):
        return False
    rows = [linking.index[ColumnKey.of(c)] for c in held if isinstance(c, ColumnRef)]
    return any(
        linking.alignment[rows, q.span.first].max(initial=0) < NAMED
        for q in asked_quantities(linking)
        if linking.tokens[q.span.first].lower in _CALCULATED
    )


def starts_within(query: Query, linking: Linking) -> bool:
    """True if a question says in which time, and a query holds all from or up to then: "more ... in 2021"."""
    texts = {d.first for d in linking.dates if d.first and within(linking, d.span)}
    texts |= {str(n.value) for n in linking.numbers if n.year and within(linking, n.span)}
    open_ends = [
        (c.operator[0], str(c.right.value))
        for q in all_queries(query)
        for c in comparisons(q.where)
        if c.operator[0] in "<>" and isinstance(c.right, Literal)
    ]
    ways = {way for way, value in open_ends if any(value.startswith(t[:7]) for t in texts)}
    return len(ways) == 1 and len(open_ends) == 1


def counts_once(query: Query, linking: Linking) -> bool:
    """True if a question asks twice how many there are of something, and a query counts once."""
    words = [t.lower for t in linking.tokens if not t.evidence]
    asked = sum(pair == ("how", "many") for pair in pairwise(words))
    counted = {e for e in all_expressions(query) if isinstance(e, Aggregate)}
    return asked > 1 and len(counted) == 1


def counts_unasked(query: Query, linking: Linking) -> bool:
    """True if a query only counts rows that a question lists or names: "list the accounts", "accounts"."""
    first = linking.tokens[0].lower
    match query.select:
        case (Aggregate("count"),):
            named = first in LISTING or first not in OPENINGS
            return named and not query.group and not linking.quantities
    return False


def counts_values(query: Query, linking: Linking) -> bool:
    """True if a question asks how many rows there are, and a query counts the values of one of their columns.

    "How many customers have a company" isn't how many companies they have.
    """
    match query.select:
        case (Aggregate("count", ColumnRef() as counted, distinct=True),):
            words = [t.lower for t in linking.tokens]
            head = counted_head(linking)
            if head is None or not DIFFERENT.isdisjoint(words):
                return False
            rows = linking.table_fit(counted.table.name, head)
            named = linking.alignment[linking.index[ColumnKey.of(counted)], head]
            reference = counted.name.casefold().endswith(_KEYS)
            return rows >= WHOLLY_NAMED > named and not reference
    return False


def averages_all(query: Query, linking: Linking) -> bool:
    """True if a question compares with the average of each row's own kind, and a query with that of all."""
    words = [t.lower for t in linking.tokens]
    own = any(
        q.aggregate == "avg" and not _THEIRS.isdisjoint(words[q.span.end : q.span.end + _REACH])
        for q in linking.quantities
    )
    compared = (c.right for c in comparisons(query.where) if isinstance(c.right, Subquery))
    return own and any(
        isinstance(s.query.select[0], Aggregate) and s.query.where is None and not s.query.group
        for s in compared
    )
