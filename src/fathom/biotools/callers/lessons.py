"""Lessons that the offline caller compares a question with: packaged phrasings, and solved examples."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from fathom.biotools.callers.entities import Entity
from fathom.biotools.catalogue import endpoints
from fathom.biotools.catalogue.word_search import stems

STOPWORDS = frozenset(
    "a an the of in on for to from and or is are was were be been do does did have has had with by at as it its this that these those "
    "there me my i we you your can could would will please give get show tell what which who where when how any some all".split()
)


@dataclass(frozen=True, slots=True)
class CallLesson:
    """One way to ask for an endpoint: its words, and where each argument comes from.

    `slots` maps arguments to the kind of entity that fills them (with "digits" for its number alone, "text"
    for the words that nothing else explains, "context" for what an earlier call found).
    """

    endpoint: str
    words: tuple[str, ...]
    slots: Mapping[str, str] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    solved: bool = False
    after_others: bool = False


def plain_words(question: str, entities: Iterable[Entity]) -> tuple[str, ...]:
    """Stems of a question's words outside what it names."""
    kept, at = [], 0
    for entity in entities:
        kept.append(question[at : entity.start])
        at = entity.end
    return tuple(w for w in stems(" ".join([*kept, question[at:]])) if not w.isdigit())


@cache
def packaged() -> tuple[CallLesson, ...]:
    """The phrasings that come with the package."""
    text = files(__package__).joinpath("phrasings.yaml").read_text(encoding="utf-8")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    held: dict[str, list[str]] = yaml.load(text, Loader=loader)
    return tuple(_from_phrasing(name, line) for name, lines in held.items() for line in lines)


def _from_phrasing(name: str, line: str) -> CallLesson:
    said, _, implied = line.partition("|") if "{bdata}" not in line else (line, "", "")
    fixed = dict(pair.split("=", 1) for pair in implied.split())
    return CallLesson(name, tuple(stems(re.sub(r"\{\w+\}", " ", said))), fixed=fixed)


def from_catalogue(name: str) -> CallLesson:
    """Make a lesson of the catalogue's own words for an endpoint, for want of anybody else's."""
    return CallLesson(name, tuple(stems(f"{name} {endpoints()[name].summary}")))


@cache
def known_words() -> frozenset[str]:
    """Stems that people use to ask, over all phrasings: what is none of them may be what is asked about."""
    return frozenset(w for lesson in packaged() for w in lesson.words) | frozenset(
        w for e in endpoints().values() for w in stems(f"{e.tool} {e.provider}")
    )
