"""The assumptions behind an answer that the question doesn't state, read from the query itself."""

from collections.abc import Iterator, Mapping

from sqlglot import exp

from fathom.databases import Database
from fathom.databases.parsing import parsed
from fathom.records import Assumption, ForeignKey, Schema

Pair = frozenset[tuple[str, str]]


def inferred_joins(sql: str, schema: Schema) -> tuple[Assumption, ...]:
    """One assumption for each join of a query that the database doesn't declare."""
    query = parsed(sql, schema.dialect)
    if query is None:
        return ()
    inferred = {pair: key for key in schema.foreign_keys if key.inferred for pair in _pairs(key)}
    used = dict.fromkeys(inferred[pair] for pair in _joined(query) if pair in inferred)
    return tuple(Assumption("join", _told(key)) for key in used)


def rows_seen(sql: str, database: Database) -> tuple[Assumption, ...]:
    """That a query was answered from some rows of a table alone, where rights filter them."""
    filtered = database.filtered_tables
    query = parsed(sql, database.dialect) if filtered else None
    if query is None:
        return ()
    named = {t.name.casefold() for t in query.find_all(exp.Table)}
    used = [t for t in filtered if t.rpartition(".")[2].casefold() in named]
    return tuple(Assumption("rights", f"Only the rows of {t} that you may see were used.") for t in used)


def files_read(sql: str, database: Database) -> tuple[Assumption, ...]:
    """Tell what reading the files behind the tables of a query left out or guessed."""
    remarks = database.remarks
    query = parsed(sql, database.dialect) if remarks else None
    if query is None:
        return ()
    named = {t.name.casefold() for t in query.find_all(exp.Table)}
    told = (text for table, texts in remarks.items() if table.casefold() in named for text in texts)
    return tuple(Assumption("file", f"{text}.") for text in told)


def _told(key: ForeignKey) -> str:
    left = ", ".join(f"{key.table}.{c}" for c in key.columns)
    right = ", ".join(f"{key.target_table}.{c}" for c in key.target_columns)
    return f"{left} was joined with {right}: no key is declared there, their names and values suggest it."


def _pairs(key: ForeignKey) -> Iterator[Pair]:
    for column, target in zip(key.columns, key.target_columns, strict=True):
        yield frozenset(
            {(key.table.casefold(), column.casefold()), (key.target_table.casefold(), target.casefold())}
        )


def _joined(query: exp.Expr) -> Iterator[Pair]:
    """The pairs of (table, column) that a query holds equal, or looks for one among the others."""
    for select in query.find_all(exp.Select):
        tables = {t.alias_or_name.casefold(): t.name.casefold() for t in select.find_all(exp.Table)}
        for equal in select.find_all(exp.EQ):
            if isinstance(equal.left, exp.Column) and isinstance(equal.right, exp.Column):
                yield frozenset({_resolved(equal.left, tables), _resolved(equal.right, tables)})
    for within in query.find_all(exp.In):
        inner = within.args.get("query")
        found = inner.this.selects if inner is not None and isinstance(inner.this, exp.Select) else ()
        if isinstance(within.this, exp.Column) and len(found) == 1 and isinstance(found[0], exp.Column):
            yield frozenset({_of_scope(within.this), _of_scope(found[0])})


def _of_scope(column: exp.Column) -> tuple[str, str]:
    """A column with its table, be that said or the only one of the query that it stands in."""
    scope = column.find_ancestor(exp.Select)
    own = [t for t in scope.find_all(exp.Table) if t.find_ancestor(exp.Select) is scope] if scope else []
    tables = {t.alias_or_name.casefold(): t.name.casefold() for t in own}
    if not column.table and len(tables) == 1:
        return next(iter(tables.values())), column.name.casefold()
    return _resolved(column, tables)


def _resolved(column: exp.Column, tables: Mapping[str, str]) -> tuple[str, str]:
    table = column.table.casefold()
    return tables.get(table, table), column.name.casefold()
