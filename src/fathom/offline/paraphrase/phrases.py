"""Asks for what a phrase without a verb names: "customers from Brazil", "population of texas"."""

from collections.abc import Sequence
from dataclasses import replace

from fathom.offline.grammars.periods import asked_period
from fathom.offline.grammars.ratios import asks_ratio
from fathom.offline.linking import Linking
from fathom.offline.linking.cues import superlative_direction
from fathom.offline.linking.levels import CLEARLY_NAMED
from fathom.offline.linking.records import QuestionToken
from fathom.offline.linking.row_names import names_many, numbering_columns
from fathom.offline.linking.text import name_stems
from fathom.offline.linking.wordlists import BE, LISTING, OPENINGS, PHRASE_ENDS, WHICH
from fathom.offline.queries.query import TableRef
from fathom.offline.queries.rows import RowNames
from fathom.records import Question
from fathom.text.identifiers import identifier_words

_DETERMINERS = frozenset("the all every any each a an some our my".split())
_PARTICIPLES = ("ed", "ing")
_ENDS = frozenset(".?!;")
_LIVE = frozenset("live lives living reside resides".split())
_BY_DATE = frozenset("first last next previous".split())
"""Words for an order that name no column: "the first race of 2018"."""
_SPELT = {"l": "last", "f": "first"}
"""Parts of names in full: `LName`."""
_ASKING = frozenset(("how", "what", "why"))


def as_question(question: Question, linking: Linking, rows: RowNames) -> Question:
    """The question with things asked for by what names them, and a bare column by "what is".

    "Jazz albums" and "list all jazz albums" become "What are the titles of the jazz albums?" where titles
    name albums; "customers from Brazil", and "names of customers", are asked for by first and last names
    where these name them. All other questions stay, and so do shares and periods.
    """
    tokens = [t for t in linking.tokens if not t.evidence]
    if homes := _of_homes(question.text, linking, tokens, rows):
        return replace(question, text=homes)
    first = _phrase(tokens)
    if first is None or asks_ratio(linking) is not None or asked_period(linking) is not None:
        return question
    head = _head(linking, tokens, first)
    if any(t.stop and not superlative_direction(t) for t in tokens[first:head]):
        return question
    if any(t.lower in _ASKING for t in tokens[head:]):  # "customers in Brazil: how many are there?"
        return question
    many = names_many(tokens[head]) or any(t.kind == "number" or t.lower == "every" for t in tokens[:head])
    asked = _asked(question.text, linking, rows, (first, head), many=many)
    if asked is None:
        return question
    return replace(question, text=f"What {'are' if many else 'is'} the {asked.rstrip(' ?.!')}?")


def _of_homes(text: str, linking: Linking, tokens: Sequence[QuestionToken], rows: RowNames) -> str | None:
    """A question where people live, or who lives somewhere, by what is shown: their city, or their names."""
    words = [t.lower for t in tokens]
    place = next((i for i, w in enumerate(words) if w in _LIVE), None)
    if place is None or not place:
        return None
    held = {v.column.table for v in linking.values if v.match in {"exact", "folded"}}
    if words[0] == "where" and words[1] in {"do", "does", "did"}:
        cities = [
            c.table for c in linking.columns if "city" in identifier_words(c.column) and c.table in held
        ]
        return f"In which city {text[tokens[1].start :]}" if cities else None
    table = _table(linking, place - 1) if place == 2 and words[0] in {"which", "what"} else None
    if table is None and place == 1 and words[0] == "who":
        persons = [t for t in sorted(held) if rows.holds_persons(t)]
        table = persons[0] if len(persons) == 1 else None
    names = names_in_words(linking, rows, table, many=True) if table else None
    if table is None or names is None:
        return None
    people = tokens[place - 1].text if place == 2 else table
    return f"What are the {names} of the {people} who live{text[tokens[place].end :].rstrip(' ?.!')}?"


def _phrase(tokens: Sequence[QuestionToken]) -> int | None:
    """The place where a phrase of things begins, behind "list" or "who is" and articles."""
    words = [t.lower for t in tokens]
    place = 0
    if words and words[0] in LISTING:
        place = 1
    elif (
        len(words) > 2
        and words[1] in BE
        and (words[0] == "who" or (words[0] in WHICH and words[2] in _DETERMINERS))
    ):
        place = 2
    elif words and words[0] in OPENINGS:
        return None
    while place < len(words) and words[place] in _DETERMINERS:
        place += 1
    if place >= len(words) or words[place] in PHRASE_ENDS:
        return None
    return None if words[0] in WHICH and words[place] in _BY_DATE else place


def _head(linking: Linking, tokens: Sequence[QuestionToken], first: int) -> int:
    """The place of the last word before what says more of the things: "top 5 customers | by spending"."""
    for place in range(first + 1, len(tokens)):
        token, named = tokens[place], _is_named(linking, place - 1)
        if token.kind == "number" and not named:
            continue
        told = named and token.lower.endswith(_PARTICIPLES)
        if token.kind != "word" or token.lower in PHRASE_ENDS or told:
            return place - 1
    return len(tokens) - 1


def _asked(text: str, linking: Linking, rows: RowNames, ends: tuple[int, int], *, many: bool) -> str | None:
    """Rewrite the phrase from its first to its last place in the words of training questions.

    None where the question stays.
    """
    first, head = ends
    tokens = [t for t in linking.tokens if not t.evidence]
    phrase = text[tokens[first].start :]
    table = _table(linking, head)
    if table is not None:
        # The thing asked for may come in a second sentence.
        ended = any(t.lower in _ENDS for t in tokens[head:-1])
        numbered = not ended and not _compared(linking, head)
        names = names_in_words(linking, rows, table, many=many, numbered=numbered)
        return f"{names} of the {phrase}" if names else None
    if tokens[head].lower in {"name", "names"} and head == first:
        owner = _owner(linking, tokens, head)
        names = names_in_words(linking, rows, owner, many=many) if owner else None
        if names and " and " in names:
            return names + text[tokens[head].end :]
    opened = tokens[0].lower in OPENINGS
    column = linking.alignment[:, head].max(initial=0) >= CLEARLY_NAMED
    return phrase if column and not opened else None


def _is_named(linking: Linking, place: int) -> bool:
    """True if a word names a table or column."""
    named = (a[:, place].max(initial=0) for a in (linking.alignment, linking.table_alignment))
    return bool(max(named) >= CLEARLY_NAMED)


def column_named(linking: Linking, place: int) -> float:
    """How well a word names a column, and not what that is of: "orders" is no `order_date`."""
    token = linking.tokens[place]
    columns = zip(linking.columns, linking.alignment[:, place], strict=True)
    fits = (a for c, a in columns if a >= CLEARLY_NAMED and token.stem not in name_stems(c.column)[:-1])
    return float(max(fits, default=0.0))


def _table(linking: Linking, place: int) -> str | None:
    """The table whose rows a word names, unless it names a column better."""
    named = linking.table_alignment[:, place]
    best = named.max(initial=0)
    if best < max(CLEARLY_NAMED, column_named(linking, place)):
        return None
    tables = [t for t, n in zip(linking.tables, named, strict=True) if n == best]
    return max(tables, key=linking.table_score)


def _owner(linking: Linking, tokens: Sequence[QuestionToken], head: int) -> str | None:
    """The table of "names of all employees"."""
    place = head + 2
    while place < len(tokens) and tokens[place].lower in _DETERMINERS:
        place += 1
    return _table(linking, place) if place < len(tokens) and tokens[head + 1].lower == "of" else None


def _compared(linking: Linking, head: int) -> bool:
    """True if things are compared with a number and nothing says in what: "receipts over 10", by no id."""
    numbers = (n for n in linking.numbers if n.comparison != "=" and not n.year and n.span.first > head)
    return any(not any(_is_named(linking, i) for i in range(head + 1, n.span.first)) for n in numbers)


def names_in_words(
    linking: Linking, rows: RowNames, table: str, *, many: bool, numbered: bool = False
) -> str | None:
    """Name a table's rows in words: "first and last names", or "order ids" where `numbered`."""
    own = tuple(c.column for c in linking.columns if c.table == table)
    named = tuple(c.name for c in rows.of_table(TableRef(table)))
    columns = named or (numbering_columns(table, own) if numbered else ())
    called = [tuple(_SPELT.get(w, w) for w in identifier_words(c)) for c in columns]
    if any(c[-1] == "number" for c in called):
        return None  # "the account numbers" would ask how many there are
    if len({c[-1] for c in called}) == 1:
        called = [*(c[:-1] for c in called[:-1]), called[-1]]
    return " and ".join(" ".join(c) for c in called) + ("s" if many else "") if called else None
