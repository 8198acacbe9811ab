"""Checks for a query of all rows where its question is about some: those "that have a dog"."""

from collections.abc import Collection

from fathom.offline.checks.account import Accounts
from fathom.offline.checks.light_words import names_something
from fathom.offline.linking import Linking
from fathom.offline.linking.text import stem
from fathom.offline.linking.wordlists import RELATIVES, WHICH
from fathom.offline.queries.query import Query, all_queries
from fathom.text.english import LEMMAS

_HAVING = frozenset("have has had having own owns owned owning with without".split())
_BETWEEN = frozenset("a an any some at least one no more than the".split())
_OF_DATA = frozenset(
    map(
        stem,
        "record records data information info detail details all name names row rows entry entries".split(),
    )
)


def restricting_left(query: Query, linking: Linking, said: Collection[int] = ()) -> tuple[int, ...]:
    """The places of words that restrict rows and for which no part of a query stands that takes all rows.

    They say what rows have, or stand behind "which customers" or "customers who". That a word is a part of
    some value ("Temple of the Dog") accounts for nothing: the query doesn't look there. Weights let one such
    word pass where all others fit. `said` are places that the query's form stands for.
    """
    if any(q.where or q.having or q.limit or q.source or q.compound for q in all_queries(query)):
        return ()
    left = Accounts(linking).passed_over(query, said)
    start = _clause(linking)
    return tuple(
        i
        for i in left
        if linking.tokens[i].kind == "word"
        and linking.tokens[i].stem not in _OF_DATA
        and (_is_had(linking, i, left) or (start is not None and i >= start and _restricts(linking, i)))
    )


def _clause(linking: Linking) -> int | None:
    """Where it is said which rows are meant: behind "which customers", or behind "customers who"."""
    tokens = linking.tokens
    for mention in linking.table_mentions:
        first, end = mention.span
        if not mention.whole or end >= len(tokens):
            continue
        if first == 1 and tokens[0].lower in WHICH:
            return end
        if tokens[end].lower in RELATIVES:
            return end + 1
    return None


def _is_had(linking: Linking, place: int, left: Collection[int]) -> bool:
    """True if a word is what something has, or stands with others that nothing accounts for between."""
    tokens = linking.tokens
    before = place - 1
    while before >= 0 and (tokens[before].lower in _BETWEEN or before in left):
        before -= 1
    done = before == place - 1 and _is_done(linking, place)  # "complaints they have received"
    return before > 0 and tokens[before].lower in _HAVING and not done


def _restricts(linking: Linking, place: int) -> bool:
    """True if a word in such a clause leaves rows out: "customers who complained", not "who were listed"."""
    return not _is_done(linking, place) or names_something(linking.tokens[place].text)


def _is_done(linking: Linking, place: int) -> bool:
    """True if a word is the form of a verb in which that may say no more than that there are rows."""
    word = linking.tokens[place].lower
    return word.endswith("ed") or word in LEMMAS
