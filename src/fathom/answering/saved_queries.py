"""The query of a saved question, with the values that it asks for."""

from collections.abc import Mapping

from fathom.answering.parameters import checked, filled
from fathom.answering.store import Saved
from fathom.errors import InputError


def values_of(saved: Saved, given: Mapping[str, str]) -> dict[str, str]:
    """A value for each parameter, in the form of its kind. Raises `InputError`."""
    names = [p.name for p in saved.parameters]
    if strange := [name for name in given if name not in names]:
        there = f"there is: {', '.join(names)}" if names else "it asks for none"
        raise InputError(f"this saved question asks for no {strange[0]!r}; {there}")
    return {p.name: checked(p.kind, given.get(p.name, p.value)) for p in saved.parameters}


def query_of(saved: Saved, dialect: str, values: Mapping[str, str] | None = None) -> str:
    """The query of a saved question, with values or those that it was saved with.

    Raises `InputError` where it has none, or a value doesn't fit.
    """
    if not saved.parameters:
        if not saved.entry.sql:
            raise InputError("there is no query to ask again: this question has no answer")
        return saved.entry.sql
    known = values_of(saved, {}) if values is None else values
    return filled(saved.sql, dialect, {p.place: (p.kind, known[p.name]) for p in saved.parameters})
