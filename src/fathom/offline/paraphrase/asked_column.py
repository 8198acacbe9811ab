"""Asks for the column that "how" and "when" ask of rows: "how much does the chair cost" for its price.

Training questions say which column they want; people ask how tall, how much and when.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from fathom.offline.grammars.periods import DATED, Dates
from fathom.offline.linking import ColumnKey, Linking, QuestionToken
from fathom.offline.linking.levels import CLEARLY_NAMED
from fathom.offline.linking.row_names import naming_columns
from fathom.offline.linking.text import name_stems, stem
from fathom.offline.linking.value_match import INFLECTED
from fathom.offline.linking.wordlists import BE, DEGREES, DO, LIGHT, USUALLY
from fathom.offline.queries.rows import RowNames
from fathom.records import Question
from fathom.text.identifiers import identifier_words
from fathom.text.inflection import in_number

_HAVE = frozenset(("have", "has"))
_ARTICLES = frozenset("the a an our one all".split())
_BEHIND = frozenset(("up", "away", "off"))
_TIMES = frozenset(map(stem, ("date", "year", "time", "day", "of")))


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of which something is asked, by the places that name them: all of a table, or one by name."""

    table: str
    named: bool
    places: range


def asked_of_rows(question: Question, linking: Linking, names: RowNames, dates: Dates) -> Question | None:
    """The question that asks for the one column that is meant; None where it isn't clear which, or of what.

    "How high up is Lukla Airport" asks for its elevation, "how much does a room cost on average" for the
    average price of the rooms, "when was Ann Lee born" for her date of birth.
    """
    tokens = [t for t in linking.tokens if not t.evidence]
    while tokens and tokens[-1].kind == "sign":
        tokens.pop()
    usual = next((u for u in USUALLY if tuple(t.lower for t in tokens[-len(u) :]) == u), ())
    tokens = tokens[: len(tokens) - len(usual)]
    words = [t.lower for t in tokens]
    if len(words) < 4 or words[0] not in {"how", "when"}:
        return None
    found = _of_when(tokens, linking, dates) if words[0] == "when" else _of_how(tokens, linking, names)
    if found is None or found[0].named == bool(usual):
        return None
    rows, column = found
    called = " ".join(identifier_words(column.column))
    if usual:
        return replace(
            question,
            text=f"What is the average {called} of the {in_number(identifier_words(rows.table), many=True)}?",
        )
    said = question.text[tokens[rows.places[0]].start : tokens[rows.places[-1]].end]
    return replace(question, text=f"What is the {called} of {said}?")


def _of_how(
    tokens: Sequence[QuestionToken], linking: Linking, names: RowNames
) -> tuple[_Rows, ColumnKey] | None:
    """The rows and the number of which "how" asks: "how tall is", "how much does ... weigh"."""
    words = [t.lower for t in tokens]
    verb = 3 if words[2] in _BEHIND and words[1] not in {"many", "much"} else 2
    wanted: Iterable[ColumnKey] = ()
    if words[verb] in BE:
        rows = _rows(linking, names, range(verb + 1, len(tokens)))
        wanted = _called(linking, DEGREES["cost"]) if words[1] == "much" else linking.sought
    elif words[verb] in DO and words[1] == "much" and words[-1] in DEGREES:
        rows = _rows(linking, names, range(verb + 1, len(tokens) - 1))
        wanted = _called(linking, DEGREES[words[-1]])
    elif words[1] == "many" and words[-1] in _HAVE and (do := _first(words, DO)):
        rows = _rows(linking, names, range(do + 1, len(tokens) - 1))
        wanted = [c for c in linking.columns if name_stems(c.column) == tuple(t.stem for t in tokens[2:do])]
    else:
        return None
    meant = [c for c in wanted if rows and c.table == rows.table and names.measures(c)]
    return (rows, meant[0]) if rows and len(meant) == 1 else None


def _first(words: Sequence[str], some: frozenset[str]) -> int | None:
    return next((i for i, w in enumerate(words) if w in some), None)


def _of_when(
    tokens: Sequence[QuestionToken], linking: Linking, dates: Dates
) -> tuple[_Rows, ColumnKey] | None:
    """The rows and the date of which "when" asks: the one that the verb names, else their only one."""
    words = [t.lower for t in tokens]
    if words[1] not in BE | DO:
        return None
    for end in range(len(tokens) - 1, 2, -1):
        rows = _rows(linking, None, range(2, end))
        if rows is None or not rows.named:
            continue
        said = tokens[end:]
        own = dates.of(rows.table)
        years = [c for c in linking.columns if c.table == rows.table and "year" in identifier_words(c.column)]
        times = list(dict.fromkeys((*own, *years)))
        verb = "-".join(t.stem for t in said)
        named = DATED.get(verb, DATED.get(said[0].stem, frozenset())) | {said[0].stem}
        meant = [c for c in times if not named.isdisjoint(name_stems(c.column))]
        only = times if len(times) == 1 and {*name_stems(times[0].column)} <= _TIMES else []
        light = words[end] in LIGHT or verb in DATED
        meant = meant or (only if light else [])
        if len(said) <= 2 and len(meant) == 1:
            return rows, meant[0]
    return None


def _called(linking: Linking, names: frozenset[str]) -> list[ColumnKey]:
    return [c for c in linking.columns if names & {*identifier_words(c.column)}]


def _rows(linking: Linking, names: RowNames | None, places: range) -> _Rows | None:
    """The rows that words name by what they are called, or as all of a table; None where they say more."""
    own: dict[str, tuple[str, ...]] = {}
    for column in linking.columns:
        own[column.table] = (*own.get(column.table, ()), column.column)
    held: dict[str, set[int]] = {}
    for value in linking.values:
        called = value.column.column in naming_columns(value.column.table, own[value.column.table])
        if (
            called
            and value.match in INFLECTED
            and value.span.first in places
            and value.span.end <= places.stop
        ):
            held.setdefault(value.column.table, set()).update(range(*value.span))
    left = [i for i in places if linking.tokens[i].lower not in _ARTICLES]
    fits = [
        t
        for t, said in held.items()
        if all(
            i in said or linking.table_fit(t, i) >= CLEARLY_NAMED or linking.tokens[i].kind == "sign"
            for i in left
        )
    ]
    if len(fits) == 1:
        return _Rows(fits[0], True, places)
    tables = [
        t for t in linking.tables if left and all(linking.table_fit(t, i) >= CLEARLY_NAMED for i in left)
    ]
    return _Rows(tables[0], False, places) if not held and len(tables) == 1 else None
