"""The patterns of claims in words, from `phrasing.yaml`."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from fathom.analysis.numerals import SLOTS
from fathom.analysis.vocabulary import WORDS
from fathom.text.words import words

_SLOT = re.compile(r"\{(\w+)\}")
_ORDER = "trend change forecast association difference share extreme comparison number".split()


@dataclass(frozen=True, slots=True)
class ClaimPattern:
    """One way to say a claim: its kind, which of the kind (up, more, ...), and the expression to match.

    `understood` says that the sentence names no measure: that of the question or the one before is meant.
    """

    kind: str
    way: str
    expression: re.Pattern[str]
    template: str
    understood: bool = False


@cache
def phrasing() -> Mapping[str, Any]:
    """Reads `phrasing.yaml`."""
    found: Mapping[str, Any] = yaml.safe_load(
        (files(__package__) / "phrasing.yaml").read_text(encoding="utf-8")
    )
    return found


@cache
def patterns() -> tuple[ClaimPattern, ...]:
    """All patterns, in the order in which they are tried."""
    return tuple(
        ClaimPattern(kind, way, _compiled(template), template, understood)
        for understood, told in ((False, phrasing()), (True, phrasing()["understood"]))
        for kind in _ORDER
        for way, template in _templates(told.get(kind, {}))
    )


@cache
def advice() -> tuple[re.Pattern[str], ...]:
    """The patterns of recommendations."""
    return tuple(_compiled(template) for template in phrasing()["advice"])


@dataclass(frozen=True, slots=True)
class Rephrasing:
    """A way to say what plainer sentences say: the expression to match, and those sentences with slots."""

    expression: re.Pattern[str]
    plainer: tuple[str, ...]


@cache
def rephrasings() -> tuple[Rephrasing, ...]:
    """The ways that are read as plainer sentences, in the order in which they are tried."""
    return tuple(Rephrasing(_compiled(r["say"]), tuple(r["as"])) for r in phrasing()["rephrased"])


@cache
def known_words() -> frozenset[str]:
    """The words that some pattern reads, numbers in words and months with them."""
    texts = (*_texts(phrasing()), *_texts(WORDS), *SLOTS.values())
    return frozenset(w for text in texts for w in (*words(text), *re.findall(r"[a-z]+", text.casefold())))


def _texts(told: Any) -> Iterator[str]:
    if isinstance(told, str):
        yield told
    elif isinstance(told, Mapping):
        yield from (t for held in told.values() for t in _texts(held))
    elif isinstance(told, list):
        yield from (t for held in told for t in _texts(held))


def _templates(told: Any) -> Iterator[tuple[str, str]]:
    if isinstance(told, Mapping):
        for way, templates in told.items():
            yield from ((way, t) for t in templates)
    else:
        yield from (("", t) for t in told)


def _compiled(template: str) -> re.Pattern[str]:
    lists = phrasing()["words"]

    def slot(match: re.Match[str]) -> str:
        name = match[1]
        if name in lists:
            longest_first = sorted(lists[name], key=len, reverse=True)
            return _SLOT.sub(slot, f"(?:{'|'.join(longest_first)})")
        return f"(?P<{name}>{SLOTS.get(name, '.+?')})"

    plain = re.sub(r"(?<!\[)\((?!\?)", "(?:", template)
    return re.compile(_SLOT.sub(slot, plain).replace(" ", r"\s+").replace(r"\s+*", r"\s*"), re.IGNORECASE)
