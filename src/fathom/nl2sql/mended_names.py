"""A query's tables, columns and joins mended by the schema: what exists stays, the rest is sought nearby."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from rapidfuzz import fuzz
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.optimizer.scope import Scope, traverse_scope

from fathom.databases.join_graph import JoinEdge, JoinGraph
from fathom.nl2sql.quoted_names import quoted
from fathom.records import Schema
from fathom.retrieval import ValueIndex
from fathom.retrieval.typos import similarity

_ALIKE = 80
"""Of 100, how alike a name and the one meant must be spelt; and no other may be as much so."""
_FURTHEST = 3  # joins from the tables of a query to one that has a column it names
_LETTERS = 4
_FOLD = frozenset(("postgres", "snowflake"))
"""Dialects that read a name without quotes in one case, so that one with other letters needs quotes."""


@dataclass
class SchemaMender:
    """Mends syntax trees in place, and says in `changes` what it changed."""

    schema: Schema
    values: ValueIndex | None = None
    changes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Take the joins declared and inferred, and those that names suggest where these lead nowhere."""
        self._graph = JoinGraph.guessing(self.schema)
        self._columns = {
            t.name.casefold(): {c.name.casefold(): c.name for c in t.columns} for t in self.schema.tables
        }

    def mend(self, tree: exp.Expr) -> None:
        """Mend a query and those inside it. Raises `SqlglotError` where its parts can't be told apart."""
        self._rename_tables(tree)
        for scope in traverse_scope(tree):
            if isinstance(scope.expression, exp.Select):
                _Select(self, scope).mend()
                self._group(scope.expression)
        self._quote(tree)

    def _rename_tables(self, tree: exp.Expr) -> None:
        made = {cte.alias.casefold() for cte in tree.find_all(exp.CTE)}
        for table in tree.find_all(exp.Table):
            name = f"{table.db}.{table.name}" if table.db else table.name
            if name.casefold() in made or name in self.schema or table.name in self.schema:
                continue
            if meant := nearest(table.name, (t.name for t in self.schema.tables)):
                self.changes.append(f"the table {name} is read as {meant}")
                if not table.alias:
                    table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name)))
                table.set("this", exp.to_identifier(meant))
                table.set("db", None)

    def columns_of(self, source: exp.Table | Scope) -> dict[str, str] | None:
        """The columns of a source by their folded names; None where they can't be told."""
        if isinstance(source, exp.Table):
            return self._columns.get(source.name.casefold(), {})
        names = getattr(source.expression, "named_selects", None)
        return None if not names or "*" in names else {n.casefold(): n for n in names}

    def holders(self, name: str) -> list[str]:
        """The tables that have a column, in the schema's order."""
        return [t.name for t in self.schema.tables if name.casefold() in self._columns[t.name.casefold()]]

    def holding(self, column: str, value: str) -> set[str]:
        """The tables that hold a value in a column of that name, as far as values are known."""
        found = self.values.lookup(value, limit=50) if self.values is not None else ()
        return {
            m.table
            for m in found
            if m.column.casefold() == column.casefold() and m.kind in {"exact", "folded"}
        }

    def path(self, start: Iterable[str], goal: str) -> list[JoinEdge] | None:
        """The cheapest joins from some tables to one; None where it is too far."""
        ways: dict[str, tuple[float, list[JoinEdge]]] = {t: (0.0, []) for t in start}
        for _ in range(_FURTHEST):
            for cost, way in list(ways.values()):
                for edge in self._graph.neighbours(way[-1].right) if way else ():
                    self._further(ways, cost, way, edge)
            for table in [t for t, (_, way) in ways.items() if not way]:
                for edge in self._graph.neighbours(table):
                    self._further(ways, 0.0, [], edge)
        return ways[goal][1] if goal in ways else None

    @staticmethod
    def _further(
        ways: dict[str, tuple[float, list[JoinEdge]]], cost: float, way: list[JoinEdge], edge: JoinEdge
    ) -> None:
        if len(way) < _FURTHEST and cost + edge.cost < ways.get(edge.right, (float("inf"), []))[0]:
            ways[edge.right] = (cost + edge.cost, [*way, edge])

    def _group(self, select: exp.Select) -> None:
        """Group by what is selected where rows are only ordered by an aggregate."""
        order = select.args.get("order")
        told = [e for e in select.expressions if e.find(exp.AggFunc)]
        if order and order.find(exp.AggFunc) and not told and not select.args.get("group"):
            select.group_by(*(e.unalias().copy() for e in select.expressions), copy=False)
            self.changes.append("what is selected is grouped by, for its order counts rows")

    def _quote(self, tree: exp.Expr) -> None:
        """Put names in quotes that the engine wouldn't read otherwise, spelt as the schema spells them."""
        dialect = self.schema.dialect
        for node in tree.find_all(exp.Table, exp.Column):
            name, alias = node.this, node.args.get("table")
            if isinstance(alias, exp.Identifier) and quoted(alias.name, dialect) != alias.name:
                alias.set("quoted", True)
            if not isinstance(name, exp.Identifier):
                continue
            spelt = self._spelling(node) or name.name
            folded = Dialect.get_or_raise(dialect).normalize_identifier(exp.to_identifier(spelt)).name
            if quoted(name.name, dialect) != name.name or (dialect in _FOLD and folded != spelt):
                if not name.quoted:
                    self.changes.append(f"the name {name.name} is put in quotes")
                node.set("this", exp.to_identifier(spelt, quoted=True))

    def _spelling(self, node: exp.Expr) -> str | None:
        if isinstance(node, exp.Table):
            return self.schema.table(node.name).name if node.name in self.schema else None
        found = {self._columns[t.casefold()][node.name.casefold()] for t in self.holders(node.name)}
        return found.pop() if len(found) == 1 else None


class _Select:
    """One SELECT of a query, with what it reads."""

    def __init__(self, mender: SchemaMender, scope: Scope) -> None:
        self._mender, self._select = mender, scope.expression
        self._sources = {alias.casefold(): source for alias, (_, source) in scope.selected_sources.items()}
        self._names = {alias.casefold(): alias for alias in scope.selected_sources}
        self._outer = scope.parent
        self._aliases = {e.alias.casefold(): e for e in self._select.expressions if e.alias}
        self._left: set[str] = set()
        self._added: list[str] = []

    def mend(self) -> None:
        before = set(self._used())
        for column in list(self._own_columns()):
            self._place(column)
        counts = any(isinstance(c.this, exp.Star) for c in self._select.find_all(exp.Count))
        unknown = {
            a for a, s in self._sources.items() if isinstance(s, exp.Table) and not self._has_columns(a)
        }
        dropped = unknown if counts else (self._left & before) - set(self._used()) | unknown
        joins = self._select.args.get("joins") or []
        self._qualify()
        if self._added or dropped or any(not self._holds(j, set(self._sources)) for j in joins):
            self._rebuild([a for a in self._sources if a not in dropped])

    def _qualify(self) -> None:
        """Give columns without a table the one that had them before others were added that have them too."""
        first = [a for a in self._sources if self._names[a] not in self._added]
        for column in self._own_columns() if self._added else ():
            in_clause = isinstance(
                column.find_ancestor(exp.Order, exp.Group, exp.Having, exp.Select), exp.Select
            )
            if not column.table and (in_clause or column.name.casefold() not in self._aliases):
                holder = next((a for a in first if self._has(a, column.name)), None)
                if holder is not None:
                    column.set("table", exp.to_identifier(self._names[holder]))

    def _own_columns(self, *, joining: bool = False) -> Iterator[exp.Column]:
        """The columns of this SELECT, not of queries inside it: those of its ON clauses, or all others."""
        for column in self._select.find_all(exp.Column):
            if column.find_ancestor(exp.Query) is not self._select or isinstance(column.this, exp.Star):
                continue
            join = column.find_ancestor(exp.Join, exp.Select)
            if isinstance(join, exp.Join) == joining:
                yield column

    def _used(self) -> Iterator[str]:
        yield from (c.table.casefold() for c in self._own_columns())

    def _has_columns(self, alias: str) -> bool:
        return self._mender.columns_of(self._sources[alias]) != {}

    def _has(self, alias: str, name: str) -> bool:
        found = self._mender.columns_of(self._sources[alias])
        return found is None or name.casefold() in found

    def _place(self, column: exp.Column) -> None:
        name, alias = column.name, column.table.casefold()
        alias = alias if alias in self._sources or not alias else self._alias_of(alias) or alias
        if alias in self._sources and self._has(alias, name):
            if alias != column.table.casefold():
                self._move(column, alias)
            return
        holders = [a for a in self._sources if self._has(a, name)]
        if not alias and (len(holders) == 1 or (not holders and self._is_known_outside(column))):
            return
        if alias not in self._sources and alias and self._is_outer(alias):
            return
        if holders:
            self._move(column, holders[0])
        elif (
            not self._is_literal(column)
            and not self._is_key(column)
            and not self._from_elsewhere(column, name)
        ):
            self._renamed(column)

    def _alias_of(self, table: str) -> str | None:
        return next(
            (a for a, s in self._sources.items() if isinstance(s, exp.Table) and s.name.casefold() == table),
            None,
        )

    def _is_outer(self, alias: str) -> bool:
        outer = self._outer
        while outer is not None:
            if alias in {a.casefold() for a in outer.selected_sources}:
                return True
            outer = outer.parent
        return False

    def _is_known_outside(self, column: exp.Column) -> bool:
        """True if a name without a table is one of the SELECT's own, or one of the query around it."""
        told = self._aliases.get(column.name.casefold())
        if told is not None:
            clause = column.find_ancestor(exp.Order, exp.Group, exp.Having, exp.Select)
            if isinstance(clause, exp.Select) and column is not told.unalias():
                column.replace(exp.paren(told.unalias().copy()))
                self._mender.changes.append(f"{column.name} is written out, which is only called so")
            return True
        outer = self._outer
        while outer is not None:
            sources = [s for _, s in outer.selected_sources.values()]
            if any(column.name.casefold() in (self._mender.columns_of(s) or {}) for s in sources):
                return True
            outer = outer.parent
        return False

    def _is_literal(self, column: exp.Column) -> bool:
        """Take a name in double quotes, which no table has and something is compared with, for a text."""
        compared = isinstance(column.parent, exp.Predicate) and column.arg_key != "this"
        if not column.this.quoted or column.table or not compared or self._mender.holders(column.name):
            return False
        column.replace(exp.Literal.string(column.name))
        self._mender.changes.append(f"{column.name} in double quotes is read as a text")
        return True

    def _is_key(self, column: exp.Column) -> bool:
        """Take `id`, of a table that has no such column, for its key."""
        alias = column.table.casefold() or next(iter(self._sources), "")
        source = self._sources.get(alias)
        known = isinstance(source, exp.Table) and source.name in self._mender.schema
        if column.name.casefold() != "id" or not known or (not column.table and len(self._sources) > 1):
            return False
        key = self._mender.schema.table(source.name).primary_key if isinstance(source, exp.Table) else ()
        if len(key) != 1:
            return False
        column.set("this", exp.to_identifier(key[0]))
        self._mender.changes.append(f"the column id is read as {key[0]}")
        return True

    def _from_elsewhere(self, column: exp.Column, name: str) -> bool:
        """Take a column from the nearest table that has it, joined on the way."""
        tables = self._tables()
        beside = column.parent.find(exp.Literal) if isinstance(column.parent, exp.EQ) else None
        value = beside.name if beside is not None and beside.is_string else None
        ways = [(way, t) for t in self._mender.holders(name) if (way := self._mender.path(tables, t))]
        if not ways:
            return False
        holding = self._mender.holding(name, value) if value else set()
        _, table = min(ways, key=lambda w: (w[1] not in holding, sum(e.cost for e in w[0])))
        if (alias := self._alias_of(table.casefold())) is None:
            alias = table.casefold()
            self._added.append(table)
            self._names[alias] = table
            self._sources[alias] = (
                exp.to_table(table) if "." in table else exp.Table(this=exp.to_identifier(table))
            )
        self._move(column, alias)
        return True

    def _renamed(self, column: exp.Column) -> None:
        """Take the name spelt most alike, of the query's own tables first, then of others."""
        own = {
            c: a for a in self._sources for c in (self._mender.columns_of(self._sources[a]) or {}).values()
        }
        prefixes = {f"{self._source_name(a)}{c}": c for c, a in own.items()}
        meant = nearest(column.name, own) or prefixes.get(nearest(column.name, prefixes, exactly=True) or "")
        if meant is None:
            meant = nearest(column.name, {c.name for t in self._mender.schema.tables for c in t.columns})
            if meant is None:
                return
        self._mender.changes.append(f"the column {column.name} is read as {meant}")
        column.set("this", exp.to_identifier(meant))
        if meant in own:
            if column.table or len(self._sources) > 1:
                self._move(column, own[meant])
        else:
            self._from_elsewhere(column, meant)

    def _source_name(self, alias: str) -> str:
        source = self._sources[alias]
        return source.name if isinstance(source, exp.Table) else alias

    def _move(self, column: exp.Column, alias: str) -> None:
        before = column.table
        if before.casefold() != alias:
            self._left |= {before.casefold()} - {""}
            self._mender.changes.append(f"the column {column.name} is taken from {self._source_name(alias)}")
            column.set("table", exp.to_identifier(self._names[alias]))

    def _tables(self) -> dict[str, str]:
        """The schema's name of each table read, with its alias; the first of a table read twice."""
        found: dict[str, str] = {}
        for alias, source in self._sources.items():
            if isinstance(source, exp.Table) and source.name in self._mender.schema:
                found.setdefault(self._mender.schema.table(source.name).name, alias)
        return found

    def _holds(self, join: exp.Expr, aliases: set[str]) -> bool:
        """True if a join's condition names columns that these sources have, and only those."""
        for column in join.find_all(exp.Column):
            alias = column.table.casefold()
            if column.find_ancestor(exp.Query) is not self._select:
                continue
            if alias and (alias not in aliases or not self._has(alias, column.name)):
                return False
            if not alias and not any(self._has(a, column.name) for a in aliases):
                return False
        shared = [i.name for i in join.args.get("using") or ()]
        return all(sum(self._has(a, name) for a in aliases) > 1 for name in shared)

    def _rebuild(self, kept: list[str]) -> None:
        """Join the sources kept, each as it was where that still holds, else along the keys."""
        given = {j.alias_or_name.casefold(): j for j in self._select.args.get("joins") or ()}
        if not kept:
            return
        first, *rest = kept
        joined, joins = [first], []
        for alias in rest:
            before = given.get(alias)
            if alias in joined:
                continue
            if before is not None and self._holds(before, {*joined, alias}):
                joins.append(before)
                joined.append(alias)
                continue
            added = self._joined_by_keys(joined, alias, before)
            if added is None:
                return
            joins += added
        self._mender.changes.append("its tables are joined anew, along their keys")
        self._select.set("from_", exp.From(this=self._table(first)))
        self._select.set("joins", joins)

    def _joined_by_keys(
        self, joined: list[str], alias: str, before: exp.Expr | None
    ) -> list[exp.Join] | None:
        tables = self._tables()
        names = {a: t for t, a in tables.items()}
        way = self._mender.path([names[a] for a in joined if a in names], names.get(alias, ""))
        if not way:
            return None
        made = []
        for edge in way:
            left, right = tables[edge.left], tables.get(edge.right, edge.right.casefold())
            if right not in self._names:
                self._names[right] = edge.right
                self._sources[right] = exp.Table(this=exp.to_identifier(edge.right))
                tables[edge.right] = right
            equal = [
                exp.EQ(this=exp.column(a, self._names[left]), expression=exp.column(b, self._names[right]))
                for a, b in edge.pairs
            ]
            side = before.args.get("side") if before is not None else None
            made.append(exp.Join(this=self._table(right), side=side, on=exp.and_(*equal)))
            joined.append(right)
        return made

    def _table(self, alias: str) -> exp.Expr:
        source = self._sources[alias]
        if isinstance(source, exp.Table):
            return source.copy()
        parent = source.expression.parent
        return parent.copy() if isinstance(parent, exp.Subquery) else exp.to_table(self._names[alias])


def nearest(name: str, names: Iterable[str], *, exactly: bool = False) -> str | None:
    """The one of some names that is spelt most like a name; None where none is, or two are."""
    wanted = _flat(name)
    rated = sorted(((_likeness(wanted, _flat(n)), n) for n in set(names)), reverse=True)
    if not rated or (rated[0][0] < 100 and (exactly or len(wanted) < _LETTERS)) or rated[0][0] < _ALIKE:
        return None
    return rated[0][1] if len(rated) < 2 or rated[1][0] < rated[0][0] else None


def _likeness(first: str, second: str) -> float:
    """From 0 to 100; two swapped letters make a short word look less like itself than they should."""
    return max(fuzz.ratio(first, second), _ALIKE if similarity(first, second) else 0)


def _flat(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isalnum())
