"""Values that an index of samples doesn't hold, asked of the database when a question names one exactly."""

import re
import time
from calendar import day_name, month_name
from collections import OrderedDict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from threading import Lock

from sqlglot import exp

from fathom.databases import Database
from fathom.errors import QueryError
from fathom.records import Limits
from fathom.retrieval.matches import IndexedColumn
from fathom.text.dictionary import common_words

SECONDS = 2.0
"""In all, for what one text names: a scan of 100 M short texts takes about one on two cores."""
_MOST_PHRASES = 4
_MOST_LETTERS = 200
_FEW_VALUES = 200
"""A column with fewer in its sample of 50,000 rows shows nearly all of its values there."""
_REMEMBERED = 1_000
REMEMBERED_SECONDS = 300.0
"""Long enough for a conversation about a name, short enough that new rows are found on the same day."""
_QUOTED = re.compile("\"([^\"]+)\"|“([^”]+)”|‘([^’]+)’|`([^`]+)`|(?<!\\w)'([^']+)'(?!\\w)")
_NAME = re.compile(r"[^\W\d_][\w.’'&-]*")
_RUN = re.compile(rf"(?:{_NAME.pattern})(?:\s+(?:{_NAME.pattern}))*")
_CODE = re.compile(r"(?<![\w.,])(?=[\w.:-]*[^\W\d_])(?=[\w.:-]*\d)\w[\w.:-]*\w")
_LONGEST_RUN = 6

Found = tuple[str, str]
"""The table and the column that hold a value."""


@dataclass(frozen=True, slots=True)
class NamedPhrase:
    """Characters `[start, end)` of a text that may be a value as it stands; `quoted` if its author quotes."""

    text: str
    start: int
    end: int
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class _Remembered:
    """Where a value was found, and when by the clock."""

    places: tuple[Found, ...]
    at: float


@dataclass
class RareValues:
    """Looks up exact values in the `columns` (by table) of which an index knows a part only.

    Each phrase is asked for once in `REMEMBERED_SECONDS`, in one query a table that ends at its first row,
    and all of a text within `SECONDS`. A warehouse is paid for what it reads: there only what stands in
    quotes is asked for.
    """

    database: Database
    columns: Mapping[str, Sequence[str]]
    clock: Callable[[], float] = time.monotonic
    _known: "OrderedDict[str, _Remembered]" = field(default_factory=OrderedDict)
    _lock: Lock = field(default_factory=Lock)

    @classmethod
    def of(
        cls, database: Database, sampled: Container[str], indexed: Iterable[IndexedColumn]
    ) -> "RareValues | None":
        """Of a database, for its `sampled` tables; None where an index knows all of their texts."""
        columns: dict[str, list[str]] = {}
        for one in indexed:
            many = one.table in sampled and one.values >= _FEW_VALUES
            if many and database.schema.table(one.table).column(one.column).kind == "text":
                columns.setdefault(one.table, []).append(one.column)
        return cls(database, columns) if columns else None

    def look_up(self, phrases: Iterable[NamedPhrase]) -> Iterator[tuple[NamedPhrase, tuple[Found, ...]]]:
        """The phrases that stand somewhere as they are, with where."""
        until = self.clock() + SECONDS
        asked = [p for p in phrases if p.quoted or self.database.at_once == 1]
        for phrase in asked[:_MOST_PHRASES]:
            if found := self._places(phrase.text, until):
                yield phrase, found

    def _places(self, text: str, until: float) -> tuple[Found, ...]:
        with self._lock:
            known = self._known.get(text)
        if known is not None and self.clock() - known.at < REMEMBERED_SECONDS:
            return known.places
        found: list[Found] = []
        for table, columns in self.columns.items():
            left = until - self.clock()
            if left <= 0:
                return tuple(found)  # not remembered: the next time there may be time
            with suppress(QueryError):  # too slow, or not to be read
                found += self._held(table, columns, text, left)
        with self._lock:
            self._known.pop(text, None)
            self._known[text] = _Remembered(tuple(found), self.clock())
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return tuple(found)

    def _held(self, table: str, columns: Sequence[str], text: str, seconds: float) -> list[Found]:
        name, dialect = self.database.identifier(table), self.database.dialect
        value = exp.Literal.string(text).sql(dialect=dialect)
        quoted = {c: self.database.identifier(table, c).removeprefix(f"{name}.") for c in columns}
        sql = (
            f"SELECT {', '.join(quoted.values())} FROM {name} "
            f"WHERE {' OR '.join(f'{q} = {value}' for q in quoted.values())} LIMIT 1"
        )
        rows = self.database.run(sql, Limits(seconds=seconds, rows=1), trusted=True).rows
        return [(table, c) for row in rows for c, cell in zip(columns, row, strict=True) if cell == text]


def named_phrases(text: str) -> list[NamedPhrase]:
    """The phrases of a text that look like values: in quotes, codes of letters and digits, names in capitals.

    What stands in quotes comes first. Of single words in capitals, common English ones are none.
    """
    found = [
        NamedPhrase(m[m.lastindex].strip(), *m.span(m.lastindex), quoted=True)
        for m in _QUOTED.finditer(text)
        if m.lastindex
    ]
    taken = [(m.start(), m.end()) for m in _QUOTED.finditer(text)]
    for one in (*_codes(text), *_names(text)):
        if not any(start < one.end and one.start < end for start, end in taken):
            found.append(one)
            taken.append((one.start, one.end))
    return [p for p in found if p.text and len(p.text) <= _MOST_LETTERS]


def _codes(text: str) -> Iterator[NamedPhrase]:
    for m in _CODE.finditer(text):
        if any(c.isupper() for c in m[0]):  # not 10th, 3pm
            yield NamedPhrase(m[0], *m.span())


def _names(text: str) -> Iterator[NamedPhrase]:
    for run in _RUN.finditer(text):
        together: list[re.Match[str]] = []
        for word in (*_NAME.finditer(text, *run.span()), None):
            if word is not None and word[0][0].isupper():
                together.append(word)
                continue
            yield from _name(text, together)
            together = []


def _name(text: str, together: list[re.Match[str]]) -> Iterator[NamedPhrase]:
    """The name that words in capitals make together, without a common word that begins a sentence."""
    if together and _begins_sentence(text, together[0].start()) and _is_common(together[0][0]):
        together = together[1:]
    if not 1 <= len(together) <= _LONGEST_RUN or (len(together) == 1 and _is_common(together[0][0])):
        return
    start = together[0].start()
    name = text[start : together[-1].end()].rstrip(".’'&-").removesuffix("'s").removesuffix("’s")
    yield NamedPhrase(name, start, start + len(name))


def _begins_sentence(text: str, place: int) -> bool:
    return text[:place].rstrip()[-1:] in ("", ".", "?", "!", ":")


def _is_common(word: str) -> bool:
    return word.casefold() in _common()


@cache
def _common() -> frozenset[str]:
    return frozenset((*common_words(), *(name.casefold() for name in (*month_name, *day_name))))
