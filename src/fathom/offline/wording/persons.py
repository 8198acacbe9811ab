"""Asks for people by what they are called: "which employee earns the most?" as "what is the first and last
name of the employee who has the highest salary?".

Training questions say which columns they want of people, whose names take two; people ask who it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fathom.offline.linking import ColumnKey, Linking, Token
from fathom.offline.linking.text import identifier_words, in_number
from fathom.offline.linking.wordlists import DEGREES, PHRASE_ENDS
from fathom.offline.queries.rows import RowNames
from fathom.offline.wording.phrases import names_in_words
from fathom.records import Question

_NAMED = 0.6
_WHICH = frozenset(("which", "what"))
_BE = frozenset(("is", "are", "was", "were"))
_DO = frozenset(("do", "does", "did"))
_VERBS = _BE | _DO | {"have", "has", "had"}
_NAMES = frozenset(("name", "surnam", "forenam"))
_ENDS = frozenset(".?!;")
_EXTREMES = {"most": "highest", "least": "lowest"}
_LONGEST = 4


def asked_by_name(question: Question, linking: Linking, names: RowNames) -> Question:
    """The question with people asked for by the columns that name them, and with "earns the most" as "has the
    highest salary" where one column alone is what is earned. All other questions stay.
    """
    tokens = [t for t in linking.tokens if not t.evidence]
    if any(t.stem in _NAMES or (t.lower in _ENDS and i < len(tokens) - 1) for i, t in enumerate(tokens)):
        return question  # which columns are wanted is said
    asked = _asked(tokens, linking, names)
    for table, place in asked:
        extreme = _extreme(tokens, table, linking, names)
        if _asks_of_others(tokens, place) or (len(asked) > 1 and extreme is None):
            continue
        rest = _rest(question.text, tokens, place, extreme)
        ranked = extreme is not None or any(s.count == 1 for s in linking.superlatives)
        who = tokens[0].lower == "who"
        many = not ranked if who else tokens[place - 1].lower.endswith("s")
        called = names_in_words(linking, names, table, many=many) if names.holds_persons(table) else None
        if called is not None:
            said = question.text[tokens[1].start : tokens[place - 1].end]
            noun = in_number(identifier_words(table), many=many) if who else said
            rest = f"What {'are' if many else 'is'} the {called} of the {noun} who {rest}"
        elif extreme is not None:
            rest = f"{question.text[: tokens[place].start]}{rest}"
        else:
            continue
        return replace(question, text=rest)
    return question


def _asked(tokens: Sequence[Token], linking: Linking, names: RowNames) -> list[tuple[str, int]]:
    """The tables whose rows may be asked for, each with the place of the verb."""
    words = [t.lower for t in tokens[:_LONGEST]]
    if len(tokens) > 1 and words[0] == "who" and words[1] not in _BE:
        return [(t, 1) for t in linking.tables if names.holds_persons(t)]
    for place in range(1, len(words) if words[:1] and words[0] in _WHICH else 0):
        if tokens[place].stop:
            break
        named = linking.table_alignment[:, place]
        if named.max(initial=0) >= max(_NAMED, linking.alignment[:, place].max(initial=0)):
            followed = place + 1 < len(tokens) and tokens[place + 1].kind == "word"
            return [(linking.tables[int(named.argmax())], place + 1)] if followed else []
    return []


def _asks_of_others(tokens: Sequence[Token], place: int) -> bool:
    """Whether something was done to those asked for ("which customers did Ann serve"), or no verb follows."""
    word = tokens[place].lower
    if word in _DO:
        return place + 1 == len(tokens) or tokens[place + 1].lower != "not"
    return word in PHRASE_ENDS - _VERBS


@dataclass(frozen=True, slots=True)
class _Extreme:
    """A verb and "the most" for the extreme of a column, by the places of their first and last word."""

    first: int
    last: int
    column: ColumnKey


def _extreme(tokens: Sequence[Token], table: str, linking: Linking, names: RowNames) -> _Extreme | None:
    amounts = [c for c in linking.columns if c.table == table and names.measures(c)]
    for place, token in enumerate(tokens):
        last = place + 1 + (place + 1 < len(tokens) and tokens[place + 1].lower == "the")
        if token.lower not in DEGREES or last >= len(tokens) or tokens[last].lower not in _EXTREMES:
            continue
        after = tokens[last + 1].lower if last + 1 < len(tokens) else ""
        meant = [c for c in amounts if DEGREES[token.lower] & {*identifier_words(c.column)}]
        if len(meant) == 1 and (not after.isalpha() or after in PHRASE_ENDS):  # not "paid the most bills"
            first = place - 1 if tokens[place - 1].lower in _BE else place
            return _Extreme(first, last, meant[0])
    return None


def _rest(text: str, tokens: Sequence[Token], place: int, extreme: _Extreme | None) -> str:
    """What is said of those asked for, from the verb on."""
    if extreme is None:
        return text[tokens[place].start :]
    ahead = text[tokens[place].start : tokens[extreme.first].start]
    called = " ".join(identifier_words(extreme.column.column))
    most = _EXTREMES[tokens[extreme.last].lower]
    return f"{ahead}has the {most} {called}{text[tokens[extreme.last].end :]}"
