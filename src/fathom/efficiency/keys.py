"""Facts about a query's rows from declared keys: columns that decide all others, columns never NULL."""

from collections.abc import Iterable, Mapping

from sqlglot import exp

from fathom.efficiency.tree import FromItem, Unclear, conjuncts, filters, sources
from fathom.records import Schema, Table

Place = tuple[str, str]
"""A column as alias and name, both folded."""


def place(column: exp.Column) -> Place:
    """The alias and name of a column."""
    return column.table.casefold(), column.name.casefold()


def unique_keys(table: Table) -> list[frozenset[str]]:
    """Sets of columns of which no two rows have the same values, NULL apart."""
    return [frozenset(c.casefold() for c in key) for key in (table.primary_key, *table.unique) if key]


def never_null(table: Table, column: str, dialect: str) -> bool:
    """True if no row can hold NULL there. SQLite alone takes NULL in a primary key, but for its row id."""
    found = table.column(column)
    if not found.nullable:
        return True
    key = [c.casefold() for c in table.primary_key]
    if found.name.casefold() not in key or table.is_view:
        return False
    return dialect != "sqlite" or (len(key) == 1 and found.type.casefold() == "integer")


def column_never_null(column: exp.Column, select: exp.Select, schema: Schema) -> bool:
    """True if a column of this query's own tables is never NULL: not where an outer join may leave it out."""
    alias, name = place(column)
    source = next((s for s in sources(select, schema) if s.alias == alias), None)
    if source is None or source.table is None or any(j.side for j in select.args.get("joins") or ()):
        return False
    return never_null(source.table, name, schema.dialect)


def decides_rows(select: exp.Select, columns: Iterable[exp.Column], schema: Schema) -> bool:
    """True if no two rows of the joined tables agree in these columns, by declared keys and equalities."""
    try:
        tables = {s.alias: s for s in sources(select, schema)}
    except Unclear:
        return False
    sides = {j.alias_or_name.casefold(): j.side for j in select.args.get("joins") or ()}
    if any(s.table is None for s in tables.values()) or not set(sides.values()) <= {"", "LEFT"}:
        return False
    known = {place(c) for c in columns}
    equal = list(_equalities(select))
    while True:
        before = len(known)
        for source in tables.values():
            if _is_decided(source, known, schema.dialect):
                known |= {(source.alias, c) for c in source.columns}
        known |= {target for origin, target in equal if origin is None or origin in known}
        if len(known) == before:
            return all(_is_decided(s, known, schema.dialect) for s in tables.values())


def _is_decided(source: FromItem, known: set[Place], dialect: str) -> bool:
    table = source.table
    return table is not None and any(
        all((source.alias, c) in known and never_null(table, c, dialect) for c in key)
        for key in unique_keys(table)
    )


def _equalities(select: exp.Select) -> Iterable[tuple[Place | None, Place]]:
    """Where a column is known once another one is; None stands for a constant."""
    for condition in filters(select):
        yield from _both_ways(condition)
    for join in select.args.get("joins") or ():
        right = join.alias_or_name.casefold()
        for condition in conjuncts(join.args.get("on")):
            # The columns that a left join adds follow from the left, but not the other way: nothing may
            # match.
            yield from (
                (origin, target)
                for origin, target in _both_ways(condition)
                if not join.side or target[0] == right
            )


def _both_ways(condition: exp.Expr) -> Iterable[tuple[Place | None, Place]]:
    if not isinstance(condition, exp.EQ):
        return
    for one, other in ((condition.left, condition.right), (condition.right, condition.left)):
        if isinstance(other, exp.Column):
            if isinstance(one, exp.Column):
                yield place(one), place(other)
            elif isinstance(one, exp.Literal):
                yield None, place(other)


def joined_on_key(join: exp.Join, source: FromItem) -> Mapping[str, exp.Expr] | None:
    """The other sides of the equalities that join a table on one of its keys; None where none is met."""
    if source.table is None:
        return None
    equal: dict[str, exp.Expr] = {}
    for condition in conjuncts(join.args.get("on")):
        if not isinstance(condition, exp.EQ):
            return None
        sides = [condition.left, condition.right]
        own = [s for s in sides if isinstance(s, exp.Column) and s.table.casefold() == source.alias]
        if len(own) != 1:
            return None
        equal[own[0].name.casefold()] = next(s for s in sides if s is not own[0])
    return equal if any(key <= set(equal) for key in unique_keys(source.table)) else None
