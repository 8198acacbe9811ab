"""The columns that tables, functions and queries give on PostgreSQL, as far as they are certain."""

from collections.abc import Iterable, Sequence

from fathom.databases.guard.catalogue import Catalogue
from fathom.databases.guard.postgres.parsed import Node, content, texts
from fathom.databases.guard.postgres.scopes import KnownColumns, Scope, Source
from fathom.databases.guard.words import DialectNames, Refused

_MOST_COLUMNS = 3_200
"""Twice as many as a table of PostgreSQL may have."""
_UNKNOWN = KnownColumns(complete=False)


def check_width(names: Sequence[str]) -> tuple[str, ...]:
    """Give the names, where there aren't so many that stars of stars must have multiplied them."""
    if len(names) > _MOST_COLUMNS:
        raise Refused("size", f"it has more than {_MOST_COLUMNS:,} columns side by side.")
    return tuple(names)


def values_columns(rows: Sequence[Node]) -> KnownColumns:
    """Name the columns of VALUES."""
    count = len(content(rows[0])[1].get("items", ()))
    return KnownColumns(tuple(f"column{n + 1}" for n in range(count)))


def table_source(table: Node, scope: Scope, catalogue: Catalogue | None) -> Source:
    """A name in FROM: a CTE, or a base table or view."""
    name, schema = table["relname"], table.get("schemaname", "")
    alias = table.get("alias", {})
    shown, renamed = alias.get("aliasname", ""), texts(alias.get("colnames"))
    if not schema and (known := scope.cte(name)) is not None:
        return Source(shown or name, known.renamed(renamed))
    if catalogue is None:
        columns = KnownColumns(any=True, complete=False)
    else:
        found = catalogue.columns(schema, name)
        columns = KnownColumns(found or (), complete=found is not None)
    return Source(
        shown or name,
        columns.renamed(renamed),
        schema=schema,
        own_name="" if shown else name,
        is_table=True,
        missing="" if columns.complete or columns.any else name,
    )


def function_source(item: Node, names: DialectNames, catalogue: Catalogue | None) -> Source:
    """A function in FROM, or `ROWS FROM (...)`: few of their columns have names that are certain."""
    alias = item.get("alias", {})
    shown = alias.get("aliasname", "")
    pairs = [content(pair)[1]["items"] for pair in item["functions"]]
    kind, call = content(pairs[0][0])
    called = texts(call["funcname"])[-1] if kind == "FuncCall" else ""
    if kind == "SQLValueFunction" and shown:  # such as `current_user AS u`
        columns = KnownColumns((shown,))
    elif item.get("is_rowsfrom") or not called:
        columns = _UNKNOWN
    elif defined := item.get("coldeflist"):
        columns = KnownColumns(tuple(content(column)[1]["colname"] for column in defined))
    elif called in names.fields:
        columns = KnownColumns(names.fields[called])
    elif called.endswith(("_populate_record", "_populate_recordset")):
        columns = _columns_of_type(call, catalogue)
    elif called in names.functions and called not in names.of_any_type:
        columns = KnownColumns((shown or called,))
    else:
        columns = _UNKNOWN
    columns = columns.renamed(texts(alias.get("colnames")))
    if item.get("ordinality"):
        columns = KnownColumns((*columns.names, "ordinality"), complete=False)
    return Source(shown or called, columns)


def _columns_of_type(call: Node, catalogue: Catalogue | None) -> KnownColumns:
    """The fields of `null::t`, where `t` is a table's row type, that a function gives back filled."""
    given = call.get("args") or [{}]
    cast = given[0].get("TypeCast", {})
    *schema, name = texts(cast.get("typeName", {}).get("names")) or [""]
    found = catalogue.columns("".join(schema[-1:]), name) if catalogue is not None and name else None
    return KnownColumns(found or (), complete=found is not None)


class Outputs:
    """The columns of a SELECT whose FROM is at hand."""

    def __init__(self, level: Scope) -> None:
        self._level = level

    def of(self, targets: Iterable[Node]) -> KnownColumns:
        """Name the columns that a list of targets gives."""
        names: list[str] = []
        rows: dict[str, KnownColumns] = {}
        complete, anything = True, False
        for target in targets:
            found = content(target)[1]
            value = found["val"]
            if not _ends_with_star(value):
                name = found.get("name") or _name_of(value)
                names.append(name)
                if (row := self._row(value)) is not None:
                    rows[name] = row
                continue
            sources = self._starred(value)
            for source in sources or ():
                names += source.columns.names
                complete = complete and source.columns.complete
                anything = anything or source.columns.any
            check_width(names)
            # A join with USING merges columns and puts them first.
            complete = complete and sources is not None and not self._level.doubtful and len(sources) < 2
        return KnownColumns(tuple(names), complete=complete, any=anything, rows=rows)

    def _starred(self, value: Node) -> list[Source] | None:
        """The sources of a star; None for one after a value or an unknown name."""
        path = texts(value.get("ColumnRef", {}).get("fields"))
        if "ColumnRef" not in value:
            return None
        if not path:
            return self._level.sources
        named = self._level.named(path[-1], path[-2] if len(path) > 1 else "")
        return named if len(named) == 1 else None

    def _row(self, value: Node) -> KnownColumns | None:
        """The columns of a whole row, where a name can mean nothing else."""
        fields = value.get("ColumnRef", {}).get("fields", ())
        name = "".join(texts(fields)) if len(fields) == 1 else ""
        if not name or any(source.columns.may_have(name) for source in self._level.everything()):
            return None
        named = self._level.named(name)
        return named[0].columns if len(named) == 1 else None


def _ends_with_star(value: Node) -> bool:
    kind, found = content(value)
    last = found.get("fields" if kind == "ColumnRef" else "indirection", [{}])[-1:]
    return kind in ("ColumnRef", "A_Indirection") and last == [{"A_Star": {}}]


def _name_of(value: Node) -> str:
    """The name that a column of a result is certain to have; "" for none."""
    kind, found = content(value)
    while kind in ("TypeCast", "CollateClause"):
        kind, found = content(found["arg"])
    if kind == "ColumnRef":
        return "".join(texts(found["fields"])[-1:])
    if kind == "A_Indirection":
        return "".join(texts(found["indirection"])[-1:])
    return ""
