"""Profiles of a database's columns, as found by profiling."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ValueFormat = Literal[
    "plain",  # nothing special
    "date",  # dates or times kept as text, or as whole numbers such as 20240131
    "epoch",  # seconds or milliseconds since 1970
    "number",  # numbers kept as text, or among text
    "number_with_unit",  # '12 kg', '$1,000', '45 %'
    "thousands",  # '1,234,567'
    "code",  # short codes: 'F', 'POPLATEK MESICNE'
    "list",  # several values in one cell
    "boolean",  # Y/N, T/F, yes/no, 0/1
    "json",
]


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """One column's values. Counts are over `rows_seen` rows; `exact` says that this was every row.

    `common` holds up to 20 (value, count) pairs, most frequent first, for columns where values repeat;
    `samples` up to 10 distinct values; `separator` the one of a list column; `pattern` a format hint,
    such as a strptime pattern for dates kept as text (`%-d` where days have no leading zero). `other_pattern`
    is a second one that fits as well. `unfit` counts the cells seen that have another format, such as "n/a"
    among numbers; `comma` says that a comma is the decimal point. `placeholders` are the texts that hold no
    value for people, such as "" and "n/a", with their counts; they are among the other facts too, but for the
    range.
    """

    table: str
    column: str
    rows_seen: int
    exact: bool
    null_share: float
    distinct: int | None
    minimum: object = None
    maximum: object = None
    common: tuple[tuple[object, int], ...] = ()
    samples: tuple[object, ...] = ()
    format: ValueFormat = "plain"
    pattern: str | None = None
    separator: str | None = None
    other_pattern: str | None = None
    unfit: int = 0
    comma: bool = False
    placeholders: tuple[tuple[str, int], ...] = ()

    @property
    def may_be_missing(self) -> bool:
        """True if some rows may hold no value: one was seen without, or not all were seen."""
        return self.null_share > 0 or not self.exact


@dataclass(frozen=True, slots=True)
class TableProfile:
    """The profiles of one table's columns, by column name."""

    table: str
    row_count: int | None
    columns: Mapping[str, ColumnProfile]
