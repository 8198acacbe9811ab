"""Takes off a question how many rows of a list to give, whichever: "list 10 movies from France"."""

from dataclasses import replace

from fathom.offline.linking import ColumnKey, Linking, NumberMention
from fathom.offline.linking.row_names import names_many
from fathom.offline.linking.wordlists import LISTING
from fathom.offline.queries.rows import RowNames
from fathom.records import Question

_ASKING = LISTING | frozenset("name write mention identify provide state tell get pick choose select".split())
_BETWEEN = frozenset("me us any some down out of the just only exactly".split())
_ENDS = frozenset(". , ? who that which with from in on by for whose and or".split())
_MOST = 1_000
_REACH = 4


def some_rows(question: Question, linking: Linking, names: RowNames) -> tuple[Question, int] | None:
    """The question for all such rows, and how many of them it wants; None where it doesn't say how many.

    The number has to be that of the things listed. One of the first or best of them, or one that may describe
    them ("5 star hotels"), is left to what reads these.
    """
    tokens = linking.tokens
    if linking.superlatives:
        return None
    for number in linking.numbers:
        if isinstance(number.value, int) and _counts_rows(number, linking, names):
            start, end = tokens[number.span.first].start, tokens[number.span.end - 1].end
            text = question.text[:start] + question.text[end:].lstrip()
            return replace(question, text=text), number.value
    return None


def _counts_rows(number: NumberMention, linking: Linking, names: RowNames) -> bool:
    first, end = number.span
    plain = number.comparison == "=" and not (number.ordinal or number.percent or number.upper)
    if not plain or not 1 < number.value <= _MOST or not _leads(first, linking):
        return False
    return not _describes(end, linking, names) and _is_of_things(end, linking)


def _leads(place: int, linking: Linking) -> bool:
    """True if all that stands before a place asks for what follows: "list", "show the names of"."""
    words = [t.lower for t in linking.tokens[:place]]
    if words[-1:] == ["of"]:
        shown = [m.span.first for m in linking.column_mentions if m.span.end == place - 1]
        words = words[: min(shown)] if shown else words
    return _ASKING.union(_BETWEEN).issuperset(words)


def _describes(place: int, linking: Linking, names: RowNames) -> bool:
    """True if the word behind a number is that of a column of numbers."""
    said = (m for m in linking.column_mentions if m.span.first == place)
    return any(names.measures(ColumnKey(*m.column)) for m in said)


def _is_of_things(place: int, linking: Linking) -> bool:
    """True if the words from a place on are, up to where their phrase ends, the plural of a known thing."""
    named = [m.span for m in linking.table_mentions]
    named += [m.span for m in linking.column_mentions]
    for at in range(place, min(place + _REACH, len(linking.tokens))):
        token = linking.tokens[at]
        if token.lower in _ENDS:
            return False
        if names_many(token) and any(at in range(*s) for s in named):
            return True
    return False
