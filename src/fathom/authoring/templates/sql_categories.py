"""BiomedSQL's eight categories of queries (Koretsky et al. 2025), and what a file adds."""

from collections.abc import Iterator, Sequence

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from fathom.authoring.templates.template_file import QueryCategory
from fathom.databases.parsing import tables_of
from fathom.errors import ErrorClass, QueryError
from fathom.evaluation.categories import SQL_CATEGORIES

_COMPARED = (exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between)
_SIMILAR = (exp.Like, exp.ILike, exp.RegexpLike, exp.RegexpILike, exp.SimilarTo, exp.Contains, exp.StartsWith)
_ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div)


def parsed(sql: str, dialect: str) -> exp.Query:
    """A query's tree. Raises `QueryError` where it isn't one query."""
    try:
        tree = parse_one(sql, dialect=dialect)
    except (SqlglotError, RecursionError) as error:
        problem = str(error).splitlines()[0]
        raise QueryError(f"can't be read: {problem}", sql=sql, error_class=ErrorClass.SYNTAX) from None
    if not isinstance(tree, exp.Query):
        raise QueryError("isn't a query", sql=sql, error_class=ErrorClass.SYNTAX)
    return tree


def sql_categories(tree: exp.Query) -> tuple[str, ...]:
    """The categories of a query, in the order of `SQL_CATEGORIES`."""
    told = {
        "Select": any(_is_stored(p) for p in tree.selects),
        "Distinct": tree.find(exp.Distinct) is not None,
        "Join": len(tables_of(tree)) > 1,
        "Multi-Filter": any(sum(1 for _ in conjuncts(w.this)) > 1 for w in tree.find_all(exp.Where)),
        "Threshold": any(_against_number(c) for c in tree.find_all(*_COMPARED)),
        "Calculate": any(p.find(exp.AggFunc, *_ARITHMETIC) is not None for p in tree.selects),
        "Order-By": tree.find(exp.Order) is not None,
        "Similarity Search": tree.find(*_SIMILAR) is not None,
    }
    return tuple(name for name in SQL_CATEGORIES if told[name])


def other_categories(tree: exp.Query, known: Sequence[QueryCategory], dialect: str) -> tuple[str, ...]:
    """The categories of a file that hold for a query: by the columns it reads and the conditions in it."""
    columns = {c.name.casefold() for c in tree.find_all(exp.Column)}
    there = {_bare(c, dialect) for where in tree.find_all(exp.Where) for c in conjuncts(where.this)}
    found = [k.name for k in known if k.columns & columns or _all_hold(k.conditions, there, dialect)]
    return tuple(found) or tuple(k.name for k in known if k.otherwise)


def conventions_in(tree: exp.Query, known: Sequence[QueryCategory], dialect: str) -> bool:
    """True if a query holds a condition that the file names: an expert applies it without being told."""
    there = {_bare(c, dialect) for where in tree.find_all(exp.Where) for c in conjuncts(where.this)}
    return any(_all_hold(k.conditions, there, dialect) for k in known)


def calculates(tree: exp.Query) -> bool:
    """True if a query counts or calculates, so that its rows are none of a table's."""
    return "Calculate" in sql_categories(tree)


def conjuncts(condition: exp.Expr) -> Iterator[exp.Expr]:
    """The conditions that AND joins; OR joins conditions too, and each counts."""
    inner = condition.unnest()
    if isinstance(inner, exp.And | exp.Or):
        yield from conjuncts(inner.left)
        yield from conjuncts(inner.right)
    else:
        yield inner


def _is_stored(projection: exp.Expr) -> bool:
    return isinstance(projection.unalias(), exp.Column | exp.Star)


def _against_number(comparison: exp.Expr) -> bool:
    return any(literal.is_number for literal in comparison.find_all(exp.Literal))


def _all_hold(conditions: Sequence[str], there: set[str], dialect: str) -> bool:
    return bool(conditions) and all(
        _bare(parse_one(c, dialect=dialect), dialect) in there for c in conditions
    )


def _bare(condition: exp.Expr, dialect: str) -> str:
    """A condition as text, its columns without their tables, its numbers in one form, in lower case."""
    copy = condition.copy()
    for column in copy.find_all(exp.Column):
        column.set("table", None)
    for literal in copy.find_all(exp.Literal):
        if literal.is_number:
            literal.set("this", repr(float(literal.name)))
    return copy.sql(dialect=dialect).casefold()
