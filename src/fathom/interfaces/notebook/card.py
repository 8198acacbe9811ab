"""The parts that a shown value is made of, whether as text or as HTML."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Says:
    """A sentence; `strong` for the one that matters, `dim` for what stands beside."""

    text: str
    strong: bool = False
    dim: bool = False


@dataclass(frozen=True, slots=True)
class Points:
    """Sentences as a list."""

    texts: Sequence[str]


@dataclass(frozen=True, slots=True)
class CardTable:
    """Rows as they are shown, under `head`; `numeric` are the places of columns that are aligned right."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    numeric: frozenset[int] = frozenset()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Code:
    """SQL."""

    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn chart, as SVG by the library that draws it; a text leaves it out."""

    svg: str


@dataclass(frozen=True, slots=True)
class Folded:
    """Parts under a title that opens them; a text leaves them out unless they are `open`."""

    title: str
    parts: Sequence["Part"]
    open: bool = False


Part = Says | Points | CardTable | Code | Picture | Folded


@dataclass(frozen=True, slots=True)
class Card:
    """A value to show: a title and its parts; `content` is the same as JSON, `chart` a specification."""

    title: str
    parts: Sequence[Part]
    content: Any = None
    chart: Mapping[str, Any] | None = None
