"""The names of a database's measures, of its columns of names and dates, and of its values."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from os.path import commonprefix
from typing import Any

import yaml

from fathom.analysis.quantities import Field, Measure, Quantity
from fathom.analysis.queries import DateForm, Queries
from fathom.databases import Database
from fathom.databases.names import stem_of, words_of
from fathom.errors import QueryError
from fathom.knowledge import KnowledgePack, TableNote
from fathom.records import Column, ColumnProfile, Limits, Table
from fathom.records.schema import DATED, NUMERIC
from fathom.retrieval.names import parts
from fathom.text.identifiers import identifier_parts, long_form
from fathom.text.inflection import in_number, singular
from fathom.text.run_together import taken_apart
from fathom.text.words import words

WORDS: Mapping[str, Any] = yaml.safe_load((files(__package__) / "words.yaml").read_text(encoding="utf-8"))
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]|$)")
_MOST_GROUPS = 60
"""Groups that people compare; of more, only the first few are looked at."""
_MOST_NAMES = 5_000
"""Values of a column that a sentence may name."""
_LONGEST_NAME = 80
_YEARS = range(1500, 2200)
_LOOK_UP = Limits(seconds=10.0, rows=_MOST_NAMES)
_SHORTEST_PREFIX, _LONGEST_PREFIX = 2, 4
_FEW = 3
"""Columns; of fewer a shared beginning is chance."""
_NO_NOTE = TableNote()

Stems = tuple[str, ...]


class Vocabulary:
    """The words of one database, from its profile; its values are read when first asked for."""

    def __init__(self, database: Database, knowledge: KnowledgePack | None = None) -> None:
        self.database = database
        self._notes = {t.casefold(): n for t, n in (knowledge or KnowledgePack()).tables.items()}
        self._profiles = database.profile()
        self._prefix = _common_prefix([t.name for t in database.schema.tables])
        self._keys = {
            Field(table, column)
            for key in database.schema.foreign_keys
            for table, columns in ((key.table, key.columns), (key.target_table, key.target_columns))
            for column in columns
        }
        self._keys |= {Field(t.name, c) for t in database.schema.tables for c in t.primary_key}
        self.queries = Queries(database, self.dates)
        self.learned: dict[Stems, dict[Measure, None]] = {}
        """Measures by words that name them and stand in no schema, as "revenue" does; see `learn`."""
        self._said: dict[Measure, str] = {}

    @cached_property
    def dates(self) -> dict[Field, DateForm]:
        """The columns that date rows, and how they keep it."""
        found: dict[Field, DateForm] = {}
        for table, column, profile in self._columns():
            if form := _date_form(column, profile):
                found[Field(table.name, column.name)] = form
        return found

    @cached_property
    def numbers(self) -> tuple[Field, ...]:
        """The columns of numbers that can be calculated with: no keys, codes or years."""
        coded = set(WORDS["codes"])
        return tuple(
            field
            for table, column, profile in self._columns()
            if column.kind in NUMERIC
            and (field := Field(table.name, column.name)) not in self._keys
            and field not in self.dates
            and not stem_of(words_of(column.name))[1]
            and not coded & set(parts(column.name))
            and (profile.distinct or 0) > (1 if column.kind == "number" else 2)
            and not isinstance(profile.minimum, str)
        )

    @cached_property
    def groups(self) -> tuple[Field, ...]:
        """The columns of names whose values make groups to compare."""
        return tuple(
            Field(table.name, column.name)
            for table, column, profile in self._columns()
            if _is_naming(column, profile)
            and 2 <= (profile.distinct or 0) <= _MOST_GROUPS
            and not stem_of(words_of(column.name))[1]
        )

    @cached_property
    def names(self) -> tuple[Field, ...]:
        """The columns that name rows, however many these are: of products there may be thousands."""
        return tuple(
            Field(table.name, column.name)
            for table, column, profile in self._columns()
            if _is_naming(column, profile)
            and profile.distinct == profile.rows_seen
            and set(parts(column.name)) & set(WORDS["naming"])
        )

    def measures(self, table: str) -> tuple[Measure, ...]:
        """List the measures of a table's rows: their count, and the total or the average of each number."""
        found = [Measure("count", table)]
        for field in self.numbers:
            if field.table == table:
                found += [Measure("sum", table, field.column)] if self.adds_up(field) else []
                found.append(Measure("avg", table, field.column))
        return tuple(found)

    def adds_up(self, field: Field) -> bool:
        """True if a total of the column means something: of prices or rates it doesn't."""
        return not set(WORDS["averaged"]) & set(parts(field.column))

    def amounts(self, table: str) -> tuple[Field, ...]:
        """The columns that a table's rows may stand for: "sales rose" may mean the sum of their prices."""
        named = set(WORDS["amounts"])
        return tuple(f for f in self.numbers if f.table == table and named & set(parts(f.column)[-1:]))

    def learn(self, said: str, measure: Measure) -> None:
        """Take words for a measure, beside those that they are taken for already."""
        self.learned.setdefault(stems_of(said), {})[measure] = None
        self._said.setdefault(measure, said)

    def phrase(self, measure: Measure) -> str:
        """Words that are read as the measure: those that were learned for it, else its name."""
        return self._said.get(measure) or self.measure_name(measure)

    def is_learned(self, measure: Measure) -> bool:
        """True if words were taken for the measure that stand in no schema."""
        return measure in self._said

    def is_money(self, measure: Measure) -> bool:
        """True if a measure may be stated in a currency."""
        # By its column: "total quantity" has a word of money that only tells how it is summed.
        named = parts(measure.column) if measure.column else stems_of(self.phrase(measure))
        return measure.function != "count" and bool(set(WORDS["money"]) & set(named))

    def is_key(self, field: Field) -> bool:
        """True if a column tells rows apart or refers to other rows, and names nothing to people."""
        return field in self._keys

    @cached_property
    def people(self) -> tuple[Field, ...]:
        """The names of people that stand in two columns, a first and a last one; no two rows share one."""
        found = []
        for table in self.database.schema.tables:
            held = {" ".join(parts(c.name)): c.name for c in table.columns}
            first, last = (
                next((held[w] for w in WORDS[part] if w in held), None)
                for part in ("first_names", "last_names")
            )
            if first and last and not table.is_view:
                found.append(Field(table.name, first, last))
        return tuple(f for f in found if len(names := list(self._names_of(f))) == len(set(names)))

    def is_name_of_rows(self, field: Field) -> bool:
        """True if each row of a column's table has a value of its own there: the name of a genre."""
        if field.last:
            return True
        profile = self._profiles[field.table].columns[field.column]
        return profile.distinct is not None and profile.distinct == profile.rows_seen

    def groups_of(self, table: str) -> list[Field]:
        """The columns that group a table's rows, its own first, then those of what they belong to."""
        far = [(d, f) for f in self.groups if (d := self.queries.reachable(table, f.table)) is not None]
        return [field for _, field in sorted(far, key=lambda pair: pair[0])]

    def dates_of(self, table: str) -> list[Field]:
        """The columns that date a table's rows, its own first, then those of what they belong to."""
        far = [(d, f) for f in self.dates if (d := self.queries.reachable(table, f.table)) is not None]
        return [field for _, field in sorted(far, key=lambda pair: pair[0])]

    # Names of things

    def table_name(self, table: str, *, plural: bool = True) -> str:
        """Name a table's rows."""
        said = self._note(table).name or _spelt(self._bare(table))
        return in_number(said.split(" "), many=plural)

    def field_name(self, field: Field) -> str:
        """Name a column: `Genre.Name` is the genre."""
        if field.last:
            return self.table_name(field.table, plural=False)
        note = self._note(field.table).column(field.column)
        if note and note.name:
            return note.name
        said = _spelt(field.column)
        if said in WORDS["naming"]:
            return f"{self.table_name(field.table, plural=False)} {said}"
        return said

    def measure_name(self, measure: Measure) -> str:
        """A measure in words: "number of orders", "total freight of orders"."""
        rows = self.table_name(measure.table)
        if measure.expression:
            return f"{WORDS['said'][measure.function]} {self._said.get(measure, 'value')} of {rows}"
        if measure.column is None:
            return f"number of {rows}"
        said, function = (
            self.field_name(Field(measure.table, measure.column)),
            WORDS["said"][measure.function],
        )
        if words(said)[:1] == words(function):
            return f"{said} of {rows}"
        return f"{function} {said} of {rows}"

    def name(self, quantity: Quantity) -> str:
        """A quantity in words: "number of orders with ship country Germany in March 2013"."""
        told = [self.measure_name(quantity.measure)]
        told += [f"with {self.field_name(c.field)} {shown(c.value)}" for c in quantity.where]
        if quantity.period:
            told.append(f"in {period_name(quantity.period)}")
        return " ".join(told)

    # Meanings of words

    @cached_property
    def tables(self) -> tuple[tuple[str, Stems], ...]:
        """Each table with the words that name it, a pair for each way: its name, abbreviations written out,
        the last word where no other table ends in it, the synonyms that the knowledge has."""
        found: dict[tuple[str, Stems], None] = {}
        own = {t.name: self._own_words(t.name) for t in self.database.schema.tables}
        lasts = Counter(words[-1] for words in own.values() if words)
        measured = {w for f in self.numbers for w in parts(f.column)}
        for table, spelt in own.items():
            called = stems_of(self._note(table).name)
            for way in (called or spelt, _in_full(spelt)):
                found[table, way] = None
            # "Sales" of a column `num_sales` are no rows of a table `region_sales`.
            if spelt and not called and lasts[spelt[-1]] == 1 and spelt[-1] not in measured:
                found[table, spelt[-1:]] = None
            found |= {(table, stems_of(said)): None for said in self._note(table).synonyms}
        employing = [
            t for t, spelt in own.items() if set(WORDS["person_tables"]).issuperset(spelt[-1:] or "?")
        ]
        if len(employing) == 1:
            found |= {(employing[0], stems_of(said)): None for said in WORDS["persons"]}
        return tuple((table, way) for table, way in found if way)

    def _own_words(self, table: str) -> Stems:
        return stems_of(_spelt(self._bare(table)))

    def column_words(self, field: Field) -> tuple[Stems, ...]:
        """The ways to name a column, each as words: in full, abbreviations written out, without "name", and
        as the knowledge has it."""
        own = tuple(parts(field.column))
        shorter = self._without_shared_start(field)
        table = next(stems for name, stems in self.tables if name == field.table)
        if field.last:
            return (table, (*table, "name"))
        ways = [
            own,
            stems_of(field.column.replace("_", " ")),
            _in_full(own),
            tuple(singular(part) for word in shorter for part in taken_apart(word)),
        ]
        naming = set(WORDS["naming"])
        if own and own[-1] in naming:
            ways.append(own[:-1] or table)
        if note := self._note(field.table).column(field.column):
            ways += [stems_of(said) for said in (note.name, *note.synonyms)]
        return tuple(dict.fromkeys(w for w in ways if w))

    def _without_shared_start(self, field: Field) -> tuple[str, ...]:
        """The words of a column less what all columns of its table begin with: `sbTxAmount` is the amount."""
        names = [
            c.name.casefold() for t in self.database.schema.tables if t.name == field.table for c in t.columns
        ]
        shared = len(commonprefix(names)) if len(names) > _FEW else 0  # noqa: RUF071, letters are meant
        shorter = field.column[shared:] if 2 <= shared < len(field.column) - 1 else field.column
        return tuple(parts(shorter))

    @cached_property
    def values(self) -> Mapping[str, tuple[Field, ...]]:
        """The names that stand in the data, each with the columns that hold it; as written, blanks as one."""
        found: dict[str, dict[Field, None]] = {}
        for table, column, profile in self._columns():
            if _is_naming(column, profile) and 1 <= (profile.distinct or 0) <= _MOST_NAMES:
                field = Field(table.name, column.name)
                for value in self._distinct(field):
                    found.setdefault(" ".join(value.split()), {})[field] = None
        for field in self.people:
            for value in self._names_of(field):
                found.setdefault(value, {})[field] = None
        return {value: tuple(fields) for value, fields in found.items()}

    @cached_property
    def folded_values(self) -> Mapping[Stems, tuple[tuple[str, Field], ...]]:
        """The same by their words, whatever their case and number: "antibodies" is the value Antibody."""
        found: dict[Stems, list[tuple[str, Field]]] = {}
        for value, fields in self.values.items():
            if len(value) > 1 and (stems := tuple(words(value))):
                found.setdefault(stems, []).extend((value, field) for field in fields)
        return {stems: tuple(named) for stems, named in found.items()}

    def _distinct(self, field: Field) -> Iterable[str]:
        sql = f"SELECT DISTINCT {self.database.identifier(field.table, field.column)} FROM "
        try:
            sql += self.database.identifier(field.table)
            rows = self.database.run(sql, _LOOK_UP, trusted=True).rows
        except QueryError:  # a broken view names nothing
            return []
        return [v for (v,) in rows if isinstance(v, str) and v.strip() and len(v) <= _LONGEST_NAME]

    def _names_of(self, field: Field) -> Iterable[str]:
        """The first and last names of a table's rows."""
        one, two = (self.database.identifier(field.table, c) for c in (field.column, field.last))
        table = self.database.identifier(field.table)
        try:
            rows = self.database.run(f"SELECT {one}, {two} FROM {table}", _LOOK_UP, trusted=True).rows
        except QueryError:
            return []
        return [f"{a} {b}" for a, b in rows if isinstance(a, str) and isinstance(b, str)]

    def _columns(self) -> Iterable[tuple[Table, Column, ColumnProfile]]:
        for table in self.database.schema.tables:
            profiles = self._profiles[table.name].columns
            for column in () if table.is_view else table.columns:  # a view says again what tables say
                if column.name in profiles and profiles[column.name].rows_seen:
                    yield table, column, profiles[column.name]

    def _note(self, table: str) -> TableNote:
        return self._notes.get(table.casefold()) or _NO_NOTE

    def _bare(self, table: str) -> str:
        name = table.rpartition(".")[2]
        return name[len(self._prefix) :] if name.casefold().startswith(self._prefix) else name


def stems_of(phrase: str) -> Stems:
    """The words of a phrase, but "of": `numberLinkedDiseases` is the number of linked diseases."""
    return tuple(w for w in words(phrase) if w != "of")


def shown(value: object) -> str:
    """A value of a condition, or several, as people read it."""
    return " and ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def period_name(period: Any) -> str:
    """A span in words: "March 2013", "2013", "the second quarter of 2013"."""
    start = period.start
    if period.grain == "year":
        return str(start.year)
    if period.grain == "month":
        return f"{start:%B} {start.year}"
    if period.grain == "quarter":
        return f"Q{(start.month + 2) // 3} {start.year}"
    return f"the time from {start.isoformat()} to before {period.end.isoformat()}"


def _date_form(column: Column, profile: ColumnProfile) -> DateForm | None:
    least = profile.minimum
    if column.kind in {"text", *DATED} and isinstance(least, str):
        iso = all(isinstance(s, str) and _ISO.match(s) for s in profile.samples)
        return "iso" if iso and profile.samples else None
    if column.kind in DATED:
        return "native"
    if column.kind == "integer" and "year" in parts(column.name) and isinstance(least, int):
        within = least in _YEARS and isinstance(profile.maximum, int) and profile.maximum in _YEARS
        return "year" if within and (profile.distinct or 0) > 2 else None
    return None


def _is_naming(column: Column, profile: ColumnProfile) -> bool:
    if column.kind != "text" or profile.format not in {"plain", "code"}:
        return False
    coded = set(WORDS["codes"]) & set(parts(column.name))
    return not coded and all(isinstance(s, str) and len(s) <= _LONGEST_NAME for s in profile.samples)


def _common_prefix(names: Sequence[str]) -> str:
    """The prefix that all tables share, such as `tbl` or `sb`; empty where there is none."""
    found = commonprefix([n.casefold() for n in names]) if len(names) > 2 else ""  # noqa: RUF071, letters are meant
    return found if _SHORTEST_PREFIX <= len(found) <= _LONGEST_PREFIX else ""


def _in_full(own: Stems) -> Stems:
    """Words of a name with abbreviations written out."""
    return tuple(w for at, part in enumerate(own) for w in long_form(own, at) or (part,))


def _spelt(name: str) -> str:
    found = [part.casefold() for part in identifier_parts(name)]
    # `TotalTotal` is said once.
    return " ".join(w for i, w in enumerate(found) if i == 0 or w != found[i - 1]) or name
