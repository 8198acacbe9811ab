"""Asks for rows by what they are called: "which employee earns the most?" as "what is the first and last
name of the employee who has the highest salary?".

Training questions say which columns they want; people ask who, or which one, it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from fathom.offline.linking import ColumnKey, Linking, QuestionToken, Span
from fathom.offline.linking.levels import CLEARLY_NAMED
from fathom.offline.linking.value_match import SPELT
from fathom.offline.linking.wordlists import BE, DEGREES, DO, PHRASE_ENDS, ROLE_VERBS, WHICH
from fathom.offline.paraphrase.phrases import column_named, names_in_words
from fathom.offline.queries.rows import RowNames
from fathom.records import Question
from fathom.text.identifiers import identifier_words
from fathom.text.inflection import in_number

_COLUMN = 0.5
_NEAR = 3
"""Words from a verb to the extreme that it is about: "has by far the highest"."""
_VERBS = BE | DO | {"have", "has", "had"}
_NAMES = frozenset(("name", "surnam", "forenam"))
_ENDS = frozenset(".?!;")
_EXTREMES = {"most": "highest", "least": "lowest"}
_LONGEST = 4


def asked_by_name(question: Question, linking: Linking, names: RowNames) -> Question:
    """The question with rows asked for by the columns that name them, and with "earns the most" as "has the
    highest salary" where one column alone is what is earned. "Who manages the Plaza" asks for its manager
    where its row tells that. All other questions stay.
    """
    tokens = [t for t in linking.tokens if not t.evidence]
    if any(t.stem in _NAMES for t in tokens) or _goes_on(tokens, linking):
        return question  # which columns are wanted is said
    if (doer := _doer(tokens, linking)) is not None:
        called = " ".join(identifier_words(doer.column))
        return replace(question, text=f"Who is the {called} of {question.text[tokens[2].start :]}")
    asked = _asked(tokens, linking, names)
    for table, place in asked:
        extreme = _extreme(tokens, table, linking, names)
        if _asks_of_others(tokens, place) or (len(asked) > 1 and extreme is None):
            continue
        rest = _rest(question.text, tokens, place, extreme)
        text = _by_names(question.text, linking, names, (table, place), rest, ranked=extreme is not None)
        if text is None and extreme is not None:
            text = f"{question.text[: tokens[place].start]}{rest}"
        if text is not None:
            return replace(question, text=text)
    return question


def _by_names(
    text: str, linking: Linking, names: RowNames, asked: tuple[str, int], rest: str, *, ranked: bool
) -> str | None:
    """Ask for the names of the rows, with the `rest` of the question; None where nothing names them.

    Rows are `asked` for by their table and the place of the verb, unless it names a column: no "order dates".
    """
    table, place = asked
    tokens = linking.tokens
    persons = names.holds_persons(table)
    moved = any(t.lower in ROLE_VERBS for t in tokens)  # "the most departing flights": roles know which
    within = any(s.span.first > place + _NEAR for s in linking.superlatives)  # "border the largest state"
    if not persons and (moved or within or linking.alignment[:, place].max(initial=0) >= _COLUMN):
        return None
    who = tokens[0].lower == "who"
    one = ranked or any(s.count == 1 for s in linking.superlatives)
    many = not one if who else tokens[place - 1].lower.endswith("s")
    called = names_in_words(linking, names, table, many=many)
    said = text[tokens[1].start : tokens[place - 1].end]
    noun = in_number(identifier_words(table), many=many) if who else said
    be = "are" if many else "is"
    return called and f"What {be} the {called} of the {noun} {'who' if persons else 'that'} {rest}"


def _goes_on(tokens: Sequence[QuestionToken], linking: Linking) -> bool:
    """True if a second sentence follows: no sign within a value ends the first one."""
    held = {i for v in linking.values if v.match == "exact" for i in range(*v.span)}
    return any(t.lower in _ENDS and i not in held for i, t in enumerate(tokens[:-1]))


def _doer(tokens: Sequence[QuestionToken], linking: Linking) -> ColumnKey | None:
    """The one column of a named row that tells who does what the verb says: `manager` for "who manages"."""
    if len(tokens) < 3 or tokens[0].lower != "who" or tokens[1].stop or tokens[1].quoted:
        return None
    end = len(tokens) - (tokens[-1].kind == "sign")
    rows = {v.column.table for v in linking.values if v.match in SPELT and _is_rest(tokens, v.span, end)}
    meant = [
        c
        for c in linking.columns
        if c.table in rows and c in linking.wordy and _does(identifier_words(c.column)[-1], tokens[1])
    ]
    return meant[0] if len(meant) == 1 else None


def _is_rest(tokens: Sequence[QuestionToken], span: Span, end: int) -> bool:
    """True if a value is all that follows the verb, but for an article."""
    return span.end == end and all(t.stop for t in tokens[2 : span.first])


def _does(word: str, verb: QuestionToken) -> bool:
    """True if a noun is what somebody is called who does what a verb says."""
    word = in_number((word,), many=False)
    return word.endswith(("er", "or")) and word.startswith(verb.stem) and len(word) <= len(verb.stem) + 4


def _asked(tokens: Sequence[QuestionToken], linking: Linking, names: RowNames) -> list[tuple[str, int]]:
    """The tables whose rows may be asked for, each with the place of the verb."""
    words = [t.lower for t in tokens[:_LONGEST]]
    if len(tokens) > 1 and words[0] == "who" and words[1] not in BE:
        persons = [t for t in linking.tables if names.holds_persons(t)]
        done = [t for t in linking.tables if _does(identifier_words(t)[-1], tokens[1])]
        ranked = {m.column.table for m in linking.column_mentions if m.whole}
        for only in (done, persons, [*ranked] if linking.superlatives and words[1] == "has" else []):
            if len(only) == 1:
                return [(only[0], 1)]
        return [(t, 1) for t in persons]
    for place in range(1, len(words) if words[:1] and words[0] in WHICH else 0):
        if tokens[place].stop:
            break
        if place + 1 < len(tokens) and linking.table_alignment[:, place + 1].max(initial=0) >= _COLUMN:
            continue  # "which department stores"
        named = linking.table_alignment[:, place]
        if named.max(initial=0) >= max(CLEARLY_NAMED, column_named(linking, place)):
            followed = place + 1 < len(tokens) and tokens[place + 1].kind == "word"
            return [(linking.tables[int(named.argmax())], place + 1)] if followed else []
    return []


def _asks_of_others(tokens: Sequence[QuestionToken], place: int) -> bool:
    """True if something was done to those asked for ("which customers did Ann serve"), or no verb follows."""
    word = tokens[place].lower
    if word in DO:
        return place + 1 == len(tokens) or tokens[place + 1].lower != "not"
    return word in PHRASE_ENDS - _VERBS


@dataclass(frozen=True, slots=True)
class _Extreme:
    """A verb and "the most" for the extreme of a column, by the places of their first and last word."""

    first: int
    last: int
    column: ColumnKey


def _extreme(
    tokens: Sequence[QuestionToken], table: str, linking: Linking, names: RowNames
) -> _Extreme | None:
    amounts = [c for c in linking.columns if c.table == table and names.measures(c)]
    for place, token in enumerate(tokens):
        last = place + 1 + (place + 1 < len(tokens) and tokens[place + 1].lower == "the")
        if token.lower not in DEGREES or last >= len(tokens) or tokens[last].lower not in _EXTREMES:
            continue
        after = tokens[last + 1].lower if last + 1 < len(tokens) else ""
        meant = [c for c in amounts if DEGREES[token.lower] & {*identifier_words(c.column)}]
        if len(meant) == 1 and (not after.isalpha() or after in PHRASE_ENDS):  # not "paid the most bills"
            first = place - 1 if tokens[place - 1].lower in BE else place
            return _Extreme(first, last, meant[0])
    return None


def _rest(text: str, tokens: Sequence[QuestionToken], place: int, extreme: _Extreme | None) -> str:
    """Give the words on those asked for, from the verb on."""
    if extreme is None:
        return text[tokens[place].start :]
    ahead = text[tokens[place].start : tokens[extreme.first].start]
    called = " ".join(identifier_words(extreme.column.column))
    most = _EXTREMES[tokens[extreme.last].lower]
    return f"{ahead}has the {most} {called}{text[tokens[extreme.last].end :]}"
