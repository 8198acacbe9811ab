"""How far a statement grows when the server plans it, before anything runs that a limit could stop.

PostgreSQL puts the expression of a derived column in every place that names the column. Where each of twelve
steps names the column before it four times, 550 characters become 16 million copies, and neither a time
limit nor a cut connection stops the backend meanwhile. The same happens to a table expression that is
written out wherever it is named, and to what stands before BETWEEN, which is read twice.
So the parts are counted along the chain, on the parsed statement, without making them. On PostgreSQL, which
bounds no query's memory, the same walk reckons how large the values get when the statement runs.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlglot import exp

from fathom.databases.guard.catalogue import Catalogue
from fathom.databases.guard.growth_columns import column_parts, is_computed
from fathom.databases.guard.growth_names import (
    alias_of,
    bounds_pairs,
    is_flat,
    is_joined,
    is_prone,
    name_of_output,
    names_itself,
    pairs_bound,
)
from fathom.databases.guard.growth_orders import FIELDS, QUERIES, Order, OrderedPart, left_out, ordered
from fathom.databases.guard.growth_rounds import MOST_ROUNDS, draws_on_tables, grown, is_settled
from fathom.databases.guard.growth_rows import (
    NONE,
    ONE,
    RELATION,
    Level,
    Parts,
    Rows,
    compared,
    cut,
    joined_rows,
    largest,
)
from fathom.databases.guard.growth_values import Reckoning
from fathom.databases.guard.value_sizes import NOTHING, ROWS, one_of
from fathom.databases.guard.words import Refused

MOST_PARTS = 30_000  # of expressions as planned, 0.5 to 3 kB of PostgreSQL's memory each
_NOT_INLINED = frozenset(("mysql",))
_MATERIALIZED = frozenset(("postgres", "sqlite", "duckdb"))
_LIMITED = ("limit", "offset", "fetch")
_GROUPED = ("group", "having", "distinct")
_CONDITIONS = frozenset(("where", "having", "qualify", "on"))
_SHARED = 2  # places from which on a table of WITH is kept unless NOT MATERIALIZED
_UNBOUNDED = frozenset(("postgres",))
"""Engines that bound no query's memory."""
_ROUNDS = 5  # of a recursion, after which it is seen whether values multiply


def check_growth(
    nodes: Sequence[exp.Expr], sql: str, dialect: str, catalogue: Catalogue | None = None
) -> None:
    """Raises `Refused` for a statement, all nodes of its tree, that grows beyond measure when planned."""
    tree = nodes[0]
    query = tree.this if isinstance(tree, exp.Describe) else tree
    if dialect in _NOT_INLINED or not isinstance(query, QUERIES):
        return
    if is_flat(nodes) and not (dialect in _UNBOUNDED and is_prone(nodes)):
        return
    uses: dict[int, int] = {}
    orders: dict[int, Order] = {}
    if any(isinstance(node, exp.CTE) for node in nodes):
        # Only one that is named once is written out, which is known at the end.
        first = _Count(tree, sql, dialect, catalogue, orders=orders)
        first.query(query, Level())
        uses = first.uses
    count = _Count(tree, sql, dialect, catalogue, orders=orders, known=uses)
    count.query(query, Level())
    count.reckoned.check()


class _Count:
    """One walk down a statement. `uses` says how often each table of WITH is named.

    Without the uses of an earlier walk nothing is refused. `orders` are those of the expressions that were
    met, kept from one walk to the next.
    """

    def __init__(
        self,
        tree: exp.Expr,
        sql: str,
        dialect: str,
        catalogue: Catalogue | None,
        *,
        orders: dict[int, Order],
        known: dict[int, int] | None = None,
    ) -> None:
        # EXPLAIN writes out an expression of each step below, whether or not steps were merged.
        self._explains = isinstance(tree, exp.Describe)
        self._omitted = sql.count(",")  # as many plain values may the parser have left out of a list
        self._dialect, self._catalogue, self._orders, self._known = dialect, catalogue, orders, known
        self.uses: dict[int, int] = {}
        self.reckoned = Reckoning(measured=known is not None and dialect in _UNBOUNDED)
        self._recurs = False

    def query(self, node: exp.Expr, outer: Level) -> Rows:
        """Count a query and its parts; gives its rows. Raises `Refused`."""
        level = Level(outer)
        with_ = node.args.get("with_")
        for table in with_.expressions if with_ is not None else ():
            self._common_table(table, level)
        if isinstance(node, exp.Select):
            rows = self._select(node, level)
        elif isinstance(node, exp.SetOperation):
            rows = self._set_operation(node, level)
        elif isinstance(node, exp.Subquery):
            rows = self._around(node, level)
        else:
            rows = self._values(node, level)
        if self._known is not None and rows.total > MOST_PARTS:
            raise _too_large(self._dialect)
        return rows

    def _common_table(self, table: exp.CTE, level: Level) -> None:
        name, renamed = alias_of(table)
        level.tables[name] = (table, Rows([(n, ONE) for n in renamed], is_open=True))  # if it names itself
        if self.reckoned.measured and names_itself(table):
            rows = self._recursion(table, level)
        else:
            rows = self.query(table.this, level)
        level.tables[name] = (table, rows.renamed(renamed))

    def _recursion(self, table: exp.CTE, level: Level) -> Rows:
        """Count some rounds of a recursion, to see what its values come to."""
        if self._recurs:
            raise Refused(
                "recursion", "a recursion within a recursion isn't taken; give each a step in WITH."
            )
        self._recurs = True
        name, renamed = alias_of(table)
        uses, made = dict(self.uses), (self.reckoned.made, self.reckoned.heaviest)
        itself = Rows([(n, NONE) for n in renamed], is_open=True, count=1)
        rounds: list[Rows] = []
        while len(rounds) < _ROUNDS and not is_settled(rounds):
            self.uses = dict(uses)
            self.reckoned.back_to(*made)
            level.tables[name] = (table, replace(itself, is_open=True))
            rounds.append(self.query(table.this, level))
            itself = rounds[-1].kept().renamed(renamed)
        rows, multiplies = grown(rounds, table)
        self.reckoned.multiplies = self.reckoned.multiplies or multiplies
        if table.this.args.get("distinct"):  # each row is compared with all before it
            self.reckoned.hold(rows, ROWS if draws_on_tables(table) else MOST_ROUNDS)
        if len(rounds) == _ROUNDS:  # what is made of values that have grown
            self.uses = dict(uses)
            level.tables[name] = (table, replace(rows.kept().renamed(renamed), is_open=True))
            self.query(table.this, level)
        self._recurs = False
        return rows

    def _named(self, table: exp.Table, level: Level) -> Rows:
        """Find the rows that a name in FROM means."""
        name = compared(table.this)
        for around in level.outwards():
            if name in around.tables and not table.args.get("db"):
                common, rows = around.tables[name]
                self.uses[id(common)] = self.uses.get(id(common), 0) + 1
                return rows if self._is_written_out(common) else rows.kept()
        found = self._catalogue.columns(compared(table.args.get("db")), name) if self._catalogue else None
        columns = [(cut(column), ONE) for column in found or ()]
        return Rows(columns, RELATION + len(columns), is_open=found is None)

    def _is_written_out(self, common: exp.CTE) -> bool:
        materialized = common.args.get("materialized")
        if materialized is None:
            return self._known is not None and self._known.get(id(common), 0) < _SHARED
        return not materialized

    def _select(self, select: exp.Select, level: Level) -> Rows:
        clause = select.args.get("from_")
        total = self._item(clause.this, level) if clause is not None else 0
        total += self._joins(select, level, bounds_pairs(select) if self.reckoned.measured else 0)
        self.reckoned.spread(level)
        rows = Rows([], 0, count=level.count)
        computed: list[bool] = []
        for output in select.expressions:
            if output.is_star:
                self._add_star(output, rows, level)
            else:
                rows.columns.append((name_of_output(output), self._parts([output], level)))
            own = is_computed(self._order(output).computed, level)
            computed += [own] * (len(rows.columns) - len(computed))
        # USING puts the columns that it merges before the others.
        rows.is_open = rows.is_open or any(j.args.get("using") for j in select.args.get("joins") or ())
        rows.merged = sum(parts.inlined for _, parts in rows.columns)
        rows.total = total + rows.merged
        rows.total += self._rest(select, level, ("with_", "from_", "joins", "expressions", *_LIMITED))
        if not self._explains and (any(computed) or _has(select, _GROUPED)):
            rows.merged = 0
            # A condition on an aggregate is moved as far as HAVING.
            rows.columns = [
                (name, Parts(1, parts.inlined if stays else parts.pushed, parts.value))
                for (name, parts), stays in zip(rows.columns, computed, strict=True)
            ]
        self.reckoned.put_out(select, rows, level)
        return self._limited(select, rows)

    def _add_star(self, output: exp.Expr, rows: Rows, level: Level) -> None:
        if isinstance(output, exp.Dot):  # the fields of a row, whose names aren't known
            fields = self._parts([output.this], level)
            rows.columns += [("", fields), *[("", fields.of(NOTHING))] * (FIELDS - 1)]
            return
        table = compared(output.args.get("table")) if isinstance(output, exp.Column) else ""
        sources = level.called(table)
        for source in sources:
            rows.add(source)
        rows.is_open = rows.is_open or not sources

    def _set_operation(self, node: exp.SetOperation, level: Level) -> Rows:
        arms: list[exp.Expr] = []
        left: exp.Expr = node
        kept_apart, total = True, 0  # as by UNION ALL
        while isinstance(left, exp.SetOperation) and (left is node or not left.args.get("with_")):
            arms.append(left.expression)
            kept_apart = kept_apart and isinstance(left, exp.Union) and not left.args.get("distinct")
            total += self._rest(left, level, ("with_", "this", "expression", *_LIMITED))
            left = left.this
        given = [self.query(arm, level) for arm in (left, *reversed(arms))]
        width = len(given[0].columns)
        is_open = any(rows.is_open or len(rows.columns) != width for rows in given)
        rows = Rows([], total + sum(arm.total for arm in given), is_open)
        merged = kept_apart or self._explains
        rows.merged = sum(arm.merged for arm in given) if merged else 0
        for at, (name, _) in enumerate(given[0].columns):
            alike = []
            for arm in given:
                every = [parts for _, parts in arm.columns] or [ONE]
                alike.append(largest(every) if is_open else every[at])
            column = sum(alike, NONE)
            value = one_of([parts.value for parts in alike]).of_total(column.value.total)
            column = column if merged else Parts(1, column.pushed)
            rows.columns.append((name, column.of(value)))
        rows.count = sum(arm.count for arm in given)
        if isinstance(node, (exp.Except, exp.Intersect)):
            self.reckoned.hold(rows)
        return self._limited(node, rows)

    def _around(self, node: exp.Subquery, level: Level) -> Rows:
        """A query in parentheses, or tables and joins."""
        if isinstance(node.this, QUERIES):
            rows = self.query(node.this, level)
        else:
            total = self._item(node.this, level)
            rows = joined_rows(level.sources, total, level.count)
        rows.total += self._rest(node, level, ("with_", "this", "alias", "joins", *_LIMITED))
        return self._limited(node, rows)

    def _values(self, node: exp.Expr, level: Level) -> Rows:
        """VALUES, of which one row is put in the place of its columns; other statements give no columns."""
        if not isinstance(node, exp.Values):
            return Rows([], self._parts([node], level).inlined, is_open=True)
        rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in node.expressions]
        columns = [NONE] * max(map(len, rows), default=0)
        for row in rows:
            for at, value in enumerate(row):
                columns[at] += self._parts([value], level)
        total = RELATION + sum(parts.inlined for parts in columns)
        count = len(rows) + left_out(node, self._omitted)
        return Rows([(f"column{at}", parts) for at, parts in enumerate(columns, 1)], total, count=count)

    def _limited(self, node: exp.Expr, rows: Rows) -> Rows:
        """Nothing is merged across LIMIT, but EXPLAIN writes it as if it were."""
        self.reckoned.limited(node, rows)
        limited = _has(node, _LIMITED) and not self._explains
        return replace(rows.kept(), total=rows.total) if limited else rows

    def _joins(self, item: exp.Expr, level: Level, pairs: int = 0) -> int:
        """Add what is joined to an item; the parts of all that.

        `pairs` are the conditions of WHERE that may stand for a condition of a join.
        """
        total = 0
        for join in item.args.get("joins") or ():
            bound = not self.reckoned.measured or pairs_bound(join)
            if not bound and pairs:
                bound, pairs = True, pairs - 1
            total += self._item(join.this, level, bound=bound)
            for name in join.args.get("using") or ():
                total += sum(parts.pushed for parts in level.certain("", compared(name)))
            if join.args.get("method"):  # NATURAL compares all columns of the same name
                total += sum(rows.all().pushed for rows in level.sources)
            total += self._rest(join, level, ("this", "using"))
        return total

    def _item(self, item: exp.Expr, level: Level, *, bound: bool = True) -> int:
        """Add an item of FROM to its level, with what is joined to it; the parts of all that.

        `bound`: a condition keeps each row from being joined to all others.
        """
        name, renamed = alias_of(item)
        start, joined = len(level.sources), is_joined(item)
        query = item.this if isinstance(item, exp.Lateral) else item
        if isinstance(item, exp.Table) and isinstance(item.this, exp.Identifier):
            rows = self._named(item, level)
            rest = self._rest(item, level, ("this", "db", "catalog", "alias", "joins"))
        elif joined:
            total = self._item(item.this, level)
            rows = joined_rows(level.sources[start:], total, level.count)
            rest = self._rest(item, level, ("this", "alias", "joins"))
        elif isinstance(query, QUERIES):
            rows, rest = self.query(query, level), 0
        else:  # a function, or several
            rest = self._rest(item, level, ("alias", "joins"))
            rows, bound = self.reckoned.functions(item.args.get("rows_from") or [item], level), True
        if not joined:
            self.reckoned.join(rows, level, item, bound=bound)
        if name or not joined:
            level.add(name or cut(item.alias_or_name), rows.renamed(renamed))
        return rows.total - rows.merged + rest + self._joins(item, level)

    def _rest(self, node: exp.Expr, level: Level, without: Iterable[str]) -> int:
        """The parts of what else belongs to a node, conditions as they are when they are moved down."""
        total = 0
        for key, value in node.args.items():
            if key not in without:
                found = value if isinstance(value, list) else [value]
                parts = self._parts([part for part in found if isinstance(part, exp.Expr)], level)
                total += max(parts[:2]) if key in _CONDITIONS else parts.inlined
        return total

    def _order(self, node: exp.Expr) -> Order:
        """The order of an expression's nodes."""
        order = self._orders.get(id(node))
        if order is None:
            order = self._orders[id(node)] = ordered(node, self._omitted)
        return order

    def _parts(self, nodes: Iterable[exp.Expr], level: Level) -> Parts:
        """The parts of expressions once their columns have been put in."""
        total = NONE
        for node in nodes:
            order = self._order(node)
            if self._known is None:  # nothing but the names of tables is looked at
                for query in order.queries:
                    self.query(query, level)
                continue
            found = dict[int, Parts]()
            for step in order.steps:
                found[id(step.node)] = self._part(step, level, found)
            total += found[id(node)]
        return total

    def _part(self, step: OrderedPart, level: Level, found: dict[int, Parts]) -> Parts:
        """The parts of one node, of whose parts those are `found`."""
        node, own, inner, is_column, is_query = step
        if is_column:
            assert isinstance(node, exp.Column)
            parts = column_parts(node, level)
            self.reckoned.note(node, parts.value)
            return parts
        if is_query:
            rows = self.query(node, level)
            return Parts(rows.total, rows.total, self.reckoned.selected(node, rows, level))
        inlined = pushed = own
        for part, copies in inner:
            known = found[id(part)]
            inlined, pushed = inlined + copies * known.inlined, pushed + copies * known.pushed
        return Parts(inlined, pushed, self.reckoned.value(node, level))


def _too_large(dialect: str) -> Refused:
    instead = "write WITH name AS MATERIALIZED (...) for the steps, or name each column fewer times."
    if dialect not in _MATERIALIZED:
        instead = "name each column of a step fewer times, or keep a step in a table."
    return Refused(
        "size",
        "each step repeats columns of the step before, which multiplies to more than "
        f"{MOST_PARTS:,} parts when the server plans it; {instead}",
    )


def _has(node: exp.Expr, keys: Iterable[str]) -> bool:
    return any(node.args.get(key) for key in keys)
