"""Questions without what belongs to one database alone, so that those of different databases compare."""

from collections.abc import Iterable

from fathom.retrieval.names import parts
from fathom.text.english import STOP_WORDS
from fathom.text.words import tokens, words

NAME, VALUE = "<name>", "<value>"


def masked(text: str, names: Iterable[str], values: Iterable[str] = ()) -> tuple[str, ...]:
    """A question's words, those that name a table or column as NAME, those of values and numbers as VALUE.

    A word names a table or column when it is one of the words of its name (DAIL-SQL's partial match).
    """
    stems = [t.stem for t in tokens(text)]
    naming = {w for name in names for w in parts(name)} - STOP_WORDS
    marks = [NAME if s in naming and not s[0].isdigit() else VALUE if s[0].isdigit() else s for s in stems]
    for value in values:
        held = words(value)
        for start in _places(held, stems):
            for place in range(start, start + len(held)):
                # A single word that names a column as well is more often meant as its name.
                if len(held) > 1 or marks[place] != NAME:
                    marks[place] = VALUE
    return tuple(marks)


def _places(held: list[str], stems: list[str]) -> list[int]:
    """Where a run of words begins in a text."""
    width = len(held)
    return [i for i in range(len(stems) - width + 1) if stems[i : i + width] == held] if held else []
