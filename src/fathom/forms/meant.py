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
    """Give columns of dates in another form than ISO the kind and the values of dates.

    A query is written for them as for dates, and read by the form of each column afterwards.
    """
    dated = {key: form for key, form in forms.items() if form.kind in ("date", "epoch")}
    if not dated:
        return schema, profiles
    tables = []
    seen = dict(profiles)
    for table in schema.tables:
        own = {c.name: dated.get((table.name.casefold(), c.name.casefold())) for c in table.columns}
        tables.append(replace(table, columns=tuple(_column(c, own[c.name]) for c in table.columns)))
        if table.name in seen and any(own.values()):
            columns = {n: _profile(p, own.get(n)) for n, p in seen[table.name].columns.items()}
            seen[table.name] = replace(seen[table.name], columns=columns)
    return replace(schema, tables=tuple(tables)), seen


def _column(column: Column, form: ColumnForm | None) -> Column:
    if form is None:
        return column
    return replace(column, kind="datetime" if form.kind == "epoch" or "%H" in form.pattern else "date")


def _profile(seen: ColumnProfile, form: ColumnForm | None) -> ColumnProfile:
    if form is None:
        return seen
    iso = _reader(form)
    days = [day for v in seen.samples if (day := iso(v)) is not None]
    return replace(
        seen,
        format="plain",
        pattern=None,
        minimum=None,
        maximum=None,
        samples=tuple(days),
        common=tuple((day, n) for v, n in seen.common if (day := iso(v)) is not None),
    )


def _reader(form: ColumnForm) -> Callable[[object], str | None]:
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
