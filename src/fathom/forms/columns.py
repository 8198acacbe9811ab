"""The form of each column whose values can't be compared, sorted or added up as they are stored."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from fathom.forms.formats import NO_FORMATS, Formats, epoch_unit, pattern_of, reads_as
from fathom.records import Column, ColumnProfile, Schema, TableProfile
from fathom.records.schema import DATED, NUMERIC

FormKind = Literal["date", "number", "list", "object", "epoch", "duration", "placeholder"]

_ISO = ("%Y-%m-%d", "%Y-%m")
"""Dates that begin so sort and compare as text, and engines read them."""
_CLOCKS = ("%H", "%I")


@dataclass(frozen=True, slots=True)
class ColumnForm:
    """How a column's values are written.

    `pattern` is a strptime pattern of dates, the sign or unit of numbers, `json`, `array` or a separator of
    lists, and `s` or `ms` of seconds since 1970. `other` is a second pattern that fits as well, where day and
    month can't be told apart. `example` is one of the values; `unfit` counts the cells seen that have another
    form; `comma` says that a comma is the decimal point. `placeholders` are the texts that hold no
    value, such as "n/a"; `placeholder` is the form of columns that are plain but for these.
    """

    table: str
    column: str
    kind: FormKind
    pattern: str = ""
    other: str = ""
    example: str = ""
    unfit: int = 0
    comma: bool = False
    is_text: bool = True
    placeholders: tuple[str, ...] = ()

    @property
    def named(self) -> str:
        """The form in words, for an answer: `admission_date is text such as 03/04/2026`."""
        stored = "text such as" if self.is_text else "stored as"
        words = {"list": "a list in one cell, such as", "object": "several fields in one cell, such as"}
        return f"{self.column} is {words.get(self.kind, stored)} {self.example[:40]}"


def forms_of(
    schema: Schema, profiles: Mapping[str, TableProfile], told: Formats = NO_FORMATS
) -> Mapping[tuple[str, str], ColumnForm]:
    """Find the forms of all columns, by table and column name in small letters; tidy columns have none.

    `told` are formats that a knowledge pack gives, such as DD/MM/YYYY: they overrule what is found.
    """
    found = {}
    for table in schema.tables:
        profile = profiles.get(table.name)
        for column in table.columns:
            seen = profile.columns.get(column.name) if profile else None
            key = table.name.casefold(), column.name.casefold()
            if seen is not None and (form := _form(column, _as_told(seen, told.get(key, "")))) is not None:
                found[key] = form
    return found


def _as_told(seen: ColumnProfile, told: str) -> ColumnProfile:
    """The profile of a column with the form that a pack tells, as far as that is one of dates."""
    if pattern := pattern_of(told):
        return replace(seen, format="date", pattern=pattern, other_pattern=None)
    if unit := epoch_unit(told):
        return replace(seen, format="epoch", pattern=unit, other_pattern=None)
    return seen


def _form(column: Column, seen: ColumnProfile) -> ColumnForm | None:
    kind, pattern = ("duration", "") if column.kind == "time" else _kind(column, seen)
    placeholders = tuple(text for text, _ in seen.placeholders)
    if kind is None and placeholders:
        kind = "placeholder"
    if kind is None:
        return None
    return ColumnForm(
        seen.table,
        column.name,
        kind,
        pattern,
        seen.other_pattern or "",
        _example(seen),
        seen.unfit,
        seen.comma,
        column.kind not in NUMERIC,
        placeholders,
    )


def _example(seen: ColumnProfile) -> str:
    """One of the values; of dates that may be read in two ways, one in which the two differ."""
    none = {text for text, _ in seen.placeholders}
    shown = [str(v) for v in (*seen.samples, *(v for v, _ in seen.common)) if v is not None and v not in none]
    both = (seen.pattern or "", seen.other_pattern or "")
    unclear = [v for v in shown if all(both) and reads_as(v, both)]
    return next(iter((*unclear, *shown)), "")


def _kind(column: Column, seen: ColumnProfile) -> tuple[FormKind | None, str]:
    pattern = seen.pattern or ""
    if seen.format == "date" and pattern in ("%H:%M:%S", "%H:%M"):
        return "duration", pattern
    tidy = pattern.startswith((*_ISO, *_CLOCKS)) or column.kind in DATED
    found: dict[str, tuple[FormKind | None, str]] = {
        "date": (None if tidy else "date", pattern),
        "epoch": ("epoch", pattern),
        "number": ("number" if column.kind not in NUMERIC or seen.unfit else None, pattern),
        "thousands": ("number", ","),
        "number_with_unit": ("number", pattern),
        "list": ("list", seen.separator or pattern),
        "json": ("object", ""),
    }
    return found.get(seen.format, (None, ""))
