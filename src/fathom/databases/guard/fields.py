"""Names behind a dot on PostgreSQL, which takes `a.f` for `f(a)` where `a` has no column `f`.

A name after a dot passes when the item of FROM before it is certain to have such a column, or when calling
a function of that name would pass as well. Names are looked up as the server does it: by query level, with
LATERAL and CTEs. Where this reading can't tell, everything that the name may mean has to have the column.
"""

from collections.abc import Callable, Iterable, Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from fathom.databases.guard.sources import (
    Catalogue,
    KnownColumns,
    Scope,
    Source,
    alias_of,
    function_source,
    plain,
    table_source,
)
from fathom.databases.guard.words import DialectNames, Refused
from fathom.errors import ErrorClass

_QUERIES = (exp.Select, exp.SetOperation, exp.Subquery)
_FROM_ONLY = (exp.Table, exp.Lateral, exp.From, exp.Join, exp.TableFromRows)
_MOST_COLUMNS = 3_200
"""Twice as many as a table of PostgreSQL may have."""
_TABLE_PARTS = frozenset("this alias db joins only sample ordinality rows_from".split())


def check_fields(
    tree: exp.Expr, tokens: Sequence[Token], names: DialectNames, catalogue: Catalogue | None
) -> None:
    """Hold every name after a dot against what stands in FROM. Raises `Refused`."""
    reading = _Reading(names, catalogue)
    query = tree.this if isinstance(tree, exp.Describe) else tree
    reading.query(query, Scope())
    for before, token, after in zip(tokens, tokens[1:], [*tokens[2:], None], strict=False):
        called = after is not None and after.token_type == TokenType.L_PAREN
        is_field = before.token_type == TokenType.DOT and _is_word(token) and not called
        if is_field and token.start not in reading.judged:
            raise Refused("function", f"{token.text[:60]!r} after a dot may be a call.")


def _is_word(token: Token) -> bool:
    return token.token_type == TokenType.IDENTIFIER or token.text[:1].isalpha() or token.text[:1] == "_"


class _Reading:
    """One walk down a statement. `judged` are the places of the names that were looked at."""

    def __init__(self, names: DialectNames, catalogue: Catalogue | None) -> None:
        self._names, self._catalogue = names, catalogue
        self.judged: set[int] = set()

    def query(
        self, node: exp.Expr, outer: Scope, learn: Callable[[KnownColumns], None] | None = None
    ) -> tuple[KnownColumns, Scope]:
        """Judge a query; the columns that it gives, and the scope of its own parts.

        `learn` is told the columns of the first arm of a UNION before the others are judged.
        """
        level = Scope(outer)
        self._ctes(node.args.get("with_"), level)
        if isinstance(node, exp.Select):
            self._from(node, level)
            self._parts(node, level, skip=("with_", "from_", "joins"))
            return self._outputs(node, level), level
        if isinstance(node, exp.SetOperation):
            return self._set_operation(node, level, learn), level
        if isinstance(node, exp.Subquery):
            columns, inner = self.query(node.this, level)
            # ORDER BY after parentheses belongs to the query within.
            around = Scope(level, doubtful=inner.sources + inner.doubtful)
            self._parts(node, around, skip=("with_", "this", "alias"))
            return columns, inner
        if isinstance(node, exp.Values):
            self._parts(node, level, skip=("alias",))
            return _columns_of_values(node), level
        raise Refused("statement", f"{type(node).__name__} isn't a query that reads, as far as is known.")

    def _ctes(self, clause: exp.Expr | None, level: Scope) -> None:
        if not isinstance(clause, exp.With):
            return
        if clause.args.get("recursive"):
            for cte in clause.expressions:
                name, renamed = alias_of(cte)
                level.ctes[name] = KnownColumns(renamed, complete=False)
        for cte in clause.expressions:
            name, renamed = alias_of(cte)

            def learn(columns: KnownColumns, name: str = name, renamed: Sequence[str] = renamed) -> None:
                level.ctes[name] = columns.renamed(renamed)

            recursive = bool(clause.args.get("recursive"))
            learn(self.query(cte.this, level, learn if recursive else None)[0])

    def _set_operation(
        self, node: exp.SetOperation, level: Scope, learn: Callable[[KnownColumns], None] | None
    ) -> KnownColumns:
        arms: list[exp.Expr] = []
        left: exp.Expr = node
        while isinstance(left, exp.SetOperation) and (left is node or not left.args.get("with_")):
            arms.append(left.expression)
            self._parts(left, level, skip=("with_", "this", "expression"))
            left = left.this
        columns = self.query(left, level)[0]
        if learn:
            learn(columns)
        for arm in reversed(arms):
            self.query(arm, level)
        return columns

    def _from(self, select: exp.Select, level: Scope) -> None:
        clause = select.args.get("from_")
        if clause is not None:
            self._item(clause.this, level)
        self._joins(select, level, tree=0)

    def _joins(self, item: exp.Expr, level: Scope, tree: int) -> None:
        """The joined items after one; the condition of each sees those from `tree` on."""
        for join in item.args.get("joins") or ():
            if not any(join.args.get(key) for key in ("on", "using", "kind", "side", "method")):
                tree = len(level.sources)  # a comma
            self._item(join.this, level)
            hidden = [*level.doubtful, *level.sources[:tree]]
            condition = Scope(level.outer, level.sources[tree:], hidden, level.ctes)
            self._parts(join, condition, skip=("this",))

    def _item(self, item: exp.Expr, level: Scope) -> None:
        """Add an item of FROM to the sources of its level, with what is joined to it in parentheses."""
        start = len(level.sources)
        beside = Scope(level.outer, list(level.sources), list(level.doubtful), level.ctes)
        if isinstance(item, exp.Table):
            self._table(item, beside, level)
        elif isinstance(item, exp.Subquery) and _is_join(item):
            self._group(item, beside, level)
        elif isinstance(item, exp.Subquery):
            level.sources.append(self._derived(item, item, Scope(level.outer, ctes=level.ctes)))
        elif isinstance(item, exp.Lateral) and isinstance(item.this, exp.Subquery):
            level.sources.append(self._derived(item.this, item, beside))
        elif isinstance(item, exp.Values):
            self._parts(item, beside, skip=("alias",))
            name, renamed = alias_of(item)
            level.sources.append(Source(name, _columns_of_values(item).renamed(renamed)))
        elif isinstance(item, (exp.Lateral, exp.Unnest)):
            self._parts(item, beside, skip=("alias",))
            level.sources.append(function_source(item, self._names, self._catalogue))
        else:
            raise Refused("statement", f"{type(item).__name__} in FROM is unknown.")
        self._joins(item, level, tree=start)

    def _table(self, item: exp.Table, beside: Scope, level: Scope) -> None:
        unknown = next((key for key, value in item.args.items() if value and key not in _TABLE_PARTS), None)
        if unknown and not (unknown == "catalog" and isinstance(item.this, exp.Identifier)):
            raise Refused("statement", f"{unknown} after a table is unknown.")
        self._parts(item, beside, skip=("this", "db", "catalog", "alias", "joins"))
        if isinstance(item.this, exp.Identifier):
            self._see(item.this, item.args.get("db"), item.args.get("catalog"))
            level.sources.append(table_source(item, level, self._catalogue))
        else:
            if isinstance(item.this, exp.Expr):
                self._judge((item.this,), beside)
            level.sources.append(function_source(item, self._names, self._catalogue))

    def _group(self, item: exp.Subquery, beside: Scope, level: Scope) -> None:
        """`(a JOIN b ON ...)`, whose tables can't be named from outside when it has an alias."""
        start = len(beside.sources)
        self._item(item.this, beside)
        inner = beside.sources[start:]
        name, renamed = alias_of(item)
        if not name:
            level.sources += inner
            return
        columns = KnownColumns(
            _check_width([c for s in inner for c in s.columns.names]),
            complete=len(inner) == 1 and inner[0].columns.complete,
            any=any(s.columns.any for s in inner),
        )
        level.sources.append(Source(name, columns.renamed(renamed)))
        level.doubtful += inner

    def _derived(self, query: exp.Subquery, item: exp.Expr, outer: Scope) -> Source:
        columns, inner = self.query(query.this, outer)
        around = Scope(outer, doubtful=inner.sources + inner.doubtful)
        self._parts(query, around, skip=("this", "alias", "joins"))
        name, renamed = alias_of(item)
        return Source(name, columns.renamed(renamed))

    def _outputs(self, select: exp.Select, level: Scope) -> KnownColumns:
        names: list[str] = []
        complete, anything = True, False
        merged = any(
            join.args.get("using") or join.args.get("method") for join in select.args.get("joins") or ()
        )
        for output in select.expressions:
            if not output.is_star:
                names.append(_name_of(output))
                continue
            table = plain(output.args.get("table")) if isinstance(output, exp.Column) else ""
            sources = level.named(table) if table else level.sources
            known = isinstance(output, exp.Star) or (bool(table) and len(sources) == 1)
            for source in sources if known else ():
                names += source.columns.names
                complete = complete and source.columns.complete
                anything = anything or source.columns.any
            _check_width(names)
            # USING puts the columns that it merges before the others.
            complete = complete and known and not merged and not level.doubtful
        return KnownColumns(tuple(names), complete=complete, any=anything)

    def _parts(self, node: exp.Expr, scope: Scope, skip: Iterable[str]) -> None:
        for key, value in node.args.items():
            if key not in skip:
                parts = value if isinstance(value, list) else [value]
                self._judge([p for p in parts if isinstance(p, exp.Expr)], scope)

    def _judge(self, nodes: Iterable[exp.Expr], scope: Scope) -> None:
        """Every name after a dot in these expressions."""
        left = list(nodes)
        while left:
            node = left.pop()
            if isinstance(node, _QUERIES):
                self.query(node, scope)
            elif isinstance(node, exp.Column):
                self._column(node, scope)
            elif isinstance(node, exp.Dot):
                left += self._dot(node, scope)
            elif isinstance(node, exp.DataType):
                self._see(*node.find_all(exp.Identifier))
                left += node.expressions
            elif isinstance(node, exp.Table) and node.args.get("rows_from") is None and node.this is not None:
                if not isinstance(node.this, exp.Func):
                    raise Refused("statement", f"the table {node.name[:60]!r} stands where none can.")
                left.append(node.this)
            elif isinstance(node, _FROM_ONLY):
                raise Refused("statement", f"{type(node).__name__} stands where none can.")
            else:
                left += node.iter_expressions()

    def _column(self, column: exp.Column, scope: Scope) -> None:
        self._see(*(column.args.get(key) for key in ("this", "table", "db", "catalog")))
        if not column.args.get("table") or isinstance(column.this, exp.Star):
            return
        name, table = plain(column.this), plain(column.args["table"])
        if not name or not table:
            raise Refused("function", "what stands after a dot may be a call.")
        sources = scope.named(table, plain(column.args.get("db")))
        if not sources or not all(s.has(name) for s in sources):
            self._may_be_called(name, table, next((s.missing for s in sources), ""))

    def _dot(self, dot: exp.Dot, scope: Scope) -> list[exp.Expr]:
        """Judge a name after a value; what else is to be judged."""
        after, before = dot.expression, dot.this
        while isinstance(before, exp.Paren):
            before = before.this
        if isinstance(after, exp.Star):
            return [before]
        if isinstance(after, exp.Func) and _is_name(before):
            return [after]
        if not isinstance(after, exp.Identifier):
            raise Refused("function", "what stands after a dot may be a call.")
        self._see(after)
        name = plain(after)
        if not self._is_field(before, name, scope):
            self._may_be_called(name, before.sql(dialect="postgres")[:30])
        return [before]

    def _is_field(self, before: exp.Expr, name: str, scope: Scope) -> bool:
        if isinstance(before, exp.Column) and not before.args.get("table"):
            row = plain(before.this)
            columns = [s.columns for s in scope.everything()]
            if any(c.any or not c.complete or row in c.names for c in columns):
                return False  # it may be a column, which goes before the row of an item of FROM
            sources = scope.named(row)
            return bool(sources) and all(s.has(name) for s in sources)
        if isinstance(before, exp.Anonymous):
            called = before.name.lower()
            numbered = called == "row" and name in {f"f{n + 1}" for n in range(len(before.expressions))}
            return numbered or name in self._names.fields.get(called, ())
        return False

    def _may_be_called(self, name: str, before: str, missing: str = "") -> None:
        """Raises `Refused` unless a call of the name would be let through, or there is nothing to call."""
        if name in self._names.functions:
            return
        if self._catalogue is not None and not self._catalogue.is_callable(name):
            return  # the server will say what is missing
        if missing:
            raise Refused("function", f"there is no table {missing[:60]!r}.", ErrorClass.NO_SUCH_NAME)
        raise Refused(
            "function",
            f"{before[:60]} isn't known to have a column {name[:60]!r}, so that this may call a function; "
            "name the columns: FROM f(...) AS a(b), SELECT ... AS b.",
            ErrorClass.NO_SUCH_NAME if self._catalogue is not None else ErrorClass.OTHER,
        )

    def _see(self, *names: object) -> None:
        # Where the parser has put a text for a name, its place isn't known, and it is refused as not judged.
        known = (n.meta for n in names if isinstance(n, exp.Expr))
        self.judged.update(meta["start"] for meta in known if "start" in meta)


def _is_join(item: exp.Subquery) -> bool:
    """True if the parentheses hold tables and joins, not a query."""
    inner = item.this
    while isinstance(inner, exp.Subquery) and not _has_more(inner):
        inner = inner.this
    return _has_more(inner) or not isinstance(inner, (exp.Select, exp.SetOperation, exp.Values))


def _has_more(item: exp.Expr) -> bool:
    return bool(item.args.get("alias") or item.args.get("joins")) and not isinstance(item, exp.Select)


def _is_name(node: exp.Expr) -> bool:
    while isinstance(node, exp.Dot):
        if not isinstance(node.expression, exp.Identifier):
            return False
        node = node.this
    return isinstance(node, exp.Identifier)


def _columns_of_values(values: exp.Values) -> KnownColumns:
    first = values.expressions[0] if values.expressions else None
    count = len(first.expressions) if isinstance(first, exp.Tuple) else 1
    return KnownColumns(tuple(f"column{n + 1}" for n in range(count)))


def _check_width(names: list[str]) -> tuple[str, ...]:
    """The names, where there aren't so many that stars of stars must have multiplied them."""
    if len(names) > _MOST_COLUMNS:
        raise Refused("size", f"it has more than {_MOST_COLUMNS:,} columns side by side.")
    return tuple(names)


def _name_of(output: exp.Expr) -> str:
    """The name that a column of a result is certain to have; "" for none."""
    while isinstance(output, (exp.Cast, exp.Paren, exp.Collate)):
        output = output.this
    if isinstance(output, exp.Alias):
        return plain(output.args.get("alias"))
    if isinstance(output, exp.Column):
        return plain(output.this)
    return plain(output.expression) if isinstance(output, exp.Dot) else ""
