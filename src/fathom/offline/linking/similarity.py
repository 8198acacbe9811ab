"""How alike a question's word and a word of the schema are, by their letters alone."""

from functools import lru_cache

from rapidfuzz.distance import DamerauLevenshtein


@lru_cache(maxsize=200_000)
def likeness(lower: str, stem: str, surface: str, schema_stem: str) -> float:
    """From 0 to 1: same stem 1, then compounds, abbreviations and typing errors.

    `lower` and `stem` are the question's word, `surface` and `schema_stem` the schema's.
    """
    if stem == schema_stem or lower == surface:
        return 1.0
    if not (lower.isalpha() and surface.isalpha()) or min(len(lower), len(surface)) < 2:
        return 0.0
    return max(_compound(lower, stem, surface), _abbreviation(lower, surface), _typing_error(lower, surface))


def _compound(lower: str, stem: str, surface: str) -> float:
    """A word inside a run-together identifier: "last" in "lastname", "id" at the end of "stuid"."""
    if len(surface) <= len(lower) or len(stem) < 2:
        return 0.0
    if surface.endswith(lower) and (len(lower) >= 4 or lower in {"id", "no", "age"}):
        return 0.8
    if len(stem) >= 3 and surface.startswith(stem):
        return 0.75 if len(stem) >= 4 else 0.5
    return 0.5 if len(stem) >= 5 and stem in surface else 0.0


def _abbreviation(lower: str, surface: str) -> float:
    """A shortened word: "dept" for "department", "qty" for "quantity", "stu" for "student"."""
    if len(surface) >= len(lower) or surface[0] != lower[0] or len(surface) < 2:
        return 0.0
    if lower.startswith(surface):
        return 0.7 if len(surface) >= 3 else 0.3
    if len(surface) < 3 or not _in_order(surface, lower):
        return 0.0
    return 0.6 if surface[-1] == lower[-1] or not set(surface[1:]) & set("aeiou") else 0.35


def _in_order(short: str, long: str) -> bool:
    letters = iter(long)
    return all(letter in letters for letter in short)


def _typing_error(lower: str, surface: str) -> float:
    if min(len(lower), len(surface)) < 5 or abs(len(lower) - len(surface)) > 2:
        return 0.0
    allowed = 1 if min(len(lower), len(surface)) < 8 else 2
    return 0.8 if DamerauLevenshtein.distance(lower, surface, score_cutoff=allowed) <= allowed else 0.0
