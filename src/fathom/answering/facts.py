"""Facts in an observation, line by line, and a check that words say no more than these."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fathom.text.patterns import Pattern

MOST_FACTS, MOST_EXAMPLES, LONGEST = 14, 3, 300

_NAMED = Pattern(r"[A-Za-z][\w:.\-]*\d[\w:.\-]*|\d[\d,]*(?:\.\d+)?|\b[A-Z]{2}[A-Z0-9\-]{2,}\b")
"""Numbers, identifiers and symbols: what an answer must not make up."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that an observation says. `place` leads to it there, as keys and positions."""

    place: tuple[str | int, ...]
    text: str


def untraced(words: str, sources: Iterable[str]) -> tuple[str, ...]:
    """The numbers, identifiers and symbols in words that none of the sources holds."""
    held = {_folded(found) for source in sources for found in _parts(source)}
    return tuple(dict.fromkeys(named for named in _named(words) if _folded(named) not in held))


def _named(text: str) -> Iterator[str]:
    for found in _NAMED.finditer(text):
        yield found[0].rstrip(".:,-")


def _parts(source: str) -> Iterator[str]:
    """Give each name in a source, whole and in the parts that punctuation divides it into."""
    for named in _named(source):
        yield named
        yield from re.split(r"[:.\-]", named)


def _folded(named: str) -> str:
    return named.replace(",", "").upper()


def facts_of(content: Any, place: tuple[str | int, ...] = ()) -> Iterator[Fact]:
    """Give an observation line by line: its plain fields, its counts, its first examples."""
    if isinstance(content, list):
        content = {"total": len(content), "shown": min(len(content), MOST_EXAMPLES), "examples": content}
        yield from _examples(content, place, ())
        return
    if not isinstance(content, dict):
        if content not in (None, ""):
            yield Fact(place, _short(content))
        return
    if "examples" in content and "total" in content:
        yield from _examples(content, place, (*place, "examples"))
    for name, value in content.items():
        if name in {"total", "shown", "examples"} and "examples" in content:
            continue
        if isinstance(value, dict) and "examples" in value:
            yield from facts_of(value, (*place, name))
        elif value not in (None, "", [], {}):
            yield Fact((*place, name), f"{_said(name)}: {_short(value)}")


def _examples(
    content: Mapping[str, Any], place: tuple[str | int, ...], held: tuple[str | int, ...]
) -> Iterator[Fact]:
    label = f"{_said(str(place[-1]))}: " if place else ""
    yield Fact(place, f"{label}{content['total']} in all, {content['shown']} shown")
    for number, example in enumerate(content["examples"][:MOST_EXAMPLES]):
        yield Fact((*held, number), f"  {number + 1}. {_short(example)}")


def _said(name: str) -> str:
    return name.replace("_", " ")


def _short(value: Any) -> str:
    """A value on one line; what is cut says so."""
    text = _line(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} … (cut; the observation has all)"


def _line(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(
            f"{_said(str(k))} {_line(v)}" for k, v in value.items() if v not in (None, "", [], {})
        )
    if isinstance(value, list):
        return "; ".join(_line(v) for v in value)
    return str(value).replace("\n", " ")
