"""Headings that people understand: `COUNT(*)` over customers is “Number of customers”."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from types import MappingProxyType

from sqlglot import exp

from fathom.answering.explain import brief
from fathom.answering.expressions import counted_where, part_of_date, uncast
from fathom.answering.joined_tables import ReadTable, finest_tables
from fathom.answering.phrases import Phrases
from fathom.databases.parsing import parsed
from fathom.knowledge import ColumnNote, KnowledgePack
from fathom.records import Schema
from fathom.records.schema import NUMERIC, TIMED
from fathom.text.identifiers import spoken
from fathom.text.inflection import plural, singular
from fathom.text.patterns import Pattern

LONGEST = 48
"""Letters of a heading; a longer one is replaced by a shorter word for the same."""
_CALCULATED, _PERCENTAGE, _SHARE, _RATIO = "Calculated", "Percentage (%)", "Share", "Ratio"
SHORTENED = frozenset(
    (_CALCULATED, _PERCENTAGE, _SHARE, _RATIO, "Percentage", "Difference", "Change", "Change in per cent")
)
"""Headings that leave out what a figure is calculated of."""
_GENERIC = frozenset("name title description type status code number date total amount id".split())
"""Words that say little without the table's name before them."""
_EXTREMES: Mapping[type[exp.Expression], tuple[str, str]] = MappingProxyType(
    {exp.Max: ("Highest", "Latest"), exp.Min: ("Lowest", "Earliest")}
)
_UNITS = {
    "usd": "USD", "eur": "EUR", "gbp": "GBP", "chf": "CHF", "jpy": "JPY", "pct": "%", "percent": "%",
    "kg": "kg", "km": "km", "cm": "cm", "mm": "mm", "ml": "ml", "mg": "mg", "kwh": "kWh", "mhz": "MHz",
    "ms": "ms", "mb": "MB", "gb": "GB", "dollars": "USD", "euros": "EUR", "euro": "EUR", "kilograms": "kg",
    "kilometers": "km", "kilometres": "km", "meters": "m", "metres": "m", "centimeters": "cm", "%": "%",
    "seconds": "seconds", "minutes": "minutes", "hours": "hours", "years": "years", "days": "days",
}  # fmt: skip
"""Units by the words for them that end names ("price_usd") and stand in descriptions ("height in cm")."""
_TOLD_UNIT = Pattern(
    r"\b(?:in|as)\s+(?:us\s+|u\.s\.\s+)?([\w%]+)|\(\s*(?:in\s+)?([\w%]+)\s*\)", re.IGNORECASE
)
_PRICES = frozenset("price cost fee rate".split())
_HUNDRED = frozenset({"100", "100.0", "100.00"})
_AMOUNTS = frozenset("quantity qty units count amount".split())


_WHEN: Mapping[str, str] = MappingProxyType({"on": "date", "at": "time"})
"""The words for a column whose name ends so, as that of `ordered_on` does."""


class Headings:
    """Names what a query shows, from its parse, the schema, and a knowledge pack's names and units."""

    def __init__(self, query: exp.Select, schema: Schema, knowledge: KnowledgePack) -> None:
        """Read which tables the query reads."""
        self._schema, self._query = schema, query
        self._notes = {name.casefold(): note for name, note in knowledge.tables.items()}
        self.sources = tuple(self._sources(query))
        phrases = Phrases.of_query(query, lambda _: [])
        self._phrases = replace(phrases, say=spoken, for_sentences=True)

    def of(self, item: exp.Expr) -> str:
        """The heading of one item of a select list."""
        if isinstance(item, exp.Alias) and not item.alias.startswith("_"):
            return capital(spoken(item.alias))
        calculated = uncast(item.unalias())
        told = self._told(calculated)
        return told if len(told) <= LONGEST else _quotient(calculated) or _CALCULATED

    def source_of(self, column: exp.Column) -> ReadTable | None:
        """The table of a column; None where it is one of a query's inside, or several tables have it."""
        if column.table:
            return next((s for s in self.sources if s.alias == column.table), None)
        having = [s for s in self.sources if self._has(s.table, column.name)]
        return having[0] if len(having) == 1 else None

    def _sources(self, query: exp.Select) -> Iterator[ReadTable]:
        clauses = (query.args.get("from_"), *(query.args.get("joins") or ()))
        for table in (clause.this for clause in clauses if clause is not None):
            if isinstance(table, exp.Table):
                qualified = f"{table.db}.{table.name}" if table.db else table.name
                name = self._schema.table(qualified).name if qualified in self._schema else table.name
                note = self._notes.get(name.casefold())
                said = note.name if note is not None and note.name else spoken(name)
                yield ReadTable(table.alias_or_name, name, singular(said))

    def noun(self, query: exp.Select, *, each: bool) -> str:
        """Name the rows of the result, in the plural; for `each`, as if no two of them began alike."""
        keys = query.args["group"].expressions if query.args.get("group") else ()
        if not keys and query.args.get("distinct") and len(query.expressions) == 1:
            keys = [query.expressions[0].unalias()]
        if keys:
            return self._groups(keys)
        first = query.expressions[0].unalias()
        if isinstance(first, exp.Star):
            return self.rows if len(self.sources) == 1 else "rows"
        of = self.source_of(first) if isinstance(first, exp.Column) else None
        return plural(of.called) if of is not None and (each or plural(of.called) == self.rows) else "rows"

    def _groups(self, keys: Sequence[exp.Expr]) -> str:
        for key in keys:
            if isinstance(key, exp.Column) and (rows := self.identified(key)):
                return rows
        if len(keys) > 1:
            return "rows"
        (key,) = keys
        if unit := part_of_date(key):
            return plural(unit)
        source = self.source_of(key) if isinstance(key, exp.Column) else None
        if source is None or not isinstance(key, exp.Column):
            return "rows"
        said = spoken(key.name)
        return plural(source.called if said in {"name", "title"} else said.removesuffix(" name"))

    @property
    def rows(self) -> str:
        """Name the joined rows, in the plural: of several tables the one that no other refers to."""
        return plural(self.finest[0].called) if len(self.finest) == 1 else "rows"

    @cached_property
    def finest(self) -> list[ReadTable]:
        """The tables that no other of the query refers to."""
        return finest_tables(self._query, self.sources, self.source_of, self._schema)

    def _told(self, item: exp.Expr) -> str:  # noqa: PLR0911, a table of kinds reads best as one
        match item:
            case exp.Column():
                return self._column(item)
            case exp.Count():
                return self._count(item)
            case exp.Sum() if (condition := counted_where(item.this)) is not None:
                return f"Number where {self._phrases.of(condition)}"
            case exp.Sum() | exp.Avg():
                return self._total(item)
            case exp.Max() | exp.Min() if isinstance(item.this, exp.Column):
                said = self._column(item.this)
                return f"{_EXTREMES[type(item)][self.is_date(item.this)]} {lower_first(said)}"
            case exp.Window():
                return self._window(item)
        if unit := part_of_date(item):
            return unit.capitalize()
        return capital((brief(item) or self._phrases.of(item)).removeprefix("the "))

    def _column(self, column: exp.Column) -> str:
        if isinstance(column.this, exp.Star):
            return "Everything"
        said, source = self._said(column), self.source_of(column)
        if said.casefold() in _GENERIC and source is not None and len(self.sources) > 1:
            said = f"{source.called} {said}"
        return _with_unit(capital(said), self._unit(column))

    def _said(self, column: exp.Column) -> str:
        """Name a column as people do, without the unit that its name ends with."""
        note = self._note(column)
        words = (note.name if note is not None and note.name else spoken(column.name)).split()
        return " ".join(words[:-1] if len(words) > 1 and _UNITS.get(words[-1].casefold()) else words)

    def _unit(self, column: exp.Column) -> str:
        """The unit of a column's numbers: of its note, else as its name or description tells it."""
        note = self._note(column)
        if note is not None and note.unit:
            return note.unit
        if named := _UNITS.get(spoken(column.name).split()[-1].casefold()):
            return named if len(spoken(column.name).split()) > 1 else ""
        source = self.source_of(column)
        held = (
            self._schema.table(source.table).column(column.name)
            if source and self._has(source.table, column.name)
            else None
        )
        if held is None or held.kind not in NUMERIC:
            return ""
        told = f"{held.comment or ''} {note.description if note is not None else ''}"
        units = (_UNITS.get((a or b).casefold(), "") for a, b in _TOLD_UNIT.findall(told))
        return next(filter(None, units), "")

    def _note(self, column: exp.Column) -> ColumnNote | None:
        source = self.source_of(column)
        note = self._notes.get(source.table.casefold()) if source is not None else None
        return note.column(column.name) if note is not None else None

    def _count(self, count: exp.Count) -> str:
        counted = count.this
        if isinstance(counted, exp.Distinct) and len(counted.expressions) == 1:
            (column,) = counted.expressions
            if isinstance(column, exp.Column):
                said = self.date_words(column) or spoken(column.name)
                return f"Number of {self.identified(column) or f'different {_plural_date(said)}'}"
        if isinstance(counted, exp.Column) and (rows := self.identified(counted)):
            return f"Number of {rows}"
        if isinstance(counted, exp.Column):
            return f"Number with {spoken(counted.name)}"
        return f"Number of {self.rows}"

    def identified(self, column: exp.Column) -> str:
        """The rows that a key identifies, in the plural; empty for what is no key."""
        source = self.source_of(column)
        if source is None or source.table not in self._schema:
            return ""
        if self._schema.table(source.table).primary_key == (column.name,):
            return plural(source.called)
        for key in self._schema.foreign_keys:
            if (key.table, key.columns) == (source.table, (column.name,)):
                others = (s.called for s in self.sources if s.table == key.target_table)
                return plural(next(others, singular(spoken(key.target_table))))
        return ""

    def _total(self, item: exp.Sum | exp.Avg) -> str:
        added = uncast(item.this)
        opening = "Total" if isinstance(item, exp.Sum) else "Average"
        if not isinstance(added, exp.Column):
            words = {w for c in added.find_all(exp.Column) for w in spoken(c.name).split()}
            if isinstance(added, exp.Mul) and words & _PRICES and words & _AMOUNTS:
                return f"{opening} amount" if opening == "Average" else "Total amount"
            return f"{opening} of {self._phrases.of(added).removeprefix('the ')}"
        said, source, unit = self._said(added), self.source_of(added), self._unit(added)
        if said == "total" and source is not None:
            of = f"of {plural(source.called)}" if opening == "Total" else f"{source.called} total"
            return _with_unit(f"{opening} {of}", unit)
        repeated = said.startswith("total ") and opening == "Total"
        return _with_unit(capital(said) if repeated else f"{opening} {said}", unit)

    def _window(self, window: exp.Window) -> str:
        function = window.this
        if isinstance(function, exp.Sum) and window.args.get("order") is not None:
            inner = function.this if isinstance(function.this, exp.AggFunc) else function
            return f"Running {lower_first(self._told(inner))}"
        return capital((brief(window) or self._phrases.of(window)).removeprefix("the "))

    def date_words(self, column: exp.Column) -> str:
        """A date by what happened, as “date ordered” for `ordered_on`; "" for what isn't called so."""
        happened, _, when = self._said(column).rpartition(" ")
        return f"{_WHEN[when]} {lower_first(happened)}" if when in _WHEN and self.is_date(column) else ""

    def is_date(self, column: exp.Column) -> bool:
        """True for a column of days or times."""
        return self.kind_of(column) in TIMED

    def kind_of(self, column: exp.Column) -> str:
        """The kind of a column of the database; "" where it is none."""
        source = self.source_of(column)
        if source is None or not self._has(source.table, column.name):
            return ""
        return self._schema.table(source.table).column(column.name).kind

    def _has(self, table: str, column: str) -> bool:
        return table in self._schema and any(
            c.name.casefold() == column.casefold() for c in self._schema.table(table).columns
        )


def noun_for(sql: str, dialect: str, schema: Schema, knowledge: KnowledgePack, *, each: bool = False) -> str:
    """Name the rows of a query's result, in the plural; "rows" where it can't be told.

    For `each`, as if no two rows began alike.
    """
    query = parsed(sql, dialect)
    while isinstance(query, exp.SetOperation | exp.Subquery):
        each_once = isinstance(query, exp.SetOperation) and bool(query.args.get("distinct"))
        query = query.this.distinct() if each_once and isinstance(query.this, exp.Select) else query.this
    if not isinstance(query, exp.Select) or not query.expressions:
        return "rows"
    try:
        return Headings(query, schema, knowledge).noun(query, each=each)
    except RecursionError:
        return "rows"


def headings(
    sql: str, columns: Sequence[str], dialect: str, schema: Schema, knowledge: KnowledgePack
) -> tuple[str, ...]:
    """A heading in words for each column of a query's result, no two alike.

    What can't be told from the query is told from the column's own name.
    """
    query = parsed(sql, dialect)
    while isinstance(query, exp.SetOperation | exp.Subquery):
        each_once = isinstance(query, exp.SetOperation) and bool(query.args.get("distinct"))
        query = query.this.distinct() if each_once and isinstance(query.this, exp.Select) else query.this
    found = [capital(spoken(name)) or name for name in columns]
    if isinstance(query, exp.Select) and not query.is_star and len(query.expressions) == len(columns):
        try:
            naming = Headings(query, schema, knowledge)
            found = [naming.of(item) for item in query.expressions]
        except RecursionError:  # as deep as it is long; the names of the columns will do
            pass
    return tuple(_apart(found))


def empty_tables(sql: str, dialect: str, schema: Schema) -> tuple[str, ...]:
    """The tables that a query reads and that have no rows."""
    query = parsed(sql, dialect)
    read = {t.name.casefold() for t in query.find_all(exp.Table)} if query is not None else set()
    return tuple(
        t.name for t in schema.tables
        if t.row_count == 0 and not t.rows_estimated and t.name.rpartition(".")[2].casefold() in read
    )  # fmt: skip


def _apart(found: Sequence[str]) -> Iterator[str]:
    """The headings, with a number behind those that stood before."""
    seen: dict[str, int] = {}
    for heading in found:
        seen[heading] = seen.get(heading, 0) + 1
        yield heading if seen[heading] == 1 else f"{heading} {seen[heading]}"


def _quotient(item: exp.Expr) -> str:
    """“Percentage (%)”, “Share” or “Ratio” for a quotient that takes too many words; "" for others."""
    while isinstance(item, exp.Round | exp.Paren):
        item = uncast(item.this)
    sides = [uncast(s) for s in (item.left, item.right)] if isinstance(item, exp.Div | exp.Mul) else []
    if isinstance(item, exp.Mul) and any(s.name in _HUNDRED for s in sides):
        return _PERCENTAGE if any(_quotient(side) for side in sides) else ""
    if not isinstance(item, exp.Div):
        return ""
    over = sides[0]
    if isinstance(over, exp.Mul) and any(uncast(s).name in _HUNDRED for s in (over.left, over.right)):
        return _PERCENTAGE
    return _SHARE if over.find(exp.Case) is not None else _RATIO


def _plural_date(said: str) -> str:
    first, blank, rest = said.partition(" ")
    return f"{plural(first)}{blank}{rest}" if first in _WHEN.values() else plural(said)


def _with_unit(said: str, unit: str) -> str:
    return f"{said} ({unit})" if unit else said


def capital(words: str) -> str:
    """Words with the first letter a capital."""
    return words[:1].upper() + words[1:]


def lower_first(words: str) -> str:
    """Words as they stand within others: an abbreviation stays."""
    return words if words[1:2].isupper() else words[:1].lower() + words[1:]
