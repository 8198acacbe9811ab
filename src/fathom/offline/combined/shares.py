"""Shares of rows or of a sum, and counts of a part beside the whole: "what percentage of customers have
ordered", "the number of orders and how many of them were returned, by country".

The whole is counted by one plain question and the part by another: whatever questions are understood alone
are understood here.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from fathom.offline.combined.records import Combined, Composition, is_one_number
from fathom.offline.grammars.ratios import number_of, quotient
from fathom.offline.linking.text import name_stems, stem
from fathom.offline.linking.wordlists import FALSE, RELATIVES, TRUE
from fathom.offline.queries.joins import JoinPlanner
from fathom.offline.queries.query import (
    Aggregate,
    Arithmetic,
    ColumnRef,
    ComparisonPredicate,
    Expression,
    Literal,
    Query,
    Star,
    Subquery,
    TableRef,
    conjunction,
    conjuncts,
    mentioned_tables,
)
from fathom.records import Assumption
from fathom.text.patterns import Pattern

_I = re.IGNORECASE
_SHARE = Pattern(
    r"(?:what(?:\s+is|\s+are|'s)?|which|calculate|compute|show|give|find|tell)?\s*(?:me\s+)?(?:the\s+)?"
    r"(?P<share>percentage|per\s?cent|%|proportion|share|fraction)\s+of\s+"
    r"(?:all\s+(?:of\s+)?(?:the\s+|our\s+)?|the\s+|our\s+)?(?P<rows>.+?)[\s?.!]*$",
    _I,
)
_VERBS = frozenset(
    """
    is are was were has have had do does did came come comes went go goes live lives lived cost costs contain
    contains got earn earns received placed made bought ordered took took use used weigh weighs last lasted
""".split()
)
_WITH = frozenset(("with", "without"))
_RELATIVE = frozenset(("that", "which", "who", "whose", "we", "they", "it", "you", "i"))
_GROUP = Pattern(r"(?P<rest>.+?),?\s+(?P<group>(?:(?:for|in|of|by|at|on)\s+(?:each|every)|per|by)\s+.+)$", _I)
_LEADING = Pattern(r"(?P<group>(?:for|in|at|on)\s+(?:each|every)\s+[^,]+),\s*(?P<rest>.+)$", _I)
_OF_SUM = Pattern(
    r"(?P<what>.+?)\s+(?:comes?|came|is|are|was|were|goes|go|went|falls?|fell)\s+"
    r"(?:(?:made|generated|earned|spent|paid)\s+)?(?P<whose>(?:from|by|in|to|for|on|with)\s+.+)$",
    _I,
)
_FLAGS = TRUE | FALSE
_ALL = (Aggregate("count", Star()),)
_OF_THEM = Pattern(
    r"(?P<all>.*?\b(?:number\s+of|how\s+many)\s+(?P<rows>.+?))\s*,?\s*\b(?:and|plus|with)\s+(?:also\s+)?"
    r"how\s+many\s+of\s+(?:them|these|those)\s+(?P<part>.+?)[\s?.!]*$",
    _I,
)
_AND_NOT = Pattern(
    r"how\s+many\s+(?P<rows>.+?)\s+(?P<part>(?:are|is|were|was|have|has|had)\s+.+?),?\s+and\s+how\s+many\s+"
    r"(?:(?:of\s+(?:them|these|those)\s+)?(?:do|does|did|are|is|were|was|have|has)\s*n[o'\u2019]t|don['\u2019]?t)"
    r"(?:\s+have(?:\s+(?:one|it|any))?)?[\s?.!]*$",
    _I,
)


def shares(text: str, planner: JoinPlanner) -> Iterator[Composition]:
    """The rows of which a question asks a share, and those that make it, counted one by one."""
    found = _SHARE.match(text)
    if found is None:
        return
    factor = 100 if found["share"].lower().startswith("per") or found["share"] == "%" else 1
    of_sum = _OF_SUM.match(found["rows"])
    if of_sum and not _are_rows(of_sum["what"], planner):
        what = f"What is the total {of_sum['what'].removeprefix('total ')}"
        sums = f"{what}?", f"{what} {of_sum['whose']}?"
        yield Composition(sums, partial(_share_of_sum, factor), needed=False, whole=factor)
    said, group = _grouped(found["rows"])
    tail = f" {group}" if group else ""
    for rows in _subjects(said):
        questions = f"How many {rows} are there{tail}?", f"How many {said}?"
        yield Composition(questions, partial(_share, factor, planner), needed=False, whole=factor)


def _are_rows(words: str, planner: JoinPlanner) -> bool:
    """True if words end in what a table is called: orders paid by card are counted, and revenue isn't."""
    last = stem(words.rsplit(maxsplit=1)[-1])
    return any(name_stems(t.name)[-1:] == (last,) for t in planner.schema.tables)


def _grouped(text: str) -> tuple[str, str]:
    """Split a question into the part without its group, and the group."""
    found = _GROUP.match(text)
    return (found["rest"], found["group"]) if found else (text, "")


def _subjects(text: str) -> Iterator[str]:
    """Give the possible subjects of a clause: the words before its last verb that belongs to no other clause.

    Without a verb, those before what they have, lack or are: "the share of courses without prerequisites".
    """
    words = text.split()
    for place in range(len(words) - 2, 0, -1):
        before, word = words[place - 1].lower(), words[place].lower()
        if word in _VERBS and before not in _RELATIVE | _VERBS | {"not", "never"}:
            yield " ".join(words[:place])
            return
    for place, word in enumerate(words):
        done = word.endswith("ed") and words[place - 1].endswith("s")  # "of payments failed"
        if place and (done or word.lower() in _WITH | RELATIVES):
            yield " ".join(words[:place])
            return


def _share(factor: int, planner: JoinPlanner, queries: Sequence[Query]) -> Combined | None:
    """The share that the rows of the second count make of those of the first."""
    count, part = queries
    told = Assumption("default", "It is the number of these over that of all.")
    if (found := _among(count, part, planner)) is not None:
        total, number = found
        select = tuple(quotient(number, e, factor) if e == total else e for e in count.select)
        return replace(count, select=select, tables=_tables(count, part)), told
    if is_one_number(count) and is_one_number(part) and count != part and all(map(_counts, queries)):
        once = _once(count, part, planner)
        return Query((quotient(Subquery(once), Subquery(count), factor),)), told
    return None


def _share_of_sum(factor: int, queries: Sequence[Query]) -> Combined | None:
    """The share of a sum that some rows make."""
    whole, part = queries
    match (*whole.select, *part.select):
        case (Aggregate("sum", _), Aggregate("sum", _)) if whole == Query(whole.select) and part.where:
            if is_one_number(part) and part == Query(part.select, where=part.where):
                told = Assumption("default", "It is their sum over that of all.")
                same = Query(part.select)  # lines where the part is one of lines
                return Query((quotient(Subquery(part), Subquery(same), factor),)), told
    return None


def _once(count: Query, part: Query, planner: JoinPlanner) -> Query:
    """The second count, with rows of the first that a join repeats counted once."""
    tables = mentioned_tables(count)
    key = planner.schema.table(tables[0].name).primary_key
    joined = part.select == _ALL and tables[0] in mentioned_tables(part) and len(tables) == len(key) == 1
    if not joined or planner.one_each(tables[0], mentioned_tables(part)):
        return part
    return replace(part, select=(Aggregate("count", ColumnRef(tables[0], key[0]), distinct=True),))


def _counts(query: Query) -> bool:
    return isinstance(query.select[0], Aggregate) and query.select[0].function == "count"


def parts_beside(text: str, planner: JoinPlanner) -> Iterator[Composition]:
    """The rows counted, and beside them how many of these are so."""
    if both := _AND_NOT.match(text):
        questions = f"How many {both['rows']} are there?", f"How many {both['rows']} {both['part']}?"
        yield Composition(questions, partial(_split, planner))
        return
    found = _OF_THEM.match(text)
    if found is None:
        return
    leading = _LEADING.match(found["all"])
    part, behind = _grouped(found["part"])
    rows, ahead = _grouped(found["rows"])
    groups = [g for g in (behind, ahead, leading["group"] if leading else "") if g]
    if len(groups) > 1:
        return
    tail = f" {groups[0]}" if groups else ""
    questions = f"How many {rows} are there{tail}?", f"How many {rows} {part}?"
    yield Composition(questions, partial(_side_by_side, planner))


def _split(planner: JoinPlanner, queries: Sequence[Query]) -> Combined | None:
    """How many rows are so, as the second query counts them, and how many aren't; by flag, if it is one."""
    count, part = queries
    found = _among(count, part, planner)
    if found is None or count.group:
        return None
    tables = _tables(count, part)
    match [c for c in conjuncts(part.where) if c not in conjuncts(count.where)]:
        case [ComparisonPredicate(ColumnRef() as flag, "=", Literal(value=value))] if (
            str(value).casefold() in _FLAGS
        ):
            query = replace(count, select=(flag, *count.select), group=(flag,), tables=tables)
            return query, Assumption("column", f"{flag.name} says which are so and which aren't.")
    total, number = found
    query = replace(count, select=(number, Arithmetic("-", total, number)), tables=tables)
    return query, Assumption("default", "The second number counts all others.")


def _side_by_side(planner: JoinPlanner, queries: Sequence[Query]) -> Combined | None:
    count, part = queries
    found = _among(count, part, planner)
    if found is None:
        return None
    query = replace(count, select=(*count.select, found[1]), tables=_tables(count, part))
    return query, Assumption("default", "The last number counts those of the one before that are so.")


def _among(count: Query, part: Query, planner: JoinPlanner) -> tuple[Expression, Expression] | None:
    """Give two counts: one of rows, perhaps in groups, and one of those of them that a second query counts.

    None where it isn't the same but for conditions, or would need rows that a join repeats.
    """
    whole, said = conjuncts(count.where), conjuncts(part.where)
    extra = conjunction(*(c for c in said if c not in whole))
    bare = all(replace(q, where=None, tables=()) == Query(q.select, group=q.group) for q in (count, part))
    if extra is None or not bare or part.select != _ALL or _ALL[0] not in count.select:
        return None
    if not {*whole} <= {*said}:
        return None
    one, two = mentioned_tables(count), mentioned_tables(part)
    if not {*two} <= {*one} and not (len(one) == 1 and planner.one_each(one[0], two)):
        return None
    return _ALL[0], number_of(extra)


def _tables(count: Query, part: Query) -> tuple[TableRef, ...]:
    return tuple(dict.fromkeys((*count.tables, *part.tables)))
