"""Checks for a query that contradicts its question: it compares otherwise, denies nothing or ranks nothing.

Weights that know a question's words for those of a column may let the small ones around them pass.
"""

from itertools import pairwise

from fathom.offline.checks.counted_things import counted_head
from fathom.offline.linking import ColumnKey, Linking, Span
from fathom.offline.linking.row_names import EACH
from fathom.offline.linking.text import name_stems
from fathom.offline.linking.value_match import CODED
from fathom.offline.linking.wordlists import DIFFERENT, NAMES
from fathom.offline.queries.query import (
    Aggregate,
    ColumnRef,
    ComparisonPredicate,
    Literal,
    Query,
    Star,
    Subquery,
    all_comparisons,
    all_expressions,
    all_queries,
    compared_with,
    comparisons,
    conjuncts,
    mentioned_tables,
)
from fathom.offline.queries.rows import CODES, RowNames, fixed_columns
from fathom.text.identifiers import identifier_words

_UNEQUAL = frozenset(("<", "<=", ">", ">=", "between"))
_DENYING = frozenset(("!=", "not in", "not like", "not between", "is null", "is not null"))
_FLAG = frozenset(("is", "has", "was", "flag", "yn"))
_WHETHER = frozenset(("whether", "flag", "flags", "status"))
_SO_CALLED = frozenset("named called name names title titled titles".split())
_TIMES = ("year", "date", "day", "time", "season", "month")
_LEAST = frozenset("minimum lowest least smallest fewest cheapest shortest".split())
_MOST = frozenset("maximum highest most largest greatest biggest longest".split())
_LESS = frozenset("lower less below under smaller fewer shorter cheaper".split())
_MORE = frozenset("higher more greater above over larger longer bigger".split())
_LIKELY, _POSSIBLE = 0.5, 0.1


def compares_otherwise(query: Query, linking: Linking) -> bool:
    """True if a question says "after 1961" or "5 to 10", and a query holds rows to that very number."""
    ranges = {str(n.value) for n in linking.numbers if n.comparison in _UNEQUAL or n.upper is not None}
    return any(c.operator == "=" and _constant(c) in ranges for c in all_comparisons(query))


def compares_the_other_way(query: Query, linking: Linking) -> bool:
    """True if a question says "lower than the average", and a query finds what is higher, or the reverse."""
    words = {t.lower for t in linking.tokens if not t.evidence}
    compared = [c.operator[0] for c in all_comparisons(query) if isinstance(c.right, Subquery)]
    ways = {operator for operator in compared if operator in "<>"}
    less, more = bool(words & _LESS), bool(words & _MORE)
    return less != more and ways == {">" if less else "<"}


def leaves_one_out(query: Query, linking: Linking) -> bool:
    """True if a question names two values of a column, "male and female", and a query takes one of them."""
    held = {(c.left, (_constant(c) or "").strip("%")) for c in all_comparisons(query)}
    named = [v for v in linking.values if v.match in CODED and v.probability >= _POSSIBLE]
    for one in named:
        for other in named:
            between = [t.lower for t in linking.tokens[one.span.end : other.span.first]]
            if one.column == other.column and one.value != other.value and between in (["and"], ["or"]):
                column = one.column.in_query()
                if len(held & {(column, str(one.value)), (column, str(other.value))}) == 1:
                    return True
    return False


def leaves_number_out(query: Query, linking: Linking) -> bool:
    """True if a question names two numbers, "2 to 4" or "70 or 90", and a query compares with one of them."""
    held = {str(i.value) for c in all_comparisons(query) for i in compared_with(c) if isinstance(i, Literal)}
    pairs = [(n.value, n.upper) for n in linking.numbers if n.upper is not None]
    for one, other in pairwise(linking.numbers):
        between = [t.lower for t in linking.tokens[one.span.end : other.span.first]]
        if between in (["or"], ["and"], ["to"]) and one.comparison == other.comparison and not one.ordinal:
            pairs.append((one.value, other.value))
    return any((str(one) in held) != (str(other) in held) for one, other in pairs)


def counts_one(query: Query, linking: Linking, rows: RowNames) -> bool:
    """True if a query counts the rows of one name, of which there is one: "how many students does Ann teach".

    Unless the question asks how many are called so.
    """
    tables = mentioned_tables(query)
    counted = query == Query((Aggregate("count", Star()),), where=query.where, tables=query.tables)
    if not counted or len(tables) != 1 or not _SO_CALLED.isdisjoint(t.lower for t in linking.tokens):
        return False
    called, head = rows.of_table(tables[0]), counted_head(linking)
    asked = head is None or linking.tokens[head].stem in name_stems(tables[0].name)
    return bool(called) and fixed_columns(query).issuperset(called) and not asked


def takes_year_otherwise(query: Query, linking: Linking) -> bool:
    """True if a query takes a year for something else that isn't named: "lost in 2009", 2009 losses."""
    years = {str(n.value) for n in linking.numbers if n.year}
    return any(
        _constant(c) in years and isinstance(c.left, ColumnRef) and not _may_be_year(c.left, linking)
        for c in all_comparisons(query)
    )


def _may_be_year(column: ColumnRef, linking: Linking) -> bool:
    """True if a column is called after a time, or named by the question."""
    words = identifier_words(column.name)
    timely = any(time in word for word in words for time in _TIMES)
    return timely or any(
        m.column == ColumnKey.of(column) and m.score >= _LIKELY for m in linking.column_mentions
    )


def takes_count_for_key(query: Query, linking: Linking, rows: RowNames) -> bool:
    """True if a question counts rows, "tracks with 1 race", and a query takes their number for a key."""
    heads = {m.span.first for m in linking.table_mentions if m.whole}
    counts = {str(n.value) for n in linking.numbers if n.span.end in heads}
    return any(
        _constant(c) in counts and isinstance(c.left, ColumnRef) and rows.is_reference(ColumnKey.of(c.left))
        for c in all_comparisons(query)
    )


def denies_nothing(query: Query, linking: Linking) -> bool:
    """True if a question denies something ("never", "except for"), and a query nothing."""
    if not linking.negations or any(c.operator in _DENYING for c in all_comparisons(query)):
        return False
    return all(q.compound is None or q.compound.operator != "except" for q in all_queries(query))


def ranks_nothing(query: Query, linking: Linking) -> bool:
    """True if a question asks for an extreme, "the latest", and a query neither orders nor finds one.

    What is said by the name of a column, or is a value, asks for none; nor does "at least".
    """
    ranked = any(q.order for q in all_queries(query)) or any(
        isinstance(e, Aggregate) and e.function in {"min", "max"} for e in all_expressions(query)
    )
    named = [m.span for m in linking.column_mentions if m.named]
    named += [v.span for v in linking.values if v.probability >= _POSSIBLE]
    return not ranked and any(
        _is_extreme(linking, s.span) and not any(s.span.overlaps(n) for n in named)
        for s in linking.superlatives
    )


def _is_extreme(linking: Linking, span: Span) -> bool:
    """True if words ask for an extreme, as "the latest" does: not "at least 3", "25 or younger", "on top"."""
    words = [linking.tokens[i].lower for i in range(*span)]
    at = span.first > 0 and linking.tokens[span.first - 1].lower == "at"
    return not at and any(w.endswith("est") or w in _LEAST | _MOST for w in words)


def ranks_from_the_other_end(query: Query, linking: Linking) -> bool:
    """True if a question's only superlative asks for the least, and a query for the most, or the reverse."""
    said = {t.lower for t in linking.tokens if not t.evidence} & (_LEAST | _MOST)
    ranked = [q.order[0] for q in all_queries(query) if q.limit is not None and q.order]
    return len(said) == len(ranked) == 1 and ranked[0].descending != bool(said & _MOST)


def shows_keys_for_names(query: Query, linking: Linking) -> bool:
    """True if a question asks for names alone, and a query shows nothing but keys."""
    words = {t.lower for t in linking.tokens if not t.evidence}
    keys = all(isinstance(e, ColumnRef) and identifier_words(e.name)[-1:] == ("id",) for e in query.select)
    return keys and not words.isdisjoint(NAMES) and words.isdisjoint(CODES)


def adds_up_keys(query: Query) -> bool:
    """True if a query adds up numbers that only tell rows apart."""
    return any(
        isinstance(e, Aggregate)
        and e.function in {"sum", "avg"}
        and isinstance(e.argument, ColumnRef)
        and identifier_words(e.argument.name)[-1:] == ("id",)
        for e in all_expressions(query)
    )


def wants_two_values(query: Query) -> bool:
    """True if a query looks for rows of one table under two values at once of a column that has one."""
    compound = query.compound
    if compound is None or compound.operator != "intersect" or len(mentioned_tables(query)) != 1:
        return False
    same = mentioned_tables(query) == mentioned_tables(compound.query)
    one, other = _held(query), _held(compound.query)
    return same and any(c in query.select and other.get(c, value) != value for c, value in one.items())


def gives_one_for_each(query: Query, linking: Linking) -> bool:
    """True if a question asks for something of each of many, and a query gives one row."""
    each = any(t.lower in EACH and not t.evidence for t in linking.tokens)
    return each and query.limit == 1 and not query.offset


def counts_repeats(query: Query, linking: Linking) -> bool:
    """True if a question compares how many different things there are, and a query how many joined rows."""
    ends = {n.span.end for n in linking.numbers}
    different = any(t.lower in DIFFERENT and i in ends for i, t in enumerate(linking.tokens))
    kept = (c.left for q in all_queries(query) for c in comparisons(q.having))
    counts = [e for e in kept if isinstance(e, Aggregate) and e.function == "count"]
    joined = len(mentioned_tables(query)) > 1
    return different and joined and bool(counts) and not any(e.distinct for e in counts)


def shows_flag(query: Query, linking: Linking) -> bool:
    """True if a question says of what is listed that it is so, "open gyms", and a query shows the flag."""
    said = {v.column for v in linking.values if v.match == "boolean"}
    flags = {c.in_query() for c in said if not _FLAG.isdisjoint(identifier_words(c.column))}
    whether = any(t.lower in _WHETHER for t in linking.tokens)
    return not whether and len(query.select) == 1 and query.select[0] in flags


def _held(query: Query) -> dict[ColumnRef, str]:
    """The columns that a query holds to a constant."""
    compared = [
        c
        for c in conjuncts(query.where)
        if isinstance(c, ComparisonPredicate) and c.operator in {"=", "like"}
    ]
    found = ((c.left, _constant(c)) for c in compared)
    return {c: value for c, value in found if isinstance(c, ColumnRef) and value is not None}


def _constant(comparison: ComparisonPredicate) -> str | None:
    """Give the constant of a comparison, as text; None where that isn't one constant."""
    return str(comparison.right.value) if isinstance(comparison.right, Literal) else None
