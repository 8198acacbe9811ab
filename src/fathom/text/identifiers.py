"""Names of tables, columns and functions as words."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from fathom.text.english import ABBREVIATIONS, BY_NEIGHBOURS
from fathom.text.run_together import taken_apart

_RUN = re.compile(r"[^\W\d_]+|\d+")
_SOUNDS = re.compile(r"(?i)[^aeiou][aeiouy][^aeiou]|a[cg]e|fee|due")
"""How words of three letters sound; in capitals like all else, JOB and MIN are told from GPA and USD so."""
_MARKS = frozenset(("tbl", "dim", "fact", "ref"))
"""Words ahead of a table's name that say only that it is a table."""


def identifier_parts(name: str) -> list[str]:
    """The parts of an identifier as written, split at case, digits and signs: `HTTPServer_IDs2` is HTTP,
    Server, ID, 2."""
    return [part for run in _RUN.findall(name) for part in _split_at_case(run)]


def _split_at_case(run: str) -> Iterator[str]:
    if run.endswith("s") and run[:-1].isupper() and len(run) > 2:
        run = run[:-1]  # several of one ID
    cuts = [
        at
        for at in range(1, len(run))
        if run[at].isupper() and (run[at - 1].islower() or run[at + 1 : at + 2].islower())
    ]
    yield from (run[a:b] for a, b in zip((0, *cuts), (*cuts, len(run)), strict=True))


@lru_cache(maxsize=20_000)
def identifier_words(name: str) -> tuple[str, ...]:
    """The words of an identifier, folded in case and in full: `StuID_no` is student, id, number.

    What is run together is taken apart. Letters by themselves within a part, as in `pH` or `GeV`, say less
    apart than together.
    """
    parts = [p.casefold() for run in re.split(r"[\W_]+", name) for p in _whole_or_parts(run)]
    return tuple(word for at in range(len(parts)) for word in _in_full(parts, at))


def _whole_or_parts(run: str) -> list[str]:
    parts = identifier_parts(run)
    return [run] if len(parts) > 1 and max(map(len, parts)) == 1 else parts


def _in_full(parts: Sequence[str], at: int) -> Iterable[str]:
    if (full := long_form(parts, at)) is not None:
        return full
    return [w for part in taken_apart(parts[at]) for w in ABBREVIATIONS.get(part, (part,))]


def long_form(parts: Sequence[str], at: int) -> tuple[str, ...] | None:
    """The words that the abbreviation at a place of a name's parts stands for; None for another word."""
    if (choice := BY_NEIGHBOURS.get(parts[at])) is not None:
        beside = {*parts[:at], *parts[at + 1 :]}
        return choice.usually if choice.beside.isdisjoint(beside) else choice.otherwise
    return ABBREVIATIONS.get(parts[at])


def spoken(name: str) -> str:
    """The words of a name in small letters: `UnitPrice` -> unit price, `ORDER_ID` -> order ID."""
    bare = name.rpartition(".")[2]
    parts = identifier_parts(bare)
    while len(parts) > 1 and parts[0].casefold() in _MARKS:
        parts = parts[1:]
    shouted = bare.isupper()
    return " ".join(w for part in parts for w in _said(part, shouted=shouted)) or bare


def _said(part: str, *, shouted: bool) -> tuple[str, ...]:
    if part.casefold() in {"id", "ids"}:
        return ("ID" if len(part) == 2 else "IDs",)
    if part.isupper() and len(part) > 1 and not (shouted and (len(part) >= 4 or _SOUNDS.fullmatch(part))):
        return (part,)  # an abbreviation, such as GPA
    return taken_apart(part.casefold())
