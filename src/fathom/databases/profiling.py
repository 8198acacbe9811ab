"""Profiles of columns: counted over all rows of small tables, over a sample of big ones."""

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from heapq import nsmallest
from itertools import islice
from typing import Any

from fathom.databases.placeholders import signs_and_words, stands_out
from fathom.databases.stream import Stream
from fathom.databases.value_formats import TYPED, Format, format_of
from fathom.errors import QueryError
from fathom.records import Column, ColumnProfile, Limits, Schema, Table, TableProfile
from fathom.records.schema import NUMERIC
from fathom.watch import tell

_WHOLE_ROWS = 50_000
_SAMPLED_ROWS = 20_000
_SAMPLED_BYTES = 64_000_000
_LEAST_SECONDS = 0.05
_COMMON = 20
_SAMPLES = 10
_LONGEST_SHOWN = 300
_NESTED = (list, tuple, dict, set)

Start = Callable[[Table, int, Limits], Stream]


def profile_tables(schema: Schema, start: Start, seconds: float) -> Mapping[str, TableProfile]:
    """The profiles of all tables. `start` streams a table's rows, or about so many of a big one.

    Small tables go first; what is left of the time is shared among those left, so that each gets some.
    """
    until = time.monotonic() + seconds
    waiting = sorted(schema.tables, key=lambda t: (t.is_view, t.row_count or 0))
    profiles = {}
    for place, table in enumerate(waiting):
        share = max((until - time.monotonic()) / (len(waiting) - place), _LEAST_SECONDS)
        tell(f"looking at what {table.name} holds", place, len(waiting))
        profiles[table.name] = profile_table(table, start, share)
    return {t.name: profiles[t.name] for t in schema.tables}


def profile_table(table: Table, start: Start, seconds: float) -> TableProfile:
    """The profile of one table from as many of its rows as the time allows."""
    is_big = table.row_count is None or table.row_count > _WHOLE_ROWS
    wanted = _SAMPLED_ROWS if is_big else _WHOLE_ROWS
    tallies = [_ColumnTally(c) for c in table.columns]
    rows, whole = 0, False
    # A view may be broken, a table locked, the time up: what was read until then still counts.
    with (
        suppress(QueryError),
        start(table, wanted, Limits(seconds=seconds, rows=wanted, bytes=_SAMPLED_BYTES)) as stream,
    ):
        for batch in stream:
            rows += len(batch)
            for tally, values in zip(tallies, zip(*batch, strict=True), strict=True):
                tally.add(values)
        whole = stream.truncated is None and (not is_big or table.row_count is None)
    columns = {t.column.name: t.profile(table.name, rows, exact=whole) for t in tallies}
    return TableProfile(table.name, table.row_count, columns)


@dataclass(slots=True)
class _ColumnTally:
    """The values of one column, counted."""

    column: Column
    counts: Counter[Any] = field(default_factory=Counter)

    def add(self, values: Sequence[object]) -> None:
        if self.column.kind == "blob":
            values = [None if v is None else b"" for v in values]
        elif self.column.kind in {"json", "other"}:
            values = [json.dumps(v, default=str) if isinstance(v, _NESTED) else v for v in values]
        self.counts.update(values)

    def profile(self, table: str, rows: int, *, exact: bool) -> ColumnProfile:
        nulls = self.counts.pop(None, 0)
        has_bytes = any(isinstance(v, bytes) for v in islice(self.counts, 100))
        shown = {v: n for v, n in self.counts.items() if _is_short(v)} if not has_bytes else {}
        repeats = sum(self.counts.values()) > len(self.counts)
        found, placeholders = self._format(shown, repeats)
        held = [v for v in shown if v not in placeholders]
        minimum, maximum = _range(held, self.column.kind in NUMERIC)
        return ColumnProfile(
            table=table,
            column=self.column.name,
            rows_seen=rows,
            exact=exact,
            null_share=nulls / rows if rows else 0.0,
            distinct=None if has_bytes else len(self.counts),
            minimum=minimum,
            maximum=maximum,
            common=_most_common(shown) if repeats else (),
            samples=_spread(list(shown)),
            format=found.kind,
            pattern=found.pattern,
            separator=found.separator,
            other_pattern=found.other,
            unfit=sum(n for v, n in self.counts.items() if not found.fits(v)) if found.fits else 0,
            comma=found.comma,
            placeholders=tuple(sorted(placeholders.items(), key=lambda item: (-item[1], item[0]))),
        )

    def _format(self, shown: Mapping[Any, int], repeats: bool) -> tuple[Format, Mapping[str, int]]:
        """The format of the values, and the texts that hold none, with how often they stand."""
        signs, words = signs_and_words(shown)
        held = {v: n for v, n in shown.items() if v not in signs and v not in words}
        found = format_of(held, repeats=repeats, column=self.column)
        if found.kind not in TYPED and any(isinstance(v, str) for v in held):
            words = {v: n for v, n in words.items() if stands_out(n, held)}
        placeholders: dict[str, int] = signs | words
        if len(held) + len(placeholders) < len(shown):
            held = {v: n for v, n in shown.items() if v not in placeholders}
            found = format_of(held, repeats=repeats, column=self.column)
        if found.kind == "plain" and placeholders:  # numbers among which they stand as text
            found = format_of(shown, repeats=repeats, column=self.column)
        return found, placeholders


def _is_short(value: object) -> bool:
    return not isinstance(value, str) or len(value) <= _LONGEST_SHOWN


def _most_common(counts: Mapping[Any, int]) -> tuple[tuple[object, int], ...]:
    return tuple(nsmallest(_COMMON, counts.items(), key=lambda item: (-item[1], str(item[0]))))


def _spread(values: Sequence[object]) -> tuple[object, ...]:
    step = max(1, len(values) // _SAMPLES)
    return tuple(values[::step][:_SAMPLES])


def _range(values: Iterable[Any], numeric: bool) -> tuple[object, object]:
    """The least and the greatest; of a column of numbers that also holds text, those of the numbers."""
    kept = [v for v in values if v == v]  # noqa: PLR0124, not NaN
    if numeric and any(isinstance(v, str) for v in kept):
        kept = [v for v in kept if not isinstance(v, str)]
    try:
        return (min(kept), max(kept)) if kept else (None, None)
    except TypeError:
        texts = [v for v in kept if isinstance(v, str)]
        return (min(texts), max(texts)) if texts else (None, None)
