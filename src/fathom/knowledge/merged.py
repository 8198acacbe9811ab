"""Merge two packs: the later one wins on the same key, lists concatenate, conflicts are kept to be seen."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel

from fathom.knowledge.parts import ColumnNote, Conflict, TableNote, Term

if TYPE_CHECKING:
    from fathom.knowledge.pack import KnowledgePack

T = TypeVar("T")


def merged_fields(earlier: "KnowledgePack", later: "KnowledgePack") -> dict[str, Any]:
    """The fields of the pack that the later one on top of the earlier one makes."""
    found: list[Conflict] = []
    return {
        **_texts(earlier, later, ("description", "dialect"), "pack", found),
        "name": " + ".join(dict.fromkeys(n for n in (earlier.name, later.name) if n)),
        "tables": _merge_by_name(earlier.tables, later.tables, "", found, _merge_tables),
        # One word may mean one thing in one table and another in the next.
        "glossary": _keyed("term", earlier.glossary, later.glossary, _place_of, found),
        "conventions": _keyed("convention", earlier.conventions, later.conventions, lambda c: c.name, found),
        "joins": tuple(dict.fromkeys((*earlier.joins, *later.joins))),
        "examples": _keyed("example", earlier.examples, later.examples, lambda e: e.question, found),
        "sources": tuple(dict.fromkeys((*earlier.sources, *later.sources))),
        # Last, because the others find conflicts.
        "conflicts": (*earlier.conflicts, *later.conflicts, *found),
    }


def _place_of(term: Term) -> str:
    place = term.column or ", ".join(term.tables)
    return f"{term.term} of {place}" if place else term.term


def _keyed(
    what: str, earlier: Iterable[T], later: Iterable[T], key: Callable[[T], str], found: list[Conflict]
) -> tuple[T, ...]:
    parts = {key(part).casefold(): part for part in earlier}
    for part in later:
        folded = key(part).casefold()
        if (old := parts.get(folded)) is not None and old != part:
            found.append(Conflict(key=f"{what} {key(part)!r}", earlier=_said(old), later=_said(part)))
        parts[folded] = part
    return tuple(parts.values())


def _merge_by_name(
    earlier: Mapping[str, T],
    later: Mapping[str, T],
    prefix: str,
    found: list[Conflict],
    merge: Callable[[T, T, str, list[Conflict]], T],
) -> dict[str, T]:
    result = dict(earlier)
    spelt = {name.casefold(): name for name in earlier}
    for name, part in later.items():
        same = spelt.setdefault(name.casefold(), name)
        result[same] = merge(result[same], part, prefix + same, found) if same in result else part
    return result


def _merge_tables(a: TableNote, b: TableNote, key: str, found: list[Conflict]) -> TableNote:
    return TableNote(
        **_texts(a, b, ("name", "description"), f"table {key}", found),
        synonyms=tuple(dict.fromkeys((*a.synonyms, *b.synonyms))),
        columns=_merge_by_name(a.columns, b.columns, f"{key}.", found, _merge_columns),
    )


def _merge_columns(a: ColumnNote, b: ColumnNote, key: str, found: list[Conflict]) -> ColumnNote:
    texts = ("name", "description", "unit", "format", "separator", "match", "note")
    for value in a.values.keys() & b.values.keys():
        if a.values[value] != b.values[value]:
            old, new = a.values[value].meaning, b.values[value].meaning
            found.append(Conflict(key=f"column {key} value {value!r}", earlier=old, later=new))
    return ColumnNote(
        **_texts(a, b, texts, f"column {key}", found),
        synonyms=tuple(dict.fromkeys((*a.synonyms, *b.synonyms))),
        values={**a.values, **b.values},
    )


def _texts(
    a: BaseModel, b: BaseModel, names: Iterable[str], key: str, found: list[Conflict]
) -> dict[str, Any]:
    """The later text of each field, or the earlier one where the later pack says nothing."""
    result = {}
    for name in names:
        old, new = getattr(a, name), getattr(b, name)
        if old and new and old != new:
            found.append(Conflict(key=f"{key} {name}", earlier=old, later=new))
        result[name] = new or old
    return result


def _said(part: object) -> str:
    if isinstance(part, BaseModel):
        return part.model_dump_json(exclude_defaults=True)
    return str(getattr(part, "sql", part))
