"""Roles of tables and columns: the things that rows are, the measures, the columns to group by."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import yaml

from fathom.databases.database import Database
from fathom.records import Column, ColumnProfile, ForeignKey, Schema, Table
from fathom.records.schema import DATED, NUMERIC
from fathom.text import inflection
from fathom.text.run_together import taken_apart

MOST_TABLES = 200
"""Tables that questions are made of, those with the most rows: more would be profiled for minutes."""
MOST_GROUPS, MOST_NAMED = 30, 100_000
FARTHEST = 3
"""Keys followed from the rows that are measured to what they are grouped by."""
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_READABLE = re.compile(r"(?=.*[aeiouy])[a-z]{3,}|id|of|in|by|to|on|at")
Goal = Literal["more", "less", "none"]


@cache
def lexicon() -> Mapping[str, Any]:
    """Read the meanings of words from `lexicon.yaml`."""
    found: dict[str, Any] = yaml.safe_load(files(__package__).joinpath("lexicon.yaml").read_text("utf-8"))
    return found


@dataclass(frozen=True, slots=True)
class Place:
    """A column and the keys that lead to it from the table that is measured."""

    table: str
    column: str
    hops: tuple[ForeignKey, ...] = ()


@dataclass(frozen=True, slots=True)
class Grouping:
    """The things to group by, in words; `named`: its values name things, of which there are many."""

    one: str
    many: str
    place: Place
    named: bool
    groups: int


@dataclass(frozen=True, slots=True)
class BusinessMeasure:
    """A measure: a column, multiplied by `times` if given, or the count of rows if there is none.

    `value` is its name once aggregated.
    """

    one: str
    value: str
    function: Literal["SUM", "AVG", "COUNT"]
    column: str
    goal: Goal
    times: str = ""


@dataclass(frozen=True, slots=True)
class Calendar:
    """A column of dates, and in which periods its values are worth comparing."""

    column: str
    period: Literal["year", "month"]
    is_number: bool


@dataclass(frozen=True, slots=True)
class Subject:
    """A table whose rows are asked about."""

    table: str
    thing: str
    things: str
    quantities: tuple[BusinessMeasure, ...]
    groupings: tuple[Grouping, ...]
    calendar: Calendar | None
    rows: int


def plural(words: str) -> str:
    """The plural of a noun phrase."""
    first, _, last = words.rpartition(" ")
    if last in ("made", "received", "sold"):
        return f"{plural(first)} {last}"
    return inflection.plural(words)


def _shared_start(names: Sequence[str]) -> int:
    """How many letters all names begin with."""
    return next((i for i, letters in enumerate(zip(*names, strict=False)) if len(set(letters)) > 1), 0)


class SchemaWording:
    """Words for the tables and columns of one schema; None for names that people couldn't read."""

    def __init__(self, schema: Schema) -> None:
        names = [t.name.rpartition(".")[2] for t in schema.tables]
        # A prefix of every table's name says nothing: sbCustomer, sbTicker.
        shared = _shared_start([n.casefold() for n in names]) if len(names) > 2 else 0
        self._shared = shared if 2 <= shared < min(map(len, names), default=0) - 2 else 0

    def table(self, table: Table) -> str | None:
        """Name one row of a table."""
        name = table.name.rpartition(".")[2][self._shared :]
        words = self._words(name)
        if words and len(words) > 1 and words[-1] == "daily":
            words = words[:-1]
        if not words or {*words} & {*lexicon()["not_things"]}:
            return None
        if len(words) > 1 and words[-1].endswith("e") and inflection.singular(words[0]) != words[0]:
            return " ".join([inflection.singular(words[0]), *words[1:]])  # payments made
        if len(words) > 1 and words[-1].endswith("ed"):
            return " ".join([inflection.singular(words[0]), *words[1:]])  # payments received
        return " ".join([*words[:-1], inflection.singular(words[-1])])

    def column(self, table: Table, column: Column) -> list[str] | None:
        """The words of a column's name."""
        names = [c.name.casefold() for c in table.columns]
        shared = _shared_start(names) if len(names) > 3 else 0
        cut = shared if 2 <= shared < min(map(len, names)) - 1 else 0
        return self._words(column.name[cut:])

    def _words(self, name: str) -> list[str] | None:
        spelt = lexicon()["spelt"]
        runs = [w.casefold() for part in name.split("_") for w in _WORD.findall(part)]
        words = [spelt.get(part, part) for run in runs for part in taken_apart(run)]
        short = [w for w in words if w not in ("tbl", "table", "dim", "fact")] or words
        if not short or not all(_READABLE.fullmatch(w) for w in short):
            return None
        return short


def subjects(database: Database) -> list[Subject]:
    """The tables of a database that business questions can be asked about, those that say most first."""
    schema = database.schema
    largest = sorted(schema.tables, key=lambda t: (t.is_view, -(t.row_count or 0)))[:MOST_TABLES]
    kept = [t for t in schema.tables if t in largest and not t.is_view]
    reader = _RoleReader(database, schema, {t.name: t for t in kept})
    found = [s for t in kept if (s := reader.subject(t))]
    return sorted(found, key=lambda s: (-(s.calendar is not None) - min(len(s.quantities), 3) - min(
        len(s.groupings), 6) / 3, s.table))  # fmt: skip


class _RoleReader:
    """Reads the roles of one schema from its profile."""

    def __init__(self, database: Database, schema: Schema, tables: Mapping[str, Table]) -> None:
        self._naming, self._tables = SchemaWording(schema), tables
        self._profiles = database.profile()
        self._keys: dict[str, list[ForeignKey]] = {}
        for key in schema.foreign_keys:
            one = len(key.columns) == 1 and key.table != key.target_table
            if one and key.table in tables and key.target_table in tables and key.confidence >= 0.8:
                self._keys.setdefault(key.table, []).append(key)

    def subject(self, table: Table) -> Subject | None:
        """Read a table's subject; None where its rows have no plain name, or are too few."""
        thing, rows = self._naming.table(table), table.row_count or 0
        if thing is None or rows < 4:
            return None
        keys = sum(self._is_key(table, c) or c.name.casefold().endswith("id") for c in table.columns)
        groupings = tuple(self._groupings(table, thing))
        calendar = next(self._calendars(table), None)
        quantities = tuple(self._quantities(table, thing, groupings, calendar))
        if keys > 1 and calendar is None and len(table.columns) - keys < 3:
            # A table that links others: its rows are nobody's things, though what it measures may be.
            quantities = tuple(q for q in quantities if q.function != "COUNT")
        if not groupings or not quantities:
            return None
        return Subject(table.name, thing, plural(thing), quantities, groupings, calendar, rows)

    def _profile(self, table: Table, column: Column) -> ColumnProfile:
        return self._profiles[table.name].columns[column.name]

    def _is_key(self, table: Table, column: Column) -> bool:
        keys = {c for k in self._keys.get(table.name, ()) for c in k.columns}
        return column.name in keys or column.name in table.primary_key

    def _quantities(
        self, table: Table, thing: str, groupings: Sequence[Grouping], calendar: Calendar | None
    ) -> Iterator[BusinessMeasure]:
        known = lexicon()
        yield from self._revenue(table)
        for column in table.columns:
            profile = self._profile(table, column)
            words = self._naming.column(table, column)
            if column.kind not in NUMERIC or words is None or self._is_key(table, column):
                continue
            if (profile.distinct or 0) < 4 or profile.null_share > 0.6 or profile.minimum == profile.maximum:
                continue
            if words[0] in known["counting"] and len(words) > 1:
                what = plural(" ".join(words[1:]))
                yield BusinessMeasure(
                    f"number of {what}", f"total number of {what}", "SUM", column.name, "more"
                )
            elif len(words) > 1 and words[-1] in ("count", "number", "num") and "id" not in words:
                what = plural(" ".join(words[:-1]))
                if words[-1] == "count":
                    yield BusinessMeasure(
                        f"number of {what}", f"total number of {what}", "SUM", column.name, "more"
                    )
            elif (told := known["measures"].get(words[-1])) and not {*words[:-1]} & {"id", "code"}:
                yield _measured(column.name, words, thing, told, dated=calendar is not None)
        last = thing.rpartition(" ")[2]
        goal: Goal = "less" if last in known["unwanted"] else "none" if last in known["neutral"] else "more"
        if any(g.place.hops or not g.named for g in groupings):
            yield BusinessMeasure(
                f"number of {plural(thing)}", f"number of {plural(thing)}", "COUNT", "", goal
            )

    def _revenue(self, table: Table) -> Iterator[BusinessMeasure]:
        """The price times the quantity, where a table of what was sold has one of each."""
        found: dict[str, str] = {}
        for column in table.columns:
            words = self._naming.column(table, column) or [""]
            if column.kind in NUMERIC and words[-1] in ("price", "quantity"):
                found.setdefault(words[-1], column.name)
        if len(found) == 2:
            yield BusinessMeasure(
                "revenue", "total revenue", "SUM", found["price"], "more", times=found["quantity"]
            )

    def _calendars(self, table: Table) -> Iterator[Calendar]:
        for column in table.columns:
            profile = self._profile(table, column)
            words = self._naming.column(table, column) or []
            if {*words} & {
                "birth",
                "birthday",
                "update",
                "updated",
                "modified",
                "create",
                "created",
                "crtd",
                "due",
            }:
                continue
            low, high = profile.minimum, profile.maximum
            is_date = column.kind in DATED or (
                profile.format == "date" and str(profile.pattern).startswith("%Y-%m-%d")
            )
            if is_date and (profile.distinct or 0) >= 4 and low is not None and profile.null_share < 0.5:
                months = _months(str(high)) - _months(str(low))
                if months >= 3:
                    yield Calendar(column.name, "year" if months >= 36 else "month", is_number=False)
            elif (
                words[-1:] == ["year"]
                and isinstance(low, int)
                and isinstance(high, int)
                and 1500 < low < high - 2
            ):
                yield Calendar(column.name, "year", is_number=True)

    def _groupings(self, table: Table, thing: str) -> Iterator[Grouping]:
        """By columns of the table itself, then by those that its keys lead to, the nearest first."""
        seen: set[str] = set()
        waiting: list[tuple[Table, str, tuple[ForeignKey, ...]]] = [(table, thing, ())]
        visited = {table.name}
        while waiting:
            at, called, hops = waiting.pop(0)
            for column in at.columns:
                found = self._grouping(at, called, column, hops)
                if found and found.one not in seen:
                    seen.add(found.one)
                    yield found
            for key in self._keys.get(at.name, ()) if len(hops) < FARTHEST else ():
                if key.target_table not in visited:
                    visited.add(key.target_table)
                    other = self._tables[key.target_table]
                    waiting.append((other, self._naming.table(other) or "", (*hops, key)))

    def _grouping(  # noqa: PLR0911, a reason each to leave a column out
        self, table: Table, thing: str, column: Column, hops: tuple[ForeignKey, ...]
    ) -> Grouping | None:
        known, words, profile = lexicon(), self._naming.column(table, column), self._profile(table, column)
        groups = profile.distinct or 0
        if not thing or words is None or column.kind != "text" or groups < 2 or profile.null_share > 0.4:
            return None
        if {*words} & {"from", "to", "by", "of", "how", "in", "on", "at"} or _yes_or_no(profile):
            return None
        own = words[len(thing.split()) :] if words[: len(thing.split())] == thing.split() else words
        if profile.format in ("date", "number", "json", "list", "number_with_unit", "thousands"):
            return None
        if own[-1:] == ["name"] and len(own) > 1:
            own = own[:-1]
        if own == ["title"] and thing.rpartition(" ")[2] in known["people"]:
            own = ["job", "title"]
        if "".join(own) in known["names"] or "_".join(own) in known["names"]:
            # Names of this table's own rows group nothing; of another's, they are that other's rows.
            if not hops:
                return None
            named = groups > MOST_GROUPS
            return Grouping(thing, plural(thing), Place(table.name, column.name, hops), named, groups)
        if {*own} & {*known["not_dimensions"]} or not own or groups > MOST_GROUPS:
            return None
        if groups * 2 > profile.rows_seen or self._is_key(table, column):
            return None
        bare = own[-1] in known["bare"] and len(own) == 1 and thing != "person"
        one = " ".join([thing, *own]) if bare else " ".join(own)
        return Grouping(one, plural(one), Place(table.name, column.name, hops), False, groups)


def _yes_or_no(profile: ColumnProfile) -> bool:
    values = {str(v).casefold() for v, _ in profile.common}
    return bool(values) and values <= {"yes", "no", "y", "n", "true", "false", "t", "f", "0", "1"}


def _measured(
    column: str, words: Sequence[str], thing: str, told: Mapping[str, Any], *, dated: bool
) -> BusinessMeasure:
    said = told.get("said", "").format(thing=thing)
    one = " ".join([*words[:-1], said]) if said and "{" not in told["said"] else said or " ".join(words)
    last = thing.rpartition(" ")[2]
    if told.get("needs_thing") and len(words) == 1 and last not in one:
        one = f"{thing} {one}"
    elif (
        len(words) == 2 and words[0] in ("total", "average", "minimum", "maximum", "unit") and last not in one
    ):
        one = one if words[0] == "unit" else f"{thing} {words[1]}" if words[0] == "total" else one
    if words == [last]:
        one = words[0]
    goal: Goal = told["goal"]
    per_row = {*words} & {"dose", "dosage", "minimum", "maximum", "limit", "unit"}
    goal = "none" if per_row else goal
    # Prices in a catalogue don't add up to anything.
    if told["kind"] == "total" and not per_row and (dated or told["goal"] != "less"):
        value = one if one.startswith("total ") else f"total {one}"
        return BusinessMeasure(one, value, "SUM", column, goal)
    value = one if one.startswith("average ") else f"average {one}"
    return BusinessMeasure(one, value, "AVG", column, goal)


def _months(date: str) -> int:
    try:
        return int(date[:4]) * 12 + int(date[5:7])
    except ValueError:
        return 0
