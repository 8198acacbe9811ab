"""Names behind a dot on PostgreSQL, which takes `a.f` for `f(a)` where `a` has no column `f`.

A name after a dot passes when the item of FROM before it is certain to have such a column, or when calling
a function of that name would pass as well. Names are looked up as the server does it: by query level, with
LATERAL and CTEs (PostgreSQL's parse_relation.c and parse_clause.c). Where this reading can't tell,
everything that the name may mean has to have the column.
"""

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from fathom.databases.guard.catalogue import Catalogue
from fathom.databases.guard.postgres.columns import (
    Outputs,
    check_width,
    function_source,
    table_source,
    values_columns,
)
from fathom.databases.guard.postgres.parsed import Node, Parts, content, texts
from fathom.databases.guard.postgres.scopes import KnownColumns, Scope, Source
from fathom.databases.guard.words import DialectNames, Refused
from fathom.errors import ErrorClass

_NAMING = ("ColumnRef", "A_Indirection")
_HOLDERS = (dict, list)
Learn = Callable[[KnownColumns], None]


def check_fields(query: Node, parts: Parts, names: DialectNames, catalogue: Catalogue | None) -> None:
    """Check every name after a dot against what stands in FROM. Raises `Refused`."""
    if _is_plain(parts):
        return
    reading = _Reading(names, catalogue)
    reading.query(query, Scope())
    if any(id(node) not in reading.judged for kind in _NAMING for node in parts.get(kind, ())):
        raise Refused("function", "a name after a dot stands where it may be a call.")


def _is_plain(parts: Parts) -> bool:
    """True for a statement without names after a dot, and without stars that could multiply."""
    if "A_Indirection" in parts or len(parts.get("A_Star", ())) > 1:
        return False
    return all(len(column["fields"]) == 1 for column in parts.get("ColumnRef", ()))


class _Reading:
    """One walk down a statement. `judged` are the nodes with names that were looked at."""

    def __init__(self, names: DialectNames, catalogue: Catalogue | None) -> None:
        self._names, self._catalogue = names, catalogue
        self.judged: set[int] = set()

    def query(self, node: Node, outer: Scope, learn: Learn | None = None) -> KnownColumns:
        """Judge a query; gives its columns.

        `learn` gets the columns of the first arm of a UNION before the others are judged.
        """
        level = Scope(outer)
        self._ctes(node.get("withClause", {}), level)
        if node.get("op", "SETOP_NONE") != "SETOP_NONE":
            return self._set_operation(node, level, learn)
        if rows := node.get("valuesLists"):
            self._judge([*rows, _rest(node, "withClause", "valuesLists")], level)
            return values_columns(rows)
        for item in node.get("fromClause", ()):
            self._item(item, level)
        self._judge([_rest(node, "withClause", "fromClause")], level)
        return Outputs(level).of(node.get("targetList", ()))

    def _ctes(self, clause: Node, level: Scope) -> None:
        found = [cte["CommonTableExpr"] for cte in clause.get("ctes", ())]
        recursive = bool(clause.get("recursive"))
        if recursive:
            for cte in found:
                named = tuple(texts(cte.get("aliascolnames")))
                level.ctes[cte["ctename"]] = KnownColumns(named, complete=False)
        for cte in found:
            name, renamed = cte["ctename"], texts(cte.get("aliascolnames"))
            search, cycle = cte.get("search_clause", {}), cte.get("cycle_clause", {})
            more = (
                search.get("search_seq_column"),
                cycle.get("cycle_mark_column"),
                cycle.get("cycle_path_column"),
            )

            def learn(
                columns: KnownColumns,
                name: str = name,
                renamed: list[str] = renamed,
                more: Iterable[str | None] = more,
            ) -> None:
                known = columns.renamed(renamed)
                added = (*known.names, *filter(None, more))
                level.ctes[name] = KnownColumns(added, known.complete, known.any, known.rows)

            _, query = content(cte["ctequery"])
            learn(self.query(query, level, learn if recursive else None))
            self._judge([search, cycle], level)

    def _set_operation(self, node: Node, level: Scope, learn: Learn | None) -> KnownColumns:
        arms, left = [node["rarg"]], node["larg"]
        self._judge([_rest(node, "withClause", "larg", "rarg")], level)
        # Down the left side without recursion: a chain of UNION is as deep as it is long.
        while left.get("op", "SETOP_NONE") != "SETOP_NONE" and "withClause" not in left:
            self._judge([_rest(left, "larg", "rarg")], level)
            arms.append(left["rarg"])
            left = left["larg"]
        columns = self.query(left, level)
        if learn:
            learn(columns)
        for arm in reversed(arms):
            self.query(arm, level)
        return columns

    def _item(self, item: Node, level: Scope) -> None:
        kind, found = content(item)
        beside = Scope(level.outer, level.sources, level.doubtful, level.ctes)
        match kind:
            case "RangeVar":
                level.sources.append(table_source(found, level, self._catalogue))
            case "RangeTableSample":
                self._judge([_rest(found, "relation")], beside)
                self._item(found["relation"], level)
            case "RangeSubselect":
                # Without LATERAL a query in FROM doesn't see what stands beside it.
                seen = beside if found.get("lateral") else Scope(level.outer, ctes=level.ctes)
                columns = self.query(content(found["subquery"])[1], seen)
                alias = found.get("alias", {})
                known = columns.renamed(texts(alias.get("colnames")))
                level.sources.append(Source(alias.get("aliasname", ""), known))
            case "RangeFunction":
                self._judge([_rest(found, "alias")], beside)
                level.sources.append(function_source(found, self._names, self._catalogue))
            case "JoinExpr":
                self._join(found, level)
            case _:
                raise Refused("statement", f"{kind} in FROM isn't part of a query that reads.")

    def _join(self, join: Node, level: Scope) -> None:
        start = len(level.sources)
        self._item(join["larg"], level)
        self._item(join["rarg"], level)
        inner = level.sources[start:]
        # ON sees the tables of its own join alone; what stands before is doubtful, to be on the safe side.
        hidden = [*level.doubtful, *level.sources[:start]]
        condition = Scope(level.outer, inner, hidden, level.ctes)
        self._judge([_rest(join, "larg", "rarg", "alias", "join_using_alias")], condition)
        if merged := join.get("join_using_alias"):
            columns = KnownColumns(tuple(texts(join.get("usingClause"))))
            level.sources.append(Source(merged["aliasname"], columns))
        if alias := join.get("alias"):  # behind it the names inside can't be used
            names = check_width([name for source in inner for name in source.columns.names])
            anything = any(source.columns.any for source in inner)
            columns = KnownColumns(names, complete=False, any=anything)
            del level.sources[start:]
            level.sources.append(Source(alias["aliasname"], columns.renamed(texts(alias.get("colnames")))))
            level.doubtful += inner

    def _judge(self, nodes: Iterable[object], scope: Scope) -> None:
        """Judge every name after a dot in these expressions, and the queries in them."""
        left: list[Any] = [node for node in nodes if node.__class__ in _HOLDERS]
        while left:
            node = left.pop()
            if node.__class__ is list:
                left += [each for each in node if each.__class__ in _HOLDERS]
                continue
            for key, value in node.items():
                if key == "SelectStmt":
                    self.query(value, scope)
                elif key == "ColumnRef":
                    self.judged.add(id(value))
                    self._column(value, scope)
                elif key == "A_Indirection":
                    self.judged.add(id(value))
                    self._fields(value, scope)
                    left += (value["arg"], value["indirection"])
                elif value.__class__ in _HOLDERS:
                    left.append(value)

    def _column(self, column: Node, scope: Scope) -> None:
        *path, name = column["fields"]
        if not path or "String" not in name:  # one name, or a star: no call
            return
        *before, table = texts(path)
        called = texts([name])[0]
        sources = scope.named(table, before[-1] if before else "")
        if not sources or not all(s.has(called) for s in sources):
            self._may_be_called(called, table, next((s.missing for s in sources), ""))

    def _fields(self, node: Node, scope: Scope) -> None:
        """Judge the names after a value: `(x).a[1].b`."""
        for place, step in enumerate(node["indirection"]):
            for name in texts([step]):
                if place or not self._is_field(node["arg"], name, scope):
                    self._may_be_called(name, "the value before it")

    def _is_field(self, before: Node, name: str, scope: Scope) -> bool:
        kind, value = content(before)
        if kind == "ColumnRef" and len(value["fields"]) == 1 and (row := "".join(texts(value["fields"]))):
            holders = [s.columns for s in scope.everything() if s.columns.may_have(row)]
            if holders:  # a column goes before the row of an item of FROM
                return all(row in h.rows and name in h.rows[row].names for h in holders)
            sources = scope.named(row)
            return bool(sources) and all(s.has(name) for s in sources)
        if kind == "RowExpr":
            return name in {f"f{n + 1}" for n in range(len(value.get("args", ())))}
        if kind == "FuncCall":
            return name in self._names.fields.get(texts(value["funcname"])[-1], ())
        return False

    def _may_be_called(self, name: str, before: str, missing: str = "") -> None:
        """Raises `Refused` unless a call of the name would be let through, or there is nothing to call."""
        if self._catalogue is not None and not self._catalogue.is_callable(name):
            return  # the server will say what is missing
        if name in self._names.functions and not (self._catalogue and self._catalogue.own({name}, ())):
            return
        if missing:
            raise Refused("function", f"there is no table {missing[:60]!r}.", ErrorClass.NO_SUCH_NAME)
        raise Refused(
            "function",
            f"{before[:60]} isn't known to have a column {name[:60]!r}, so that this may call a function; "
            "name the columns: FROM f(...) AS a(b), SELECT ... AS b.",
            ErrorClass.NO_SUCH_NAME if self._catalogue is not None else ErrorClass.OTHER,
        )


def _rest(node: Node, *without: str) -> list[object]:
    """Give the content of the other fields of a node."""
    return list(chain(value for key, value in node.items() if key not in without))
