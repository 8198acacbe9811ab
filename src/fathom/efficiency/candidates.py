"""Indexes that might help a query: by what its conditions, joins, groups and orders look at."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from fathom.efficiency.tree import Unclear, read_query, sources
from fathom.records import Schema, Table

_WIDEST = 3
_RANGES = (exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between, exp.Like)
_EQUALITIES = (exp.EQ, exp.In, exp.Is)


@dataclass(frozen=True, slots=True, order=True)
class Index:
    """Columns of a table, in the order in which an index would hold them."""

    table: str
    columns: tuple[str, ...]

    @property
    def name(self) -> str:
        """The name that it is proposed under."""
        return "_".join(("ix", *"_".join((self.table, *self.columns)).replace(".", "_").split()))

    def create(self, dialect: str) -> str:
        """The statement that makes it."""
        target = ".".join(_quoted(part, dialect) for part in self.table.rpartition(".")[::2] if part)
        columns = ", ".join(_quoted(c, dialect) for c in self.columns)
        return f"CREATE INDEX {_quoted(self.name, dialect)} ON {target} ({columns})"

    def drop(self, dialect: str) -> str:
        """The statement that takes it away again."""
        parts = (self.table.rpartition(".")[0], self.name)
        return f"DROP INDEX {'.'.join(_quoted(part, dialect) for part in parts if part)}"


@dataclass(slots=True)
class _Uses:
    """The uses of one item of a FROM clause: its columns by kind of use, in the order in which they come."""

    table: Table
    equal: list[str] = field(default_factory=list)
    joined: list[str] = field(default_factory=list)
    ranged: list[str] = field(default_factory=list)
    sorted: list[str] = field(default_factory=list)


def candidates(sql: str, schema: Schema) -> list[Index]:
    """Indexes that might help a query, those that a key already gives left out; none where it isn't clear."""
    try:
        uses = _uses(read_query(sql, schema), schema)
    except Unclear:
        return []
    return list(
        dict.fromkeys(index for use in uses for index in _indexes(use) if not _is_key(index, use.table))
    )


def _uses(tree: exp.Query, schema: Schema) -> list[_Uses]:
    found: dict[tuple[int, str], _Uses] = {}
    for column in tree.find_all(exp.Column):
        how = _how(column)
        select = column.parent_select
        while how and select is not None:
            source = next((s for s in sources(select, schema) if s.alias == column.table.casefold()), None)
            if source is None:
                select = select.parent_select
                continue
            if source.table is not None and not source.table.is_view:
                use = found.setdefault((id(select), source.alias), _Uses(source.table))
                names: list[str] = getattr(use, how)
                name = source.table.column(column.name).name
                if name not in names:
                    names.append(name)
            break
    return list(found.values())


def _how(column: exp.Column) -> str:
    """For what a condition or clause looks at a column; empty where an index on it has no say."""
    above = column.parent
    if isinstance(above, _EQUALITIES):
        sides = [above.this, above.args.get("expression")]
        return "joined" if all(isinstance(side, exp.Column) for side in sides) else "equal"
    if isinstance(above, _RANGES):
        return "ranged"
    return "sorted" if isinstance(above, exp.Group | exp.Ordered) else ""


def _indexes(use: _Uses) -> Iterator[Index]:
    ways: Iterator[Sequence[str]] = iter((
        *((c,) for c in (*use.equal, *use.joined, *use.ranged, *use.sorted)),
        (*use.equal,),
        *((*use.equal, c) for c in (*use.joined, *use.ranged)),
        *((c, *use.equal) for c in use.joined),
        *((c, r) for c in use.joined for r in use.ranged),
        (*use.equal, *use.sorted),
        (*use.sorted,),
    ))  # fmt: skip
    for columns in ways:
        kept = tuple(dict.fromkeys(columns))[:_WIDEST]
        if kept:
            yield Index(use.table.name, kept)


def _is_key(index: Index, table: Table) -> bool:
    """True if a declared key begins with these columns: the engine has an index for it."""
    return any(key[: len(index.columns)] == index.columns for key in (table.primary_key, *table.unique))


def _quoted(name: str, dialect: str) -> str:
    return exp.to_identifier(name, quoted=True).sql(dialect=dialect)
