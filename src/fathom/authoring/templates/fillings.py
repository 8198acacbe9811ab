"""Fillings of slots, chosen the same way for one seed, in bounded memory."""

import hashlib
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from heapq import nsmallest
from itertools import chain
from math import prod
from typing import Any

from sqlglot import exp

from fathom.authoring.templates.template_file import SLOT, Domain, QuestionTemplate, TemplateSet
from fathom.databases.database import Database
from fathom.errors import InputError
from fathom.records import Limits, shown_value

MOST_ROWS = 20_000
"""Rows of a domain that are drawn from; of more, as many as this are chosen by the seed."""
_SAID = "_said"
_SECONDS = 120.0

Filling = Mapping[str, Any]
"""A value for each slot, and words for it under `SLOT_said`."""


class Fillings:
    """The domains of a file of templates over one database, read once each."""

    def __init__(self, known: TemplateSet, database: Database, seed: int) -> None:
        self._known, self._database, self._seed = known, database, seed
        self._rows: dict[str, list[Filling]] = {}

    def rows(self, name: str) -> list[Filling]:
        """The rows of a domain in an order of the seed's. Raises `InputError`, `QueryError`."""
        if name not in self._rows:
            self._rows[name] = self._read(self._known.domains[name])
        return self._rows[name]

    def _read(self, domain: Domain) -> list[Filling]:
        if domain.values:
            return [_of_value(domain.slot, value) for value in domain.values]
        limits = Limits(seconds=_SECONDS, rows=None, bytes=None)
        with self._database.stream(domain.query, limits) as stream:
            names = stream.columns
            rows = (row for row in chain.from_iterable(stream) if None not in row)
            if domain.split:
                rows = (
                    cell for (row,) in _of_one_column(rows, domain.name) for cell in _cells(row, domain.split)
                )
            # By a hash rather than by place: without ORDER BY no engine promises an order.
            found = nsmallest(MOST_ROWS, set_of(rows), key=lambda row: _mark(self._seed, row))
        if not found:
            raise InputError(f"domain {domain.name!r}: its query gives no rows")
        return [dict(zip(names, row, strict=True)) for row in found]

    def space(self, template: QuestionTemplate) -> int:
        """How many questions a template can make: fillings by phrasings."""
        return prod(len(self.rows(d)) for d in template.domains) * len(template.questions)

    def drawn(self, template: QuestionTemplate, count: int) -> Iterator[tuple[Filling, str]]:
        """So many different fillings with a phrasing, each filling once before any comes twice."""
        sizes = [len(self.rows(d)) for d in template.domains]
        fillings, phrasings = prod(sizes), len(template.questions)
        roll = random.Random(f"{self._seed} {template.id}")
        for turn in range(phrasings):
            taken = min(count - turn * fillings, fillings)
            for place in roll.sample(range(fillings), max(taken, 0)):
                which = (place + turn) % phrasings  # another phrasing in each turn
                yield self._at(template, sizes, place), template.questions[which]

    def _at(self, template: QuestionTemplate, sizes: Sequence[int], place: int) -> Filling:
        found: dict[str, Any] = {}
        for domain, size in zip(template.domains, sizes, strict=True):
            place, row = divmod(place, size)
            found |= self.rows(domain)[row]
        return found


def _of_one_column(rows: Iterator[tuple[Any, ...]], name: str) -> Iterator[tuple[Any]]:
    for row in rows:
        if len(row) != 1:
            raise InputError(f"domain {name!r}: with split its query gives one column, not {len(row)}")
        yield row


def _cells(held: Any, between: str) -> Iterator[tuple[str]]:
    return ((part.strip(),) for part in str(held).split(between) if part.strip())


def set_of(rows: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Each row once; remembered by hashes, so that a million rows take some tens of megabytes."""
    seen: set[int] = set()
    for row in rows:
        if (mark := hash(row)) not in seen:
            seen.add(mark)
            yield row


def allotted(spaces: Sequence[int], wanted: int) -> list[int]:
    """How many questions each template makes, `wanted` in all where there are so many, as even as can be."""
    left, given = wanted, [0] * len(spaces)
    order = sorted(range(len(spaces)), key=lambda i: spaces[i])
    for rank, place in enumerate(order):
        given[place] = min(spaces[place], -(-left // (len(order) - rank)))
        left -= given[place]
    return given


def slots_of(text: str) -> set[str]:
    """The slots that a text names, apart from those of the result (`{n}`, `{first.p}`, `{list.gene}`)."""
    return {m for m in SLOT.findall(text) if "." not in m and m != "n"}


def filled_sql(sql: str, filling: Filling, dialect: str) -> str:
    """The query with literals in place of its slots."""
    return SLOT.sub(lambda m: _literal(filling[m[1]], dialect), sql)


def filled_text(text: str, filling: Filling) -> str:
    """A text with words in place of its slots; those of the result are left."""

    def word(match: re.Match[str]) -> str:
        name = match[1]
        if name not in filling:
            return match[0]
        return said(filling.get(f"{name}{_SAID}", filling[name]))

    return SLOT.sub(word, text)


def said(value: Any) -> str:
    """A value in a sentence; a number as it is usually written, 5e-8 as 5e-8."""
    if isinstance(value, float):
        return shown_value(value).replace("e-0", "e-")
    return shown_value(value)


def _literal(value: Any, dialect: str) -> str:
    if isinstance(value, bool | int | float):
        return str(value).upper() if isinstance(value, bool) else repr(value)
    return exp.Literal.string(str(value)).sql(dialect=dialect)


def _of_value(slot: str, value: Any) -> Filling:
    if isinstance(value, dict):
        return {slot: value["value"], f"{slot}{_SAID}": value["said"]}
    return {slot: value}


def _mark(seed: int, row: tuple[Any, ...]) -> bytes:
    return hashlib.blake2b(f"{seed}/{row!r}".encode("utf-8", "replace"), digest_size=8).digest()
