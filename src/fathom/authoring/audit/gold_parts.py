"""A query taken apart for the checks: joins, conditions, what it returns, where columns stand."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import Scope, traverse_scope

from fathom.databases.query_columns import qualified
from fathom.records import Schema

_OPERATORS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.Like: "like",
}
_TURNED = {">": "<", ">=": "<=", "<": ">", "<=": ">="}
_NEGATED = {"=": "<>", "<>": "=", ">": "<=", ">=": "<", "<": ">=", "<=": ">", "like": "not like"}


class ColumnOf(NamedTuple):
    """A column of a base table, names folded; `alias` is the table's name within its query."""

    table: str
    name: str
    alias: str

    @property
    def key(self) -> str:
        """`table.column`."""
        return f"{self.table}.{self.name}"


@dataclass(frozen=True, slots=True)
class LiteralTest:
    """A comparison of a column with a literal; not `plain` where a function of the column is compared."""

    column: ColumnOf
    operator: str
    value: str
    is_text: bool
    plain: bool


@dataclass(frozen=True, slots=True)
class GoldParts:
    """The parts of one query.

    `tables` are the base tables by alias, `joined` the equalities of columns of two of them, `used` the
    columns that stand anywhere else. `returned` are the outermost expressions, without their aliases.
    """

    sql: str
    tree: exp.Query
    tables: tuple[tuple[str, str], ...]
    joined: tuple[tuple[ColumnOf, ColumnOf], ...]
    tests: tuple[LiteralTest, ...]
    used: frozenset[ColumnOf]
    tested: frozenset[ColumnOf]
    returned: tuple[exp.Expr, ...]
    returned_columns: tuple[ColumnOf, ...]
    owners: dict[int, ColumnOf]

    @property
    def limit(self) -> int | None:
        """The outermost LIMIT, where it is a number."""
        limit = self.tree.args.get("limit")
        number = limit.expression if isinstance(limit, exp.Limit) else None
        return int(number.name) if isinstance(number, exp.Literal) and number.name.isdecimal() else None

    @property
    def literals(self) -> Sequence[exp.Literal]:
        """Every literal of the query."""
        return list(self.tree.find_all(exp.Literal))

    def has(self, *kinds: type[exp.Expr]) -> bool:
        """True if an expression of one of these kinds stands anywhere in the query."""
        return self.tree.find(*kinds) is not None

    def column(self, node: exp.Expr) -> ColumnOf | None:
        """The base column that a node of the tree names."""
        return self.owners.get(id(node))


def take_apart(sql: str, schema: Schema) -> GoldParts | None:
    """The parts of a query; None for one that can't be read, or that is no SELECT."""
    try:
        tree = qualified(parse_one(sql, dialect=schema.dialect), schema)
        if not isinstance(tree, exp.Query):
            return None
        scopes = traverse_scope(tree)
    except (SqlglotError, RecursionError):
        return None
    owners = dict(_owners(scopes, schema))
    equalities = [e for e in tree.find_all(exp.EQ) if _joins(e, owners)]
    in_joins = {id(c) for e in equalities for c in (e.left, e.right)}
    tested = {
        owners[id(c)]
        for place in tree.find_all(exp.Where, exp.Having, exp.If)
        for c in (place.this if isinstance(place, exp.If) else place).find_all(exp.Column)
        if id(c) in owners and id(c) not in in_joins
    }
    outer = tree.selects
    returned = [owners[id(c)] for p in outer for c in p.find_all(exp.Column) if id(c) in owners]
    return GoldParts(
        sql=sql,
        tree=tree,
        tables=tuple(_tables(scopes, schema)),
        joined=tuple((owners[id(e.left)], owners[id(e.right)]) for e in equalities),
        tests=tuple(_tests(tree, owners)),
        used=frozenset(of for node, of in owners.items() if node not in in_joins),
        tested=frozenset(tested),
        returned=tuple(p.unalias() for p in outer),
        returned_columns=tuple(returned),
        owners=owners,
    )


def _tables(scopes: Sequence[Scope], schema: Schema) -> Iterator[tuple[str, str]]:
    for scope in scopes:
        for alias, source in scope.sources.items():
            if isinstance(source, exp.Table) and source.name in schema:
                yield alias, source.name.casefold()


def _owners(scopes: Sequence[Scope], schema: Schema) -> Iterator[tuple[int, ColumnOf]]:
    for scope in scopes:
        for column in scope.columns:
            around: Scope | None = scope
            while around is not None and column.table not in around.sources:
                around = around.parent
            source = around.sources[column.table] if around is not None else None
            if isinstance(source, exp.Table) and source.name in schema:
                alias = f"{id(around)}.{column.table}"
                yield id(column), ColumnOf(source.name.casefold(), column.name.casefold(), alias)


def _joins(equal: exp.EQ, owners: dict[int, ColumnOf]) -> bool:
    left, right = owners.get(id(equal.left)), owners.get(id(equal.right))
    return left is not None and right is not None and left.alias != right.alias


def _tests(tree: exp.Query, owners: dict[int, ColumnOf]) -> Iterator[LiteralTest]:
    for node in tree.find_all(exp.Predicate):
        negated = isinstance(node.parent, exp.Not) or bool(node.args.get("negate"))
        for left, operator, right in _pairs(node):
            value = right.this if isinstance(right, exp.Neg) else right
            if not isinstance(value, exp.Literal) or isinstance(left, exp.Literal):
                continue
            columns = [owners[id(c)] for c in left.find_all(exp.Column) if id(c) in owners]
            if len(set(columns)) == 1:
                said = _NEGATED.get(operator, operator) if negated else operator
                written = f"-{value.name}" if value is not right else value.name
                yield LiteralTest(columns[0], said, written, value.is_string, isinstance(left, exp.Column))


def _pairs(node: exp.Expr) -> Iterator[tuple[exp.Expr, str, exp.Expr]]:
    if (operator := _OPERATORS.get(type(node))) is not None and isinstance(node, exp.Binary):
        yield node.left, operator, node.right
        yield node.right, _TURNED.get(operator, operator), node.left
    elif isinstance(node, exp.Between):
        yield node.this, ">=", node.args["low"]
        yield node.this, "<=", node.args["high"]
    elif isinstance(node, exp.In):
        for value in node.expressions:
            yield node.this, "=", value
