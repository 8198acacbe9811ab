"""Measures that people name by words that no schema has: what "revenue" is, as the method reads it.

The method that answers questions is asked for the measure, by the groups that the text speaks of, and its
query is read back. So a judge and a report mean by a word what an answer means by it.
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence

from fathom.analysis import Field, Vocabulary, read_query
from fathom.analysis.vocabulary import WORDS
from fathom.records import Answer
from fathom.text.words import tokens

_LONGEST_NAME = 6
_MOST_GROUPS = 4
"""Columns that hold a name: a country may be one of five tables."""
Ask = Callable[[str], Awaitable[Answer]]


async def learn_measures(text: str, vocabulary: Vocabulary, ask: Ask, groups: Sequence[Field] = ()) -> None:
    """Teach a vocabulary the measures behind a text's words of trade; `ask` answers a question.

    They are asked for by the columns whose values the text names, and by `groups`.
    """
    named = (*groups, *_groups(text, vocabulary))
    by = ["", *(f" by {vocabulary.field_name(f)}" for f in named)]
    for name, question in _questions(text, vocabulary):
        for grouped in dict.fromkeys(by):
            found = await ask(question.format(by=grouped))
            read = read_query(found.sql, vocabulary) if found.sql and found.result is not None else None
            if read and not read.quantity.where:
                vocabulary.learn(name, read.quantity.measure)


def _questions(text: str, vocabulary: Vocabulary) -> Iterator[tuple[str, str]]:
    """Each measure that a text's words ask for, and the question that finds it."""
    said = {t.folded for t in tokens(text)}
    for name, measure in WORDS["asked_measures"].items():
        if said & set(measure["said"]):
            yield name, measure["ask"]
    sold = WORDS["things_sold"]
    if said & set(sold["said"]):
        stems = {t.stem: t.folded for t in tokens(text)}
        for _, way in vocabulary.tables:
            if len(way) == 1 and way[0] in stems:
                things = stems[way[0]]
                yield sold["name"].format(things=things), sold["ask"].replace("{things}", things)


def _groups(text: str, vocabulary: Vocabulary) -> list[Field]:
    """The columns of the names that stand in a text, in the order of these; longer names first."""
    said = tokens(text)
    found: dict[Field, None] = {}
    for length in range(min(_LONGEST_NAME, len(said)), 0, -1):
        for first in range(len(said) - length + 1):
            stretch = said[first : first + length]
            exact = vocabulary.values.get(text[stretch[0].start : stretch[-1].end], ())
            folded = vocabulary.folded_values.get(tuple(t.stem for t in stretch), ())
            found |= dict.fromkeys((*exact, *(field for _, field in folded)))
    return list(found)[:_MOST_GROUPS]
