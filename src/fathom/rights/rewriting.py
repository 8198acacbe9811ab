"""Writing a query anew so that it can reach nothing else than its reader may see.

Each table that it names becomes a subquery of the columns and rows that are seen, so that `*`, whole rows and
whatever else an engine makes of a name finds those alone. CTEs get names that no table has: should this
module and the engine differ on what a name means, the engine finds nothing by it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlglot import exp, maybe_parse, parse_one

from fathom.errors import ErrorClass, QueryRefused, did_you_mean
from fathom.rights.named_tables import NamedTables

_FENCE = "LIMIT 2147483647"
_FENCES = {
    "sqlite": "LIMIT -1",
    "duckdb": "LIMIT 9223372036854775807",
    "postgres": "OFFSET 0",
    "mysql": "LIMIT 18446744073709551615",
}
"""The clauses that keep an engine from trying a query's own conditions on rows before the filter has taken
them away: a condition that fails on a value tells of it. `_FENCE` is that of other dialects."""
_TABLE_PARTS = frozenset("this db catalog alias joins laterals sample pivots rows_from ordinality".split())
_TELLING_PREFIXES = ("pg_", "duckdb_", "pragma_", "to_reg", "has_", "sqlite_")
_TELLING = frozenset(
    """
    col_description obj_description shobj_description format_type enum_first enum_last enum_range
    current_schemas json_populate_record json_populate_recordset jsonb_populate_record
    jsonb_populate_recordset last_insert_rowid changes total_changes query query_table
    """.split()
)
_HARMLESS = frozenset("pg_typeof pg_column_size pg_size_pretty".split())
_TELLS = "it asks about the database itself; only tables can be asked for, with the rights there are."
_STATEMENTS = (exp.Describe, exp.Summarize, exp.Show, exp.Command, exp.DDL, exp.DML, exp.Into)


@dataclass(frozen=True, slots=True)
class SeenTable:
    """A table that is seen: its name, its name in SQL, the columns that are seen, as SQL, and its filter.

    `whole` tells that no column and no row of it is hidden.
    """

    name: str
    identifier: str
    columns: tuple[str, ...]
    rows: str = ""
    whole: bool = False

    def subquery(self, fence: str = "") -> str:
        """Write the query that replaces the table, with a fence behind its filter."""
        where = f" WHERE {self.rows} {fence}" if self.rows else ""
        return f"SELECT {', '.join(self.columns)} FROM {self.identifier}{where}".rstrip()


class Rewriter:
    """Writes queries anew over the tables that are seen. Raises `QueryRefused` for any other name.

    `mark` goes into names that nothing else may have: CTEs', and those that subqueries stand for. `schema` is
    the one whose tables go by their bare names; `hidden` are the tables that aren't seen.
    """

    def __init__(
        self, sources: Iterable[SeenTable], dialect: str, schema: str, mark: str, hidden: Iterable[str] = ()
    ) -> None:
        self.dialect, self._schema, self._mark = dialect, schema, mark
        self._sources = {s.name: s for s in sources}
        self._folded = {s.name.casefold(): s for s in self._sources.values()}
        self._places = {name: place for place, name in enumerate(self._sources)}
        self._names: dict[str, exp.Expr] = {}
        self._standing: dict[str, str] = {}
        limited = (*hidden, *(s.name for s in self._sources.values() if not s.whole))
        self._limited = NamedTables((n.rpartition(".")[2].casefold() for n in limited), dialect)

    @property
    def sources(self) -> Iterable[SeenTable]:
        """The tables that are seen."""
        return self._sources.values()

    def find(self, table: exp.Table) -> SeenTable | None:
        """The table that a name means; None for one that isn't seen, or isn't there."""
        if table.args.get("catalog") or not isinstance(table.this, exp.Identifier):
            return None
        name, schema = self._named(table.this), self._named(table.args.get("db"))
        wanted = name if schema in ("", self._schema) else f"{schema}.{name}"
        if found := self._sources.get(wanted):
            return found
        return None if self.dialect == "postgres" else self._folded.get(wanted.casefold())

    def _named(self, name: object) -> str:
        if not isinstance(name, exp.Identifier):
            return ""
        return name.name.lower() if self.dialect == "postgres" and not name.quoted else name.name

    def rewritten(self, tree: exp.Expr, *, own: bool = False) -> str:
        """The query over what is seen, made of the tree itself. `own` is one that Fathom composed."""
        made = _Rewriting(self, own=own).query(tree).sql(self.dialect)
        for mark, text in self._standing.items():
            made = made.replace(mark, text)
        return made

    def own(self, sql: str) -> str:
        """A query that Fathom composed, over what is seen: as it stands but for the names of tables.

        Several times as fast as writing it anew. Raises `SqlglotError`.
        """
        pieces = self._pieces(sql)
        if pieces is None:
            return self.rewritten(parse_one(sql, dialect=self.dialect), own=True)
        for start, end, text in reversed(pieces):
            sql = f"{sql[:start]}{text}{sql[end:]}"
        return sql

    def _pieces(self, sql: str) -> list[tuple[int, int, str]] | None:
        """Where tables stand of which not all is seen, and what is to stand there.

        None where a name of one stands elsewhere than behind FROM or JOIN, or before the dot of a column:
        then the query has to be parsed.
        """
        named, pieces = self._limited.of(sql), []
        if named is None:
            return None
        for one in named:
            if not one.introduced:
                if one.qualified or not one.qualifies:
                    return None
                continue
            source = self.find(exp.Table(this=exp.to_identifier(one.text, quoted=one.quoted)))
            if source is None or one.qualifies:
                return None
            alias = "" if one.aliased else f" AS {sql[one.start : one.end]}"
            pieces.append((one.start, one.end, f"({source.subquery()}){alias}"))
        return pieces

    def refused(self, table: exp.Table) -> QueryRefused:
        """The refusal of a name, the same whether there is such a table or not."""
        name = f"{table.db}.{table.name}" if table.db else table.name
        near = did_you_mean(name, [s.name for s in self._sources.values()])
        return QueryRefused(
            "name", f"there is no table {name[:60]!r}.{near}", error_class=ErrorClass.NO_SUCH_NAME
        )

    def standing_for(self, source: SeenTable, *, fenced: bool) -> exp.Expr:
        """A tree of what stands for a table: its own name, or a mark for the subquery of what is seen of it.

        The subquery is put in as text: to copy and write its tree takes longer than all the rest.
        """
        if source.whole:
            if source.name not in self._names:
                self._names[source.name] = maybe_parse(
                    source.identifier, into=exp.Table, dialect=self.dialect
                )
            return self._names[source.name]
        mark = f"{self._mark}_{self._places[source.name]}_{'f' if fenced else 'o'}_"
        if mark not in self._standing:
            self._standing[mark] = f"({source.subquery(_FENCES.get(self.dialect, _FENCE) if fenced else '')})"
        return exp.Table(this=exp.to_identifier(mark, quoted=False))

    def cte(self, number: int) -> exp.Identifier:
        """A name for a CTE that no table has."""
        return exp.to_identifier(f"cte_{self._mark}_{number}", quoted=True)

    def key(self, name: exp.Expr | None) -> str:
        """A name as CTEs are told apart by it."""
        text = self._named(name)
        return text if self.dialect == "postgres" else text.casefold()

    @property
    def sees_later(self) -> bool:
        """True if a CTE of this dialect may name itself and later ones without RECURSIVE."""
        return self.dialect == "sqlite"


class _Rewriting:
    """One query as it is written anew."""

    def __init__(self, rewriter: Rewriter, *, own: bool) -> None:
        self._rewriter, self._own = rewriter, own
        self._ctes = 0

    def query(self, tree: exp.Expr) -> exp.Expr:
        pivots = isinstance(tree, exp.Pivot) and self._rewriter.dialect == "duckdb"
        if not (isinstance(tree, exp.Query) or pivots):
            raise QueryRefused("rights", _TELLS)
        if not self._own:
            for node in tree.walk():
                self._check(node)
        holder = exp.Paren(this=tree)
        self._visit(tree, {})
        found: exp.Expr = holder.this
        found.pop()
        return found

    def _check(self, node: exp.Expr) -> None:
        if isinstance(node, _STATEMENTS):
            raise QueryRefused("rights", _TELLS)
        if isinstance(node, exp.In) and node.args.get("field") is not None:
            self._check_membership(node)
        if isinstance(node, exp.ObjectIdentifier) or (
            isinstance(node, exp.DataType) and node.this == exp.DType.USERDEFINED
        ):
            raise QueryRefused("rights", "it names a type of the database; cast to the usual types.")
        if isinstance(node, exp.Func) and _tells(node):
            raise QueryRefused("rights", _TELLS)

    def _check_membership(self, node: exp.In) -> None:
        """SQLite reads `x IN t` as the rows of a table, and DuckDB in PIVOT as the values of a type."""
        if self._rewriter.dialect != "duckdb" or node.find_ancestor(exp.Pivot):
            raise QueryRefused("rights", "write IN (SELECT ... FROM ...) for the values of a table.")

    def _visit(self, node: exp.Expr, ctes: Mapping[str, exp.Identifier]) -> None:
        within = node.args.get("with_")
        if isinstance(within, exp.With):
            ctes = self._with(within, ctes)
        for name, value in list(node.args.items()):
            if name != "with_":
                for child in value if isinstance(value, list) else (value,):
                    if isinstance(child, exp.Expr):
                        self._visit(child, ctes)
        if isinstance(node, exp.Table):
            self._table(node, ctes)
        elif isinstance(node, exp.Column) and node.args.get("table") and node.args.get("db"):
            node.set("db", None)
            node.set("catalog", None)

    def _with(self, within: exp.With, ctes: Mapping[str, exp.Identifier]) -> Mapping[str, exp.Identifier]:
        """The CTEs in scope after a WITH, whose own queries are written anew on the way."""
        named = [(self._rewriter.key(c.args["alias"].this), c) for c in within.expressions]
        fresh = {}
        for key, _ in named:
            self._ctes += 1
            fresh[key] = self._rewriter.cte(self._ctes)
        seen = dict(ctes)
        everywhere = within.args.get("recursive") or self._rewriter.sees_later
        for key, cte in named:
            self._visit(cte.this, {**ctes, **fresh} if everywhere else seen)
            cte.args["alias"].set("this", fresh[key].copy())
            seen[key] = fresh[key]
        return seen

    def _table(self, table: exp.Table, ctes: Mapping[str, exp.Identifier]) -> None:
        if any(value for name, value in table.args.items() if name not in _TABLE_PARTS):
            raise QueryRefused("rights", f"{table.name[:60]!r} is to be named plainly, without hints.")
        if table.args.get("rows_from") or isinstance(table.this, exp.Func):
            if table.args.get("db") or table.args.get("catalog"):
                raise self._rewriter.refused(table)
            return
        if not table.args.get("db") and not table.args.get("catalog"):
            fresh = ctes.get(self._rewriter.key(table.this))
            if fresh is not None:
                self._alias(table)
                table.set("this", fresh.copy())
                return
        source = self._rewriter.find(table)
        if source is None:
            raise self._rewriter.refused(table)
        self._alias(table)
        if table.args.get("sample") and not source.whole and self._rewriter.dialect != "duckdb":
            raise QueryRefused("rights", f"{table.name[:60]!r} can't be sampled with the rights there are.")
        stands = self._rewriter.standing_for(source, fenced=not self._own)
        for part in ("this", "db", "catalog"):
            value = stands.args.get(part)
            table.set(part, value.copy() if isinstance(value, exp.Expr) else None)

    def _alias(self, table: exp.Table) -> None:
        """A table without an alias goes on being called by its name."""
        alias = table.args.get("alias")
        if alias is None:
            table.set("alias", exp.TableAlias(this=table.this.copy()))
        elif alias.this is None:
            alias.set("this", table.this.copy())


def _tells(call: exp.Func) -> bool:
    """True if a function tells of the database itself, or is named by a text what it is to read."""
    anonymous = isinstance(call, (exp.Anonymous, exp.AnonymousAggFunc))
    names = [n.casefold() for n in ([call.name] if anonymous else type(call).sql_names())]
    return any((n.startswith(_TELLING_PREFIXES) and n not in _HARMLESS) or n in _TELLING for n in names)
