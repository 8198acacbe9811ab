"""The parts of a knowledge pack, as frozen values; a pack file is these, written as YAML, TOML or JSON."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from fathom.knowledge.phrases import holds_any
from fathom.knowledge.sql import columns_of, valid_sql


def _one_or_many(value: object) -> object:
    return (value,) if isinstance(value, str) else value


def _meaning(value: object) -> object:
    return {"meaning": value} if not isinstance(value, Mapping | ValueMeaning) else value


Texts = Annotated[tuple[str, ...], BeforeValidator(_one_or_many)]
Sql = Annotated[str, AfterValidator(valid_sql)]
Sqls = Annotated[tuple[Sql, ...], BeforeValidator(_one_or_many)]


class Part(BaseModel):
    """Base of the parts of a pack: frozen, no unknown keys, numbers accepted where text is expected."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", coerce_numbers_to_str=True, str_strip_whitespace=True
    )


class ValueMeaning(Part):
    """The meaning of one stored value, with other words people use for it."""

    meaning: str
    synonyms: Texts = ()

    @property
    def words(self) -> tuple[str, ...]:
        """Every phrase that stands for the value."""
        return (self.meaning, *self.synonyms)


class ColumnNote(Part):
    """Knowledge about a column.

    `name` is a readable name; `values` maps values as stored (as text) to their meanings, and need not be
    complete; `separator` is the one between the items of a cell that holds several. `match` says how a value
    of a question is compared: `exact`; `ignore-case`; `item`, a whole item of a cell with several (never a
    substring of one); or `contains`.
    """

    name: str = ""
    description: str = ""
    synonyms: Texts = ()
    values: Mapping[str, Annotated[ValueMeaning, BeforeValidator(_meaning)]] = Field(default_factory=dict)
    unit: str = ""
    format: str = Field(default="", description="How values are written, such as YYMMDD.")
    separator: str = Field(default="", description="What stands between the items of one cell.")
    match: Literal["exact", "ignore-case", "item", "contains"] | None = None
    note: str = ""

    @model_validator(mode="after")
    def _item_needs_separator(self) -> Self:
        if self.match == "item" and not self.separator:
            raise ValueError("match 'item' needs a separator: what stands between the items of a cell")
        return self


class TableNote(Part):
    """Knowledge about a table; `columns` by column name, in any case."""

    name: str = ""
    description: str = ""
    synonyms: Texts = ()
    columns: Mapping[str, ColumnNote] = Field(default_factory=dict)

    @cached_property
    def _folded(self) -> dict[str, ColumnNote]:
        return {n.casefold(): c for n, c in self.columns.items()}

    def column(self, name: str) -> ColumnNote | None:
        """The note on a column, in any case; None without one."""
        return self._folded.get(name.casefold())


class Term(Part):
    """A word or phrase of people, and what it refers to in the database.

    One of: `tables` alone (the term names a table); `column` ("table.column", or "column" of `tables`), with
    `value` if it names a value of that column; `condition`, SQL that holds for the rows meant; `expression`,
    SQL that computes what is meant. Columns without a table are those of whichever of `tables` is used.
    """

    term: str = Field(min_length=1)
    synonyms: Texts = ()
    meaning: str = ""
    tables: Texts = ()
    column: str | None = None
    value: str | None = None
    condition: Sql | None = None
    expression: Sql | None = None

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        given = [n for n in ("column", "condition", "expression") if getattr(self, n)]
        if len(given) > 1:
            raise ValueError(f"a term refers to one thing; here are {' and '.join(given)}")
        if self.value is not None and not self.column:
            raise ValueError("a value needs the column that holds it")
        if not (given or self.tables or self.meaning or self.synonyms):
            raise ValueError("a term needs a meaning, or what it refers to")
        return self

    @property
    def words(self) -> tuple[str, ...]:
        """The term and its synonyms."""
        return (self.term, *self.synonyms)


class When(Part):
    """When a convention applies: all of the fields that are given must hold.

    `tables`: the query uses one of them. `words`: the question holds one of these words or phrases (whole
    words, any case); `without_words`: none of these. `columns`: the query filters or selects one of them;
    `without_conditions_on`: the question itself sets no condition on any of these columns. `query`: `rows`
    for queries that list rows, `aggregate` for those that count or calculate.
    """

    tables: Texts = ()
    columns: Texts = ()
    words: Texts = ()
    without_words: Texts = ()
    without_conditions_on: Texts = ()
    query: Literal["any", "rows", "aggregate"] = "any"


class Adds(Part):
    """The SQL that a convention adds; each table of `when.tables` that the query uses gets its own.

    `conditions` are joined by AND; `select` names columns to put first in the list of selected ones;
    `limit` and `order_by` are used only where the query has none.
    """

    conditions: Sqls = ()
    select: Texts = ()
    order_by: Sqls = ()
    limit: int | None = Field(default=None, gt=0)


class Convention(Part):
    """An expert's habit in queries. `rule` states it for people; without `adds` it is advice only."""

    name: str = Field(min_length=1)
    rule: str = Field(min_length=1)
    source: str = ""
    when: When = When()
    adds: Adds = Adds()

    def applies(
        self,
        question: str,
        tables: Iterable[str],
        *,
        columns: Iterable[str] = (),
        conditions_on: Iterable[str] = (),
        aggregate: bool = False,
    ) -> bool:
        """True if the convention applies to a question whose query uses these tables and columns.

        `conditions_on` are the columns that the question's own conditions are about; names in any case,
        columns with or without their table.
        """
        when = self.when
        return (
            (not when.tables or _share(when.tables, tables))
            and (not when.columns or _share(when.columns, columns))
            and not _share(when.without_conditions_on, conditions_on)
            and (not when.words or holds_any(question, when.words))
            and not holds_any(question, when.without_words)
            and when.query in ("any", "aggregate" if aggregate else "rows")
        )

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that its SQL names, as written ("column" or "table.column")."""
        sql = (*self.adds.conditions, *self.adds.order_by)
        return tuple(dict.fromkeys((*self.adds.select, *(c for s in sql for c in columns_of(s)))))


class JoinHint(Part):
    """How two tables join: `columns` of `table` equal `target_columns` of `target_table`, pairwise."""

    table: str
    columns: Texts = Field(min_length=1)
    target_table: str
    target_columns: Texts = Field(min_length=1)
    note: str = ""

    @model_validator(mode="after")
    def _pairwise(self) -> Self:
        if len(self.columns) != len(self.target_columns):
            raise ValueError("columns and target_columns pair up, so both need the same number of names")
        return self


class Conflict(Part):
    """Two packs said different things under one key; the later one won."""

    key: str
    earlier: str
    later: str


def _share(names: Iterable[str], used: Iterable[str]) -> bool:
    """True if a name of the one is among the other, where "column" also stands for "table.column"."""
    wanted = [n.casefold() for n in names]
    found = [u.casefold() for u in used]
    return any(w == f or w.endswith("." + f) or f.endswith("." + w) for w in wanted for f in found)
