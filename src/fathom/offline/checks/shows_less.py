"""Checks for a query that shows less than the head of its question lists: "the names and phones of ..."."""

from collections.abc import Collection, Sequence
from itertools import pairwise

from fathom.offline.linking import ColumnKey, Linking
from fathom.offline.linking.text import stem
from fathom.offline.linking.wordlists import LISTING, NAMES
from fathom.offline.queries.query import Aggregate, ColumnRef, Query, walk
from fathom.offline.queries.rows import RowNames
from fathom.text.identifiers import identifier_words

_ENDS = frozenset("of for from who that which whose with in where when by on at ? .".split())
_KEYS = frozenset(("id", "ids"))
_CALLED = ("name", "title")
_NUMBERED = frozenset("id ids code number no".split())
_EACH = frozenset(("each", "per"))
_JOINED = frozenset(("and", ","))
_ASKING = LISTING | {"what", "tell", "report", "name"}


def shows_less(query: Query, linking: Linking, rows: RowNames) -> bool:
    """True if the head of a question lists names, keys or two columns of things, and a query lacks one.

    What names or tells apart is left out in favour of the columns that the question names in full.
    """
    head = _head(linking)
    called = {stem(b) for b, word in pairwise(head) if word in NAMES}  # "player name"
    plain = all(isinstance(e, ColumnRef) for e in query.select)
    return (
        (plain and _lists(head, NAMES) and not any(_names(e, rows, called) for e in query.select))
        or (not _KEYS.isdisjoint(head) and not any(_numbers(c, rows) for c in _columns(query)))
        or (plain and _shows_one_of_two(query, head))
    )


def counts_all(query: Query, linking: Linking) -> bool:
    """True if a question asks how many there are of each kind, and a query counts them together."""
    match query.select:
        case (Aggregate("count"),) if not query.group and query.compound is None:
            return any(t.lower in _EACH and not t.evidence for t in linking.tokens)
    return False


def _head(linking: Linking) -> list[str]:
    """The words of a question before it says of what it asks for columns."""
    words = [t.lower for t in linking.tokens if not t.evidence]
    end = next((i for i, w in enumerate(words) if w in _ENDS), len(words))
    return words[:end]


def _lists(head: Sequence[str], words: frozenset[str]) -> bool:
    """True if the words stand in a list with others: "names and phones", "the city and name"."""
    within = any(a in words and b in _JOINED for a, b in pairwise(head))
    return within or (not words.isdisjoint(head[-1:]) and not _JOINED.isdisjoint(head))


def _shows_one_of_two(query: Query, head: Sequence[str]) -> bool:
    asked = not _ASKING.isdisjoint(head[:1]) and "many" not in head and not (NAMES | _KEYS).isdisjoint(head)
    return asked and "and" in head[1:-1] and "," not in head and len(query.select) == 1 and not query.group


def _names(expression: object, rows: RowNames, called: Collection[str]) -> bool:
    if not isinstance(expression, ColumnRef):
        return False
    words = identifier_words(expression.name)
    named = any(word.endswith(_CALLED) for word in words) or not {*map(stem, words)}.isdisjoint(called)
    return named or expression in rows.of_table(expression.table)


def _numbers(column: ColumnRef, rows: RowNames) -> bool:
    numbered = identifier_words(column.name)[-1:] or [""]
    ends = numbered[0] in _NUMBERED or column.name.casefold().endswith("id")
    return ends or rows.is_key(column) or rows.is_reference(ColumnKey.of(column))


def _columns(query: Query) -> list[ColumnRef]:
    return [e for item in query.select for e in walk(item) if isinstance(e, ColumnRef)]
