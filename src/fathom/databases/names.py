"""The words that tables and columns are called by, and what they say of keys."""

from functools import lru_cache

from fathom.records import Table
from fathom.text.identifiers import identifier_parts
from fathom.text.run_together import taken_apart

Words = tuple[str, ...]


@lru_cache(maxsize=50_000)
def words_of(name: str) -> Words:
    """The words of a name, in lower case and without endings: `homeTeam_IDs` -> hom, team, id."""
    found = [word for part in identifier_parts(name) for word in taken_apart(part.casefold())]
    while len(found) > 1 and found[-1].isdigit():  # club_id_1, club_id_2
        found.pop()
    return tuple(map(root, found))


def root(word: str) -> str:
    """One form for singular and plural: campus, campuses -> campus; city, cities -> citi."""
    if len(word) > 2 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if len(word) > 3:
        word = word.removesuffix("e")
    return word[:-1] + "i" if len(word) > 2 and word.endswith("y") else word


def roots(words: str) -> frozenset[str]:
    """The words of a list, each in the form that `words_of` gives."""
    return frozenset(map(root, words.split()))


IDENTIFYING = roots("id code no nr num number uid guid uuid pk fk sk ref ssn key")
_TABLE_PREFIXES = roots("ref tbl table dim fact lookup lu all vw master tb")


def stem_of(words: Words) -> tuple[Words, bool]:
    """The words without the last one where it only says that this identifies, and whether it did."""
    if not words:
        return words, False
    if words[-1] in IDENTIFYING:
        return words[:-1], True
    for ending in ("id", "cod", "kei"):  # written together, like `custid`
        if words[-1].endswith(ending) and len(words[-1]) > len(ending) + 1:
            return (*words[:-1], words[-1].removesuffix(ending)), True
    return words, False


def table_words(table: Table) -> Words:
    """The words of a table's name that say what a row is."""
    words = words_of(table.name.rpartition(".")[2])
    return words[1:] if len(words) > 1 and words[0] in _TABLE_PREFIXES else words
