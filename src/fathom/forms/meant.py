"""A schema and its profiles as they would be if each column held what it means."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

from fathom.forms.columns import ColumnForm
from fathom.records import Column, ColumnProfile, Schema, TableProfile

Forms = Mapping[tuple[str, str], ColumnForm]


def as_if_tidy(
    schema: Schema, profiles: Mapping[str, TableProfile], forms: Forms
) -> tuple[Schema, Mapping[str, TableProfile]]:
    """Give columns of dates in another form than ISO, and of numbers as text, the kind and values of these.

    A query is written for them as for dates and numbers, and read by the form of each column afterwards.
    """
    meant = {key: form for key, form in forms.items() if form.kind in _READERS and not _may_be_key(form)}
    if not meant:
        return schema, profiles
    tables = []
    seen = dict(profiles)
    for table in schema.tables:
        own = {c.name: meant.get((table.name.casefold(), c.name.casefold())) for c in table.columns}
        tables.append(replace(table, columns=tuple(_column(c, own[c.name]) for c in table.columns)))
        if table.name in seen and any(own.values()):
            columns = {n: _profile(p, own.get(n)) for n, p in seen[table.name].columns.items()}
            seen[table.name] = replace(seen[table.name], columns=columns)
    return replace(schema, tables=tuple(tables)), seen


def _may_be_key(form: ColumnForm) -> bool:
    """Tell whether texts of digits alone may as well be keys, which are text."""
    marked = form.pattern or form.comma or form.placeholders or "." in form.example
    return form.kind == "number" and form.is_text and not marked


def _column(column: Column, form: ColumnForm | None) -> Column:
    if form is None:
        return column
    if form.kind == "number":
        return replace(column, kind="number")
    return replace(column, kind="datetime" if form.kind == "epoch" or "%H" in form.pattern else "date")


def _profile(seen: ColumnProfile, form: ColumnForm | None) -> ColumnProfile:
    if form is None:
        return seen
    read = _READERS[form.kind](form)
    return replace(
        seen,
        format="plain",
        pattern=None,
        minimum=None,
        maximum=None,
        samples=tuple(value for v in seen.samples if (value := read(v)) is not None),
        common=tuple((value, n) for v, n in seen.common if (value := read(v)) is not None),
    )


def _number_reader(form: ColumnForm) -> Callable[[object], float | None]:
    def number(value: object) -> float | None:
        digits = "".join(c for c in str(value) if c.isdigit() or c in "+-.,")
        digits = digits.replace(".", "").replace(",", ".") if form.comma else digits.replace(",", "")
        with suppress(ValueError):
            return float(digits)
        return None

    return number


def _date_reader(form: ColumnForm) -> Callable[[object], str | None]:
    by = 1000 if form.pattern == "ms" else 1
    pattern = form.pattern.replace("%-", "%")

    def iso(value: object) -> str | None:
        with suppress(ValueError, OverflowError, OSError):
            if form.kind == "epoch":
                moment = datetime.fromtimestamp(float(str(value)) / by, UTC).replace(tzinfo=None)
                return moment.isoformat(" ", "seconds")
            moment = datetime.strptime(str(value).strip(), pattern)
            return moment.isoformat(" ", "seconds") if "%H" in pattern else moment.date().isoformat()
        return None

    return iso


_READERS: Mapping[str, Callable[[ColumnForm], Callable[[object], object]]] = {
    "date": _date_reader,
    "epoch": _date_reader,
    "number": _number_reader,
}
"""Readers of values as what they mean, by the kind of form; they give None for what means nothing."""
