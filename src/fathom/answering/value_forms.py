"""The forms of the columns that a query names, as an answer says them."""

import re

from fathom.databases.form_reading import form_reader
from fathom.forms import FormReader
from fathom.methods import Context
from fathom.records import Assumption

_DAY = re.compile(r"\b(\d{1,2})/(\d{1,2})/\d{4}\b")
_MONTHS = 12


def unclear_day(question: str, context: Context) -> str:
    """Say why a day such as 01/02/2024 is unclear, where dates are written day first; else nothing."""
    forms = _reader(context).forms.values()
    if any(form.kind == "date" and form.pattern.startswith(("%d/", "%-d/")) for form in forms):
        for day in _DAY.finditer(question):
            if int(day[1]) <= _MONTHS >= int(day[2]) and int(day[1]) != int(day[2]):
                return f"{day[0]} may be read day first or month first: write it as 2024-01-31 is written."
    return ""


def as_asked(sql: str, context: Context) -> str:
    """Write a query as one of tidy columns, to put it in words."""
    return _reader(context).as_asked(sql)


def remarks_on_forms(sql: str, context: Context) -> tuple[Assumption, ...]:
    """Say what a query leaves out for the forms of its columns."""
    return tuple(Assumption("value", text) for text in _reader(context).remarks(sql))


def _reader(context: Context) -> FormReader:
    return form_reader(context.database, context.knowledge.formats)
